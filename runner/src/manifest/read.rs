//! `adapter.yaml` to [`Manifest`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::check::{argument, placeholders, starts_directly};
use super::replies::replies;
use super::versioned::versioned;
use super::{Correlation, LoopClaim, Manifest, Replies, Version, Versioned};
use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::diagnostic::{Diagnostics, Source};
use crate::fixture::{COUNT_PARAMS, DURATION_PARAMS, VERBS, param};
use crate::model::{Feature, LoopId, PrefixMode, SleepStyle, Span};
use crate::yaml::{Fields, Node, Reader, Value};

/// Keys of a manifest.
pub(super) const KEYS: [&str; 22] = [
    "name",
    "sdk",
    "language",
    "variants",
    "versions",
    "spec",
    "rows",
    "build",
    "command",
    "env",
    "requires",
    "loops",
    "params",
    "features",
    "replies",
    "clocks",
    "sleeps",
    "parse_limit",
    "schedule_limit",
    "prefix",
    "correlates",
    "issues",
];

pub(super) const CLOCKS: [(&str, ClockKind); 3] = [
    ("virtual", ClockKind::Virtual),
    ("injected", ClockKind::Injected),
    ("real", ClockKind::Real),
];

struct ManifestReader<'r, 's, 't, 'n> {
    reader: &'r Reader<'s, 't>,
    fields: Fields<'n>,
    variants: Vec<String>,
    rows: BTreeMap<LoopId, LoopId>,
}

/// Reads a manifest.
pub(super) fn manifest(
    source: &Source<'_>,
    root: &Node,
    folder: PathBuf,
) -> Result<Manifest, Diagnostics> {
    let reader = Reader::new(source);
    let manifest = read(&reader, root, folder);
    let errors = reader.into_errors();
    match manifest {
        Some(manifest) => errors.into_result(manifest),
        None => Err(errors.sorted()),
    }
}

fn read(reader: &Reader<'_, '_>, root: &Node, folder: PathBuf) -> Option<Manifest> {
    let fields = reader.map(root, "the manifest", &KEYS)?;
    let variants = names(reader, &fields, "variants").unwrap_or_default();
    let rows = rows(reader, &fields).unwrap_or_default();
    let this = ManifestReader {
        reader,
        fields,
        variants,
        rows,
    };
    let fields = &this.fields;
    let name = this.name("name");
    let sdk = fields
        .required(reader, "sdk")
        .and_then(|node| reader.text(node, "sdk"));
    let language = this.name("language");
    let versions = this.versions();
    let spec = this.spec();
    let build = fields
        .get("build")
        .map_or(Some(Vec::new()), |node| arguments(reader, node, "build"));
    let command = fields.required(reader, "command").and_then(|node| {
        let command = arguments(reader, node, "command")?;
        starts_directly(reader, node, &command)?;
        Some(command)
    });
    let env = this.env();
    let requires = names(reader, fields, "requires");
    let loops = this.loops();
    let params = this.claims("params", &this.param_names());
    let features = this.features();
    let clocks = fields.required(reader, "clocks").and_then(|node| {
        reader
            .list(node, "clocks", |item| reader.word(item, "clock", &CLOCKS))
            .map(BTreeSet::from_iter)
    });
    let sleeps = this.sleeps();
    let (parse_limit, schedule_limit) = (this.limit("parse_limit"), this.limit("schedule_limit"));
    let prefix = this.flag("prefix", [PrefixMode::None, PrefixMode::Random]);
    let correlates = this.flag("correlates", [Correlation::None, Correlation::ByMark]);
    let issues = this.issues();
    let replies = this.replies(loops.as_ref());
    Some(Manifest {
        name: name?,
        sdk: sdk?.to_owned(),
        language: language?,
        versions: versions?,
        spec: spec?,
        build: build?,
        command: command?,
        env: env?,
        requires: requires?,
        loops: loops?,
        params: params?,
        features: features?,
        clocks: clocks?,
        sleeps: sleeps?,
        parse_limit: parse_limit?,
        schedule_limit: schedule_limit?,
        prefix: prefix?,
        correlates: correlates?,
        issues: issues?,
        replies: replies?,
        folder,
        variants: this.variants,
        rows: this.rows,
    })
}

impl ManifestReader<'_, '_, '_, '_> {
    fn name(&self, key: &str) -> Option<String> {
        let node = self.fields.required(self.reader, key)?;
        self.reader
            .name(node, key, is_name_char, "a-z 0-9 . _ + -")
            .map(str::to_owned)
    }

