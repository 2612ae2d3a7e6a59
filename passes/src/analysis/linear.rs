//! Linear forms in values: what subscripts and bounds of affine code are, and what arithmetic
//! on indices computes below it.

use terrace_dialects::{arith, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Context, Op, Value};

/// A sum of multiples of values, and a constant. No value twice, no factor 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    pub terms: Vec<(Value, i64)>,
    pub constant: i64,
}

/// Deeper expressions are not looked into.
const MAX_DEPTH: u32 = 64;

/// Ops that one value may be the result of. Subscripts have a handful.
const MAX_OPS: usize = 200;

impl Linear {
    pub fn value(v: Value) -> Linear {
        Linear {
            terms: vec![(v, 1)],
            constant: 0,
        }
    }

    pub fn constant(constant: i64) -> Linear {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    /// The results of a map applied to operands; `None` where one is not linear or has
    /// numbers out of range.
    pub fn of_map(map: &AffineMap, operands: &[Value]) -> Option<Vec<Linear>> {
        let dims = map.num_dims() as usize;
        let leaf = |e: &AffineExpr| match e {
            AffineExpr::Dim(i) => operands.get(*i as usize).copied(),
            AffineExpr::Symbol(i) => operands.get(dims + *i as usize).copied(),
            _ => None,
        };
        let all = map.results().iter();
        all.map(|e| of_expr(e, &leaf, MAX_DEPTH)).collect()
    }

    /// `v` as a form over values that are no sums, differences or multiples; `None` where
    /// numbers overflow or it is too long.
    pub fn of_value(ctx: &Context, v: Value) -> Option<Linear> {
        let mut l = Linear::default();
        l.add_value(ctx, v, 1)?;
        Some(l)
    }

    /// Add `factor` times `v`, as [`Linear::of_value`] sees it.
    pub fn add_value(&mut self, ctx: &Context, v: Value, factor: i64) -> Option<()> {
        let mut work = vec![(v, factor)];
        let mut steps = 0usize;
        while let Some((v, f)) = work.pop() {
            steps += 1;
            if steps > MAX_OPS {
                return None;
            }
            if let Some(c) = ctx.constant_int(v) {
                self.constant = self.constant.checked_add(c.checked_mul(f)?)?;
                continue;
            }
            let Some((op, [a, b])) = two_operands(ctx, v) else {
                self.add_term(v, f)?;
                continue;
            };
            if op.isa::<arith::AddIOp>(ctx) {
                work.extend([(a, f), (b, f)]);
            } else if op.isa::<arith::SubIOp>(ctx) {
                work.extend([(a, f), (b, f.checked_neg()?)]);
            } else {
                match (ctx.constant_int(a), ctx.constant_int(b)) {
                    _ if !op.isa::<arith::MulIOp>(ctx) => self.add_term(v, f)?,
                    (_, Some(c)) => work.push((a, f.checked_mul(c)?)),
                    (Some(c), _) => work.push((b, f.checked_mul(c)?)),
                    _ => self.add_term(v, f)?,
                }
            }
        }
        self.terms.retain(|t| t.1 != 0);
        Some(())
    }

    fn add_term(&mut self, v: Value, f: i64) -> Option<()> {
        match self.terms.iter_mut().find(|t| t.0 == v) {
            Some(t) => t.1 = t.1.checked_add(f)?,
            None => self.terms.push((v, f)),
        }
        Some(())
    }

    pub fn coefficient(&self, v: Value) -> i64 {
        let found = self.terms.iter().find(|t| t.0 == v);
        found.map_or(0, |t| t.1)
    }

    pub fn add(&self, other: &Linear) -> Option<Linear> {
        self.plus_times(other, 1)
    }

    /// `self + times * other`; `None` where a number overflows.
    pub fn plus_times(&self, other: &Linear, times: i64) -> Option<Linear> {
        let mut sum = self.plus(other.constant.checked_mul(times)?)?;
        for (v, f) in &other.terms {
            sum.add_term(*v, f.checked_mul(times)?)?;
        }
        sum.terms.retain(|t| t.1 != 0);
        Some(sum)
    }

    /// `self - other`, where that is a constant.
    pub fn distance(&self, other: &Linear) -> Option<i64> {
        self.minus(other)?.as_constant()
    }

    pub fn times(&self, n: i64) -> Option<Linear> {
        Linear::default().plus_times(self, n)
    }

    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus_times(other, -1)
    }

