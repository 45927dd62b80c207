//! Runs: cases × adapters over worlds → a stream of events.

mod causes;
mod census;
mod clock;
mod event;
mod exit;
mod known;
mod mutants;
mod plan;
mod play;
mod probing;
mod request;
mod scheduler;
mod seed;
mod starts;
mod target;
mod verdict;
mod worlds;

pub use causes::Cause;
pub use census::{Census, Demands, Warnings};
pub use clock::{
    ClockChoice, ClockMissing, UnknownClock, clock_name, virtual_clock, virtual_findings,
};
pub use event::{AdapterLine, ClauseText, RunEnd, RunEvent, RunFooter, RunHeader, SCHEMA};
pub use exit::ExitCode;
pub use mutants::{MutantMismatch, MutantReport, MutantRequest, MutantScope, mutants};
pub use plan::{PlanInput, last_instant, plan};
pub use probing::{Probed, probe};
pub use request::RunRequest;
pub use scheduler::run;
pub use seed::{DEFAULT_SEED, case_seed, marks};
pub use starts::{Starts, canonical, start_of};
pub use target::{Availability, Target};
pub use verdict::{Death, Shown, all_late, severity, shown};
