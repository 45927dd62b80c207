//! A tiny adapter for tests: this test binary, started again to play one role.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::LaunchSpec;
use super::protocol::TAG_VARIABLE;

/// Variable that says which role to play.
const ROLE: &str = "HOLDOFF_TEST_ROLE";

/// The command that plays one ignored test of this binary, as a child process.
pub(crate) fn this_binary(test: &str) -> Vec<String> {
    let program = std::env::current_exe().unwrap();
    let argv = [
        program.to_str().unwrap(),
        test,
        "--exact",
        "--ignored",
        "--nocapture",
        "--quiet",
    ];
    argv.map(str::to_owned).to_vec()
}

/// How to start this test binary in a role: `reference`, `reference DEFECT`, or
/// one of the tiny adapter's.
pub(crate) fn role(role: &str) -> LaunchSpec {
    let argv = this_binary("adapter::testing::role_of_a_child_process");
    let mut spec = LaunchSpec::new(role, argv);
    spec.env.insert(ROLE.to_owned(), role.to_owned());
    spec
}

#[test]
#[ignore = "not a test: a role that a child process of other tests plays"]
fn role_of_a_child_process() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    if let Some(defect) = role.strip_prefix("reference") {
        let defect = defect.strip_prefix(' ').map(str::to_owned);
        holdoff_reference::run(holdoff_reference::Args { defect });
        return;
    }
    Tiny::new(role).play();
}

struct Tiny {
    role: String,
    tag: String,
    input: std::io::Lines<std::io::StdinLock<'static>>,
    base_url: String,
    sleeps: u64,
    /// Calls that wait for the running one.
    held: Vec<Value>,
}

impl Tiny {
    fn new(role: String) -> Self {
        Self {
            role,
            tag: std::env::var(TAG_VARIABLE).unwrap(),
            input: std::io::stdin().lines(),
            base_url: String::new(),
            sleeps: 0,
            held: Vec::new(),
        }
    }

    fn say(&self, message: &Value) {
        self.print(format!("{}{message}\n", self.tag).as_bytes());
    }

    fn print(&self, bytes: &[u8]) {
        let mut out = std::io::stdout();
        out.write_all(bytes).unwrap();
        out.flush().unwrap();
    }

    fn hear(&mut self) -> Value {
        match self.input.next() {
            Some(line) => serde_json::from_str(&line.unwrap()).unwrap(),
            None => std::process::exit(0),
        }
    }

    fn play(mut self) {
        match self.role.as_str() {
            "mute" => loop {
                self.hear();
            },
            "dies-at-once" => {
                eprintln!("no such module: sdk");
                std::process::exit(3);
            }
            _ => {}
        }
        loop {
            let message = self.hear();
            match message["type"].as_str().unwrap() {
                "hello" => {
                    self.hello();
                    if self.role == "deaf" {
                        loop {
                            std::thread::park();
                        }
                    }
                }
                "open" => self.open(&message),
                "call" => self.call(&message),
                "advance" => self.advanced(&message),
                "close" => self.say(&json!({"type": "closed", "case": message["case"]})),
                "end" if self.role == "never-ends" => {}
                "end" => self.say(&json!({"type": "ended", "case": message["case"]})),
                "shutdown" => std::process::exit(0),
                _ => {}
            }
        }
    }

    fn hello(&self) {
        if self.role == "chatty" {
            self.print(b"\xef\xbb\xbfwarming up\r\nhalf a line ");
        }
        self.say(&json!({
            "type": "hello", "protocol": 1, "sdk": {"name": "tiny", "version": "1"},
            "language": "rust", "runtime": std::process::id().to_string(),
            "environment": {"zone_offsets": ["+00:00", "+00:00"], "locale": "C"},
        }));
    }

    fn open(&mut self, message: &Value) {
        if self.role == "comes-late" && !self.base_url.is_empty() {
            self.get("late");
        }
        self.sleeps = 0;
        self.base_url = message["base_url"].as_str().unwrap().to_owned();
        let case = &message["case"];
        match (self.role.as_str(), message["loop"].as_str().unwrap()) {
            (_, "operation") if self.role == "wrong-case" => {
                self.say(&json!({"type": "opened", "case": "another"}));
            }
            (_, "operation") => self.say(&json!({"type": "opened", "case": case})),
            ("opens-anything", _) => self.say(&json!({"type": "opened", "case": case})),
            _ => self.say(&json!({"type": "unsupported", "case": case, "reason": "no such loop"})),
        }
    }

    fn advanced(&self, message: &Value) {
        self.say(&json!({"type": "advanced", "case": message["case"], "now": message["to"]}));
    }

    fn result(&self, message: &Value, outcome: &Value) {
        self.say(&json!({
            "type": "result", "case": message["case"], "call": message["call"], "outcome": outcome,
        }));
    }

