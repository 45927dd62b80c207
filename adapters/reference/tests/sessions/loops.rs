//! What the client sends again and what it does not: conforming, and under
//! each defect that shows in a session.

use serde_json::json;

use crate::bench::{Bench, CancelAt};
use crate::compare::compare;
use crate::server::{Step, reply, told};

#[tokio::test]
async fn only_what_the_loop_names_is_retried() {
    compare(
        Bench::read(vec![told(500, "7"), reply(200)]),
        "GET | status 500 told 7",
        &[(
            "retries-500",
            "GET | hook 1>2 7 500 | asks 7 | GET | returned 200",
        )],
    )
    .await;
    compare(
        Bench::read(vec![reply(404), reply(200)]),
        "GET | status 404",
        &[(
            "retries-404",
            "GET | hook 1>2 1 404 | asks 1 | GET | returned 200",
        )],
    )
    .await;
    for cut in [Step::Cut, Step::CutInBody] {
        compare(
            Bench::read(vec![cut, reply(200)]),
            "GET | hook 1>2 1 - | asks 1 | GET | returned 200",
            &[("transport-not-retried", "GET | transport")],
        )
        .await;
    }
    compare(
        Bench::read(vec![Step::Stall, reply(200)]),
        "GET | hook 1>2 1 - | asks 1 | GET | returned 200",
        &[("timeout-not-retried", "GET | timeout")],
    )
    .await;
}

#[tokio::test]
async fn writes_are_repeated_whole_or_not_at_all() {
    compare(
        Bench::new("operation", "write", vec![reply(503), reply(204)]),
        "PUT +12 | hook 1>2 1 503 | asks 1 | PUT +12 | returned 204",
        &[
            (
                "body-lost-on-retry",
                "PUT +12 | hook 1>2 1 503 | asks 1 | PUT | returned 204",
            ),
            (
                "method-lost-on-retry",
                "PUT +12 | hook 1>2 1 503 | asks 1 | GET | returned 204",
            ),
        ],
    )
    .await;
    compare(
        Bench::new(
            "operation",
            "write-unsafe",
            vec![told(503, "5"), reply(201)],
        ),
        "POST /items +12 | status 503 told 5",
        &[(
            "unsafe-post-retried",
            "POST /items +12 | hook 1>2 5 503 | asks 5 | POST /items +12 | returned 201",
        )],
    )
    .await;
    compare(
        Bench::new("operation", "upload", vec![reply(503), reply(200)]),
        "PUT /blobs/7 +4096 | hook 1>2 1 503 | asks 1 | PUT /blobs/7 +4096 | returned 200",
        &[],
    )
    .await;
}

#[tokio::test]
async fn a_cancellation_ends_a_wait_at_once() {
    let bench = |second| Bench::read(vec![told(503, "3600"), second]);
    let waiting = "GET | hook 1>2 3600 503 | asks 3600 | cancel";
    compare(
        bench(reply(200)).cancelled(CancelAt::Waiting),
        &format!("{waiting} | cancelled"),
        &[
            ("cancel-is-an-error", &format!("{waiting} | other")),
            (
                "cancel-ignored",
                &format!("{waiting} | waits on | GET | returned 200"),
            ),
            (
                "cancel-ignored-while-waiting",
                &format!("{waiting} | waits on | cancelled"),
            ),
        ],
    )
    .await;
    compare(
        bench(Step::Stall).cancelled(CancelAt::Waiting),
        &format!("{waiting} | cancelled"),
        &[(
            "cancel-ends-the-call-but-not-the-timer",
            &format!("{waiting} | cancelled | GET"),
        )],
    )
    .await;
    let at_its_end = bench(reply(200)).cancelled(CancelAt::EndOfWait);
    compare(at_its_end, &format!("{waiting} | cancelled"), &[]).await;
}

