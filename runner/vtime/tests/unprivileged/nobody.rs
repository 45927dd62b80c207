//! Becoming nobody, and being it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdoff_vtime::{Options, examine};
use libtest_mimic::Trial;

use crate::support::tree;
use crate::support::trials::{Checked, require};

/// First argument of this program when it is nobody; the others are a command.
pub(crate) const AS_NOBODY: &str = "--as-nobody";
/// The user of whom nothing is, and its group.
const NOBODY: &str = "65534";

/// How to become nobody.
pub(crate) struct Nobody {
    setpriv: PathBuf,
    /// This program, where nobody can run it.
    own: PathBuf,
    folder: PathBuf,
}

impl Nobody {
    /// Opens a folder to everybody and puts this program into it.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn new(setpriv: PathBuf, folder: &Path) -> io::Result<Self> {
        let own = folder.join("unprivileged");
        std::fs::copy(std::env::current_exe()?, &own)?;
        for path in [folder, &own] {
            open_to_everybody(path)?;
        }
        Ok(Self {
            setpriv,
            own,
            folder: folder.to_owned(),
        })
    }

    /// Runs a command in a tree, as nobody. Without one looks whether the
    /// system has all that is needed.
    pub(crate) fn trial(&self, name: String, command: Vec<OsString>) -> Trial {
        let mut nobody = Command::new(&self.setpriv);
        nobody
            .arg(format!("--reuid={NOBODY}"))
            .arg(format!("--regid={NOBODY}"))
            .args(["--clear-groups", "--inh-caps=-all", "--bounding-set=-all"])
            .arg("--no-new-privs")
            .arg(&self.own)
            .arg(AS_NOBODY)
            .args(command)
            .current_dir(&self.folder);
        Trial::test(name, move || {
            let output = nobody.output()?;
            require(output.status.success(), || {
                let said = String::from_utf8_lossy(&output.stdout);
                let moaned = String::from_utf8_lossy(&output.stderr);
                format!("{}: {said}{moaned}", output.status)
            })
        })
    }
}

#[cfg(unix)]
fn open_to_everybody(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_everybody(_path: &Path) -> io::Result<()> {
    Ok(())
}

fn of_status(name: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_default().trim().to_owned()
}

pub(crate) fn is_root() -> bool {
    of_status("Uid:").starts_with("0\t")
}

/// What a trial does once it is nobody.
pub(crate) fn as_nobody(command: &[String]) -> Checked {
    let none = |name: &str| {
        let value = of_status(name);
        let is_none = !value.is_empty() && value.chars().all(|digit| digit == '0');
        require(is_none, || format!("privileged: {name} {value}"))
    };
    none("CapEff:")?;
    none("CapBnd:")?;
    require(of_status("NoNewPrivs:") == "1", || {
        "may get privileges".to_owned()
    })?;
    require(of_status("Uid:").starts_with(NOBODY), || {
        "not nobody".to_owned()
    })?;
    let [program, arguments @ ..] = command else {
        let found = examine();
        return require(found.iter().all(|finding| finding.is_met()), || {
            format!("{found:?}")
        });
    };
    let mut command = Command::new(program);
    command.args(arguments);
    tree::run_plain(command, Options::default())?.succeeded()
}
