//! One operation: read, write, upload.

use reqwest::Method;

use crate::call::{Call, Ending};
use crate::http::{Body, Reply, Request};
use crate::protocol::Verb;
use crate::retry::Series;

const UPLOAD_BYTES: usize = 4_096;

/// Runs the call's one request; answers with the final status.
pub(crate) async fn run(call: &mut Call) -> Result<u16, Ending> {
    let mut series = Series::new(request(call));
    series.repeatable =
        call.request.verb != Verb::WriteUnsafe || call.case.behaviour.retries.unsafe_post;
    series.with_credentials = call.credentials.refreshable;
    let reply = call.settle(&mut series).await?;
    call.success(&reply)?;
    Ok(reply.status)
}

fn request(call: &Call) -> Request {
    let mark = call.request.mark.as_str();
    let (method, path, body) = match call.request.verb {
        Verb::Write => (Method::PUT, &["items", mark][..], Some(item(mark))),
        Verb::WriteUnsafe => (Method::POST, &["items"][..], Some(item(mark))),
        Verb::Upload => (Method::PUT, &["blobs", mark][..], Some(blob(mark))),
        _ => (Method::GET, &["items", mark][..], None),
    };
    Request {
        method,
        body,
        ..Request::get(call.case.url(path))
    }
}

fn item(mark: &str) -> Body {
    let json = serde_json::json!({ "mark": mark });
    Body {
        bytes: json.to_string().into_bytes(),
        content_type: "application/json",
    }
}

fn blob(mark: &str) -> Body {
    let mut bytes = mark.as_bytes().to_vec();
    bytes.resize(UPLOAD_BYTES, b'.');
    Body {
        bytes,
        content_type: "application/octet-stream",
    }
}

impl Call {
    /// Refuses a final reply below 400 that is no success: an operation
    /// follows no redirect.
    pub(crate) fn success(&mut self, reply: &Reply) -> Result<(), Ending> {
        if reply.is_success() {
            return Ok(());
        }
        Err(Ending::Raised(self.failed_reply(reply).error))
    }
}