    fn versions(&self) -> Option<Vec<Version>> {
        let node = self.fields.required(self.reader, "versions")?;
        let versions = self.reader.list(node, "versions", |item| {
            let is_version = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
            self.reader
                .name(item, "version", is_version, "letters, digits and . _ + -")
                .map(Version::new)
        })?;
        if versions.is_empty() {
            return self
                .reader
                .note(self.reader.at(node, "an adapter has at least one version"));
        }
        Some(versions)
    }

    fn spec(&self) -> Option<Option<PathBuf>> {
        let Some(node) = self.fields.get("spec") else {
            return Some(None);
        };
        let text = self.reader.text(node, "spec")?;
        let path = Path::new(text);
        if path
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Some(Some(path.to_owned()));
        }
        self.reader.note(
            self.reader
                .at(node, "a path outside of the adapter's folder")
                .found(text),
        )
    }

    fn env(&self) -> Option<BTreeMap<String, String>> {
        let Some(node) = self.fields.get("env") else {
            return Some(BTreeMap::new());
        };
        let reader = self.reader;
        let pairs: Vec<_> = reader
            .entries(node, "env")?
            .iter()
            .map(|(key, value)| {
                let is_variable = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name = reader.name(key, "variable", is_variable, "letters, digits and _");
                let text = value.scalar().map(|(text, _)| text);
                let text = text.or_else(|| reader.unexpected(value, "env", "a text"));
                let text = text.and_then(|text| placeholders(reader, value, text));
                Some((name?.to_owned(), text?))
            })
            .collect();
        pairs.into_iter().collect()
    }

    /// The specification's loop for the adapter's name of one.
    fn loop_of(&self, key: &Node) -> Option<(LoopId, Option<LoopId>)> {
        let own = LoopId::new(
            self.reader
                .name(key, "loop", is_name_char, "a-z 0-9 . _ -")?,
        );
        match self.rows.get(&own) {
            Some(id) => Some((id.clone(), Some(own))),
            None => Some((own, None)),
        }
    }

    fn loops(&self) -> Option<BTreeMap<LoopId, LoopClaim>> {
        let reader = self.reader;
        let node = self.fields.required(reader, "loops")?;
        let mut loops = BTreeMap::new();
        if let Value::Seq(items) = &node.value {
            for item in items {
                let Some((id, row)) = self.loop_of(item) else {
                    continue;
                };
                loops.insert(
                    id,
                    LoopClaim {
                        row,
                        constants: BTreeMap::new(),
                    },
                );
            }
        } else {
            for (key, value) in reader.entries(node, "loops")?.iter() {
                let constants = if value.is_null() {
                    Some(BTreeMap::new())
                } else {
                    self.constants(value)
                };
                let (Some((id, row)), Some(constants)) = (self.loop_of(key), constants) else {
                    continue;
                };
                loops.insert(id, LoopClaim { row, constants });
            }
        }
        if loops.is_empty() && reader.is_clean() {
            return reader.note(reader.at(node, "an adapter has at least one loop"));
        }
        Some(loops)
    }

    /// Knobs of the own specification; another one has its own.
    fn param_names(&self) -> Vec<&'static str> {
        match self.fields.get("spec") {
            None => COUNT_PARAMS.into_iter().chain(DURATION_PARAMS).collect(),
            Some(_) => Vec::new(),
        }
    }

    fn constants(&self, node: &Node) -> Option<BTreeMap<String, Versioned<ParamValue>>> {
        let reader = self.reader;
        let names = self.param_names();
        let fields = match names.as_slice() {
            [] => reader.entries(node, "constants of a loop")?,
            names => reader.map(node, "constants of a loop", names)?,
        };
        let constants: Vec<_> = fields
            .named()
            .map(|(name, node)| {
                let value = versioned(reader, node, name, &self.variants, |node| {
                    param(reader, name, node)
                })?;
                Some((name.to_owned(), value))
            })
            .collect();
        constants.into_iter().collect()
    }

    /// A list of names, or a mapping from names to true, false, or a mapping
    /// from versions to those.
    fn claims(&self, key: &str, allowed: &[&str]) -> Option<BTreeMap<String, Versioned<bool>>> {
        let reader = self.reader;
        let Some(node) = self.fields.get(key) else {
            return Some(BTreeMap::new());
        };
        let words: Vec<_> = allowed.iter().map(|word| (*word, *word)).collect();
        let checked = |name: &Node| match allowed {
            [] => reader.text(name, key).map(str::to_owned),
            _ => reader.word(name, key, &words).map(str::to_owned),
        };
        let claims: Vec<_> = match &node.value {
            Value::Seq(items) => items
                .iter()
                .map(|item| Some((checked(item)?, Versioned::Always(true))))
                .collect(),
            _ => reader
                .entries(node, key)?
                .iter()
                .map(|(name, value)| {
                    let claim = versioned(reader, value, key, &self.variants, |node| {
                        reader.flag(node, key)
                    });
                    Some((checked(name)?, claim?))
                })
                .collect(),
        };
        claims.into_iter().collect()
    }

    fn features(&self) -> Option<BTreeMap<Feature, Versioned<bool>>> {
        let claims = self.claims("features", &Feature::ALL.map(Feature::as_str))?;
        let feature = |name: &str| {
            Feature::ALL
                .into_iter()
                .find(|feature| feature.as_str() == name)
        };
        Some(
            claims
                .into_iter()
                .filter_map(|(name, claim)| Some((feature(&name)?, claim)))
                .collect(),
        )
    }

    fn sleeps(&self) -> Option<Versioned<SleepStyle>> {
        let words = SleepStyle::ALL.map(|style| (style.as_str(), style));
        match self.fields.get("sleeps") {
            None => Some(Versioned::Always(SleepStyle::Duration)),
            Some(node) => versioned(self.reader, node, "sleeps", &self.variants, |node| {
                self.reader.word(node, "sleeps", &words)
            }),
        }
    }

    fn limit(&self, key: &str) -> Option<Option<Versioned<Span>>> {
        match self.fields.get(key) {
            None => Some(None),
            Some(node) => versioned(self.reader, node, key, &self.variants, |node| {
                self.reader.length(node, key)
            })
            .map(Some),
        }
    }

    /// What `false` and `true` mean; `true` if not stated.
    fn flag<T>(&self, key: &str, [no, yes]: [T; 2]) -> Option<T> {
        match self.fields.get(key) {
            None => Some(yes),
            Some(node) => self
                .reader
                .flag(node, key)
                .map(|flag| if flag { yes } else { no }),
        }
    }

    fn issues(&self) -> Option<Option<String>> {
        let Some(node) = self.fields.get("issues") else {
            return Some(None);
        };
        let text = self.reader.text(node, "issues")?;
        if text.starts_with("https://") || text.starts_with("http://") {
            return Some(Some(text.to_owned()));
        }
        self.reader
            .unexpected(node, "issues", "the address of an issue tracker")
    }

    fn replies(&self, loops: Option<&BTreeMap<LoopId, LoopClaim>>) -> Option<Replies> {
        let Some(node) = self.fields.get("replies") else {
            return Some(Replies::default());
        };
        let row = |key: &Node| {
            let (id, _) = self.loop_of(key)?;
            match loops {
                Some(loops) if !loops.contains_key(&id) => {
                    let names = loops
                        .iter()
                        .map(|(id, claim)| claim.row.as_ref().unwrap_or(id).as_str());
                    let error = self.reader.at(key, "`loops` does not have this one");
                    let error = error.found(id.as_str()).allowed(names.chain(["*"]));
                    self.reader.note(error)
                }
                _ => Some(id),
            }
        };
        replies(self.reader, node, &row, &VERBS)
    }
}

