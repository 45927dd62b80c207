//! Which request belongs to which call, and which step answers it.

use holdoff::model::{ExchangeKind, Piece, PrefixMode};
use holdoff::replay::unserved;

use crate::kit::{Rig, call, plan, step, tokens};

#[tokio::test]
async fn two_calls_are_told_apart_by_their_marks() {
    let mut plan = plan(vec![step(200); 4]);
    plan.actions = vec![call("a", "1000001"), call("b", "1000002")];
    let rig = Rig::open(plan).await;
    rig.get("/items/1000002").await;
    rig.get("/items?of=1000001").await;
    rig.exchange("GET / HTTP/1.1\r\nX-Event: n-1000002\r\n\r\n")
        .await;
    rig.exchange("POST / HTTP/1.1\r\nContent-Length: 13\r\n\r\n{\"e\":1000001}")
        .await;
    let reply = rig.get("/token").await;
    assert!(reply.starts_with("HTTP/1.1 404 "));
    let seen = rig.exchanges();
    let calls: Vec<_> = seen
        .iter()
        .map(|seen| seen.call.as_ref().map(|call| call.as_str()))
        .collect();
    assert_eq!(calls, [Some("b"), Some("a"), Some("b"), Some("a"), None]);
    assert_eq!(
        (seen[4].kind, seen[4].step),
        (ExchangeKind::Unrelated, None)
    );
}

#[tokio::test]
async fn a_step_meant_for_another_call_says_so() {
    let mut owned = step(200);
    owned.owner = Some("b".into());
    let mut plan = plan(vec![owned.clone(), owned, step(200)]);
    plan.actions = vec![call("a", "1000001"), call("b", "1000002")];
    let rig = Rig::open(plan).await;
    for target in ["/1000001", "/1000002", "/1000001"] {
        rig.get(target).await;
    }
    let seen = rig.exchanges();
    let meant: Vec<_> = seen
        .iter()
        .map(|seen| (seen.step, seen.meant_for.as_ref()))
        .collect();
    assert_eq!(
        meant,
        [
            (Some(0), Some(&"b".into())),
            (Some(1), None),
            (Some(2), None)
        ]
    );
}

#[tokio::test]
async fn only_what_is_below_the_prefix_is_the_case() {
    let mut plan = plan(vec![step(200)]);
    plan.prefix = PrefixMode::Random;
    let rig = Rig::open(plan).await;
    let prefix = rig.base_url.split_once(rig.host()).unwrap().1.to_owned();
    assert!(prefix.starts_with("/c/"));
    for target in ["/", "/favicon.ico", "/c/0", &format!("{prefix}0/x")] {
        assert!(
            rig.get(target).await.starts_with("HTTP/1.1 404 "),
            "{target}"
        );
    }
    assert!(
        rig.get(&format!("{prefix}/x"))
            .await
            .starts_with("HTTP/1.1 200 ")
    );
    let seen = rig.exchanges();
    assert_eq!(seen[1].path, "/favicon.ico");
    assert_eq!(seen[3].kind, ExchangeKind::Unrelated);
    assert_eq!(
        (seen[4].kind, seen[4].path.as_str()),
        (ExchangeKind::Scripted, "/x")
    );
}

#[tokio::test]
async fn steps_for_a_route_are_for_that_route() {
    let mut redirect = step(302);
    redirect
        .headers
        .push(tokens("location", vec![Piece::Url("hop2".into())]));
    let mut second = step(429);
    second.route = Some("hop2".into());
    let script = vec![redirect, second, step(200)];
    let rig = Rig::with(script.clone()).await;
    let reply = rig.get("/files/7").await;
    let target = format!("location: {}/hop2/1000001\r\n", rig.base_url);
    assert!(reply.contains(&target), "{reply}");
    let strayed = rig.get("/files/7").await;
    assert!(strayed.contains("x-holdoff-overflow"), "{strayed}");
    assert_eq!(unserved(&script, &rig.exchanges()), [1, 2]);
    assert!(rig.get("/hop2/1000001").await.starts_with("HTTP/1.1 429 "));
    assert!(rig.get("/files/7").await.starts_with("HTTP/1.1 200 "));
    assert!(unserved(&script, &rig.exchanges()).is_empty());
    assert!(
        rig.get("/hop2/1000001")
            .await
            .contains("x-holdoff-overflow")
    );
}

#[tokio::test]
async fn the_next_page_is_the_request_with_another_query() {
    let mut page = step(200);
    let next = Piece::RequestUrl("?page=2".into());
    page.headers.push(tokens(
        "link",
        vec![Piece::Text("<".into()), next, Piece::Text(">".into())],
    ));
    let rig = Rig::with(vec![page]).await;
    let link = format!("link: <{}/list/1000001?page=2>\r\n", rig.base_url);
    assert!(rig.get("/list/1000001?page=1").await.contains(&link));
}
