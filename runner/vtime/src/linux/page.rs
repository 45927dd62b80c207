//! [`ClockPage`]: the memory that holds the clock, shared with every process of
//! the tree.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

use crate::Error;

/// Bytes of the page.
pub(super) const SIZE: usize = 4_096;

/// What the monotonic clock shows when the virtual one shows zero. Programs
/// take a clock near zero for one that was never set.
const MONOTONIC_START: u64 = 100_000 * 1_000_000_000;

/// No processor reads its clock faster than once in so many nanoseconds.
const FASTEST_READING: u64 = 1;

/// What the machine code of the tree reads and adds to.
#[repr(C)]
struct Fields {
    now: AtomicU64,
    monotonic: AtomicU64,
    wall: AtomicU64,
    tick: AtomicU64,
}

/// The memory that holds the clock. Every process of the tree can write to it,
/// so what is read here is checked ([`ClockPage::check`]).
pub(super) struct ClockPage {
    fd: OwnedFd,
    fields: *const Fields,
    /// What the supervisor wrote.
    wall: AtomicU64,
    tick: AtomicU64,
    /// Held while both are written, and while they are compared: the caller
    /// sets the wall clock when the supervisor may look.
    settings: Mutex<()>,
    /// The largest tick since the page was last checked.
    largest_tick: AtomicU64,
    processors: u64,
}

// SAFETY: the mapping lives as long as the value and is accessed by atomic
// operations only.
unsafe impl Send for ClockPage {}
// SAFETY: as above.
unsafe impl Sync for ClockPage {}

/// A reading that is the ground for judging the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    now: u64,
    real: Instant,
}

impl ClockPage {
    /// A page whose clock stands at zero, `wall` nanoseconds after 1970.
    pub(super) fn create(wall: u64, tick: u64) -> Result<Self, Error> {
        let failed = |attempted| {
            move |errno: rustix::io::Errno| Error::System {
                attempted,
                source: errno.into(),
            }
        };
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let fd = rustix::fs::memfd_create("holdoff-clock", flags)
            .map_err(failed("create memory to share"))?;
        rustix::fs::ftruncate(&fd, SIZE as u64).map_err(failed("size memory to share"))?;
        // Whoever takes the page away takes this process with it.
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&fd, seals).map_err(failed("seal memory to share"))?;
        // SAFETY: a fresh mapping at an address that the kernel chooses.
        let mapped = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                SIZE,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                fd.as_fd(),
                0,
            )
        }
        .map_err(failed("map memory to share"))?;
        let page = Self {
            fd,
            fields: mapped.cast_const().cast(),
            wall: AtomicU64::new(wall),
            tick: AtomicU64::new(tick),
            settings: Mutex::default(),
            largest_tick: AtomicU64::new(tick),
            processors: std::thread::available_parallelism().map_or(1, usize::from) as u64,
        };
        let fields = page.fields();
        fields.monotonic.store(MONOTONIC_START, Ordering::SeqCst);
        fields.wall.store(wall, Ordering::SeqCst);
        fields.tick.store(tick, Ordering::SeqCst);
        Ok(page)
    }

    fn settings(&self) -> MutexGuard<'_, ()> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fields(&self) -> &Fields {
        // SAFETY: the mapping is of 4096 bytes, aligned to as much, lives as
        // long as `self`, and holds atomic integers, for which any bits are
        // valid.
        unsafe { &*self.fields }
    }

    /// By which path a process of the tree can open the page.
    pub(super) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.fd.as_raw_fd())
    }

    /// Nanoseconds since the start.
    pub(super) fn now(&self) -> u64 {
        self.fields().now.load(Ordering::SeqCst)
    }

    /// A reading of the tree: the clock moves on by a tick.
    pub(super) fn read(&self) -> u64 {
        self.add(self.tick())
    }

    /// Moves the clock by so much; returns where it stood.
    pub(super) fn add(&self, nanoseconds: u64) -> u64 {
        self.fields().now.fetch_add(nanoseconds, Ordering::SeqCst)
    }

    /// Moves the clock to an instant; an earlier one is no move. Returns how
    /// far it was moved.
    pub(super) fn advance(&self, to: u64) -> u64 {
        to.saturating_sub(self.fields().now.fetch_max(to, Ordering::SeqCst))
    }

    /// What the monotonic clock shows at zero.
    pub(super) fn monotonic_start(&self) -> u64 {
        MONOTONIC_START
    }

    /// What the wall clock shows, after 1970, when the virtual one shows zero.
    /// Wraps below zero.
    pub(super) fn wall_start(&self) -> u64 {
        self.wall.load(Ordering::SeqCst)
    }

    pub(super) fn set_wall_start(&self, nanoseconds: u64) {
        let _settings = self.settings();
        self.wall.store(nanoseconds, Ordering::SeqCst);
        self.fields().wall.store(nanoseconds, Ordering::SeqCst);
    }

    /// How far each reading moves the clock.
    pub(super) fn tick(&self) -> u64 {
        self.tick.load(Ordering::SeqCst)
    }

    pub(super) fn set_tick(&self, nanoseconds: u64) {
        let _settings = self.settings();
        self.largest_tick.fetch_max(nanoseconds, Ordering::SeqCst);
        self.tick.store(nanoseconds, Ordering::SeqCst);
        self.fields().tick.store(nanoseconds, Ordering::SeqCst);
    }

    /// A reading without a predecessor.
    pub(super) fn checked(&self) -> Checked {
        Checked {
            now: self.now(),
            real: Instant::now(),
        }
    }

    /// Whether the page holds what only readings and the supervisor put there,
    /// which moved the clock by `moved` since `last`.
    ///
    /// # Errors
    /// What was found instead.
    pub(super) fn check(&self, last: Checked, moved: u64) -> Result<Checked, String> {
        let found = self.checked();
        let fields = self.fields();
        let settings = self.settings();
        for (name, field, wanted) in [
            ("monotonic clock", &fields.monotonic, MONOTONIC_START),
            ("wall clock", &fields.wall, self.wall_start()),
            ("tick", &fields.tick, self.tick()),
        ] {
            let value = field.load(Ordering::SeqCst);
            if value != wanted {
                return Err(format!("{name} of {value} ns instead of {wanted} ns"));
            }
        }
        // Some of the readings may have been made before the tick was set anew.
        let tick = self.largest_tick.swap(self.tick(), Ordering::SeqCst).max(1);
        drop(settings);
        let real = found.real.duration_since(last.real).as_nanos();
        let readings = u64::try_from(real)
            .unwrap_or(u64::MAX)
            .saturating_add(1_000)
            .saturating_mul(self.processors)
            / FASTEST_READING;
        let furthest = last
            .now
            .saturating_add(moved)
            .saturating_add(readings.saturating_mul(tick));
        let nearest = last.now.saturating_add(moved);
        if found.now < nearest || found.now > furthest {
            return Err(format!(
                "a clock that went from {} ns to {} ns",
                last.now, found.now
            ));
        }
        Ok(found)
    }
}

