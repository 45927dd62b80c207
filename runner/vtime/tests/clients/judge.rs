//! Whether a client kept its times, by what the server saw.

use std::time::{Duration, SystemTime};

use libtest_mimic::Failed;

use crate::languages::Client;
use crate::measures::Measures;
use crate::script::{DATE, DELAY, LIMIT, PAUSE, WAIT, date};
use crate::support::server::{Seen, What};
use crate::support::trials::{Checked, require};

/// The log of a server, to be asked.
struct Log<'a>(&'a [Seen]);

impl<'a> Log<'a> {
    fn nth(&self, what: What, path: &str, index: usize) -> Result<&'a Seen, Failed> {
        let mut found = self
            .0
            .iter()
            .filter(|seen| seen.what == what && seen.path == path);
        let missing = || Failed::from(format!("no {what:?} {index} of {path} in {:#?}", self.0));
        found.nth(index).ok_or_else(missing)
    }

    /// When the connection of the request that got no answer was closed.
    fn abandoned(&self) -> Result<Duration, Failed> {
        let asked = self.nth(What::Request, "/silent", 0)?.at;
        let is_it = |seen: &&Seen| seen.what == What::Abandoned && seen.at >= asked;
        let closed = self.0.iter().find(is_it);
        closed
            .map(|seen| seen.at)
            .ok_or_else(|| "the silent was never left".into())
    }

    fn count(&self, what: What) -> usize {
        self.0.iter().filter(|seen| seen.what == what).count()
    }
}

/// Fails if a time was not kept; notes how late each was.
pub(crate) fn judge(log: &[Seen], client: &Client, measures: &mut Measures) -> Checked {
    let log = Log(log);
    let requests = log.count(What::Request);
    require(requests == 8, || {
        format!("{requests} requests instead of 8: {:#?}", log.0)
    })?;
    let mut keep = |name: &'static str, late: i128| {
        measures.late(name, late);
        let allowed = match name {
            "date" => -nanoseconds(client.early)..=nanoseconds(client.late + client.grain),
            _ => 0..=nanoseconds(client.late),
        };
        require(allowed.contains(&late), || {
            format!("{name}: {late} ns late, which is not within {allowed:?}")
        })
    };

    let told = log.nth(What::Reply, "/date", 0)?;
    let back = log.nth(What::FirstByte, "/date", 1)?;
    require(back.at - told.at < DATE, || {
        "the date lies less than 120 s ahead".to_owned()
    })?;
    keep(
        "date",
        since_epoch(back.wall) - since_epoch(date(told.wall)),
    )?;

    let told = log.nth(What::Reply, "/wait", 0)?.at;
    let back = log.nth(What::FirstByte, "/wait", 1)?.at;
    keep("wait", difference(back, told + WAIT))?;

    // The client's clock starts somewhere between these two.
    let answered = log.nth(What::Reply, "/wait", 1)?.at;
    let asked = log.nth(What::Request, "/silent", 0)?.at;
    let left = log.abandoned()?;
    let early = difference(left, answered + LIMIT);
    require(early >= 0, || {
        format!("the limit of 30 s was {} ns early", -early)
    })?;
    keep("limit", difference(left, asked + LIMIT).max(0))?;

    let asked = log.nth(What::Request, "/delay", 0)?.at;
    let next = log.nth(What::FirstByte, "/parts", 0)?.at;
    keep("delay", difference(next, asked + DELAY))?;

    let head = log.nth(What::Reply, "/parts", 0)?.at;
    let next = log.nth(What::FirstByte, "/end", 0)?.at;
    keep("parts", difference(next, head + PAUSE))
}

fn difference(left: Duration, right: Duration) -> i128 {
    nanoseconds(left) - nanoseconds(right)
}

fn nanoseconds(span: Duration) -> i128 {
    i128::try_from(span.as_nanos()).unwrap_or(i128::MAX)
}

fn since_epoch(wall: SystemTime) -> i128 {
    nanoseconds(
        wall.duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default(),
    )
}
