//! Subscripts as polynomials over values, so that two of them can be told to be the same
//! element some iterations apart, also where an array is addressed as `A[i * n + j]`.

use crate::analysis::poly::Poly;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{AddIOp, IndexCastOp, MulIOp, SubIOp};
use terrace_ir::{Context, Value};

/// Ops that one subscript may look at.
const BUDGET: usize = 64;
/// Monomials that a subscript may have, and factors of one.
const MAX_TERMS: usize = 24;
const MAX_FACTORS: usize = 4;

/// Numbers of values, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashMap<Value, u32>);

impl Names {
    pub fn of(&mut self, v: Value) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(v).or_insert(next)
    }
}

/// Ops that are looked at for what one value depends on.
const MAX_OPS: usize = 256;

impl Names {
    /// Which of these counters the values that polynomials are made of depend on, other than by being
    /// one: `(i + 1) % n` on `i`.
    pub fn hidden(&self, ctx: &Context, of: &[Polynomial], counters: &[Value]) -> Vec<Value> {
        let used = |name: u32| of.iter().any(|p| !p.with_any_of(&[name]).is_zero());
        let computed = self
            .0
            .iter()
            .filter(|(v, name)| v.def_op().is_some() && used(**name));
        let mut open: Vec<Value> = computed.map(|(v, _)| *v).collect();
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        while let Some(v) = open.pop() {
            if !seen.insert(v) {
                continue;
            }
            // What takes too long to see may depend on all.
            if seen.len() > MAX_OPS {
                return counters.to_vec();
            }
            match v.def_op() {
                Some(op) => open.extend(op.operands(ctx)),
                None if counters.contains(&v) => found.push(v),
                None => {}
            }
        }
        found
    }
}

/// A polynomial over numbered values.
pub(super) type Polynomial = Poly<u32>;

/// `v` over what is no sum, difference or product; `None` where it is too long or numbers
/// overflow.
pub(super) fn polynomial(ctx: &Context, names: &mut Names, v: Value) -> Option<Polynomial> {
    let mut budget = BUDGET;
    let p = within(ctx, names, v, &mut budget, 12)?;
    let short = p.terms.keys().all(|m| m.len() <= MAX_FACTORS);
    (short && p.terms.len() <= MAX_TERMS).then_some(p)
}

fn within(
    ctx: &Context,
    names: &mut Names,
    v: Value,
    budget: &mut usize,
    depth: usize,
) -> Option<Polynomial> {
    *budget = budget.checked_sub(1)?;
    if let Some(c) = ctx.constant_int(v) {
        return Some(Poly::constant(c));
    }
    let Some(op) = v.def_op().filter(|_| depth > 0) else {
        return Some(Poly::atom(names.of(v)));
    };
    let mut of = |i: usize| within(ctx, names, op.operand(ctx, i), budget, depth - 1);
    match op.name(ctx) {
        AddIOp::NAME => of(0)?.plus(1, &of(1)?),
        SubIOp::NAME => of(0)?.plus(-1, &of(1)?),
        MulIOp::NAME => of(0)?.times(&of(1)?),
        // Indices that C programs compute in their own integers.
        IndexCastOp::NAME if is_wide(ctx, op.operand(ctx, 0)) => of(0),
        _ => Some(Poly::atom(names.of(v))),
    }
}

/// Whether a value is as wide as an index, so that sums in it are sums of indices.
fn is_wide(ctx: &Context, v: Value) -> bool {
    let ty = v.ty(ctx);
    ty.is_index(ctx) || ty.int_width(ctx) == Some(64)
}
