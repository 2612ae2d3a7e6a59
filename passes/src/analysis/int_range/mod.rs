//! Between which constants the integers of a program lie, as far as its arithmetic tells.

mod index;

use rustc_hash::FxHashMap;
use terrace_dialects::arith::{
    AddIOp, AndIOp, CeilDivSIOp, ConstantOp, DivSIOp, DivUIOp, ExtSIOp, ExtUIOp, FloorDivSIOp,
    IndexCastOp, IndexCastUIOp, MaxSIOp, MaxUIOp, MinSIOp, MinUIOp, MulIOp, OrIOp, RemSIOp,
    RemUIOp, SelectOp, ShLIOp, ShRSIOp, ShRUIOp, SubIOp, TruncIOp, XOrIOp,
};
use terrace_dialects::math::AbsIOp;
use terrace_ir::{Context, Op, Value};

/// The least and the greatest value of an integer, both included, read as a signed number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntRange {
    pub lo: i128,
    pub hi: i128,
}

/// How many ops are followed from a value to what it is made of.
const MAX_DEPTH: usize = 64;

impl IntRange {
    fn new(lo: i128, hi: i128) -> IntRange {
        IntRange { lo, hi }
    }

    /// Everything that so many bits hold.
    pub fn of_bits(bits: u32) -> IntRange {
        let half = 1i128 << (bits.clamp(1, 64) - 1);
        IntRange::new(-half, half - 1)
    }

    /// Whether all of it is a signed number of so many bits.
    pub fn fits_signed(self, bits: u32) -> bool {
        let all = IntRange::of_bits(bits);
        all.lo <= self.lo && self.hi <= all.hi
    }

    /// Whether all of it is an unsigned number of so many bits.
    pub fn fits_unsigned(self, bits: u32) -> bool {
        self.lo >= 0 && self.hi >> bits.min(64) == 0
    }

