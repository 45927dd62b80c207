//! [`Known`]: a `known.yaml`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Entry;
use super::read::entries;
use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::manifest::Version;
use crate::model::CaseId;
use crate::yaml::{parse, read_text};

/// The recorded divergences of one adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The file.
    pub file: PathBuf,
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

/// One case of one version and variant.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Version of the SDK.
    pub version: &'a Version,
    /// Variant, if the adapter has several.
    pub variant: Option<&'a str>,
    /// The case.
    pub case: &'a CaseId,
}

/// Two entries that name the same case.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap<'k> {
    /// A case that both name.
    pub case: CaseId,
    /// The entry that counts.
    pub first: &'k Entry,
    /// The one that is never looked at.
    pub second: &'k Entry,
}

/// An entry that names no case.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmatched<'k> {
    /// The entry.
    pub entry: &'k Entry,
    /// Cases with names like its glob, best first; none if the glob names a
    /// case and only the versions or the variant do not fit.
    pub nearest: Vec<CaseId>,
}

impl Known {
    /// The name of the file in an adapter's folder.
    pub const FILE: &'static str = "known.yaml";

    /// Reads `known.yaml` of an adapter's folder. A file that is not there
    /// records nothing.
    ///
    /// # Errors
    /// Everything that is wrong in it, each once.
    pub fn load(folder: &Path) -> Result<Self, Diagnostics> {
        let file = folder.join(Self::FILE);
        if file
            .symlink_metadata()
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        {
            return Ok(Self {
                file,
                entries: Vec::new(),
            });
        }
        let text = read_text(folder, &file)?;
        Self::read(&file, &text)
    }

    /// Reads the text of a `known.yaml`. A text of comments alone records
    /// nothing.
    ///
    /// # Errors
    /// Everything that is wrong in it, each once.
    pub fn read(file: &Path, text: &str) -> Result<Self, Diagnostics> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_blank = text
            .lines()
            .map(str::trim)
            .all(|line| line.is_empty() || line.starts_with('#'));
        let entries = if is_blank {
            Vec::new()
        } else {
            let source = Source::new(file, text);
            entries(&source, &parse(&source)?)?
        };
        Ok(Self {
            file: file.to_owned(),
            entries,
        })
    }

    /// The first entry that names this case.
    pub fn entry_for(
        &self,
        version: &Version,
        variant: Option<&str>,
        case: &CaseId,
    ) -> Option<&Entry> {
        let target = Target {
            version,
            variant,
            case,
        };
        self.entries.iter().find(|entry| entry.names(target))
    }

    /// Pairs of entries that name the same one of `all`, each pair once.
    pub fn overlaps(&self, all: &[Target<'_>]) -> Vec<Overlap<'_>> {
        let mut overlaps = Vec::new();
        for (index, first) in self.entries.iter().enumerate() {
            for second in &self.entries[index + 1..] {
                let both = all
                    .iter()
                    .find(|target| first.names(**target) && second.names(**target));
                overlaps.extend(both.map(|target| Overlap {
                    case: target.case.clone(),
                    first,
                    second,
                }));
            }
        }
        overlaps
    }

    /// Entries that name none of `all`. Asked for all cases of all versions
    /// and variants of the adapter, never for a selection: a case that was
    /// filtered out is not a case that is gone.
    pub fn unmatched(&self, all: &[Target<'_>]) -> Vec<Unmatched<'_>> {
        let unmatched = self
            .entries
            .iter()
            .filter(|entry| !all.iter().any(|target| entry.names(*target)));
        unmatched
            .map(|entry| {
                let names = all
                    .iter()
                    .map(|target| target.case.as_str())
                    .collect::<BTreeSet<_>>();
                let is_case_known = names.iter().any(|name| entry.case.matches(name));
                let nearest = if is_case_known {
                    Vec::new()
                } else {
                    entry.case.suggestions(names)
                };
                let nearest = nearest.into_iter().map(CaseId::from).collect();
                Unmatched { entry, nearest }
            })
            .collect()
    }

    /// What [`overlaps`](Self::overlaps) and [`unmatched`](Self::unmatched)
    /// find, as errors.
    pub fn check(&self, all: &[Target<'_>]) -> Diagnostics {
        let at = |entry: &Entry, message: String| Diagnostic {
            line: entry.line,
            ..Diagnostic::of_file(&self.file, message)
        };
        let mut errors = Diagnostics::new();
        for Overlap {
            case,
            first,
            second,
        } in self.overlaps(all)
        {
            let message = format!(
                "this entry and that of line {} name the same case",
                first.line
            );
            errors.push(at(second, message).found(case.as_str()));
        }
        for Unmatched { entry, nearest } in self.unmatched(all) {
            let named = all
                .iter()
                .find(|target| entry.case.matches(target.case.as_str()));
            let error = match named {
                None => at(entry, "this entry names no case".into()).found(entry.case.as_str()),
                Some(_) => at(
                    entry,
                    "this entry names no version and variant of the adapter".into(),
                )
                .found(match &entry.variant {
                    Some(variant) => format!("{variant} {}", entry.versions),
                    None => entry.versions.to_string(),
                }),
            };
            let hint = nearest
                .first()
                .map(|case| format!("did you mean `{case}`?"));
            errors.push(Diagnostic { hint, ..error });
        }
        errors
    }
}
