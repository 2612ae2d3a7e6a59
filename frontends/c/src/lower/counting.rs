//! Loop ops that count: `affine.for` where the bounds are affine, else `scf.for`.

use terrace_dialects::arith;
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Block, Op, OpKind, Value};

use super::Lowerer;
use super::form::{Form, Operands};

impl Lowerer<'_> {
    /// The loop op, with an empty body: its block and its variable.
    pub fn counting_op(
        &mut self,
        starts: &[Form],
        ends: &[Form],
        step: i64,
        inits: &[Value],
    ) -> (Op, Block, Value) {
        if let (Some((lo, lo_operands)), Some((hi, hi_operands))) =
            (self.bound(starts), self.bound(ends))
        {
            let f = affine::ForOp::build_open(
                &mut self.b(),
                (lo, &lo_operands),
                (hi, &hi_operands),
                step,
                inits,
            );
            return (f.op(), f.body(self.ctx), f.iv(self.ctx));
        }
        let lo = self.extreme(starts, true);
        let hi = self.extreme(ends, false);
        let step = self.index_constant(step);
        let (f, block) = scf::ForOp::build(&mut self.b(), lo, hi, step, inits);
        (f.op(), block, block.arg(self.ctx, 0))
    }

    /// Bounds as a map, where all are affine.
    fn bound(&mut self, forms: &[Form]) -> Option<(AffineMap, Vec<Value>)> {
        let mut operands = Operands::default();
        let mut exprs: Vec<AffineExpr> = Vec::new();
        for f in forms {
            let e = self.affine(f, &mut operands)?;
            if !e.within_limits() {
                return None;
            }
            if !exprs.contains(&e) {
                exprs.push(e);
            }
        }
        Some((operands.map(exprs), operands.all()))
    }

    /// The greatest or least of some forms, as a value.
    pub(super) fn extreme(&mut self, forms: &[Form], max: bool) -> Value {
        let f = self.extreme_form(forms, max);
        self.index(&f)
    }

    pub fn extreme_form(&mut self, forms: &[Form], max: bool) -> Form {
        let mut best = forms.first().cloned().unwrap_or_else(|| Form::constant(0));
        for f in forms.iter().skip(1) {
            let (a, b) = (self.index(&best), self.index(f));
            let v = self.binary(
                if max {
                    arith::MaxSIOp::NAME
                } else {
                    arith::MinSIOp::NAME
                },
                a,
                b,
            );
            best = Form::leaf(v, true, best.nonneg && f.nonneg, true);
        }
        best
    }
}
