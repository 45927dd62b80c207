//! The manifests and locks of this repository's own adapters.

use std::path::{Path, PathBuf};

use holdoff::manifest::Manifest;
use holdoff::model::Feature;

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters")
}

fn load(name: &str) -> Manifest {
    Manifest::load(&adapters().join(name)).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn every_manifest_is_read_and_is_named_as_its_folder() {
    let mut seen = 0;
    for entry in std::fs::read_dir(adapters()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if adapters().join(&name).join(Manifest::FILE).exists() {
            assert_eq!(load(&name).name, name);
            seen += 1;
        }
    }
    assert!(seen >= 2, "{seen} manifests are too few to be all");
}

#[test]
fn the_python_sdk_claims_a_cancel_only_where_it_has_one() {
    let launches = load("basecamp-python").hosts();
    let with_cancel: Vec<_> = launches
        .iter()
        .filter(|launch| launch.host.features.contains(&Feature::Cancel))
        .map(|launch| launch.host.name.as_str())
        .collect();
    assert_eq!(
        with_cancel,
        [
            "basecamp-python/async@0.15.0",
            "basecamp-python/async@0.29.1"
        ]
    );
}

#[test]
fn every_pinned_version_has_a_lock_with_hashes() {
    let folder = adapters().join("basecamp-python");
    for launch in load("basecamp-python").hosts() {
        let lock = folder.join(format!("requirements/{}.txt", launch.version.as_str()));
        let text = std::fs::read_to_string(&lock).unwrap();
        let pins = text.lines().filter(|line| line.contains("==")).count();
        assert!(text.contains(&format!("basecamp-sdk=={}", launch.version.as_str())));
        assert_eq!(text.matches("--hash=sha256:").count(), pins, "{lock:?}");
    }
}
