//! Worlds under the virtual clock: where a case ends, what is told of the time,
//! and that nobody is left.

use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use holdoff::adapter::AdapterFault;
use holdoff::adapter::protocol::ClockKind;
use holdoff::model::{
    Action, CallId, CasePlan, Ending, Fault, Observation, Outcome, PlannedAction, PrefixMode, Span,
    WallStep,
};
use holdoff::run::virtual_clock;
use holdoff::world::{WorldCommand, WorldFailure, WorldHandle};
use libtest_mimic::Trial;

use crate::acts::Act;
use crate::stage::{Seen, play as play_once, spec, this};
use crate::trial;

const HOUR: Duration = Duration::from_secs(3_600);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// What an adapter does that lives under the virtual clock.
pub(crate) const ACTS: &[(&str, &str, Act)] = &[
    ("sleeps-an-hour", "call", |wire, line| {
        wire.exchange();
        std::thread::sleep(HOUR);
        wire.exchange();
        wire.returned(line);
    }),
    ("sleeps-ten-years", "call", |_, _| {
        std::thread::sleep(10 * YEAR);
    }),
    ("naps-for-ever", "call", |_, _| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }),
    ("naps-too-often", "call", |_, _| {
        loop {
            std::thread::sleep(Duration::from_micros(1_500));
        }
    }),
    ("spins", "call", |_, _| {
        loop {
            std::hint::spin_loop();
        }
    }),
    ("exchanges", "call", |wire, line| {
        wire.exchange();
        wire.returned(line);
    }),
    ("acts-late", "call", |wire, line| {
        wire.exchange();
        wire.returned(line);
        std::thread::sleep(Duration::from_secs(10));
        wire.exchange();
    }),
    ("acts-late-for-ever", "call", |wire, line| {
        wire.returned(line);
        loop {
            std::thread::sleep(Duration::from_millis(5));
        }
    }),
    ("ends-when-cancelled", "call", |wire, _| {
        let cancel = wire.next_line();
        wire.returned(&cancel);
    }),
    ("tells-the-wall", "call", |wire, line| {
        let before = SystemTime::now();
        std::thread::sleep(HOUR);
        match SystemTime::now().duration_since(before) {
            Ok(passed) => eprintln!("{} s passed", passed.as_secs()),
            Err(error) => eprintln!("went back by {} s", error.duration().as_secs()),
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        eprintln!("at {}", now.expect("after 1970").as_secs());
        wire.returned(line);
    }),
];

fn plan() -> CasePlan {
    let mut plan = crate::stage::plan(ClockKind::Virtual, Span::from_secs(20));
    plan.prefix = PrefixMode::None;
    plan.bounds.horizon = Span::from_secs(20_000);
    plan
}

async fn play(name: &str, plan: &CasePlan) -> Seen {
    play_once(spec(name).under(ClockKind::Virtual), plan).await
}

fn observation(seen: &Seen) -> &Observation {
    seen.run.as_ref().unwrap()
}

fn result(seen: &Seen) -> (Span, Outcome) {
    let result = &observation(seen).results[&CallId::from("a")];
    (result.at, result.outcome.clone())
}

/// Whether an instant is no earlier, and later by less than ten microseconds.
fn is_at(seen: Span, wanted: Span) -> bool {
    wanted <= seen && seen < wanted + Span::from_nanos(10_000)
}

/// Ten seconds of a machine on which other tests run are nothing like the time
/// that is passed under these clocks.
const SOON: Duration = Duration::from_secs(15);

async fn an_hour_is_passed_at_once_and_exactly() {
    let mut plan = plan();
    plan.script.push(plan.script[0].clone());
    let seen = play("sleeps-an-hour", &plan).await;
    let (first, second) = (
        &observation(&seen).exchanges[0],
        &observation(&seen).exchanges[1],
    );
    let waited = second.at - first.replied_at.unwrap();
    assert!(is_at(waited, Span::from_secs(3_600)), "{waited}");
    assert!(matches!(result(&seen).1, Outcome::Returned { .. }));
    let asked: Vec<_> = observation(&seen)
        .asked
        .iter()
        .map(|asked| asked.duration)
        .collect();
    assert_eq!(asked, [Span::from_secs(3_600)]);
    assert!(seen.took < SOON, "{:?}", seen.took);
}

