//! The specification, the fixtures and a host that can do everything.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use holdoff::adapter::protocol::ClockKind;
use holdoff::check::{nominal_host, nominal_setting};
use holdoff::fixture::{self, Case};
use holdoff::model::Host;
use holdoff::oracle::Setting;
use holdoff::spec::Spec;

/// What every test judges against.
pub(crate) struct Stage {
    pub(crate) spec: Spec,
    pub(crate) host: Host,
    pub(crate) cases: Vec<Case>,
}

/// The repository's own.
pub(crate) fn stage() -> &'static Stage {
    static STAGE: OnceLock<Stage> = OnceLock::new();
    STAGE.get_or_init(|| {
        let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .into();
        let file = root.join("SPEC.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let spec = Spec::parse(&file, &text).unwrap_or_else(|errors| panic!("{errors}"));
        let fixtures = root.join("fixtures");
        let cases = fixture::load(&fixtures).unwrap_or_else(|errors| panic!("{errors}"));
        Stage {
            host: nominal_host(&spec),
            spec,
            cases,
        }
    })
}

impl Stage {
    /// A case under the injected clock.
    pub(crate) fn setting<'a>(&'a self, case: &'a Case) -> Setting<'a> {
        nominal_setting(&self.spec, case, &self.host, ClockKind::Injected)
    }
}
