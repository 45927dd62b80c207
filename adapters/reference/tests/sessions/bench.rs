//! One call of the client, driven to its end under an injected clock.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::server::{self, Log, Step};

pub(crate) const TAG: &str = "@t:1 ";
/// 2030-01-01T00:00:00Z, a Tuesday.
const NEW_YEAR: i64 = 1_893_456_000;

/// When the test cancels the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CancelAt {
    /// Over the protocol, ten seconds into the first wait.
    Waiting,
    /// Over the protocol, at the instant at which the first wait ends.
    EndOfWait,
    /// Within the adapter, on the retry hook.
    OnRetry,
    /// Within the adapter, before anything is sent.
    BeforeStart,
}

/// One call and what the server answers to it.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    pub(crate) kind: &'static str,
    pub(crate) verb: &'static str,
    pub(crate) params: Value,
    pub(crate) script: Vec<Step>,
    pub(crate) cancel: Option<CancelAt>,
    pub(crate) refreshable: bool,
    pub(crate) tick: &'static str,
}

impl Bench {
    pub(crate) fn new(kind: &'static str, verb: &'static str, script: Vec<Step>) -> Self {
        Self {
            kind,
            verb,
            params: json!({ "max_jitter": "0" }),
            script,
            cancel: None,
            refreshable: false,
            tick: "0",
        }
    }

    pub(crate) fn read(script: Vec<Step>) -> Self {
        Self::new("operation", "read", script)
    }

    pub(crate) fn download(script: Vec<Step>) -> Self {
        Self::new("download", "download", script)
    }

    pub(crate) fn param(mut self, name: &str, value: Value) -> Self {
        self.params[name] = value;
        self
    }

    pub(crate) fn cancelled(mut self, at: CancelAt) -> Self {
        self.cancel = Some(at);
        self
    }

    pub(crate) fn refreshable(mut self) -> Self {
        self.refreshable = true;
        self
    }

    pub(crate) fn tick(mut self, tick: &'static str) -> Self {
        self.tick = tick;
        self
    }

    /// Runs the call and tells what happened, in order.
    pub(crate) async fn run(&self, defect: Option<&str>) -> String {
        let log = Log::default();
        let (stalled, stalls) = mpsc::unbounded_channel();
        let base_url = server::start(self.script.clone(), Arc::clone(&log), stalled).await;
        let client = Client::start(defect);
        let mut run = Run {
            client,
            log,
            stalls,
            now: 0.0,
            beside: None,
            cancel: self.cancel,
        };
        run.client.send(self.open(&base_url)).await;
        assert_eq!(run.client.next().await["type"], "opened");
        run.client.send(self.call()).await;
        run.finish().await
    }

    fn open(&self, base_url: &str) -> Value {
        json!({
            "type": "open", "case": "c", "loop": self.kind, "base_url": base_url,
            "params": self.params, "seed": 7,
            "clock": { "kind": "injected", "now": "0", "wall": wall(0.0), "tick": self.tick },
        })
    }

    fn call(&self) -> Value {
        let mut request = json!({ "do": self.verb, "mark": "7" });
        match self.cancel {
            Some(CancelAt::OnRetry) => request["cancel"] = json!("on-retry"),
            Some(CancelAt::BeforeStart) => request["cancel"] = json!("before-start"),
            _ => {}
        }
        if self.refreshable {
            request["auth"] = json!("refreshable");
        }
        json!({ "type": "call", "case": "c", "call": "a", "request": request })
    }
}

fn wall(now: f64) -> String {
    let nanos = i128::from(NEW_YEAR) * 1_000_000_000 + (now * 1e9) as i128;
    jiff::Timestamp::from_nanosecond(nanos).unwrap().to_string()
}

struct Run {
    client: Client,
    log: Log,
    stalls: UnboundedReceiver<()>,
    now: f64,
    /// Number and length of the timer beside the latest request.
    beside: Option<(Value, f64)>,
    cancel: Option<CancelAt>,
}

impl Run {
    async fn finish(&mut self) -> String {
        loop {
            let message = tokio::select! {
                message = self.client.next() => message,
                Some(()) = self.stalls.recv() => {
                    let (n, limit) = self.beside.take().unwrap();
                    self.sleep(n, limit).await;
                    continue;
                }
            };
            match message["type"].as_str().unwrap() {
                "sleep" if message["during"] == "request" => {
                    let limit = seconds(&message["duration"]);
                    self.beside = Some((message["n"].clone(), limit));
                }
                "sleep" => self.asked(&message).await,
                "event" => self.note(event(&message)),
                "result" => {
                    self.note(outcome(&message["outcome"]));
                    self.client
                        .send(json!({ "type": "end", "case": "c" }))
                        .await;
                }
                "ended" => return self.log.lock().unwrap().join(" | "),
                other => panic!("unexpected {other}"),
            }
        }
    }