fn is_name_char(character: char) -> bool {
    matches!(character, 'a'..='z' | '0'..='9' | '.' | '_' | '-' | '+')
}

fn names(reader: &Reader<'_, '_>, fields: &Fields<'_>, key: &str) -> Option<Vec<String>> {
    match fields.get(key) {
        None => Some(Vec::new()),
        Some(node) => reader.list(node, key, |item| {
            reader
                .name(item, key, is_name_char, "a-z 0-9 . _ + -")
                .map(str::to_owned)
        }),
    }
}

fn rows(reader: &Reader<'_, '_>, fields: &Fields<'_>) -> Option<BTreeMap<LoopId, LoopId>> {
    let pairs: Vec<_> = reader
        .entries(fields.get("rows")?, "rows")?
        .iter()
        .map(|(key, value)| {
            let own = reader.name(key, "row", is_name_char, "a-z 0-9 . _ -");
            let id = reader.name(value, "loop", is_name_char, "a-z 0-9 . _ -");
            Some((LoopId::new(own?), LoopId::new(id?)))
        })
        .collect();
    pairs.into_iter().collect()
}

fn arguments(reader: &Reader<'_, '_>, node: &Node, what: &str) -> Option<Vec<String>> {
    let arguments = reader.list(node, what, |item| {
        let text = item.scalar().map(|(text, _)| text);
        let text = text.or_else(|| reader.unexpected(item, what, "a list of texts"))?;
        argument(reader, item, text)
    })?;
    if arguments.first().is_none_or(String::is_empty) {
        return reader.note(reader.at(node, format!("`{what}` names no program")));
    }
    Some(arguments)
}
