use super::head::{BadRequest, Head};
use super::wire::{Filled, Wire};

/// The longest request body that is read, in bytes.
pub(super) const BODY_LIMIT: usize = 8 * 1024 * 1024;

/// How the length of a request's body is told (RFC 9112 §6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes.
    Length(usize),
    /// In chunks.
    Chunked,
}

/// Why there is no whole body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBody {
    /// It is not one that can be read.
    Bad(BadRequest),
    /// The client closed before its end.
    Cut,
}

impl From<BadRequest> for NoBody {
    fn from(bad: BadRequest) -> Self {
        Self::Bad(bad)
    }
}

impl Framing {
    pub(super) fn of(head: &Head) -> Result<Self, BadRequest> {
        let mut codings = head.values("transfer-encoding");
        if let Some(coding) = codings.next() {
            let chunked = coding.eq_ignore_ascii_case(b"chunked") && codings.next().is_none();
            return if chunked {
                Ok(Self::Chunked)
            } else {
                Err(BadRequest::Length)
            };
        }
        let mut lengths = head.values("content-length");
        let Some(length) = lengths.next() else {
            return Ok(Self::Length(0));
        };
        if lengths.any(|other| other != length) {
            return Err(BadRequest::Length);
        }
        Ok(Self::Length(number(length, 10)?))
    }

    /// The length that the head tells, if it does.
    pub(super) fn told(self) -> Option<usize> {
        match self {
            Self::Length(length) => Some(length),
            Self::Chunked => None,
        }
    }

    /// Reads a body from the wire.
    pub(super) async fn read(self, wire: &mut Wire) -> Result<Vec<u8>, NoBody> {
        match self {
            Self::Length(length) if length > BODY_LIMIT => Err(BadRequest::BodyTooLarge.into()),
            Self::Length(length) => {
                need(wire, length).await?;
                Ok(wire.take(length))
            }
            Self::Chunked => chunked(wire).await,
        }
    }
}

/// Digits of `radix`; what is too long for a `usize` is the largest one.
fn number(digits: &[u8], radix: u32) -> Result<usize, BadRequest> {
    let valid = |byte: &u8| char::from(*byte).is_digit(radix);
    if digits.is_empty() || !digits.iter().all(valid) {
        return Err(BadRequest::Length);
    }
    let text = std::str::from_utf8(digits).map_err(|_| BadRequest::Length)?;
    Ok(usize::from_str_radix(text, radix).unwrap_or(usize::MAX))
}

async fn need(wire: &mut Wire, count: usize) -> Result<(), NoBody> {
    while wire.buffer.len() < count {
        if wire.fill().await == Filled::Closed {
            return Err(NoBody::Cut);
        }
    }
    Ok(())
}

/// RFC 9112 §7.1; extensions and trailers are read over.
async fn chunked(wire: &mut Wire) -> Result<Vec<u8>, NoBody> {
    let mut body = Vec::new();
    loop {
        let line = line(wire).await?;
        let size = line.split(|byte| *byte == b';').next().unwrap_or_default();
        let size = number(size.trim_ascii(), 16).map_err(|_| BadRequest::Chunk)?;
        if size == 0 {
            break;
        }
        if size > BODY_LIMIT - body.len() {
            return Err(BadRequest::BodyTooLarge.into());
        }
        need(wire, size).await?;
        body.append(&mut wire.take(size));
        if !self::line(wire).await?.is_empty() {
            return Err(BadRequest::Chunk.into());
        }
    }
    while !line(wire).await?.is_empty() {}
    Ok(body)
}

/// One line without its end.
async fn line(wire: &mut Wire) -> Result<Vec<u8>, NoBody> {
    const LIMIT: usize = 4096;
    loop {
        let end = wire.buffer.iter().take(LIMIT).position(|&b| b == b'\n');
        if let Some(end) = end {
            let mut line = wire.take(end + 1);
            line.truncate(line.trim_ascii_end().len());
            return Ok(line);
        }
        if wire.buffer.len() >= LIMIT {
            return Err(BadRequest::Chunk.into());
        }
        need(wire, wire.buffer.len() + 1).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(lines: &str) -> Result<Framing, BadRequest> {
        let head = format!("POST / HTTP/1.1\r\n{lines}\r\n");
        Framing::of(&Head::read(head.as_bytes()).unwrap().unwrap())
    }

    #[test]
    fn the_length_is_told_in_one_way() {
        assert_eq!(framing(""), Ok(Framing::Length(0)));
        assert_eq!(framing("Content-Length: 12\r\n"), Ok(Framing::Length(12)));
        assert_eq!(
            framing("content-length: 5\r\ncontent-length: 5\r\n"),
            Ok(Framing::Length(5))
        );
        assert_eq!(
            framing("Transfer-Encoding: Chunked\r\ncontent-length: 5\r\n"),
            Ok(Framing::Chunked)
        );
    }

    #[test]
    fn an_untellable_length_is_refused() {
        for lines in [
            "content-length: 5\r\ncontent-length: 6\r\n",
            "content-length: -1\r\n",
            "content-length: +1\r\n",
            "content-length:\r\n",
            "transfer-encoding: gzip\r\n",
            "transfer-encoding: gzip, chunked\r\n",
        ] {
            assert_eq!(framing(lines), Err(BadRequest::Length), "{lines}");
        }
        let long = format!("content-length: {}\r\n", "9".repeat(400));
        assert_eq!(framing(&long), Ok(Framing::Length(usize::MAX)));
    }
}
