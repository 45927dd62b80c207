//! [`Manifest`]: an `adapter.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::read::manifest;
use super::{Launch, Replies, Version, Versioned};
use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::diagnostic::{Diagnostics, Source};
use crate::model::{Feature, LoopId, PrefixMode, SleepStyle, Span};
use crate::yaml::{parse, read_text};

/// What an adapter says of itself and of its SDK.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name, `basecamp-python`.
    pub name: String,
    /// The SDK's package, as its registry spells it.
    pub sdk: String,
    /// Language.
    pub language: String,
    /// Variants of the SDK's interface; may be none.
    pub variants: Vec<String>,
    /// Versions of the SDK that the adapter is pinned to.
    pub versions: Vec<Version>,
    /// Specification that the SDK follows, a path below the adapter's folder;
    /// none: the runner's own.
    pub spec: Option<PathBuf>,
    /// The fixtures' loops by the adapter's own names for them.
    pub rows: BTreeMap<LoopId, LoopId>,
    /// Builds the adapter; empty: nothing to build. Placeholders not filled in.
    pub build: Vec<String>,
    /// Starts the adapter. Placeholders not filled in.
    pub command: Vec<String>,
    /// Environment beside what every adapter gets. Placeholders not filled in.
    pub env: BTreeMap<String, String>,
    /// Programs that must be there.
    pub requires: Vec<String>,
    /// Loops that the SDK has, by the specification's names.
    pub loops: BTreeMap<LoopId, LoopClaim>,
    /// Knobs that the adapter can set.
    pub params: BTreeMap<String, Versioned<bool>>,
    /// What it can show or do.
    pub features: BTreeMap<Feature, Versioned<bool>>,
    /// Clocks that it can run under.
    pub clocks: BTreeSet<ClockKind>,
    /// How the SDK sleeps.
    pub sleeps: Versioned<SleepStyle>,
    /// A value above this cannot be parsed.
    pub parse_limit: Option<Versioned<Span>>,
    /// A wait above this cannot be scheduled.
    pub schedule_limit: Option<Versioned<Span>>,
    /// Whether the SDK takes a base URL with a path.
    pub prefix: PrefixMode,
    /// Whether attempts can be tied to calls by their mark.
    pub correlates: Correlation,
    /// Where divergences are reported.
    pub issues: Option<String>,
    /// Bodies and success statuses.
    pub replies: Replies,
    /// The adapter's folder, its working directory.
    pub folder: PathBuf,
}

/// One loop of the SDK.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopClaim {
    /// The adapter's own name for it.
    pub row: Option<LoopId>,
    /// Constants without a knob.
    pub constants: BTreeMap<String, Versioned<ParamValue>>,
}

/// Whether the mark of a call shows on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correlation {
    /// It does.
    ByMark,
    /// It does not; calls of one case cannot be told apart.
    None,
}

impl Manifest {
    /// The name of the file in an adapter's folder.
    pub const FILE: &'static str = "adapter.yaml";

    /// Reads `adapter.yaml` of an adapter's folder.
    ///
    /// # Errors
    /// Everything that is wrong in it, each once.
    pub fn load(folder: &Path) -> Result<Self, Diagnostics> {
        let file = folder.join(Self::FILE);
        let text = read_text(folder, &file)?;
        Self::read(&file, &text)
    }

    /// Reads a manifest; the folder of `file` is the adapter's.
    ///
    /// # Errors
    /// Everything that is wrong in it, each once.
    pub fn read(file: &Path, text: &str) -> Result<Self, Diagnostics> {
        let source = Source::new(file, text.strip_prefix('\u{feff}').unwrap_or(text));
        let root = parse(&source)?;
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        manifest(&source, &root, folder)
    }

    /// One launch for each variant and version, versions in the order of the
    /// file.
    pub fn hosts(&self) -> Vec<Launch> {
        let variants: Vec<Option<&str>> = match self.variants.as_slice() {
            [] => vec![None],
            variants => variants
                .iter()
                .map(|variant| Some(variant.as_str()))
                .collect(),
        };
        let pairs = self
            .versions
            .iter()
            .flat_map(|version| variants.iter().map(move |variant| (version, *variant)));
        pairs
            .map(|(version, variant)| Launch::new(self, version, variant))
            .collect()
    }
}
