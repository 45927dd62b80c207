//! The environment of an adapter: built, not inherited, so that a proxy or a
//! locale of the machine never shows up as a divergence.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::LaunchSpec;
use super::protocol::TAG_VARIABLE;

/// Variables that a process cannot start without on the current system.
#[cfg(windows)]
const INHERITED: &[&str] = &[
    "PATH",
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "WINDIR",
];
#[cfg(not(windows))]
const INHERITED: &[&str] = &["PATH"];

/// The whole environment of one process. `home` is a fresh empty folder, `tag`
/// the process's line tag; the manifest's own variables win over ours, except
/// over the tag.
pub(super) fn environment(
    spec: &LaunchSpec,
    home: &Path,
    tag: &str,
) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> = INHERITED
        .iter()
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
        .collect();
    let mut set = |name: &str, value: OsString| environment.insert(name.into(), value);
    for name in ["HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"] {
        set(name, home.into());
    }
    for (name, value) in [
        ("TZ", spec.zone.as_str()),
        ("LC_ALL", &spec.locale),
        ("LANG", &spec.locale),
        ("NO_PROXY", "*"),
        ("no_proxy", "*"),
        ("PYTHONUNBUFFERED", "1"),
        ("PYTHONHASHSEED", "0"),
    ] {
        set(name, value.into());
    }
    for (name, value) in &spec.env {
        set(name, value.into());
    }
    set(TAG_VARIABLE, tag.into());
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_machine_is_inherited_but_what_starting_needs() {
        let mut spec = LaunchSpec::new("x", vec!["x".to_owned()]);
        spec.env.insert("PYTHONHASHSEED".to_owned(), "7".to_owned());
        spec.env
            .insert(TAG_VARIABLE.to_owned(), "forged".to_owned());
        let built = environment(&spec, Path::new("/fresh"), "@h:1 ");
        let get = |name: &str| {
            built
                .get(&OsString::from(name))
                .map(|value| value.to_str().unwrap())
        };
        assert_eq!(
            get("CARGO_MANIFEST_DIR"),
            None,
            "cargo sets it for this test"
        );
        assert_eq!(get("HOME"), Some("/fresh"));
        assert_eq!(get("NO_PROXY"), Some("*"));
        assert_eq!(get("PYTHONHASHSEED"), Some("7"), "the manifest wins");
        assert_eq!(get(TAG_VARIABLE), Some("@h:1 "), "except over the tag");
    }
}
