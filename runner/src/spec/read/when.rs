//! Reads column *When*.

use super::cell::Cell;
use super::fault::CellError;
use super::lex::{Read, Reader};
use crate::spec::{Compare, Condition, ConditionWord, When};

impl std::str::FromStr for When {
    type Err = CellError;

    /// Reads the text of a cell.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        when(&Cell::of(text)).map_err(|fault| CellError::of(text, *fault))
    }
}

/// Reads a whole cell.
pub(super) fn when(cell: &Cell) -> Read<When> {
    let mut reader = Reader::new(cell);
    let when = any_of(&mut reader)?;
    reader.finish(&["&", "|"])?;
    Ok(when)
}

fn any_of(reader: &mut Reader<'_>) -> Read<When> {
    let first = all(reader)?;
    let mut parts = vec![first];
    while reader.take("|") {
        parts.push(all(reader)?);
    }
    Ok(one_or(parts, When::AnyOf))
}

fn all(reader: &mut Reader<'_>) -> Read<When> {
    let first = unary(reader)?;
    let mut parts = vec![first];
    while reader.take("&") {
        parts.push(unary(reader)?);
    }
    Ok(one_or(parts, When::All))
}

fn one_or(mut parts: Vec<When>, many: fn(Vec<When>) -> When) -> When {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            many(parts)
        }
        (None, _) => many(parts),
    }
}

fn unary(reader: &mut Reader<'_>) -> Read<When> {
    if reader.take("!") {
        let inner = reader.nested(unary)?;
        return Ok(When::Not(Box::new(inner)));
    }
    if reader.take("(") {
        let inner = reader.nested(any_of)?;
        reader.expect(")")?;
        return Ok(inner);
    }
    condition(reader).map(When::Is)
}

fn condition(reader: &mut Reader<'_>) -> Read<Condition> {
    let text = reader.peek().unwrap_or_default().to_owned();
    if !text.starts_with(|char: char| char.is_alphanumeric()) {
        return Err(reader.unexpected(&allowed()));
    }
    match reader.peek_second() {
        Some("(") => return function(reader, &text),
        Some(sign) if Compare::from_word(sign).is_some() => return header_number(reader),
        _ => {}
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return status(reader).map(Condition::Status);
    }
    if let Some(digit) = class_digit(&text) {
        reader.skip();
        let except = exceptions(reader, digit)?;
        return Ok(Condition::Class { digit, except });
    }
    let condition = match ConditionWord::from_word(&text) {
        Some(word) => Condition::Word(word),
        None if text == "any" => Condition::Any,
        None => return Err(reader.unknown("condition", &allowed())),
    };
    reader.skip();
    Ok(condition)
}

fn allowed() -> Vec<&'static str> {
    let words = ConditionWord::ALL.iter().map(|word| word.as_str());
    ["any", "a status", "2xx", "4xx", "5xx except 501, 505"]
        .into_iter()
        .chain(words)
        .chain(["code(x)", "header(h)", "h = 0", "h <= 10", "!", "("])
        .collect()
}

fn function(reader: &mut Reader<'_>, name: &str) -> Read<Condition> {
    let make = match name {
        "code" => Condition::Code,
        "header" => Condition::Header,
        _ => return Err(reader.unknown("condition", &["code(x)", "header(h)"])),
    };
    reader.skip();
    reader.expect("(")?;
    if name == "header" {
        header_name(reader)?;
    }
    let argument = reader.word("a name")?;
    reader.expect(")")?;
    Ok(make(argument))
}

/// The next token must be a header's name in lower case.
fn header_name(reader: &Reader<'_>) -> Read<()> {
    let name = reader.peek().unwrap_or_default();
    let lower = name.starts_with(|char: char| char.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if lower {
        return Ok(());
    }
    Err(reader.unknown("header name", &[name.to_lowercase().as_str()]))
}

fn header_number(reader: &mut Reader<'_>) -> Read<Condition> {
    header_name(reader)?;
    let header = reader.word("a header's name")?;
    let sign = reader.peek().unwrap_or_default();
    let Some(compare) = Compare::from_word(sign) else {
        return Err(reader.unexpected(&["=", "<=", ">=", "<", ">"]));
    };
    reader.skip();
    let Some(number) = reader.peek().and_then(|text| text.parse().ok()) else {
        return Err(reader.unexpected(&["a whole number"]));
    };
    reader.skip();
    Ok(Condition::HeaderNumber {
        header,
        compare,
        number,
    })
}

/// `2xx` and its like.
fn class_digit(text: &str) -> Option<u8> {
    let digit = text.strip_suffix("xx")?.parse().ok()?;
    (1..=5).contains(&digit).then_some(digit)
}

fn status(reader: &mut Reader<'_>) -> Read<u16> {
    let status = reader
        .peek()
        .filter(|text| text.len() == 3)
        .and_then(|text| text.parse().ok())
        .filter(|status| (100..=599).contains(status));
    let Some(status) = status else {
        return Err(reader.unknown("status", &["a status from 100 to 599"]));
    };
    reader.skip();
    Ok(status)
}

fn exceptions(reader: &mut Reader<'_>, digit: u8) -> Read<Vec<u16>> {
    let mut except = Vec::new();
    if !reader.take("except") {
        return Ok(except);
    }
    loop {
        let before = reader.fault(format!("the exception is no {digit}xx"));
        let exception = status(reader)?;
        if exception / 100 != u16::from(digit) {
            return Err(before);
        }
        except.push(exception);
        if !reader.take(",") {
            return Ok(except);
        }
    }
}
