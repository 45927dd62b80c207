//! The local delay.

/// The local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalShape {
    /// How it grows.
    pub growth: GrowthShape,
    /// Where the ceiling applies.
    pub ceiling: CeilingUse,
    /// What is drawn onto it.
    pub jitter: LocalJitter,
    /// What advances its index.
    pub index: IndexRule,
}

/// How the local delay grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrowthShape {
    /// By the row.
    #[default]
    Specified,
    /// There is none.
    Missing,
    /// The base each time.
    Constant,
    /// The base times the number of the retry.
    Linear,
    /// The exponent stops at 3.
    Plateau,
    /// Milliseconds wrap at 32 bits.
    Wraps,
    /// One power too high.
    StartsLate,
}

/// Where the ceiling of the local delay applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CeilingUse {
    /// To every delay, before jitter.
    #[default]
    Specified,
    /// Nowhere.
    Missing,
    /// Not to the first.
    NotToBase,
    /// After jitter.
    AfterJitter,
}

/// Jitter of the local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalJitter {
    /// By the row.
    #[default]
    Specified,
    /// None.
    Missing,
}

/// What advances the index of the local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexRule {
    /// Every retry.
    #[default]
    EveryRetry,
    /// Retries whose wait was not told.
    UntoldOnly,
}
