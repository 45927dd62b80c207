//! Reads column *Local delay*, and the durations and numbers of other cells.

use super::cell::Cell;
use super::fault::CellError;
use super::lex::{Read, Reader};
use crate::model::Span;
use crate::spec::{Growth, LocalDelay, Param, Ratio, Term};

/// What a delay may begin with.
const HEADS: [&str; 7] = [
    "none",
    "interval",
    "exponential(base, factor, cap)",
    "full-jitter(base, factor, cap)",
    "uniform(lo, hi)",
    "fixed(d)",
    "max(a, b)",
];

impl std::str::FromStr for LocalDelay {
    type Err = CellError;

    /// Reads the text of a cell.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        local_delay(&Cell::of(text)).map_err(|fault| CellError::of(text, *fault))
    }
}

/// Reads a whole cell.
pub(super) fn local_delay(cell: &Cell) -> Read<LocalDelay> {
    let mut reader = Reader::new(cell);
    let delay = sum(&mut reader)?;
    reader.finish(&["+ jitter(max = d)", "* spread(lo, hi)"])?;
    Ok(delay)
}

/// A delay and what is done to it, from left to right.
fn sum(reader: &mut Reader<'_>) -> Read<LocalDelay> {
    let mut delay = head(reader)?;
    loop {
        if reader.take("+") {
            delay = plus(reader, delay)?;
        } else if reader.take("*") {
            reader.expect("spread")?;
            let (lo, hi) = spread_arguments(reader)?;
            let delay_boxed = Box::new(delay);
            delay = LocalDelay::Spread {
                delay: delay_boxed,
                lo,
                hi,
            };
        } else {
            return Ok(delay);
        }
    }
}

fn plus(reader: &mut Reader<'_>, delay: LocalDelay) -> Read<LocalDelay> {
    if reader.take("jitter") {
        reader.expect("(")?;
        reader.expect("max")?;
        reader.expect("=")?;
        let max = term(reader)?;
        reader.expect(")")?;
        let delay = Box::new(delay);
        return Ok(LocalDelay::Jittered { delay, max });
    }
    if delay != LocalDelay::Interval {
        return Err(reader.unexpected(&["jitter(max = d)"]));
    }
    match reader.peek().map(str::parse) {
        Some(Ok(step)) => {
            reader.skip();
            Ok(LocalDelay::IntervalPlus(step))
        }
        _ => Err(reader.unexpected(&["jitter(max = d)", "a duration"])),
    }
}

fn head(reader: &mut Reader<'_>) -> Read<LocalDelay> {
    let name = reader.peek().unwrap_or_default().to_owned();
    let known = matches!(
        name.as_str(),
        "none" | "interval" | "exponential" | "full-jitter" | "uniform" | "fixed" | "max"
    );
    if !known {
        return Err(reader.unknown("delay", &HEADS));
    }
    reader.skip();
    match name.as_str() {
        "none" => return Ok(LocalDelay::None),
        "interval" => return Ok(LocalDelay::Interval),
        _ => reader.expect("(")?,
    }
    let delay = match name.as_str() {
        "exponential" => LocalDelay::Exponential(growth(reader)?),
        "full-jitter" => LocalDelay::FullJitter(growth(reader)?),
        "fixed" => LocalDelay::Fixed(term(reader)?),
        "uniform" => {
            let lo = term(reader)?;
            reader.expect(",")?;
            let hi = term(reader)?;
            LocalDelay::Uniform { lo, hi }
        }
        _ => {
            let left = reader.nested(sum)?;
            reader.expect(",")?;
            let right = reader.nested(sum)?;
            LocalDelay::Max(Box::new(left), Box::new(right))
        }
    };
    reader.expect(")")?;
    Ok(delay)
}

/// `base = d, factor = n, cap = d`, in any order.
fn growth(reader: &mut Reader<'_>) -> Read<Growth> {
    let (mut base, mut factor, mut cap) = (None, None, None);
    loop {
        let name = reader.peek().unwrap_or_default().to_owned();
        let doubled = match name.as_str() {
            "base" => base.is_some(),
            "factor" => factor.is_some(),
            "cap" => cap.is_some(),
            _ => return Err(reader.unknown("argument", &["base", "factor", "cap"])),
        };
        if doubled {
            return Err(reader.fault(format!("argument `{name}` is given twice")));
        }
        reader.skip();
        reader.expect("=")?;
        match name.as_str() {
            "base" => base = Some(term(reader)?),
            "factor" => factor = Some(ratio(reader)?),
            _ => cap = Some(term(reader)?),
        }
        if !reader.take(",") {
            break;
        }
    }
    match (base, factor, cap) {
        (Some(base), Some(factor), Some(cap)) => Ok(Growth { base, factor, cap }),
        (None, ..) => Err(reader.fault("argument `base` is missing")),
        (_, None, _) => Err(reader.fault("argument `factor` is missing")),
        (_, _, None) => Err(reader.fault("argument `cap` is missing")),
    }
}

/// `(lo, hi)` of a spread.
fn spread_arguments(reader: &mut Reader<'_>) -> Read<(Ratio, Ratio)> {
    reader.expect("(")?;
    let lo = ratio(reader)?;
    reader.expect(",")?;
    let hi = ratio(reader)?;
    if hi < lo {
        return Err(reader.fault(format!("a spread from {lo} to {hi} is empty")));
    }
    reader.expect(")")?;
    Ok((lo, hi))
}

/// A duration, a knob, or a multiple of a knob.
pub(super) fn term(reader: &mut Reader<'_>) -> Read<Term> {
    let text = reader.peek().unwrap_or_default().to_owned();
    if let Some(param) = Param::from_word(&text) {
        reader.skip();
        return Ok(Term::Param(param));
    }
    if let (Ok(count), Some("*")) = (text.parse(), reader.peek_second()) {
        reader.skip();
        reader.skip();
        let name = reader.peek().unwrap_or_default();
        let Some(param) = Param::from_word(name) else {
            return Err(reader.unknown("knob", &params()));
        };
        reader.skip();
        return Ok(Term::Times(count, param));
    }
    match text.parse::<Span>() {
        Ok(span) if !span.is_negative() => {
            reader.skip();
            Ok(Term::Duration(span))
        }
        _ => {
            let mut allowed = vec!["a duration such as 30s", "2 * interval"];
            allowed.extend(params());
            Err(reader.unknown("length of time", &allowed))
        }
    }
}

fn params() -> Vec<&'static str> {
    Param::ALL.iter().map(|param| param.as_str()).collect()
}

fn ratio(reader: &mut Reader<'_>) -> Read<Ratio> {
    match reader.peek().and_then(parse_ratio) {
        Some(ratio) => {
            reader.skip();
            Ok(ratio)
        }
        None => Err(reader.unexpected(&["a decimal number such as 2 or 0.8"])),
    }
}

/// Reads a whole cell that is `spread(lo, hi)`.
pub(super) fn spread(cell: &Cell) -> Read<(Ratio, Ratio)> {
    let mut reader = Reader::new(cell);
    reader.expect("spread")?;
    let arguments = spread_arguments(&mut reader)?;
    reader.finish(&[])?;
    Ok(arguments)
}

/// Reads a non-negative decimal number with up to six decimals.
fn parse_ratio(text: &str) -> Option<Ratio> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let decimals: u64 = format!("{decimals:0<6}").parse().ok()?;
    let millionths = whole.checked_mul(1_000_000)?.checked_add(decimals)?;
    Some(Ratio::from_millionths(millionths))
}
