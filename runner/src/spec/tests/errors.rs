//! Every mistake is reported at its place, and all of them at once.

use std::path::Path;

use crate::spec::{Keyword, LocalDelay, Observable, Spec, When};

/// A small document without a mistake. Each test spoils it in one way.
pub(super) const DOCUMENT: &str = "\
# A specification

- **[HONOUR-1]** A told wait MUST be waited.

### 6.1 Loops

| Loop | Machine | Repeats | Attempts | Budget | Overrun | Resets |
|---|---|---|---|---|---|---|
| `op` | retry | GET, PUT | min(max_attempts, 3) | none | wait | — |
| `up` | queue | POST | unbounded | 600s from first throttle | give-up | both: success |

### 6.2 Branches

| Branch | Scope | When | Told by | Parser | Composition | Local delay | Untold wait | Lasts |
|---|---|---|---|---|---|---|---|---|
| `op` | in | 429 \\| 503 & !told | seconds, date | `rfc` | replace | fixed(1s) | local | once |
| `op.auth` | out | 401 | none | — | none | none | — | — |
| `up` | in | 429 | seconds | `rfc` | replace | none | ceiling | once |

### 6.3 Reading a told wait

| Parser | Whitespace | Digits | Zero | Fraction | Dates | Date wait | Repeated lines | Wait ceiling | Above threshold | Jitter on told | Surfaced |
|---|---|---|---|---|---|---|---|---|---|---|---|
| `rfc` | OWS | unlimited | malformed | malformed | IMF, RFC 850 | ceil | any-of | 300s | — | none | as sent |
";

fn parse(text: &str) -> Result<Spec, String> {
    Spec::parse(Path::new("SPEC.md"), text).map_err(|errors| errors.render())
}

/// The messages of the document with one text replaced by another.
fn spoiled(from: &str, to: &str) -> String {
    assert!(DOCUMENT.contains(from), "nothing to replace: {from}");
    match parse(&DOCUMENT.replacen(from, to, 1)) {
        Ok(_) => panic!("no mistake in {to}"),
        Err(messages) => messages,
    }
}

macro_rules! refused {
    ($($name:ident: $from:literal => $to:literal;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(concat!("spec_", stringify!($name)), spoiled($from, $to));
        }
    )*};
}

refused! {
    unknown_column: "| Machine |" => "| Machin |";
    doubled_column: "| Overrun |" => "| Budget |";
    surplus_cell: "| give-up | both: success |" => "| give-up | both: success | more |";
    missing_cell: "| give-up | both: success |" => "| give-up |";
    empty_cell: "| none | wait | — |" => "|  | wait | — |";
    doubled_row: "| `up` | queue" => "| `op` | queue";
    bad_row_name: "| `rfc` | OWS" => "| `RFC 9110` | OWS";
    unknown_machine: "retry" => "retyr";
    unknown_method: "GET, PUT" => "GET, PSOT";
    unknown_attempts: "min(max_attempts, 3)" => "at most 3";
    zero_attempts: "unbounded" => "0";
    unknown_budget_length: "600s from" => "600 from";
    unknown_anchor: "first throttle" => "first throtle";
    unknown_overrun: "| wait |" => "| waits |";
    unknown_reset: "both: success" => "both: sucess";
    branch_of_no_loop: "| `op.auth` |" => "| `opp.auth` |";
    unknown_scope: "| out |" => "| off |";
    unknown_condition: "!told" => "!tol";
    unknown_status: "429 \\| 503" => "429 \\| 5003";
    unknown_function: "!told" => "cod(x)";
    open_parenthesis: "429 \\| 503" => "(429 \\| 503";
    exception_of_another_class: "| 401 |" => "| 4xx except 501 |";
    header_in_capitals: "!told" => "header(Retry-After)";
    text_after_condition: "| 401 |" => "| 401 402 |";
    unknown_source: "seconds, date" => "seconds, dates";
    undefined_parser: "date | `rfc` | replace" => "date | `rcf` | replace";
    unknown_composition: "| replace | fixed" => "| flor | fixed";
    unknown_delay: "fixed(1s)" => "fixd(1s)";
    delay_without_argument: "fixed(1s)" => "exponential(base = 1s, cap = 30s)";
    delay_with_doubled_argument: "fixed(1s)" => "exponential(base = 1s, base = 1s)";
    delay_with_unknown_knob: "fixed(1s)" => "fixed(2 * intervall)";
    empty_spread: "fixed(1s)" => "fixed(1s) * spread(1.2, 0.8)";
    unknown_untold_wait: "| fixed(1s) | local |" => "| fixed(1s) | lokal |";
    unknown_lasts: "| local | once |" => "| local | one |";
    told_out_of_scope: "401 | none | — | none" => "401 | seconds | `rfc` | replace";
    parser_without_source: "401 | none | — |" => "401 | none | `rfc` |";
    unknown_whitespace: "| OWS |" => "| any |";
    unknown_digits: "| unlimited |" => "| limited |";
    unknown_zero: "unlimited | malformed |" => "unlimited | mal-formed |";
    unknown_date_shape: "IMF, RFC 850" => "IMF, RFC850";
    date_wait_without_dates: "IMF, RFC 850 | ceil" => "none | ceil";
    unknown_threshold: "| 300s | — |" => "| 300s | > 60s: drop |";
    unknown_told_jitter: "| — | none | as sent |" => "| — | some | as sent |";
    unknown_surface: "as sent" => "sent";
    ceiling_without_ceiling: "| 300s |" => "| none |";
    date_without_shapes: "IMF, RFC 850 | ceil" => "none | —";
    budget_without_room: "600s from" => "599s from";
    loop_without_branch: "| `op` | retry" => "| `on` | retry | GET | 1 | none | wait | — |\n| `op` | retry";
    missing_table: "### 6.3 Reading a told wait" => "### 6.4 Reading a told wait";
    second_table: "### 6.2" => "| a |\n|---|\n\n### 6.2";
    clause_without_keyword: "MUST" => "must";
    doubled_clause: "be waited." => "be waited.\n- **[HONOUR-1]** It MAY.";
    bad_clause_name: "[HONOUR-1]" => "[Honour-1]";
    clause_outside_a_list: "- **[" => "**[";
    reason_not_at_the_end: "be waited." => "be waited (not observable: chance), always.";
    reason_is_empty: "be waited." => "be waited (not observable: ).";
}

