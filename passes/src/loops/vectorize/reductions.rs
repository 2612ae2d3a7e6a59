//! The sums and extrema that a vectorised loop carries.

use super::emit::Emit;
use crate::analysis::reduction::Reduction;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AtomicRmwKind as K};
use terrace_dialects::vector::{ExtractOp, ReductionOp};
use terrace_ir::builder::OpState;
use terrace_ir::{Builder, Op, Value};

impl Emit<'_> {
    /// The reduction that `op` adds to, where lanes contribute to it one after the other.
    pub(super) fn ordered_by(&self, op: Op) -> Option<Reduction> {
        let all = self.checked.reductions.iter().enumerate();
        let mut ordered = all.filter(|(i, _)| self.is_in_order(*i)).map(|(_, r)| *r);
        ordered.find(|r| r.combiner == op)
    }

    /// Whether lanes contribute to carried value `i` of the root one after the other.
    pub(super) fn is_in_order(&self, i: usize) -> bool {
        self.checked.in_order.get(i) == Some(&true)
    }

    /// The contributions of all lanes to a reduction, in their order.
    pub(super) fn in_order(&mut self, b: &mut Builder, r: &Reduction) {
        let op = r.combiner;
        let contributions = self.widened(b, r.contribution);
        let at = usize::from(op.operand(b.ctx, 0) != r.contribution);
        let mut so_far = self.scalars.value(op.operand(b.ctx, 1 - at));
        for lane in 0..self.strategy.sizes[0] {
            b.loc = op.loc(b.ctx);
            let x = ExtractOp::build(b, contributions, &[lane]);
            let mut s = OpState::like(b.ctx, op);
            s.operands = match at {
                0 => vec![x, so_far],
                _ => vec![so_far, x],
            };
            s.result_types = op.result_types(b.ctx);
            so_far = b.create(s).result(b.ctx, 0);
        }
        self.scalars.map(op.result(b.ctx, 0), so_far);
    }

    /// What the reductions of a vectorised loop start from.
    pub(super) fn neutral_vectors(&mut self, b: &mut Builder, l: ForOp) -> Vec<Value> {
        let mut all = Vec::new();
        let reductions = self.checked.reductions.iter().zip(l.inits(b.ctx));
        for (i, (r, init)) in reductions.enumerate() {
            if self.is_in_order(i) {
                all.push(self.scalars.value(init));
                continue;
            }
            let ty = self.vector_of(b.ctx, init.ty(b.ctx));
            if let Some(a) = r.kind.identity(b.ctx, ty) {
                all.push(arith::constant(b, a));
            }
        }
        self.neutral = all.clone();
        all
    }

    /// The lanes of a reduction combined, with what it started from.
    pub(super) fn reduced(&mut self, b: &mut Builder, l: ForOp, i: usize, vector: Value) -> Value {
        let r: &Reduction = &self.checked.reductions[i];
        let init = l.inits(b.ctx)[i];
        let ty = init.ty(b.ctx);
        let whole = ReductionOp::build(b, keyword(r.kind), vector, None);
        let value = init.def_op().and_then(|op| op.attr(b.ctx, "value"));
        if value.is_some() && value == r.kind.identity(b.ctx, ty) {
            return whole;
        }
        let init = self.scalars.value(init);
        r.kind.combine(b, whole, init, ty)
    }
}

/// The keyword of `vector.reduction` for a kind.
fn keyword(kind: K) -> &'static str {
    match kind {
        K::AddF | K::AddI => "add",
        K::MulF | K::MulI => "mul",
        K::MaximumF => "maximumf",
        K::MinimumF => "minimumf",
        K::MaxNumF => "maxnumf",
        K::MinNumF => "minnumf",
        K::MaxS => "maxsi",
        K::MaxU => "maxui",
        K::MinS => "minsi",
        K::MinU => "minui",
        K::AndI => "and",
        K::OrI => "or",
        K::XOrI => "xor",
        // Never recognised as a reduction.
        K::Assign => "add",
    }
}
