//! Instruction sequences for division by a constant.
//!
//! Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication" (1994): unsigned by Fig. 4.1, signed by Fig. 5.2. The
//! multiplier is the least that serves the dividends there can be, so a
//! dividend known to be small or not negative gets the short form.
//!
//! A sequence is data, so that tests can run it without a machine.

use smallvec::SmallVec;

/// A value of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// The dividend.
    Dividend,
    /// The result of a step, by position.
    Step(usize),
    Constant(i64),
}

/// What a step computes, at the width of the division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Calc {
    Add,
    Sub,
    And,
    /// High half of the product of two unsigned numbers.
    MulHighUnsigned,
    MulHighSigned,
    /// Low half of a product, plus the third operand.
    MulAdd,
    ShrUnsigned,
    ShrSigned,
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub calc: Calc,
    pub args: [Arg; 3],
}

/// The steps; the result is the last one's, or for none the dividend.
pub(super) type Steps = SmallVec<[Step; 8]>;

/// What the dividends of a division may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dividend {
    /// Unsigned numbers up to this one.
    UpTo(u64),
    /// Signed numbers.
    Any,
}

struct Sequence {
    bits: u32,
    steps: Steps,
}

impl Sequence {
    fn new(bits: u32) -> Sequence {
        Sequence {
            bits,
            steps: Steps::new(),
        }
    }

    fn step(&mut self, calc: Calc, a: Arg, b: Arg) -> Arg {
        let args = [a, b, Arg::Constant(0)];
        self.steps.push(Step { calc, args });
        Arg::Step(self.steps.len() - 1)
    }

    /// A right shift, which for 0 is nothing.
    fn shr(&mut self, calc: Calc, a: Arg, amount: u32) -> Arg {
        match amount {
            0 => a,
            _ => self.step(calc, a, Arg::Constant(i64::from(amount))),
        }
    }

    fn negate(&mut self, a: Arg) -> Arg {
        self.step(Calc::Sub, Arg::Constant(0), a)
    }

    /// The sequence for a result; a step is added if the last is another.
    fn ending_in(mut self, result: Arg) -> Steps {
        let last = self.steps.len().checked_sub(1).map(Arg::Step);
        let whole = match result {
            Arg::Dividend => self.steps.is_empty(),
            result => last == Some(result),
        };
        if !whole {
            self.step(Calc::Add, result, Arg::Constant(0));
        }
        self.steps
    }
}

