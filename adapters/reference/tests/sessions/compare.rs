//! The same call, by the conforming client and by defective ones.

use crate::bench::Bench;

/// Runs the call without a defect and with each; `GET` stands for
/// `GET /items/7`.
pub(crate) async fn compare(bench: Bench, conforming: &str, defects: &[(&str, &str)]) {
    assert_eq!(log(&bench, None).await, conforming);
    for (defect, instead) in defects {
        assert_ne!(conforming, *instead, "{defect} must differ");
        assert_eq!(log(&bench, Some(defect)).await, *instead, "{defect}");
    }
}

async fn log(bench: &Bench, defect: Option<&str>) -> String {
    bench.run(defect).await.replace(" /items/7", "")
}
