//! The kill matrix on the real client: every defect is caught, and every mutant
//! is what the oracle predicts. `holdoff mutants` plays all cases; this test a
//! sample of those in which the defect shows.

mod common;

use holdoff::defect::catalogue;
use holdoff::run::{DEFAULT_SEED, MutantRequest, MutantScope, mutants};

/// Cases that each mutant plays.
const SAMPLE: usize = 6;

#[test]
fn every_defect_is_killed_and_is_what_the_oracle_predicts() {
    let request = MutantRequest {
        spec: common::spec(),
        cases: common::cases(),
        reference: common::reference(),
        defects: catalogue().iter().collect(),
        scope: MutantScope::Sampled(SAMPLE),
        jobs: common::jobs(),
        seed: DEFAULT_SEED,
        world: common::world(),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let reports = runtime.block_on(mutants(request));
    assert_eq!(reports.len(), catalogue().len());
    let bad: Vec<_> = reports.iter().filter(|report| !report.is_good()).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn the_names_of_defects_are_the_same_on_both_sides() {
    let mut runner: Vec<_> = catalogue().iter().map(|defect| defect.name).collect();
    let mut client = holdoff_reference::defects().to_vec();
    runner.sort_unstable();
    client.sort_unstable();
    assert_eq!(runner, client);
}
