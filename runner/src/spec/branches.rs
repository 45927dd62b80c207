//! Rows of table 6.2: one reaction of a loop each.

use super::delay::LocalDelay;
use super::when::When;
use super::words::words;
use crate::model::{BranchId, LoopId, ParserId, Span};

/// One row of table 6.2. Among the rows of a loop the first whose `when` holds
/// governs; a reply that none names ends the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRow {
    /// Name of the branch: that of its loop, or that and a dot and more.
    pub id: BranchId,
    /// The loop it belongs to: the longest loop name that is a prefix.
    pub owner: LoopId,
    /// Whether a told wait has an effect here.
    pub scope: Scope,
    /// When the branch governs.
    pub when: When,
    /// Where a told wait is read, in order of precedence; empty for `none`.
    pub told_by: Vec<ToldSource>,
    /// How it is read; none where nothing is.
    pub parser: Option<ParserId>,
    /// How told wait and local delay make one wait.
    pub composition: Composition,
    /// The delay that the loop computes by itself.
    pub local_delay: LocalDelay,
    /// The wait if nothing was told.
    pub untold_wait: UntoldWait,
    /// For how long the wait is in force.
    pub lasts: Lasts,
    /// Line of the row in the document, from 1.
    pub line: usize,
}

impl BranchRow {
    /// Whether the loop sends a further request after a reply that this
    /// branch governs.
    pub fn repeats(&self) -> bool {
        self.untold_wait != UntoldWait::NotApplicable
    }
}

words! {
    /// Column *Scope*.
    pub enum Scope {
        /// A told wait governs.
        In = "in",
        /// A told wait has no effect.
        Out = "out",
    }

    /// Column *Composition*.
    pub enum Composition {
        /// The told wait instead of the local delay.
        Replace = "replace",
        /// The larger of the two.
        Floor = "floor",
        /// The told wait closes a gate; nobody waits.
        Gate = "gate",
        /// There is no told wait.
        None = "none",
    }

    /// Column *Lasts*.
    pub enum Lasts {
        /// The next wait only.
        Once = "once",
        /// Every wait until a reply arrives.
        UntilAnswer = "until answer",
        /// Until the instant that was told.
        UntilInstant = "until instant",
        /// Every later wait of the call.
        ForGood = "for good",
        /// Does not apply.
        NotApplicable = "—",
    }
}

/// One source of column *Told by*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToldSource {
    /// `seconds`: Retry-After as delay-seconds.
    Seconds,
    /// `date`: Retry-After as HTTP-date.
    Date,
    /// `ms(header)`: milliseconds in that header.
    Millis(String),
    /// `epoch-s(header)`: an instant, in seconds since 1970.
    EpochSeconds(String),
    /// `epoch-ms(header)`: an instant, in milliseconds since 1970.
    EpochMillis(String),
}

/// Column *Untold wait*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntoldWait {
    /// `local`: the local delay.
    Local,
    /// `ceiling`: the wait ceiling of the parser.
    Ceiling,
    /// A duration.
    Fixed(Span),
    /// `—`: nothing is repeated.
    NotApplicable,
}
