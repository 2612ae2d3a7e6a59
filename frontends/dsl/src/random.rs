//! Random numbers from counters: each place computes its own, and none depends on another.
//!
//! The generators are Philox 4x32 with ten rounds and Threefry 2x64 with twenty, as published by
//! Salmon, Moraes, Dror and Shaw (SC11). Rounds are arithmetic on integers, so all targets have the
//! same bits.

use crate::expr::{Expr, Operand, constant};

/// What a generator makes of a key and a counter: 128 bits, as four words.
#[derive(Debug, Clone)]
pub struct Draw {
    words: [Expr<u32>; 4],
}

/// Philox 4x32-10 of a key and a counter, both with their low words first.
///
/// ```
/// # use terrace_dsl::{index, philox};
/// let drawn = philox(42, index(0).cast::<u64>());
/// let [u, v] = drawn.uniform();
/// ```
#[track_caller]
pub fn philox(key: impl Operand<u64>, counter: impl Operand<u64>) -> Draw {
    let (key, counter) = (halves(&key.expr()), halves(&counter.expr()));
    let [low, high] = counter;
    philox_4x32([low, high, constant(0), constant(0)], key)
}

/// Philox 4x32-10, as published.
#[track_caller]
pub fn philox_4x32(counter: [Expr<u32>; 4], key: [Expr<u32>; 2]) -> Draw {
    let (mut c, mut k) = (counter, key);
    for round in 0..10 {
        if round > 0 {
            k[0] = &k[0] + constant(0x9E37_79B9);
            k[1] = &k[1] + constant(0xBB67_AE85);
        }
        let [low0, high0] = halves(&(c[0].cast::<u64>() * constant(0xD251_1F53)));
        let [low1, high1] = halves(&(c[2].cast::<u64>() * constant(0xCD9E_8D57)));
        c = [high1 ^ &c[1] ^ &k[0], low1, high0 ^ &c[3] ^ &k[1], low0];
    }
    Draw { words: c }
}

/// Threefry 2x64-20 of a key and a counter; the second word of each is 0.
#[track_caller]
pub fn threefry(key: impl Operand<u64>, counter: impl Operand<u64>) -> Draw {
    threefry_2x64([counter.expr(), constant(0)], [key.expr(), constant(0)])
}

/// Threefry 2x64-20, as published. The words of the result are the low and the high one of the
/// first number, and those of the second.
#[track_caller]
pub fn threefry_2x64(counter: [Expr<u64>; 2], key: [Expr<u64>; 2]) -> Draw {
    const ROTATIONS: [u64; 8] = [16, 42, 12, 31, 16, 32, 24, 21];
    let [k0, k1] = key;
    let keys = [
        k0.clone(),
        k1.clone(),
        constant(0x1BD1_1BDA_A9FC_1A22) ^ &k0 ^ &k1,
    ];
    let [mut x, mut y] = counter;
    x = x + &keys[0];
    y = y + &keys[1];
    for round in 0..20usize {
        let by = ROTATIONS[round % 8];
        x = x + &y;
        y = (&y << constant(by)) | (&y >> constant(64 - by));
        y = y ^ &x;
        if round % 4 == 3 {
            let s = round / 4 + 1;
            x = x + &keys[s % 3];
            y = y + &keys[(s + 1) % 3] + constant(s as u64);
        }
    }
    let ([a, b], [c, d]) = (halves(&x), halves(&y));
    Draw {
        words: [a, b, c, d],
    }
}

/// The low word and the high one.
#[track_caller]
fn halves(v: &Expr<u64>) -> [Expr<u32>; 2] {
    [v.cast(), (v >> constant(32)).cast()]
}

impl Draw {
    /// The words.
    pub fn words(&self) -> &[Expr<u32>; 4] {
        &self.words
    }

    /// As two numbers, of which the low word comes first.
    #[track_caller]
    pub fn numbers(&self) -> [Expr<u64>; 2] {
        let whole = |low: &Expr<u32>, high: &Expr<u32>| {
            low.cast::<u64>() | (high.cast::<u64>() << constant(32))
        };
        let [a, b, c, d] = &self.words;
        [whole(a, b), whole(c, d)]
    }

    /// Two numbers that are uniform in [0, 1): the upper 53 bits of each number as a fraction.
    #[track_caller]
    pub fn uniform(&self) -> [Expr<f64>; 2] {
        let unit = 1.0 / (1u64 << 53) as f64;
        self.numbers()
            .map(|n| (n >> constant(11)).cast::<f64>() * constant(unit))
    }

    /// Four numbers that are uniform in [0, 1): the upper 24 bits of each word as a fraction.
    #[track_caller]
    pub fn uniform_f32(&self) -> [Expr<f32>; 4] {
        let unit = 1.0 / (1u32 << 24) as f32;
        let fraction = |w: &Expr<u32>| (w >> constant(8)).cast::<f32>() * constant(unit);
        self.words.each_ref().map(fraction)
    }

    /// Two numbers of the normal distribution, with mean 0 and variance 1 (Box and Muller).
    #[track_caller]
    pub fn normal(&self) -> [Expr<f64>; 2] {
        let [u, v] = self.uniform();
        // 1 - u is not 0, and as uniform as u.
        let radius = (constant(-2.0) * (constant(1.0) - u).ln()).sqrt();
        let angle = constant(2.0 * std::f64::consts::PI) * v;
        [&radius * angle.cos(), radius * angle.sin()]
    }
}
