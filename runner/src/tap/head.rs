/// The longest head that is read, in bytes.
pub(super) const HEAD_LIMIT: usize = 64 * 1024;

/// The most header lines that are read.
pub(super) const LINE_LIMIT: usize = 200;

/// A request head, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) method: String,
    /// Path as sent, percent-encoding untouched.
    pub(super) path: String,
    /// Query without the question mark.
    pub(super) query: String,
    pub(super) version: Version,
    pub(super) lines: Vec<Line>,
    /// Length of the head in bytes, its end included.
    pub(super) length: usize,
}

/// A header line: spelling and bytes as sent, white space around the value
/// removed (RFC 9112 §5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) value: Vec<u8>,
}

/// HTTP/1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Http10,
    Http11,
}

/// Why something is not a request that can be answered by the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadRequest {
    #[error("not a request line")]
    RequestLine,
    #[error("not a header line")]
    HeaderLine,
    #[error("head over 64 KiB or 200 lines")]
    HeadTooLarge,
    #[error("no length of the body can be told")]
    Length,
    #[error("not a chunk")]
    Chunk,
    #[error("body over 8 MiB")]
    BodyTooLarge,
}

impl BadRequest {
    /// What the tap answers.
    pub(super) fn status(self) -> u16 {
        match self {
            Self::RequestLine | Self::HeaderLine | Self::Length | Self::Chunk => 400,
            Self::HeadTooLarge => 431,
            Self::BodyTooLarge => 413,
        }
    }
}

impl Head {
    /// Reads a head at the start of `bytes`; `None` if it is not there whole.
    /// What can never become a head is refused as soon as that can be seen,
    /// because its sender may wait for an answer without ending a line (TLS).
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Self>, BadRequest> {
        // RFC 9112 §2.2: an empty line before the request line is ignored.
        let skipped = bytes
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let text = bytes.get(skipped..).unwrap_or_default();
        if text.first().is_some_and(|&byte| !is_token_byte(byte)) {
            return Err(BadRequest::RequestLine);
        }
        let mut lines = Lines(text);
        let Some(first) = lines.next() else {
            return too_long_or_more(bytes);
        };
        let (method, target, version) = request_line(first).ok_or(BadRequest::RequestLine)?;
        let mut headers = Vec::new();
        loop {
            let Some(line) = lines.next() else {
                return too_long_or_more(bytes);
            };
            if line.is_empty() {
                break;
            }
            if headers.len() == LINE_LIMIT {
                return Err(BadRequest::HeadTooLarge);
            }
            headers.push(header_line(line).ok_or(BadRequest::HeaderLine)?);
        }
        let length = bytes.len() - lines.0.len();
        if length > HEAD_LIMIT {
            return Err(BadRequest::HeadTooLarge);
        }
        let (path, query) = path_and_query(target);
        Ok(Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            version,
            lines: headers,
            length,
        }))
    }

    /// Values of a header, in order.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let named = self
            .lines
            .iter()
            .filter(move |line| line.name.eq_ignore_ascii_case(name));
        named.map(|line| line.value.as_slice())
    }

    /// Whether a header's comma-separated list has a member, letters aside.
    pub(super) fn lists(&self, name: &str, member: &str) -> bool {
        let mut members = self
            .values(name)
            .flat_map(|value| value.split(|byte| *byte == b','));
        members.any(|found| found.trim_ascii().eq_ignore_ascii_case(member.as_bytes()))
    }
}

fn too_long_or_more(bytes: &[u8]) -> Result<Option<Head>, BadRequest> {
    if bytes.len() > HEAD_LIMIT {
        Err(BadRequest::HeadTooLarge)
    } else {
        Ok(None)
    }
}

/// Whole lines, without their ends; a bare line feed ends a line too
/// (RFC 9112 §2.2). What is left is the rest.
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let (line, rest) = (self.0.get(..end)?, self.0.get(end + 1..)?);
        self.0 = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

fn request_line(line: &[u8]) -> Option<(&str, &str, Version)> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let clean = |word: &str| !word.is_empty() && !word.contains(|c: char| c.is_ascii_control());
    if words.next().is_some() || !is_token(method.as_bytes()) || !clean(target) {
        return None;
    }
    let version = match version {
        "HTTP/1.0" => Version::Http10,
        "HTTP/1.1" => Version::Http11,
        _ => return None,
    };
    Some((method, target, version))
}

