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

/// One line for a log that a CI system reads: as [`terminal`], and without what
/// GitHub's runner takes for a command (`##[`, or `::` at the start).
pub fn log_line(text: &str) -> String {
    let safe = terminal(text).replace("##[", "## [");
    match safe.trim_start().strip_prefix("::") {
        Some(rest) => format!(": :{rest}"),
        None => safe,
    }
}

/// Text inside a paragraph, a list item or a table cell of Markdown: as
/// [`terminal`], with every character escaped that Markdown or HTML give a
/// meaning to.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for character in terminal(text).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            // A mention or a link in a tracking issue would notify people.
            '@' => safe.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '+' | '!' | '|' | '~' | '$' => {
                safe.push('\\');
                safe.push(character);
            }
            other => safe.push(other),
        }
    }
    let starts_a_list = safe.starts_with('-') || safe.starts_with(|c: char| c.is_ascii_digit());
    if starts_a_list && !safe.starts_with(|c: char| c.is_ascii_digit()) {
        safe.insert(0, '\\');
    }
    safe
}

/// A code span of Markdown, fenced with more backticks than the text has in a
/// row; pipes are escaped, because a table is cut before code is seen.
pub fn markdown_code(text: &str) -> String {
    let safe = terminal(text).replace('|', "\\|");
    let fence = "`".repeat(longest_run(&safe) + 1);
    let pad = if safe.starts_with('`') || safe.ends_with('`') || safe.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{safe}{pad}{fence}")
}

/// A fenced block of Markdown in `language`; each line is made safe for a
/// terminal, and the fence is longer than any run of backticks inside.
pub fn markdown_block<S: AsRef<str>>(language: &str, lines: impl IntoIterator<Item = S>) -> String {
    let lines: Vec<_> = lines
        .into_iter()
        .map(|line| terminal(line.as_ref()).into_owned())
        .collect();
    let longest = lines
        .iter()
        .map(|line| longest_run(line))
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Text for XML; escaping of markup is left to its writer, characters that XML
/// 1.0 does not have are written out.
pub fn xml(text: &str) -> String {
    terminal_lines(text)
        .chars()
        .map(|character| match character {
            '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            other => other,
        })
        .collect()
}

/// Message of a GitHub workflow command.
pub fn github_message(text: &str) -> String {
    terminal_lines(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Property of a GitHub workflow command.
pub fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut current) = (0, 0);
    for character in text.chars() {
        current = if character == '`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
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
    fn no_command_of_a_ci_system_is_left_in_a_log_line() {
        assert_eq!(log_line("::error::x"), ": :error::x");
        assert_eq!(log_line("  ::add-mask::x"), ": :add-mask::x");
        assert_eq!(log_line("a ##[error]x"), "a ## [error]x");
        assert_eq!(log_line("a\r\n::error::x"), "a\\r\\n::error::x");
    }

    #[test]
    fn markdown_has_no_meaning_left() {
        assert_eq!(
            markdown("a|b`c`<img src=x>@team #1 [x](y) **b**\n- z"),
            "a\\|b\\`c\\`&lt;img src=x&gt;&#64;team \\#1 \\[x\\](y) \\*\\*b\\*\\*\\\\n- z"
        );
        assert_eq!(markdown("- x"), "\\- x");
        assert_eq!(markdown("120s"), "120s");
    }

    #[test]
    fn code_of_markdown_cannot_be_left() {
        assert_eq!(markdown_code("plain"), "`plain`");
        assert_eq!(markdown_code("a`b"), "``a`b``");
        assert_eq!(markdown_code("`"), "`` ` ``");
        assert_eq!(markdown_code("a|b"), "`a\\|b`");
        assert_eq!(
            markdown_block("diff", ["+ ```", "\u{1b}[0m"]),
            "````diff\n+ ```\n\\u{1b}[0m\n````\n"
        );
    }

    #[test]
    fn github_commands_end_where_they_should() {
        assert_eq!(github_message("a\n::error::100%"), "a%0A::error::100%25");
        assert_eq!(github_property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(github_message("a\r"), "a\\r");
    }

    #[test]
    fn xml_has_no_character_that_xml_has_not() {
        assert_eq!(xml("a\u{0}\u{b}\u{ffff}\nb"), "a\\u{0}\\u{b}\u{fffd}\nb");
    }

    #[test]
    fn ordinary_text_is_not_touched() {
        assert!(matches!(terminal("Příliš 120s ٥"), Cow::Borrowed(_)));
        assert_eq!(terminal_lines("a\n\tb\u{1b}"), "a\n\tb\\u{1b}");
    }
}
