//! Delays, dates and the end of a case.

use holdoff::model::{
    DateShape, DateWindow, ExchangeKind, HttpDateToken, Letters, Piece, Span, WeekdayName,
};
use holdoff::tap::{DelayReason, HeldKind, Released, TapEvent};
use tokio::io::AsyncWriteExt;

use crate::kit::{Rig, plan, read_to_end, step, tokens};

fn date(secs: i128) -> Piece {
    Piece::HttpDate(HttpDateToken {
        offset: Span::from_secs(secs),
        shape: DateShape::Imf,
        letters: Letters::AsDefined,
        zone: None,
        weekday: WeekdayName::Right,
    })
}

#[tokio::test]
async fn a_delayed_reply_waits_for_its_release() {
    let mut delayed = step(200);
    delayed.delay = Some(Span::from_secs(10));
    delayed.headers.push(tokens("retry-after", vec![date(20)]));
    let mut rig = Rig::with(vec![delayed, step(201)]).await;
    rig.clock.set("5s");
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let (exchange, until) = rig.delayed().await;
    assert_eq!(until, Span::from_secs(15));
    let reason = DelayReason::Scripted;
    assert_eq!(
        rig.tap.held(rig.case)[0].kind,
        HeldKind::Delayed { until, reason }
    );
    while rig.tap.in_flight() > 0 {
        tokio::task::yield_now().await;
    }
    rig.clock.set("15s");
    assert_eq!(rig.tap.release(exchange), Released::Writing);
    assert_eq!(
        rig.tap.in_flight(),
        1,
        "from the release on it is work again"
    );
    let reply = read_to_end(&mut client).await;
    // 00:00:00.9 + 15 s + 20 s: the date is that of the reply, not of the request.
    assert!(
        reply.contains("retry-after: Tue, 01 Jan 2030 00:00:35 GMT\r\n"),
        "{reply}"
    );
    let seen = rig.exchanges().remove(0);
    assert_eq!(
        (seen.at, seen.replied_at),
        (Span::from_secs(5), Some(until))
    );
    assert_eq!(rig.tap.release(exchange), Released::Gone);
    assert!(
        rig.get("/").await.starts_with("HTTP/1.1 201 "),
        "asking again cost no step"
    );
}

#[tokio::test]
async fn a_delayed_reply_is_cut_when_the_client_gives_up() {
    let mut delayed = step(200);
    delayed.delay = Some(Span::from_secs(60));
    let mut rig = Rig::with(vec![delayed]).await;
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let (exchange, _) = rig.delayed().await;
    rig.clock.set("30s");
    drop(client);
    assert_eq!(rig.closed().await, Some(exchange));
    assert_eq!(rig.tap.release(exchange), Released::Gone);
    assert_eq!(rig.tap.in_flight(), 0);
    let seen = rig.exchanges().remove(0);
    assert_eq!(
        (seen.status, seen.replied_at),
        (None, Some(Span::from_secs(30)))
    );
}

#[tokio::test]
async fn dates_are_resolved_when_they_are_served() {
    let mut first = step(503);
    first.headers.push(tokens("retry-after", vec![date(120)]));
    first.headers.push(tokens(
        "x-ratelimit-reset",
        vec![Piece::EpochSeconds(Span::from_secs(60))],
    ));
    let rig = Rig::with(vec![first.clone(), first]).await;
    let reply = rig.get("/").await;
    assert!(
        reply.contains("retry-after: Tue, 01 Jan 2030 00:02:00 GMT\r\n"),
        "{reply}"
    );
    assert!(
        reply.contains("x-ratelimit-reset: 1893456060\r\n"),
        "{reply}"
    );
    rig.clock.set("1h");
    assert!(
        rig.get("/")
            .await
            .contains("retry-after: Tue, 01 Jan 2030 01:02:00 GMT\r\n")
    );
}

#[tokio::test]
async fn a_date_is_held_until_the_middle_of_a_second() {
    let mut dated = step(503);
    dated.headers.push(tokens("retry-after", vec![date(2)]));
    let mut plan = plan(vec![step(200), dated]);
    plan.clock.date_window = DateWindow::Held;
    let mut rig = Rig::open(plan).await;
    assert!(
        rig.get("/").await.starts_with("HTTP/1.1 200 "),
        "no date, no hold"
    );
    let mut client = rig.connect().await;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let delayed = rig.event(|event| match event {
        TapEvent::Delayed {
            exchange,
            until,
            reason,
            ..
        } => Some((*exchange, *until, *reason)),
        _ => None,
    });
    let (exchange, until, reason) = delayed.await;
    // The wall clock starts at .9 s.
    assert_eq!(
        (until, reason),
        (Span::from_millis(300), DelayReason::DateWindow)
    );
    rig.clock.set("300ms");
    rig.tap.release(exchange);
    let reply = read_to_end(&mut client).await;
    assert!(
        reply.contains("retry-after: Tue, 01 Jan 2030 00:00:03 GMT\r\n"),
        "{reply}"
    );
}

#[tokio::test]
async fn beyond_the_script_is_said_to_be_so() {
    let rig = Rig::with(vec![step(200)]).await;
    rig.get("/").await;
    let reply = rig.get("/").await;
    assert!(reply.starts_with("HTTP/1.1 500 ") && reply.contains("\r\nx-holdoff-overflow: 1\r\n"));
    let seen = rig.exchanges().remove(1);
    assert_eq!((seen.kind, seen.step), (ExchangeKind::Overflow, None));
    assert_eq!(seen.call, Some("a".into()));
}

#[tokio::test]
async fn what_comes_after_the_end_is_late() {
    let mut rig = Rig::with(vec![step(200), step(200)]).await;
    rig.get("/").await;
    let mut half = rig.connect().await;
    half.write_all(b"GET /half HTTP/1.1\r\n").await.unwrap();
    rig.event(|event| {
        matches!(event, TapEvent::RequestBegun { exchange, .. } if exchange.number == 1)
            .then_some(())
    })
    .await;
    let kinds = |rig: &Rig| -> Vec<_> {
        let taken = rig.tap.take_exchanges(rig.case);
        taken.iter().map(|seen| seen.kind).collect()
    };
    rig.tap.end(rig.case);
    assert_eq!(kinds(&rig), [ExchangeKind::Scripted, ExchangeKind::Partial]);
    assert!(rig.get("/").await.contains("\r\nx-holdoff-overflow: 1\r\n"));
    half.write_all(b"\r\n").await.unwrap();
    assert!(read_to_end(&mut half).await.starts_with("HTTP/1.1 500 "));
    assert_eq!(kinds(&rig), [ExchangeKind::Late, ExchangeKind::Late]);
}
