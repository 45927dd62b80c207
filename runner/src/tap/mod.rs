//! Our own listener in front of wiremock: it owns the client's sockets, stamps
//! instants, keeps limits, delays, cuts and spells replies. wiremock decides
//! *what* is answered, the tap *when* and *how*.

mod answer;
mod board;
mod body;
mod case;
mod clock;
mod connection;
mod event;
mod flight;
mod forward;
mod head;
mod held;
mod ledger;
mod reply;
mod server;
mod wire;

pub use board::{Board, Dated, Manner, OVERFLOW_HEADER, Question};
pub use clock::CaseClock;
pub use event::{CaseKey, DelayReason, ExchangeId, TapEvent};
pub use forward::EXCHANGE_HEADER;
pub use held::{HeldKind, HeldReply, Released};
pub use server::{CaseOrigin, Tap, TapSocket, Wires};