    /// Its only number, where it has one.
    pub fn single(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn union(self, other: IntRange) -> IntRange {
        IntRange::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The range that has the results of `f` at both ends of both; right where `f` grows or
    /// falls evenly in each.
    fn corners(self, other: IntRange, f: impl Fn(i128, i128) -> Option<i128>) -> Option<IntRange> {
        let ends = [
            f(self.lo, other.lo)?,
            f(self.lo, other.hi)?,
            f(self.hi, other.lo)?,
            f(self.hi, other.hi)?,
        ];
        let lo = ends.iter().copied().min()?;
        Some(IntRange::new(lo, ends.into_iter().max()?))
    }
}

/// The ranges of values that are known already.
#[derive(Default)]
pub struct IntRanges(FxHashMap<Value, IntRange>);

impl IntRanges {
    /// Where `v`, an integer of at most 64 bits or an index, lies; `None` for another value.
    pub fn of(&mut self, ctx: &Context, v: Value) -> Option<IntRange> {
        self.at_depth(ctx, v, MAX_DEPTH)
    }

    fn at_depth(&mut self, ctx: &Context, v: Value, depth: usize) -> Option<IntRange> {
        let bits = bits_of(ctx, v)?;
        if let Some(r) = self.0.get(&v) {
            return Some(*r);
        }
        let all = IntRange::of_bits(bits);
        let found = match v.def_op() {
            _ if depth == 0 => None,
            Some(op) => self.of_op(ctx, op, depth - 1),
            None => self.of_variable(ctx, v, depth - 1),
        };
        let found = found.filter(|r| all.lo <= r.lo && r.hi <= all.hi);
        // What leaves its type wraps around, and may be anything.
        let range = found.unwrap_or(all);
        self.0.insert(v, range);
        Some(range)
    }

    fn of_op(&mut self, ctx: &Context, op: Op, depth: usize) -> Option<IntRange> {
        if op.isa::<ConstantOp>(ctx) {
            let c = i128::from(ctx.constant_int(op.result(ctx, 0))?);
            return Some(IntRange::new(c, c));
        }
        if let Some(range) = self.of_index_op(ctx, op, depth) {
            return Some(range);
        }
        if op.num_operands(ctx) == 0 {
            return None;
        }
        let mut operand = |i: usize| self.at_depth(ctx, op.operand(ctx, i), depth);
        let name = op.name(ctx);
        if op.isa::<SelectOp>(ctx) {
            return Some(operand(1)?.union(operand(2)?));
        }
        let a = operand(0)?;
        match name {
            ExtSIOp::NAME | TruncIOp::NAME | IndexCastOp::NAME => return Some(a),
            IndexCastUIOp::NAME => return Some(a).filter(|a| a.lo >= 0),
            ExtUIOp::NAME if a.lo >= 0 => return Some(a),
            ExtUIOp::NAME => {
                let bits = op.operand(ctx, 0).ty(ctx).int_width(ctx)?;
                return Some(IntRange::new(0, (1i128 << bits) - 1));
            }
            AbsIOp::NAME => {
                let least = if a.lo <= 0 && a.hi >= 0 {
                    0
                } else {
                    a.lo.abs().min(a.hi.abs())
                };
                return Some(IntRange::new(least, a.lo.abs().max(a.hi.abs())));
            }
            _ => {}
        }
        if op.num_operands(ctx) != 2 {
            return None;
        }
        two(name, a, operand(1)?)
    }
}

/// The range of an op of two operands; `None` where it is not known, or the op is another one.
fn two(name: &str, a: IntRange, b: IntRange) -> Option<IntRange> {
    let not_negative = a.lo >= 0 && b.lo >= 0;
    match name {
        AddIOp::NAME => a.corners(b, |x, y| Some(x + y)),
        SubIOp::NAME => a.corners(b, |x, y| Some(x - y)),
        MulIOp::NAME => a.corners(b, i128::checked_mul),
        MaxSIOp::NAME => a.corners(b, |x, y| Some(x.max(y))),
        MinSIOp::NAME => a.corners(b, |x, y| Some(x.min(y))),
        MaxUIOp::NAME if not_negative => a.corners(b, |x, y| Some(x.max(y))),
        MinUIOp::NAME if not_negative => a.corners(b, |x, y| Some(x.min(y))),
        AndIOp::NAME if not_negative => Some(IntRange::new(0, a.hi.min(b.hi))),
        AndIOp::NAME if a.lo >= 0 => Some(IntRange::new(0, a.hi)),
        AndIOp::NAME if b.lo >= 0 => Some(IntRange::new(0, b.hi)),
        OrIOp::NAME | XOrIOp::NAME if not_negative => {
            let bits = 128 - (a.hi | b.hi).leading_zeros();
            Some(IntRange::new(0, (1i128 << bits.min(64)) - 1))
        }
        ShLIOp::NAME => {
            let by = b.single().filter(|s| (0..64).contains(s))?;
            a.corners(a, |x, _| x.checked_mul(1i128 << by))
        }
        ShRSIOp::NAME => {
            let by = b.single().filter(|s| (0..64).contains(s))?;
            a.corners(a, |x, _| Some(x >> by))
        }
        ShRUIOp::NAME if a.lo >= 0 => {
            let by = b.single().filter(|s| (0..64).contains(s))?;
            a.corners(a, |x, _| Some(x >> by))
        }
        FloorDivSIOp::NAME => {
            let by = b.single().filter(|c| *c > 0)?;
            a.corners(a, |x, _| Some(x.div_euclid(by)))
        }
        CeilDivSIOp::NAME => {
            let by = b.single().filter(|c| *c > 0)?;
            a.corners(a, |x, _| Some(-(-x).div_euclid(by)))
        }
        DivSIOp::NAME | DivUIOp::NAME if not_negative || name == DivSIOp::NAME => {
            let by = b.single().filter(|c| *c > 0)?;
            a.corners(a, |x, _| Some(x / by))
        }
        RemSIOp::NAME | RemUIOp::NAME if not_negative || name == RemSIOp::NAME => {
            let by = b.single().filter(|c| *c > 0)?;
            let least = if a.lo >= 0 { 0 } else { a.lo.max(1 - by) };
            Some(IntRange::new(least, a.hi.clamp(0, by - 1)))
        }
        _ => None,
    }
}

/// The bits of an integer, of which an index has 64; `None` for more, and for other values.
fn bits_of(ctx: &Context, v: Value) -> Option<u32> {
    let ty = v.ty(ctx);
    match ty.is_index(ctx) {
        true => Some(64),
        false => ty.int_width(ctx).filter(|b| *b <= 64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each op on all pairs out of small ranges lies in the range that is said.
    #[test]
    fn ranges_hold_what_the_ops_give() {
        let ops: [(&str, fn(i128, i128) -> Option<i128>); 12] = [
            (FloorDivSIOp::NAME, |x, y| (y > 0).then(|| x.div_euclid(y))),
            (CeilDivSIOp::NAME, |x, y| {
                (y > 0).then(|| -(-x).div_euclid(y))
            }),
            (AddIOp::NAME, |x, y| Some(x + y)),
            (SubIOp::NAME, |x, y| Some(x - y)),
            (MulIOp::NAME, |x, y| Some(x * y)),
            (AndIOp::NAME, |x, y| Some(x & y)),
            (OrIOp::NAME, |x, y| Some(x | y)),
            (XOrIOp::NAME, |x, y| Some(x ^ y)),
            (MaxSIOp::NAME, |x, y| Some(x.max(y))),
            (DivSIOp::NAME, i128::checked_div),
            (RemSIOp::NAME, i128::checked_rem),
            (ShRSIOp::NAME, |x, y| (0..64).contains(&y).then(|| x >> y)),
        ];
        let ends = [-9, -4, -1, 0, 1, 3, 8];
        let ranges: Vec<IntRange> = ends
            .iter()
            .flat_map(|lo| {
                ends.iter()
                    .filter(move |hi| *hi >= lo)
                    .map(|hi| IntRange::new(*lo, *hi))
            })
            .collect();
        let mut known = 0;
        for (name, f) in ops {
            for a in &ranges {
                for b in &ranges {
                    let Some(r) = two(name, *a, *b) else { continue };
                    known += 1;
                    for x in a.lo..=a.hi {
                        for y in b.lo..=b.hi {
                            let inside = f(x, y).is_none_or(|v| r.lo <= v && v <= r.hi);
                            assert!(inside, "{name} {x} {y}: {r:?}");
                        }
                    }
                }
            }
        }
        assert!(known > 1000, "{known}");
    }
}
