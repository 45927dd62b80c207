//! A server that answers each request with the next step of its script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedSender;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Reply {
        status: u16,
        headers: Vec<(&'static str, String)>,
    },
    /// Cuts the connection without a word.
    Cut,
    /// Begins a body and cuts the connection within.
    CutInBody,
    /// Never answers.
    Stall,
}

pub(crate) fn reply(status: u16) -> Step {
    let headers = Vec::new();
    Step::Reply { status, headers }
}

pub(crate) fn told(status: u16, wait: &str) -> Step {
    reply(status).with("retry-after", wait)
}

impl Step {
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Reply { headers, .. } = &mut self {
            headers.push((name, value.to_owned()));
        }
        self
    }
}

/// What happened, in order: requests, hooks, waits, and how the call ended.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

/// Starts the server; what stalls is told to `stalled`.
pub(crate) async fn start(script: Vec<Step>, log: Log, stalled: UnboundedSender<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let script = Arc::new(Mutex::new(VecDeque::from(script)));
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let (script, log, stalled) = (Arc::clone(&script), Arc::clone(&log), stalled.clone());
            tokio::spawn(async move {
                let next = || script.lock().unwrap().pop_front().unwrap_or(Step::Cut);
                serve(connection, next, &log, &stalled).await;
            });
        }
    });
    format!("http://{address}/c")
}

async fn serve(
    mut connection: TcpStream,
    next: impl FnOnce() -> Step,
    log: &Log,
    stalled: &UnboundedSender<()>,
) {
    let Some(request) = read_request(&mut connection).await else {
        return;
    };
    log.lock().unwrap().push(request);
    let answer = match next() {
        Step::Reply { status, headers } => {
            let lines: String = headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect();
            format!(
                "HTTP/1.1 {status} X\r\n{lines}content-length: 2\r\nconnection: close\r\n\r\n{{}}"
            )
        }
        Step::CutInBody => "HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n{".to_owned(),
        Step::Cut => return,
        Step::Stall => {
            let _ = stalled.send(());
            std::future::pending().await
        }
    };
    connection.write_all(answer.as_bytes()).await.unwrap();
}

/// `PUT /items/7 t1 +12`: method, target, token, and length of the body.
async fn read_request(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let field = |name: &str| {
        let line = head.lines().find(|line| line.starts_with(name))?;
        line.split_once(": ").map(|(_, value)| value.to_owned())
    };
    let length = field("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head_end + length {
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let mut words = head.split(' ');
    let (method, target) = (words.next()?, words.next()?.strip_prefix("/c")?);
    let token =
        field("authorization").map_or_else(String::new, |value| value.replace("Bearer ", " "));
    let body = if length == 0 {
        String::new()
    } else {
        format!(" +{length}")
    };
    Some(format!("{method} {target}{token}{body}"))
}
