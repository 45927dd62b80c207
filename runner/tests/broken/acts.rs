//! Tiny broken adapters, each named after its fault. Nothing but the standard
//! library: an adapter is whatever reads and writes lines.

use std::io::{Lines, StdinLock, Write, stderr, stdin, stdout};
use std::net::TcpStream;
use std::process::{Command, Stdio, abort, exit, id};

/// What a tiny adapter does at one message instead of what it should.
pub(crate) type Act = fn(&mut Wire, &str);

/// Name of the fault, the message at which it shows, and what is done then.
const ACTS: &[(&str, &str, Act)] = &[
    ("conforms", "none", |_, _| {}),
    ("never-says-hello", "hello", |_, _| {}),
    ("never-opens", "open", |_, _| {}),
    ("never-answers", "call", |_, _| {}),
    ("never-ends", "end", |_, _| {}),
    ("answers-twice", "call", |wire, line| {
        wire.returned(line);
        wire.returned(line);
    }),
    ("answers-late-twice", "end", |wire, line| {
        wire.say(&wire.last_result.clone());
        wire.conform(line);
    }),
    ("wrong-call", "call", |wire, line| {
        let call = format!(r#""call":"{}""#, field(line, "call"));
        let line = line.replace(&call, r#""call":"b""#);
        wire.returned(&line);
    }),
    ("wrong-case", "call", |wire, line| {
        let line = line.replace(field(line, "case"), "another");
        wire.returned(&line);
    }),
    ("wrong-line-tag", "call", |wire, line| {
        let result = wire.result(line);
        wire.raw(format!("@h:0000000000000000 {result}\n").as_bytes());
    }),
    ("no-line-tag", "hello", |wire, line| {
        wire.tag.clear();
        wire.conform(line);
    }),
    ("floods", "call", |wire, line| {
        wire.flood();
        wire.raw(b"\n");
        wire.returned(line);
    }),
    ("floods-lines", "call", |wire, line| {
        for _ in 0..GIB >> 24 {
            wire.raw(&b"a line that nobody wants to read...\n".repeat(1 << 15)[..1 << 20]);
        }
        wire.raw(b"\n");
        wire.returned(line);
    }),
    ("floods-one-message", "call", |wire, _| {
        wire.raw(wire.tag.as_bytes());
        wire.flood();
        wire.raw(b"\n");
    }),
    ("floods-messages", "call", |wire, line| {
        let event = format!(
            r#"{{"type":"event","case":"{}","call":"a","event":"log","message":"{}"}}"#,
            field(line, "case"),
            "x".repeat(1 << 10)
        );
        for _ in 0..GIB >> 10 {
            wire.say(&event);
        }
        wire.returned(line);
    }),
    ("floods-for-ever", "call", |wire, _| {
        loop {
            wire.raw(&[b'x'; 1 << 16]);
        }
    }),
    ("dies-mid-call", "call", |wire, _| {
        wire.begin_request();
        eprintln!("Segmentation fault in sdk.c:1");
        abort();
    }),
    ("exits-mid-call", "call", |_, _| {
        eprintln!("the interpreter is out of memory");
        exit(7);
    }),
    ("ignores-shutdown", "shutdown", |_, _| {
        loop {
            std::thread::park();
        }
    }),
    ("leaves-a-grandchild", "call", |wire, line| {
        leave_a_grandchild();
        wire.returned(line);
    }),
    ("dies-and-leaves-a-grandchild", "call", |_, _| {
        leave_a_grandchild();
        exit(7);
    }),
    ("prints-junk", "call", |wire, line| {
        wire.raw(
            b"\xef\xbb\xbfwarming up\r\n\xff\xfe\x00\r\r\n{\"type\":\"result\"}\nhalf a line ",
        );
        let result = wire.result(line);
        wire.raw(format!("\u{feff}{}{result}\r\n", wire.tag).as_bytes());
    }),
    ("junk-behind-the-tag", "call", |wire, _| {
        wire.say("half a thought")
    }),
    ("bad-utf8-behind-the-tag", "call", |wire, _| {
        wire.raw(&[wire.tag.as_bytes(), b"\xff\xfe{\xff}\n"].concat());
    }),
    ("deeply-nested", "call", |wire, _| {
        wire.say(&"[".repeat(100_000))
    }),
    ("unknown-message", "call", |wire, _| {
        wire.say(r#"{"type":"thought"}"#)
    }),
    ("speaks-for-the-runner", "call", |wire, line| {
        let result = wire
            .result(line)
            .replace(r#""kind":"returned","status":200"#, r#""kind":"hung""#);
        wire.say(&result);
    }),
    ("admits-its-fault", "call", |wire, line| {
        let fault = r#""kind":"adapter_error","trace":"no such method: get_item""#;
        let result = wire
            .result(line)
            .replace(r#""kind":"returned","status":200"#, fault);
        wire.say(&result.replace("adapter_error", "adapter-error"));
    }),
    ("lies-about-its-loops", "open", |wire, line| {
        let case = field(line, "case");
        wire.say(&format!(
            r#"{{"type":"unsupported","case":"{case}","reason":"no such loop"}}"#
        ));
    }),
    ("opens-anything", "none", |_, _| {}),
    ("lies-about-its-sdk", "hello", |wire, _| {
        wire.hello("another-sdk")
    }),
    ("hangs-with-a-grandchild", "call", |_, _| {
        leave_a_grandchild();
    }),
    ("starts-a-grandchild", "hello", |wire, line| {
        leave_a_grandchild();
        wire.conform(line);
    }),
];

const GIB: usize = 1 << 30;

/// Plays the adapter of that name until its input ends. Once it has done what
/// is wrong it tells whoever listens at `address` who takes part.
pub(crate) fn play(name: &str, address: Option<&str>) {
    let (_, at, act) = *ACTS
        .iter()
        .chain(crate::virtual_time::ACTS)
        .find(|(known, ..)| *known == name)
        .expect("a known fault");
    let mut wire = Wire {
        tag: std::env::var("HOLDOFF_TAG").expect("the runner names the tag"),
        lines: stdin().lines(),
        last_result: String::new(),
        origin: String::new(),
        opens: name == "opens-anything",
    };
    while let Some(line) = wire.lines.next() {
        let line = line.expect("orders are UTF-8");
        if field(&line, "type") == "open" {
            let origin = field(&line, "base_url").trim_start_matches("http://");
            wire.origin = origin.split('/').next().unwrap_or_default().to_owned();
        }
        if field(&line, "type") == at {
            act(&mut wire, &line);
            if let Some(address) = address {
                let mut to = TcpStream::connect(address).expect("the test listens");
                writeln!(to, "{}", participants()).expect("it reads");
            }
        } else {
            wire.conform(&line);
        }
    }
    if name == "ignores-shutdown" {
        loop {
            std::thread::park();
        }
    }
}

/// Both ends of the protocol.
pub(crate) struct Wire {
    tag: String,
    lines: Lines<StdinLock<'static>>,
    last_result: String,
    /// Host and port of the mock server.
    origin: String,
    opens: bool,
}

impl Wire {
    fn raw(&self, bytes: &[u8]) {
        // A runner that has seen enough closes the pipe.
        if stdout()
            .write_all(bytes)
            .and_then(|()| stdout().flush())
            .is_err()
        {
            exit(0);
        }
    }

    pub(crate) fn say(&self, message: &str) {
        self.raw(format!("{}{message}\n", self.tag).as_bytes());
    }

    fn flood(&self) {
        for _ in 0..GIB >> 20 {
            self.raw(&[b'x'; 1 << 20]);
        }
    }

    pub(crate) fn result(&self, line: &str) -> String {
        let (case, call) = (field(line, "case"), field(line, "call"));
        format!(
            r#"{{"type":"result","case":"{case}","call":"{call}","outcome":{{"kind":"returned","status":200}}}}"#
        )
    }

    pub(crate) fn returned(&mut self, line: &str) {
        self.last_result = self.result(line);
        self.say(&self.last_result);
    }

    /// Tells who it is, and in `runtime` its own process and that of its world.
    fn hello(&self, sdk: &str) {
        self.say(&format!(
            r#"{{"type":"hello","protocol":1,"sdk":{{"name":"{sdk}","version":"1"}},"language":"rust","runtime":"{}","environment":{{"zone_offsets":["+00:00","+00:00"],"locale":"C"}}}}"#,
            participants()
        ));
    }

    /// Does what the protocol wants.
    fn conform(&mut self, line: &str) {
        let case = field(line, "case");
        match field(line, "type") {
            "hello" => self.hello("tiny"),
            "open" if self.opens || field(line, "loop") == "operation" => {
                self.say(&format!(r#"{{"type":"opened","case":"{case}"}}"#));
            }
            "open" => self.say(&format!(
                r#"{{"type":"unsupported","case":"{case}","reason":"no such loop"}}"#
            )),
            "call" => self.returned(line),
            "close" => self.say(&format!(r#"{{"type":"closed","case":"{case}"}}"#)),
            "advance" => self.say(&format!(
                r#"{{"type":"advanced","case":"{case}","now":"{}"}}"#,
                field(line, "to")
            )),
            "end" => self.say(&format!(r#"{{"type":"ended","case":"{case}"}}"#)),
            "shutdown" => exit(0),
            _ => {}
        }
    }

    /// The next order.
    pub(crate) fn next_line(&mut self) -> String {
        let line = self.lines.next().expect("there is another order");
        line.expect("orders are UTF-8")
    }

    /// Sends a request and reads the reply.
    pub(crate) fn exchange(&self) {
        let mut to = TcpStream::connect(&self.origin).expect("the mock server listens");
        let request = "GET /items/1000001 HTTP/1.1\r\nhost: x\r\n\r\n";
        to.write_all(request.as_bytes()).expect("it reads");
        let mut reply = Vec::new();
        // One that is cut is none the less over.
        let _ = std::io::Read::read_to_end(&mut to, &mut reply);
    }

    /// Sends half a request, as an SDK does that dies on the way.
    fn begin_request(&self) {
        let mut to = TcpStream::connect(&self.origin).expect("the mock server listens");
        to.write_all(b"GET /items/1000001 HT").expect("it reads");
    }
}

/// Our own process and that of our world.
fn participants() -> String {
    #[cfg(unix)]
    let parent = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let parent = 0;
    format!("{} {parent}", id())
}

/// A process that inherits our pipes and our group, and outlives us.
#[expect(clippy::zombie_processes, reason = "that is the fault")]
fn leave_a_grandchild() {
    let mut sleep = Command::new("sleep");
    let left = sleep
        .arg("600")
        .stdin(Stdio::null())
        .spawn()
        .expect("there is `sleep`");
    let _ = writeln!(stderr(), "grandchild {}", left.id());
}

/// The text of a field of one line of JSON; good enough for what the runner
/// writes.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let Some((_, rest)) = line.split_once(&format!(r#""{name}":""#)) else {
        return "";
    };
    rest.split_once('"').map_or("", |(value, _)| value)
}
