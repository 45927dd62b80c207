//! wiremock with one stateful responder: what is answered.

mod cursor;
mod responder;
mod server;

pub use cursor::unserved;
pub use server::Replay;
