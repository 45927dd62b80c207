//! What goes wrong on the connection, as a client sees it.

use std::io::ErrorKind;

use holdoff::model::{ExchangeKind, Fault, PlannedStep, Span, Spelling};
use holdoff::tap::{HeldKind, Released, TapEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::kit::{Rig, plan, step, told};

fn faulty(fault: Fault) -> Vec<PlannedStep> {
    let mut faulty = step(503);
    faulty.fault = Some(fault);
    faulty.headers.push(told("retry-after", "9"));
    vec![faulty]
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let rig = Rig::with(faulty(Fault::Reset)).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let error = client.read_u8().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let exchange = rig.exchanges().remove(0);
    assert_eq!(
        (exchange.kind, exchange.step),
        (ExchangeKind::Scripted, Some(0))
    );
    assert_eq!(
        (exchange.status, exchange.replied_at),
        (None, Some(Span::ZERO))
    );
}

#[tokio::test]
async fn a_close_before_the_reply_is_an_end_of_file() {
    let rig = Rig::with(faulty(Fault::CloseBeforeReply)).await;
    assert_eq!(rig.get("/").await, "");
    let exchange = rig.exchanges().remove(0);
    assert_eq!(
        (exchange.status, exchange.replied_at),
        (None, Some(Span::ZERO))
    );
}

#[tokio::test]
async fn a_close_mid_body_tells_more_than_comes() {
    let rig = Rig::with(faulty(Fault::CloseMidBody)).await;
    let reply = rig.get("/").await;
    assert!(reply.starts_with("HTTP/1.1 503 ") && reply.contains("content-length: 64\r\n"));
    assert!(reply.ends_with("\r\n\r\n{\"a"));
    let exchange = rig.exchanges().remove(0);
    assert_eq!(exchange.status, Some(503));
    assert_eq!(exchange.reply_headers, [("retry-after".into(), "9".into())]);
}

#[tokio::test]
async fn a_malformed_status_is_no_status() {
    let rig = Rig::with(faulty(Fault::MalformedStatus)).await;
    assert!(
        rig.get("/")
            .await
            .starts_with("HTTP/1.1 banana\r\nretry-after: 9\r\n")
    );
    assert_eq!(rig.exchanges()[0].status, None);
}

#[tokio::test]
async fn a_stalled_reply_is_cut_when_the_client_gives_up() {
    let mut rig = Rig::with(faulty(Fault::Stall)).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let exchange = rig.stalled().await;
    while rig.tap.in_flight() > 0 {
        tokio::task::yield_now().await;
    }
    let held = rig.tap.held(rig.case);
    assert_eq!(
        (held[0].exchange, held[0].kind),
        (exchange, HeldKind::Stalled)
    );
    assert_eq!(
        rig.tap.release(exchange),
        Released::Gone,
        "a stall has no end"
    );
    rig.clock.set("30s");
    drop(client);
    assert_eq!(rig.closed().await, Some(exchange));
    let seen = rig.exchanges().remove(0);
    assert_eq!(
        (seen.status, seen.replied_at),
        (None, Some(Span::from_secs(30)))
    );
    assert!(rig.tap.held(rig.case).is_empty());
}

#[tokio::test]
async fn a_reply_that_stalls_mid_body_ends_when_the_client_gives_up() {
    let mut rig = Rig::with(faulty(Fault::StallMidBody)).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let exchange = rig.stalled().await;
    let mut half = Vec::new();
    while !half.ends_with(b"\r\n\r\n{\"a") {
        half.push(client.read_u8().await.unwrap());
    }
    assert_eq!(rig.tap.held(rig.case)[0].kind, HeldKind::Stalled);
    rig.clock.set("30s");
    drop(client);
    assert_eq!(rig.closed().await, Some(exchange));
    let seen = rig.exchanges().remove(0);
    assert_eq!(
        (seen.status, seen.replied_at),
        (Some(503), Some(Span::from_secs(30)))
    );
    assert!(rig.tap.held(rig.case).is_empty());
}

#[tokio::test]
async fn a_stalled_reply_stays_open_until_the_case_ends() {
    let mut rig = Rig::with(faulty(Fault::Stall)).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    rig.stalled().await;
    let exchanges = rig.tap.take_exchanges(rig.case);
    assert_eq!(
        (exchanges[0].step, exchanges[0].replied_at),
        (Some(0), None)
    );
    rig.tap.end(rig.case);
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn names_are_spelled_and_lines_repeated() {
    let mut spelled = step(429);
    spelled.spelling = Spelling::Title;
    spelled.headers = vec![
        told("retry-after", "3"),
        told("x-ratelimit-reset", "1"),
        told("retry-after", "\u{a0}9 "),
    ];
    let rig = Rig::with(vec![spelled]).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut reply = Vec::new();
    client.read_to_end(&mut reply).await.unwrap();
    let lines =
        b"\r\nRetry-After: 3\r\nX-Ratelimit-Reset: 1\r\nRetry-After: \xc2\xa09 \r\nContent-Type: ";
    assert!(reply.windows(lines.len()).any(|window| window == lines));
    let told = &rig.exchanges()[0].reply_headers;
    assert_eq!(told[2], ("retry-after".into(), "\u{a0}9 ".into()));
}

#[tokio::test]
async fn a_mock_server_that_does_not_answer_is_reported_as_ours() {
    let board = std::sync::Arc::new(holdoff::tap::Board::default());
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let mut rig = Rig::behind(board, address, plan(vec![step(200)])).await;
    assert!(rig.get("/").await.contains("\r\nx-holdoff-error: 1\r\n"));
    let reason = rig.event(|event| match event {
        TapEvent::Failed { reason, .. } => Some(reason.clone()),
        _ => None,
    });
    assert!(reason.await.starts_with("no answer from the mock server: "));
    let seen = rig.exchanges().remove(0);
    assert_eq!((seen.kind, seen.step), (ExchangeKind::Failed, None));
}

#[tokio::test]
async fn a_status_that_no_reply_can_have_does_not_stop_the_server() {
    let rig = Rig::with(vec![step(42), step(101), step(200)]).await;
    assert!(rig.get("/").await.starts_with("HTTP/1.1 500 "));
    assert!(rig.get("/").await.starts_with("HTTP/1.1 500 "));
    assert!(rig.get("/").await.starts_with("HTTP/1.1 200 "));
}
