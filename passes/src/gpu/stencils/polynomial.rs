//! Subscripts as polynomials over values, so that two of them can be told to be the same
//! element some iterations apart, also where an array is addressed as `A[i * n + j]`.

use rustc_hash::FxHashMap;
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

/// A sum of products of values times numbers: monomials in order, each once and with a
/// coefficient that is not 0; the empty one is the constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Polynomial(Vec<(Vec<u32>, i64)>);

impl Polynomial {
    /// `v` over what is no sum, difference or product; `None` where it is too long or
    /// numbers overflow.
    pub fn of(ctx: &Context, names: &mut Names, v: Value) -> Option<Polynomial> {
        let mut budget = BUDGET;
        Polynomial::within(ctx, names, v, &mut budget, 12)
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
            return Some(Polynomial::constant(c));
        }
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            return Some(Polynomial(vec![(vec![names.of(v)], 1)]));
        };
        let mut of =
            |i: usize| Polynomial::within(ctx, names, op.operand(ctx, i), budget, depth - 1);
        match op.name(ctx) {
            terrace_dialects::arith::AddIOp::NAME => of(0)?.plus(&of(1)?, 1),
            terrace_dialects::arith::SubIOp::NAME => of(0)?.plus(&of(1)?, -1),
            terrace_dialects::arith::MulIOp::NAME => of(0)?.times(&of(1)?),
            // Indices that C programs compute in their own integers.
            terrace_dialects::arith::IndexCastOp::NAME if is_wide(ctx, op.operand(ctx, 0)) => of(0),
            _ => Some(Polynomial(vec![(vec![names.of(v)], 1)])),
        }
    }

    fn constant(c: i64) -> Polynomial {
        Polynomial(match c {
            0 => Vec::new(),
            c => vec![(Vec::new(), c)],
        })
    }

    fn plus(&self, other: &Polynomial, factor: i64) -> Option<Polynomial> {
        let mut out = self.0.clone();
        for (m, c) in &other.0 {
            let c = c.checked_mul(factor)?;
            match out.iter_mut().find(|t| t.0 == *m) {
                Some(t) => t.1 = t.1.checked_add(c)?,
                None => out.push((m.clone(), c)),
            }
        }
        Polynomial::sorted(out)
    }

    fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut out = Polynomial(Vec::new());
        for (a, c) in &self.0 {
            let mut row = Vec::new();
            for (b, d) in &other.0 {
                let mut m = [&a[..], &b[..]].concat();
                if m.len() > MAX_FACTORS {
                    return None;
                }
                m.sort_unstable();
                row.push((m, c.checked_mul(*d)?));
            }
            out = out.plus(&Polynomial(row), 1)?;
        }
        Some(out)
    }

    fn sorted(mut terms: Vec<(Vec<u32>, i64)>) -> Option<Polynomial> {
        terms.retain(|t| t.1 != 0);
        if terms.len() > MAX_TERMS {
            return None;
        }
        terms.sort_unstable();
        Some(Polynomial(terms))
    }

    /// By how much it grows when `iv` grows by one; `None` where `iv` is not linear in it.
    pub fn growth(&self, iv: u32) -> Option<Polynomial> {
        let mut out = Vec::new();
        for (m, c) in &self.0 {
            match m.iter().filter(|v| **v == iv).count() {
                0 => {}
                1 => out.push((m.iter().copied().filter(|v| *v != iv).collect(), *c)),
                _ => return None,
            }
        }
        Polynomial::sorted(out)
    }

    /// `k` times `growth` further on.
    pub fn later(&self, growth: &Polynomial, k: i64) -> Option<Polynomial> {
        self.plus(growth, k)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn is_one(&self) -> bool {
        matches!(&self.0[..], [(m, 1)] if m.is_empty())
    }

    /// The constant in it.
    pub fn constant_term(&self) -> i64 {
        self.0.iter().find(|t| t.0.is_empty()).map_or(0, |t| t.1)
    }

    /// Without what has none of these counters.
    pub fn moving(&self, counters: &[u32]) -> Polynomial {
        let moves = |t: &&(Vec<u32>, i64)| t.0.iter().any(|n| counters.contains(n));
        Polynomial(self.0.iter().filter(moves).cloned().collect())
    }
}

/// Whether a value is as wide as an index, so that sums in it are sums of indices.
fn is_wide(ctx: &Context, v: Value) -> bool {
    let ty = v.ty(ctx);
    ty.is_index(ctx) || ty.int_width(ctx) == Some(64)
}