impl Drop for ClockPage {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `create` with this size, and nobody
        // can hold a reference into it any more.
        let unmapped = unsafe { rustix::mm::munmap(self.fields.cast_mut().cast(), SIZE) };
        debug_assert!(unmapped.is_ok(), "a mapping of our own can be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_moves_forward_only_and_by_a_tick_a_reading() {
        let page = ClockPage::create(5, 3).unwrap();
        assert_eq!((page.read(), page.read(), page.now()), (0, 3, 6));
        page.advance(4);
        assert_eq!(page.now(), 6);
        page.advance(10);
        assert_eq!(page.now(), 10);
    }

    #[test]
    fn a_setting_that_is_half_written_is_no_foreign_hand() {
        let page = ClockPage::create(0, 1).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..20_000).for_each(|wall| page.set_wall_start(wall)));
            for _ in 0..20_000 {
                page.check(page.checked(), 0).unwrap();
            }
        });
    }

    #[test]
    fn readings_before_a_smaller_tick_was_set_are_no_foreign_hand() {
        let page = ClockPage::create(5, 1_000_000_000_000).unwrap();
        let first = page.checked();
        for _ in 0..3 {
            page.read();
        }
        page.set_tick(1);
        let second = page.check(first, 0).unwrap();
        page.fields()
            .now
            .fetch_add(60_000_000_000, Ordering::SeqCst);
        assert!(page.check(second, 0).is_err(), "the large tick is past");
    }

    #[test]
    fn what_only_a_foreign_hand_can_have_written_is_found() {
        let page = ClockPage::create(5, 1).unwrap();
        let first = page.checked();
        page.add(7_000_000_000);
        assert!(page.check(first, 7_000_000_000).is_ok(), "announced");
        assert!(page.check(first, 0).unwrap_err().contains("went from 0 ns"));
        let last = page.checked();
        page.fields().now.store(1, Ordering::SeqCst);
        assert!(page.check(last, 0).is_err(), "backwards");
        assert!(page.check(first, 2).is_err(), "less far than announced");
        page.fields().now.store(7_000_000_000, Ordering::SeqCst);
        page.fields().wall.store(6, Ordering::SeqCst);
        let found = page.check(last, 0).unwrap_err();
        assert_eq!(found, "wall clock of 6 ns instead of 5 ns");
    }
}
