//! Downloads: an authorized first hop, and a bare second one where it leads.

use reqwest::Url;

use crate::call::{Call, Ending};
use crate::http::{Reply, Request};
use crate::retry::{Series, no_reply};
use crate::wait::Wait;

/// Runs both hops; answers with the final status.
pub(crate) async fn run(call: &mut Call) -> Result<u16, Ending> {
    let url = call.case.url(&["blobs", call.request.mark.as_str()]);
    let mut series = Series::new(Request::get(url.clone()));
    series.with_credentials = true;
    let reply = call.settle(&mut series).await?;
    let reply = match reply.location(&url) {
        Some(target) => second_hop(call, &reply, target).await?,
        None => reply,
    };
    call.success(&reply)?;
    Ok(reply.status)
}

/// Never retried, never redirected, and without credentials: the address
/// itself is the permission.
async fn second_hop(call: &mut Call, redirect: &Reply, target: Url) -> Result<Reply, Ending> {
    if call.case.behaviour.told.on_redirect
        && let Some(told) = call.told(redirect).span()
    {
        call.pause(Wait::plain(told)).await?;
    }
    let rules = call.case.behaviour.hops;
    let mut request = Request::get(target);
    if rules.second_keeps_credentials {
        request.token = Some(call.credentials.token.to_owned());
    }
    if rules.second_retried {
        return call.settle(&mut Series::new(request)).await;
    }
    let asked = request.url.clone();
    let failed = match call.exchange(request).await? {
        Ok(reply) if reply.status < 400 => {
            return match reply.location(&asked) {
                Some(next) if rules.second_follows_redirects => {
                    Box::pin(second_hop(call, &reply, next)).await
                }
                _ => Ok(reply),
            };
        }
        Ok(reply) => call.failed_reply(&reply),
        Err(failure) => no_reply(failure),
    };
    Err(Ending::Raised(failed.error))
}
