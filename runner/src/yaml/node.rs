//! [`Node`]: one value of a YAML file and its place.

/// One value and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub col: usize,
    /// Length on its first line, in characters.
    pub len: usize,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar, not yet of any type.
    Scalar {
        /// Its text, escapes resolved.
        text: String,
        /// How it was written.
        style: Style,
    },
    /// A list.
    Seq(Vec<Node>),
    /// A mapping in the order of the file, without doubled keys; every key is
    /// a scalar.
    Map(Vec<(Node, Node)>),
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// As a block, `|` or `>`.
    Block,
}

impl Node {
    /// Text and style, if it is a scalar.
    pub fn scalar(&self) -> Option<(&str, Style)> {
        match &self.value {
            Value::Scalar { text, style } => Some((text, *style)),
            _ => None,
        }
    }

    /// The text, if it is a scalar without quotes.
    pub fn plain(&self) -> Option<&str> {
        self.scalar()
            .and_then(|(text, style)| (style == Style::Plain).then_some(text))
    }

    /// Whether nothing stands there: `null`, `~`, or no text at all.
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Some("" | "~" | "null"))
    }

    /// The value of a key, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else {
            return None;
        };
        entries
            .iter()
            .find(|(name, _)| name.scalar().is_some_and(|(text, _)| text == key))
            .map(|(_, value)| value)
    }

    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar { .. } if self.is_null() => "nothing",
            Value::Scalar { .. } => "a single value",
            Value::Seq(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// How many values it consists of, itself included.
    pub fn size(&self) -> usize {
        1 + match &self.value {
            Value::Scalar { .. } => 0,
            Value::Seq(items) => items.iter().map(Self::size).sum(),
            Value::Map(entries) => entries.iter().map(|(_, value)| value.size() + 1).sum(),
        }
    }
}
