//! A main process that is killed leaves nobody behind.

use std::io::Write;

use holdoff::adapter::protocol::ClockKind;
use holdoff::model::Span;
use libtest_mimic::Trial;

use crate::stage::{handle, plan, spec};

pub(crate) fn trials() -> Vec<Trial> {
    #[cfg(target_os = "linux")]
    return linux::trials();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// Plays a case that takes an hour, having said who takes part.
pub(crate) async fn main_process(name: &str) {
    let mut world = handle(spec(name));
    let hello = world.hello().await.unwrap();
    println!("{}", hello.runtime);
    std::io::stdout().flush().unwrap();
    let hour = Span::from_secs(3_600);
    let _ = world.run(&plan(ClockKind::Injected, hour)).await;
    std::future::pending::<()>().await;
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::Stdio;

    use libtest_mimic::Trial;
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::io::{AsyncBufReadExt, BufReader};
    use tokio::process::Command;

    use crate::left::Processes;
    use crate::stage::this;
    use crate::trial;

    pub(super) fn trials() -> Vec<Trial> {
        vec![
            trial("killed-main-leaves-nobody", || {
                killed("never-answers", Victim::Main)
            }),
            trial("killed-main-leaves-no-grandchild", || {
                killed("starts-a-grandchild", Victim::Main)
            }),
            trial("killed-main-during-a-flood", || {
                killed("floods-for-ever", Victim::Main)
            }),
            trial("killed-world-leaves-no-adapter", || {
                killed("never-answers", Victim::World)
            }),
        ]
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Victim {
        Main,
        World,
    }

    async fn killed(name: &str, victim: Victim) {
        let argv = this("--main", name);
        let mut main = Command::new(&argv[0])
            .args(&argv[1..])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(main.stdout.take().unwrap()).lines();
        let said = said.next_line().await.unwrap().unwrap();
        let mut processes = Processes::named(&said);
        processes.add_group();
        match victim {
            Victim::Main => main.start_kill().unwrap(),
            Victim::World => {
                let world = Pid::from_raw(processes.world).unwrap();
                kill_process(world, Signal::KILL).unwrap();
            }
        }
        processes.are_gone().await;
        // The main process outlives its world, and waits for us.
        let _ = main.start_kill();
        main.wait().await.unwrap();
    }
}
