//! The oracle: (specification, case, host, behaviour) → expectation.

mod behaviour;
mod call;
mod compare;
mod decide;
mod expectation;
mod local;
mod retry;
mod retrying;
mod rows;
mod script;
mod setting;
mod support;
mod told;

pub use behaviour::*;
pub use compare::{Seen, Visibility, tells_apart};
pub use expectation::{
    Authorization, BodyOf, CallExpectation, Expectation, ExpectedAttempt, ExpectedHook,
    ExpectedOutcome, ExpectedRequest, Gap, GapKind, MethodOf, Target,
};
pub use local::local_delay;
pub use retry::expectation;
pub use rows::rows;
pub use script::describe_step;
pub use setting::{Setting, first_retry_branch};
pub use support::{Unsupported, supports};
