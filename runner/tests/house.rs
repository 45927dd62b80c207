//! Rules of the repository that a compiler does not check.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules of the library, lowest first; none may use one that stands after
/// it. The same order as in CONTRIBUTING.md.
const LAYERS: [&str; 23] = [
    "escape",
    "model",
    "diagnostic",
    "yaml",
    "spec",
    "retry_after",
    "fixture",
    "manifest",
    "oracle",
    "defect",
    "judge",
    "known",
    "scaffold",
    "check",
    "group",
    "adapter",
    "tap",
    "clock",
    "replay",
    "world",
    "run",
    "report",
    "cli",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Files with that ending below a folder of the repository, but for what is
/// built or installed.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let is_source =
                    !name.starts_with('.') && name != "target" && name != "node_modules";
                folders.extend(is_source.then_some(path));
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no file ends with {ending}");
    found
}

/// Targets of `[text](target)` that are paths of this repository.
fn links(markdown: &str) -> Vec<String> {
    markdown
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ']).next())
        .filter(|target| !target.contains("://") && !target.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The anchor that is made of a heading.
fn anchor(heading: &str) -> String {
    heading
        .trim_matches(['#', ' '])
        .to_lowercase()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}

fn broken_links(file: &Path, markdown: &str) -> Vec<String> {
    let is_broken = |target: &String| {
        let (path, wanted) = target.split_once('#').unwrap_or((target, ""));
        let path = match path {
            "" => file.to_path_buf(),
            path => file.with_file_name(path),
        };
        if !path.exists() {
            return true;
        }
        let text = match wanted {
            "" => return false,
            _ => fs::read_to_string(path).unwrap_or_default(),
        };
        !text
            .lines()
            .filter(|line| line.starts_with('#'))
            .any(|line| anchor(line) == wanted)
    };
    links(markdown).into_iter().filter(is_broken).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    for file in files("", ".md") {
        let text = fs::read_to_string(&file).unwrap();
        let broken = broken_links(&file, &text);
        assert!(broken.is_empty(), "{}: {broken:?}", file.display());
    }
}

#[test]
fn a_broken_link_is_seen() {
    let readme = root().join("README.md");
    let text =
        "[a](SPEC.md) [b](NO.md) [c](SPEC.md#12-verdicts) [d](SPEC.md#no) [e](https://example.org)";
    assert_eq!(broken_links(&readme, text), ["NO.md", "SPEC.md#no"]);
}

/// Modules that a source file uses, but for what stands in its tests.
fn used(source: &str) -> BTreeSet<&str> {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or("");
    source
        .split("crate::")
        .skip(1)
        // The plain types of the protocol are shared by all.
        .filter(|rest| !rest.starts_with("adapter::protocol"))
        .filter_map(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            rest.get(..end?)
        })
        .collect()
}

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == module)
}

#[test]
fn no_module_uses_one_above_it() {
    let source = root().join("runner/src");
    for file in files("runner/src", ".rs") {
        let inside = file.strip_prefix(&source).unwrap();
        if inside.to_string_lossy().contains("test") {
            continue;
        }
        let module = inside.iter().next().unwrap().to_string_lossy();
        let Some(own) = rank(module.trim_end_matches(".rs")) else {
            assert!(
                ["lib.rs", "main.rs"].contains(&&*module),
                "`{module}` has no place among the layers"
            );
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        let above: Vec<_> = used(&text)
            .into_iter()
            .filter(|module| rank(module).is_some_and(|rank| rank > own))
            .collect();
        assert!(above.is_empty(), "{} uses {above:?}", inside.display());
    }
}

#[test]
fn what_a_file_uses_is_seen() {
    let text = "use crate::run::Census;\nuse crate::adapter::protocol::Verb;\n\
                #[cfg(test)]\nmod tests { use crate::cli; }";
    assert_eq!(used(text), ["run"].into());
}

/// Files of code stay short enough to be read in one go.
#[test]
fn no_source_file_is_endless() {
    for ending in [".rs", ".py", ".mjs"] {
        for file in files("", ending) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 550, "{} has {lines} lines", file.display());
        }
    }
}

/// The reference client and the oracle check each other only while neither
/// knows the other.
#[test]
fn the_reference_client_does_not_depend_on_the_runner() {
    let metadata = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let depends = |name: &str, on: &str| {
        let package = packages.iter().find(|package| package["name"] == name);
        package.unwrap()["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .any(|dependency| dependency["name"] == on)
    };
    assert!(!depends("holdoff-reference", "holdoff"));
    assert!(depends("holdoff", "holdoff-reference"));
}
