//! [`LogRing`]: the last lines of what an adapter printed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines kept at most.
const LINES: usize = 200;
/// Bytes kept at most, over all lines.
const BYTES: usize = 64 << 10;
/// Bytes kept of one line.
const LINE: usize = 4 << 10;

/// The last 200 lines or 64 KiB, whichever is less; shared by the two readers
/// of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct LogRing(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    bytes: usize,
}

impl LogRing {
    /// Adds one line; over-long ones are cut, bytes that are no UTF-8 replaced.
    pub(super) fn push(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(&line[..line.len().min(LINE)]);
        let text = text.trim_end().trim_start_matches('\u{feff}').to_owned();
        if text.is_empty() {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += text.len();
        kept.lines.push_back(text);
        while kept.lines.len() > LINES || kept.bytes > BYTES {
            let Some(oldest) = kept.lines.pop_front() else {
                break;
            };
            kept.bytes -= oldest.len();
        }
    }

    /// The last `count` lines, oldest first.
    pub(super) fn tail(&self, count: usize) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let skip = kept.lines.len().saturating_sub(count);
        kept.lines.iter().skip(skip).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines_and_no_more_bytes_than_it_may() {
        let ring = LogRing::default();
        for number in 0..1_000 {
            ring.push(format!("line {number}\r").as_bytes());
        }
        let tail = ring.tail(usize::MAX);
        assert_eq!(tail.len(), LINES);
        assert_eq!(tail.last().map(String::as_str), Some("line 999"));
        for _ in 0..100 {
            ring.push(&vec![b'\xff'; 1 << 20]);
        }
        let kept: usize = ring.tail(usize::MAX).iter().map(String::len).sum();
        assert!(kept <= BYTES, "{kept}");
        assert_eq!(ring.tail(3).len(), 3);
    }
}
