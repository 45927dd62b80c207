//! The kits seed their language's generator for each case: an SDK with jitter
//! waits the same twice under the same seed. The SDK is the kits' own stand-in,
//! with jitter added.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::kit::{ends, holdoff, trial};
use super::seeds::answers;

struct Kit {
    language: &'static str,
    interpreter: &'static str,
    sdk: &'static str,
    /// The line that computes a local delay, and the same with jitter.
    plain: &'static str,
    jittered: &'static str,
}

const KITS: [Kit; 2] = [
    Kit {
        language: "python",
        interpreter: "python3",
        sdk: "sdk.py",
        plain: "30.0)\n",
        jittered: "30.0) + __import__('random').uniform(0, 0.1)\n",
    },
    Kit {
        language: "node",
        interpreter: "node",
        sdk: "sdk.mjs",
        plain: "30_000);\n",
        jittered: "30_000) + 100 * Math.random();\n",
    },
];

pub(super) fn trials(lack: Option<&'static str>) -> Vec<Trial> {
    let trials = KITS.iter().map(|kit| {
        let is_there = answers(kit.interpreter, "--version");
        let lack = lack.or_else(|| (!is_there).then_some(kit.interpreter));
        let name = format!("seeds::kit_{}", kit.language);
        trial(&name, lack, || waits_the_same_twice(kit))
    });
    trials.collect()
}

fn waits_the_same_twice(kit: &Kit) {
    let adapters = TempDir::new().unwrap();
    let path = adapters.path().to_str().unwrap();
    let new = ["new", "adapter", "acme", "--adapters", path];
    ends(
        &holdoff(&[&new[..], &["--language", kit.language]].concat()),
        0,
    );
    let folder = adapters.path().join("acme");
    edit(&folder.join(kit.sdk), kit.plain, kit.jittered);
    edit(
        &folder.join("adapter.yaml"),
        "max_jitter: 0s",
        "max_jitter: 100ms",
    );
    let first = waits(path, "7");
    let again = waits(path, "7");
    assert!(are_alike(&first, &again), "{first:?} {again:?}");
    let other = waits(path, "8");
    assert!(!are_alike(&first, &other), "{first:?} {other:?}");
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{}: {from}", file.display());
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

/// Readings of the clock move it by nanoseconds, and threads of a runtime read it
/// as they please; so much a whole wait may be late.
const LATE: f64 = 60e-6;

fn are_alike(first: &[f64], second: &[f64]) -> bool {
    let mut pairs = first.iter().zip(second);
    pairs.all(|(one, other)| (one - other).abs() < LATE)
}

/// What the server saw, in seconds.
fn waits(adapters: &str, seed: &str) -> Vec<f64> {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let saved = format!("{adapters}/saved.jsonl");
    let output = holdoff(&[
        "run",
        "--adapters",
        adapters,
        "--adapter",
        "acme",
        "--spec",
        &format!("{repository}/SPEC.md"),
        "--fixtures",
        &format!("{repository}/fixtures"),
        "--case",
        "holdoff/backoff/jitter@default",
        "--clock",
        "virtual",
        "--seed",
        seed,
        "--save",
        &saved,
    ]);
    ends(&output, 0);
    let saved = fs::read_to_string(saved).unwrap();
    let line = saved.lines().find(|line| line.contains("\"case\":"));
    let record: serde_json::Value = serde_json::from_str(line.unwrap()).unwrap();
    let waits = record["waits"].as_array().unwrap();
    assert_eq!(waits.len(), 2);
    let seconds = waits.iter().map(|wait| wait.as_str().unwrap().parse());
    seconds.collect::<Result<_, _>>().unwrap()
}
