//! An angle as a multiple of a right angle and a rest between -pi/4 and pi/4.
//!
//! Below 2^30 by subtraction of `n pi/2` with pi/2 in three parts (W. J. Cody and
//! W. Waite), the first difference being exact. Beyond, by the product with 192 bits of
//! 2/pi, those that are neither multiples of a full turn nor too small (M. Payne and
//! R. Hanek): integers, of which the top two bits are the quadrant.

use super::emit::Emit;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::scf;
use terrace_ir::{InsertPoint, Value};

/// pi/2 in three parts.
const PI_2: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
];

/// The bits of 2/pi, from 64 bits before the point.
pub(super) const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// The words that a double may need begin at one of so many places: the exponent is at
/// most 971, so the first bit at most 1033.
const PLACES: usize = 17;

/// The quadrant, of which the lowest two bits count, and the rest; NaN for what is not
/// finite.
pub(super) fn reduce(e: &mut Emit, x: Value) -> (Value, Value) {
    let ax = e.abs(x);
    let near = e.is_less(ax, 1073741824.0);
    let types = [e.int_type(), e.float_type()];
    let v = e.either(
        near,
        &types,
        |e| {
            let (q, r) = subtracted(e, x, &PI_2);
            vec![q, r]
        },
        |e| {
            let (q, r) = far(e, ax);
            // The angle of a negative number lies on the other side.
            let negative = e.is_less(x, 0.0);
            let (zero, minus) = (e.ci(0), e.neg(r));
            let other = e.isub(zero, q);
            let q = e.select(negative, other, q);
            let r = e.select(negative, minus, r);
            let finite = e.is_less(ax, f64::INFINITY);
            let nan = e.c(f64::NAN);
            vec![q, e.select(finite, r, nan)]
        },
    );
    (v[0], v[1])
}

/// The quadrant and the rest of a number that is not too large, pi/2 in parts.
pub(super) fn subtracted(e: &mut Emit, x: Value, parts: &[f64]) -> (Value, Value) {
    let c = e.c(std::f64::consts::FRAC_2_PI);
    let quotient = e.mul(x, c);
    let (n, q) = e.nearest(quotient);
    let mut r = x;
    for part in parts {
        let part = e.c(-part);
        r = e.fma(n, part, r);
    }
    (q, r)
}

/// The same for a positive number of at least 2^30.
fn far(e: &mut Emit, ax: Value) -> (Value, Value) {
    let bits = e.bits(ax);
    let exponent = e.shr_by(bits, 52);
    let mask = e.ci((1 << 52) - 1);
    let fraction = e.iand(bits, mask);
    let leading = e.ci(1 << 52);
    let m = e.ior(fraction, leading);
    // ax = m 2^(exponent - 1075); bits of 2/pi before this one give multiples of 4.
    let bias = e.ci(62 - 1075);
    let first = e.iadd(exponent, bias);
    let word = e.shr_by(first, 6);
    let low = e.ci(63);
    let shift = e.iand(first, low);
    let parts = words(e, word);
    // Three words from that bit on. A shift by 64 is done as one by 1 and one by 63.
    let rest = e.isub(low, shift);
    let mut w = Vec::new();
    for i in 0..3 {
        let high = e.shl(parts[i], shift);
        let below = e.shr_by(parts[i + 1], 1);
        let below = e.shr(below, rest);
        w.push(e.ior(high, below));
    }
    // The product modulo 2^192: two bits of quadrant, 190 of fraction.
    let (_, h2) = e.imul_wide(m, w[2]);
    let (l1, h1) = e.imul_wide(m, w[1]);
    let l0 = e.imul(m, w[0]);
    let p1 = e.iadd(l1, h2);
    let carried = e.icmp(CmpIPredicate::Ult, p1, h2);
    let (one, zero) = (e.ci(1), e.ci(0));
    let carry = e.select(carried, one, zero);
    let p0 = e.iadd(l0, h1);
    let p0 = e.iadd(p0, carry);
    let q = e.shr_by(p0, 62);
    // The fraction as a signed number: from one half on it belongs to the next quadrant.
    let f0 = e.shl_by(p0, 2);
    let f0_low = e.shr_by(p1, 62);
    let f0 = e.ior(f0, f0_low);
    let f1 = e.shl_by(p1, 2);
    let up = e.shr_by(f0, 63);
    let q = e.iadd(q, up);
    // Parts of 32 bits are exact; those of a small fraction are far down.
    let word32 = e.ci(0xffff_ffff);
    let a = e.sar_by(f0, 32);
    let b = e.iand(f0, word32);
    let c = e.shr_by(f1, 32);
    let d = e.iand(f1, word32);
    let mut sum: Option<Value> = None;
    for (part, scale) in [(d, -128), (c, -96), (b, -64), (a, -32)] {
        let part = e.signed(part);
        let scale = e.c(2f64.powi(scale));
        sum = Some(match sum {
            None => e.mul(part, scale),
            Some(s) => e.fma(part, scale, s),
        });
    }
    let quarter = sum.unwrap_or(ax);
    let pi = e.c(PI_2[0]);
    (q, e.mul(quarter, pi))
}

/// Four words of the table from a place on.
fn words(e: &mut Emit, place: Value) -> Vec<Value> {
    let index = e.b.ctx.index();
    let at = e.b.value::<arith::IndexCastOp>(&[place], index, &[]);
    let cases: Vec<i64> = (0..PLACES as i64 - 1).collect();
    let cases_attr = e.b.ctx.i64_array(&cases);
    let types = vec![e.int_type(); 4];
    let s =
        e.b.state::<scf::IndexSwitchOp>()
            .operands(&[at])
            .results(&types)
            .attr(e.b.ctx, "cases", cases_attr)
            .regions(PLACES);
    let op = e.b.create(s);
    // The default region comes first; it is the last place.
    for region in 0..PLACES {
        let from = (region + PLACES - 1) % PLACES;
        let block = op.region(e.b.ctx, region).add_block(e.b.ctx, &[]);
        e.region(InsertPoint::End(block), |e| {
            (from..from + 4)
                .map(|i| e.ci(TWO_OVER_PI[i] as i64))
                .collect()
        });
    }
    op.results(e.b.ctx)
}