#[tokio::test]
async fn a_cancellation_wins_over_what_is_ready() {
    let script = vec![reply(503), reply(200)];
    compare(
        Bench::read(script.clone())
            .param("base_delay", json!("0"))
            .cancelled(CancelAt::OnRetry),
        "GET | hook 1>2 0 503 | cancelled",
        &[
            (
                "cancel-loses-to-ready-timer",
                "GET | hook 1>2 0 503 | asks 0 | GET | cancelled",
            ),
            (
                "cancel-ignored",
                "GET | hook 1>2 0 503 | asks 0 | GET | returned 200",
            ),
        ],
    )
    .await;
    compare(
        Bench::read(script).cancelled(CancelAt::BeforeStart),
        "cancelled",
        &[
            ("cancel-before-start-ignored", "GET | cancelled"),
            ("cancel-is-an-error", "other"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_download_has_a_bare_second_hop() {
    let bench = |hop_2| {
        let hop_1 = told(302, "60").with("location", "/c/signed");
        Bench::download(vec![hop_1, hop_2, reply(200)])
    };
    compare(
        bench(reply(200)),
        "GET /blobs/7 t1 | GET /signed | returned 200",
        &[
            (
                "hop-2-keeps-credentials",
                "GET /blobs/7 t1 | GET /signed t1 | returned 200",
            ),
            (
                "told-wait-on-redirect",
                "GET /blobs/7 t1 | asks 60 | GET /signed | returned 200",
            ),
        ],
    )
    .await;
    compare(
        bench(told(503, "9")),
        "GET /blobs/7 t1 | GET /signed | status 503 told 9",
        &[(
            "hop-2-retried",
            "GET /blobs/7 t1 | GET /signed | hook 1>2 9 503 | asks 9 | GET /signed | returned 200",
        )],
    )
    .await;
    let onward = reply(302).with("location", "/c/elsewhere");
    compare(
        bench(onward),
        "GET /blobs/7 t1 | GET /signed | status 302",
        &[],
    )
    .await;
}

#[tokio::test]
async fn a_download_retries_more_statuses_but_no_timeout() {
    let bench = |step| Bench::download(vec![step, reply(200)]);
    let retried = |status| {
        format!("GET /blobs/7 t1 | hook 1>2 1 {status} | asks 1 | GET /blobs/7 t1 | returned 200")
    };
    let ended = "GET /blobs/7 t1 | status 502";
    compare(
        bench(reply(502)),
        &retried("502"),
        &[("502-not-retried", ended)],
    )
    .await;
    compare(
        bench(told(504, "8")),
        "GET /blobs/7 t1 | hook 1>2 8 504 | asks 8 | GET /blobs/7 t1 | returned 200",
        &[("ignored-at-504", &retried("504"))],
    )
    .await;
    compare(bench(Step::Cut), &retried("-"), &[]).await;
    compare(bench(reply(500)), "GET /blobs/7 t1 | status 500", &[]).await;
    let timeout = "GET /blobs/7 t1 | timeout";
    compare(
        bench(Step::Stall),
        timeout,
        &[("timed-out-download-retried", &retried("-"))],
    )
    .await;
    let five = vec![reply(503), reply(503), reply(503), reply(503), reply(200)];
    let log = Bench::download(five)
        .param("max_attempts", json!(5))
        .run(None)
        .await;
    assert!(log.ends_with("hook 4>5 8 503 | asks 8 | GET /blobs/7 t1 | returned 200"));
}

#[tokio::test]
async fn each_page_is_an_operation_of_its_own() {
    let page_1 = told(200, "60").with("link", "</c/lists/7?page=2>; rel=\"next\"");
    let script = vec![page_1, told(429, "120"), reply(503), reply(200)];
    let (first, second) = ("GET /lists/7", "GET /lists/7?page=2");
    let hooks = ("hook 1>2 120 429 | asks 120", "hook 2>3 2 503 | asks 2");
    let (hook_1, hook_2) = hooks;
    compare(
        Bench::new("operation", "list", script),
        &format!("{first} | {second} | {hook_1} | {second} | {hook_2} | {second} | returned 200"),
        &[
            ("page-not-retried", &format!("{first} | {second} | rate-limited 429 told 120")),
            (
                "restarts-at-page-one",
                &format!("{first} | {second} | {hook_1} | {first} | {hook_2} | {first} | returned 200"),
            ),
            (
                "attempts-shared-by-pages",
                &format!("{first} | {second} | hook 2>3 120 429 | asks 120 | {second} | status 503"),
            ),
            (
                "told-wait-on-success",
                &format!("{first} | asks 60 | {second} | {hook_1} | {second} | {hook_2} | {second} | returned 200"),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_401_is_answered_by_one_refresh_and_one_replay() {
    let bench = |script| Bench::new("auth-refresh", "read", script).refreshable();
    compare(
        bench(vec![told(401, "120"), reply(200)]),
        "GET t1 | refresh | GET t2 | returned 200",
        &[
            ("refresh-not-tried", "GET t1 | auth 401 told 120"),
            (
                "backoff-before-replay",
                "GET t1 | refresh | asks 1 | GET t2 | returned 200",
            ),
            (
                "told-honoured-out-of-scope",
                "GET t1 | refresh | asks 120 | GET t2 | returned 200",
            ),
            (
                "replay-with-old-token",
                "GET t1 | refresh | GET t1 | returned 200",
            ),
        ],
    )
    .await;
    compare(
        bench(vec![reply(401), reply(401), reply(200)]),
        "GET t1 | refresh | GET t2 | auth 401",
        &[(
            "refreshes-twice",
            "GET t1 | refresh | GET t2 | refresh | GET t2 | returned 200",
        )],
    )
    .await;
    compare(
        bench(vec![reply(401), reply(200)]).param("max_attempts", json!(1)),
        "GET t1 | auth 401",
        &[("refresh-before-budget-check", "GET t1 | refresh | auth 401")],
    )
    .await;
    compare(
        bench(vec![reply(401), reply(503), reply(200)]).param("max_attempts", json!(2)),
        "GET t1 | refresh | GET t2 | status 503",
        &[(
            "replay-not-counted",
            "GET t1 | refresh | GET t2 | hook 2>3 1 503 | asks 1 | GET t2 | returned 200",
        )],
    )
    .await;
}