async fn a_sleep_beyond_the_horizon_is_named() {
    let seen = play("sleeps-ten-years", &plan()).await;
    let asked = Span::from_secs(10 * 365 * 86_400);
    assert_eq!(result(&seen).1, Outcome::NeverEnded { asked: Some(asked) });
    assert_eq!(observation(&seen).ending, Ending::Horizon);
    assert_eq!(observation(&seen).asked.len(), 1);
}

async fn naps_end_at_the_horizon_or_at_the_bound_on_events() {
    let mut short = plan();
    short.bounds.horizon = Span::from_secs(60);
    let seen = play("naps-for-ever", &short).await;
    assert_eq!(observation(&seen).ending, Ending::Horizon);
    // The last one is not waited out.
    assert_eq!(observation(&seen).asked.len(), 61);
    short.bounds.events = 50;
    let seen = play("naps-too-often", &short).await;
    assert_eq!(observation(&seen).ending, Ending::Events);
    assert_eq!(result(&seen).1, Outcome::NeverEnded { asked: None });
}

async fn a_call_that_waits_for_nothing_hangs_and_is_found_at_once() {
    let seen = play("never-answers", &plan()).await;
    assert_eq!(result(&seen).1, Outcome::Hung);
    let mut stalled = plan();
    stalled.script[0].fault = Some(Fault::Stall);
    let seen = play("exchanges", &stalled).await;
    assert_eq!(result(&seen).1, Outcome::Hung);
    assert!(seen.took < SOON, "{:?}", seen.took);
}

async fn a_thread_that_never_rests_is_starved_or_out_of_time() {
    let mut short = plan();
    short.bounds.real_time = Span::from_secs(2);
    let seen = play("spins", &short).await;
    let (_, outcome) = result(&seen);
    assert!(
        matches!(outcome, Outcome::Starved | Outcome::OutOfTime),
        "{outcome:?}"
    );
    assert_eq!(observation(&seen).ending, Ending::RealTime);
}

async fn one_that_never_opens_is_blamed_at_once() {
    for name in ["never-opens", "never-says-hello"] {
        let seen = play(name, &plan()).await;
        let Err(WorldFailure::Adapter {
            fault: AdapterFault::Clock { detail },
        }) = &seen.run
        else {
            panic!("{name}: {:?}", seen.run);
        };
        assert!(detail.starts_with("hung"), "{detail}");
        assert!(seen.took < SOON, "{:?}", seen.took);
    }
}

async fn a_delayed_reply_comes_at_its_instant() {
    let mut delayed = plan();
    delayed.script[0].delay = Some(Span::from_secs(20));
    let seen = play("exchanges", &delayed).await;
    let replied = observation(&seen).exchanges[0].replied_at.unwrap();
    assert!(is_at(replied, Span::from_secs(20)), "{replied}");
    assert!(
        is_at(result(&seen).0, Span::from_secs(20)),
        "{}",
        result(&seen).0
    );
}

async fn actions_come_at_their_instants() {
    let mut plan = plan();
    let call = CallId::from("a");
    plan.actions.push(PlannedAction {
        at: Span::from_secs(10),
        action: Action::Cancel { call },
    });
    plan.script.clear();
    let seen = play("ends-when-cancelled", &plan).await;
    assert!(
        is_at(result(&seen).0, Span::from_secs(10)),
        "{}",
        result(&seen).0
    );
}

async fn late_attempts_are_waited_for_but_not_for_ever() {
    let mut plan = plan();
    plan.script.push(plan.script[0].clone());
    let seen = play("acts-late", &plan).await;
    let exchanges = &observation(&seen).exchanges;
    assert!(
        is_at(exchanges[1].at, Span::from_secs(10)),
        "{}",
        exchanges[1].at
    );
    plan.bounds.tail = Span::from_secs(10_000);
    let seen = play("acts-late-for-ever", &plan).await;
    assert_eq!(observation(&seen).ending, Ending::Events);
    assert_eq!(observation(&seen).asked.len(), 5_001);
}

