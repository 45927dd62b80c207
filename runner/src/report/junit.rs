//! JUnit XML.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::case_text::case_text;
use super::palette::Palette;
use super::record::RunRecord;
use crate::escape::{log_line, xml};
use crate::judge::{CaseReport, Verdict};

/// A run as JUnit XML: one suite an adapter. `known` is a success, what could
/// not be judged is skipped with its reason.
pub fn junit(record: &RunRecord) -> String {
    let mut report = Report::new("holdoff");
    for adapter in record.adapters() {
        let mut suite = TestSuite::new(xml(adapter));
        for case in record.cases_of(adapter) {
            suite.add_test_case(test_case(record, case));
        }
        report.add_test_suite(suite);
    }
    report
        .to_string()
        .unwrap_or_else(|error| format!("<!-- the report cannot be written: {error} -->\n"))
}

fn test_case(record: &RunRecord, case: &CaseReport) -> TestCase {
    let failed = |kind: NonSuccessKind| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(case.verdict.as_str());
        status.set_message(xml(&log_line(&summary(case))));
        status.set_description(xml(&case_text(&record.header, case, Palette::Plain)));
        status
    };
    let status = match case.verdict {
        Verdict::Pass | Verdict::Known | Verdict::Warns => TestCaseStatus::success(),
        Verdict::Diverges | Verdict::Fixed | Verdict::Changed => failed(NonSuccessKind::Failure),
        Verdict::Error => failed(NonSuccessKind::Error),
        Verdict::Inconclusive
        | Verdict::Unsupported
        | Verdict::Unavailable
        | Verdict::NeedsClock => {
            let mut status = TestCaseStatus::skipped();
            status.set_type(case.verdict.as_str());
            status.set_message(xml(&log_line(&summary(case))));
            status
        }
    };
    let mut test = TestCase::new(xml(case.case.as_str()), status);
    test.set_classname(xml(&case.adapter));
    test.set_time(case.real.to_std());
    if case.verdict == Verdict::Warns {
        test.set_system_out(xml(&case_text(&record.header, case, Palette::Plain)));
    }
    test
}

/// One line that says why.
pub(super) fn summary(case: &CaseReport) -> String {
    case.reason
        .clone()
        .or_else(|| {
            case.differences
                .first()
                .map(|difference| difference.text.clone())
        })
        .unwrap_or_else(|| case.title.clone())
}
