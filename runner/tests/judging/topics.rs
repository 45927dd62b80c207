//! Every topic of a difference has an observation that it passes and one that
//! it refuses; timelines and authors' mistakes likewise.

use holdoff::adapter::protocol::ClockKind;
use holdoff::defect::find;
use holdoff::fixture::{self, Case};
use holdoff::judge::{Topic, authored, expected_lines, judge, observed_lines, visibility};
use holdoff::model::{Ending, ExchangeKind, Observation, Outcome, Span};
use holdoff::oracle::{Behaviour, expectation, tells_apart};

use crate::enact::{Chance, enact};
use crate::stage::stage;

const SECOND: Span = Span::from_secs(1);

/// A fixture of one call that meets `script`, with these other lines.
fn case(script: &str, more: &str) -> Case {
    let text = format!(
        "title: a wait is waited\nclauses: [HONOUR-1]\nloop: operation\nparams: {{ max_jitter: 0s }}\n\
         calls: [{{ id: a, at: 0s, do: write }}]\nscript: [{script}]\n{more}\n"
    );
    let cases = fixture::read("inline.yaml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    cases.into_iter().next().unwrap()
}

/// Told to wait 5 s, then served.
fn told() -> Case {
    let script = r#"{ status: 503, headers: { retry-after: "5" } }, { status: 200 }"#;
    case(script, "expect: { attempts: 2, waits: [5s] }")
}

/// Told to wait 5 s, with no attempt left.
fn refused() -> Case {
    let script = r#"{ status: 404, headers: { retry-after: "5" } }"#;
    case(script, "expect: { attempts: 1, waits: [] }")
}

/// Topics of what is wrong with a conforming observation after `spoil`.
fn topics(case: &Case, spoil: impl Fn(&mut Observation)) -> Vec<Topic> {
    let setting = stage().setting(case);
    let right = expectation(&setting, &Behaviour::default());
    let mut seen = enact(&setting, &right, &mut Chance::new(1));
    let differences = judge(&setting, &right, std::slice::from_ref(&seen));
    assert!(differences.is_empty(), "{differences:?}");
    spoil(&mut seen);
    let differences = judge(&setting, &right, &[seen]);
    differences.iter().map(|found| found.topic).collect()
}

fn result(seen: &mut Observation) -> &mut holdoff::model::ObservedResult {
    seen.results.values_mut().next().unwrap()
}

#[test]
fn a_number_of_attempts() {
    let more = topics(&told(), |seen| {
        seen.exchanges.push(seen.exchanges[1].clone())
    });
    assert!(more.contains(&Topic::Attempts), "{more:?}");
    let fewer = topics(&told(), |seen| drop(seen.exchanges.pop()));
    assert!(fewer.contains(&Topic::Attempts), "{fewer:?}");
}

#[test]
fn a_wait_too_long_or_too_short_by_a_nanosecond() {
    for by in [Span::from_nanos(1), Span::from_nanos(-1)] {
        let found = topics(&told(), |seen| seen.exchanges[1].at += by);
        assert!(found.contains(&Topic::Wait), "{found:?}");
    }
}

#[test]
fn the_time_before_the_first_attempt() {
    let found = topics(&told(), |seen| {
        for exchange in &mut seen.exchanges {
            exchange.at += SECOND;
            exchange.replied_at = exchange.replied_at.map(|at| at + SECOND);
        }
    });
    assert!(found.contains(&Topic::Next), "{found:?}");
}

#[test]
fn the_end_and_the_outcome_of_a_call() {
    assert_eq!(
        topics(&told(), |seen| result(seen).at += SECOND),
        [Topic::Ends]
    );
    let found = topics(&told(), |seen| result(seen).outcome = Outcome::Cancelled);
    assert_eq!(found, [Topic::Outcome]);
}

#[test]
fn the_told_wait_on_the_error() {
    let found = topics(&refused(), |seen| match &mut result(seen).outcome {
        Outcome::Raised { error } => error.retry_after = None,
        other => panic!("{other:?}"),
    });
    assert_eq!(found, [Topic::Told]);
}

#[test]
fn what_is_asked_for_and_announced() {
    let found = topics(&told(), |seen| {
        seen.asked[0].duration += Span::from_nanos(1)
    });
    assert_eq!(found, [Topic::Asked]);
    let found = topics(&told(), |seen| seen.events[0].failed_attempt = Some(0));
    assert_eq!(found, [Topic::Hook]);
    assert_eq!(topics(&told(), |seen| seen.events.clear()), [Topic::Hook]);
}

#[test]
fn a_request_that_is_not_the_same() {
    let found = topics(&told(), |seen| seen.exchanges[1].body_digest.clear());
    assert_eq!(found, [Topic::Request]);
    let found = topics(&told(), |seen| seen.exchanges[1].method = "GET".to_owned());
    assert!(found.contains(&Topic::Request), "{found:?}");
}

#[test]
fn a_request_after_the_result() {
    let found = topics(&told(), |seen| {
        let mut late = seen.exchanges[1].clone();
        late.at += SECOND;
        late.kind = ExchangeKind::Late;
        seen.exchanges.push(late);
    });
    assert!(found.contains(&Topic::Late), "{found:?}");
}

#[test]
fn a_reply_that_was_not_fetched() {
    assert_eq!(
        topics(&told(), |seen| seen.unserved.push(1)),
        [Topic::Script]
    );
}

#[test]
fn draws_that_agree_to_the_nanosecond() {
    let mut case = case(
        "{ status: 503 }, { status: 200 }",
        "expect: { distinct: true }",
    );
    case.params.clear();
    let setting = stage().setting(&case);
    let right = expectation(&setting, &Behaviour::default());
    let seen = |seed| enact(&setting, &right, &mut Chance::new(seed));
    assert_eq!(judge(&setting, &right, &[seen(1), seen(2)]), []);
    let found = judge(&setting, &right, &[seen(1), seen(1)]);
    assert_eq!(found[0].topic, Topic::Draws);
}

#[test]
fn a_defect_is_told_apart_only_where_it_shows() {
    let shows = |name: &str, value: &str| {
        let script = format!(
            r#"{{ status: 503, headers: {{ retry-after: "{value}" }} }}, {{ status: 200 }}"#
        );
        let case = case(&script, "expect: { attempts: 2 }");
        let setting = stage().setting(&case);
        let right = expectation(&setting, &Behaviour::default());
        let wrong = expectation(&setting, &find(name).unwrap().behaviour());
        let seen = visibility(ClockKind::Injected, &stage().host, 1);
        tells_apart(&right, &wrong, &seen)
    };
    for (name, hidden, shown) in [
        ("cap-30s", "30", "31"),
        ("gives-up-above-120s", "120", "121"),
        ("sign-accepted", "5", "+5"),
        ("octal-read", "05", "010"),
        ("wraps-at-32-bits", "2147483", "2147484"),
        ("zero-is-now", "5", "0"),
        ("ignored-at-429", "5", "never"),
    ] {
        assert!(!shows(name, hidden), "{name} at {hidden}");
        assert!(shown == "never" || shows(name, shown), "{name} at {shown}");
    }
}

#[test]
fn what_lies_inside_its_expectation_is_printed_as_the_expectation() {
    let case = told();
    let setting = stage().setting(&case);
    let right = expectation(&setting, &Behaviour::default());
    let mut seen = enact(&setting, &right, &mut Chance::new(1));
    let expected = expected_lines(&right);
    assert_eq!(observed_lines(&setting, &right, &seen), expected);
    assert_eq!(
        expected,
        [
            "call a",
            "  attempt 1: 503 retry-after: 5",
            "  wait 5s",
            "  attempt 2: 200",
            "  returned"
        ]
    );
    seen.exchanges[1].at += SECOND;
    assert_eq!(observed_lines(&setting, &right, &seen)[2], "  wait 6s");
}

#[test]
fn an_author_who_is_wrong_is_told_what_is_derived() {
    let script = r#"{ status: 503, headers: { retry-after: "5" } }, { status: 200 }"#;
    let mismatches = |expect: &str| {
        let case = case(script, expect);
        let setting = stage().setting(&case);
        let right = expectation(&setting, &Behaviour::default());
        let paths = authored(&setting, &right).into_iter();
        paths
            .map(|found| (found.path, found.derived))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        mismatches("expect: { attempts: 2, waits: [5s], ends: 5s }"),
        []
    );
    let wrong = mismatches("expect: { attempts: 3, waits: [6s], ends: 5s }");
    let wrong: Vec<_> = wrong
        .iter()
        .map(|(path, derived)| (&**path, &**derived))
        .collect();
    assert_eq!(wrong, [("expect.attempts", "2"), ("expect.waits[0]", "5s")]);
}

#[test]
fn a_result_that_a_watch_should_have_seen() {
    let watched = |until: Span| {
        topics(&refused(), |seen| {
            seen.results.clear();
            seen.ending = Ending::Watched;
            seen.watched_until = Some(until);
        })
    };
    assert_eq!(watched(SECOND), [Topic::Outcome]);
    assert_eq!(watched(Span::ZERO), []);
}

#[test]
fn an_announced_wait_beyond_what_a_double_holds() {
    let told = |digits: &str| {
        let script = format!(
            r#"{{ status: 503, headers: {{ retry-after: "{digits}" }} }}, {{ status: 200 }}"#
        );
        case(&script, "expect: { attempts: 2 }")
    };
    let announced = |case: &Case, more: Span| {
        topics(case, |seen| {
            let delay = seen.events[0].delay.as_mut().unwrap();
            *delay += more;
        })
    };
    let nanos = Span::from_nanos;
    let long = told("2147483647");
    assert_eq!(announced(&long, nanos(400)), []);
    assert_eq!(announced(&long, nanos(1_000)), [Topic::Hook]);
    assert_eq!(announced(&told("86400"), nanos(400)), [Topic::Hook]);
}
