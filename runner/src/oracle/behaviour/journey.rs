//! Requests beyond the first: pages, hops and replays.

/// Following pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRule {
    /// What is done when a page after the first fails.
    pub failed: FailedPage,
    /// Whether attempts are counted by page.
    pub attempts: PageAttempts,
    /// What a told wait on a success does.
    pub told_on_success: ToldOnSuccess,
}

/// What is done when a page after the first fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailedPage {
    /// It is asked for again.
    #[default]
    Retried,
    /// The call ends.
    Ends,
    /// The first page is asked for.
    FirstPage,
}

/// Whether attempts are counted by page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageAttempts {
    /// By page.
    #[default]
    ByPage,
    /// Over the call.
    Shared,
}

/// What a told wait on a success or a redirect does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToldOnSuccess {
    /// Nothing.
    #[default]
    NoEffect,
    /// It is waited.
    Waited,
}

/// The second hop of a download.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopTwo {
    /// What a told wait on the redirect does.
    pub told_on_redirect: ToldOnSuccess,
    /// Whether it is retried.
    pub retried: HopRetry,
    /// Whether it carries credentials.
    pub credentials: HopCredentials,
    /// What a redirect as its answer does.
    pub redirects: HopRedirects,
}

/// Whether the second hop is retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopRetry {
    /// Never.
    #[default]
    Never,
    /// Like the first.
    LikeFirst,
}

/// Whether the second hop carries credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopCredentials {
    /// None.
    #[default]
    None,
    /// Those of the first.
    Kept,
}

/// Replay with fresh credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthRule {
    /// When a refresh is tried.
    pub refresh: RefreshRule,
    /// What is waited before the replay.
    pub wait: ReplayWait,
    /// Whether the replay costs an attempt.
    pub cost: ReplayCost,
    /// Which token the replay carries.
    pub token: ReplayToken,
    /// What it does beside being sent.
    pub side_effect: ReplaySideEffect,
}

/// When a refresh is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshRule {
    /// Once, if an attempt is left.
    #[default]
    Specified,
    /// Once, before it is known whether an attempt is left.
    BeforeBudget,
    /// Never.
    Never,
    /// At every refusal.
    Again,
}

/// What is waited before a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayWait {
    /// Nothing.
    #[default]
    None,
    /// The local delay.
    Local,
    /// The told wait, if there is one.
    Told,
}

/// Whether a replay costs an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayCost {
    /// It does.
    #[default]
    One,
    /// It does not.
    Free,
}

/// Which token a replay carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayToken {
    /// The fresh one.
    #[default]
    Fresh,
    /// The refused one.
    Old,
}

/// What a replay does beside being sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplaySideEffect {
    /// Nothing.
    #[default]
    None,
    /// It moves the index of the local delay.
    AdvancesBackoff,
    /// It calls the retry hook.
    FiresHook,
}

/// What a redirect as the answer to the second hop does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopRedirects {
    /// It ends the call.
    #[default]
    EndsTheCall,
    /// It is followed.
    Followed,
}
