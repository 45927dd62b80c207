//! The causes of a run's divergences, in words.

use super::record::RunRecord;
use crate::defect::find;
use crate::run::Cause;

/// What the client does by a cause, as the end of "the client …"; empty for
/// what no defect explains, and for a defect of another version.
pub(super) fn does(cause: &Cause) -> &'static str {
    let defect = cause.defect.as_ref();
    defect
        .and_then(|defect| find(defect.as_str()))
        .map_or("", |defect| defect.does)
}

/// The name of a cause.
pub(super) fn name(cause: &Cause) -> &str {
    cause
        .defect
        .as_ref()
        .map_or("unexplained", |id| id.as_str())
}

/// The causes of one adapter, in order.
pub(super) fn of<'a>(record: &'a RunRecord, adapter: &str) -> Vec<&'a Cause> {
    let causes = record.footer.causes.iter();
    causes.filter(|cause| cause.adapter == adapter).collect()
}
