//! The factors of the products.

use super::access::{element, is_arithmetic};
use super::{MatchFailure, Statements, no_match, no_match_at_all};
use crate::analysis::dependence::{Dependence, Kind, Options, dependences};
use crate::analysis::memory::{base, may_be_same};
use crate::gpu::contraction::shape::Factor;
use rustc_hash::FxHashSet;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::{affine, arith};
use terrace_ir::num::FloatKind;
use terrace_ir::{Context, Op, Value};

/// The most products that are added for one k.
const MAX_TERMS: usize = 4;

/// The most operations from an element to its factor.
const MAX_STEPS: u32 = 8;

/// When a nest writes an element that it reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Not at all: in blocked factorizations the panel that is read is another part of the
    /// matrix.
    Never,
    /// Behind its last read only: a copy made in front of the nest does as well.
    Behind,
    Before,
}

impl Statements<'_> {
    /// What is added of one k: the terms of a sum.
    pub(super) fn terms(&self, product: Value) -> Vec<Value> {
        let ctx = self.ctx;
        let mut all = vec![product];
        let mut at = 0;
        while let Some(v) = all.get(at) {
            let sum = v.def_op().filter(|o| o.name(ctx) == arith::AddFOp::NAME);
            match sum.filter(|_| all.len() < MAX_TERMS) {
                Some(op) => {
                    all.splice(at..=at, op.operands(ctx));
                }
                None => at += 1,
            }
        }
        all
    }

    /// The two factors of a product, that with rows first.
    pub(super) fn factors(
        &self,
        store: Op,
        product: Value,
        row: Value,
        col: Value,
        k: Value,
        array: Value,
    ) -> Result<(Factor, Factor), MatchFailure> {
        let ctx = self.ctx;
        let mul = product
            .def_op()
            .filter(|o| o.name(ctx) == arith::MulFOp::NAME);
        let Some(mul) = mul else {
            return no_match_at_all(store, "adds no products");
        };
        let of = |v: Value| self.factor(store, v, array);
        let (x, y) = (of(mul.operand(ctx, 0))?, of(mul.operand(ctx, 1))?);
        let (rows, cols) = (
            self.orient(&x, row, col, k)
                .and_then(|x| Some((x, self.orient(&y, col, row, k)?))),
            self.orient(&y, row, col, k)
                .and_then(|y| Some((y, self.orient(&x, col, row, k)?))),
        );
        match rows.or(cols) {
            Some(found) => Ok(found),
            None => no_match(
                store,
                "multiplies elements that are not one of a row and one of a column",
            ),
        }
    }

    /// What a factor is made of: one element of an array other than `array`, and values
    /// from outside.
    fn factor(&self, store: Op, value: Value, array: Value) -> Result<Factor, MatchFailure> {
        let ctx = self.ctx;
        let mut load: Option<Op> = None;
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(v) = work.pop() {
            if self.is_outside(v) || !seen.insert(v) {
                continue;
            }
            let Some(op) = v.def_op() else {
                return no_match_at_all(store, "multiplies counters");
            };
            match op.name(ctx) {
                affine::LoadOp::NAME if load.is_none() => load = Some(op),
                affine::LoadOp::NAME => {
                    return no_match(op, "is one of several elements in a factor of the products");
                }
                _ if is_arithmetic(ctx, op) => {
                    work.extend(op.operands(ctx));
                }
                _ => return no_match_at_all(op, "is no arithmetic"),
            }
        }
        let Some(load) = load else {
            return no_match(store, "has a factor outside the product of two elements");
        };
        let Some(e) = element(ctx, load) else {
            return no_match_at_all(load, "has subscripts that are not linear");
        };
        if !scales(ctx, value, load.result(ctx, 0), MAX_STEPS) {
            return no_match(load, "is in a factor that is not zero where the element is");
        }
        let written = match base(ctx, e.memref) == array {
            true => self.written(load),
            false if may_be_same(ctx, base(ctx, e.memref), array) => Written::Before,
            false => Written::Never,
        };
        if written == Written::Before {
            return no_match(load, "may read what the sums are stored to");
        }
        let unit =
            strides_and_offset(ctx, e.memref.ty(ctx)).is_some_and(|s| s.strides.last() == Some(&1));
        if !unit {
            return no_match(
                load,
                "reads an array whose neighbours are not known to be neighbours in memory",
            );
        }
        use FloatKind::{BF16, F16, F32, F64};
        let kind = load.result(ctx, 0).ty(ctx).float_kind(ctx);
        if !matches!(kind, Some(F16 | BF16 | F32 | F64)) {
            return no_match(
                load,
                "reads elements of a type other than f16, bf16, f32 and f64",
            );
        }
        Ok(Factor {
            element: e,
            loaded: load.result(ctx, 0),
            value,
            along_k: false,
            negated: false,
            overwritten: written == Written::Behind,
        })
    }

    /// What the nest writes of that which `load` reads of the array of the sums.
    fn written(&self, load: Op) -> Written {
        let options = Options {
            distances: false,
            ..Options::default()
        };
        let all = dependences(self.ctx, self.root, &options).all;
        let flow = |d: &Dependence| d.kind == Kind::Flow && d.sink_op == load;
        let anti = |d: &Dependence| d.kind == Kind::Anti && d.source_op == load;
        match () {
            () if all.iter().any(flow) => Written::Before,
            () if all.iter().any(anti) => Written::Behind,
            () => Written::Never,
        }
    }

    /// The factor as one of `outer` and k: each in one subscript, `other` in none, and
    /// one of the two in the last.
    fn orient(&self, f: &Factor, outer: Value, other: Value, k: Value) -> Option<Factor> {
        let at = &f.element.at;
        let place = |v: Value| {
            let mut found = (0..at.len()).filter(|d| at[*d].coefficient(v) != 0);
            let d = found.next()?;
            (found.next().is_none() && at[d].coefficient(v) == 1).then_some(d)
        };
        let (p, q) = (place(outer)?, place(k)?);
        let last = at.len().checked_sub(1)?;
        if p == q || (p != last && q != last) || at.iter().any(|l| l.coefficient(other) != 0) {
            return None;
        }
        Some(Factor {
            along_k: q == last,
            ..f.clone()
        })
    }
}

/// Whether `v` is `element` times values: zero where it is, as elements past the end of k
/// are taken to be.
fn scales(ctx: &Context, v: Value, element: Value, steps: u32) -> bool {
    let Some(steps) = steps.checked_sub(1) else {
        return false;
    };
    let Some(op) = v.def_op().filter(|_| v != element) else {
        return v == element;
    };
    let operand = |i| scales(ctx, op.operand(ctx, i), element, steps);
    match op.name(ctx) {
        arith::MulFOp::NAME => operand(0) || operand(1),
        arith::NegFOp::NAME | arith::ExtFOp::NAME => operand(0),
        _ => false,
    }
}
