//! The clients, what they may be late by, and how they are built.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

use crate::support::tools::{build, find, program};
use crate::support::trials::ignored;

/// First argument of this program when it is to be a client.
pub(crate) const AS_CLIENT: &str = "--as-client";
/// How often a client is run, unless this variable says so.
const REPETITIONS: &str = "HOLDOFF_VTIME_REPETITIONS";

/// Interpreters that compute in floats may arrive so much before a date.
const FLOATS: Duration = Duration::from_micros(2);
const EXACT: Duration = Duration::ZERO;
const MILLISECOND: Duration = Duration::from_millis(1);

/// A client.
pub(crate) struct Client {
    pub(crate) name: String,
    /// With the address of the server.
    pub(crate) command: Box<dyn Fn(&str) -> Command + Send>,
    /// What its runtime may be late by.
    pub(crate) late: Duration,
    /// What it counts the time to a date by.
    pub(crate) grain: Duration,
    /// How long before a date it may come.
    pub(crate) early: Duration,
    /// None: by how long one takes.
    pub(crate) repetitions: Option<u32>,
}

/// A language: what its clients have in common.
struct Language {
    name: &'static str,
    late: Duration,
    grain: Duration,
    early: Duration,
    repetitions: Option<u32>,
    /// Arguments before the address, and after it, of each client.
    ways: Vec<(&'static str, Vec<PathBuf>, Vec<&'static str>)>,
}

type Built = Result<PathBuf, Trouble>;

/// Why there are no clients of a language.
enum Trouble {
    Missing(String),
    Broken(Failed),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Self::Missing(reason)
    }
}

impl From<Failed> for Trouble {
    fn from(failed: Failed) -> Self {
        Self::Broken(failed)
    }
}

/// A trial for each client. Programs are built into `folder`.
pub(crate) fn trials(folder: &Path, trial: impl Fn(Client) -> Trial) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |language: Language, built: Built| match built {
        Ok(binary) => trials.extend(language.clients(&binary).map(&trial)),
        Err(Trouble::Missing(reason)) => trials.push(ignored(language.name, &reason)),
        Err(Trouble::Broken(failed)) => {
            trials.push(Trial::test(language.name, || Err(failed)));
        }
    };
    add(
        python(),
        find("python3", &["--version"]).map_err(Trouble::from),
    );
    add(node(), node_with_fetch());
    add(go(), go_client(folder));
    add(java(folder), java_client(folder));
    add(
        rust(),
        std::env::current_exe().map_err(|error| Trouble::Broken(error.into())),
    );
    add(
        ruby(),
        find("ruby", &["-rnet/http", "-e", ""]).map_err(Trouble::from),
    );
    add(
        php(),
        find(
            "php",
            &["-r", "exit(function_exists('curl_init') ? 0 : 1);"],
        )
        .map_err(Trouble::from),
    );
    trials
}

impl Language {
    fn clients(self, binary: &Path) -> impl Iterator<Item = Client> {
        let binary = binary.to_owned();
        let often = std::env::var(REPETITIONS)
            .ok()
            .and_then(|often| often.parse().ok());
        self.ways.into_iter().map(move |(way, before, after)| {
            let binary = binary.clone();
            let command = move |url: &str| {
                let mut command = Command::new(&binary);
                command.args(&before).arg(url).args(&after);
                command
            };
            Client {
                name: format!("{}::{way}", self.name),
                command: Box::new(command),
                late: self.late,
                grain: self.grain,
                early: self.early,
                repetitions: often.or(self.repetitions),
            }
        })
    }
}

fn python() -> Language {
    let way = |name, file| (name, vec![PathBuf::from("-B"), program(file)], vec![]);
    Language {
        name: "python",
        late: Duration::from_micros(10),
        grain: EXACT,
        early: FLOATS,
        repetitions: None,
        ways: vec![
            way("sync", "client_sync.py"),
            way("asyncio", "client_asyncio.py"),
            way("threads", "client_threads.py"),
        ],
    }
}

fn node() -> Language {
    let way = |name, file| (name, vec![program(file)], vec![]);
    Language {
        name: "node",
        late: Duration::from_micros(60),
        grain: MILLISECOND,
        early: EXACT,
        repetitions: None,
        ways: vec![
            way("fetch", "client_fetch.mjs"),
            way("http", "client_http.mjs"),
            way("timers", "client_timers.mjs"),
        ],
    }
}

fn node_with_fetch() -> Built {
    Ok(find(
        "node",
        &["-e", "if (!globalThis.fetch) process.exit(1)"],
    )?)
}

fn go() -> Language {
    let way = |name| (name, vec![], vec![name]);
    Language {
        name: "go",
        late: Duration::from_micros(10),
        grain: EXACT,
        early: EXACT,
        repetitions: None,
        ways: vec![way("context"), way("sleep"), way("ticker")],
    }
}

fn go_client(folder: &Path) -> Built {
    let binary = folder.join("go-client");
    let mut command = Command::new(find("go", &["version"])?);
    command
        .args(["build", "-o"])
        .arg(&binary)
        .arg(program("client.go"));
    command
        .env("CGO_ENABLED", "0")
        .env("GO111MODULE", "off")
        .current_dir(folder);
    build(command)?;
    Ok(binary)
}

fn java(folder: &Path) -> Language {
    let before = || {
        let options = ["-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"].map(PathBuf::from);
        let mut before = options.to_vec();
        before.extend([folder.to_owned(), PathBuf::from("Client")]);
        before
    };
    Language {
        name: "java",
        late: Duration::from_micros(20),
        grain: MILLISECOND,
        early: EXACT,
        repetitions: Some(10),
        ways: vec![
            ("client", before(), vec!["client", "sleep"]),
            ("connection", before(), vec!["connection", "sleep"]),
            ("schedule", before(), vec!["connection", "schedule"]),
        ],
    }
}

fn java_client(folder: &Path) -> Built {
    let mut command = Command::new(find("javac", &["-version"])?);
    command.arg("-d").arg(folder).arg(program("Client.java"));
    build(command)?;
    Ok(find("java", &["-version"])?)
}

fn rust() -> Language {
    let way = |name: &'static str| {
        (
            name,
            vec![PathBuf::from(AS_CLIENT), PathBuf::from(name)],
            vec![],
        )
    };
    Language {
        name: "rust",
        // tokio rounds up to a millisecond.
        late: Duration::from_micros(1_100),
        grain: EXACT,
        early: EXACT,
        repetitions: None,
        ways: vec![way("std"), way("tokio")],
    }
}

fn ruby() -> Language {
    let way = |name| (name, vec![program("client.rb")], vec![name]);
    Language {
        name: "ruby",
        late: Duration::from_micros(10),
        grain: EXACT,
        early: FLOATS,
        repetitions: None,
        ways: vec![way("sleep"), way("condition")],
    }
}

fn php() -> Language {
    let way = |name| (name, vec![program("client.php")], vec![name]);
    Language {
        name: "php",
        late: Duration::from_micros(10),
        grain: EXACT,
        early: EXACT,
        repetitions: None,
        ways: vec![way("curl"), way("stream")],
    }
}
