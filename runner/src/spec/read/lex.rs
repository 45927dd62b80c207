//! Words and signs of a cell, and a cursor over them.

use super::cell::Cell;
use super::fault::Fault;

/// The result of reading a part of a cell.
pub(super) type Read<T> = Result<T, Box<Fault>>;

/// How deep parentheses may nest, so that no document exhausts the stack.
const MAX_DEPTH: u32 = 32;

/// One word or sign.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    /// Index of its first character in the cell.
    at: usize,
}

/// A cursor over the words and signs of a cell.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    cell: &'a Cell,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '—')
}

/// Cuts text into words, and signs of one character or two (`<=`, `>=`).
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let from = at;
        at += 1;
        if chars[from].is_whitespace() {
            continue;
        }
        if is_word(chars[from]) {
            while at < chars.len() && is_word(chars[at]) {
                at += 1;
            }
        } else if matches!(chars[from], '<' | '>') && chars.get(at) == Some(&'=') {
            at += 1;
        }
        tokens.push(Token {
            text: chars[from..at].iter().collect(),
            at: from,
        });
    }
    tokens
}

/// The words and signs of a text, for cells that are a fixed pattern.
pub(super) fn pieces(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

impl<'a> Reader<'a> {
    /// A cursor at the start of a cell.
    pub(super) fn new(cell: &'a Cell) -> Self {
        Self {
            cell,
            tokens: tokens(&cell.text),
            at: 0,
            depth: 0,
        }
    }

    /// The word or sign that comes next.
    pub(super) fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| token.text.as_str())
    }

    /// The one after the next.
    pub(super) fn peek_second(&self) -> Option<&str> {
        self.tokens
            .get(self.at + 1)
            .map(|token| token.text.as_str())
    }

    /// Passes over the next word or sign.
    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Passes over `text` if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        if found {
            self.skip();
        }
        found
    }

    /// Passes over `text`, which must come next.
    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        if self.take(text) {
            return Ok(());
        }
        Err(self.unexpected(&[text]))
    }

    /// Passes over the next token, which must be a word.
    pub(super) fn word(&mut self, what: &str) -> Read<String> {
        match self.peek() {
            Some(text) if text.starts_with(is_word) => {
                let text = text.to_owned();
                self.skip();
                Ok(text)
            }
            _ => Err(self.unexpected(&[what])),
        }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.fault(format!("nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Nothing may be left.
    pub(super) fn finish(&self, allowed: &[&str]) -> Read<()> {
        if self.peek().is_none() {
            return Ok(());
        }
        let mut allowed = allowed.to_vec();
        allowed.push("the end of the cell");
        Err(self.unexpected(&allowed))
    }

    /// A mistake at the next token.
    pub(super) fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        let (at, len) = self.tokens.get(self.at).map_or_else(
            || (self.cell.text.chars().count(), 1),
            |token| (token.at, token.text.chars().count()),
        );
        Box::new(Fault::new(self.cell.line, self.cell.col(at), len, message))
    }

    /// A mistake: what comes next is none of what is allowed.
    pub(super) fn unexpected<S: AsRef<str>>(&self, allowed: &[S]) -> Box<Fault> {
        match self.peek() {
            Some(text) => Box::new(self.fault("unexpected text").found(text).allowed(allowed)),
            None => Box::new(self.fault("the cell ends too early").allowed(allowed)),
        }
    }

    /// A mistake: what comes next is an unknown word.
    pub(super) fn unknown<S: AsRef<str>>(&self, what: &str, allowed: &[S]) -> Box<Fault> {
        let text = self.peek().unwrap_or_default();
        Box::new(
            self.fault(format!("unknown {what}"))
                .found(text)
                .allowed(allowed),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_words_and_signs() {
        assert_eq!(
            pieces("(403|429)&x-ratelimit-remaining <=10 > 60s: give-up"),
            [
                "(",
                "403",
                "|",
                "429",
                ")",
                "&",
                "x-ratelimit-remaining",
                "<=",
                "10",
                ">",
                "60s",
                ":",
                "give-up"
            ]
        );
        assert_eq!(pieces(" "), [""; 0]);
    }
}
