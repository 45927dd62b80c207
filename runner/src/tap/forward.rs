use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::event::ExchangeId;
use super::head::Head;

/// Names the exchange in a request to wiremock.
pub const EXCHANGE_HEADER: &str = "x-holdoff-exchange";

/// hyper reads 100 header lines at most; our own come on top.
const FORWARDED_LINES: usize = 90;

/// What belongs to the client's connection and not to ours (RFC 9110 §7.6.1).
const HOP_BY_HOP: [&str; 11] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
    "content-length",
    "expect",
    "host",
];

/// What wiremock answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Asks wiremock for the answer to a request, on a connection of its own.
///
/// # Errors
/// If wiremock cannot be reached or does not answer with HTTP.
pub(super) async fn ask(
    upstream: SocketAddr,
    exchange: ExchangeId,
    head: &Head,
    body: &[u8],
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(upstream).await?;
    stream.set_nodelay(true)?;
    let mut request = request_head(upstream, exchange, head, body.len());
    request.extend_from_slice(body);
    stream.write_all(&request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    read_answer(&answer).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn request_head(
    upstream: SocketAddr,
    exchange: ExchangeId,
    head: &Head,
    body_length: usize,
) -> Vec<u8> {
    // HEAD has answers without bodies; the tap leaves them out itself.
    let method = if head.method == "HEAD" {
        "GET"
    } else {
        &head.method
    };
    let query = if head.query.is_empty() {
        String::new()
    } else {
        format!("?{}", head.query)
    };
    let target = safe_target(&format!("{}{query}", head.path));
    let mut bytes = format!(
        "{method} {target} HTTP/1.1\r\nhost: {upstream}\r\nconnection: close\r\n\
         content-length: {body_length}\r\n{EXCHANGE_HEADER}: {exchange}\r\n"
    )
    .into_bytes();
    let forwarded = head.lines.iter().filter(|line| {
        let ours = line.name.eq_ignore_ascii_case(EXCHANGE_HEADER);
        let readable = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~' | 0x80..);
        !ours && !is_hop_by_hop(&line.name) && line.value.iter().all(readable)
    });
    for line in forwarded.take(FORWARDED_LINES) {
        bytes.extend_from_slice(line.name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(&line.value);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}

fn is_hop_by_hop(name: &str) -> bool {
    HOP_BY_HOP.iter().any(|hop| name.eq_ignore_ascii_case(hop))
}

/// wiremock panics on a target that is no part of a URL, so what may not stand
/// there is percent-encoded.
fn safe_target(target: &str) -> String {
    let mut safe = String::with_capacity(target.len() + 1);
    if !target.starts_with('/') {
        safe.push('/');
    }
    for byte in target.bytes() {
        if byte.is_ascii_alphanumeric() || b"/?-._~!$&'()*+,;=:@%".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            safe.push_str(&format!("%{byte:02X}"));
        }
    }
    safe
}

fn read_answer(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let line = std::str::from_utf8(bytes.get(..end)?.split(|b| *b == b'\r').next()?).ok()?;
    let status = line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    let body = bytes.get(end + 4..)?.to_vec();
    Some(Answer { status, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_made_safe() {
        assert_eq!(safe_target("/a%20b?c=[d]|é"), "/a%20b?c=%5Bd%5D%7C%C3%A9");
        assert_eq!(safe_target("*"), "/*");
        assert_eq!(safe_target("?q"), "/?q");
    }

    #[test]
    fn an_answer_is_read() {
        let answer = read_answer(b"HTTP/1.1 503 Service Unavailable\r\na: b\r\n\r\nbody");
        assert_eq!(
            answer,
            Some(Answer {
                status: 503,
                body: b"body".to_vec()
            })
        );
        for junk in ["", "HTTP/1.1 503 x\r\n", "HTTP/1.1 5x3 x\r\n\r\n"] {
            assert_eq!(read_answer(junk.as_bytes()), None, "{junk}");
        }
    }

    #[test]
    fn hop_by_hop_lines_and_unreadable_ones_stay_here() {
        let text = "HEAD /p HTTP/1.1\r\nExpect: 100-continue\r\nX: 1\r\nY: \u{1}\r\nX-Holdoff-Exchange: 9.9\r\n\r\n";
        let head = Head::read(text.as_bytes()).unwrap().unwrap();
        let exchange = "1.2".parse().unwrap();
        let upstream = SocketAddr::from(([127, 0, 0, 1], 9));
        let forwarded = request_head(upstream, exchange, &head, 0);
        assert_eq!(
            String::from_utf8(forwarded).unwrap(),
            "GET /p HTTP/1.1\r\nhost: 127.0.0.1:9\r\nconnection: close\r\ncontent-length: 0\r\n\
             x-holdoff-exchange: 1.2\r\nX: 1\r\n\r\n"
        );
    }
}
