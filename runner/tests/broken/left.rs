//! Which processes are left. Only Linux tells; elsewhere nothing is checked.

use holdoff::adapter::Hello;

/// The processes of one play.
pub(crate) struct Processes {
    /// The adapter's leader, whose number is that of its group.
    pub(crate) adapter: i32,
    /// The world, whose number is that of its group.
    pub(crate) world: i32,
    grandchildren: Vec<i32>,
}

impl Processes {
    /// Those that the adapter named in its hello.
    pub(crate) fn of(hello: &Hello) -> Self {
        Self::named(&hello.runtime)
    }

    /// Those of a text that ends in `ADAPTER WORLD`.
    pub(crate) fn named(text: &str) -> Self {
        let numbers: Vec<i32> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let [adapter, world] = numbers[..] else {
            panic!("{text:?} names no two processes");
        };
        assert!(adapter > 1 && (world > 1 || !cfg!(unix)), "{text:?}");
        Self {
            adapter,
            world,
            grandchildren: Vec::new(),
        }
    }

    /// Adds those that the log names.
    pub(crate) fn add_grandchildren(&mut self, log: &[String]) {
        let number = |line: &String| line.strip_prefix("grandchild ")?.parse::<i32>().ok();
        self.grandchildren.extend(log.iter().filter_map(number));
    }

    /// Adds whoever is in the adapter's group now.
    #[cfg(target_os = "linux")]
    pub(crate) fn add_group(&mut self) {
        self.grandchildren.extend(linux::members(self.adapter));
    }

    /// Fails unless all of them are gone, or go now.
    pub(crate) async fn are_gone(&self) {
        #[cfg(target_os = "linux")]
        {
            let groups = [self.adapter, self.world];
            let members = groups.into_iter().flat_map(linux::members);
            for process in members
                .chain(groups)
                .chain(self.grandchildren.iter().copied())
            {
                linux::gone(process).await;
            }
        }
    }
}

/// Most memory that the process ever held, in bytes.
pub(crate) fn peak_memory(process: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// Longest wait for the end of a process that was sent a signal already.
    const LIMIT: Duration = Duration::from_secs(10);

    /// Live processes of a group.
    pub(super) fn members(group: i32) -> Vec<i32> {
        let entries = std::fs::read_dir("/proc").unwrap();
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        numbers
            .filter(|process| group_of(*process) == Some(group))
            .collect()
    }

    /// The group of a process that still lives.
    fn group_of(process: i32) -> Option<i32> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, in brackets, may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, _parent) = (fields.next()?, fields.next()?);
        let group = fields.next()?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some(group)
    }

    /// Waits for the end of a process, ours or not.
    pub(super) async fn gone(process: i32) {
        let pid = Pid::from_raw(process).unwrap();
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(Errno::SRCH) => return,
            Err(error) => panic!("process {process} cannot be watched: {error}"),
        };
        #[expect(deprecated, reason = "its successor is unsafe to call")]
        let handle = AsyncFd::with_interest(handle, Interest::READABLE).unwrap();
        let ended = tokio::time::timeout(LIMIT, handle.readable()).await;
        assert!(ended.is_ok(), "process {process} is still alive");
    }
}
