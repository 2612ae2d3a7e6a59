//! Where an op stands: the iterations that run it, and index values in them.

use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_dialects::scf;
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Int, Space};

use super::Program;
use super::domain::Domain;
use super::linear::{Linear, System, add_system};
use super::params::Params;
use super::values::{Reason, View, linear, runs_regions_once};

/// The iterations that run an op, and values as functions of the loops around it.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) domain: Domain,
    /// One form for each value.
    values: Result<(System, Vec<Linear>), Reason>,
    params: Params,
}

impl Program {
    /// Where `op` stands, which may have come into the program after it was analysed,
    /// and what `values`, which it can use, are there. New parameters are added behind
    /// those that there are.
    pub(crate) fn point(&mut self, ctx: &Context, op: Op, values: &[Value]) -> Point {
        let domain = self.domain_of(ctx, op);
        let ivs = domain.ivs();
        let view = View {
            ctx,
            root: self.root,
            ivs: &ivs,
        };
        let params = &mut self.params;
        let mut system = System::default();
        let mut forms = Vec::with_capacity(values.len());
        let mut reason = None;
        for v in values {
            let form = view
                .index(params, &mut system, *v, op)
                .and_then(|p| linear(ctx, params, &p, op));
            match form {
                Ok(f) => forms.push(f),
                Err(r) => reason = reason.or(Some(r)),
            }
        }
        Point {
            domain,
            values: match reason {
                None => Ok((system, forms)),
                Some(r) => Err(r),
            },
            params: self.params.clone(),
        }
    }

    pub(super) fn domain_of(&mut self, ctx: &Context, op: Op) -> Domain {
        let mut around = Vec::new();
        let mut inner = op;
        while inner != self.root
            && let Some(outer) = inner.parent(ctx)
        {
            around.push((outer, inner));
            inner = outer;
        }
        let (root, params) = (self.root, &mut self.params);
        let mut d = Domain::everywhere();
        for (outer, inner) in around.into_iter().rev() {
            d = match outer.name(ctx) {
                ForOp::NAME => d.in_for(ctx, params, root, ForOp::wrap(outer)),
                ParallelOp::NAME => d.in_parallel(ctx, params, root, ParallelOp::wrap(outer)),
                IfOp::NAME => {
                    let i = IfOp::wrap(outer);
                    let holds = inner.block(ctx) == Some(i.then_block(ctx));
                    d.in_if(ctx, params, root, i, holds)
                }
                scf::IfOp::NAME => {
                    let i = scf::IfOp::wrap(outer);
                    let holds = inner.block(ctx) == Some(i.then_block(ctx));
                    d.in_scf_if(ctx, params, root, i, holds)
                }
                scf::IndexSwitchOp::NAME => d.in_maybe(ctx, outer),
                _ if runs_regions_once(ctx, outer) => d,
                _ => d.in_opaque(ctx, outer),
            };
        }
        d
    }
}

impl Point {
    /// From the iterations that run the op to the values there, as conjunctions: the
    /// parameters of the program as it was when this was asked for, the loops, the
    /// values.
    ///
    /// # Errors
    ///
    /// Why a value is no affine function of the loops.
    pub(crate) fn graph(&self) -> Result<Vec<Conjunct>, Reason> {
        let (system, forms) = self.values.as_ref().map_err(Clone::clone)?;
        let params = self.params.len();
        let depth = self.domain.depth();
        let space = Space::map(params, depth, forms.len());
        let mut pieces = Vec::with_capacity(self.domain.pieces.len());
        for piece in &self.domain.pieces {
            let mut c = Conjunct::universe(space);
            add_system(&mut c, self.params.facts(), params);
            add_system(&mut c, piece, params);
            let columns = add_system(&mut c, system, params);
            let width = c.row_len() - 1;
            for (i, form) in forms.iter().enumerate() {
                let mut row = columns.row(form, width);
                row[params + depth + i] -= &Int::ONE;
                c.add_equality(&row, form.constant.clone());
            }
            pieces.push(c);
        }
        Ok(pieces)
    }
}
