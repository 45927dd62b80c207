//! Seeds and marks: all chance of a run comes from one number, and what a case
//! gets of it depends on its name alone, not on the order of cases.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

/// The seed of a run if none is given.
pub const DEFAULT_SEED: u64 = 20_300_101;

/// The seed of one run of one case.
pub fn case_seed(seed: u64, case: &str, run: u32) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    hash.update(run.to_be_bytes());
    hash.update(case.as_bytes());
    let digest = hash.finalize();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    // JSON numbers are exact up to 2^53 in every language.
    u64::from_be_bytes(bytes) >> 11
}

/// Marks for `count` calls: seven decimal digits each, none twice.
pub fn marks(seed: u64, count: usize) -> Vec<String> {
    let mut state = seed;
    let mut taken = BTreeSet::new();
    let mut marks = Vec::with_capacity(count);
    while marks.len() < count {
        let mark = 1_000_000 + next(&mut state) % 9_000_000;
        if taken.insert(mark) {
            marks.push(mark.to_string());
        }
    }
    marks
}

/// One step of splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_seven_digits_and_differ() {
        let marks = marks(7, 500);
        let distinct: BTreeSet<_> = marks.iter().collect();
        assert_eq!(distinct.len(), 500);
        assert!(
            marks
                .iter()
                .all(|mark| mark.len() == 7 && !mark.starts_with('0'))
        );
    }

    #[test]
    fn a_seed_depends_on_run_and_case_alone() {
        assert_eq!(case_seed(1, "a", 0), case_seed(1, "a", 0));
        assert_ne!(case_seed(1, "a", 0), case_seed(1, "a", 1));
        assert_ne!(case_seed(1, "a", 0), case_seed(1, "b", 0));
        assert_ne!(case_seed(1, "a", 0), case_seed(2, "a", 0));
        assert!(case_seed(1, "a", 0) < 1 << 53);
    }
}
