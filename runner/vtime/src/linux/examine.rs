//! Tries out what virtual time needs.

use std::fs;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;

use super::diag::SocketDiag;
use super::page::ClockPage;
use super::probe::{Behaviour, Probe, ProbeError};
use super::procfs::ThreadFiles;
use super::x86_64::hour;
use crate::{Error, Exit, Finding, Limits, Options, Outcome, Precondition, run};

/// What the self-test sleeps for.
const HOUR: Duration = Duration::from_secs(3_600);
/// Real time that the self-test may take on a computer that is busy.
const PATIENCE: Duration = Duration::from_secs(10);

const ELSEWHERE: &str = "use another clock here";
const CONTAINER: &str = "in a container, allow it: `docker run --cap-add=SYS_PTRACE` or `--security-opt \
                         seccomp=unconfined`; in Kubernetes, `securityContext.capabilities.add: [SYS_PTRACE]`";
const KERNEL: &str = "gVisor, and emulators such as qemu-user, do not have it: use a virtual machine or \
                      a container on the kernel itself (runc, crun)";

/// What is wrong, and what can be done.
type Tried = Result<(), (String, String)>;

pub(crate) fn examine() -> Vec<Finding> {
    type Attempt = fn() -> Tried;
    let attempts: [(Precondition, Attempt); 6] = [
        (Precondition::System, system),
        (Precondition::Memory, memory),
        (Precondition::Tracing, tracing),
        (Precondition::Filter, filter),
        (Precondition::Sockets, sockets),
        (Precondition::SelfTest, self_test),
    ];
    let mut findings: Vec<Finding> = Vec::new();
    let is_met = |findings: &[Finding], wanted| {
        findings
            .iter()
            .any(|finding| finding.precondition == wanted && finding.is_met())
    };
    for (precondition, attempt) in attempts {
        let is_possible = match precondition {
            Precondition::Filter => is_met(&findings, Precondition::Tracing),
            Precondition::SelfTest => findings.iter().all(Finding::is_met),
            _ => true,
        };
        if is_possible {
            findings.push(match attempt() {
                Ok(()) => Finding::met(precondition),
                Err((reason, remedy)) => Finding::missing(precondition, reason, remedy),
            });
        }
    }
    findings
}

/// The kernel is the right one, or this would not have been compiled; what is
/// left to ask is what it tells of threads.
fn system() -> Tried {
    let process = rustix::process::getpid().as_raw_nonzero().get();
    let thread = rustix::thread::gettid().as_raw_nonzero().get();
    let files = ThreadFiles::open(process, thread);
    match files.and_then(|files| files.switches()) {
        Some(_) => Ok(()),
        None => Err((
            "/proc does not tell how often a thread has run (schedstat)".to_owned(),
            format!("mount /proc; {KERNEL}"),
        )),
    }
}

fn memory() -> Tried {
    let tried = ClockPage::create(0, 1).and_then(|page| {
        // By this path a process of the tree opens it.
        let opened = fs::File::options().read(true).write(true).open(page.path());
        opened.map(drop).map_err(|source| Error::System {
            attempted: "open shared memory by its path in /proc",
            source,
        })
    });
    tried.map_err(|error| {
        let remedy = "mount /proc; allow memfd_create in the seccomp profile of the container";
        (error.to_string(), remedy.to_owned())
    })
}

fn tracing() -> Tried {
    let probe = Probe::start(Behaviour::Wait).map_err(unknown)?;
    probe
        .trace()
        .map(drop)
        .map_err(|error| (error.to_string(), tracing_remedy(&error)))
}

fn filter() -> Tried {
    let probe = Probe::start(Behaviour::FilteredCall).map_err(unknown)?;
    let traced = probe.trace().map_err(unknown)?;
    traced
        .has_stopped_at_a_call()
        .map_err(|error| (error.to_string(), format!("{CONTAINER}; {KERNEL}")))
}

fn unknown(error: ProbeError) -> (String, String) {
    (error.to_string(), ELSEWHERE.to_owned())
}

