//! A world process with one tiny adapter, and what is left of it afterwards.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use holdoff::adapter::protocol::{ClockKind, ParamValue, SdkIdentity, Verb};
use holdoff::adapter::{Hello, LaunchSpec};
use holdoff::model::{
    Action, Bounds, CallId, CasePlan, ClockPlan, DateWindow, LoopId, Observation, PlannedAction,
    PlannedBody, PlannedCall, PlannedStep, PrefixMode, Presence, Span, Spelling, Times,
};
use holdoff::world::{WorldCommand, WorldFailure, WorldHandle};

use crate::left::{Processes, peak_memory};

/// Everything that one play with a broken adapter showed.
pub(crate) struct Seen {
    /// What the adapter said of itself.
    pub(crate) hello: Result<Hello, WorldFailure>,
    /// What came of the case.
    pub(crate) run: Result<Observation, WorldFailure>,
    /// Peak memory of the world process in bytes, where it can be told.
    pub(crate) memory: Option<u64>,
    /// Real time until nothing was left.
    pub(crate) took: Duration,
}

impl Seen {
    /// How the one call ended, as JSON.
    pub(crate) fn outcome(&self) -> String {
        let observation = self.run.as_ref().expect("there is an observation");
        let result = &observation.results[&CallId::from("a")];
        serde_json::to_string(&result.outcome).expect("an outcome is JSON")
    }

    /// Lines of the log, as one text.
    pub(crate) fn log(&self) -> String {
        let observation = self.run.as_ref().expect("there is an observation");
        observation.log_tail.join("\n")
    }
}

/// This program in another role.
pub(crate) fn this(role: &str, name: &str) -> Vec<String> {
    let program = std::env::current_exe().expect("this program has a path");
    let program = program.to_str().expect("its path is UTF-8").to_owned();
    let words = [role, name].into_iter().filter(|word| !word.is_empty());
    std::iter::once(program)
        .chain(words.map(str::to_owned))
        .collect()
}

/// How to start the adapter of that name.
pub(crate) fn spec(name: &str) -> LaunchSpec {
    let mut spec = LaunchSpec::new(name, this("--act-as", name));
    spec.sdk = Some(SdkIdentity {
        name: "tiny".to_owned(),
        version: "1".to_owned(),
    });
    spec
}

/// A world of its own for that adapter.
pub(crate) fn handle(spec: LaunchSpec) -> WorldHandle {
    let argv = this("--world", "");
    WorldHandle::new(WorldCommand { argv }, spec)
}

/// Plays the case once, ends the world and sees to it that nobody is left.
pub(crate) async fn play(spec: LaunchSpec, plan: &CasePlan) -> Seen {
    let began = Instant::now();
    let mut handle = handle(spec);
    let hello = handle.hello().await;
    let processes = hello.as_ref().ok().map(Processes::of);
    let run = match &hello {
        Ok(_) => handle.run(plan).await,
        Err(failure) => Err(failure.clone()),
    };
    let memory = processes
        .as_ref()
        .and_then(|processes| peak_memory(processes.world));
    handle.stop().await;
    if let Some(mut processes) = processes {
        if let Ok(observation) = &run {
            processes.add_grandchildren(&observation.log_tail);
        }
        processes.are_gone().await;
    }
    Seen {
        hello,
        run,
        memory,
        took: began.elapsed(),
    }
}

/// One call `a` at 0 s, answered 200, within `real_time` of real time.
pub(crate) fn plan(clock: ClockKind, real_time: Span) -> CasePlan {
    let call = PlannedCall {
        id: CallId::from("a"),
        verb: Verb::Read,
        mark: "1000001".to_owned(),
        cancel: None,
        auth: None,
    };
    CasePlan {
        case: "c1".to_owned(),
        loop_id: LoopId::from("operation"),
        params: BTreeMap::from([("max_attempts".to_owned(), ParamValue::Count(3))]),
        seed: 7,
        clock: ClockPlan {
            kind: clock,
            wall: "2030-01-01T00:00:00Z".parse().expect("an instant"),
            tick: None,
            steps: Vec::new(),
            date_window: DateWindow::Free,
        },
        actions: vec![PlannedAction {
            at: Span::ZERO,
            action: Action::Call(call),
        }],
        script: vec![PlannedStep {
            status: 200,
            headers: Vec::new(),
            body: PlannedBody::default(),
            times: Times::Exactly(1),
            route: None,
            delay: None,
            presence: Presence::Required,
            owner: None,
            fault: None,
            spelling: Spelling::default(),
        }],
        prefix: PrefixMode::Random,
        bounds: Bounds {
            horizon: Span::from_secs(3_600),
            quiet_until: None,
            tail: Span::from_secs(60),
            events: 50_000,
            real_time,
            watch: None,
        },
    }
}
