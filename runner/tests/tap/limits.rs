//! Hostile and oversized requests never reach the script.

use holdoff::model::ExchangeKind;
use holdoff::tap::TapEvent;
use tokio::io::AsyncWriteExt;

use crate::kit::{Rig, read_to_end, step};

async fn is_refused(rig: &mut Rig, status: u16) {
    let at = rig.event(|event| match event {
        TapEvent::Malformed { at, .. } => Some(*at),
        _ => None,
    });
    at.await;
    let exchange = rig.exchanges().remove(0);
    assert_eq!(exchange.kind, ExchangeKind::Malformed);
    assert_eq!((exchange.status, exchange.step), (Some(status), None));
    assert!(
        rig.get("/").await.starts_with("HTTP/1.1 200 "),
        "the script was not touched"
    );
}

#[tokio::test]
async fn a_junk_request_line_is_refused_before_its_end() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    client.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 400 "));
    is_refused(&mut rig, 400).await;
}

#[tokio::test]
async fn an_endless_head_is_refused() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let request = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(65 * 1024));
    assert!(rig.exchange(&request).await.starts_with("HTTP/1.1 431 "));
    is_refused(&mut rig, 431).await;
}

#[tokio::test]
async fn many_headers_are_read_and_too_many_are_refused() {
    let rig = Rig::with(vec![step(200)]).await;
    let lines = |count: usize| {
        let lines: String = (0..count).map(|n| format!("X-{n}: {n}\r\n")).collect();
        format!("GET / HTTP/1.1\r\n{lines}\r\n")
    };
    assert!(rig.exchange(&lines(120)).await.starts_with("HTTP/1.1 200 "));
    assert_eq!(rig.exchanges()[0].headers.len(), 120);
    assert_eq!(
        rig.exchanges()[0].headers[119],
        ("x-119".into(), "119".into())
    );

    let mut rig = Rig::with(vec![step(200)]).await;
    assert!(rig.exchange(&lines(201)).await.starts_with("HTTP/1.1 431 "));
    is_refused(&mut rig, 431).await;
}

#[tokio::test]
async fn a_body_of_300_mib_is_refused_and_read_away() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    let head = b"POST / HTTP/1.1\r\nContent-Length: 314572800\r\n\r\n";
    client.write_all(head).await.unwrap();
    let mebibyte = vec![b'x'; 1024 * 1024];
    for _ in 0..300 {
        client.write_all(&mebibyte).await.unwrap();
    }
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 413 "));
    assert_eq!(rig.exchanges()[0].body_len, 314_572_800);
    assert_eq!(rig.exchanges()[0].body, "");
    drop(client);
    is_refused(&mut rig, 413).await;
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_refused() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let mut client = rig.connect().await;
    client
        .write_all(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        .await
        .unwrap();
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(0x10_0000));
    for _ in 0..9 {
        client.write_all(chunk.as_bytes()).await.unwrap();
    }
    assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 413 "));
    drop(client);
    is_refused(&mut rig, 413).await;
}

#[tokio::test]
async fn a_body_at_the_limit_is_read_whole() {
    let rig = Rig::with(vec![step(200)]).await;
    let body = "x".repeat(8 * 1024 * 1024);
    let request = format!(
        "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert!(rig.exchange(&request).await.starts_with("HTTP/1.1 200 "));
    let exchange = rig.exchanges().remove(0);
    assert_eq!(
        (exchange.body_len, exchange.body.len()),
        (8 * 1024 * 1024, 64 * 1024)
    );
}

#[tokio::test]
async fn a_broken_chunk_is_refused() {
    let mut rig = Rig::with(vec![step(200)]).await;
    let request = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n";
    assert!(rig.exchange(request).await.starts_with("HTTP/1.1 400 "));
    is_refused(&mut rig, 400).await;
}
