//! What conditions, and inner loops, say of the counters around a place.

use terrace_dialects::affine::IfOp;
use terrace_dialects::arith::{AndIOp, CmpIOp, CmpIPredicate, OrIOp};
use terrace_dialects::scf;
use terrace_ir::{Op, OpKind, Value};

use super::{Around, Forms, MAX_DEPTH};
use crate::analysis::poly::{Atom, Poly};

/// The most bounds of a variable that bound those before it.
const MAX_BOUNDS: usize = 4;

impl Forms<'_> {
    /// What an `affine.if` says about the counters where it holds.
    pub(super) fn affine_condition(&mut self, around: &mut Around, op: IfOp, inner: Op) {
        let ctx = &*self.ctx;
        let holds = inner.block(ctx) == Some(op.then_block(ctx));
        let set = op.set(ctx).clone();
        let operands = op.operands(ctx);
        if !holds && set.constraints().len() != 1 {
            return;
        }
        let mut inputs = Vec::new();
        for v in operands {
            let Ok(p) = self.value(v, around, op.op(), MAX_DEPTH) else {
                return;
            };
            inputs.push(p);
        }
        let dims = set.num_dims() as usize;
        for c in set.constraints() {
            let Ok(p) = self.expr(&c.expr, &inputs, dims, around, op.op(), MAX_DEPTH) else {
                continue;
            };
            match (holds, c.is_eq) {
                (true, true) => {
                    self.demand(around, &p);
                    self.demand(around, &Poly::default().plus(-1, &p).unwrap_or_default());
                }
                (true, false) => self.demand(around, &p),
                // p < 0
                (false, false) => self.demand(around, &negated(&p)),
                (false, true) => {}
            }
        }
    }

    /// What an `scf.if` on a comparison says about the counters.
    pub(super) fn condition(&mut self, around: &mut Around, op: scf::IfOp, inner: Op) {
        let holds = inner.block(self.ctx) == Some(op.then_block(self.ctx));
        self.comparison(around, op.condition(self.ctx), holds, op.op(), 8);
    }

    fn comparison(&mut self, around: &mut Around, v: Value, holds: bool, at: Op, depth: u32) {
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            return;
        };
        // Both of two conditions hold, or neither.
        let joined = op.isa::<AndIOp>(self.ctx) && holds || op.isa::<OrIOp>(self.ctx) && !holds;
        if joined {
            for o in op.operands(self.ctx) {
                self.comparison(around, o, holds, at, depth - 1);
            }
            return;
        }
        let Some(cmp) = op.cast::<CmpIOp>(self.ctx) else {
            return;
        };
        let Some(predicate) = cmp.predicate(self.ctx) else {
            return;
        };
        use CmpIPredicate as P;
        let a = self.value(op.operand(self.ctx, 0), around, at, MAX_DEPTH);
        let b = self.value(op.operand(self.ctx, 1), around, at, MAX_DEPTH);
        let (Ok(a), Ok(b)) = (a, b) else { return };
        // a - b and b - a, with how much each is at least.
        let (Some(ab), Some(ba)) = (a.plus(-1, &b), b.plus(-1, &a)) else {
            return;
        };
        let above = |p: &Poly| p.plus(-1, &Poly::constant(1)).unwrap_or_default();
        match (predicate, holds) {
            (P::Sge, true) | (P::Slt, false) => self.demand(around, &ab),
            (P::Sgt, true) | (P::Sle, false) => self.demand(around, &above(&ab)),
            (P::Sle, true) | (P::Sgt, false) => self.demand(around, &ba),
            (P::Slt, true) | (P::Sge, false) => self.demand(around, &above(&ba)),
            (P::Eq, true) | (P::Ne, false) => {
                self.demand(around, &ab);
                self.demand(around, &ba);
            }
            _ => {}
        }
    }

    /// Takes that `p` is not negative for a bound of the innermost counter in it, where
    /// that has the coefficient 1 or -1.
    fn demand(&mut self, around: &mut Around, p: &Poly) {
        let innermost = p.terms.keys().flatten().filter_map(|a| match a {
            Atom::Variable(i) => Some(*i),
            Atom::Fixed(_) => None,
        });
        let Some(i) = innermost.max() else { return };
        let Some((coefficient, rest)) = p.split(Atom::Variable(i)) else {
            return;
        };
        let Some(variable) = around.nest.get_mut(i) else {
            return;
        };
        match coefficient.as_constant() {
            // i >= -rest
            Some(1) => variable.lower.extend(Poly::default().plus(-1, &rest)),
            // i <= rest
            Some(-1) => variable.upper.push(rest),
            _ => {}
        }
    }

    /// Takes that every variable has some value for bounds of those before it: where an
    /// inner loop has no iterations, nothing happens.
    pub(crate) fn tighten(&mut self, around: &mut Around) {
        for i in (0..around.nest.len()).rev() {
            let v = around.nest[i].clone();
            for upper in v.upper.iter().take(MAX_BOUNDS) {
                for lower in v.lower.iter().take(MAX_BOUNDS) {
                    if let Some(room) = upper.plus(-1, lower) {
                        self.demand(around, &room);
                    }
                }
            }
        }
    }
}

/// `-p - 1`.
fn negated(p: &Poly) -> Poly {
    Poly::constant(-1).plus(-1, p).unwrap_or_default()
}
