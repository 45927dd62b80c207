//! Sessions with tiny adapters in processes of their own.

use std::collections::BTreeMap;

use super::protocol::{ClockKind, OpenClock, Verb};
use super::testing::role;
use super::{AdapterFault, OpenRequest, Opened, Said, Session};
use crate::model::{CallId, LoopId, Outcome, PlannedCall, Span};

fn open(case: &str, loop_name: &str) -> OpenRequest {
    OpenRequest {
        case: case.to_owned(),
        loop_id: LoopId::new(loop_name),
        base_url: "http://127.0.0.1:9".to_owned(),
        params: BTreeMap::new(),
        seed: 1,
        clock: OpenClock {
            kind: ClockKind::Real,
            now: None,
            wall: None,
            tick: None,
        },
    }
}

fn call(name: &str) -> PlannedCall {
    PlannedCall {
        id: CallId::new(name),
        verb: Verb::Read,
        mark: "1234567".to_owned(),
        cancel: None,
        auth: None,
    }
}

const LIMIT: Span = Span::from_secs(10);

/// Plays one call with an adapter in this role, up to what it answers.
async fn one_call(name: &str) -> Result<Said, AdapterFault> {
    let mut session = Session::start(&role(name)).await.unwrap();
    assert_eq!(
        session.open(open("c1", "operation")).await,
        Ok(Opened::Ready)
    );
    session.call(&call("a")).await?;
    let said = session.next().await;
    session.kill().await;
    said
}

#[tokio::test]
async fn a_case_goes_from_open_to_ended_and_the_process_to_its_own_end() {
    let mut session = Session::start(&role("chatty")).await.unwrap();
    assert_eq!(session.hello().sdk.name, "tiny");
    assert!(session.log_tail(9).contains(&"half a line".to_owned()));
    for case in ["c1", "c2"] {
        assert_eq!(
            session.open(open(case, "operation")).await,
            Ok(Opened::Ready)
        );
        session.call(&call("a")).await.unwrap();
        let said = session.next().await.unwrap();
        assert!(matches!(said, Said::Result { .. }), "{said:?}");
        session.close().await.unwrap();
        assert_eq!(session.next().await, Ok(Said::Closed));
        assert_eq!(session.end(LIMIT).await, Ok(()));
    }
    let refused = session.open(open("c3", "no-such-loop")).await.unwrap();
    assert!(matches!(refused, Opened::Unsupported(_)));
    session.shutdown().await;
}

#[tokio::test]
async fn a_process_that_cannot_start_is_blamed_for_that() {
    let mut spec = role("x");
    spec.argv = vec!["/nonexistent/adapter".to_owned()];
    let fault = Session::start(&spec).await.unwrap_err();
    assert!(matches!(fault, AdapterFault::Spawn { .. }), "{fault}");
    spec.argv.clear();
    assert!(Session::start(&spec).await.is_err());
}

#[tokio::test]
async fn a_start_without_hello_is_told_apart_from_a_death() {
    let mut mute = role("mute");
    mute.start_limit = Span::from_millis(200);
    let fault = Session::start(&mute).await.unwrap_err();
    assert_eq!(
        fault.to_string(),
        "was silent: no hello within 0.2s of real time; did you flush?"
    );
    let fault = Session::start(&role("dies-at-once")).await.unwrap_err();
    let AdapterFault::Crashed { status, log } = fault else {
        panic!("{fault}");
    };
    assert!(status.contains('3'), "{status}");
    assert!(log.contains(&"no such module: sdk".to_owned()), "{log:?}");
}

#[tokio::test]
async fn a_crash_names_its_signal_and_shows_the_log() {
    let fault = one_call("crashes").await.unwrap_err();
    let outcome = fault.outcome();
    let Outcome::Crashed { detail } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(detail.contains("sdk.rs:1"), "{detail}");
    #[cfg(unix)]
    assert!(detail.contains("SIGABRT"), "{detail}");
}

#[tokio::test]
async fn what_the_protocol_does_not_allow_is_refused_by_name() {
    for (role, word) in [
        ("wrong-call", "never asked for"),
        ("junk", "half a thought"),
        ("too-long", "longer than"),
    ] {
        let fault = one_call(role).await.unwrap_err();
        assert!(
            matches!(fault, AdapterFault::Protocol { .. }),
            "{role}: {fault}"
        );
        assert!(fault.to_string().contains(word), "{role}: {fault}");
    }
    let mut session = Session::start(&role("wrong-case")).await.unwrap();
    assert!(session.open(open("c1", "operation")).await.is_err());
}

#[tokio::test]
async fn a_second_answer_is_refused_even_at_the_end() {
    let mut session = Session::start(&role("answers-twice")).await.unwrap();
    session.open(open("c1", "operation")).await.unwrap();
    session.call(&call("a")).await.unwrap();
    assert!(session.next().await.is_ok());
    let fault = session.end(LIMIT).await.unwrap_err();
    assert!(fault.to_string().contains("answered twice"), "{fault}");
}

#[tokio::test]
async fn a_line_with_another_tag_is_log() {
    assert!(one_call("wrong-tag").await.is_ok());
}

#[tokio::test]
async fn a_sleep_is_refused_where_the_clock_is_not_injected() {
    let fault = one_call("sleeps-for-ever").await.unwrap_err();
    assert!(fault.to_string().contains("injected clock"), "{fault}");
}

#[tokio::test]
async fn a_flood_neither_blocks_nor_fills_the_log() {
    let mut session = Session::start(&role("floods")).await.unwrap();
    session.open(open("c1", "operation")).await.unwrap();
    session.call(&call("a")).await.unwrap();
    assert!(session.next().await.is_ok());
    let kept: usize = session.log_tail(usize::MAX).iter().map(String::len).sum();
    assert!(kept <= 64 << 10, "{kept}");
    session.shutdown().await;
}

#[tokio::test]
async fn an_adapter_that_never_ends_a_case_is_silent() {
    let mut session = Session::start(&role("never-ends")).await.unwrap();
    session.open(open("c1", "operation")).await.unwrap();
    let fault = session.end(Span::from_millis(100)).await.unwrap_err();
    assert!(matches!(fault, AdapterFault::Silent { .. }), "{fault}");
    session.kill().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_at_the_pipe_neither_hangs_us_nor_survives() {
    let fault = one_call("leaves-a-grandchild").await.unwrap_err();
    let AdapterFault::Crashed { status, log } = fault else {
        panic!("{fault}");
    };
    assert!(status.contains('7'), "{status}");
    let pid = log
        .iter()
        .find_map(|line| line.strip_prefix("grandchild ")?.parse().ok())
        .expect("the log names the grandchild");
    super::testing::gone(pid).await;
}
