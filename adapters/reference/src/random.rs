//! The generator behind jitter: splitmix64, seeded by the case and the call.

use crate::span::Span;

/// A stream of draws that depends on nothing but the seed and the call's name.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, call: &str) -> Self {
        // FNV-1a, so that two calls of one case do not draw the same numbers.
        let hash = call.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(seed ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A draw from `0..=limit`; zero if the limit is not positive.
    pub(crate) fn up_to(&mut self, limit: Span) -> Span {
        // 32 random bits, so that the product of any told wait fits.
        let draw = i128::from(self.next() >> 32);
        let nanos = limit.nanos().max(0);
        Span::from_nanos(nanos.saturating_mul(draw) / i128::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_call_draw_the_same() {
        let limit = Span::from_secs(60);
        let draw = |seed, call| Random::new(seed, call).up_to(limit);
        assert_eq!(draw(7, "a"), draw(7, "a"));
        assert_ne!(draw(7, "a"), draw(7, "b"));
        assert_ne!(draw(7, "a"), draw(8, "a"));
    }

    #[test]
    fn draws_stay_in_their_interval_and_fill_it() {
        let mut random = Random::new(1, "a");
        let limit = Span::from_millis(100);
        let draws: Vec<_> = (0..200).map(|_| random.up_to(limit)).collect();
        assert!(draws.iter().all(|draw| (Span::ZERO..=limit).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < Span::from_millis(10)));
        assert!(draws.iter().any(|draw| *draw > Span::from_millis(90)));
        assert_eq!(random.up_to(Span::ZERO), Span::ZERO);
    }
}
