//! Broken adapters through `holdoff run`: exit code, words, and what is left
//! after Ctrl-C or a kill.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use libtest_mimic::Trial;
use tokio::process::Command;

use crate::trial;

/// Exit code of a run in which an adapter failed.
const HARNESS: i32 = 3;

/// A fault, and a part of what the maintainer reads of it.
const SAYS: &[(&str, &str)] = &[
    ("answers-twice", "call probe was answered twice"),
    ("wrong-call", "call b, which was never asked for"),
    ("dies-mid-call", "Segmentation fault in sdk.c:1"),
    ("exits-mid-call", "the interpreter is out of memory"),
    ("junk-behind-the-tag", "`half a thought` is no message"),
    ("admits-its-fault", "no such method: get_item"),
    (
        "lies-about-its-sdk",
        "loaded another-sdk 1, tiny 1 was asked for",
    ),
    (
        "lies-about-its-loops",
        "the loop is claimed, but answered `unsupported`",
    ),
    ("opens-anything", "a loop that does not exist was opened"),
    (
        "floods-one-message",
        "a message is longer than 1048576 bytes",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let of_says = SAYS.iter().map(|(name, says)| {
        let trial_name = format!("run-{name}");
        trial(&trial_name, move || told(name, says))
    });
    let mut trials: Vec<_> = of_says.collect();
    #[cfg(target_os = "linux")]
    trials.extend(linux::trials());
    trials
}

/// A folder of adapters with one in it, which acts as `name`.
fn adapters(name: &str, more: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broken-{name}"));
    let tiny = folder.join("tiny");
    std::fs::create_dir_all(&tiny).unwrap();
    let (here, there) = (std::env::current_exe().unwrap(), tiny.join("act"));
    // One of an earlier build.
    let _ = std::fs::remove_file(&there);
    if std::fs::hard_link(&here, &there).is_err() {
        std::fs::copy(&here, &there).unwrap();
    }
    let words = ["./act", "--act-as", name]
        .into_iter()
        .chain(more.iter().copied());
    let words: Vec<_> = words.map(|word| format!("{word:?}")).collect();
    let manifest = format!(
        r#"name: tiny
sdk: tiny
language: rust
versions: ["1"]
command: [{}]
loops: {{ operation: {{}} }}
params: [max_attempts, base_delay, max_jitter, request_timeout]
clocks: [injected]
sleeps: duration
prefix: true
correlates: true
replies:
  "*":
    "*":
      ok: {{ json: {{ ok: true }} }}
      error: {{ json: {{ error: "refused" }} }}
"#,
        words.join(", ")
    );
    std::fs::write(tiny.join("adapter.yaml"), manifest).unwrap();
    folder
}

/// `holdoff run` of a few cases with that folder of adapters.
fn holdoff(adapters: &Path) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdoff"));
    command
        .current_dir(root)
        .args([
            "run",
            "--adapter",
            "tiny",
            "--case",
            "holdoff/operation/methods*",
        ])
        .arg("--adapters")
        .arg(adapters)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn told(name: &str, says: &str) {
    let output = holdoff(&adapters(name, &[])).output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(HARNESS), "{text}");
    assert!(text.contains(says), "{text}");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use libtest_mimic::Trial;
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::io::{AsyncBufReadExt, BufReader};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::{adapters, holdoff};
    use crate::left::Processes;
    use crate::trial;

    /// Longest time from the signal to the end.
    const LIMIT: Duration = Duration::from_secs(15);

    pub(super) fn trials() -> Vec<Trial> {
        vec![
            trial("run-interrupted", || {
                signalled("never-answers", Signal::INT)
            }),
            trial("run-killed", || {
                signalled("hangs-with-a-grandchild", Signal::KILL)
            }),
        ]
    }

    async fn signalled(name: &str, signal: Signal) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let run = holdoff(&adapters(name, &["--tell", &address]))
            .spawn()
            .unwrap();
        // The adapter tells us when it is in the middle of a call.
        let (stream, _) = timeout(LIMIT, listener.accept()).await.unwrap().unwrap();
        let said = BufReader::new(stream).lines().next_line().await.unwrap();
        let mut processes = Processes::named(&said.unwrap());
        processes.add_group();
        let pid = Pid::from_raw(i32::try_from(run.id().unwrap()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        let output = timeout(LIMIT, run.wait_with_output())
            .await
            .unwrap()
            .unwrap();
        processes.are_gone().await;
        if signal == Signal::INT {
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(130), "{text}");
            assert!(text.contains("interrupted"), "{text}");
        }
    }
}
