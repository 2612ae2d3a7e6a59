//! What powers of two divide indices, and with them addresses: accesses of
//! several elements at once need aligned ones.

use super::lower::Lower;
use super::value::{Idx, MemRef};
use terrace_dialects::scf;
use terrace_dialects::{arith, index};
use terrace_ir::{Op, Value};

/// Larger powers of two help no access.
const MAX: u64 = 1 << 12;

/// Definitions followed from a value, one behind the other.
const DEPTH: usize = 12;

/// The largest power of two, up to [`MAX`], that divides a number.
fn power(n: i64) -> u64 {
    match n {
        0 => MAX,
        n => (1u64 << n.trailing_zeros()).min(MAX),
    }
}

fn product(a: u64, b: u64) -> u64 {
    a.saturating_mul(b).min(MAX)
}

impl Lower<'_> {
    /// A power of two that divides an index.
    pub fn divisor(&self, i: Idx) -> u64 {
        match i {
            Idx::Const(c) => power(c),
            Idx::Reg(r) => self.divisors.get(&r).copied().unwrap_or(1),
        }
    }

    /// Remembers what divides the register of an index.
    pub fn note_divisor(&mut self, i: Idx, divisor: u64) {
        if let Idx::Reg(r) = i
            && divisor > 1
        {
            self.divisors.insert(r, divisor);
        }
    }

    /// A power of two that divides a sum of products of indices and strides,
    /// in bytes.
    pub fn bytes_divisor(&self, m: &MemRef, at: &[Idx]) -> u64 {
        let size = power(m.elem_bytes());
        at.iter()
            .zip(&m.strides)
            .map(|(i, s)| product(product(self.divisor(*i), self.divisor(*s)), size))
            .fold(MAX, u64::min)
    }

    /// The alignment of an element's address, in bytes.
    pub fn alignment(&self, m: &MemRef, at: &[Idx]) -> u64 {
        m.align.min(self.bytes_divisor(m, at)).max(m.natural())
    }

    /// The alignment that an access promises by its attribute.
    pub fn promised(&self, op: Op) -> u64 {
        let given = op.int_attr(self.ctx, "alignment");
        given.filter(|a| *a > 0).map_or(1, power)
    }

    /// A power of two that divides a value, from how it is computed.
    pub fn divisor_of(&self, v: Value) -> u64 {
        self.divides(v, DEPTH)
    }

    fn divides(&self, v: Value, depth: usize) -> u64 {
        let ctx = self.ctx;
        let Some(depth) = depth.checked_sub(1) else {
            return 1;
        };
        let Some(op) = v.def_op() else {
            return self.divides_induction(v, depth);
        };
        let of = |i: usize| self.divides(op.operand(ctx, i), depth);
        // One divides all: what is left need not be looked at, of which there is twice
        // as much at each step down.
        let least = |i: usize, j: usize| match of(i) {
            1 => 1,
            power => power.min(of(j)),
        };
        let constant = |i: usize| {
            let by = op.operand(ctx, i).def_op()?;
            by.attr(ctx, "value")?.as_i64(ctx)
        };
        match op.name(ctx) {
            arith::ConstantOp::NAME | index::ConstantOp::NAME => {
                let value = op.attr(ctx, "value").and_then(|a| a.as_i64(ctx));
                value.map_or(1, power)
            }
            arith::MulIOp::NAME | "index.mul" => product(of(0), of(1)),
            arith::AddIOp::NAME | arith::SubIOp::NAME | "index.add" | "index.sub" => least(0, 1),
            arith::MinSIOp::NAME
            | arith::MaxSIOp::NAME
            | arith::MinUIOp::NAME
            | arith::MaxUIOp::NAME
            | arith::OrIOp::NAME
            | arith::XOrIOp::NAME => least(0, 1),
            arith::AndIOp::NAME => of(0).max(of(1)),
            arith::SelectOp::NAME => least(1, 2),
            arith::ShLIOp::NAME => match constant(1) {
                Some(k @ 0..=12) => product(of(0), 1 << k),
                _ => 1,
            },
            // A multiple of c d divided by c is one of d.
            arith::DivUIOp::NAME
            | arith::DivSIOp::NAME
            | arith::FloorDivSIOp::NAME
            | arith::CeilDivSIOp::NAME => match constant(1) {
                Some(c) if c > 0 && c.count_ones() == 1 => (of(0) / power(c)).max(1),
                _ => 1,
            },
            arith::RemUIOp::NAME | arith::RemSIOp::NAME => least(0, 1),
            arith::IndexCastOp::NAME
            | arith::IndexCastUIOp::NAME
            | arith::ExtSIOp::NAME
            | arith::ExtUIOp::NAME
            | arith::TruncIOp::NAME
            | "index.casts"
            | "index.castu" => of(0),
            _ => 1,
        }
    }

    /// An induction variable starts at its bound and goes on by its step.
    fn divides_induction(&self, v: Value, depth: usize) -> u64 {
        let looping = v
            .arg_block()
            .and_then(|b| b.parent_op(self.ctx))
            .and_then(|o| o.cast::<scf::ForOp>(self.ctx));
        match looping {
            Some(l) if v.index(self.ctx) == 0 => {
                match self.divides(l.lower_bound(self.ctx), depth) {
                    1 => 1,
                    lower => lower.min(self.divides(l.step(self.ctx), depth)),
                }
            }
            _ => 1,
        }
    }
}
