//! [`Launch`]: one version and variant of an adapter, ready to be started.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Correlation, Manifest, Replies, Version, Versioned};
use crate::model::{Host, HostLoop, PrefixMode, Runtime};

/// Words that may stand in braces in `command`, `build` and `env`.
pub(super) const PLACEHOLDERS: [&str; 5] = ["build", "version", "variant", "sdk-path", "holdoff"];

/// One version and variant of an adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The SDK as the oracle sees it.
    pub host: Host,
    /// Name of the adapter alone.
    pub adapter: String,
    /// The SDK's package.
    pub sdk: String,
    /// Language.
    pub language: String,
    /// Version of the SDK.
    pub version: Version,
    /// Variant, if the adapter has several.
    pub variant: Option<String>,
    /// The adapter's folder, its working directory.
    pub folder: PathBuf,
    /// Programs that must be there.
    pub requires: Vec<String>,
    /// Bodies and success statuses.
    pub replies: Replies,
    /// Whether the SDK takes a base URL with a path.
    pub prefix: PrefixMode,
    /// Whether attempts can be tied to calls.
    pub correlates: Correlation,
    /// Where divergences are reported.
    pub issues: Option<String>,
    /// Specification that the SDK follows; none: the runner's own.
    pub spec: Option<PathBuf>,
    command: Vec<String>,
    build: Vec<String>,
    env: BTreeMap<String, String>,
}

/// What the placeholders of a manifest stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Folder below which every adapter and version has a folder of its own.
    pub build: PathBuf,
    /// A working tree of the SDK, tested instead of the pinned version.
    pub sdk_path: Option<PathBuf>,
    /// This program.
    pub holdoff: PathBuf,
}

impl Launch {
    pub(super) fn new(manifest: &Manifest, version: &Version, variant: Option<&str>) -> Self {
        Self {
            host: host(manifest, version, variant),
            adapter: manifest.name.clone(),
            sdk: manifest.sdk.clone(),
            language: manifest.language.clone(),
            version: version.clone(),
            variant: variant.map(str::to_owned),
            folder: manifest.folder.clone(),
            requires: manifest.requires.clone(),
            replies: manifest.replies.clone(),
            prefix: manifest.prefix,
            correlates: manifest.correlates,
            issues: manifest.issues.clone(),
            spec: manifest.spec.clone(),
            command: manifest.command.clone(),
            build: manifest.build.clone(),
            env: manifest.env.clone(),
        }
    }

    /// The command that starts it.
    pub fn command(&self, places: &Places) -> Vec<String> {
        self.filled(&self.command, places)
    }

    /// The command that builds it; empty if there is nothing to build. All
    /// variants of a version share one build folder.
    pub fn build(&self, places: &Places) -> Vec<String> {
        self.filled(&self.build, places)
    }

    /// Its environment beside what every adapter gets. A variable that names
    /// `{sdk-path}` is left out if there is none.
    pub fn env(&self, places: &Places) -> BTreeMap<String, String> {
        let pairs = self
            .env
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), self.fill(value, places)?)));
        pairs.collect()
    }

    /// What `{build}` stands for.
    pub fn build_folder(&self, places: &Places) -> PathBuf {
        places.build.join(&self.adapter).join(self.version.as_str())
    }

    /// An argument that names `{sdk-path}` is left out if there is none.
    fn filled(&self, arguments: &[String], places: &Places) -> Vec<String> {
        arguments
            .iter()
            .filter_map(|argument| self.fill(argument, places))
            .collect()
    }

    fn fill(&self, text: &str, places: &Places) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, name, after)) = next_placeholder(rest) {
            filled.push_str(before);
            match name {
                "build" => filled.push_str(&self.build_folder(places).to_string_lossy()),
                "version" => filled.push_str(self.version.as_str()),
                "variant" => filled.push_str(self.variant.as_deref().unwrap_or_default()),
                "sdk-path" => filled.push_str(&places.sdk_path.as_ref()?.to_string_lossy()),
                "holdoff" => filled.push_str(&places.holdoff.to_string_lossy()),
                // Refused when the manifest was read.
                other => filled.push_str(other),
            }
            rest = after;
        }
        Some(filled + rest)
    }
}

/// The text before the next `{word}`, the word, and the text behind it. Other
/// braces are text.
pub(super) fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('{').map(|at| at + from) {
        let rest = &text[at + 1..];
        if let Some((name, after)) = rest.split_once('}') {
            let is_word = !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_'));
            if is_word {
                return Some((&text[..at], name, after));
            }
        }
        from = at + 1;
    }
    None
}

fn host(manifest: &Manifest, version: &Version, variant: Option<&str>) -> Host {
    let claimed = |claim: &Versioned<bool>| claim.of(version, variant).copied().unwrap_or_default();
    let loops = manifest.loops.iter().map(|(id, claim)| {
        let constants = claim
            .constants
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), *value.of(version, variant)?)));
        (
            id.clone(),
            HostLoop {
                row: claim.row.clone(),
                constants: constants.collect(),
            },
        )
    });
    let variant_part = variant
        .map(|variant| format!("/{variant}"))
        .unwrap_or_default();
    Host {
        name: format!("{}{variant_part}@{version}", manifest.name),
        loops: loops.collect(),
        params: manifest
            .params
            .iter()
            .filter(|(_, claim)| claimed(claim))
            .map(|(name, _)| name.clone())
            .collect(),
        features: manifest
            .features
            .iter()
            .filter(|(_, claim)| claimed(claim))
            .map(|(feature, _)| *feature)
            .collect(),
        clocks: manifest.clocks.iter().copied().collect::<BTreeSet<_>>(),
        sleeps: manifest
            .sleeps
            .of(version, variant)
            .copied()
            .unwrap_or(crate::model::SleepStyle::Duration),
        runtime: Runtime::of(&manifest.language),
        parse_limit: manifest
            .parse_limit
            .as_ref()
            .and_then(|limit| limit.of(version, variant).copied()),
        schedule_limit: manifest
            .schedule_limit
            .as_ref()
            .and_then(|limit| limit.of(version, variant).copied()),
    }
}
