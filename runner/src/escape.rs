//! Texts from files and peers, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` on one line, with everything that a terminal would obey rather than
/// show written as `\u{…}`: C0 (and so ANSI sequences), DEL, C1, line and
/// paragraph separators, and the characters that turn the direction of text.
pub fn terminal(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// As [`terminal`], but line feeds and tabs stay, for logs of many lines.
pub fn terminal_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| {
        is_obeyed(character) && !matches!(character, '\n' | '\t')
    })
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) {
            push_escape(&mut safe, character);
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

fn push_escape(safe: &mut String, character: char) {
    match character {
        '\n' => safe.push_str("\\n"),
        '\r' => safe.push_str("\\r"),
        '\t' => safe.push_str("\\t"),
        other => {
            write!(safe, "\\u{{{:x}}}", u32::from(other)).expect("writing to a string cannot fail");
        }
    }
}

fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(terminal("\u{1b}[31mred\u{7}"), "\\u{1b}[31mred\\u{7}");
        assert_eq!(terminal("\u{9b}31m\u{7f}"), "\\u{9b}31m\\u{7f}");
        assert_eq!(terminal("a\r\nb\tc"), "a\\r\\nb\\tc");
        assert_eq!(terminal("\u{202e}evil"), "\\u{202e}evil");
        for code in (0..0x20).chain(0x7f..0xa0) {
            let text = char::from_u32(code).unwrap().to_string();
            assert!(terminal(&text).chars().all(|c| !c.is_control()), "{code:x}");
        }
    }

    #[test]
    fn ordinary_text_is_not_touched() {
        assert!(matches!(terminal("Příliš 120s ٥"), Cow::Borrowed(_)));
        assert_eq!(terminal_lines("a\n\tb\u{1b}"), "a\n\tb\\u{1b}");
    }
}
