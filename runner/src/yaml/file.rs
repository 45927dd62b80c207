//! Reading a text file that somebody else wrote.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::diagnostic::Diagnostic;

/// Larger files are refused before they are read, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// The text of `path`, which must lie below `folder`.
///
/// # Errors
/// If it is missing, no regular file, above [`MAX_BYTES`], not UTF-8, has a NUL
/// in it, or is a link that leaves `folder`. What is too large or no file is
/// not even opened.
pub fn read_text(folder: &Path, path: &Path) -> Result<String, Diagnostic> {
    let refuse = |message: String| Diagnostic::of_file(path, message);
    let unreadable = |error: &std::io::Error| refuse(format!("cannot be read: {error}"));
    let root = folder.canonicalize().map_err(|error| unreadable(&error))?;
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    if !real.starts_with(&root) {
        return Err(refuse("the file is a link that leaves its folder".into())
            .found(real.display().to_string())
            .allowed([format!("files below {}", folder.display())]));
    }
    let metadata = fs::metadata(&real).map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err(refuse("not a regular file".into()));
    }
    let too_large = |len: u64| {
        refuse("the file is too large and was not read".into())
            .found(format!("{len} bytes"))
            .allowed([format!("at most {MAX_BYTES} bytes")])
    };
    if metadata.len() > MAX_BYTES {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    File::open(&real)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&error))?;
    // It may have grown since.
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    text_of(path, bytes)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    let binary = |at: usize, found: String| {
        Diagnostic::of_file(path, "the file is binary, not text")
            .found(format!("{found} at byte {at}"))
            .allowed(["UTF-8 text"])
    };
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(binary(at, "a NUL".into()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        binary(at, format!("0x{byte:02x}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages name the folder as it was given, which here is a fresh one.
    fn refused(folder: &Path, name: &str) -> String {
        read_text(folder, &folder.join(name))
            .unwrap_err()
            .render()
            .replace(&folder.canonicalize().unwrap().display().to_string(), "DIR")
            .replace(&folder.display().to_string(), "DIR")
    }

    #[test]
    fn a_hundred_mebibytes_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("big.yaml")).unwrap();
        file.set_len(100 << 20).unwrap();
        insta::assert_snapshot!("file_too_large", refused(folder.path(), "big.yaml"));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("nul.yaml"), b"title: a\0b").unwrap();
        insta::assert_snapshot!("file_with_nul", refused(folder.path(), "nul.yaml"));
        fs::write(folder.path().join("latin.yaml"), b"title: \xe9t\xe9").unwrap();
        insta::assert_snapshot!("file_not_utf8", refused(folder.path(), "latin.yaml"));
        insta::assert_snapshot!("file_missing", refused(folder.path(), "no.yaml"));
        fs::create_dir(folder.path().join("dir.yaml")).unwrap();
        insta::assert_snapshot!("file_is_a_folder", refused(folder.path(), "dir.yaml"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_may_not_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("fixtures");
        fs::create_dir(&inside).unwrap();
        fs::write(folder.path().join("secret"), "password").unwrap();
        fs::write(inside.join("a.yaml"), "title: a").unwrap();
        std::os::unix::fs::symlink("../secret", inside.join("out.yaml")).unwrap();
        std::os::unix::fs::symlink("a.yaml", inside.join("in.yaml")).unwrap();
        assert_eq!(
            read_text(&inside, &inside.join("in.yaml")).unwrap(),
            "title: a"
        );
        let text = refused(&inside, "out.yaml");
        assert!(text.contains("a link that leaves its folder"), "{text}");
        assert!(!text.contains("password"), "{text}");
    }
}
