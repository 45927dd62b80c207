//! What is saved of a case that a client of a few lines has played.

use holdoff::model::{Ending, Fault, Observation, PlannedHeader, Span};
use holdoff::replay::unserved;

use crate::kit::{Rig, plan, step, told};

fn retry_after(value: &str) -> Vec<PlannedHeader> {
    vec![told("retry-after", value)]
}

/// Sends until it is told no more to come back, and holds off as long as told.
async fn play(rig: &Rig) {
    let mut now = Span::ZERO;
    loop {
        let request = format!(
            "POST /events/1000001?v=2 HTTP/1.1\r\nHost: {}\r\nX-Attempt: yes\r\n\
             Content-Length: 9\r\n\r\n{{\"n\": 42}}",
            rig.host()
        );
        let reply = rig.exchange(&request).await;
        let Some((_, told)) = reply.split_once("retry-after: ") else {
            if reply.is_empty() {
                continue;
            }
            return;
        };
        now += format!("{}s", told.lines().next().unwrap())
            .parse()
            .unwrap();
        rig.clock.set(&now.to_string());
    }
}

#[tokio::test]
async fn a_played_case_is_saved() {
    let mut script = vec![step(429), step(503), step(503), step(200), step(200)];
    script[0].headers = retry_after("120");
    script[1].fault = Some(Fault::CloseBeforeReply);
    script[2].headers = retry_after("0.5");
    let rig = Rig::open(plan(script.clone())).await;
    play(&rig).await;
    rig.tap.end(rig.case);
    let exchanges = rig.tap.take_exchanges(rig.case);
    let observation = Observation {
        unserved: unserved(&script, &exchanges),
        exchanges,
        ending: Ending::Quiet,
        ..Observation::default()
    };
    let saved = serde_json::to_string_pretty(&observation).unwrap();
    let saved = saved.replace(rig.host(), "HOST");
    insta::assert_snapshot!("played_case", saved);
}
