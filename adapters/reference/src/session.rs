//! The dispatch loop: messages in, cases and calls as tasks.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;

use crate::behaviour::Behaviour;
use crate::call::Call;
use crate::cancel::CancelHandle;
use crate::case::Case;
use crate::clock::Clock;
use crate::emitter::Emitter;
use crate::environment;
use crate::protocol::{CallRequest, Identity, Incoming, Open, Outcome, Outgoing, VERSION};
use crate::span::Span;

/// One process's worth of cases.
pub(crate) struct Session {
    behaviour: Arc<Behaviour>,
    emitter: Emitter,
    cases: HashMap<String, OpenCase>,
}

struct OpenCase {
    case: Arc<Case>,
    handles: HashMap<String, CancelHandle>,
}

/// Whether more messages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Message,
    Exit,
}

impl Session {
    pub(crate) fn new(behaviour: Behaviour, emitter: Emitter) -> Self {
        Self {
            behaviour: Arc::new(behaviour),
            emitter,
            cases: HashMap::new(),
        }
    }

    /// Serves until `shutdown` or the end of the lines.
    pub(crate) async fn run(mut self, mut lines: UnboundedReceiver<String>) {
        while let Some(line) = lines.recv().await {
            match serde_json::from_str(&line) {
                Ok(message) => {
                    if self.dispatch(message).await == Next::Exit {
                        break;
                    }
                }
                Err(error) => log(&format!("ignored {line:?}: {error}")),
            }
        }
        for open in self.cases.values() {
            open.case.end().await;
        }
    }

    async fn dispatch(&mut self, message: Incoming) -> Next {
        match message {
            Incoming::Hello { probe } => self.emit(Outgoing::Hello {
                protocol: VERSION,
                sdk: Identity {
                    name: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                },
                language: "rust",
                runtime: "tokio",
                environment: environment::observed(probe),
            }),
            Incoming::Open(open) => self.open(open).await,
            Incoming::Call {
                case,
                call,
                request,
            } => self.call(case, call, request),
            Incoming::Cancel { case, call } => self.cancel(&case, &call),
            // The client holds nothing that a shutdown would have to flush.
            Incoming::Close { case } => self.emit(Outgoing::Closed { case }),
            Incoming::Slept { case, n, now, wall } => {
                self.moved(&case, now, wall, |clock| clock.slept(n));
            }
            Incoming::Advance { case, to, wall } => {
                self.moved(&case, to, wall, |_| {});
                self.emit(Outgoing::Advanced { case, now: to });
            }
            Incoming::End { case } => {
                self.end(&case).await;
                self.emit(Outgoing::Ended { case });
            }
            Incoming::Shutdown => return Next::Exit,
            Incoming::Unknown => log("ignored a message of an unknown type"),
        }
        Next::Message
    }

    fn emit(&self, message: Outgoing) {
        self.emitter.emit(&message);
    }

    async fn open(&mut self, open: Open) {
        let id = open.case.clone();
        self.end(&id).await;
        let behaviour = Arc::clone(&self.behaviour);
        match Case::open(open, behaviour, self.emitter.clone()) {
            Ok(case) => {
                let case = Arc::new(case);
                let handles = HashMap::new();
                self.cases.insert(id.clone(), OpenCase { case, handles });
                self.emit(Outgoing::Opened { case: id });
            }
            Err(reason) => self.emit(Outgoing::Unsupported { case: id, reason }),
        }
    }

    fn call(&mut self, case: String, name: String, request: CallRequest) {
        let Some(open) = self.cases.get_mut(&case) else {
            let reason = format!("the case {case:?} is not open");
            return self.emit(Outgoing::Result {
                case,
                call: name,
                outcome: Outcome::Unsupported { reason },
            });
        };
        let handle = CancelHandle::new();
        open.handles.insert(name.clone(), handle.clone());
        let call = Call::new(Arc::clone(&open.case), name.clone(), request, handle);
        let emitter = self.emitter.clone();
        open.case.spawn(async move {
            let outcome = call.run().await;
            emitter.emit(&Outgoing::Result {
                case,
                call: name,
                outcome,
            });
        });
    }

    fn cancel(&self, case: &str, call: &str) {
        let open = self.cases.get(case);
        match open.and_then(|open| open.handles.get(call)) {
            Some(handle) => handle.cancel(),
            None => log(&format!("there is no call {call:?} to cancel in {case:?}")),
        }
    }

    fn moved(
        &self,
        case: &str,
        now: Span,
        wall: jiff::Timestamp,
        then: impl FnOnce(&crate::clock::InjectedClock),
    ) {
        let Some(open) = self.cases.get(case) else {
            return log(&format!("the case {case:?} is not open"));
        };
        match &open.case.clock {
            Clock::Injected(clock) => {
                clock.moved(now, Span::from_nanos(wall.as_nanosecond()));
                then(clock);
            }
            Clock::System { .. } => log("the system's clock cannot be moved"),
        }
    }

    async fn end(&mut self, case: &str) {
        if let Some(open) = self.cases.remove(case) {
            open.case.end().await;
        }
    }
}

fn log(line: &str) {
    eprintln!("holdoff-reference: {line}");
}