fn header_line(line: &[u8]) -> Option<Line> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = line.get(..colon)?;
    if !is_token(name) {
        return None;
    }
    let value = line.get(colon + 1..)?.trim_ascii();
    if value.iter().any(|byte| matches!(byte, b'\0' | b'\r')) {
        return None;
    }
    Some(Line {
        name: String::from_utf8_lossy(name).into_owned(),
        value: value.to_vec(),
    })
}

/// Origin form, or absolute form without its origin (RFC 9112 §3.2).
fn path_and_query(target: &str) -> (&str, &str) {
    let local = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => {
            rest.find(['/', '?']).map_or("", |start| &rest[start..])
        }
        _ => target,
    };
    local.split_once('?').unwrap_or((local, ""))
}

fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().copied().all(is_token_byte)
}

/// RFC 9110 §5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Head {
        Head::read(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn a_head_keeps_spelling_order_and_bytes() {
        let text =
            b"GET /a%20b?x=1?y HTTP/1.1\r\nHost: h\r\nX-One:  \xc2\xa01 \r\nx-one:2\r\n\r\nrest";
        let head = Head::read(text).unwrap().unwrap();
        assert_eq!(
            (head.method.as_str(), head.path.as_str()),
            ("GET", "/a%20b")
        );
        assert_eq!(head.query, "x=1?y");
        assert_eq!(head.version, Version::Http11);
        let names: Vec<_> = head.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["Host", "X-One", "x-one"]);
        assert_eq!(head.lines[1].value, b"\xc2\xa01");
        assert_eq!(&text[head.length..], b"rest");
    }

    #[test]
    fn a_head_in_parts_is_not_there_yet() {
        let text = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(Head::read(&text.as_bytes()[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn junk_is_refused_as_soon_as_it_is_seen() {
        for junk in [
            "\u{16}\u{3}\u{1}",
            "hello\r\n",
            "GET /\r\n",
            "GET / HTTP/2.0\r\n",
            "GET  / HTTP/1.1\r\n",
            "GET /a b HTTP/1.1\r\n",
            "G\"T / HTTP/1.1\r\n",
            "GET /\u{7} HTTP/1.1\r\n",
        ] {
            let read = Head::read(junk.as_bytes());
            assert_eq!(read, Err(BadRequest::RequestLine), "{junk:?}");
        }
        for junk in ["x y: 1", "nocolon", ": 1", " folded", "x: a\0b"] {
            let read = Head::read(format!("GET / HTTP/1.1\r\n{junk}\r\n").as_bytes());
            assert_eq!(read, Err(BadRequest::HeaderLine), "{junk:?}");
        }
    }

    #[test]
    fn limits_are_limits() {
        let lines = |count| format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(count));
        assert_eq!(whole(&lines(LINE_LIMIT)).lines.len(), LINE_LIMIT);
        let over = Head::read(lines(LINE_LIMIT + 1).as_bytes());
        assert_eq!(over, Err(BadRequest::HeadTooLarge));
        let long = |count: usize| format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(count));
        let frame = long(0).len();
        assert_eq!(whole(&long(HEAD_LIMIT - frame)).length, HEAD_LIMIT);
        let over = Head::read(long(HEAD_LIMIT - frame + 1).as_bytes());
        assert_eq!(over, Err(BadRequest::HeadTooLarge));
        let endless = "G".repeat(HEAD_LIMIT + 1);
        assert_eq!(
            Head::read(endless.as_bytes()),
            Err(BadRequest::HeadTooLarge)
        );
    }

    #[test]
    fn targets_may_be_absolute() {
        assert_eq!(path_and_query("http://h:1/p?q=1"), ("/p", "q=1"));
        assert_eq!(path_and_query("http://h:1?q"), ("", "q"));
        assert_eq!(path_and_query("http://h"), ("", ""));
        assert_eq!(path_and_query("/r?u=http://h/"), ("/r", "u=http://h/"));
        assert_eq!(path_and_query("*"), ("*", ""));
    }

    #[test]
    fn lists_are_read_over_lines() {
        let head = whole("GET / HTTP/1.1\r\nConnection: a, Close\r\nconnection: b\r\n\r\n");
        assert!(head.lists("connection", "close") && head.lists("CONNECTION", "b"));
        assert!(!head.lists("connection", "clos"));
    }
}
