//! What is refused, and with which words.

use libtest_mimic::Trial;

use super::kit::{HOLDOFF, ends, holdoff, stderr, stdout, trial};

pub(super) fn trials(lack: Option<&str>) -> Vec<Trial> {
    vec![
        trial("refused::by_the_command_line", None, by_the_command_line),
        trial("refused::inside_itself", lack, inside_itself),
        trial("refused::a_run_falls_back", lack, a_run_falls_back),
    ]
}

fn by_the_command_line() {
    let mut said = String::new();
    for arguments in [
        &["vtime"][..],
        &["vtime", "--"],
        &["vtime", "--start", "1969-12-31T23:59:59Z", "--", "true"],
        &["vtime", "--start", "yesterday", "--", "true"],
        &["vtime", "--tick", "0s", "--", "true"],
        &["vtime", "--limit", "60", "--", "true"],
        &["doctor", "--require", "injected"],
    ] {
        let output = holdoff(arguments);
        ends(&output, 2);
        said.push_str(&format!("$ holdoff {}\n", arguments.join(" ")));
        said.push_str(&stderr(&output));
    }
    insta::assert_snapshot!("refused_by_the_command_line", said);
}

/// Who is traced cannot trace: a computer without virtual time is at hand
/// wherever there is one with it.
fn inside_itself() {
    let doctor = ["vtime", "--", HOLDOFF, "doctor", "--system"];
    let output = holdoff(&doctor);
    ends(&output, 0);
    let text = stdout(&output);
    for part in [
        "virtual      no",
        "cannot trace a child: Operation not permitted",
        "to do: ",
        "traces this one",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    ends(
        &holdoff(&[&doctor[..], &["--require", "virtual"]].concat()),
        3,
    );
    let output = holdoff(&["vtime", "--", HOLDOFF, "vtime", "--", "true"]);
    ends(&output, 125);
    assert!(
        stderr(&output).contains("traces this one"),
        "{}",
        stderr(&output)
    );
}

fn a_run_falls_back() {
    let case = ["--case", "holdoff/parsing/seconds@octal-trap"];
    let run = |clock| {
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let words = [
            "vtime", "--", "env", "-C", repository, HOLDOFF, "run", "--clock", clock,
        ];
        holdoff(&[&words[..], &case].concat())
    };
    let output = run("auto");
    ends(&output, 0);
    let text = stdout(&output);
    assert!(text.contains("(1 under the injected clock)"), "{text}");
    let said = stderr(&output);
    let note = said.lines().next().unwrap_or_default();
    for part in ["note: other clocks", "ptrace", "holdoff doctor --system"] {
        assert!(note.contains(part), "{part}: {said}");
    }
    let output = run("virtual");
    ends(&output, 2);
    assert!(stderr(&output).contains("traces this one"));
}
