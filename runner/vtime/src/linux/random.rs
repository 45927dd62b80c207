//! [`Randomness`]: random bytes that a seed determines.

use std::collections::HashMap;

/// Random bytes for every process of a tree. What a process gets depends on the
/// seed, on how many processes began before it, and on how much it has had.
#[derive(Debug, Default)]
pub(super) struct RandomBytes {
    seed: Option<u64>,
    streams: HashMap<libc::pid_t, u64>,
    begun: u64,
}

impl RandomBytes {
    /// Starts anew from a seed.
    pub(super) fn seed(&mut self, seed: u64) {
        self.seed = Some(seed);
        self.streams.clear();
        self.begun = 0;
    }

    /// Forgets a process.
    pub(super) fn forget(&mut self, process: libc::pid_t) {
        self.streams.remove(&process);
    }

    /// The next bytes of a process; none without a seed.
    pub(super) fn next(&mut self, process: libc::pid_t, count: usize) -> Option<Vec<u8>> {
        let seed = self.seed?;
        let begun = &mut self.begun;
        let state = self.streams.entry(process).or_insert_with(|| {
            *begun += 1;
            mixed(seed ^ mixed(*begun))
        });
        let words = std::iter::repeat_with(|| {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mixed(*state)
        });
        Some(words.flat_map(u64::to_le_bytes).take(count).collect())
    }
}

/// The output function of splitmix64 (Steele, Lea, Flood 2014).
fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_what_each_process_gets() {
        let draw = |seed| {
            let mut random = RandomBytes::default();
            random.seed(seed);
            let first = random.next(100, 20).unwrap();
            (
                first,
                random.next(100, 20).unwrap(),
                random.next(7, 20).unwrap(),
            )
        };
        let (first, second, other) = draw(1);
        assert_eq!(draw(1), (first.clone(), second.clone(), other.clone()));
        assert_ne!(draw(2).0, first);
        assert!(first != second && first != other);
        assert_eq!(RandomBytes::default().next(1, 1), None);
    }
}