/// The likely cause of a refusal, by what the system says of itself.
fn tracing_remedy(error: &ProbeError) -> String {
    if error.errno() == Some(Errno::NOSYS) {
        return KERNEL.to_owned();
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let yama = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    tracing_remedy_by(&status, yama.trim())
}

fn tracing_remedy_by(status: &str, yama: &str) -> String {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map_or("0", str::trim).to_owned()
    };
    let tracer = field("TracerPid:");
    if tracer != "0" {
        return format!(
            "process {tracer} traces this one and its children, and there can be only one: leave \
             strace, the debugger, or the virtual time around this"
        );
    }
    match yama {
        "2" => "`sysctl kernel.yama.ptrace_scope=1` (now 2), or add the capability SYS_PTRACE"
            .to_owned(),
        "3" => "kernel.yama.ptrace_scope is 3: set it to 1 where it is set at boot, and boot again"
            .to_owned(),
        _ if field("Seccomp:") == "2" => CONTAINER.to_owned(),
        _ => format!("{CONTAINER}; {KERNEL}"),
    }
}

fn sockets() -> Tried {
    let error = |error: String| (error, KERNEL.to_owned());
    let own = || -> io::Result<_> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let mut client = TcpStream::connect(listener.local_addr()?)?;
        let (server, peer) = listener.accept()?;
        client.write_all(b"seven b")?;
        Ok((client, server.local_addr()?, peer, server))
    };
    let (_client, local, peer, _server) = own().map_err(|source| {
        (
            format!("cannot talk to this computer itself: {source}"),
            "set up the loopback interface: `ip link set lo up`".to_owned(),
        )
    })?;
    let diag = SocketDiag::open().map_err(|refused| error(refused.to_string()))?;
    let held = diag
        .held(local, peer)
        .map_err(|errno| error(format!("the kernel's socket diagnosis: {errno}")))?;
    match held.unread {
        7 => Ok(()),
        other => Err(error(format!(
            "the kernel's socket diagnosis sees {other} bytes where there are 7"
        ))),
    }
}

fn self_test() -> Tried {
    let options = Options {
        limits: Limits {
            real_time: PATIENCE,
            ..Limits::default()
        },
        ..Options::default()
    };
    let report = |reason: String| {
        let remedy = "this is a defect of holdoff-vtime, or of a kernel that is not known to it: please report it";
        Err((reason, remedy.to_owned()))
    };
    match sleeper().and_then(|program| start(&program, &options)) {
        Err(error) => report(error.to_string()),
        Ok((Outcome::Ended(Exit::Code(0)), elapsed)) if elapsed >= HOUR => Ok(()),
        Ok((Outcome::Ended(_), elapsed)) => report(format!(
            "a program slept for an hour, and its clock went on by {elapsed:?}"
        )),
        Ok((Outcome::Crashed(exit), _)) => report(format!("a program that sleeps ended by {exit}")),
        Ok((Outcome::Stopped(stop), _)) => report(format!("a program that sleeps: {stop}")),
    }
}

/// A file that others have open for writing cannot be executed, and a child that
/// another thread makes at this moment has it open until it executes.
fn start(program: &OwnedFd, options: &Options) -> Result<(Outcome, Duration), Error> {
    let mut attempts = 0;
    loop {
        let path = format!("/proc/self/fd/{}", program.as_raw_fd());
        match run(Command::new(path), options.clone()) {
            Err(Error::Spawn { source, .. })
                if source.kind() == io::ErrorKind::ExecutableFileBusy && attempts < 100 =>
            {
                attempts += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            other => return other.map(|summary| (summary.outcome, summary.elapsed)),
        }
    }
}

/// A program that sleeps for an hour, in memory, opened to be executed.
fn sleeper() -> Result<OwnedFd, Error> {
    let failed = |source| Error::System {
        attempted: "put a program into memory",
        source,
    };
    let create = |flags| memfd_create("holdoff-hour", flags);
    let memory = match create(MemfdFlags::CLOEXEC | MemfdFlags::EXEC) {
        // Before Linux 6.3 all such files can be executed.
        Err(Errno::INVAL) => create(MemfdFlags::CLOEXEC),
        other => other,
    };
    let mut memory = fs::File::from(memory.map_err(|errno| failed(errno.into()))?);
    memory.write_all(&hour()).map_err(failed)?;
    let opened = fs::File::open(format!("/proc/self/fd/{}", memory.as_raw_fd()));
    opened.map(OwnedFd::from).map_err(failed)
}

#[cfg(test)]
#[path = "examine_tests.rs"]
mod tests;
