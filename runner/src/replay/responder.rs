use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wiremock::http::HeaderValue;
use wiremock::{Request, Respond, ResponseTemplate};

use super::cursor::Cursor;
use crate::model::{PlannedStep, TokenContext};
use crate::tap::{
    Board, CaseKey, Dated, EXCHANGE_HEADER, ExchangeId, Manner, OVERFLOW_HEADER, Question,
};

/// Statuses that a final response can have.
const FINAL: std::ops::RangeInclusive<u16> = 200..=999;

/// The one responder: it plays each case's script.
pub(super) struct Responder {
    board: Arc<Board>,
    cursors: Mutex<HashMap<CaseKey, Cursor>>,
}

impl Responder {
    pub(super) fn new(board: Arc<Board>) -> Self {
        Self {
            board,
            cursors: Mutex::default(),
        }
    }

    fn answer(&self, exchange: ExchangeId, question: &Question) -> (Manner, ResponseTemplate) {
        let script = &question.plan.script;
        let index = {
            let mut cursors = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
            let cursor = cursors.entry(exchange.case).or_default();
            cursor.step(script, exchange.number, &question.path)
        };
        let step = index.and_then(|index| Some((index, script.get(index)?)));
        match step {
            Some((index, step)) if FINAL.contains(&step.status) => play(index, step, question),
            Some(_) => beyond("a status that no final reply can have"),
            None => beyond("beyond the script"),
        }
    }
}

impl Respond for Responder {
    /// Must not panic: it would poison wiremock for all cases of the world.
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let id = request.headers.get(EXCHANGE_HEADER);
        let id = id.and_then(|id| id.to_str().ok()?.parse().ok());
        let asked = id.and_then(|id| Some((id, self.board.question(id)?)));
        let Some((id, question)) = asked else {
            return ResponseTemplate::new(500).set_body_string("not from the tap");
        };
        let (manner, template) = self.answer(id, &question);
        let template = with_lines(template, &manner);
        self.board.decide(id, manner);
        template
    }
}

/// One step, its tokens resolved on the case's clock as it stands now.
fn play(index: usize, step: &PlannedStep, question: &Question) -> (Manner, ResponseTemplate) {
    let context = TokenContext {
        wall: question.clock.wall(),
        base_url: &question.base_url,
        mark: &question.mark,
        request_url: &question.request_url,
    };
    let mut lines = Vec::new();
    for header in &step.headers {
        let value = header.value.resolve(&context).into_bytes();
        lines.push((header.name.to_ascii_lowercase(), value));
    }
    let named = lines.iter().any(|(name, _)| name == "content-type");
    if let Some(media) = step.body.content_type.as_ref().filter(|_| !named) {
        lines.push(("content-type".into(), media.clone().into_bytes()));
    }
    let dated = step.body.text.reads_the_clock()
        || step
            .headers
            .iter()
            .any(|header| header.value.reads_the_clock());
    let owner = step.owner.as_ref();
    let manner = Manner {
        step: Some(index),
        meant_for: owner.filter(|owner| **owner != question.call).cloned(),
        lines,
        delay: step.delay,
        fault: step.fault,
        spelling: step.spelling,
        dated: if dated { Dated::Yes } else { Dated::No },
    };
    let body = step.body.text.resolve(&context).into_bytes();
    (
        manner,
        ResponseTemplate::new(step.status).set_body_bytes(body),
    )
}

/// The reply to what the script does not foresee.
fn beyond(text: &str) -> (Manner, ResponseTemplate) {
    let manner = Manner {
        lines: vec![
            ("content-type".into(), b"text/plain".to_vec()),
            (OVERFLOW_HEADER.into(), b"1".to_vec()),
        ],
        ..Manner::default()
    };
    (manner, ResponseTemplate::new(500).set_body_string(text))
}

/// Whoever looks at wiremock's own traffic sees the lines as far as it can
/// carry them; the tap writes them from the manner.
fn with_lines(template: ResponseTemplate, manner: &Manner) -> ResponseTemplate {
    const FRAMING: [&str; 4] = [
        "connection",
        "content-length",
        "transfer-encoding",
        "upgrade",
    ];
    let lines = manner.lines.iter();
    let carried = lines.filter_map(|(name, value)| {
        let name = wiremock::http::HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(value).ok()?;
        (!FRAMING.contains(&name.as_str())).then_some((name, value))
    });
    carried.fold(template, |template, (name, value)| {
        template.append_header(name, value)
    })
}
