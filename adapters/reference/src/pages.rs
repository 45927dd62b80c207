//! Lists: every page is an operation of its own.

use crate::call::{Call, Ending};
use crate::http::Request;
use crate::retry::Series;
use crate::wait::Wait;

/// Reads all pages; answers with the status of the last one.
pub(crate) async fn list(call: &mut Call) -> Result<u16, Ending> {
    let rules = call.case.behaviour.pages;
    let first = call.case.url(&["lists", call.request.mark.as_str()]);
    let mut page = first.clone();
    let mut counted = 0;
    loop {
        let mut series = Series::new(Request::get(page.clone()));
        series.with_credentials = call.credentials.refreshable;
        if page != first {
            series.repeatable = !rules.later_not_retried;
            series.restart = Some(first.clone());
        }
        if rules.attempts_shared {
            (series.sent, series.counted) = (counted, counted);
        }
        let reply = call.settle(&mut series).await?;
        call.success(&reply)?;
        counted = series.counted.saturating_add(1);
        // The page that was asked for last, should the series have moved.
        let Some(next) = reply.next_page(&series.request.url) else {
            return Ok(reply.status);
        };
        if next.origin() != first.origin() {
            return Err(Ending::other("the next page is on another server"));
        }
        if call.case.behaviour.told.on_success
            && let Some(told) = call.told(&reply).span()
        {
            call.pause(Wait::plain(told)).await?;
        }
        page = next;
    }
}
