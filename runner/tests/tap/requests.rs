//! What clients send, and what is recorded of it.

use holdoff::model::{ExchangeKind, Span};
use holdoff::tap::TapEvent;
use tokio::io::AsyncWriteExt;

use crate::kit::{Rig, read_reply, read_to_end, step, told};

#[tokio::test]
async fn a_request_is_recorded_and_answered() {
    let mut rig = Rig::with(vec![step(503)]).await;
    let reply = rig.get("/projects/7?page=1").await;
    assert_eq!(
        reply,
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: 7\r\nconnection: close\r\n\r\n{\"a\":1}"
    );
    let exchange = rig.exchanges().remove(0);
    assert_eq!(exchange.kind, ExchangeKind::Scripted);
    assert_eq!((exchange.connection, exchange.step), (1, Some(0)));
    assert_eq!(exchange.call, Some("a".into()));
    assert_eq!(
        (exchange.method.as_str(), exchange.path.as_str()),
        ("GET", "/projects/7")
    );
    assert_eq!(exchange.query, "page=1");
    assert_eq!(exchange.headers, [("host".into(), rig.host().into())]);
    assert_eq!(exchange.status, Some(503));
    assert_eq!(exchange.replied_at, Some(Span::ZERO));
    assert_eq!(rig.closed().await, None);
    assert_eq!(rig.tap.in_flight(), 0);
}

#[tokio::test]
async fn head_and_body_may_come_apart() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    client.write_all(b"PO").await.unwrap();
    rig.until(|seen| seen.len() == 1).await;
    rig.clock.set("2s");
    client
        .write_all(b"ST /e HTTP/1.1\r\nContent-Length: 4\r\n\r\n")
        .await
        .unwrap();
    rig.until(|seen| seen[0].path == "/e").await;
    assert_eq!(
        rig.tap.in_flight(),
        0,
        "a request that is not whole is no work"
    );
    rig.clock.set("5s");
    client.write_all(b"body").await.unwrap();
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 200 "));
    let exchange = rig.exchanges().remove(0);
    assert_eq!(
        (exchange.at, exchange.replied_at),
        (Span::ZERO, Some(Span::from_secs(5)))
    );
    assert_eq!((exchange.body.as_str(), exchange.body_len), ("body", 4));
    // sha256("body")
    assert!(exchange.body_digest.starts_with("230d8358dc8e8890"));
    let complete = rig.event(|event| match event {
        TapEvent::RequestComplete { at, .. } => Some(*at),
        _ => None,
    });
    assert_eq!(complete.await, Span::from_secs(5));
}

#[tokio::test]
async fn half_a_body_and_silence_is_quiet_and_partial() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    let half = b"POST /e HTTP/1.1\r\nContent-Length: 8\r\n\r\nhalf";
    client.write_all(half).await.unwrap();
    rig.until(|seen| seen.len() == 1 && seen[0].method == "POST")
        .await;
    assert_eq!(rig.tap.in_flight(), 0);
    rig.clock.set("30s");
    drop(client);
    assert!(rig.closed().await.is_some());
    let exchange = rig.exchanges().remove(0);
    assert_eq!(exchange.kind, ExchangeKind::Partial);
    assert_eq!((exchange.step, exchange.replied_at), (None, None));
}

#[tokio::test]
async fn chunked_bodies_are_put_together() {
    let rig = Rig::with(vec![step(200)]).await;
    let request = "POST /e HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
                   4;x=1\r\nab\r\n\r\n3\r\ncde\r\n0\r\nTrailer: 1\r\n\r\n";
    assert!(rig.exchange(request).await.starts_with("HTTP/1.1 200 "));
    assert_eq!(rig.exchanges()[0].body, "ab\r\ncde");
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_continue() {
    let rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    let head = b"PUT /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    client.write_all(head).await.unwrap();
    let mut interim = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut client, &mut interim)
        .await
        .unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write_all(b"ok").await.unwrap();
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn pipelined_requests_are_answered_one_at_a_time() {
    let mut kept = step(200);
    kept.headers.push(told("connection", "keep-alive"));
    let rig = Rig::with(vec![kept, step(201)]).await;
    let mut client = rig.connect().await;
    let both = b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n";
    client.write_all(both).await.unwrap();
    assert!(read_reply(&mut client).await.starts_with("HTTP/1.1 200 "));
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 201 "));
    let seen = rig.exchanges();
    let paths: Vec<_> = seen
        .iter()
        .map(|seen| (seen.path.as_str(), seen.connection))
        .collect();
    assert_eq!(paths, [("/1", 1), ("/2", 1)]);
}

#[tokio::test]
async fn a_reply_to_head_tells_a_length_and_has_no_body() {
    let rig = Rig::with(vec![step(200)]).await;
    let reply = rig.exchange("HEAD /1 HTTP/1.1\r\n\r\n").await;
    assert!(reply.contains("content-length: 7\r\n") && reply.ends_with("\r\n\r\n"));
    assert_eq!(rig.exchanges()[0].method, "HEAD");
}

#[tokio::test]
async fn odd_targets_reach_the_script() {
    let rig = Rig::with(vec![step(200), step(200), step(200)]).await;
    for target in ["/a|b[c]?{d}", "/é", "http://elsewhere/x?y"] {
        assert!(
            rig.get(target).await.starts_with("HTTP/1.1 200 "),
            "{target}"
        );
    }
    let seen = rig.exchanges();
    let paths: Vec<_> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/a|b[c]", "/é", "/x"]);
}

#[tokio::test]
async fn connections_are_numbered_and_reachable() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let first = rig.connect().await;
    let second = rig.connect().await;
    while rig.tap.sockets().len() < 2 {
        tokio::task::yield_now().await;
    }
    let numbers: Vec<_> = rig
        .tap
        .sockets()
        .iter()
        .map(|socket| socket.connection)
        .collect();
    assert_eq!(numbers, [1, 2]);
    drop((first, second));
    rig.closed().await;
    rig.closed().await;
    while !rig.tap.sockets().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(
        rig.exchanges().is_empty(),
        "a connection without bytes is no request"
    );
}

#[tokio::test]
async fn dropping_the_tap_closes_what_is_open() {
    let rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    while rig.tap.sockets().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(rig);
    assert_eq!(read_to_end(&mut client).await, "");
}
