//! [`WorldProcess`]: the process and the pipes of one world.

use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::WorldFailure;
use super::messages::{LINE_MARK, LateTraffic, WorldEvent, WorldOrder};
use crate::group;

/// Real time that a world gets beyond what a case or a start may take: for
/// starting an adapter again, and for killing one.
pub(super) const SLACK: Duration = Duration::from_secs(60);
/// Real time for a world to end its tree: two graces of two seconds, and as
/// much again for a busy machine.
const FAREWELL: Duration = Duration::from_secs(10);

/// How a world process is started, such as `holdoff world`. A parameter, never
/// the running program itself: under a test harness that is the test binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldCommand {
    /// Program and arguments.
    pub argv: Vec<String>,
}

/// One world process. Dropping it closes its input, at which it ends its tree
/// and itself.
#[derive(Debug)]
pub(super) struct WorldProcess {
    child: Box<dyn ChildWrapper>,
    orders: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
}

impl WorldProcess {
    /// Starts a world. It is a group of its own, so that an interrupt at the
    /// terminal reaches the main process alone, at whose end the world clears
    /// up.
    pub(super) fn spawn(command: &WorldCommand) -> Result<Self, WorldFailure> {
        let failed = |error: &dyn std::fmt::Display| {
            WorldFailure::harness(format!("a world could not be started: {error}"))
        };
        let Some((program, arguments)) = command.argv.split_first() else {
            return Err(failed(&"its command is empty"));
        };
        let mut wrapped = CommandWrap::with_new(program, |command| {
            command
                .args(arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
        });
        group::own(&mut wrapped);
        let mut child = wrapped.spawn().map_err(|error| failed(&error))?;
        let orders = child.stdin().take();
        let events = child.stdout().take();
        let events = events.ok_or_else(|| failed(&"it has no standard output"))?;
        Ok(Self {
            child,
            orders,
            events: BufReader::new(events),
        })
    }

    /// The world's process id, as long as nobody has waited for it.
    #[cfg(test)]
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Gives one order and waits for its answer; late traffic that is reported
    /// before it goes to `late`.
    pub(super) async fn ask(
        &mut self,
        order: &WorldOrder,
        limit: Duration,
        late: &mut Vec<LateTraffic>,
    ) -> Result<WorldEvent, WorldFailure> {
        let answered = async {
            self.give(order).await?;
            loop {
                match self.next().await? {
                    WorldEvent::Late { traffic } => late.push(traffic),
                    event => return Ok(event),
                }
            }
        };
        timeout(limit, answered).await.unwrap_or_else(|_| {
            Err(WorldFailure::harness(format!(
                "a world did not answer within {limit:?}"
            )))
        })
    }

    async fn give(&mut self, order: &WorldOrder) -> Result<(), WorldFailure> {
        let mut line = serde_json::to_vec(order).map_err(WorldFailure::harness)?;
        line.push(b'\n');
        let written = match self.orders.as_mut() {
            Some(orders) => match orders.write_all(&line).await {
                Ok(()) => orders.flush().await,
                Err(error) => Err(error),
            },
            None => return Ok(()),
        };
        written.map_err(|error| WorldFailure::harness(format!("a world is gone: {error}")))
    }

    async fn next(&mut self) -> Result<WorldEvent, WorldFailure> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self.events.read_until(b'\n', &mut line).await;
            if read.map_err(WorldFailure::harness)? == 0 {
                return Err(WorldFailure::harness(self.end_of().await));
            }
            let text = String::from_utf8_lossy(&line);
            if let Some(event) = text.strip_prefix(LINE_MARK) {
                return serde_json::from_str(event).map_err(WorldFailure::harness);
            }
        }
    }

    /// Words for a world that ended by itself.
    async fn end_of(&mut self) -> String {
        match timeout(FAREWELL, self.child.wait()).await {
            Ok(Ok(status)) => format!("a world ended with {status}"),
            Ok(Err(error)) => format!("a world ended ({error})"),
            Err(_) => "a world closed its output and lives on".to_owned(),
        }
    }

    /// Asks the world to end, and waits for it.
    pub(super) async fn stop(mut self) {
        // A world that is gone needs no order to stop.
        let _ = self.give(&WorldOrder::Stop).await;
        self.leave().await;
    }

    /// Ends the world whatever it is doing.
    pub(super) async fn kill(mut self) {
        self.leave().await;
    }

    /// Closes the world's input, at which it ends its tree; one that does not
    /// is killed, and its adapter ends at the end of its own input.
    async fn leave(&mut self) {
        self.orders = None;
        if timeout(FAREWELL, self.child.wait()).await.is_err() {
            let _ = self.child.start_kill();
            let _ = self.child.wait().await;
        }
    }
}
