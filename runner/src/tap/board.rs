use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::clock::CaseClock;
use super::event::ExchangeId;
use crate::model::{CallId, CasePlan, Fault, Span, Spelling};

/// Name of the header that marks a reply beyond the script.
pub const OVERFLOW_HEADER: &str = "x-holdoff-overflow";

/// Where the tap leaves questions for wiremock's responder, and the responder
/// what wiremock cannot carry: the manner of the answer.
#[derive(Default)]
pub struct Board {
    questions: Mutex<HashMap<ExchangeId, Question>>,
    manners: Mutex<HashMap<ExchangeId, Manner>>,
}

/// A whole request that waits for its answer.
#[derive(Clone)]
pub struct Question {
    /// The case's plan.
    pub plan: Arc<CasePlan>,
    /// The case's clock.
    pub clock: Arc<dyn CaseClock>,
    /// Origin and prefix of the case.
    pub base_url: String,
    /// The call that the request belongs to.
    pub call: CallId,
    /// The call's mark.
    pub mark: String,
    /// Path below the prefix.
    pub path: String,
    /// The request's own address without its query.
    pub request_url: String,
}

/// How an answer is written; its status and body come through wiremock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Index of the step that answers; none: beyond the script.
    pub step: Option<usize>,
    /// The call for which the step was meant, if it was another one.
    pub meant_for: Option<CallId>,
    /// Header lines in order, as bytes; names in lower case.
    pub lines: Vec<(String, Vec<u8>)>,
    /// The reply is written this long after the request is complete.
    pub delay: Option<Span>,
    /// What goes wrong instead of a whole reply.
    pub fault: Option<Fault>,
    /// How header names are spelled.
    pub spelling: Spelling,
    /// Whether a token of the step reads the wall clock.
    pub dated: Dated,
}

/// Whether a reply depends on the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dated {
    /// It does not.
    #[default]
    No,
    /// It names a date or an epoch.
    Yes,
}

impl Board {
    /// Leaves a question.
    pub(super) fn ask(&self, exchange: ExchangeId, question: Question) {
        lock(&self.questions).insert(exchange, question);
    }

    /// The question of an exchange.
    pub fn question(&self, exchange: ExchangeId) -> Option<Question> {
        lock(&self.questions).get(&exchange).cloned()
    }

    /// Leaves the manner of an answer.
    pub fn decide(&self, exchange: ExchangeId, manner: Manner) {
        lock(&self.manners).insert(exchange, manner);
    }

    /// Takes the manner of an answer away, and the question with it.
    pub(super) fn take(&self, exchange: ExchangeId) -> Option<Manner> {
        lock(&self.questions).remove(&exchange);
        lock(&self.manners).remove(&exchange)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
