//! Values that differ between the versions or variants of an SDK.

use super::{Version, VersionRange};
use crate::yaml::{Node, Reader, Value};

/// A value that may differ between versions or variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Versioned<T> {
    /// The same for all.
    Always(T),
    /// The first whose selector holds; none: not stated.
    Chosen(Vec<(Selector, T)>),
}

/// Which versions and variants: `<0.18`, `async`, `async >=0.20`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// Variant; none: all.
    pub variant: Option<String>,
    /// Versions; none: all.
    pub versions: Option<VersionRange>,
}

impl<T> Versioned<T> {
    /// The value for one version and variant.
    pub fn of(&self, version: &Version, variant: Option<&str>) -> Option<&T> {
        match self {
            Self::Always(value) => Some(value),
            Self::Chosen(choices) => choices
                .iter()
                .find(|(selector, _)| selector.holds(version, variant))
                .map(|(_, value)| value),
        }
    }
}

impl Selector {
    /// Whether it names this version and variant.
    pub fn holds(&self, version: &Version, variant: Option<&str>) -> bool {
        self.versions
            .as_ref()
            .is_none_or(|range| range.contains(version))
            && self
                .variant
                .as_deref()
                .is_none_or(|wanted| Some(wanted) == variant)
    }
}

/// Reads a value, or a mapping from selectors to values.
pub(super) fn versioned<T>(
    reader: &Reader<'_, '_>,
    node: &Node,
    what: &str,
    variants: &[String],
    read: impl Fn(&Node) -> Option<T>,
) -> Option<Versioned<T>> {
    if !matches!(node.value, Value::Map(_)) {
        return read(node).map(Versioned::Always);
    }
    let choices: Vec<_> = reader
        .entries(node, what)?
        .iter()
        .map(|(key, value)| {
            let selector = selector(reader, key, variants);
            let value = read(value);
            Some((selector?, value?))
        })
        .collect();
    choices
        .into_iter()
        .collect::<Option<_>>()
        .map(Versioned::Chosen)
}

fn selector(reader: &Reader<'_, '_>, key: &Node, variants: &[String]) -> Option<Selector> {
    let text = reader.text(key, "a range of versions")?.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (variant, range) = match variants.iter().find(|variant| *variant == first) {
        Some(variant) => (Some(variant.clone()), rest.trim()),
        None => (None, text),
    };
    if range.is_empty() {
        return Some(Selector {
            variant,
            versions: None,
        });
    }
    match range.parse() {
        Ok(versions) => Some(Selector {
            variant,
            versions: Some(versions),
        }),
        Err(error) => {
            let forms = super::RangeError::FORMS
                .into_iter()
                .chain(variants.iter().map(String::as_str));
            let found = if variants.is_empty() { range } else { text };
            reader.note(
                reader
                    .at(key, error.to_string())
                    .found(found)
                    .allowed(forms),
            )
        }
    }
}
