//! What the traits of an op say of it.

use super::{Frame, Verifier};
use crate::context::Context;
use crate::op::Op;
use crate::opdef::{Invalid, OpDef, Traits, traits as t};
use crate::types::{DYNAMIC, Type, TypeData};
use std::mem::discriminant;

/// The traits that this file checks from the types alone.
const TYPE_TRAITS: [Traits; 8] = [
    t::SAME_OPERANDS_AND_RESULT_TYPE,
    t::SAME_OPERANDS_AND_RESULT_SHAPE,
    t::SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE,
    t::SAME_TYPE_OPERANDS,
    t::SAME_OPERANDS_SHAPE,
    t::SAME_OPERANDS_ELEMENT_TYPE,
    t::ELEMENTWISE,
    t::NO_REGION_ARGUMENTS,
];

impl Verifier<'_> {
    /// The op around, and the number of blocks.
    pub(super) fn check_structure(&mut self, op: Op, def: &'static OpDef) {
        let before = self.errors;
        if !def.parents.is_empty() {
            self.check_parent(op, def);
        }
        if (def.has(t::SINGLE_BLOCK) || def.implicit_terminator.is_some()) && !self.stop(before) {
            self.check_single_block(op, def);
        }
    }

    pub(super) fn check_traits(
        &mut self,
        op: Op,
        def: &'static OpDef,
        operands: &[Type],
        results: &[Type],
    ) {
        let ctx = self.ctx;
        let before = self.errors;
        if def.traits & TYPE_TRAITS.iter().fold(0, |a, b| a | b) != 0 {
            for tr in TYPE_TRAITS {
                if def.has(tr)
                    && let Some(message) = type_trait_error(ctx, op, tr, operands, results)
                {
                    self.error(op, message);
                    if self.stop(before) {
                        return;
                    }
                }
            }
        }
        if def.is_terminator()
            && let Some(b) = op.block(ctx)
            && b.last_op(ctx) != Some(op)
        {
            self.error(op, "must be the last operation in the parent block");
        }
        if def.has(t::SYMBOL) && !self.stop(before) {
            self.check_symbol(op, def);
        }
        if def.has(t::SYMBOL_TABLE) && !self.stop(before) {
            self.check_symbol_table_shape(op);
        }
        if def.has(t::FUNCTION_LIKE) && !self.stop(before) {
            self.check_function(op);
        }
    }

    fn check_parent(&mut self, op: Op, def: &'static OpDef) {
        let parent = op.parent(self.ctx).map(|p| p.name(self.ctx));
        if parent.is_some_and(|p| def.parents.contains(&p)) {
            return;
        }
        let list = def.parents.join(", ");
        let many = if def.parents.len() == 1 {
            ""
        } else {
            "to be one of "
        };
        self.error(op, format!("expects parent op {many}'{list}'"));
    }

    fn check_single_block(&mut self, op: Op, def: &'static OpDef) {
        let ctx = self.ctx;
        for i in 0..op.num_regions(ctx) {
            let r = op.region(ctx, i);
            let Some(entry) = r.entry(ctx) else { continue };
            if !r.has_one_block(ctx) {
                return self.error(op, format!("expects region #{i} to have 0 or 1 blocks"));
            }
            if !def.has(t::NO_TERMINATOR) && entry.is_empty(ctx) {
                return self.error(op, "expects a non-empty block");
            }
        }
    }

    /// What can be checked only after the regions: `sound` says that no error was
    /// found in the op or in them.
    pub(super) fn check_region_traits(&mut self, frame: &Frame, sound: bool) {
        let (ctx, op) = (self.ctx, frame.op);
        let before = self.errors;
        let Some(def) = frame.def else { return };
        if let Some(wanted) = def.implicit_terminator {
            for r in op.regions(ctx) {
                let Some(last) = r.entry(ctx).and_then(|b| b.last_op(ctx)) else {
                    continue;
                };
                let found = last.name(ctx);
                if found != wanted {
                    let message =
                        format!("expects regions to end with '{wanted}', found '{found}'");
                    let note = format!(
                        "in custom textual format, the absence of terminator implies '{wanted}'"
                    );
                    self.report(Invalid::from(message).note(op.loc(ctx), note), op);
                    break;
                }
            }
        }
        if def.has(t::SYMBOL_TABLE) && !self.stop(before) {
            self.check_redefinitions(op);
        }
        if sound
            && self.errors == before
            && let Some(f) = def.verify_regions
        {
            self.outcome(op, f(ctx, op));
        }
    }
}