/// A multiplier m and a shift s with n / d = m n / 2^(bits + s) for all n up
/// to `most`; m below 2^bits. None if there is none so small.
fn multiplier(bits: u32, d: u64, most: u64) -> Option<(u64, u32)> {
    // m = 2^k / d, rounded up, is too large by e / d in 2^k; the quotient is
    // right as long as n e < 2^k.
    let ceil_log = 64 - (d - 1).leading_zeros();
    for s in 0..ceil_log {
        let power = 1u128 << (bits + s);
        let m = power / u128::from(d) + 1;
        let e = m * u128::from(d) - power;
        if m >> bits == 0 && e * u128::from(most) < power {
            return Some((m as u64, s));
        }
    }
    None
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// n / d for unsigned n up to `most`, d over 0.
fn unsigned_quotient(seq: &mut Sequence, d: u64, most: u64) -> Arg {
    let n = Arg::Dividend;
    let bits = seq.bits;
    if d.is_power_of_two() {
        return seq.shr(Calc::ShrUnsigned, n, d.trailing_zeros());
    }
    let constant = |m: u64| Arg::Constant(m as i64);
    if let Some((m, s)) = multiplier(bits, d, most) {
        let high = seq.step(Calc::MulHighUnsigned, n, constant(m));
        return seq.shr(Calc::ShrUnsigned, high, s);
    }
    // An even divisor: its zeros go first, and leave a smaller dividend.
    let zeros = d.trailing_zeros();
    if zeros > 0
        && let Some((m, s)) = multiplier(bits, d >> zeros, most >> zeros)
    {
        let less = seq.shr(Calc::ShrUnsigned, n, zeros);
        let high = seq.step(Calc::MulHighUnsigned, less, constant(m));
        return seq.shr(Calc::ShrUnsigned, high, s);
    }
    // A multiplier of one bit more: m = 2^bits + low.
    let ceil_log = 64 - (d - 1).leading_zeros();
    let excess = (1u128 << ceil_log) - u128::from(d);
    let low = ((excess << bits) / u128::from(d) + 1) as u64 & mask(bits);
    let high = seq.step(Calc::MulHighUnsigned, n, constant(low));
    let rest = seq.step(Calc::Sub, n, high);
    let half = seq.shr(Calc::ShrUnsigned, rest, 1);
    let sum = seq.step(Calc::Add, half, high);
    seq.shr(Calc::ShrUnsigned, sum, ceil_log - 1)
}

/// n plus what makes a shift by k round towards zero: 2^k - 1 for negative n.
fn biased(seq: &mut Sequence, k: u32) -> Arg {
    let n = Arg::Dividend;
    let signs = seq.shr(Calc::ShrSigned, n, k - 1);
    let bias = seq.shr(Calc::ShrUnsigned, signs, seq.bits - k);
    seq.step(Calc::Add, n, bias)
}

/// n / d towards zero for any signed n; |d| at least 2.
fn signed_quotient(seq: &mut Sequence, d: i64) -> Arg {
    let n = Arg::Dividend;
    let bits = seq.bits;
    let magnitude = d.unsigned_abs();
    if magnitude.is_power_of_two() {
        let k = magnitude.trailing_zeros();
        let sum = biased(seq, k);
        let q = seq.shr(Calc::ShrSigned, sum, k);
        return if d < 0 { seq.negate(q) } else { q };
    }
    let Some((m, s)) = multiplier(bits, magnitude, 1 << (bits - 1)) else {
        // There is always one; a plain quotient would do as well.
        return n;
    };
    // As a signed factor m is 2^bits less where its top bit is set.
    let wraps = m >> (bits - 1) & 1 == 1;
    let factor = if wraps {
        m.wrapping_sub(mask(bits)).wrapping_sub(1)
    } else {
        m
    };
    let mut high = seq.step(Calc::MulHighSigned, n, Arg::Constant(factor as i64));
    if wraps {
        high = seq.step(Calc::Add, high, n);
    }
    let high = seq.shr(Calc::ShrSigned, high, s);
    // A negative quotient was rounded down.
    if d > 0 {
        let one = seq.shr(Calc::ShrUnsigned, n, bits - 1);
        seq.step(Calc::Add, high, one)
    } else {
        let minus_one = seq.shr(Calc::ShrSigned, n, bits - 1);
        seq.step(Calc::Sub, minus_one, high)
    }
}

/// The quotient of a division at 16, 32 or 64 bits by `d`, which is read as
/// the division is signed or not; none for 0.
pub(super) fn quotient(bits: u32, dividend: Dividend, d: i64, signed: bool) -> Option<Steps> {
    let mut seq = Sequence::new(bits);
    let result = quotient_in(&mut seq, dividend, d, signed)?;
    Some(seq.ending_in(result))
}

fn quotient_in(seq: &mut Sequence, dividend: Dividend, d: i64, signed: bool) -> Option<Arg> {
    if d == 0 {
        return None;
    }
    let magnitude = if signed {
        d.unsigned_abs()
    } else {
        d as u64 & mask(seq.bits)
    };
    let negative = signed && d < 0;
    Some(match dividend {
        _ if magnitude == 1 => match negative {
            true => seq.negate(Arg::Dividend),
            false => Arg::Dividend,
        },
        Dividend::UpTo(most) => {
            let q = unsigned_quotient(seq, magnitude, most);
            if negative { seq.negate(q) } else { q }
        }
        Dividend::Any => signed_quotient(seq, d),
    })
}

/// The remainder of the same division.
pub(super) fn remainder(bits: u32, dividend: Dividend, d: i64, signed: bool) -> Option<Steps> {
    if d == 0 {
        return None;
    }
    let mut seq = Sequence::new(bits);
    let n = Arg::Dividend;
    // The sign of the divisor does not matter.
    let magnitude = if signed {
        d.unsigned_abs()
    } else {
        d as u64 & mask(bits)
    };
    if magnitude.is_power_of_two() {
        let low = Arg::Constant((magnitude - 1) as i64);
        let result = match dividend {
            Dividend::Any if magnitude > 1 => {
                let sum = biased(&mut seq, magnitude.trailing_zeros());
                let high = Arg::Constant((magnitude as i64).wrapping_neg());
                let whole = seq.step(Calc::And, sum, high);
                seq.step(Calc::Sub, n, whole)
            }
            _ => seq.step(Calc::And, n, low),
        };
        return Some(seq.ending_in(result));
    }
    let by = if signed { magnitude as i64 } else { d };
    let q = quotient_in(&mut seq, dividend, by, signed)?;
    seq.steps.push(Step {
        calc: Calc::MulAdd,
        args: [q, Arg::Constant((magnitude as i64).wrapping_neg()), n],
    });
    Some(seq.steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sequence gives for a dividend.
    fn run(bits: u32, steps: &Steps, n: i64) -> i64 {
        let cut = 64 - bits;
        let signed = |v: i64| v << cut >> cut;
        let unsigned = |v: i64| v as u64 & mask(bits);
        let mut values: Vec<i64> = Vec::new();
        for step in steps {
            let [a, b, c] = step.args.map(|arg| match arg {
                Arg::Dividend => n,
                Arg::Step(i) => values[i],
                Arg::Constant(v) => v,
            });
            let amount = b as u32;
            values.push(match step.calc {
                Calc::Add => a.wrapping_add(b),
                Calc::Sub => a.wrapping_sub(b),
                Calc::And => a & b,
                Calc::MulHighUnsigned => {
                    ((u128::from(unsigned(a)) * u128::from(unsigned(b))) >> bits) as i64
                }
                Calc::MulHighSigned => {
                    ((i128::from(signed(a)) * i128::from(signed(b))) >> bits) as i64
                }
                Calc::MulAdd => a.wrapping_mul(b).wrapping_add(c),
                Calc::ShrUnsigned => (unsigned(a) >> amount) as i64,
                Calc::ShrSigned => signed(a) >> amount,
            });
        }
        values.last().copied().unwrap_or(n)
    }

    /// The sequences never fall as the dividend grows (never rise, for a
    /// negative divisor), so being right on both sides of every multiple of
    /// the divisor, they are right in between. For some divisors all
    /// dividends are tried.
    fn dividends(d: i64, least: i64, most: i64) -> Vec<i64> {
        let d = d.abs();
        if matches!(d, 3 | 7 | 8 | 10 | 641) {
            return (least..=most).collect();
        }
        let multiples = (least / d..=most / d).map(|k| k * d);
        let ends = [least, least + 1, most - 1, most];
        let near = multiples.flat_map(|m| [m - 1, m]).chain(ends);
        near.filter(|n| (least..=most).contains(n)).collect()
    }

    #[test]
    fn every_unsigned_division_of_16_bits() {
        let most = Dividend::UpTo(0xffff);
        for d in 1..=0xffffi64 {
            let by = i64::from(d as i16);
            let q = quotient(16, most, by, false).unwrap();
            let r = remainder(16, most, by, false).unwrap();
            for n in dividends(d, 0, 0xffff) {
                assert_eq!(run(16, &q, n) & 0xffff, n / d, "{n} / {d}: {q:?}");
                assert_eq!(run(16, &r, n) & 0xffff, n % d, "{n} % {d}: {r:?}");
            }
        }
    }

    #[test]
    fn every_signed_division_of_16_bits() {
        for d in (-0x8000..=0x7fffi64).filter(|d| *d != 0) {
            let q = quotient(16, Dividend::Any, d, true).unwrap();
            let r = remainder(16, Dividend::Any, d, true).unwrap();
            for n in dividends(d, -0x8000, 0x7fff) {
                assert_eq!(run(16, &q, n) as i16, (n / d) as i16, "{n} / {d}: {q:?}");
                assert_eq!(run(16, &r, n) as i16, (n % d) as i16, "{n} % {d}: {r:?}");
            }
        }
    }

    #[test]
    fn dividends_with_a_bound() {
        for most in [0u64, 1, 99, 255, 1023, 4000, 0x7fff] {
            for d in (1..=300i64).chain([997, 4096, 0x7fff]) {
                for by in [d, -d] {
                    let q = quotient(16, Dividend::UpTo(most), by, true).unwrap();
                    let r = remainder(16, Dividend::UpTo(most), by, true).unwrap();
                    for n in 0..=most as i64 {
                        assert_eq!(run(16, &q, n) as i16, (n / by) as i16, "{n} / {by}");
                        assert_eq!(run(16, &r, n) as i16, (n % by) as i16, "{n} % {by}");
                    }
                }
            }
        }
    }

    /// Dividends near the multiples and the ends of the range.
    fn edges(bits: u32, d: i64) -> Vec<i64> {
        let cut = 64 - bits;
        let mut all: Vec<i64> = vec![
            0,
            1,
            -1,
            i64::MIN >> cut,
            i64::MAX >> cut,
            (i64::MAX >> cut) - 1,
        ];
        for k in [
            1i64,
            2,
            3,
            1000,
            1 << 15,
            (1 << 31) - 1,
            1 << 40,
            -1,
            -7,
            -1000,
        ] {
            for near in -2..=2 {
                all.push(d.wrapping_mul(k).wrapping_add(near));
            }
        }
        let top = mask(bits) / (d as u64 & mask(bits)).max(1);
        for near in -2..=2i64 {
            all.push((top.wrapping_mul(d as u64) as i64).wrapping_add(near));
        }
        all.iter().map(|v| v << cut >> cut).collect()
    }

    #[test]
    fn edges_at_32_and_64_bits() {
        let divisors: &[i64] = &[
            1,
            2,
            3,
            5,
            6,
            7,
            9,
            10,
            11,
            12,
            13,
            14,
            25,
            28,
            60,
            100,
            125,
            625,
            641,
            1000,
            1 << 20,
            0x7fff_ffff,
            0x7fff_fffe,
            0x8000_0001,
            0xffff_ffff,
            1 << 31,
            1 << 33,
            6_700_417,
            1_000_000_007,
            274_177,
            i64::MAX,
            i64::MAX - 1,
            i64::MIN,
            i64::MIN + 1,
            -1,
            -2,
            -3,
            -7,
            -10,
            -641,
            -4096,
        ];
        for bits in [32u32, 64] {
            let cut = 64 - bits;
            for d in divisors.iter().map(|d| d << cut >> cut).filter(|d| *d != 0) {
                let unsigned = |v: i64| v as u64 & mask(bits);
                let most = Dividend::UpTo(mask(bits));
                let uq = quotient(bits, most, d, false).unwrap();
                let ur = remainder(bits, most, d, false).unwrap();
                let sq = quotient(bits, Dividend::Any, d, true).unwrap();
                let sr = remainder(bits, Dividend::Any, d, true).unwrap();
                for n in edges(bits, d) {
                    let (un, ud) = (unsigned(n), unsigned(d));
                    assert_eq!(unsigned(run(bits, &uq, n)), un / ud, "{un} / {ud} u{bits}");
                    assert_eq!(unsigned(run(bits, &ur, n)), un % ud, "{un} % {ud} u{bits}");
                    let (q, r) = (n.wrapping_div(d), n.wrapping_rem(d));
                    assert_eq!(
                        unsigned(run(bits, &sq, n)),
                        unsigned(q),
                        "{n} / {d} s{bits}"
                    );
                    assert_eq!(
                        unsigned(run(bits, &sr, n)),
                        unsigned(r),
                        "{n} % {d} s{bits}"
                    );
                }
            }
        }
    }

    #[test]
    fn lengths() {
        let len = |bits, dividend, d, signed| quotient(bits, dividend, d, signed).unwrap().len();
        let all = Dividend::UpTo(0xffff_ffff);
        // Shift; high product and shift; shift before; the long one.
        assert_eq!(len(32, all, 8, false), 1);
        assert_eq!(len(32, all, 10, false), 2);
        assert_eq!(len(32, all, 14, false), 3);
        assert_eq!(len(32, all, 7, false), 5);
        // Half the dividends need only the short one.
        assert_eq!(len(32, Dividend::UpTo(0x7fff_ffff), 7, false), 2);
        assert_eq!(len(32, Dividend::UpTo(1000), 7, false), 1);
        assert_eq!(len(32, Dividend::Any, 8, true), 4);
        assert_eq!(len(32, Dividend::Any, 10, true), 4);
        assert_eq!(len(32, Dividend::Any, 7, true), 5);
        assert_eq!(remainder(32, all, 8, false).unwrap().len(), 1);
    }
}
