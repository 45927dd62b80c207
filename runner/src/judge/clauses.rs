//! Which clause a difference breaks.

use super::verdict::Topic;
use crate::fixture::Case;
use crate::model::ClauseId;

/// The clause of the case that speaks of the topic; else its first.
pub(super) fn clause_for(case: &Case, topic: Topic) -> Option<ClauseId> {
    let families: &[&str] = match topic {
        Topic::Attempts => &[
            "ATTEMPT", "DOWNLOAD", "FAULT", "SCOPE", "AUTH", "PAGE", "CANCEL", "HONOUR",
        ],
        Topic::Wait | Topic::Asked => &[
            "HONOUR",
            "PARSE",
            "COMPOSE",
            "REPRESENT",
            "BACKOFF",
            "CLOCK",
            "SCOPE",
            "AUTH",
            "DOWNLOAD",
        ],
        Topic::Next => &["SCOPE", "PAGE", "DOWNLOAD", "AUTH"],
        Topic::Ends => &["CANCEL", "ATTEMPT", "HONOUR"],
        Topic::Outcome => &["CANCEL", "SURFACE", "AUTH", "ATTEMPT", "FAULT", "REPRESENT"],
        Topic::Told => &["SURFACE", "REPRESENT"],
        Topic::Hook => &["HOOK", "AUTH"],
        Topic::Request => &["ATTEMPT", "PAGE", "AUTH", "DOWNLOAD"],
        Topic::Late => &["CANCEL"],
        Topic::Script => &["ATTEMPT"],
        Topic::Draws => &["BACKOFF"],
    };
    let of_family = |family: &&str| {
        case.clauses.iter().find(|id| {
            id.as_str()
                .rsplit_once('-')
                .is_some_and(|(name, _)| name == *family)
        })
    };
    families
        .iter()
        .find_map(of_family)
        .or_else(|| case.clauses.first())
        .cloned()
}
