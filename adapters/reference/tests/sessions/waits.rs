//! How long the client waits and how often: conforming, and under each defect
//! that shows in a session. What only the parser shows is tested there.

use serde_json::json;

use crate::bench::Bench;
use crate::compare::compare;
use crate::server::{reply, told};

#[tokio::test]
async fn a_told_wait_replaces_the_local_delay() {
    compare(
        Bench::read(vec![told(503, "130"), reply(200)]),
        "GET | hook 1>2 130 503 | asks 130 | GET | returned 200",
        &[
            (
                "header-never-read",
                "GET | hook 1>2 1 503 | asks 1 | GET | returned 200",
            ),
            (
                "ignored-at-503",
                "GET | hook 1>2 1 503 | asks 1 | GET | returned 200",
            ),
            (
                "second-added-to-told-wait",
                "GET | hook 1>2 131 503 | asks 131 | GET | returned 200",
            ),
            (
                "cap-30s",
                "GET | hook 1>2 30 503 | asks 30 | GET | returned 200",
            ),
            (
                "cap-60s",
                "GET | hook 1>2 60 503 | asks 60 | GET | returned 200",
            ),
            (
                "shortened-to-fit",
                "GET | hook 1>2 30 503 | asks 30 | GET | returned 200",
            ),
            (
                "discarded-above-60s",
                "GET | hook 1>2 1 503 | asks 1 | GET | returned 200",
            ),
            ("gives-up-above-120s", "GET | status 503 told 130"),
            (
                "told-added-to-backoff",
                "GET | hook 1>2 131 503 | asks 131 | GET | returned 200",
            ),
            (
                "shorter-wins",
                "GET | hook 1>2 1 503 | asks 1 | GET | returned 200",
            ),
            (
                "seconds-as-milliseconds",
                "GET | hook 1>2 0.13 503 | asks 0.13 | GET | returned 200",
            ),
            (
                "hook-reports-backoff",
                "GET | hook 1>2 1 503 | asks 130 | GET | returned 200",
            ),
            (
                "hook-counts-from-zero",
                "GET | hook 0>1 130 503 | asks 130 | GET | returned 200",
            ),
            (
                "hook-after-wait",
                "GET | asks 130 | hook 1>2 130 503 | GET | returned 200",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_short_told_wait_is_no_longer_than_told() {
    compare(
        Bench::read(vec![told(429, "2"), reply(200)]).param("base_delay", json!("9")),
        "GET | hook 1>2 2 429 | asks 2 | GET | returned 200",
        &[
            (
                "ignored-at-429",
                "GET | hook 1>2 9 429 | asks 9 | GET | returned 200",
            ),
            (
                "told-is-a-floor",
                "GET | hook 1>2 9 429 | asks 9 | GET | returned 200",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_the_host_cannot_schedule_saturates() {
    let bench = |value| Bench::read(vec![told(503, value), reply(200)]);
    let one_second = "GET | hook 1>2 1 503 | asks 1 | GET | returned 200";
    compare(
        bench("9223372037"),
        "GET | hook 1>2 2147483647 503 | asks 2147483647 | GET | returned 200",
        &[
            ("over-range-raises", "GET | other"),
            ("over-range-falls-back", one_second),
            (
                "wraps-at-64-bit-nanoseconds",
                "GET | hook 1>2 0 503 | asks 0 | GET | returned 200",
            ),
            (
                "timer-overflow-fires-at-once",
                "GET | hook 1>2 0.001 503 | asks 0.001 | GET | returned 200",
            ),
            (
                "cap-24h",
                "GET | hook 1>2 86400 503 | asks 86400 | GET | returned 200",
            ),
        ],
    )
    .await;
    compare(
        bench("4294968"),
        "GET | hook 1>2 4294968 503 | asks 4294968 | GET | returned 200",
        &[(
            "wraps-at-32-bits",
            "GET | hook 1>2 0.704 503 | asks 0.704 | GET | returned 200",
        )],
    )
    .await;
    compare(
        bench("99999999999999999999"),
        one_second,
        &[("over-range-raises", "GET | other")],
    )
    .await;
}

#[tokio::test]
async fn what_is_malformed_falls_back_to_the_local_delay() {
    let local = "GET | hook 1>2 1 503 | asks 1 | GET | returned 200";
    let zero = "GET | hook 1>2 0 503 | asks 0 | GET | returned 200";
    for (value, defect, instead) in [
        ("0", "zero-is-now", zero),
        ("", "empty-is-zero", zero),
        ("Mon, 31 Dec 2029 23:59:00 GMT", "past-date-is-now", zero),
        (
            "-5",
            "negative-slept",
            "GET | hook 1>2 -5 503 | asks -5 | GET | returned 200",
        ),
        ("3, 9", "repeated-header-raises", "GET | other"),
    ] {
        let bench = Bench::read(vec![told(503, value), reply(200)]);
        compare(bench, local, &[(defect, instead)]).await;
    }
    let twice = told(503, "3").with("retry-after", "9");
    compare(
        Bench::read(vec![twice, reply(200)]),
        local,
        &[(
            "first-of-list",
            "GET | hook 1>2 3 503 | asks 3 | GET | returned 200",
        )],
    )
    .await;
}

#[tokio::test]
async fn exhaustion_raises_the_last_error() {
    compare(
        Bench::read(vec![told(429, "70"), reply(503), told(503, "90"), reply(200)]),
        "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | status 503 told 90",
        &[
            (
                "first-error-raised",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | rate-limited 429 told 70",
            ),
            (
                "retry-after-missing-on-error",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | status 503",
            ),
            (
                "retry-after-clamped-on-error",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | status 503 told 60",
            ),
            (
                "one-attempt-too-many",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | hook 3>4 90 503 | asks 90 | GET | returned 200",
            ),
            ("one-attempt-too-few", "GET | hook 1>2 70 429 | asks 70 | GET | status 503"),
            (
                "sleeps-after-last-attempt",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | asks 90 | status 503 told 90",
            ),
            (
                "throttled-not-counted",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | hook 3>4 90 503 | asks 90 | GET | returned 200",
            ),
            ("retried-only-if-told", "GET | hook 1>2 70 429 | asks 70 | GET | status 503"),
            (
                "backoff-skips-told-waits",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 1 503 | asks 1 | GET | status 503 told 90",
            ),
            (
                "first-told-wait-reused",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 70 503 | asks 70 | GET | status 503 told 90",
            ),
            (
                "backoff-constant",
                "GET | hook 1>2 70 429 | asks 70 | GET | hook 2>3 1 503 | asks 1 | GET | status 503 told 90",
            ),
        ],
    )
    .await;
    compare(
        Bench::read(vec![told(503, "70"), told(503, "80"), reply(200)]),
        "GET | hook 1>2 70 503 | asks 70 | GET | hook 2>3 80 503 | asks 80 | GET | returned 200",
        &[(
            "option-lost-on-second-wait",
            "GET | hook 1>2 70 503 | asks 70 | GET | hook 2>3 2 503 | asks 2 | GET | returned 200",
        )],
    )
    .await;
    compare(
        Bench::read(vec![reply(503), reply(200)]).param("max_attempts", json!(0)),
        "GET | status 503",
        &[(
            "zero-retries-not-zero",
            "GET | hook 1>2 1 503 | asks 1 | GET | returned 200",
        )],
    )
    .await;
}

#[tokio::test]
async fn one_decision_reads_the_clock_once() {
    let date = "Tue, 01 Jan 2030 00:00:20 GMT";
    compare(
        Bench::read(vec![told(503, "20"), told(503, date), reply(200)]).tick("1"),
        // The date is read at 20 s, when its moment has come.
        "GET | hook 1>2 20 503 | asks 20 | GET | hook 2>3 2 503 | asks 2 | GET | returned 200",
        &[(
            "two-clock-readings",
            "GET | hook 1>2 20 503 | asks 19 | GET | hook 2>3 2 503 | asks 2 | GET | returned 200",
        )],
    )
    .await;
    compare(
        Bench::read(vec![told(503, date), reply(200)]).tick("1"),
        "GET | hook 1>2 20 503 | asks 20 | GET | returned 200",
        &[(
            "two-clock-readings",
            "GET | hook 1>2 19 503 | asks 19 | GET | returned 200",
        )],
    )
    .await;
    compare(
        Bench::read(vec![told(503, "3"), reply(200)]),
        "GET | hook 1>2 3 503 | asks 3 | GET | returned 200",
        &[(
            "deadline-on-the-wall-clock",
            "GET | hook 1>2 3 503 | asks 1 | asks 1 | asks 1 | GET | returned 200",
        )],
    )
    .await;
}

#[tokio::test]
async fn jitter_belongs_to_the_local_delay_alone() {
    let asked = async |defect| {
        let script = vec![told(503, "100"), reply(503), reply(200)];
        let bench = Bench::read(script).param("max_jitter", json!("0.5"));
        let log = bench.run(defect).await;
        let asks = log
            .split(" | ")
            .filter_map(|line| line.strip_prefix("asks "));
        let asks: Vec<f64> = asks.map(|ask| ask.parse().unwrap()).collect();
        (asks[0], asks[1])
    };
    let (told, local) = asked(None).await;
    assert_eq!(told, 100.0);
    assert!(local > 2.0 && local <= 2.5, "{local}");
    assert_eq!(asked(Some("jitter-missing")).await, (100.0, 2.0));
    let (up, _) = asked(Some("jitter-up-on-told-wait")).await;
    assert!(up > 100.0 && up <= 100.5, "{up}");
    let (down, _) = asked(Some("jitter-down-on-told-wait")).await;
    assert!((50.0..100.0).contains(&down), "{down}");
    let (spread, _) = asked(Some("jitter-multiplied-on-told-wait")).await;
    assert!(
        spread != 100.0 && (80.0..=120.0).contains(&spread),
        "{spread}"
    );
}
