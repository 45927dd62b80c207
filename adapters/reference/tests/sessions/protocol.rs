//! The protocol itself: greetings, refusals, several calls at once.

use serde_json::json;

use crate::bench::{Bench, Client};
use crate::server::{Log, reply, start, told};

#[tokio::test]
async fn the_greeting_names_the_client_and_its_zone() {
    let mut client = Client::start(None);
    let probe = ["2030-01-01T00:00:00Z", "2030-07-01T00:00:00Z"];
    let hello = json!({
        "type": "hello", "protocol": { "min": 1, "max": 1 }, "runner": "holdoff 0", "probe": probe,
    });
    client.send(hello).await;
    let answer = client.receive().await.unwrap();
    assert_eq!(answer["protocol"], 1);
    assert_eq!(answer["sdk"]["name"], "holdoff-reference");
    let offsets = answer["environment"]["zone_offsets"].as_array().unwrap();
    assert_eq!(offsets.len(), 2);
    client.send(json!({ "type": "shutdown" })).await;
    assert_eq!(client.receive().await, None);
}

#[tokio::test]
async fn what_cannot_be_run_is_said_and_what_is_not_known_is_ignored() {
    let mut client = Client::start(None);
    client.write("not json").await;
    client.send(json!({ "type": "rewind", "case": "c" })).await;
    let open = |kind: &str, params: serde_json::Value| {
        json!({
            "type": "open", "case": "c", "loop": kind, "base_url": "http://127.0.0.1:1",
            "params": params, "seed": 1, "clock": { "kind": "real" },
        })
    };
    for (kind, params, expected) in [
        (
            "device-poll",
            json!({}),
            "the reference client has no loop `device-poll`",
        ),
        (
            "operation",
            json!({ "interval": "5" }),
            "the reference client has no knob `interval`",
        ),
        (
            "operation",
            json!({ "max_attempts": "5" }),
            "`max_attempts` has a value of the wrong type",
        ),
    ] {
        client.send(open(kind, params)).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["type"], "unsupported");
        assert_eq!(answer["reason"], expected);
    }
    client.send(json!({ "type": "close", "case": "c" })).await;
    assert_eq!(client.receive().await.unwrap()["type"], "closed");
    client.send(json!({ "type": "end", "case": "c" })).await;
    assert_eq!(client.receive().await.unwrap()["type"], "ended");
}

#[tokio::test]
async fn a_verb_of_another_machine_is_unsupported() {
    let log = Bench::new("operation", "poll", vec![]).run(None).await;
    assert!(log.starts_with("unsupported: "), "{log}");
}

#[tokio::test]
async fn calls_run_at_once_and_the_end_stops_what_is_left() {
    let log = Log::default();
    let (stalled, _) = tokio::sync::mpsc::unbounded_channel();
    let script = vec![told(503, "60"), reply(200)];
    let base_url = start(script, log.clone(), stalled).await;
    let mut client = Client::start(None);
    client
        .send(json!({
            "type": "open", "case": "c", "loop": "operation", "base_url": base_url, "params": {},
            "seed": 1, "clock": { "kind": "injected", "now": "0", "wall": "2030-01-01T00:00:00Z" },
        }))
        .await;
    assert_eq!(client.receive().await.unwrap()["type"], "opened");
    let call = |name: &str| {
        let request = json!({ "do": "read", "mark": name });
        json!({ "type": "call", "case": "c", "call": name, "request": request })
    };
    client.send(call("waits")).await;
    loop {
        let message = client.receive().await.unwrap();
        if message["type"] == "sleep" && message.get("during").is_none() {
            break;
        }
    }
    client.send(call("returns")).await;
    loop {
        let message = client.receive().await.unwrap();
        if message["type"] == "result" {
            assert_eq!(message["call"], "returns");
            break;
        }
    }
    let advance = json!({
        "type": "advance", "case": "c", "to": "59", "wall": "2030-01-01T00:00:59Z",
    });
    client.send(advance).await;
    let advanced = client.receive().await.unwrap();
    assert_eq!(
        (&advanced["type"], &advanced["now"]),
        (&json!("advanced"), &json!("59"))
    );
    client.send(json!({ "type": "end", "case": "c" })).await;
    assert_eq!(client.receive().await.unwrap()["type"], "ended");
    assert_eq!(
        *log.lock().unwrap(),
        ["GET /items/waits", "GET /items/returns"]
    );
}

#[tokio::test]
async fn an_unknown_defect_is_refused() {
    let served = holdoff_reference::serve(
        tokio::io::empty(),
        tokio::io::sink(),
        String::new(),
        Some("ignored-at-530"),
    );
    let error = served.await.unwrap_err().to_string();
    assert!(error.contains("the nearest is `ignored-at-503`"), "{error}");
}
