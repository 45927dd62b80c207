//! Worlds in processes of their own: this test binary, started again.

use tokio::io::{AsyncWriteExt, BufReader};

use super::tests::{busy, ok, plan, secs};
use super::{WorldCommand, WorldEvent, WorldFailure, WorldHandle, WorldOrder, serve, serve_on};
use crate::adapter::testing::{self, role};
use crate::adapter::{AdapterFault, LaunchSpec};
use crate::model::Ending;

fn this_binary(test: &str) -> WorldCommand {
    WorldCommand {
        argv: testing::this_binary(test),
    }
}

fn handle(role_name: &str) -> WorldHandle {
    let command = this_binary("world::process_tests::role_of_a_world_process");
    WorldHandle::new(command, role(role_name))
}

fn is_a_role() -> bool {
    std::env::args().any(|argument| argument == "--exact")
}

#[tokio::test]
#[ignore = "not a test: a role that a child process of other tests plays"]
async fn role_of_a_world_process() {
    if is_a_role() {
        serve().await.unwrap();
        // The harness would write its summary into a pipe that nobody reads.
        std::process::exit(0);
    }
}

#[tokio::test]
async fn cases_go_in_and_observations_come_out() {
    let mut world = handle("reference");
    assert_eq!(world.hello().await.unwrap().language, "rust");
    for _ in 0..3 {
        let seen = world.run(&plan(vec![busy("1800"), ok()])).await.unwrap();
        let instants: Vec<_> = seen.exchanges.iter().map(|exchange| exchange.at).collect();
        assert_eq!(instants, [secs(0), secs(1_800)]);
        assert_eq!(seen.ending, Ending::Quiet);
    }
    assert!(world.take_late().is_empty());
    world.stop().await;
}

#[tokio::test]
async fn an_adapter_that_cannot_start_is_no_failure_of_the_world() {
    let failure = handle("dies-at-once").hello().await.unwrap_err();
    assert!(matches!(
        failure,
        WorldFailure::Adapter {
            fault: AdapterFault::Crashed { .. }
        }
    ));
}

#[tokio::test]
async fn a_program_that_is_no_world_is_a_failure_of_the_runner() {
    let mut spec = LaunchSpec::new("x", vec!["x".to_owned()]);
    spec.start_limit = secs(1);
    let mut missing = WorldHandle::new(
        WorldCommand {
            argv: vec!["/nonexistent/holdoff".to_owned()],
        },
        spec.clone(),
    );
    let failure = missing.hello().await.unwrap_err();
    assert!(matches!(failure, WorldFailure::Harness { .. }), "{failure}");
    let mut help = this_binary("");
    help.argv.truncate(1);
    help.argv.push("--help".to_owned());
    let failure = WorldHandle::new(help, spec).hello().await;
    assert!(matches!(failure, Err(WorldFailure::Harness { .. })));
}

#[cfg(unix)]
#[tokio::test]
async fn a_world_that_died_is_started_again() {
    let mut world = handle("reference");
    world.hello().await.unwrap();
    let pid = i32::try_from(world.id().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let failure = world.run(&plan(vec![ok()])).await.unwrap_err();
    assert!(matches!(failure, WorldFailure::Harness { .. }), "{failure}");
    assert!(world.run(&plan(vec![ok()])).await.is_ok());
    world.stop().await;
}

#[tokio::test]
async fn orders_out_of_turn_are_refused_and_junk_ends_the_world() {
    let run = WorldOrder::Run {
        plan: Box::new(plan(vec![])),
    };
    let mut input = serde_json::to_vec(&run).unwrap();
    input.extend_from_slice(b"\nnot an order\n");
    let (mut writer, reader) = tokio::io::duplex(1 << 16);
    writer.write_all(&input).await.unwrap();
    let mut output = Vec::new();
    let ended = serve_on(BufReader::new(reader), &mut output).await;
    assert!(matches!(ended, Err(WorldFailure::Harness { .. })));
    let line = String::from_utf8(output).unwrap();
    let event: WorldEvent = serde_json::from_str(line.strip_prefix("@world ").unwrap()).unwrap();
    assert!(matches!(event, WorldEvent::Failed { .. }));
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "not a test: a role that a child process of other tests plays"]
async fn role_of_a_main_process() {
    if !is_a_role() {
        return;
    }
    let mut world = handle("deaf");
    let adapter = world.hello().await.unwrap().runtime;
    println!("@pids {} {adapter}", world.id().unwrap());
    let _ = world.run(&plan(vec![])).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_death_of_the_main_process_leaves_nothing_behind() {
    use tokio::io::AsyncBufReadExt;

    let command = this_binary("world::process_tests::role_of_a_main_process");
    let mut main = tokio::process::Command::new(&command.argv[0])
        .args(&command.argv[1..])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(main.stdout.take().unwrap()).lines();
    let pids: Vec<i32> = loop {
        let line = lines.next_line().await.unwrap().expect("the pids come");
        if let Some(pids) = line.strip_prefix("@pids ") {
            break pids.split(' ').map(|pid| pid.parse().unwrap()).collect();
        }
    };
    main.kill().await.unwrap();
    for pid in pids {
        testing::gone(pid).await;
    }
}
