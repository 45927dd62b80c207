//! New adapters: the templates and kits of `adapters/kit`, carried in the
//! binary, so that `holdoff new adapter` needs no checkout.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Stands for the adapter's name in a template.
const NAME: &str = "{name}";

/// Languages with a kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `adapters/kit/python`.
    Python,
    /// `adapters/kit/node`.
    Node,
}

/// Why there is no new adapter.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// The name would not do as a folder, a package and a part of case names.
    #[error("`{0}` is no name for an adapter: a-z, 0-9 and `-`, beginning with a letter")]
    Name(String),
    /// The folder is there.
    #[error("{} exists; nothing was written", .0.display())]
    Exists(PathBuf),
    /// A file could not be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// One file of a new adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaffoldFile {
    /// Path below the adapter's folder, with `/`.
    pub path: &'static str,
    /// Its text, the name filled in.
    pub text: String,
}

macro_rules! embedded {
    ($kit:literal: $($folder:literal / $file:literal => $path:expr),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../adapters/kit/", $kit, "/", $folder, "/", $file)))),*]
    };
}

type Embedded = &'static [(&'static str, &'static str)];

const PYTHON_TEMPLATE: Embedded = embedded!("python":
    "template" / "README.md" => "README.md",
    "template" / "adapter.py" => "adapter.py",
    "template" / "adapter.yaml" => "adapter.yaml",
    "template" / "known.yaml" => "known.yaml",
    "template" / "sdk.py" => "sdk.py",
);

const PYTHON_KIT: Embedded = embedded!("python":
    "holdoff_kit" / "__init__.py" => "holdoff_kit/__init__.py",
    "holdoff_kit" / "adapter.py" => "holdoff_kit/adapter.py",
    "holdoff_kit" / "case.py" => "holdoff_kit/case.py",
    "holdoff_kit" / "channel.py" => "holdoff_kit/channel.py",
    "holdoff_kit" / "clock.py" => "holdoff_kit/clock.py",
    "holdoff_kit" / "outcome.py" => "holdoff_kit/outcome.py",
    "holdoff_kit" / "session.py" => "holdoff_kit/session.py",
    "holdoff_kit" / "span.py" => "holdoff_kit/span.py",
);

const NODE_TEMPLATE: Embedded = embedded!("node":
    "template" / "README.md" => "README.md",
    "template" / "adapter.mjs" => "adapter.mjs",
    "template" / "adapter.yaml" => "adapter.yaml",
    "template" / "known.yaml" => "known.yaml",
    "template" / "sdk.mjs" => "sdk.mjs",
);

const NODE_KIT: Embedded = embedded!("node":
    "holdoff-kit" / "adapter.mjs" => "holdoff-kit/adapter.mjs",
    "holdoff-kit" / "case.mjs" => "holdoff-kit/case.mjs",
    "holdoff-kit" / "channel.mjs" => "holdoff-kit/channel.mjs",
    "holdoff-kit" / "clock.mjs" => "holdoff-kit/clock.mjs",
    "holdoff-kit" / "index.mjs" => "holdoff-kit/index.mjs",
    "holdoff-kit" / "outcome.mjs" => "holdoff-kit/outcome.mjs",
    "holdoff-kit" / "span.mjs" => "holdoff-kit/span.mjs",
);

impl Language {
    /// Every language with a kit.
    pub const ALL: [Self; 2] = [Self::Python, Self::Node];

    /// The word of the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Node => "node",
        }
    }

    const fn template(self) -> Embedded {
        match self {
            Self::Python => PYTHON_TEMPLATE,
            Self::Node => NODE_TEMPLATE,
        }
    }

    const fn kit(self) -> Embedded {
        match self {
            Self::Python => PYTHON_KIT,
            Self::Node => NODE_KIT,
        }
    }
}

/// The files of a new adapter: the template with the name filled in, and the
/// kit as it is.
///
/// # Errors
/// [`ScaffoldError::Name`].
pub fn adapter_files(name: &str, language: Language) -> Result<Vec<ScaffoldFile>, ScaffoldError> {
    let good = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !good {
        return Err(ScaffoldError::Name(name.to_owned()));
    }
    let template = language.template().iter().map(|(path, text)| ScaffoldFile {
        path,
        text: text.replace(NAME, name),
    });
    let kit = language.kit().iter().map(|(path, text)| ScaffoldFile {
        path,
        text: (*text).to_owned(),
    });
    Ok(template.chain(kit).collect())
}

/// Writes a new adapter to `adapters/name` and gives that folder.
///
/// # Errors
/// A bad name, a folder that is there, a file that cannot be written.
pub fn write_adapter(
    adapters: &Path,
    name: &str,
    language: Language,
) -> Result<PathBuf, ScaffoldError> {
    let files = adapter_files(name, language)?;
    let folder = adapters.join(name);
    if folder.exists() {
        return Err(ScaffoldError::Exists(folder));
    }
    for file in files {
        let path = folder.join(file.path);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, file.text))
            .map_err(|source| ScaffoldError::Write {
                path: path.clone(),
                source,
            })?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::manifest::Manifest;

    fn kit_folder(language: Language) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../adapters/kit")
            .join(language.as_str())
    }

    /// Names of the source files of a folder.
    fn names(folder: &Path) -> BTreeSet<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn every_file_of_kit_and_template_is_carried() {
        for (language, kit) in [
            (Language::Python, "holdoff_kit"),
            (Language::Node, "holdoff-kit"),
        ] {
            let folder = kit_folder(language);
            let carried: BTreeSet<_> = adapter_files("acme", language)
                .unwrap()
                .iter()
                .map(|file| file.path.to_owned())
                .collect();
            let kit_files = names(&folder.join(kit))
                .into_iter()
                .map(|file| format!("{kit}/{file}"));
            let expected: BTreeSet<_> = names(&folder.join("template"))
                .into_iter()
                .chain(kit_files)
                .collect();
            assert_eq!(carried, expected);
        }
    }

    #[test]
    fn a_new_adapter_has_a_good_manifest_and_no_placeholder_left() {
        let adapters = tempfile::tempdir().unwrap();
        for language in Language::ALL {
            let name = format!("acme-{}", language.as_str());
            let folder = write_adapter(adapters.path(), &name, language).unwrap();
            let manifest = Manifest::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(manifest.name, name);
            for (path, _) in language.template() {
                let text = fs::read_to_string(folder.join(path)).unwrap();
                assert!(!text.contains(NAME), "{path}");
            }
        }
    }

    #[test]
    fn a_folder_that_is_there_is_left_alone() {
        let adapters = tempfile::tempdir().unwrap();
        fs::create_dir(adapters.path().join("acme")).unwrap();
        let refused = write_adapter(adapters.path(), "acme", Language::Node);
        assert!(matches!(refused, Err(ScaffoldError::Exists(_))));
        assert_eq!(names(&adapters.path().join("acme")).len(), 0);
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        for name in ["", "../acme", "Acme", "a/b", "9acme", "acme.py"] {
            let refused = adapter_files(name, Language::Python);
            assert!(matches!(refused, Err(ScaffoldError::Name(_))), "{name}");
        }
    }
}
