//! The commands as a user types them: exit codes, and what is printed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{HOLDOFF, repository};
use holdoff::run::ExitCode;
use tempfile::TempDir;

const CASE: &str = "holdoff/parsing/seconds@octal-trap";

fn holdoff(arguments: &[&str]) -> Output {
    Command::new(HOLDOFF)
        .args(arguments)
        .current_dir(repository())
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn ends(output: &Output, code: ExitCode) {
    assert_eq!(
        output.status.code(),
        Some(i32::from(code.code())),
        "{}\n{}",
        stdout(output),
        stderr(output)
    );
}

/// A folder of adapters with one: the reference client with a defect.
struct Adapters(TempDir);

impl Adapters {
    fn with(command: &str, more: &str, known: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let folder = dir.path().join("mutant");
        fs::create_dir(&folder).unwrap();
        let reference = repository().join("adapters/reference/adapter.yaml");
        let manifest: String = fs::read_to_string(reference)
            .unwrap()
            .lines()
            .map(|line| match line.split(':').next() {
                Some("name") => "name: mutant\n".to_owned(),
                Some("command") => format!("command: {command}\n{more}"),
                _ => format!("{line}\n"),
            })
            .collect();
        fs::write(folder.join("adapter.yaml"), manifest).unwrap();
        fs::write(folder.join("known.yaml"), known).unwrap();
        Self(dir)
    }

    fn defective(defect: &str, known: &str) -> Self {
        let command = format!(r#"["{{holdoff}}", "reference", "--defect", "{defect}"]"#);
        Self::with(&command, "", known)
    }

    fn run(&self, more: &[&str]) -> Output {
        let path = self.path().to_str().unwrap();
        let arguments = [
            "run",
            "--adapters",
            path,
            "--adapter",
            "mutant",
            "--case",
            CASE,
            "--clock",
            "injected",
        ];
        holdoff(&[&arguments[..], more].concat())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Output without the folder's name.
    fn shown(&self, output: &Output) -> String {
        stdout(output).replace(self.path().to_str().unwrap(), "ADAPTERS")
    }
}

fn entry(signature: &str) -> String {
    format!(
        "- versions: \"*\"\n  case: {CASE}\n  signature: {signature}\n  \
         issue: https://example.org/1\n  because: it was written so\n"
    )
}

#[test]
fn a_run_that_passes_ends_with_zero_and_a_census() {
    let output = holdoff(&["run", "--case", CASE, "--clock", "injected"]);
    ends(&output, ExitCode::AsExpected);
    insta::assert_snapshot!("run_passes", stdout(&output));
}

#[test]
fn a_divergence_is_explained() {
    let adapters = Adapters::defective("octal-read", "");
    let output = adapters.run(&[]);
    ends(&output, ExitCode::Divergences);
    insta::assert_snapshot!("run_diverges", adapters.shown(&output));
}

#[test]
fn what_is_recorded_is_known_changed_or_fixed() {
    let known = Adapters::defective("octal-read", &entry("octal-read"));
    let output = known.run(&[]);
    ends(&output, ExitCode::AsExpected);
    assert!(stdout(&output).ends_with("1 case: 1 known\n"));

    let timeline = Adapters::defective("octal-read", &entry("{ attempts: 2, waits: [8s] }"));
    ends(&timeline.run(&[]), ExitCode::AsExpected);

    let changed = Adapters::defective("octal-read", &entry("seconds-as-milliseconds"));
    let output = changed.run(&[]);
    ends(&output, ExitCode::Divergences);
    insta::assert_snapshot!("run_changed", changed.shown(&output));

    let fixed = Adapters::defective("zero-is-now", &entry("octal-read"));
    let output = fixed.run(&[]);
    ends(&output, ExitCode::Divergences);
    insta::assert_snapshot!("run_fixed", fixed.shown(&output));

    // Of a defect that does not show in this case nothing is said.
    let unseen = Adapters::defective("zero-is-now", &entry("date-truncated"));
    let output = unseen.run(&[]);
    ends(&output, ExitCode::AsExpected);
    assert!(stdout(&output).ends_with("1 case: 1 pass\n"));
}

#[test]
fn an_edit_of_known_yaml_is_proposed_from_a_saved_run() {
    let adapters = Adapters::defective("octal-read", "");
    let saved = adapters.path().join("run.jsonl");
    let saved = saved.to_str().unwrap();
    ends(&adapters.run(&["--save", saved]), ExitCode::Divergences);
    let path = adapters.path().to_str().unwrap();
    let output = holdoff(&["known", "--adapters", path, "--from", saved, "--write"]);
    ends(&output, ExitCode::AsExpected);
    ends(&adapters.run(&[]), ExitCode::AsExpected);
}

#[test]
fn an_edit_that_could_not_be_read_again_is_not_made() {
    let adapters = Adapters::defective("octal-read", "[]\n");
    let saved = adapters.path().join("run.jsonl");
    ends(
        &adapters.run(&["--save", saved.to_str().unwrap()]),
        ExitCode::Divergences,
    );
    let forged = fs::read_to_string(&saved).unwrap().replace(
        r#""signature":"octal-read""#,
        r#""signature":"{ }\n  issue: javascript:alert(1)""#,
    );
    fs::write(&saved, forged).unwrap();
    let (path, saved) = (adapters.path().to_str().unwrap(), saved.to_str().unwrap());
    let output = holdoff(&["known", "--adapters", path, "--from", saved, "--write"]);
    ends(&output, ExitCode::Usage);
    assert!(stderr(&output).contains("`signature` says nothing"));
    let known = fs::read_to_string(adapters.path().join("mutant/known.yaml")).unwrap();
    assert_eq!(known, "[]\n");
}

#[test]
fn an_adapter_that_is_not_built_is_unavailable() {
    let adapters = Adapters::with(r#"["no-such-program"]"#, "build: [\"true\"]\n", "");
    let output = adapters.run(&[]);
    ends(&output, ExitCode::NothingJudged);
    assert!(stdout(&output).contains("not built; run `holdoff build mutant@"));
    ends(
        &adapters.run(&["--require", "unavailable"]),
        ExitCode::Divergences,
    );
}

#[test]
fn an_adapter_that_requires_what_is_not_there_is_unavailable() {
    let command = r#"["{holdoff}", "reference"]"#;
    let adapters = Adapters::with(command, "requires: [no-such-program]\n", "");
    let output = adapters.run(&[]);
    ends(&output, ExitCode::NothingJudged);
    assert!(
        stdout(&output).contains("1 unavailable: requires `no-such-program`, which is not there")
    );
    let output = adapters.run(&["--require", "unavailable"]);
    ends(&output, ExitCode::Divergences);
}

#[test]
fn an_adapter_that_cannot_be_started_is_an_error() {
    let adapters = Adapters::with(r#"["no-such-program"]"#, "", "");
    let output = adapters.run(&[]);
    ends(&output, ExitCode::Harness);
    assert!(
        stdout(&output).contains("could not be started"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_matches_nothing_is_answered_with_the_nearest() {
    for (name, arguments) in [
        ("case", &["run", "--case", "holdoff/parsing/secnods@*"][..]),
        ("loop", &["run", "--loop", "operatoin"]),
        ("clause", &["list", "--clause", "PARSE-99"]),
        ("adapter", &["run", "--adapter", "refrence"]),
        ("clock", &["run", "--clock", "virtuall"]),
        ("defect", &["mutants", "--defect", "cap-30"]),
    ] {
        let output = holdoff(arguments);
        ends(&output, ExitCode::Usage);
        insta::assert_snapshot!(format!("usage_{name}"), stderr(&output));
    }
}

#[test]
fn wrong_files_are_refused_all_at_once() {
    let dir = TempDir::new().unwrap();
    let fixtures = dir.path().join("fixtures");
    fs::create_dir(&fixtures).unwrap();
    fs::write(
        fixtures.join("one.yaml"),
        "title: x\nclauses: [HONOUR-1]\nloop: operation\ncalls: [{ id: a, at: 0s, do: read }]\n\
         script: [{ status: 503, headers: { retry-after: 120 } }]\nexpct: {}\n",
    )
    .unwrap();
    fs::write(
        fixtures.join("two.yaml"),
        "title: x\nclauses: [HONOR-1]\nloop: operatoin\ncalls: [{ id: a, at: 0s, do: read }]\n\
         script: [{ status: 200 }]\nexpect: { attempts: 1 }\nkills: [no-such]\n",
    )
    .unwrap();
    let path = fixtures.to_str().unwrap();
    for command in ["check", "run", "list"] {
        let output = holdoff(&[command, "--fixtures", path]);
        ends(&output, ExitCode::Usage);
        let text = stderr(&output).replace(path, "FIXTURES");
        insta::assert_snapshot!(format!("refused_{command}"), text);
    }
    fs::remove_file(fixtures.join("one.yaml")).unwrap();
    let output = holdoff(&["check", "--fixtures", path]);
    ends(&output, ExitCode::Usage);
    let text = stderr(&output).replace(path, "FIXTURES");
    for wrong in [
        "unknown loop",
        "unknown clause",
        "unknown defect",
        "did you mean `operation`?",
    ] {
        assert!(text.contains(wrong), "{wrong}: {text}");
    }
}

#[test]
fn a_saved_run_makes_the_same_report_whatever_the_jobs() {
    let adapters = Adapters::defective("octal-read", "");
    let report = |jobs: &str| {
        let saved = adapters.path().join(format!("{jobs}.jsonl"));
        let saved = saved.to_str().unwrap();
        let more = [
            "--case",
            "holdoff/parsing/seconds",
            "--jobs",
            jobs,
            "--save",
            saved,
        ];
        ends(&adapters.run(&more), ExitCode::Divergences);
        let output = holdoff(&["report", saved, "--format", "markdown"]);
        ends(&output, ExitCode::AsExpected);
        adapters.shown(&output)
    };
    let one = report("1");
    assert_eq!(one, report("4"));
    assert!(!one.contains("127.0.0.1") && one.contains("Diagnosis:"));
}

#[test]
fn the_list_is_json() {
    let output = holdoff(&["list", "--case", CASE, "--format", "json"]);
    ends(&output, ExitCode::AsExpected);
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed[0]["case"], CASE);
    let keys: Vec<_> = listed[0].as_object().unwrap().keys().cloned().collect();
    let mut wanted = ["case", "clauses", "fixture", "kills", "loop", "title"].map(str::to_owned);
    wanted.sort();
    assert_eq!(keys.len(), wanted.len());
}

#[test]
fn a_case_is_explained() {
    let output = holdoff(&[
        "explain",
        "holdoff/auth-refresh/replay-costs-an-attempt@three",
    ]);
    ends(&output, ExitCode::AsExpected);
    let text = stdout(&output);
    for part in [
        "[AUTH-3]",
        "served: 401",
        "wait 0s",
        "ends at",
        "caught here:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn every_exit_code_is_in_the_help() {
    let help = stdout(&holdoff(&["--help"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for code in ExitCode::ALL {
        let line = format!("{} {}", code.code(), code.meaning());
        assert!(help.contains(&line), "{line}: {help}");
    }
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    for arguments in [&["list"][..], &["completions", "bash"]] {
        let mut child = Command::new(HOLDOFF)
            .args(arguments)
            .current_dir(repository())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        ends(&output, ExitCode::AsExpected);
    }
}

#[test]
fn a_run_that_nobody_reads_has_no_verdict_but_saves_itself() {
    let dir = TempDir::new().unwrap();
    let saved = dir.path().join("run.jsonl");
    let cut_off = |more: &[&str]| {
        let mut child = Command::new(HOLDOFF)
            .args(["run", "--case", CASE])
            .args(more)
            .current_dir(repository())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        child.wait_with_output().unwrap()
    };
    let output = cut_off(&[]);
    assert!(stderr(&output).contains("without a verdict"));
    ends(&output, ExitCode::Harness);
    ends(
        &cut_off(&["--save", saved.to_str().unwrap()]),
        ExitCode::AsExpected,
    );
    let report = holdoff(&["report", saved.to_str().unwrap()]);
    ends(&report, ExitCode::AsExpected);
}

#[test]
fn a_closed_standard_error_is_no_panic() {
    for arguments in [&["list", "--spec", "nowhere"][..], &["doctor", "nobody"]] {
        let mut child = Command::new(HOLDOFF)
            .args(arguments)
            .current_dir(repository())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        ends(&child.wait_with_output().unwrap(), ExitCode::Usage);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_is_known_and_leaves_nothing() {
    use std::io::{BufRead, BufReader, Read};
    let mut child = Command::new(HOLDOFF)
        .args(["run", "--clock", "real", "--jobs", "2"])
        .current_dir(repository())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert!(first.contains("can be judged"), "{first}");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("not run (interrupted)"), "{rest}");
}
