//! Loop variables, affine expressions over them and sets of them, as values for each element.

use super::subscripts::{Base, Counter};
use super::translate::{Held, Translate, union};
use crate::loops::build::index::constant;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::vector;
use terrace_ir::affine::{AffineExpr, AffineOp, IntegerSet};
use terrace_ir::{Builder, OpKind, Value};

impl Translate<'_> {
    /// A counter as a number for each element.
    pub(super) fn counter(&mut self, b: &mut Builder, c: Counter) -> Option<Held> {
        let (axis, base) = match c {
            Counter::Scalar(value) => return Some(Held::scalar(value)),
            Counter::Axis { axis, base } => (axis, base),
        };
        let (axes, index) = (vec![axis], b.ctx.index());
        let ty = b.ctx.vector(&[self.axes[axis].size], index);
        let steps = b.value::<vector::StepOp>(&[], ty, &[]);
        self.mark(b, steps, &axes);
        let value = match base {
            Base::Constant(0) => steps,
            _ => {
                let base = match base {
                    Base::Constant(n) => constant(b, n),
                    Base::Value(v) => v,
                };
                let base = self.spread(b, &Held::scalar(base), &axes)?;
                b.value::<arith::AddIOp>(&[base, steps], ty, &[])
            }
        };
        Some(Held { value, axes })
    }

    /// Two values combined element by element.
    pub(super) fn combined<T: OpKind>(
        &mut self,
        b: &mut Builder,
        x: &Held,
        y: &Held,
    ) -> Option<Held> {
        let axes = union(&x.axes, &y.axes);
        let (x, y) = (self.spread(b, x, &axes)?, self.spread(b, y, &axes)?);
        let ty = x.ty(b.ctx);
        let value = b.value::<T>(&[x, y], ty, &[]);
        Some(Held { value, axes })
    }

    /// A comparison of each element with a number.
    fn compared(&mut self, b: &mut Builder, p: CmpIPredicate, x: &Held, n: i64) -> Option<Held> {
        let n = Held::scalar(constant(b, n));
        let n = self.spread(b, &n, &x.axes)?;
        let value = CmpIOp::build(b, p, x.value, n);
        let axes = x.axes.clone();
        Some(Held { value, axes })
    }

    /// An affine expression over counters and numbers, dimensions first.
    pub(super) fn expr(
        &mut self,
        b: &mut Builder,
        e: &AffineExpr,
        dims: usize,
        operands: &[Value],
    ) -> Option<Held> {
        match e {
            AffineExpr::Constant(n) => Some(Held::scalar(constant(b, *n))),
            AffineExpr::Dim(i) => self.data(b, *operands.get(*i as usize)?),
            AffineExpr::Symbol(i) => self.data(b, *operands.get(dims + *i as usize)?),
            _ => {
                let (op, x, y) = e.as_binary()?;
                let by = y.as_constant();
                let (x, y) = (
                    self.expr(b, x, dims, operands)?,
                    self.expr(b, y, dims, operands)?,
                );
                match op {
                    AffineOp::Add => self.combined::<arith::AddIOp>(b, &x, &y),
                    AffineOp::Mul => self.combined::<arith::MulIOp>(b, &x, &y),
                    // By another number it may go wrong for elements that do not exist.
                    _ if by.is_none_or(|n| n <= 0) => None,
                    AffineOp::Mod => self.modulo(b, &x, &y),
                    AffineOp::FloorDiv => self.floor_div(b, &x, &y),
                    AffineOp::CeilDiv => {
                        let more = Held::scalar(constant(b, by? - 1));
                        let x = self.combined::<arith::AddIOp>(b, &x, &more)?;
                        self.floor_div(b, &x, &y)
                    }
                }
            }
        }
    }

    /// The remainder that is not negative.
    fn modulo(&mut self, b: &mut Builder, x: &Held, n: &Held) -> Option<Held> {
        let left = self.combined::<arith::RemSIOp>(b, x, n)?;
        let negative = self.compared(b, CmpIPredicate::Slt, &left, 0)?;
        let more = self.combined::<arith::AddIOp>(b, &left, n)?;
        let value = arith::SelectOp::build(b, negative.value, more.value, left.value);
        let axes = left.axes;
        Some(Held { value, axes })
    }

    fn floor_div(&mut self, b: &mut Builder, x: &Held, n: &Held) -> Option<Held> {
        let left = self.modulo(b, x, n)?;
        let even = self.combined::<arith::SubIOp>(b, x, &left)?;
        self.combined::<arith::DivSIOp>(b, &even, n)
    }

    /// Whether operands, dimensions first, are in a set.
    pub(super) fn set(
        &mut self,
        b: &mut Builder,
        set: &IntegerSet,
        operands: &[Value],
    ) -> Option<Held> {
        let mut all: Option<Held> = None;
        for c in set.constraints() {
            let x = self.expr(b, &c.expr, set.num_dims() as usize, operands)?;
            let p = match c.is_eq {
                true => CmpIPredicate::Eq,
                false => CmpIPredicate::Sge,
            };
            let own = self.compared(b, p, &x, 0)?;
            all = Some(match all {
                Some(all) => self.combined::<arith::AndIOp>(b, &all, &own)?,
                None => own,
            });
        }
        all.or_else(|| Some(Held::scalar(arith::constant_bool(b, true))))
    }
}
