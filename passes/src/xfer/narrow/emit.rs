//! Copies of boxes in place of copies of whole arrays.

use super::region::{Region, Side};
use crate::analysis::linear::Linear;
use crate::xfer::arrays::Array;
use terrace_dialects::arith::{self, AddIOp, MaxSIOp, MinSIOp, MulIOp, SubIOp};
use terrace_dialects::memref::{DimOp, SubViewOp, layout};
use terrace_dialects::offsets::{Mixed, Slice};
use terrace_dialects::xfer::CopyOp;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// A copy that was made, and the ends of the one that it is in place of.
pub struct Undo {
    copy: Op,
    src: Value,
    dst: Value,
    /// What was made for it, in order.
    made: Vec<Op>,
}

/// A number that is known, or will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Known(i64),
    Value(Value),
}

/// Makes numbers in front of an op.
pub struct Maker<'a> {
    pub ctx: &'a mut Context,
    pub before: Op,
    pub made: Vec<Op>,
}

/// Puts copies of boxes in the places of copies.
pub fn narrow(ctx: &mut Context, array: &Array, boxes: Vec<(Op, Region)>) -> Vec<Undo> {
    let mut undo = Vec::new();
    for (op, region) in boxes {
        let Region::Box(sides) = region else { continue };
        let copy = CopyOp::wrap(op);
        let (src, dst) = (copy.src(ctx), copy.dst(ctx));
        let mut m = Maker {
            ctx,
            before: op,
            made: Vec::new(),
        };
        let slice = m.slice(array.host, &sides);
        let from = m.view(src, &slice);
        let to = m.view(dst, &slice);
        if let (Some(from), Some(to)) = (from, to) {
            let made = m.made;
            let new = CopyOp::build(&mut Builder::before(ctx, op), from, to);
            op.erase(ctx);
            undo.push(Undo {
                copy: new,
                src,
                dst,
                made,
            });
        }
    }
    undo
}

/// Puts copies of the whole back.
pub fn undo(ctx: &mut Context, all: Vec<Undo>) {
    for u in all {
        CopyOp::build(&mut Builder::before(ctx, u.copy), u.src, u.dst);
        u.copy.erase(ctx);
        for op in u.made.into_iter().rev() {
            if op.results(ctx).iter().all(|r| r.users(ctx).is_empty()) {
                op.erase(ctx);
            }
        }
    }
}

impl Maker<'_> {
    pub fn value<K: OpKind>(&mut self, operands: &[Value]) -> Value {
        let ty = self.ctx.index();
        let v = Builder::before(self.ctx, self.before).value::<K>(operands, ty, &[]);
        self.made.extend(v.def_op());
        v
    }

    pub fn as_value(&mut self, n: Number) -> Value {
        match n {
            Number::Value(v) => v,
            Number::Known(n) => {
                let v = arith::constant_index(&mut Builder::before(self.ctx, self.before), n);
                self.made.extend(v.def_op());
                v
            }
        }
    }

    pub fn two<K: OpKind>(&mut self, a: Number, b: Number) -> Number {
        let operands = [self.as_value(a), self.as_value(b)];
        Number::Value(self.value::<K>(&operands))
    }

    fn least(&mut self, a: Number, b: Number) -> Number {
        match (a, b) {
            (Number::Known(a), Number::Known(b)) => Number::Known(a.min(b)),
            (a, b) if a == b => a,
            (a, b) => self.two::<MinSIOp>(a, b),
        }
    }

    fn greatest(&mut self, a: Number, b: Number) -> Number {
        match (a, b) {
            (Number::Known(a), Number::Known(b)) => Number::Known(a.max(b)),
            (a, b) if a == b => a,
            (a, b) => self.two::<MaxSIOp>(a, b),
        }
    }

    pub fn linear(&mut self, l: &Linear) -> Number {
        let mut sum: Option<Number> = None;
        for (v, factor) in &l.terms {
            let term = match factor {
                1 => Number::Value(*v),
                f => self.two::<MulIOp>(Number::Value(*v), Number::Known(*f)),
            };
            sum = Some(match sum {
                None => term,
                Some(s) => self.two::<AddIOp>(s, term),
            });
        }
        match (sum, l.constant) {
            (None, n) => Number::Known(n),
            (Some(s), 0) => s,
            (Some(s), n) => self.two::<AddIOp>(s, Number::Known(n)),
        }
    }

    fn bound(&mut self, list: &[Linear], least: bool) -> Number {
        let mut all: Option<Number> = None;
        for l in list {
            let n = self.linear(l);
            all = Some(match all {
                None => n,
                Some(a) if least => self.least(a, n),
                Some(a) => self.greatest(a, n),
            });
        }
        all.unwrap_or(Number::Known(0))
    }

    /// Offsets and sizes, cut to the array.
    fn slice(&mut self, array: Value, sides: &[Side]) -> Slice {
        let shape = array.ty(self.ctx).shape(self.ctx).unwrap_or(&[]).to_vec();
        let mut slice = Slice {
            offsets: Vec::new(),
            sizes: Vec::new(),
            strides: Vec::new(),
        };
        let mixed = |n: Number| match n {
            Number::Known(n) => Mixed::Static(n),
            Number::Value(v) => Mixed::Value(v),
        };
        for (d, (side, size)) in sides.iter().zip(&shape).enumerate() {
            let extent = match *size {
                DYNAMIC => {
                    let d = self.as_value(Number::Known(d as i64));
                    let mut b = Builder::before(self.ctx, self.before);
                    let v = DimOp::build(&mut b, array, d);
                    self.made.extend(v.def_op());
                    Number::Value(v)
                }
                n => Number::Known(n),
            };
            let low = self.bound(&side.low, true);
            let high = self.bound(&side.high, false);
            let low = self.greatest(low, Number::Known(0));
            let low = match low {
                Number::Known(0) => low,
                _ => self.least(low, extent),
            };
            let whole = side.high.iter().any(|h| h.as_constant() == Some(i64::MAX));
            let high = match whole {
                true => extent,
                false => {
                    let high = self.least(high, extent);
                    self.greatest(high, low)
                }
            };
            let count = match (high, low) {
                (Number::Known(h), Number::Known(l)) => Number::Known(h - l),
                (h, Number::Known(0)) => h,
                (h, l) => self.two::<SubIOp>(h, l),
            };
            slice.offsets.push(mixed(low));
            slice.sizes.push(mixed(count));
            slice.strides.push(Mixed::Static(1));
        }
        slice
    }

    pub fn view(&mut self, of: Value, slice: &Slice) -> Option<Value> {
        let ty = layout::subview_type(self.ctx, of.ty(self.ctx), slice)?;
        let v = SubViewOp::build(&mut Builder::before(self.ctx, self.before), of, slice, ty);
        self.made.extend(v.def_op());
        Some(v)
    }
}
