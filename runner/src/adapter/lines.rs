//! [`LineReader`]: cuts an adapter's standard output into messages and log.

use std::io::BufRead;

/// Longest line that may carry a message, in bytes.
pub(super) const LINE_CAP: usize = 1 << 20;

/// What one line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// What stood behind the tag.
    Tagged(String),
    /// Something the SDK or the adapter printed.
    Log(Vec<u8>),
    /// A line with the tag, over the cap.
    TooLong,
}

/// Cuts a stream of bytes into lines.
///
/// The tag is searched anywhere in a line, because an SDK may have printed a
/// partial line before it. Memory stays bounded whatever is fed: a line without
/// the tag is passed on in pieces.
#[derive(Debug)]
pub(super) struct LineReader {
    tag: Vec<u8>,
    held: Vec<u8>,
    /// A line over the cap is being skipped up to its end.
    skipping: bool,
}

impl LineReader {
    pub(super) fn new(tag: &str) -> Self {
        Self {
            tag: tag.as_bytes().to_vec(),
            held: Vec::new(),
            skipping: false,
        }
    }

    /// Takes the next bytes; `out` gets the lines that they complete.
    pub(super) fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<Line>) {
        while let Some(end) = position(b'\n', bytes) {
            self.hold(&bytes[..end], out);
            self.finish(out);
            bytes = &bytes[end + 1..];
        }
        self.hold(bytes, out);
    }

    /// The stream is over, or a line is.
    pub(super) fn finish(&mut self, out: &mut Vec<Line>) {
        let line = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.skipping) || line.is_empty() {
            return;
        }
        let Some(at) = find(&line, &self.tag) else {
            out.push(Line::Log(line));
            return;
        };
        let before = trimmed(&line[..at]);
        if !before.is_empty() {
            out.push(Line::Log(before.to_vec()));
        }
        let message = String::from_utf8_lossy(&line[at + self.tag.len()..]);
        out.push(Line::Tagged(message.trim().to_owned()));
    }

    fn hold(&mut self, bytes: &[u8], out: &mut Vec<Line>) {
        if self.skipping {
            return;
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() <= LINE_CAP {
            return;
        }
        if find(&self.held, &self.tag).is_some() {
            self.held = Vec::new();
            self.skipping = true;
            out.push(Line::TooLong);
            return;
        }
        // The end may be the beginning of a tag.
        let keep = self.held.len() - (self.tag.len() - 1);
        let rest = self.held.split_off(keep);
        out.push(Line::Log(std::mem::replace(&mut self.held, rest)));
    }
}

/// Without line ends, and without the byte order mark that some runtimes write
/// first.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_end()
}

/// Where `byte` first is. The standard library looks at many bytes at once
/// here, which `position` does not do without optimisation: a flood is read as
/// fast as it is written.
fn position(byte: u8, bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    // Reading from memory cannot fail.
    let read = rest.skip_until(byte).ok()?;
    (read > 0 && bytes[read - 1] == byte).then(|| read - 1)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(step) = position(first, &haystack[from..]) {
        let at = from + step;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "@h:7c1e ";

    fn read(chunks: &[&[u8]]) -> Vec<Line> {
        let mut reader = LineReader::new(TAG);
        let mut out = Vec::new();
        for chunk in chunks {
            reader.feed(chunk, &mut out);
        }
        reader.finish(&mut out);
        out
    }

    fn tagged(text: &str) -> Line {
        Line::Tagged(text.to_owned())
    }

    fn log(text: &str) -> Line {
        Line::Log(text.as_bytes().to_vec())
    }

    #[test]
    fn the_tag_is_found_anywhere_in_a_line_and_across_chunks() {
        assert_eq!(read(&[b"@h:7c1e {}\n"]), [tagged("{}")]);
        assert_eq!(read(&[b"@h:7", b"c1e {", b"}\r", b"\n"]), [tagged("{}")]);
        assert_eq!(
            read(&[b"half a @h:7c1e {}\n"]),
            [log("half a"), tagged("{}")]
        );
        assert_eq!(
            read(&[b"@h:7c1e {}"]),
            [tagged("{}")],
            "no newline at the end"
        );
    }

    #[test]
    fn what_carries_no_tag_or_another_one_is_log() {
        assert_eq!(
            read(&[b"{}\n@h:ffff {}\n\n"]),
            [log("{}"), log("@h:ffff {}")]
        );
    }

    #[test]
    fn a_byte_order_mark_and_bad_utf8_are_tolerated() {
        assert_eq!(read(&[b"\xef\xbb\xbf@h:7c1e {}\r\n"]), [tagged("{}")]);
        assert_eq!(read(&[b"@h:7c1e \"\xff\"\n"]), [tagged("\"\u{fffd}\"")]);
    }

    #[test]
    fn a_tagged_line_over_the_cap_is_refused_and_the_next_one_read() {
        let long = vec![b'x'; LINE_CAP + 1];
        let lines = read(&[b"@h:7c1e ", &long, &long, b"\n@h:7c1e {}\n"]);
        assert_eq!(lines, [Line::TooLong, tagged("{}")]);
    }

    #[test]
    fn an_endless_line_does_not_grow_memory_and_its_tag_is_still_found() {
        let mut reader = LineReader::new(TAG);
        let mut out = Vec::new();
        for _ in 0..512 {
            reader.feed(&[b'x'; 1 << 14], &mut out);
            assert!(reader.held.len() <= LINE_CAP + (1 << 14));
        }
        reader.feed(b"@h:7c1e {}\n", &mut out);
        assert_eq!(out.pop(), Some(tagged("{}")));
        assert!(out.iter().all(|line| matches!(line, Line::Log(_))));
    }
}