    fn call(&mut self, message: &Value) {
        let returned = json!({"kind": "returned", "status": 200});
        match self.role.as_str() {
            "crashes" => {
                eprintln!("thread panicked at sdk.rs:1");
                std::process::abort();
            }
            "answers-twice" => {
                self.result(message, &returned);
                self.result(message, &returned);
            }
            "wrong-call" => self.say(&json!({
                "type": "result", "case": message["case"], "call": "zz", "outcome": returned,
            })),
            "junk" => self.say(&json!("half a thought")),
            "too-long" => {
                self.print(self.tag.as_bytes());
                self.print(&vec![b'x'; 2 << 20]);
                self.print(b"\n");
            }
            "wrong-tag" => {
                self.print(b"@h:0000 {\"type\":\"result\"}\n");
                self.result(message, &returned);
            }
            "floods" => {
                for _ in 0..256 {
                    self.print(&vec![b'x'; 1 << 20]);
                    std::io::stderr().write_all(&vec![b'\n'; 1 << 14]).unwrap();
                }
                self.print(b"\n");
                self.result(message, &returned);
            }
            "leaves-a-grandchild" => {
                // Inherits our pipes and outlives us.
                let grandchild = std::process::Command::new("sleep")
                    .arg("600")
                    .spawn()
                    .unwrap();
                eprintln!("grandchild {}", grandchild.id());
                std::process::exit(7);
            }
            "sleeps-for-ever" => self.sleep(message, "999999999"),
            "naps-for-ever" => loop {
                self.sleep(message, "0.001");
                if !self.until_slept() {
                    return;
                }
            },
            "keeps-its-connection" | "closes-a-moment-later" => self.gives_up(message),
            "spins" => loop {
                self.hear();
            },
            _ => self.operation(message),
        }
    }

    /// Gives a first request up after 30 s, goes on 60 s later, and says so
    /// before it closes the connection.
    fn gives_up(&mut self, message: &Value) {
        self.sleeps += 1;
        self.say(&json!({
            "type": "sleep", "case": message["case"], "call": message["call"],
            "duration": "30", "n": self.sleeps, "during": "request",
        }));
        let stream = self.send("1").unwrap();
        self.until_slept();
        self.sleep(message, "60");
        if self.role == "closes-a-moment-later" {
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(20));
                drop(stream);
            });
            self.until_slept();
        } else {
            self.until_slept();
            drop(stream);
        }
        self.operation(message);
    }

    fn sleep(&mut self, message: &Value, duration: &str) {
        self.sleeps += 1;
        self.say(&json!({
            "type": "sleep", "case": message["case"], "call": message["call"],
            "duration": duration, "n": self.sleeps,
        }));
    }

    /// One GET, repeated after each 503 as its `retry-after` says.
    fn operation(&mut self, message: &Value) {
        loop {
            let (status, told) = self.get(message["request"]["mark"].as_str().unwrap());
            let outcome = match (status, told) {
                (503, Some(told)) => {
                    self.sleep(message, &told);
                    if self.until_slept() {
                        continue;
                    }
                    json!({"kind": "cancelled"})
                }
                (200 | 404, _) if self.role == "never-raises" => {
                    json!({"kind": "returned", "status": status})
                }
                (200, _) => json!({"kind": "returned", "status": 200}),
                (0, _) => json!({"kind": "raised", "error": {"kind": "transport"}}),
                (status, _) => {
                    json!({"kind": "raised", "error": {"kind": "status", "status": status}})
                }
            };
            self.result(message, &outcome);
            return if let Some(next) = self.held.pop() {
                self.operation(&next);
            };
        }
    }

    /// False if the call was cancelled instead.
    fn until_slept(&mut self) -> bool {
        loop {
            let message = self.hear();
            match message["type"].as_str().unwrap() {
                "slept" => return true,
                "advance" => self.advanced(&message),
                "cancel" => return false,
                "call" => {
                    self.say(&json!({
                        "type": "held", "case": message["case"], "call": message["call"],
                    }));
                    self.held.push(message);
                }
                "end" => {
                    self.say(&json!({"type": "ended", "case": message["case"]}));
                    std::process::exit(0);
                }
                _ => {}
            }
        }
    }

    /// A connection on which a GET was sent.
    fn send(&self, mark: &str) -> std::io::Result<TcpStream> {
        let rest = self.base_url.strip_prefix("http://").unwrap();
        let (host, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let slash = if prefix.is_empty() { "" } else { "/" };
        let mut stream = TcpStream::connect(host)?;
        let head = format!("GET {slash}{prefix}/{mark} HTTP/1.1\r\nhost: {host}\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        Ok(stream)
    }

    /// Status (0: none) and `retry-after` of a GET.
    fn get(&self, mark: &str) -> (u16, Option<String>) {
        let Ok(stream) = self.send(mark) else {
            return (0, None);
        };
        let mut reply = Vec::new();
        // A reset is as good as an end here.
        let _ = BufReader::new(stream).read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply).to_ascii_lowercase();
        let status = reply.get(9..12).and_then(|digits| digits.parse().ok());
        let told = reply
            .lines()
            .find_map(|line| Some(line.strip_prefix("retry-after:")?.trim().to_owned()));
        (status.unwrap_or(0), told)
    }
}

/// Waits for the end of a process that is not our child.
#[cfg(target_os = "linux")]
pub(crate) async fn gone(pid: i32) {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    let pid = Pid::from_raw(pid).unwrap();
    // No such process any more: that is what is waited for.
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    #[expect(deprecated, reason = "its successor is unsafe to call")]
    let handle = tokio::io::unix::AsyncFd::with_interest(handle, tokio::io::Interest::READABLE);
    let handle = handle.unwrap();
    let ready = tokio::time::timeout(std::time::Duration::from_secs(10), handle.readable()).await;
    assert!(ready.is_ok(), "{pid:?} is still alive");
}
