//! What requests look like: derived from the call's other requests, and as
//! fixtures state it by hand.

use super::call::JudgedCall;
use crate::fixture::RequestExpect;
use crate::model::Exchange;
use crate::oracle::{Authorization, BodyOf, ExpectedRequest, MethodOf, Target};

/// Differences between each request and what the oracle knows of it.
pub(super) fn derived_requests(call: &JudgedCall<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let wanted = &call.expected.attempts;
    for (index, (wanted_here, seen)) in wanted.iter().zip(&call.seen.attempts).enumerate() {
        let first = wanted
            .iter()
            .position(|attempt| attempt.request.target == wanted_here.request.target)
            .and_then(|first| call.seen.attempts.get(first));
        let Some(first) = first else { continue };
        found.extend(
            one_request(&wanted_here.request, seen, first)
                .map(|text| format!("attempt {}: {text}", index + 1)),
        );
    }
    found
}

fn one_request(wanted: &ExpectedRequest, seen: &Exchange, first: &Exchange) -> Option<String> {
    let target = |exchange: &Exchange| (exchange.path.clone(), exchange.query.clone());
    if target(seen) != target(first) {
        return Some(match wanted.target {
            Target::Page(page) => format!("asks for another target than page {page} did before"),
            Target::HopTwo => "asks for another target than the redirect named".to_owned(),
        });
    }
    match wanted.method {
        MethodOf::Own if seen.method != first.method => {
            return Some(format!(
                "is a {}, the first was a {}",
                seen.method, first.method
            ));
        }
        MethodOf::Get if seen.method != "GET" => {
            return Some(format!("is a {}, expected GET", seen.method));
        }
        _ => {}
    }
    match wanted.body {
        BodyOf::Own if seen.body_digest != first.body_digest => {
            return Some(format!(
                "carries another body of {} bytes, the first had {}",
                seen.body_len, first.body_len
            ));
        }
        BodyOf::Lost if seen.body_len != 0 => {
            return Some("carries a body, expected none".to_owned());
        }
        _ => {}
    }
    let authorization = header(seen, "authorization");
    let agrees = match wanted.authorization {
        Authorization::Free => true,
        Authorization::First => authorization.is_some_and(|value| value.ends_with("t1")),
        Authorization::Second => authorization.is_some_and(|value| value.ends_with("t2")),
        Authorization::Absent => authorization.is_none(),
        Authorization::Present => authorization.is_some(),
    };
    (!agrees).then(|| {
        format!(
            "authorization is {authorization:?}, expected {:?}",
            wanted.authorization
        )
    })
}

fn header<'a>(exchange: &'a Exchange, name: &str) -> Option<&'a str> {
    exchange
        .headers
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.as_str())
}

/// Differences between each request and what the fixture states of it.
pub(super) fn authored_requests(call: &JudgedCall<'_>) -> Vec<String> {
    let stated = call
        .setting
        .case
        .expect
        .calls
        .get(call.seen.id)
        .and_then(|expect| expect.requests.as_ref());
    let mut found = Vec::new();
    for (index, (wanted, seen)) in stated
        .into_iter()
        .flatten()
        .zip(&call.seen.attempts)
        .enumerate()
    {
        let other = wanted.same_as.and_then(|number| {
            call.seen
                .attempts
                .get(usize::try_from(number).ok()?.checked_sub(1)?)
        });
        found.extend(
            stated_request(wanted, seen, other.copied())
                .into_iter()
                .map(|text| format!("attempt {}: {text}", index + 1)),
        );
    }
    found
}

fn stated_request(
    wanted: &RequestExpect,
    seen: &Exchange,
    same_as: Option<&Exchange>,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, wanted: Option<&String>, seen: &str| {
        if let Some(wanted) = wanted
            && wanted != seen
        {
            found.push(format!("{what} is `{seen}`, expected `{wanted}`"));
        }
    };
    compare("the method", wanted.method.as_ref(), &seen.method);
    compare("the path", wanted.path.as_ref(), &seen.path);
    compare("the query", wanted.query.as_ref(), &seen.query);
    compare("the body", wanted.body.as_ref(), &seen.body);
    for (name, value) in &wanted.header {
        let there = header(seen, name);
        if there != value.as_deref() {
            found.push(format!("header `{name}` is {there:?}, expected {value:?}"));
        }
    }
    if let Some(other) = same_as {
        let identity = |exchange: &Exchange| {
            (
                exchange.method.clone(),
                exchange.path.clone(),
                exchange.query.clone(),
                exchange.body_digest.clone(),
            )
        };
        if identity(seen) != identity(other) {
            found.push(format!(
                "is not the same request as attempt {}",
                wanted.same_as.unwrap_or(0)
            ));
        }
    }
    found
}
