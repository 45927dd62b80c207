//! Which adapters a command is about, and whether they can be started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::inputs::Inputs;
use crate::diagnostic::{Diagnostics, nearest};
use crate::fixture::Glob;
use crate::known::Known;
use crate::manifest::{Launch, Places};
use crate::run::{Availability, Target};

/// The file in a build folder that says that its build went through, and by
/// which command.
const STAMP: &str = ".holdoff-built";

/// The launches that any of `names` names: `acme`, `acme/sync`, `acme@1.0`,
/// `acme/*`, `acme/sync@1.0`.
pub(super) fn selected(launches: &[Launch], names: &[String]) -> Result<Vec<Launch>, Failure> {
    let mut chosen = Vec::new();
    for name in names {
        let found: Vec<_> = launches
            .iter()
            .filter(|launch| matches(launch, name))
            .cloned()
            .collect();
        if found.is_empty() {
            return Err(unknown(launches, name));
        }
        chosen.extend(found);
    }
    chosen.sort_by(|a, b| a.host.name.cmp(&b.host.name));
    chosen.dedup_by(|a, b| a.host.name == b.host.name);
    Ok(chosen)
}

fn matches(launch: &Launch, name: &str) -> bool {
    let (adapter, version) = match name.split_once('@') {
        Some((adapter, version)) => (adapter, Some(version)),
        None => (name, None),
    };
    let (adapter, variant) = match adapter.split_once('/') {
        Some((adapter, variant)) => (adapter, Some(variant)),
        None => (adapter, None),
    };
    let fits = |glob: &str, text: &str| Glob::new(glob).matches(text);
    let variant_fits = match (variant, launch.variant.as_deref()) {
        (None, _) => true,
        (Some(wanted), Some(variant)) => fits(wanted, variant),
        // `acme/*` names an adapter without variants too.
        (Some(wanted), None) => wanted == "*" || wanted == "**",
    };
    fits(adapter, &launch.adapter)
        && variant_fits
        && version.is_none_or(|version| fits(version, launch.version.as_str()))
}

fn unknown(launches: &[Launch], name: &str) -> Failure {
    let mut names: Vec<_> = launches
        .iter()
        .map(|launch| launch.host.name.as_str())
        .chain(launches.iter().map(|launch| launch.adapter.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are: {}", names.join(", ")),
    };
    Failure::Usage(format!("no adapter matches `{name}`{hint}"))
}

/// Targets that are started as their manifests say.
pub(super) fn targets(
    inputs: &Inputs,
    launches: Vec<Launch>,
    holdoff: &Path,
) -> Result<Vec<Arc<Target>>, Failure> {
    let places = inputs.places(holdoff)?;
    let mut errors = Diagnostics::new();
    let mut read: BTreeMap<PathBuf, Known> = BTreeMap::new();
    let mut targets = Vec::new();
    for launch in launches {
        let known = match read.get(&launch.folder) {
            Some(known) => known.clone(),
            None => {
                let known = Known::load(&launch.folder).unwrap_or_else(|more| {
                    errors.extend(more);
                    Known::default()
                });
                read.insert(launch.folder.clone(), known.clone());
                known
            }
        };
        let availability = availability(&launch, &places);
        targets.push(Arc::new(Target::new(launch, &places, availability, known)));
    }
    errors.into_result(()).map_err(Failure::from)?;
    Ok(targets)
}

/// Whether the programs that an adapter requires are there, and whether it is
/// built, if it must be.
pub(super) fn availability(launch: &Launch, places: &Places) -> Availability {
    if let Some(program) = launch.requires.iter().find(|name| !is_on_path(name)) {
        return Availability::Missing(format!("requires `{program}`, which is not there"));
    }
    let build = launch.build(places);
    if build.is_empty() {
        return Availability::Ready;
    }
    let stamp = launch.build_folder(places).join(STAMP);
    match std::fs::read_to_string(stamp) {
        Ok(built) if built == stamp_text(&build) => Availability::Ready,
        Ok(_) => Availability::Missing(format!(
            "built by another command; run `holdoff build {}@{}`",
            launch.adapter, launch.version
        )),
        Err(_) => Availability::Missing(format!(
            "not built; run `holdoff build {}@{}`",
            launch.adapter, launch.version
        )),
    }
}

/// The file that `program` names, if a folder of PATH has it.
pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = [program.to_owned(), format!("{program}.exe")];
    std::env::split_paths(&path)
        .flat_map(|folder| names.clone().map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Without a PATH the system has folders of its own, which only a start shows.
fn is_on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_none() || on_path(program).is_some()
}

/// Says that the build of `launch` went through.
pub(super) fn mark_built(launch: &Launch, places: &Places) -> std::io::Result<()> {
    let stamp = launch.build_folder(places).join(STAMP);
    std::fs::write(stamp, stamp_text(&launch.build(places)))
}

fn stamp_text(build: &[String]) -> String {
    let mut text = build.join("\n");
    text.push('\n');
    text
}
