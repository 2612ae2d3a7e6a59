//! Conditions in a nest: what all elements see alike limits what is loaded and stored, and what
//! differs from element to element masks it. Both ways are computed for all elements.
//!
//! ```text
//! %c = arith.cmpf ogt, %x, %y               %c = arith.cmpf ogt, %x, %y : vector<64xf32>
//! %v = scf.if %c -> (f32) {                 %z = tile.load %B[%i, d0] mask %c pad %zero
//!   %z = affine.load %B[%i, %j]        =>   tile.store %z, %C[%i, d0] mask %c
//!   affine.store %z, %C[%i, %j]             %v = arith.select %c, %z, %x : vector<64xf32>
//!   scf.yield %z
//! } else { scf.yield %x }
//! ```

use super::find::statements;
use super::translate::{Held, Translate, union};
use terrace_dialects::affine::{self, AccessKind};
use terrace_dialects::{arith, scf};
use terrace_ir::{Builder, Context, Op, Value};

/// Under which conditions an op of an iteration runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Where {
    /// What all elements see alike.
    pub guard: Option<Value>,
    /// What differs from element to element.
    pub mask: Option<Held>,
}

impl Where {
    /// Whether it runs in any case.
    pub fn is_always(&self) -> bool {
        self.guard.is_none() && self.mask.is_none()
    }
}

impl Translate<'_> {
    /// A condition: its ways one after another, each for the elements that go it.
    pub(super) fn condition(&mut self, b: &mut Builder, op: Op) -> Option<()> {
        let holds = self.holds(b, op)?;
        let around = self.when.clone();
        let mut ways: Vec<Vec<Held>> = Vec::new();
        for (i, block) in op.blocks(b.ctx).into_iter().enumerate() {
            let own = match i {
                0 => holds.clone(),
                _ => self.fails(b, &holds)?,
            };
            self.when = self.narrowed(b, &around, &own)?;
            for o in statements(b.ctx, block) {
                self.op(b, o)?;
            }
            let end = block.last_op(b.ctx).map(|e| e.operands(b.ctx));
            let end = end.unwrap_or_default().into_iter();
            let held: Option<Vec<Held>> = end.map(|v| self.data(b, v)).collect();
            ways.push(held?);
        }
        self.when = around;
        for (i, result) in op.results(b.ctx).into_iter().enumerate() {
            let (x, y) = (ways.first()?.get(i)?.clone(), ways.get(1)?.get(i)?.clone());
            let chosen = self.select(b, &holds, &x, &y)?;
            self.values.insert(result, chosen);
        }
        Some(())
    }

    /// The condition of `op` for each element.
    fn holds(&mut self, b: &mut Builder, op: Op) -> Option<Held> {
        match op.cast::<affine::IfOp>(b.ctx) {
            Some(c) => {
                let (set, operands) = c.composed(b.ctx);
                self.set(b, &set, &operands)
            }
            None => self.data(b, op.operand(b.ctx, 0)),
        }
    }

    fn fails(&mut self, b: &mut Builder, holds: &Held) -> Option<Held> {
        let yes = Held::scalar(arith::constant_bool(b, true));
        self.combined::<arith::XOrIOp>(b, holds, &yes)
    }

    /// Where both `around` and `own` hold.
    fn narrowed(&mut self, b: &mut Builder, around: &Where, own: &Held) -> Option<Where> {
        let mut when = around.clone();
        if own.axes.is_empty() {
            when.guard = Some(match around.guard {
                Some(g) => arith_and(b, g, own.value),
                None => own.value,
            });
        } else {
            when.mask = Some(match &around.mask {
                Some(m) => self.combined::<arith::AndIOp>(b, m, own)?,
                None => own.clone(),
            });
        }
        Some(when)
    }

    /// `x` where the condition holds, else `y`.
    pub(super) fn select(
        &mut self,
        b: &mut Builder,
        holds: &Held,
        x: &Held,
        y: &Held,
    ) -> Option<Held> {
        let axes = union(&holds.axes, &union(&x.axes, &y.axes));
        let (x, y) = (self.spread(b, x, &axes)?, self.spread(b, y, &axes)?);
        let holds = match holds.axes.is_empty() {
            true => holds.value,
            false => self.spread(b, holds, &axes)?,
        };
        let value = arith::SelectOp::build(b, holds, x, y);
        Some(Held { value, axes })
    }
}

pub(super) fn arith_and(b: &mut Builder, x: Value, y: Value) -> Value {
    let ty = x.ty(b.ctx);
    b.value::<arith::AndIOp>(&[x, y], ty, &[])
}

/// Whether `op` is a condition.
pub(super) fn is_condition(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::IfOp>(ctx) || op.isa::<affine::IfOp>(ctx)
}

/// Whether `op`, or what is in it, stores.
pub(super) fn stores(ctx: &Context, op: Op) -> bool {
    let all = op.pre_order(ctx).into_iter();
    let mut all = all.filter_map(|o| affine::Access::of(ctx, o));
    all.any(|a| a.kind == AccessKind::Write)
}