    pub fn plus(&self, n: i64) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(n)?;
        Some(sum)
    }

    /// With another form in the place of a value.
    pub fn with(&self, v: Value, form: &Linear) -> Option<Linear> {
        let f = self.coefficient(v);
        let mut rest = self.clone();
        rest.terms.retain(|t| t.0 != v);
        rest.plus_times(form, f)
    }

    /// With values in the place of others; none of the new ones is in the form.
    pub fn named(&self, pairs: &[(Value, Value)]) -> Linear {
        let mut form = self.clone();
        for t in &mut form.terms {
            if let Some((_, to)) = pairs.iter().find(|p| p.0 == t.0) {
                t.0 = *to;
            }
        }
        form
    }

    /// Whether both are the same form, whatever the order of their terms.
    pub fn equals(&self, other: &Linear) -> bool {
        self.minus(other)
            .is_some_and(|d| d.terms.is_empty() && d.constant == 0)
    }

    /// As a map with a dimension for each value, and those values.
    pub fn as_map(&self) -> (AffineMap, Vec<Value>) {
        Linear::map_of(std::slice::from_ref(self))
    }

    /// As one map of several results, with a dimension for each value.
    pub fn map_of(all: &[Linear]) -> (AffineMap, Vec<Value>) {
        let mut operands: Vec<Value> = Vec::new();
        let mut results = Vec::new();
        for l in all {
            let mut e = AffineExpr::constant(l.constant);
            for (v, f) in &l.terms {
                let d = operands
                    .iter()
                    .position(|o| o == v)
                    .unwrap_or(operands.len());
                if d == operands.len() {
                    operands.push(*v);
                }
                let d = AffineExpr::dim(u32::try_from(d).unwrap_or(u32::MAX));
                e = e + d * AffineExpr::constant(*f);
            }
            results.push(e);
        }
        let dims = u32::try_from(operands.len()).unwrap_or(u32::MAX);
        (AffineMap::new(dims, 0, results).simplify(), operands)
    }

    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

fn of_expr(
    e: &AffineExpr,
    leaf: &impl Fn(&AffineExpr) -> Option<Value>,
    depth: u32,
) -> Option<Linear> {
    let depth = depth.checked_sub(1)?;
    match e {
        AffineExpr::Constant(c) => Some(Linear::constant(*c)),
        AffineExpr::Dim(_) | AffineExpr::Symbol(_) => Some(Linear::value(leaf(e)?)),
        AffineExpr::Binary(_) => {
            let (op, l, r) = e.as_binary()?;
            let (l, r) = (of_expr(l, leaf, depth)?, of_expr(r, leaf, depth)?);
            match op {
                AffineOp::Add => l.add(&r),
                AffineOp::Mul => match (l.as_constant(), r.as_constant()) {
                    (_, Some(n)) => l.times(n),
                    (Some(n), _) => r.times(n),
                    _ => None,
                },
                AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv => None,
            }
        }
    }
}

/// The op that computes `v` from two operands.
fn two_operands(ctx: &Context, v: Value) -> Option<(Op, [Value; 2])> {
    let op = v.def_op()?;
    let operands = <[Value; 2]>::try_from(op.operands(ctx)).ok()?;
    Some((op, operands))
}

/// By how much `v` grows with `iv`; `None` where it does not grow evenly.
pub fn coefficient(ctx: &Context, v: Value, iv: Value) -> Option<i64> {
    coefficient_within(ctx, v, iv, 9)
}

fn coefficient_within(ctx: &Context, v: Value, iv: Value, depth: usize) -> Option<i64> {
    if depth == 0 {
        return None;
    }
    let mut sum: i64 = 0;
    for (t, f) in Linear::of_value(ctx, v)?.terms {
        if t == iv {
            sum = sum.checked_add(f)?;
            continue;
        }
        let c = match (t.def_op(), t.arg_block().and_then(|b| b.parent_op(ctx))) {
            // The counter of a loop in the thread starts where its lower bound is.
            (None, Some(l)) => match l.cast::<scf::ForOp>(ctx) {
                Some(l) if l.induction_var(ctx) == t => {
                    coefficient_within(ctx, l.lower_bound(ctx), iv, depth - 1)?
                }
                Some(_) => return None,
                None if l.dialect(ctx) == "scf" && l.name(ctx) != scf::ParallelOp::NAME => {
                    return None;
                }
                None => 0,
            },
            (Some(op), _) => {
                let of = |i: usize| coefficient_within(ctx, op.operand(ctx, i), iv, depth - 1);
                let is_cast = op.isa::<arith::IndexCastOp>(ctx)
                    || op.isa::<arith::ExtSIOp>(ctx)
                    || op.isa::<arith::ExtUIOp>(ctx)
                    || op.isa::<arith::TruncIOp>(ctx);
                let mut all = 0..op.num_operands(ctx);
                match is_cast {
                    true => of(0)?,
                    false if op.num_regions(ctx) == 0 && all.all(|i| of(i) == Some(0)) => 0,
                    false => return None,
                }
            }
            (None, None) => return None,
        };
        sum = sum.checked_add(c.checked_mul(f)?)?;
    }
    Some(sum)
}