    fn note(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    async fn asked(&mut self, message: &Value) {
        self.note(format!("asks {}", message["duration"].as_str().unwrap()));
        let (n, rest) = (message["n"].clone(), seconds(&message["duration"]));
        match self.cancel.take() {
            Some(CancelAt::Waiting) => {
                self.cancel_call().await;
                if self.client.peek().await == Some("result") {
                    self.watch_after_result(n, rest).await;
                } else {
                    self.note("waits on".into());
                    self.sleep(n, rest).await;
                }
            }
            Some(CancelAt::EndOfWait) => {
                self.cancel_call().await;
                self.sleep(n, rest).await;
            }
            _ => self.sleep(n, rest).await,
        }
    }

    /// Lets the wait of a call that has ended run out; whatever is sent then
    /// meets a server that stalls.
    async fn watch_after_result(&mut self, n: Value, rest: f64) {
        let result = self.client.next().await;
        self.note(outcome(&result["outcome"]));
        self.sleep(n, rest).await;
        if self.client.peek().await == Some("sleep") {
            self.stalls.recv().await;
        }
        self.client
            .send(json!({ "type": "end", "case": "c" }))
            .await;
    }

    async fn cancel_call(&mut self) {
        let cancel = json!({ "type": "cancel", "case": "c", "call": "a" });
        self.client.send(cancel).await;
        self.note("cancel".into());
    }

    async fn sleep(&mut self, n: Value, length: f64) {
        self.now += length.max(0.0);
        let (now, wall) = (format!("{:.9}", self.now), wall(self.now));
        let slept = json!({ "type": "slept", "case": "c", "n": n, "now": now, "wall": wall });
        self.client.send(slept).await;
    }
}

fn seconds(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

/// `hook 1>2 120 503`, or `refresh`.
fn event(message: &Value) -> String {
    if message["event"] == "refresh" {
        return "refresh".into();
    }
    let status = message["status"]
        .as_u64()
        .map_or("-".into(), |status| status.to_string());
    format!(
        "hook {}>{} {} {status}",
        message["failed_attempt"],
        message["next_attempt"],
        message["delay"].as_str().unwrap(),
    )
}

/// `returned 200`, `cancelled`, `status 503 told 120`.
fn outcome(outcome: &Value) -> String {
    match outcome["kind"].as_str().unwrap() {
        "returned" => format!("returned {}", outcome["status"]),
        "raised" => {
            let error = &outcome["error"];
            let mut words = error["kind"].as_str().unwrap().to_owned();
            if let Some(status) = error["status"].as_u64() {
                words = format!("{words} {status}");
            }
            if let Some(told) = error["retry_after"].as_str() {
                words = format!("{words} told {told}");
            }
            words
        }
        "unsupported" => format!("unsupported: {}", outcome["reason"].as_str().unwrap()),
        other => other.to_owned(),
    }
}

/// The client, served in this process.
pub(crate) struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    peeked: Option<Value>,
}

impl Client {
    pub(crate) fn start(defect: Option<&str>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (output, input) = tokio::io::split(ours);
        let defect = defect.map(str::to_owned);
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            let read = BufReader::new(read);
            let served = holdoff_reference::serve(read, write, TAG.into(), defect.as_deref());
            served.await.unwrap();
        });
        Self {
            input,
            output: BufReader::new(output).lines(),
            peeked: None,
        }
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(&message.to_string()).await;
    }

    pub(crate) async fn write(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    /// The next message, or `None` at the end of the client's output.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        if let Some(message) = self.peeked.take() {
            return Some(message);
        }
        let line = self.output.next_line().await.unwrap()?;
        let json = line.strip_prefix(TAG).expect("every line is tagged");
        Some(serde_json::from_str(json).unwrap())
    }

    async fn next(&mut self) -> Value {
        self.receive().await.expect("the client still runs")
    }

    /// The type of the next message, if the client has one at once; waiting
    /// longer than its own thread needs would be guessing.
    async fn peek(&mut self) -> Option<&str> {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let ready = std::future::poll_fn(|context| {
            let mut next = std::pin::pin!(self.output.next_line());
            match std::future::Future::poll(next.as_mut(), context) {
                std::task::Poll::Ready(line) => std::task::Poll::Ready(line.unwrap()),
                std::task::Poll::Pending => std::task::Poll::Ready(None),
            }
        });
        let line = ready.await?;
        let json = line.strip_prefix(TAG).expect("every line is tagged");
        self.peeked = Some(serde_json::from_str(json).unwrap());
        self.peeked.as_ref()?["type"].as_str()
    }
}

/// Only to show what the log is.
#[tokio::test]
async fn the_log_tells_a_call_from_its_first_request_to_its_end() {
    let script = vec![server::told(503, "120"), server::reply(200)];
    let log = Bench::read(script).run(None).await;
    assert_eq!(
        log,
        "GET /items/7 | hook 1>2 120 503 | asks 120 | GET /items/7 | returned 200"
    );
}
