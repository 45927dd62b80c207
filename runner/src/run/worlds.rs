//! [`Worlds`]: the world processes of one worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::probing::{Probed, probe};
use super::target::Target;
use crate::adapter::protocol::ClockKind;
use crate::adapter::{LaunchSpec, ProcessClock};
use crate::fixture::Case;
use crate::model::{CasePlan, LoopId, Observation};
use crate::spec::Spec;
use crate::world::{WorldCommand, WorldFailure, WorldHandle};

/// Which process plays a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Process {
    /// The worker's own, which has played others.
    Shared,
    /// One of its own.
    Fresh,
}

/// The world processes of one worker: one that is kept for the adapter at
/// hand, for each kind of clock that its cases need, and short-lived ones for
/// cases that need a process of their own.
#[derive(Debug)]
pub(super) struct Worlds {
    command: WorldCommand,
    kept: Option<Kept>,
    late: Vec<String>,
}

#[derive(Debug)]
struct Kept {
    target: Arc<Target>,
    worlds: BTreeMap<ProcessClock, WorldHandle>,
    probed: BTreeMap<(LoopId, ClockKind), Probed>,
}

impl Worlds {
    pub(super) fn new(command: WorldCommand) -> Self {
        Self {
            command,
            kept: None,
            late: Vec::new(),
        }
    }

    /// Plays plans one after the other in one process.
    pub(super) async fn play(
        &mut self,
        target: &Arc<Target>,
        case: &Case,
        process: Process,
        plans: &[CasePlan],
    ) -> Result<Vec<Observation>, WorldFailure> {
        let clock = plans
            .first()
            .map_or(ClockKind::Real, |plan| plan.clock.kind);
        if process == Process::Shared && !needs_own_process(case) {
            let command = self.command.clone();
            let world = self.kept(target).await.world(&command, clock);
            let observed = play_all(world, plans).await;
            let late = world.take_late();
            self.note_late(&late.iter().map(|late| &late.case).collect::<Vec<_>>());
            return observed;
        }
        let mut spec = target.start.under(clock);
        localise(&mut spec, case);
        let mut world = WorldHandle::new(self.command.clone(), spec);
        let observed = play_all(&mut world, plans).await;
        world.stop().await;
        observed
    }

    /// Probes the loop of a case in the kept process, once.
    pub(super) async fn probe(
        &mut self,
        target: &Arc<Target>,
        spec: &Spec,
        loop_id: &LoopId,
        clock: ClockKind,
    ) -> Probed {
        let command = self.command.clone();
        let kept = self.kept(target).await;
        let key = (loop_id.clone(), clock);
        if let Some(probed) = kept.probed.get(&key) {
            return probed.clone();
        }
        let probed = probe(kept.world(&command, clock), target, spec, loop_id, clock).await;
        kept.probed.insert(key, probed.clone());
        probed
    }

    async fn kept(&mut self, target: &Arc<Target>) -> &mut Kept {
        let is_other = self
            .kept
            .as_ref()
            .is_some_and(|kept| !Arc::ptr_eq(&kept.target, target));
        if is_other && let Some(kept) = self.kept.take() {
            kept.stop().await;
        }
        self.kept.get_or_insert_with(|| Kept {
            target: Arc::clone(target),
            worlds: BTreeMap::new(),
            probed: BTreeMap::new(),
        })
    }

    fn note_late(&mut self, cases: &[&String]) {
        self.late.extend(cases.iter().map(|case| (*case).clone()));
    }

    /// Opaque names of cases to which requests came after they had ended.
    pub(super) fn take_late(&mut self) -> Vec<String> {
        std::mem::take(&mut self.late)
    }

    /// Ends the kept process and waits for its end.
    pub(super) async fn stop(self) {
        if let Some(kept) = self.kept {
            kept.stop().await;
        }
    }
}

impl Kept {
    /// The world for cases under a clock.
    fn world(&mut self, command: &WorldCommand, clock: ClockKind) -> &mut WorldHandle {
        let spec = || self.target.start.under(clock);
        self.worlds
            .entry(ProcessClock::of(clock))
            .or_insert_with(|| WorldHandle::new(command.clone(), spec()))
    }

    async fn stop(self) {
        for world in self.worlds.into_values() {
            world.stop().await;
        }
    }
}

async fn play_all(
    world: &mut WorldHandle,
    plans: &[CasePlan],
) -> Result<Vec<Observation>, WorldFailure> {
    let mut observations = Vec::with_capacity(plans.len());
    for plan in plans {
        observations.push(world.run(plan).await?);
    }
    Ok(observations)
}

/// A start of its own may lie before that of the last case, and zone and
/// locale are given to a process once.
fn needs_own_process(case: &Case) -> bool {
    let clock = &case.clock;
    clock.start.is_some() || clock.zone.is_some() || clock.locale.is_some()
}

fn localise(spec: &mut LaunchSpec, case: &Case) {
    if let Some(zone) = &case.clock.zone {
        spec.zone.clone_from(zone);
    }
    if let Some(locale) = &case.clock.locale {
        spec.locale.clone_from(locale);
    }
}
