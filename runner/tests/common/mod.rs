//! What tests of whole runs share: the repository's specification, fixtures
//! and reference client, and the binary under test.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdoff::fixture::{self, Case};
use holdoff::known::Known;
use holdoff::manifest::{Manifest, Places};
use holdoff::run::{Availability, ClockChoice, DEFAULT_SEED, RunRequest, Target};
use holdoff::spec::Spec;
use holdoff::world::WorldCommand;

/// The `holdoff` binary of this build.
pub(crate) const HOLDOFF: &str = env!("CARGO_BIN_EXE_holdoff");

/// The repository's root.
pub(crate) fn repository() -> PathBuf {
    let runner = Path::new(env!("CARGO_MANIFEST_DIR"));
    runner.parent().map(Path::to_owned).unwrap_or_default()
}

/// The repository's specification.
pub(crate) fn spec() -> Arc<Spec> {
    let file = repository().join("SPEC.md");
    let text = std::fs::read_to_string(&file).expect("SPEC.md is there");
    Arc::new(Spec::parse(&file, &text).unwrap_or_else(|errors| panic!("{errors}")))
}

/// The repository's cases, in the order of their ids.
pub(crate) fn cases() -> Vec<Arc<Case>> {
    let mut cases =
        fixture::load(&repository().join("fixtures")).unwrap_or_else(|errors| panic!("{errors}"));
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    cases.into_iter().map(Arc::new).collect()
}

/// The reference client.
pub(crate) fn reference() -> Target {
    let manifest = Manifest::load(&repository().join("adapters/reference"))
        .unwrap_or_else(|errors| panic!("{errors}"));
    let launch = manifest.hosts().remove(0);
    let places = Places {
        build: repository().join(".holdoff/build"),
        sdk_path: None,
        holdoff: PathBuf::from(HOLDOFF),
    };
    Target::new(launch, &places, Availability::Ready, Known::default())
}

/// How worlds are started.
pub(crate) fn world() -> WorldCommand {
    WorldCommand {
        argv: vec![HOLDOFF.to_owned(), "world".to_owned()],
    }
}

/// One job for each processor.
pub(crate) fn jobs() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A run of `cases` on `target`.
pub(crate) fn request(target: Target, cases: Vec<Arc<Case>>, clock: ClockChoice) -> RunRequest {
    RunRequest {
        spec: spec(),
        cases,
        targets: vec![Arc::new(target)],
        clock,
        max_wait: RunRequest::MAX_WAIT,
        early_watch: RunRequest::EARLY_WATCH,
        jobs: jobs(),
        seed: DEFAULT_SEED,
        world: world(),
        fixtures_digest: String::new(),
        options: Vec::new(),
        stale: Vec::new(),
    }
}
