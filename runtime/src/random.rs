//! The generator behind `random` buffers.
//!
//! SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014) used by counter: its state is `seed + n * GAMMA`,
//! so draw `n` can be computed without the ones before it, in any order and on
//! any target, and is the same everywhere.

/// The increment of the state: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Draw number `n` (from 0) of the stream of `seed`: 64 uniform bits.
///
/// Equal to the (n+1)-th output of the reference SplitMix64 seeded with `seed`.
pub fn draw(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(GAMMA));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Draw `n` as a multiple of 2^-`bits` in [0, 1), from the top bits; `bits` is
/// 1 to 53, so the double is exact.
pub fn unit(seed: u64, n: u64, bits: u32) -> f64 {
    (draw(seed, n) >> (64 - bits)) as f64 / (1u64 << bits) as f64
}

/// Draw `n` as an integer of [0, 16), from the top bits.
pub fn nibble(seed: u64, n: u64) -> i64 {
    (draw(seed, n) >> 60) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_reference_sequence() {
        // The published outputs of splitmix64.c for the seed 1234567.
        let expected = [
            6457827717110365317u64,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        ];
        for (n, value) in expected.into_iter().enumerate() {
            assert_eq!(draw(1234567, n as u64), value);
        }
    }

    #[test]
    fn unit_stays_below_one() {
        for n in 0..10_000 {
            for bits in [8, 11, 24, 53] {
                let value = unit(7, n, bits);
                assert!((0.0..1.0).contains(&value));
                assert_eq!(value * (1u64 << bits) as f64 % 1.0, 0.0);
            }
        }
        let mean = (0..10_000).map(|n| unit(7, n, 53)).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