fn type_trait_error(
    ctx: &Context,
    op: Op,
    tr: Traits,
    operands: &[Type],
    results: &[Type],
) -> Option<String> {
    let all = || operands.iter().chain(results);
    let err = |bad: bool, m: &str| bad.then(|| m.to_string());
    match tr {
        t::SAME_OPERANDS_AND_RESULT_TYPE => {
            let first = *results.first().or(operands.first())?;
            let same = all().all(|x| *x == first || compatible_types(ctx, *x, first));
            err(!same, "requires the same type for all operands and results")
        }
        t::SAME_OPERANDS_AND_RESULT_SHAPE => {
            let first = *results.first().or(operands.first())?;
            let same = all().all(|x| compatible_shapes(ctx, *x, first));
            err(
                !same,
                "requires the same shape for all operands and results",
            )
        }
        t::SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE => {
            let first = results.first().or(operands.first())?.element_or_self(ctx);
            let same = all().all(|x| x.element_or_self(ctx) == first);
            err(
                !same,
                "requires the same element type for all operands and results",
            )
        }
        t::SAME_TYPE_OPERANDS => {
            let same = operands.windows(2).all(|w| w[0] == w[1]);
            err(!same, "requires all operands to have the same type")
        }
        t::SAME_OPERANDS_SHAPE => {
            let same = operands
                .windows(2)
                .all(|w| compatible_shapes(ctx, w[0], w[1]));
            err(!same, "requires the same shape for all operands")
        }
        t::SAME_OPERANDS_ELEMENT_TYPE => {
            let same = operands
                .windows(2)
                .all(|w| w[0].element_or_self(ctx) == w[1].element_or_self(ctx));
            err(!same, "requires the same element type for all operands")
        }
        t::ELEMENTWISE => elementwise_error(ctx, operands, results).map(str::to_string),
        t::NO_REGION_ARGUMENTS => {
            let n = op.num_regions(ctx);
            let bad = (0..n).find(|i| {
                op.region(ctx, *i)
                    .entry(ctx)
                    .is_some_and(|b| b.num_args(ctx) != 0)
            })?;
            Some(match n {
                1 => "region should have no arguments".to_string(),
                _ => format!("region #{bad} should have no arguments"),
            })
        }
        _ => None,
    }
}

/// Vectors and tensors; what [`t::ELEMENTWISE`] ops apply across.
fn is_mappable(ctx: &Context, ty: Type) -> bool {
    ty.is_vector(ctx) || ty.is_tensor(ctx)
}

fn elementwise_error(ctx: &Context, operands: &[Type], results: &[Type]) -> Option<&'static str> {
    // Scalars, by far the most.
    let first = operands.first().or(results.first())?;
    if operands.iter().chain(results).all(|t| t == first) {
        return None;
    }
    let mappable = |t: &&Type| is_mappable(ctx, **t);
    let num_operands = operands.iter().filter(mappable).count();
    let num_results = results.iter().filter(mappable).count();
    if num_operands == 0 && num_results == 0 {
        return None;
    }
    if num_operands == 0 {
        return Some("if a result is non-scalar, then at least one operand must be non-scalar");
    }
    if num_results == 0 {
        return Some(
            "if an operand is non-scalar, then there must be at least one non-scalar result",
        );
    }
    if num_results != results.len() {
        return Some("if an operand is non-scalar, then all results must be non-scalar");
    }
    let mut all = operands.iter().filter(mappable).chain(results);
    let first = *all.next()?;
    let same = all.all(|t| {
        // A ranked and an unranked tensor have different base types.
        discriminant(t.data(ctx)) == discriminant(first.data(ctx))
            && compatible_shapes(ctx, *t, first)
    });
    (!same).then_some("all non-scalar operands/results must have the same shape and base type")
}

fn compatible_types(ctx: &Context, a: Type, b: Type) -> bool {
    a.element_or_self(ctx) == b.element_or_self(ctx)
        && encoding(ctx, a) == encoding(ctx, b)
        && compatible_shapes(ctx, a, b)
}

fn encoding(ctx: &Context, t: Type) -> Option<crate::attr::Attr> {
    match t.data(ctx) {
        TypeData::Tensor { encoding, .. } => *encoding,
        _ => None,
    }
}

/// Whether two types may have one shape: both scalar, or shaped with sizes that are
/// equal or not known. A scalable size is never equal to a fixed one.
pub(super) fn compatible_shapes(ctx: &Context, a: Type, b: Type) -> bool {
    if a == b {
        return true;
    }
    let scalable = |t: Type| match t.data(ctx) {
        TypeData::Vector { scalable, .. } if scalable.contains(&true) => Some(scalable.clone()),
        _ => None,
    };
    match (a.element(ctx).is_some(), b.element(ctx).is_some()) {
        (false, false) => true,
        (true, true) => match (a.shape(ctx), b.shape(ctx)) {
            (Some(x), Some(y)) => {
                x.len() == y.len()
                    && x.iter()
                        .zip(y)
                        .all(|(p, q)| p == q || *p == DYNAMIC || *q == DYNAMIC)
                    && scalable(a) == scalable(b)
            }
            // An unranked type has any shape.
            _ => true,
        },
        _ => false,
    }
}
