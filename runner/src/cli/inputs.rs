//! Where the inputs of every command are, and how they are read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::args::InputArgs;
use super::failure::Failure;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fixture::{self, Case};
use crate::manifest::{Launch, Manifest, Places};
use crate::spec::Spec;

/// The manifest of the reference client, for a place without adapters.
const REFERENCE: &str = include_str!("../../../adapters/reference/adapter.yaml");
/// What to do about inputs that are not found.
const WHERE: &str = "run this in the repository's folder or below, or say where with --spec, --fixtures and --adapters";
/// A specification is prose; this is a hundred times ours.
const SPEC_LIMIT: u64 = 16 << 20;

/// Where the inputs are.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub(super) root: PathBuf,
    pub(super) spec: PathBuf,
    pub(super) fixtures: PathBuf,
    pub(super) adapters: Vec<PathBuf>,
    pub(super) sdk_path: Option<PathBuf>,
    /// Options that were given, for reproducing a case.
    pub(super) options: Vec<String>,
}

impl Inputs {
    /// Where the options say, or the nearest folder upwards that holds a
    /// specification and fixtures.
    pub(super) fn find(args: &InputArgs) -> Self {
        let root = root();
        let mut options = Vec::new();
        let mut option = |name: &str, path: &Path| {
            options.push(name.to_owned());
            options.push(path.to_string_lossy().into_owned());
        };
        if let Some(spec) = &args.spec {
            option("--spec", spec);
        }
        if let Some(fixtures) = &args.fixtures {
            option("--fixtures", fixtures);
        }
        for adapters in &args.adapters {
            option("--adapters", adapters);
        }
        if let Some(sdk_path) = &args.sdk_path {
            option("--sdk-path", sdk_path);
        }
        let below_root = |given: &Option<PathBuf>, name: &str| match given {
            Some(path) => path.clone(),
            None => root.join(name),
        };
        let adapters = if args.adapters.is_empty() {
            let default = root.join("adapters");
            if default.is_dir() {
                vec![default]
            } else {
                Vec::new()
            }
        } else {
            args.adapters.clone()
        };
        Self {
            spec: below_root(&args.spec, "SPEC.md"),
            fixtures: below_root(&args.fixtures, "fixtures"),
            adapters,
            sdk_path: args.sdk_path.clone(),
            options,
            root,
        }
    }

    /// What the placeholders of manifests stand for.
    pub(super) fn places(&self, holdoff: &Path) -> Result<Places, Failure> {
        let absolute = |path: &Path| {
            std::path::absolute(path)
                .map_err(|error| Failure::Harness(format!("{}: {error}", path.display())))
        };
        if let Some(path) = self.sdk_path.as_deref().filter(|path| !path.is_dir()) {
            let message = format!("--sdk-path {}: there is no such folder", path.display());
            return Err(Failure::Usage(message));
        }
        Ok(Places {
            build: absolute(&self.root.join(".holdoff").join("build"))?,
            sdk_path: self.sdk_path.as_deref().map(absolute).transpose()?,
            holdoff: holdoff.to_owned(),
        })
    }

    /// Reads the specification.
    pub(super) fn read_spec(&self) -> Result<Arc<Spec>, Diagnostics> {
        let file = &self.spec;
        let refuse = |message: String| Diagnostics::from(Diagnostic::of_file(file, message));
        // A device says nothing of its length, so it is not asked for.
        let mut bytes = Vec::new();
        File::open(file)
            .and_then(|file| file.take(SPEC_LIMIT + 1).read_to_end(&mut bytes))
            .map_err(|error| {
                let message = format!("the specification cannot be read: {error}");
                Diagnostic::of_file(file, message).hint(WHERE)
            })?;
        if bytes.len() as u64 > SPEC_LIMIT {
            return Err(refuse(format!("is larger than {SPEC_LIMIT} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8".to_owned()))?;
        Spec::parse(file, &text).map(Arc::new)
    }

    /// Reads every fixture; cases in the order of their ids.
    pub(super) fn read_fixtures(&self) -> Result<Vec<Arc<Case>>, Diagnostics> {
        let mut cases = fixture::load(&self.fixtures)?;
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(cases.into_iter().map(Arc::new).collect())
    }

    /// Reads every manifest: each folder with an `adapter.yaml`, and the
    /// reference client if none of them is.
    pub(super) fn read_manifests(&self) -> Result<Vec<Launch>, Diagnostics> {
        let mut errors = Diagnostics::new();
        let mut manifests: Vec<Manifest> = Vec::new();
        for folder in self.adapter_folders(&mut errors) {
            match Manifest::load(&folder) {
                Ok(manifest) => match manifests.iter().find(|known| known.name == manifest.name) {
                    Some(first) => errors.push(
                        Diagnostic::of_file(
                            &folder.join(Manifest::FILE),
                            format!("a second adapter is named `{}`", manifest.name),
                        )
                        .hint(format!("the first is in {}", first.folder.display())),
                    ),
                    None => manifests.push(manifest),
                },
                Err(more) => errors.extend(more),
            }
        }
        if !manifests
            .iter()
            .any(|manifest| manifest.name == "reference")
        {
            match Manifest::read(Path::new("adapter.yaml"), REFERENCE) {
                Ok(mut manifest) => {
                    manifest.folder = PathBuf::from(".");
                    manifests.push(manifest);
                }
                Err(more) => errors.extend(more),
            }
        }
        let mut launches: Vec<_> = manifests.iter().flat_map(Manifest::hosts).collect();
        launches.sort_by(|a, b| a.host.name.cmp(&b.host.name));
        errors.into_result(launches)
    }

    fn adapter_folders(&self, errors: &mut Diagnostics) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for dir in &self.adapters {
            if dir.join(Manifest::FILE).is_file() {
                folders.push(dir.clone());
                continue;
            }
            match std::fs::read_dir(dir) {
                Ok(entries) => {
                    for folder in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                        match folder.join(Manifest::FILE).try_exists() {
                            Ok(true) => folders.push(folder),
                            Ok(false) => {}
                            // A file, beside which nothing can be.
                            Err(_) if !folder.is_dir() => {}
                            Err(error) => errors.push(Diagnostic::of_file(
                                &folder,
                                format!("cannot be read: {error}"),
                            )),
                        }
                    }
                }
                Err(error) => {
                    errors.push(Diagnostic::of_file(dir, format!("cannot be read: {error}")));
                }
            }
        }
        folders.sort();
        folders
    }
}

/// The nearest folder upwards that holds a specification and fixtures; the
/// current one if there is none.
fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let found = here
        .ancestors()
        .find(|folder| folder.join("SPEC.md").is_file() && folder.join("fixtures").is_dir())
        .filter(|folder| *folder != here);
    // Messages are shorter where the place is the usual one.
    found.map_or_else(PathBuf::new, Path::to_owned)
}

/// SHA-256 over the files of these cases.
pub(super) fn fixtures_digest(cases: &[Arc<Case>]) -> String {
    let mut hash = Sha256::new();
    let mut files: Vec<_> = cases
        .iter()
        .map(|case| (&case.fixture, &case.positions.file))
        .collect();
    files.sort();
    files.dedup();
    for (fixture, file) in files {
        hash.update(fixture.as_str());
        hash.update([0]);
        hash.update(std::fs::read(file).unwrap_or_default());
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The text of a fixture's file, for errors that show a line.
pub(super) fn text_of(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}
