//! Outcomes in words.

use crate::model::Outcome;
use crate::oracle::ExpectedOutcome;

/// How a call ended, after "the call …". Text from the SDK is left out: it is
/// not part of the timeline and differs between versions.
pub fn outcome_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned { .. } => "returned".to_owned(),
        Outcome::Raised { error } => {
            let status = error
                .status
                .map(|status| format!(" {status}"))
                .unwrap_or_default();
            format!("raised {}{status}", error.kind.as_str())
        }
        Outcome::Cancelled => "was cancelled".to_owned(),
        Outcome::Unsupported { .. } => "is not supported".to_owned(),
        Outcome::AdapterError { .. } => "failed in the adapter".to_owned(),
        Outcome::Hung => "hung: all was quiet and nothing was armed".to_owned(),
        Outcome::NeverEnded { asked: Some(asked) } => {
            format!("never ended: it asked to sleep {asked}")
        }
        Outcome::NeverEnded { asked: None } => "never ended".to_owned(),
        Outcome::Starved => "starved: a thread spun without reading the clock".to_owned(),
        Outcome::Crashed { .. } => "crashed".to_owned(),
        Outcome::ProtocolError { .. } => "broke the adapter protocol".to_owned(),
        Outcome::OutOfTime => "ran out of real time".to_owned(),
    }
}

/// How a call must end, in the same words.
pub fn expected_words(outcome: &ExpectedOutcome) -> String {
    match outcome {
        ExpectedOutcome::Returned => "returned".to_owned(),
        ExpectedOutcome::Raised { kind, status, .. } => {
            let status = status
                .map(|status| format!(" {status}"))
                .unwrap_or_default();
            format!("raised {}{status}", kind.as_str())
        }
        ExpectedOutcome::Cancelled => "was cancelled".to_owned(),
        ExpectedOutcome::Hung => "hung: all was quiet and nothing was armed".to_owned(),
        ExpectedOutcome::NeverEnded => "never ended".to_owned(),
    }
}
