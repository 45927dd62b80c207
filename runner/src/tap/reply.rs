use super::board::{Manner, OVERFLOW_HEADER};
use crate::model::Spelling;

/// A reply, ready to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// Header lines in order; names in lower case.
    pub(super) lines: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) spelling: Spelling,
}

/// What becomes of the connection after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Close,
    Keep,
}

/// Which part of a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyPart {
    Whole,
    /// Its length is told, nothing is written (HEAD).
    Nothing,
    /// Half of it is written, or nothing of one that is empty; either way more
    /// is told than comes.
    Half,
}

impl Reply {
    /// A reply of the tap itself.
    pub(super) fn plain(status: u16, text: &str) -> Self {
        Self {
            status,
            lines: vec![("content-type".into(), b"text/plain".to_vec())],
            body: text.as_bytes().to_vec(),
            spelling: Spelling::Lower,
        }
    }

    /// The reply to what comes after the end of its case.
    pub(super) fn overflow() -> Self {
        let mut reply = Self::plain(500, "beyond the script");
        reply.lines.push((OVERFLOW_HEADER.into(), b"1".to_vec()));
        reply
    }

    /// What wiremock said, in the manner that was left for it.
    pub(super) fn in_manner(status: u16, body: Vec<u8>, manner: &Manner) -> Self {
        Self {
            status,
            lines: manner.lines.clone(),
            body,
            spelling: manner.spelling,
        }
    }

    /// Whether the connection is kept: only if a `connection` line of the reply
    /// does not say `close`.
    pub(super) fn after(&self) -> After {
        let mut connection = self.named("connection").peekable();
        let kept = connection.peek().is_some()
            && !connection.any(|value| value.eq_ignore_ascii_case(b"close"));
        if kept { After::Keep } else { After::Close }
    }

    /// The bytes to write.
    pub(super) fn bytes(&self, part: BodyPart) -> Vec<u8> {
        let line = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        self.behind(line.as_bytes(), part)
    }

    /// The bytes to write, with a status line that is none.
    pub(super) fn bytes_without_status(&self) -> Vec<u8> {
        self.behind(b"HTTP/1.1 banana\r\n", BodyPart::Whole)
    }

    fn behind(&self, status_line: &[u8], part: BodyPart) -> Vec<u8> {
        let mut bytes = status_line.to_vec();
        for (name, value) in &self.lines {
            self.push_line(&mut bytes, name, value);
        }
        let bodyless = self.status == 204 || self.status == 304;
        let framed = self.named("content-length").next().is_some()
            || self.named("transfer-encoding").next().is_some();
        if !bodyless && !framed {
            let told = match part {
                BodyPart::Whole | BodyPart::Nothing => self.body.len(),
                BodyPart::Half => self.body.len().max(64),
            };
            self.push_line(&mut bytes, "content-length", told.to_string().as_bytes());
        }
        if self.named("connection").next().is_none() {
            self.push_line(&mut bytes, "connection", b"close");
        }
        bytes.extend_from_slice(b"\r\n");
        if !bodyless {
            let written = match part {
                BodyPart::Whole => self.body.len(),
                BodyPart::Nothing => 0,
                BodyPart::Half => self.body.len() / 2,
            };
            bytes.extend_from_slice(self.body.get(..written).unwrap_or_default());
        }
        bytes
    }

    fn push_line(&self, bytes: &mut Vec<u8>, name: &str, value: &[u8]) {
        bytes.extend_from_slice(spelled(name, self.spelling).as_bytes());
        bytes.extend_from_slice(b": ");
        // A line end within a value would be another line.
        let flat = |byte: &u8| match byte {
            b'\r' | b'\n' | b'\0' => b' ',
            other => *other,
        };
        bytes.extend(value.iter().map(flat));
        bytes.extend_from_slice(b"\r\n");
    }

    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.lines.iter();
        lines
            .filter(move |(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_slice())
    }
}

fn spelled(name: &str, spelling: Spelling) -> String {
    match spelling {
        Spelling::Lower => name.to_ascii_lowercase(),
        Spelling::Upper => name.to_ascii_uppercase(),
        Spelling::Title => {
            let mut start = true;
            let letter = |c: char| {
                let upper = std::mem::replace(&mut start, c == '-');
                if upper {
                    c.to_ascii_uppercase()
                } else {
                    c.to_ascii_lowercase()
                }
            };
            name.chars().map(letter).collect()
        }
    }
}

/// RFC 9110 §15 and RFC 6585; empty for others, as RFC 9112 §4 allows.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        425 => "Too Early",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(spelling: Spelling) -> Reply {
        Reply {
            status: 429,
            lines: vec![
                ("retry-after".into(), b"3".to_vec()),
                ("retry-after".into(), "\u{a0}9".into()),
            ],
            body: b"12345678".to_vec(),
            spelling,
        }
    }

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn lines_keep_order_and_bytes() {
        let expected = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\nretry-after: \u{a0}9\r\n\
             content-length: 8\r\nconnection: close\r\n\r\n12345678";
        assert_eq!(
            text(reply(Spelling::Lower).bytes(BodyPart::Whole)),
            expected
        );
    }

    #[test]
    fn names_are_spelled() {
        let title = text(reply(Spelling::Title).bytes(BodyPart::Whole));
        assert!(
            title.contains("\r\nRetry-After: 3\r\n") && title.contains("\r\nContent-Length: 8")
        );
        let upper = text(reply(Spelling::Upper).bytes(BodyPart::Whole));
        assert!(
            upper.contains("\r\nRETRY-AFTER: 3\r\n") && upper.contains("\r\nCONNECTION: close")
        );
    }

    #[test]
    fn a_cut_body_tells_more_than_comes() {
        let cut = text(reply(Spelling::Lower).bytes(BodyPart::Half));
        assert!(cut.contains("content-length: 64\r\n") && cut.ends_with("\r\n\r\n1234"));
        let mut long = reply(Spelling::Lower);
        long.body = vec![b'x'; 100];
        let cut = text(long.bytes(BodyPart::Half));
        assert!(cut.contains("content-length: 100\r\n") && cut.ends_with(&"x".repeat(50)));
    }

    #[test]
    fn some_replies_have_no_body() {
        let mut empty = reply(Spelling::Lower);
        empty.status = 204;
        assert!(!text(empty.bytes(BodyPart::Whole)).contains("content-length"));
        let head = text(reply(Spelling::Lower).bytes(BodyPart::Nothing));
        assert!(head.contains("content-length: 8\r\n") && head.ends_with("\r\n\r\n"));
    }

    #[test]
    fn a_connection_is_kept_only_when_the_reply_says_so() {
        let mut kept = reply(Spelling::Lower);
        assert_eq!(kept.after(), After::Close);
        kept.lines
            .push(("connection".into(), b"keep-alive".to_vec()));
        assert_eq!(kept.after(), After::Keep);
        assert!(!text(kept.bytes(BodyPart::Whole)).contains("close"));
        kept.lines.push(("connection".into(), b"Close".to_vec()));
        assert_eq!(kept.after(), After::Close);
    }

    #[test]
    fn a_value_stays_on_its_line() {
        let mut hostile = reply(Spelling::Lower);
        hostile.lines = vec![("x".into(), b"1\r\ny: 2".to_vec())];
        assert!(text(hostile.bytes(BodyPart::Whole)).contains("\r\nx: 1  y: 2\r\n"));
    }
}