async fn the_wall_clock_starts_and_steps_as_planned() {
    let mut plan = plan();
    let seen = play("tells-the-wall", &plan).await;
    assert_eq!(seen.log(), "3600 s passed\nat 1893459600");
    let at = Span::from_secs(60);
    plan.clock.steps = vec![WallStep {
        at,
        by: Span::from_secs(-7_200),
    }];
    let seen = play("tells-the-wall", &plan).await;
    // Less than an hour by what a reading costs.
    assert_eq!(seen.log(), "went back by 3599 s\nat 1893452400");
}

/// One case's time is over for the next: it starts at its own wall instant, and
/// no step or tick of the first reaches it.
async fn cases_follow_each_other_in_one_process() {
    let mut first = plan();
    let at = Span::from_secs(3_000);
    first.clock.steps = vec![WallStep {
        at,
        by: Span::from_secs(50),
    }];
    first.clock.tick = Some(Span::from_millis(1));
    first.bounds.tail = Span::from_secs(1);
    let mut second = plan();
    second.case = "c2".to_owned();
    second.clock.wall = "2040-01-01T00:00:00Z".parse().unwrap();
    let argv = this("--world", "");
    let spec = spec("tells-the-wall").under(ClockKind::Virtual);
    let mut world = WorldHandle::new(WorldCommand { argv }, spec);
    world.run(&first).await.unwrap();
    let seen = world.run(&second).await.unwrap();
    let said = &seen.log_tail[seen.log_tail.len() - 2..];
    assert_eq!(said, ["3600 s passed", "at 2208992400"]);
    world.stop().await;
}

async fn deaths_and_grandchildren_are_seen_as_under_any_clock() {
    let seen = play("exits-mid-call", &plan()).await;
    let (_, outcome) = result(&seen);
    let Outcome::Crashed { detail } = &outcome else {
        panic!("{outcome:?}");
    };
    assert!(detail.starts_with("ended with exit status: 7"), "{detail}");
    for name in [
        "leaves-a-grandchild",
        "hangs-with-a-grandchild",
        "dies-and-leaves-a-grandchild",
    ] {
        play(name, &plan()).await;
    }
}

async fn other_cases_are_refused() {
    let mut injected = plan();
    injected.clock.kind = ClockKind::Injected;
    let seen = play("exchanges", &injected).await;
    assert!(
        matches!(seen.run, Err(WorldFailure::NoClock { .. })),
        "{:?}",
        seen.run
    );
}

async fn nobody_needs_to_be_privileged() {
    if !rustix::process::geteuid().is_root() {
        // Then every other test here has shown it.
        return;
    }
    let words = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--bounding-set=-all",
        "--no-new-privs",
    ];
    if Command::new(words[0]).arg("--version").output().is_err() {
        eprintln!("NOT TESTED: there is no `setpriv`");
        return;
    }
    let argv = words.map(str::to_owned).into_iter();
    let argv = argv.chain(this("--world", "")).collect();
    let spec = spec("sleeps-an-hour").under(ClockKind::Virtual);
    let mut world = WorldHandle::new(WorldCommand { argv }, spec);
    let began = Instant::now();
    let seen = world.run(&plan()).await.unwrap();
    let result = &seen.results[&CallId::from("a")];
    assert!(matches!(result.outcome, Outcome::Returned { .. }));
    assert!(began.elapsed() < SOON);
    world.stop().await;
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    macro_rules! add {
        ($($name:ident),* $(,)?) => {
            $(trials.push(trial(concat!("virtual::", stringify!($name)), $name)
                .with_ignored_flag(virtual_clock().is_err()));)*
        };
    }
    add!(
        an_hour_is_passed_at_once_and_exactly,
        a_sleep_beyond_the_horizon_is_named,
        naps_end_at_the_horizon_or_at_the_bound_on_events,
        a_call_that_waits_for_nothing_hangs_and_is_found_at_once,
        a_thread_that_never_rests_is_starved_or_out_of_time,
        one_that_never_opens_is_blamed_at_once,
        a_delayed_reply_comes_at_its_instant,
        actions_come_at_their_instants,
        late_attempts_are_waited_for_but_not_for_ever,
        the_wall_clock_starts_and_steps_as_planned,
        cases_follow_each_other_in_one_process,
        deaths_and_grandchildren_are_seen_as_under_any_clock,
        other_cases_are_refused,
        nobody_needs_to_be_privileged,
    );
    if let Err(missing) = virtual_clock() {
        eprintln!("NOT TESTED: {missing}");
    }
    trials
}
