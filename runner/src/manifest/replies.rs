//! Bodies and success statuses that an SDK accepts.
//!
//! Every SDK raises on a body that is not its own, so the named bodies of
//! fixtures (`ok`, `error`, `page`, `last-page`) come from its manifest, by
//! loop and verb; `*` stands for all others. A body that the verb does not have
//! is looked for under `*` of the loop, then under the loop `*`.

use std::collections::BTreeMap;

use crate::adapter::protocol::Verb;
use crate::fixture::{Body, json_text, tokens};
use crate::model::{LoopId, PlannedBody, TokenText};
use crate::yaml::{Fields, Node, Reader};

/// Keys of the replies of one verb.
pub(super) const REPLY_KEYS: [&str; 5] = ["ok", "error", "page", "last-page", "ok-status"];

/// Keys of a body.
pub(super) const BODY_KEYS: [&str; 3] = ["json", "text", "content-type"];

/// All replies of a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replies {
    /// By loop and verb; `None` is `*`.
    pub by_loop: BTreeMap<Option<LoopId>, BTreeMap<Option<Verb>, Reply>>,
}

/// Replies to one verb.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// A success.
    pub ok: Option<PlannedBody>,
    /// An error.
    pub error: Option<PlannedBody>,
    /// A page that has a next one.
    pub page: Option<PlannedBody>,
    /// The last page.
    pub last_page: Option<PlannedBody>,
    /// The status that a 200 of a fixture is sent with.
    pub ok_status: Option<u16>,
}

impl Replies {
    /// The body for a fixture's word; `None` if the manifest has none. A page
    /// that is not stated is a success.
    pub fn body(&self, loop_id: &LoopId, verb: Verb, body: &Body) -> Option<PlannedBody> {
        let json = |text: &TokenText| PlannedBody {
            content_type: Some("application/json".into()),
            text: text.clone(),
        };
        let ok = || self.find(loop_id, verb, |reply| reply.ok.clone());
        match body {
            Body::Ok => ok(),
            Body::Error => self.find(loop_id, verb, |reply| reply.error.clone()),
            Body::Page => self
                .find(loop_id, verb, |reply| reply.page.clone())
                .or_else(ok),
            Body::LastPage => self
                .find(loop_id, verb, |reply| reply.last_page.clone())
                .or_else(ok),
            Body::None => Some(PlannedBody::default()),
            Body::Json(text) => Some(json(text)),
            Body::Text(text) => Some(PlannedBody {
                content_type: Some("text/plain".into()),
                text: text.clone(),
            }),
        }
    }

    /// The status that a 200 of a fixture is sent with.
    pub fn ok_status(&self, loop_id: &LoopId, verb: Verb) -> u16 {
        self.find(loop_id, verb, |reply| reply.ok_status)
            .unwrap_or(200)
    }

    fn find<T>(
        &self,
        loop_id: &LoopId,
        verb: Verb,
        get: impl Fn(&Reply) -> Option<T>,
    ) -> Option<T> {
        [Some(loop_id.clone()), None].iter().find_map(|name| {
            let verbs = self.by_loop.get(name)?;
            [Some(verb), None]
                .iter()
                .find_map(|verb| get(verbs.get(verb)?))
        })
    }
}

/// Reads `replies`; `row` gives the specification's loop for the name of one.
pub(super) fn replies(
    reader: &Reader<'_, '_>,
    node: &Node,
    row: &dyn Fn(&Node) -> Option<LoopId>,
    verbs: &[(&str, Verb)],
) -> Option<Replies> {
    let words: Vec<_> = verbs
        .iter()
        .map(|(word, verb)| (*word, Some(*verb)))
        .chain([("*", None)])
        .collect();
    let mut by_loop = BTreeMap::new();
    for (key, value) in reader.entries(node, "replies")?.iter() {
        let name = match key.scalar() {
            Some(("*", _)) => Some(None),
            _ => row(key).map(Some),
        };
        let mut replies = BTreeMap::new();
        if let Some(fields) = reader.entries(value, "replies of a loop") {
            for (key, value) in fields.iter() {
                let verb = reader.word(key, "verb", &words);
                if let (Some(verb), Some(reply)) = (verb, reply(reader, value)) {
                    replies.insert(verb, reply);
                }
            }
        }
        if let Some(name) = name {
            by_loop.insert(name, replies);
        }
    }
    Some(Replies { by_loop })
}

fn reply(reader: &Reader<'_, '_>, node: &Node) -> Option<Reply> {
    let fields = reader.map(node, "replies of a verb", &REPLY_KEYS)?;
    let named = |key: &str| fields.get(key).and_then(|node| body(reader, node, key));
    Some(Reply {
        ok: named("ok"),
        error: named("error"),
        page: named("page"),
        last_page: named("last-page"),
        ok_status: fields
            .get("ok-status")
            .and_then(|node| reader.number(node, "ok-status", 200, 299)),
    })
}

fn body(reader: &Reader<'_, '_>, node: &Node, what: &str) -> Option<PlannedBody> {
    if node.plain() == Some("none") {
        return Some(PlannedBody::default());
    }
    let fields = reader.map(node, what, &BODY_KEYS)?;
    let (text, default_type) = text_of(reader, node, &fields)?;
    let content_type = match fields.get("content-type") {
        Some(node) => reader.text(node, "content-type")?.to_owned(),
        None => default_type.to_owned(),
    };
    Some(PlannedBody {
        content_type: Some(content_type),
        text,
    })
}

fn text_of(
    reader: &Reader<'_, '_>,
    node: &Node,
    fields: &Fields<'_>,
) -> Option<(TokenText, &'static str)> {
    match (fields.stated("json"), fields.stated("text")) {
        (Some(json), None) => Some((json_text(reader, json)?, "application/json")),
        (None, Some(text)) => {
            let content = reader.quoted(text, "text")?;
            Some((tokens(reader, text, content)?, "text/plain"))
        }
        _ => reader.note(
            reader
                .at(node, "a body is `none`, or has `json` or `text`")
                .hint("such as { json: '{\"id\":1}' }"),
        ),
    }
}
