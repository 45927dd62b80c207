//! [`ExitCode`]: what `holdoff` says to the shell.

/// How `holdoff` ends. When several apply, the order is: interrupted, usage,
/// harness, divergences, nothing judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything was as expected: `pass` and `known`; and, unless
    /// `--require` names them, cases that could not be judged.
    AsExpected = 0,
    /// Something diverges (`diverges`, `fixed`, `changed`; `warns` under
    /// `--deny warnings`), or a verdict came up that `--require` excludes.
    Divergences = 1,
    /// The command line, a specification, a fixture, a manifest or known.yaml
    /// is wrong; nothing was run.
    Usage = 2,
    /// An adapter or the runner itself failed. Wins over divergences, since a
    /// run with holes says less than it seems to.
    Harness = 3,
    /// Not one case was judged.
    NothingJudged = 4,
    /// Ctrl-C; what was known by then has been printed.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code.
    pub const ALL: [Self; 6] = [
        Self::AsExpected,
        Self::Divergences,
        Self::Usage,
        Self::Harness,
        Self::NothingJudged,
        Self::Interrupted,
    ];

    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What it means, for the end of `--help`.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::AsExpected => "as expected",
            Self::Divergences => "divergences",
            Self::Usage => "usage, specification, fixture or manifest error",
            Self::Harness => "an adapter or the runner failed",
            Self::NothingJudged => "nothing was judged",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}
