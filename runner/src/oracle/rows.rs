//! The rows of section 6 that speak for a case, in words.

use super::setting::Setting;
use crate::spec::{AttemptsRule, BranchRow, LoopRow, ParserRow, ToldSource, UntoldWait};

/// The rows that the timeline of a case is derived from, one line a row, with
/// what the case's knobs make of them.
pub fn rows(setting: &Setting<'_>) -> Vec<String> {
    let running = setting.running_loop();
    let branches = setting.branches();
    let mut parsers: Vec<&ParserRow> = Vec::new();
    for id in branches.iter().filter_map(|branch| branch.parser.as_ref()) {
        match setting.spec.parser(id) {
            Some(row) if !parsers.contains(&row) => parsers.push(row),
            _ => {}
        }
    }
    let loops = running.map(|row| loop_words(setting, row));
    loops
        .into_iter()
        .chain(branches.into_iter().map(branch_words))
        .chain(parsers.into_iter().map(parser_words))
        .collect()
}

fn loop_words(setting: &Setting<'_>, row: &LoopRow) -> String {
    let rule = match row.attempts {
        AttemptsRule::Fixed(count) => count.to_string(),
        AttemptsRule::Unbounded => "unbounded".to_owned(),
        AttemptsRule::Knob { default } => {
            format!("max(1, max_attempts), {default} if it is not set")
        }
        AttemptsRule::KnobUpTo { ceiling } => format!("min(max(1, max_attempts), {ceiling})"),
        AttemptsRule::Charged { per_call } => {
            format!("{per_call} per call, charged to the running loop")
        }
        AttemptsRule::UnboundedThrottled { otherwise } => {
            format!("unbounded throttled; {otherwise} otherwise")
        }
    };
    let here = row.attempts.allowed(setting.max_attempts());
    let here = here.map_or("no bound".to_owned(), |count| count.to_string());
    format!("6.1 `{}`: attempts {rule}; here {here}", row.id)
}

fn branch_words(row: &BranchRow) -> String {
    if !row.repeats() {
        return format!("6.2 `{}`: when {}, nothing is repeated", row.id, row.when);
    }
    let told: Vec<_> = row
        .told_by
        .iter()
        .map(|source| match source {
            ToldSource::Seconds => "seconds".to_owned(),
            ToldSource::Date => "date".to_owned(),
            ToldSource::Millis(header) => format!("ms({header})"),
            ToldSource::EpochSeconds(header) => format!("epoch-s({header})"),
            ToldSource::EpochMillis(header) => format!("epoch-ms({header})"),
        })
        .collect();
    let told = if told.is_empty() {
        "nothing".to_owned()
    } else {
        told.join(", ")
    };
    let untold = match row.untold_wait {
        UntoldWait::Local => format!("untold {}", row.local_delay),
        UntoldWait::Ceiling => "untold the wait ceiling".to_owned(),
        UntoldWait::Fixed(span) => format!("untold {span}"),
        UntoldWait::NotApplicable => String::new(),
    };
    format!(
        "6.2 `{}`: when {}, told by {told}, composition {}, {untold}",
        row.id, row.when, row.composition
    )
}

fn parser_words(row: &ParserRow) -> String {
    let dates: Vec<_> = row.dates.iter().map(ToString::to_string).collect();
    let dates = match dates.as_slice() {
        [] => "no dates".to_owned(),
        dates => format!("dates {} by {}", dates.join(", "), row.date_wait),
    };
    format!(
        "6.3 `{}`: {dates}, zero {}, fraction {}, repeated lines {}",
        row.id, row.zero, row.fraction, row.repeated_lines
    )
}
