//! Which generators draw the same twice under the same seed. The list is the one
//! that `runner/vtime/README.md` promises.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::kit::{ends, holdoff, stderr, stdout, trial};

/// A program that prints what it draws.
struct Program {
    name: &'static str,
    /// Asked for its version, to see whether it is there.
    interpreter: &'static str,
    version: &'static str,
    arguments: &'static [&'static str],
    source: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "python",
        interpreter: "python3",
        version: "--version",
        arguments: &["-c"],
        source: "import random, os, secrets, uuid, time\n\
                 print(random.random(), os.urandom(4), secrets.token_hex(4), uuid.uuid4(), hash('a'))\n\
                 time.sleep(1800); print(random.uniform(0, 1))",
    },
    Program {
        name: "node",
        interpreter: "node",
        version: "--version",
        arguments: &["-e"],
        source: "console.log(Math.random(), crypto.randomUUID());\n\
                 setTimeout(() => console.log(Math.random()), 1800000)",
    },
    Program {
        name: "php",
        interpreter: "php",
        version: "--version",
        arguments: &["-r"],
        source: "echo mt_rand(), ' ', rand(), ' ', random_int(0, PHP_INT_MAX); sleep(1800); echo mt_rand();",
    },
    Program {
        name: "ruby_secure",
        interpreter: "ruby",
        version: "--version",
        arguments: &["-e"],
        source: "require 'securerandom'; p SecureRandom.hex(8), Random.urandom(4), 'a'.hash; sleep 1800; p SecureRandom.uuid",
    },
    // Random mixes the number of the process into its own seed.
    Program {
        name: "ruby_seeded",
        interpreter: "ruby",
        version: "--version",
        arguments: &["-e"],
        source: "srand(7); p rand; sleep 1800; p rand, [1, 2, 3, 4, 5].shuffle",
    },
    // Math.random is seeded from the clock, which the machine's other threads
    // read too.
    Program {
        name: "java_seeded",
        interpreter: "java",
        version: "-version",
        arguments: &["@/Draws.java"],
        source: "class Draws { public static void main(String[] a) throws Exception {\n\
                 var random = new java.util.Random(7); System.out.println(random.nextDouble());\n\
                 Thread.sleep(1800000); System.out.println(random.nextDouble()); } }",
    },
];

pub(super) fn trials(lack: Option<&'static str>) -> Vec<Trial> {
    let mut trials: Vec<_> = PROGRAMS
        .iter()
        .map(|program| {
            let lack = lack.or_else(|| program.is_missing().then_some(program.interpreter));
            trial(&format!("seeds::{}", program.name), lack, || {
                same_twice(program)
            })
        })
        .collect();
    let no_go = !answers("go", "version");
    let lack_go = lack.or_else(|| no_go.then_some("go"));
    trials.push(trial("seeds::go", lack_go, go));
    trials
}

pub(super) fn answers(program: &str, version: &str) -> bool {
    Command::new(program)
        .arg(version)
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

impl Program {
    fn is_missing(&self) -> bool {
        !answers(self.interpreter, self.version)
    }

    /// The command, with the source as its last argument or in a file.
    fn command(&self, folder: &Path) -> Vec<String> {
        let mut command = vec![self.interpreter.to_owned()];
        match self.arguments {
            [file] if file.starts_with("@/") => {
                let path = folder.join(&file[2..]);
                std::fs::write(&path, self.source).unwrap();
                command.push(path.to_str().unwrap().to_owned());
            }
            arguments => {
                command.extend(arguments.iter().map(|&argument| argument.to_owned()));
                command.push(self.source.to_owned());
            }
        }
        command
    }
}

fn drawn(seed: &str, command: &[String]) -> String {
    let mut arguments = vec!["vtime", "--seed", seed, "--"];
    arguments.extend(command.iter().map(String::as_str));
    let output = holdoff(&arguments);
    ends(&output, 0);
    assert!(stderr(&output).contains("180"), "{}", stderr(&output));
    stdout(&output)
}

fn same_twice(program: &Program) {
    let folder = TempDir::new().unwrap();
    let command = program.command(folder.path());
    let first = drawn("7", &command);
    assert!(!first.trim().is_empty());
    assert_eq!(drawn("7", &command), first);
    if !program.name.ends_with("_seeded") {
        assert_ne!(drawn("8", &command), first);
    }
}

const DRAWS: &str = r#"package main

import (
	"crypto/rand"
	"fmt"
	old "math/rand"
	"time"
)

func main() {
	var bytes [8]byte
	rand.Read(bytes[:])
	fmt.Println(bytes, old.Float64())
	time.Sleep(30 * time.Minute)
	fmt.Println(old.Float64())
}
"#;

/// The generators of math/rand and math/rand/v2 belong to threads, which take
/// turns as they please; the older one is left alone by a setting.
fn go() {
    let folder = TempDir::new().unwrap();
    let program = compiled(folder.path());
    let command = ["env", "GODEBUG=randautoseed=0"]
        .map(str::to_owned)
        .into_iter()
        .chain([program.to_str().unwrap().to_owned()])
        .collect::<Vec<_>>();
    let command = Arc::new(command);
    let first = drawn("7", &command);
    assert_eq!(drawn("7", &command), first);
    assert_ne!(drawn("8", &command), first);
}

fn compiled(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("draws.go"), DRAWS).unwrap();
    let program = folder.join("draws");
    let output = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg("draws.go")
        .current_dir(folder)
        .output()
        .unwrap();
    ends(&output, 0);
    program
}
