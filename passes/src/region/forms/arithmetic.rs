//! Arithmetic that is not affine, as variables of the nest between bounds that are:
//! quotients, remainders, masks, the greater or less of two.

use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_ir::{Builder, Op, Value};

use super::{Around, Form, Forms};
use crate::analysis::poly::{Atom, Poly};
use crate::region::range::{End, Variable};

/// Where a quotient that is no integer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Down,
    Up,
    ToZero,
}

/// Which of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Smaller,
    Larger,
}

impl Forms<'_> {
    /// A value that lies between two expressions, for what is no polynomial; where one is
    /// given it grows with that.
    pub(super) fn between(
        &self,
        around: &mut Around,
        lower: Poly,
        upper: Poly,
        source: Option<&Poly>,
    ) -> Poly {
        around.nest.push(Variable {
            lower: vec![lower],
            upper: vec![upper],
        });
        around.counters.push(None);
        around.sources.push(source.cloned());
        Poly::atom(Atom::Variable(around.nest.len() - 1))
    }

    pub(super) fn ends(&mut self, p: &Poly, around: &Around) -> Option<(Value, Value)> {
        let nest = around.nest.clone();
        self.ranges(|r| {
            let low = r.bound(p, &nest, End::Least)?;
            Some((low, r.bound(p, &nest, End::Greatest)?))
        })
    }

    pub(super) fn fixed(&mut self, v: Value) -> Poly {
        Poly::atom(self.table.add(v, false))
    }

    /// A division. By a positive constant it keeps the order of its operands.
    pub(super) fn quotient(
        &mut self,
        rounding: Rounding,
        a: &Poly,
        b: &Poly,
        around: &mut Around,
        at: Op,
    ) -> Form {
        let Some(c) = b.as_constant().filter(|c| *c > 0) else {
            return self.quotient_by(rounding, (a, b), around, at);
        };
        if c == 1 {
            return Ok(a.clone());
        }
        let Some((low, high)) = self.ends(a, around) else {
            return Err(self.reason(at, "what is divided has no known range"));
        };
        let mut divide = |v: Value| {
            let mut b = Builder::new(self.ctx, self.at, self.loc);
            let index = b.ctx.index();
            let c = arith::constant_index(&mut b, c);
            match rounding {
                Rounding::Down => b.value::<arith::FloorDivSIOp>(&[v, c], index, &[]),
                Rounding::Up => b.value::<arith::CeilDivSIOp>(&[v, c], index, &[]),
                Rounding::ToZero => b.value::<arith::DivSIOp>(&[v, c], index, &[]),
            }
        };
        let (low, high) = (divide(low), divide(high));
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, Some(a)))
    }

    /// A remainder by a positive constant: below it; from 0 on, or, where C's sign is
    /// kept, from above its negative. Where all numbers have the same quotient it is as far
    /// from them as the product.
    pub(super) fn remainder(
        &mut self,
        a: &Poly,
        b: &Poly,
        natural: bool,
        around: &mut Around,
        at: Op,
    ) -> Form {
        let Some(c) = b.as_constant().filter(|c| *c > 0) else {
            return self.remainder_by((a, b), natural, around, at);
        };
        let low = if natural { 0 } else { 1 - c };
        let (low, high) = (Poly::constant(low), Poly::constant(c - 1));
        let Some(ends) = self.ends(a, around) else {
            return Ok(self.between(around, low, high, None));
        };
        let (low, high) = self.remainders(ends, c, natural);
        let (low, high) = (self.known(low), self.known(high));
        Ok(self.between(around, low, high, Some(a)))
    }

    /// A quotient by what is no constant. It is not further from zero than what is divided; where the divisor is
    /// positive it lies between the quotients by its ends.
    fn quotient_by(
        &mut self,
        rounding: Rounding,
        (a, by): (&Poly, &Poly),
        around: &mut Around,
        at: Op,
    ) -> Form {
        let (Some(x), Some(y)) = (self.ends(a, around), self.ends(by, around)) else {
            return Err(self.reason(at, "what is divided has no known range"));
        };
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let index = b.ctx.index();
        let (zero, one) = (
            arith::constant_index(&mut b, 0),
            arith::constant_index(&mut b, 1),
        );
        let positive = CmpIOp::build(&mut b, CmpIPredicate::Sge, y.0, one);
        // Divisors that can stand here whatever the arguments are.
        let divisors = [y.0, y.1].map(|v| b.value::<arith::MaxSIOp>(&[v, one], index, &[]));
        let mut quotient = |v, d| match rounding {
            Rounding::Down => b.value::<arith::FloorDivSIOp>(&[v, d], index, &[]),
            Rounding::Up => b.value::<arith::CeilDivSIOp>(&[v, d], index, &[]),
            Rounding::ToZero => b.value::<arith::DivSIOp>(&[v, d], index, &[]),
        };
        let lows = divisors.map(|d| quotient(x.0, d));
        let highs = divisors.map(|d| quotient(x.1, d));
        let low = b.value::<arith::MinSIOp>(&lows, index, &[]);
        let high = b.value::<arith::MaxSIOp>(&highs, index, &[]);
        let below = b.value::<arith::SubIOp>(&[zero, x.0], index, &[]);
        let most = b.value::<arith::MaxSIOp>(&[below, x.1], index, &[]);
        let most = b.value::<arith::MaxSIOp>(&[most, zero], index, &[]);
        let least = b.value::<arith::SubIOp>(&[zero, most], index, &[]);
        let low = b.value::<arith::SelectOp>(&[positive, low, least], index, &[]);
        let high = b.value::<arith::SelectOp>(&[positive, high, most], index, &[]);
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, None))
    }

    /// A remainder by what is no constant: nearer to zero than the divisor, and not further from it than what is divided.
    fn remainder_by(
        &mut self,
        (a, by): (&Poly, &Poly),
        natural: bool,
        around: &mut Around,
        at: Op,
    ) -> Form {
        let Some(y) = self.ends(by, around) else {
            return Err(self.reason(at, "it is a remainder by what has no known range"));
        };
        let x = self.ends(a, around);
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let index = b.ctx.index();
        let (zero, one) = (
            arith::constant_index(&mut b, 0),
            arith::constant_index(&mut b, 1),
        );
        let below = b.value::<arith::SubIOp>(&[zero, y.0], index, &[]);
        let most = b.value::<arith::MaxSIOp>(&[below, y.1], index, &[]);
        let most = b.value::<arith::MaxSIOp>(&[most, one], index, &[]);
        let most = b.value::<arith::SubIOp>(&[most, one], index, &[]);
        let least = match natural {
            true => zero,
            false => b.value::<arith::SubIOp>(&[zero, most], index, &[]),
        };
        let (mut low, mut high) = (least, most);
        if let (Some(x), false) = (x, natural) {
            let l = b.value::<arith::MaxSIOp>(&[least, x.0], index, &[]);
            low = b.value::<arith::MinSIOp>(&[zero, l], index, &[]);
            let h = b.value::<arith::MinSIOp>(&[most, x.1], index, &[]);
            high = b.value::<arith::MaxSIOp>(&[zero, h], index, &[]);
        }
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, None))
    }

    /// The least and the greatest remainder by `c` of the numbers from `low` to `high`.
    pub(super) fn remainders(
        &mut self,
        (low, high): (Value, Value),
        c: i64,
        natural: bool,
    ) -> (Value, Value) {
        // What is known already needs no question.
        let constant = self
            .ctx
            .constant_int(low)
            .filter(|low| *low >= 0 && low % c == 0);
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let (index, bit) = (b.ctx.index(), b.ctx.int(1));
        let zero = arith::constant_index(&mut b, 0);
        let divisor = arith::constant_index(&mut b, c);
        let quotient = |b: &mut Builder, v| match natural {
            true => b.value::<arith::FloorDivSIOp>(&[v, divisor], index, &[]),
            false => b.value::<arith::DivSIOp>(&[v, divisor], index, &[]),
        };
        let (first, last) = (quotient(&mut b, low), quotient(&mut b, high));
        let product = b.value::<arith::MulIOp>(&[first, divisor], index, &[]);
        let from = b.value::<arith::SubIOp>(&[low, product], index, &[]);
        let to = b.value::<arith::SubIOp>(&[high, product], index, &[]);
        let most = arith::constant_index(&mut b, c - 1);
        let (mut least, mut greatest) = (zero, most);
        if !natural {
            // Of the numbers below 0 it is not above 0, and no further from it than they.
            let bottom = arith::constant_index(&mut b, 1 - c);
            let below = b.value::<arith::MaxSIOp>(&[bottom, low], index, &[]);
            least = b.value::<arith::MinSIOp>(&[below, zero], index, &[]);
            let above = b.value::<arith::MinSIOp>(&[most, high], index, &[]);
            greatest = b.value::<arith::MaxSIOp>(&[above, zero], index, &[]);
        }
        let same = CmpIOp::build(&mut b, CmpIPredicate::Eq, first, last);
        // A range that is empty may have its ends in any order.
        let ordered = CmpIOp::build(&mut b, CmpIPredicate::Sle, low, high);
        let same = b.value::<arith::AndIOp>(&[same, ordered], bit, &[]);
        let from = match constant {
            Some(_) => zero,
            None => b.value::<arith::SelectOp>(&[same, from, least], index, &[]),
        };
        let to = b.value::<arith::SelectOp>(&[same, to, greatest], index, &[]);
        (from, to)
    }

    /// The bits of what a conversion takes.
    pub(super) fn width(&self, op: Op) -> u32 {
        let from = op.operand(self.ctx, 0).ty(self.ctx);
        from.int_width(self.ctx).unwrap_or(u32::MAX)
    }

    /// A constant that is not negative among the two operands, and which the other one is.
    pub(super) fn mask(&self, op: Op) -> Option<(i64, usize)> {
        (0..2).find_map(|i| {
            let c = self.ctx.constant_int(op.operand(self.ctx, i))?;
            (c >= 0).then_some((c, 1 - i))
        })
    }

    /// `v & mask`: from 0 to the mask, whatever `v` is, and a remainder where the bits of
    /// the mask are the lowest ones.
    pub(super) fn masked(
        &mut self,
        mask: i64,
        v: Value,
        around: &mut Around,
        at: Op,
        depth: u32,
    ) -> Form {
        let all = mask.checked_add(1).filter(|n| n & mask == 0);
        let before = around.nest.len();
        match (all, self.value(v, around, at, depth - 1)) {
            (Some(n), Ok(p)) => self.remainder(&p, &Poly::constant(n), true, around, at),
            _ => {
                around.nest.truncate(before);
                around.counters.truncate(before);
                around.sources.truncate(before);
                Ok(self.between(around, Poly::default(), Poly::constant(mask), None))
            }
        }
    }

    /// The smaller or the larger of two values.
    pub(super) fn either(
        &mut self,
        which: Which,
        a: &Poly,
        b: &Poly,
        around: &mut Around,
        at: Op,
    ) -> Form {
        let (Some(x), Some(y)) = (self.ends(a, around), self.ends(b, around)) else {
            return Err(self.reason(at, "what is compared has no known range"));
        };
        let (low_end, high_end) = match which {
            Which::Smaller => (End::Least, End::Least),
            Which::Larger => (End::Greatest, End::Greatest),
        };
        let (low, high) =
            self.ranges(|r| (r.further(x.0, y.0, low_end), r.further(x.1, y.1, high_end)));
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, Some(a)))
    }
}
