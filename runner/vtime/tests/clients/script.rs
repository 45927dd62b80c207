//! What the server answers.

use std::time::{Duration, SystemTime};

use holdoff_vtime::Clock;

use crate::support::server::{Answer, Reply};

/// How far ahead a date lies, counted from the last whole second.
pub(crate) const DATE: Duration = Duration::from_secs(120);
pub(crate) const WAIT: Duration = Duration::from_secs(1800);
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
pub(crate) const DELAY: Duration = Duration::from_secs(20);
pub(crate) const PAUSE: Duration = Duration::from_secs(10);

/// A quarter of a second after a whole one.
pub(crate) fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_900_000_000_250)
}

/// The date that is told to a client at this instant.
pub(crate) fn date(wall: SystemTime) -> SystemTime {
    let since = wall
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs()) + DATE
}

/// The script of all clients.
pub(crate) fn answer(path: &str, before: usize, clock: &Clock) -> Answer {
    let told = |value| Reply {
        retry_after: Some(value),
        ..Reply::new(503)
    };
    let done = Reply::new(200);
    Answer::Reply(match (path, before) {
        ("/date", 0) => told(httpdate::fmt_http_date(date(clock.wall()))),
        ("/wait", 0) => told(WAIT.as_secs().to_string()),
        ("/silent", _) => return Answer::Silence,
        ("/delay", _) => Reply {
            delay: DELAY,
            ..done
        },
        ("/parts", _) => Reply {
            pause: PAUSE,
            ..done
        },
        _ => done,
    })
}
