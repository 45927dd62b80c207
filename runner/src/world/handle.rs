//! [`WorldHandle`]: a world process, as the main process sees it.

use super::messages::{LateTraffic, WorldEvent, WorldOrder};
use super::process::{SLACK, WorldProcess};
use super::{WorldCommand, WorldFailure};
use crate::adapter::{Hello, LaunchSpec};
use crate::model::{CasePlan, Observation};

/// One world process with one adapter. It is started when it is first needed,
/// and again after its death. Dropping the handle, or a future of it, closes
/// the world's input, at which the world kills its tree and exits.
#[derive(Debug)]
pub struct WorldHandle {
    command: WorldCommand,
    spec: LaunchSpec,
    live: Option<(WorldProcess, Hello)>,
    late: Vec<LateTraffic>,
}

impl WorldHandle {
    /// A world that is not started yet.
    pub fn new(command: WorldCommand, spec: LaunchSpec) -> Self {
        Self {
            command,
            spec,
            live: None,
            late: Vec::new(),
        }
    }

    /// What the adapter says of itself; starts the world if it is not.
    ///
    /// # Errors
    /// If the world or its adapter cannot be started.
    pub async fn hello(&mut self) -> Result<Hello, WorldFailure> {
        let live = self.take_or_start().await?;
        Ok(self.live.insert(live).1.clone())
    }

    /// Plays one case; starts the world if it is not. After a failure of the
    /// runner itself the next case gets a fresh world.
    ///
    /// # Errors
    /// If no call could be made, or the world failed.
    pub async fn run(&mut self, plan: &CasePlan) -> Result<Observation, WorldFailure> {
        let mut live = self.take_or_start().await?;
        let order = WorldOrder::Run {
            plan: Box::new(plan.clone()),
        };
        let limit = plan.bounds.real_time.to_std() + self.spec.start_limit.to_std() + SLACK;
        let answer = live.0.ask(&order, limit, &mut self.late).await;
        let outcome = match answer {
            Ok(WorldEvent::Observed { observation }) => Ok(*observation),
            Ok(WorldEvent::Failed { failure }) => Err(failure),
            Ok(event) => Err(out_of_turn(&event)),
            Err(failure) => Err(failure),
        };
        if matches!(outcome, Err(WorldFailure::Harness { .. })) {
            live.0.kill().await;
        } else {
            self.live = Some(live);
        }
        outcome
    }

    /// Traffic to cases that were over, noticed since the last call of this.
    pub fn take_late(&mut self) -> Vec<LateTraffic> {
        std::mem::take(&mut self.late)
    }

    /// Ends the world and waits for its end.
    pub async fn stop(mut self) {
        if let Some((process, _)) = self.live.take() {
            process.stop().await;
        }
    }

    /// The world's process id, if it lives.
    #[cfg(test)]
    pub(super) fn id(&self) -> Option<u32> {
        self.live.as_ref().and_then(|(process, _)| process.id())
    }

    async fn take_or_start(&mut self) -> Result<(WorldProcess, Hello), WorldFailure> {
        if let Some(live) = self.live.take() {
            return Ok(live);
        }
        let mut process = WorldProcess::spawn(&self.command)?;
        let order = WorldOrder::Start {
            spec: Box::new(self.spec.clone()),
        };
        let limit = self.spec.start_limit.to_std() + SLACK;
        let failure = match process.ask(&order, limit, &mut self.late).await {
            Ok(WorldEvent::Ready { hello }) => return Ok((process, hello)),
            Ok(WorldEvent::Failed { failure }) => failure,
            Ok(event) => out_of_turn(&event),
            Err(failure) => failure,
        };
        process.kill().await;
        Err(failure)
    }
}

fn out_of_turn(event: &WorldEvent) -> WorldFailure {
    WorldFailure::harness(format!("the world's {event:?} came out of turn"))
}
