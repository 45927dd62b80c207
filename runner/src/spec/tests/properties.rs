//! What is written is read back.

use std::path::Path;

use proptest::prelude::*;

use super::errors::DOCUMENT;

use crate::model::Span;
use crate::spec::{
    Compare, Condition, ConditionWord, Growth, LocalDelay, Param, Ratio, Spec, Term, When,
};

fn condition() -> impl Strategy<Value = Condition> {
    let class = (1u8..=5, prop::collection::vec(0u16..100, 0..3)).prop_map(|(digit, except)| {
        let except = except
            .into_iter()
            .map(|rest| u16::from(digit) * 100 + rest)
            .collect();
        Condition::Class { digit, except }
    });
    let number =
        ("[a-z][a-z0-9-]{0,12}", 0usize..5, any::<u64>()).prop_map(|(header, compare, number)| {
            Condition::HeaderNumber {
                header,
                compare: Compare::ALL[compare],
                number,
            }
        });
    prop_oneof![
        Just(Condition::Any),
        (100u16..600).prop_map(Condition::Status),
        class,
        "[A-Za-z][A-Za-z0-9_.-]{0,12}".prop_map(Condition::Code),
        "[a-z][a-z0-9-]{0,12}".prop_map(Condition::Header),
        number,
        (0..ConditionWord::ALL.len()).prop_map(|at| Condition::Word(ConditionWord::ALL[at])),
    ]
}

fn when() -> impl Strategy<Value = When> {
    condition()
        .prop_map(When::Is)
        .prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|part| When::Not(Box::new(part))),
                prop::collection::vec(inner.clone(), 2..4).prop_map(When::All),
                prop::collection::vec(inner, 2..4).prop_map(When::AnyOf),
            ]
        })
}

fn term() -> impl Strategy<Value = Term> {
    let param = || (0..Param::ALL.len()).prop_map(|at| Param::ALL[at]);
    prop_oneof![
        (0i64..i64::MAX).prop_map(|nanos| Term::Duration(Span::from_nanos(i128::from(nanos)))),
        param().prop_map(Term::Param),
        (any::<u32>(), param()).prop_map(|(count, param)| Term::Times(count, param)),
    ]
}

fn ratio() -> impl Strategy<Value = Ratio> {
    any::<u64>().prop_map(Ratio::from_millionths)
}

fn spread() -> impl Strategy<Value = (Ratio, Ratio)> {
    (ratio(), ratio()).prop_map(|(one, other)| (one.min(other), one.max(other)))
}

fn delay() -> impl Strategy<Value = LocalDelay> {
    let growth =
        || (term(), ratio(), term()).prop_map(|(base, factor, cap)| Growth { base, factor, cap });
    let step = (0i64..i64::MAX).prop_map(|nanos| Span::from_nanos(i128::from(nanos)));
    let leaf = prop_oneof![
        Just(LocalDelay::None),
        growth().prop_map(LocalDelay::Exponential),
        growth().prop_map(LocalDelay::FullJitter),
        Just(LocalDelay::Interval),
        step.prop_map(LocalDelay::IntervalPlus),
        (term(), term()).prop_map(|(lo, hi)| LocalDelay::Uniform { lo, hi }),
        term().prop_map(LocalDelay::Fixed),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            (inner.clone(), term()).prop_map(|(delay, max)| LocalDelay::Jittered {
                delay: Box::new(delay),
                max
            }),
            (inner.clone(), spread()).prop_map(|(delay, (lo, hi))| LocalDelay::Spread {
                delay: Box::new(delay),
                lo,
                hi
            }),
            (inner.clone(), inner)
                .prop_map(|(left, right)| LocalDelay::Max(Box::new(left), Box::new(right))),
        ]
    })
}

proptest! {
    #[test]
    fn a_condition_is_read_back(when in when()) {
        let text = when.to_string();
        prop_assert_eq!(text.parse::<When>().ok(), Some(when), "{}", text);
    }

    #[test]
    fn a_delay_is_read_back(delay in delay()) {
        let text = delay.to_string();
        prop_assert_eq!(text.parse::<LocalDelay>().ok(), Some(delay), "{}", text);
    }

    #[test]
    fn no_document_is_a_panic(
        at in any::<prop::sample::Index>(),
        len in 0usize..40,
        text in "[-|*\\[\\]`#\\\\\\r\\n aé—6.1()]{0,8}",
    ) {
        let mut document: Vec<char> = DOCUMENT.chars().collect();
        let from = at.index(document.len());
        let to = (from + len).min(document.len());
        document.splice(from..to, text.chars());
        let document: String = document.into_iter().collect();
        if let Err(errors) = Spec::parse(Path::new("SPEC.md"), &document) {
            prop_assert!(!errors.render().is_empty());
        }
    }

    #[test]
    fn no_text_is_a_panic(text in "[a-z0-9()&|!*+,=<>. —-]{0,60}") {
        let _ = text.parse::<When>();
        let _ = text.parse::<LocalDelay>();
    }
}
