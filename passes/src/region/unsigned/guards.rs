//! What conditions around a place say of numbers.

use terrace_dialects::arith::{AndIOp, CmpIOp, CmpIPredicate, OrIOp};
use terrace_dialects::{affine, scf};
use terrace_ir::{Context, Op, OpKind, Value};

use super::numbers::{MAX_DEPTH, Numbers, Poly, Reading};

/// What holds where conditions are fulfilled.
#[derive(Default)]
pub(super) struct Guards {
    /// None of them is negative.
    pub hold: Vec<Poly>,
    /// What they are read from.
    pub of: Reading,
}

impl Guards {
    /// The bound of an atom that one of them gives.
    pub(super) fn bound(&self, atom: usize, greatest: bool) -> Option<Poly> {
        let wanted = if greatest { -1 } else { 1 };
        self.hold.iter().find_map(|g| {
            let (times, rest) = g.split(atom)?;
            // What is left has earlier atoms alone, so that bounds come to an end.
            let inner = rest.terms.keys().flatten().any(|a| *a > atom);
            let fits = times.as_constant() == Some(wanted) && !inner;
            fits.then(|| Poly::default().plus(-wanted, &rest))?
        })
    }
}

impl Numbers<'_> {
    /// The conditions around an op, those that are understood.
    pub(super) fn guards(&mut self, op: Op) -> Guards {
        let mut found = Guards::default();
        let mut inner = op;
        while let Some(outer) = inner.parent(self.ctx) {
            let block = inner.block(self.ctx);
            if let Some(c) = outer.cast::<scf::IfOp>(self.ctx) {
                let holds = block == Some(c.then_block(self.ctx));
                self.guard(outer.operand(self.ctx, 0), holds, &mut found);
            } else if let Some(c) = outer.cast::<affine::IfOp>(self.ctx) {
                let holds = block == Some(c.then_block(self.ctx));
                self.set(c, holds, &mut found);
            }
            inner = outer;
        }
        found
    }

    fn guard(&mut self, v: Value, holds: bool, found: &mut Guards) {
        let Some(op) = v.def_op() else { return };
        let both = match op.name(self.ctx) {
            AndIOp::NAME => holds,
            OrIOp::NAME => !holds,
            _ => false,
        };
        if both {
            for v in op.operands(self.ctx) {
                self.guard(v, holds, found);
            }
            return;
        }
        let Some(c) = op.cast::<CmpIOp>(self.ctx) else {
            return;
        };
        let Some((a, b, of)) = self.compared(c) else {
            return;
        };
        let Some(predicate) = c.predicate(self.ctx).map(|p| signed(p, !holds)) else {
            return;
        };
        let (less, greater) = (b.plus(-1, &a), a.plus(-1, &b));
        let above = |p: Option<Poly>| p?.plus(-1, &Poly::constant(1));
        let hold = match predicate {
            CmpIPredicate::Eq => vec![less, greater],
            // What is not negative and not 0 is at least 1.
            CmpIPredicate::Ne => {
                let of = [less, greater].into_iter().flatten();
                let natural = of.filter(|p| self.is_natural(p));
                natural.map(|p| above(Some(p))).collect()
            }
            CmpIPredicate::Slt => vec![above(less)],
            CmpIPredicate::Sle => vec![less],
            CmpIPredicate::Sgt => vec![above(greater)],
            _ => vec![greater],
        };
        found.hold.extend(hold.into_iter().flatten());
        found.of.add(&of);
    }

    /// The two numbers that are compared, where they are what they seem.
    pub(super) fn compared(&mut self, c: CmpIOp) -> Option<(Poly, Poly, Reading)> {
        let (ctx, op) = (self.ctx, c.op());
        let mut of = Reading::default();
        let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
        if x.ty(ctx).is_index(ctx) {
            let a = self.index(x, &mut of, MAX_DEPTH)?;
            let b = self.index(y, &mut of, MAX_DEPTH)?;
            return (!is_unsigned(c.predicate(ctx)?)).then_some((a, b, of));
        }
        if x.ty(ctx).int_width(ctx) != Some(32) {
            return None;
        }
        let a = self.number(x, &mut of, MAX_DEPTH)?;
        let b = self.number(y, &mut of, MAX_DEPTH)?;
        self.fits(&a, &mut of)?;
        self.fits(&b, &mut of)?;
        Some((a, b, of))
    }

    fn set(&mut self, c: affine::IfOp, holds: bool, found: &mut Guards) {
        let (set, operands) = (c.set(self.ctx).clone(), c.operands(self.ctx));
        let dims = set.num_dims();
        let one = set.constraints().len() == 1;
        for part in set.constraints() {
            let mut of = Reading::default();
            let Some(p) = self.expr(&part.expr, dims, &operands, &mut of, MAX_DEPTH) else {
                continue;
            };
            let negative = Poly::default().plus(-1, &p);
            let hold = match (holds, part.is_eq) {
                (true, true) => [Some(p), negative],
                (true, false) => [Some(p), None],
                (false, false) if one => {
                    [negative.and_then(|n| n.plus(-1, &Poly::constant(1))), None]
                }
                _ => continue,
            };
            found.hold.extend(hold.into_iter().flatten());
            found.of.add(&of);
        }
    }
}

/// Whether numbers are compared as unsigned ones.
pub(super) fn is_unsigned(p: CmpIPredicate) -> bool {
    use CmpIPredicate::{Uge, Ugt, Ule, Ult};
    matches!(p, Ult | Ule | Ugt | Uge)
}

/// The predicate on signed numbers, or its opposite.
pub(super) fn signed(p: CmpIPredicate, opposite: bool) -> CmpIPredicate {
    use CmpIPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match (p, opposite) {
        (Eq, false) | (Ne, true) => Eq,
        (Ne, false) | (Eq, true) => Ne,
        (Slt | Ult, false) | (Sge | Uge, true) => Slt,
        (Sle | Ule, false) | (Sgt | Ugt, true) => Sle,
        (Sgt | Ugt, false) | (Sle | Ule, true) => Sgt,
        (Sge | Uge, false) | (Slt | Ult, true) => Sge,
    }
}

/// Comparisons of 32 bits as unsigned numbers.
pub(super) fn comparison(ctx: &Context, op: Op) -> Option<CmpIOp> {
    let c = op.cast::<CmpIOp>(ctx)?;
    let narrow = op.operand(ctx, 0).ty(ctx).int_width(ctx) == Some(32);
    (narrow && is_unsigned(c.predicate(ctx)?)).then_some(c)
}
