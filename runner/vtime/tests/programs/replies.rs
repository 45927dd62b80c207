//! What the clients in Rust read of an answer.

use std::time::{Duration, SystemTime};

/// An answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) told: Option<String>,
    pub(crate) body: String,
}

impl Reply {
    /// Reads one that ends with its connection.
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let told = head
            .lines()
            .find_map(|line| line.strip_prefix("Retry-After: "));
        Self {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            told: told.map(str::to_owned),
            body: body.to_owned(),
        }
    }
}

/// How long an answer says to wait.
pub(crate) fn told_wait(value: &str, now: SystemTime) -> Duration {
    match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = httpdate::parse_http_date(value).unwrap();
            date.duration_since(now).unwrap_or_default()
        }
    }
}
