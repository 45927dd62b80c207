//! Cases on clients in three languages, and what a program's start costs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use holdoff_vtime::{Exit, Options, Outcome, run};
use tempfile::TempDir;

use super::server::Server;
use super::{median, milliseconds};

const CASES: usize = 30;
const STARTS: usize = 15;

const PYTHON: &str = r#"
import sys, time, urllib.request, urllib.error
for _ in range(int(sys.argv[2])):
    while True:
        try:
            urllib.request.urlopen(sys.argv[1]).read()
            break
        except urllib.error.HTTPError as error:
            time.sleep(int(error.headers["retry-after"]))
"#;

const NODE: &str = r#"
const [url, cases] = process.argv.slice(-2);
for (let n = 0; n < Number(cases); n++) {
  for (;;) {
    const reply = await fetch(url);
    await reply.text();
    if (reply.ok) break;
    await new Promise((done) => setTimeout(done, 1000 * reply.headers.get("retry-after")));
  }
}
"#;

const GO: &str = r#"package main

import (
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		return
	}
	cases, _ := strconv.Atoi(os.Args[2])
	for n := 0; n < cases; n++ {
		for {
			reply, err := http.Get(os.Args[1])
			if err != nil {
				panic(err)
			}
			reply.Body.Close()
			if reply.StatusCode == 200 {
				break
			}
			seconds, _ := strconv.Atoi(reply.Header.Get("retry-after"))
			time.Sleep(time.Duration(seconds) * time.Second)
		}
	}
}
"#;

/// A client, and the same program doing nothing.
struct Client {
    name: &'static str,
    client: Vec<String>,
    idle: Vec<String>,
}

pub(super) fn measure() {
    let folder = TempDir::new().unwrap();
    println!("client   a case of 1800 s, median   start, untraced   traced   ratio");
    for client in clients(folder.path()) {
        let case = match cases(&client) {
            Ok(duration) => format!("{:.2} ms", milliseconds(duration)),
            Err(outcome) => outcome,
        };
        let (untraced, traced) = starts(&client.idle);
        println!(
            "{:<8} {case:>24} {:>14.1} ms {:>5.1} ms {:>7.2}",
            client.name,
            milliseconds(untraced),
            milliseconds(traced),
            traced.as_secs_f64() / untraced.as_secs_f64()
        );
    }
}

fn clients(folder: &Path) -> Vec<Client> {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    let program = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::write(program("client.py"), PYTHON).unwrap();
    std::fs::write(program("client.mjs"), NODE).unwrap();
    std::fs::write(program("client.go"), GO).unwrap();
    let mut clients = Vec::new();
    if answers(Command::new(python()).arg("--version")) {
        clients.push(Client {
            name: "python",
            client: words(&[&python(), &program("client.py")]),
            idle: words(&[&python(), "-c", "pass"]),
        });
    }
    if answers(Command::new("node").arg("--version")) {
        clients.push(Client {
            name: "node",
            client: words(&["node", &program("client.mjs")]),
            idle: words(&["node", "-e", "0"]),
        });
    }
    let build = ["build", "-o", &program("client"), &program("client.go")];
    if answers(Command::new("go").args(build).current_dir(folder)) {
        clients.push(Client {
            name: "go",
            client: words(&[&program("client")]),
            idle: words(&[&program("client")]),
        });
    }
    clients
}

/// The interpreter itself: a shim that looks for it would be measured, too.
fn python() -> String {
    let mut ask = Command::new("python3");
    let output = ask
        .args(["-c", "import sys; print(sys.executable)"])
        .output();
    output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|path| path.trim().to_owned())
        .filter(|path| !path.is_empty())
        .unwrap_or_else(|| "python3".to_owned())
}

fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

fn quiet(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// The real time of a case, the first of which also warms the process up.
fn cases(client: &Client) -> Result<Duration, String> {
    let server = Server::start();
    let mut command = quiet(&client.client);
    command.args([format!("http://{}/", server.address), CASES.to_string()]);
    let options = Options {
        connections: server.connections(),
        ..Options::default()
    };
    let summary = run(command, options).unwrap();
    if summary.outcome != Outcome::Ended(Exit::Code(0)) {
        return Err(format!("{:?}", summary.outcome));
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 2 * CASES);
    assert!(summary.elapsed >= Duration::from_secs(1_800) * CASES as u32);
    let begins: Vec<_> = requests.into_iter().step_by(2).collect();
    let each = begins.windows(2).skip(1).map(|pair| pair[1] - pair[0]);
    Ok(median(each.collect()))
}

/// How long a program takes that does nothing, untraced and traced, in turns.
fn starts(idle: &[String]) -> (Duration, Duration) {
    let mut untraced = Vec::new();
    let mut traced = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        assert!(quiet(idle).status().unwrap().success());
        untraced.push(began.elapsed());
        let summary = run(quiet(idle), Options::default()).unwrap();
        assert_eq!(summary.outcome, Outcome::Ended(Exit::Code(0)));
        traced.push(summary.real);
    }
    (median(untraced), median(traced))
}
