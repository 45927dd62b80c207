//! [`Palette`]: colours, or none.

use crate::judge::Verdict;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// With ANSI sequences, for a terminal.
    Coloured,
    /// Plain.
    Plain,
}

impl Palette {
    /// Red.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// Green.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Yellow.
    pub fn doubtful(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// Bold.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Faint.
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// A verdict in its colour.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        match verdict {
            Verdict::Pass | Verdict::Known => self.good(text),
            Verdict::Diverges | Verdict::Fixed | Verdict::Changed | Verdict::Error => {
                self.bad(text)
            }
            Verdict::Warns | Verdict::Inconclusive => self.doubtful(text),
            Verdict::Unsupported | Verdict::Unavailable | Verdict::NeedsClock => self.faint(text),
        }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }
}