#[test]
fn the_document_itself_is_right() {
    let spec = parse(DOCUMENT).unwrap();
    assert_eq!(spec.branches[0].when.to_string(), "429 | 503 & !told");
    assert_eq!(spec.branches[1].owner.as_str(), "op");
    assert!(!spec.branches[1].repeats());
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let text = DOCUMENT
        .replace("retry", "retyr")
        .replace("replace | none", "flor | nothing")
        .replace("OWS", "all")
        .replace("MUST", "must");
    insta::assert_snapshot!("spec_all_mistakes", parse(&text).unwrap_err());
}

#[test]
fn columns_may_stand_in_another_order() {
    let text = DOCUMENT
        .replace("| Overrun | Resets |", "| Resets | Overrun |")
        .replace("| wait | — |", "| — | wait |")
        .replace("| give-up | both: success |", "| both: success | give-up |");
    let spec = parse(&text).unwrap();
    assert_eq!(spec.loops, parse(DOCUMENT).unwrap().loops);
}

#[test]
fn clauses_carry_keyword_and_reason() {
    let text = DOCUMENT.replace(
        "be waited.",
        "be waited.\n  It MAY be\n  logged.\n- **[HONOUR-2]** It MUST NOT be *guessed* with `rand`.\n\
         - **[HONOUR-3]** It SHOULD be quick (not observable: quick is no number).",
    );
    let spec = parse(&text).unwrap();
    let [first, second, third] = spec.clauses.as_slice() else {
        panic!("{:?}", spec.clauses);
    };
    assert_eq!(first.keyword, Keyword::Must);
    assert_eq!(first.text, "A told wait MUST be waited. It MAY be logged.");
    assert_eq!((first.line, second.line), (3, 6));
    assert_eq!(second.text, "It MUST NOT be guessed with rand.");
    assert_eq!(second.observable, Observable::Yes);
    assert_eq!(third.keyword, Keyword::Should);
    let reason = "quick is no number".to_owned();
    assert_eq!(third.observable, Observable::No { reason });
}

#[test]
fn clauses_in_code_are_no_clauses() {
    let text = format!("```\n- **[HONOUR-2]** It MUST.\n```\n\n{DOCUMENT}");
    assert_eq!(parse(&text).unwrap().clauses.len(), 1);
}

#[test]
fn carriage_returns_do_no_harm() {
    let spec = parse(&DOCUMENT.replace('\n', "\r\n")).unwrap();
    assert_eq!(spec.loops, parse(DOCUMENT).unwrap().loops);
}

#[test]
fn a_table_may_end_with_a_dash_and_no_bar() {
    let text = DOCUMENT.replace("| none | — | — |\n", "| none | — | —\n");
    assert_eq!(parse(&text).unwrap().branches.len(), 3);
    let text = DOCUMENT.replace(" |\n", "\n");
    assert_eq!(parse(&text).unwrap().loops, parse(DOCUMENT).unwrap().loops);
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}429{}", "(".repeat(5000), ")".repeat(5000));
    let error = deep.parse::<When>().unwrap_err().to_string();
    assert!(error.starts_with("nested more than 32 deep"), "{error}");
    let deep = format!("{}none", "max(".repeat(5000));
    assert!(deep.parse::<LocalDelay>().is_err());
}
