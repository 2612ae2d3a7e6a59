//! Loops inside that begin or end elsewhere in each of the iterations that are jammed.
//!
//! ```text
//! affine.for %i = 0 to %n {             affine.for %i = 0 to %n step 2 {
//!   affine.for %j = 0 to %i {             affine.for %j = 0 to %i { b(%i, %j), b(%i + 1, %j) }
//!     b(%i, %j)                     =>    affine.for %j = %i to %i { b(%i, %j) }
//!   }                                     affine.for %j = %i to %i + 1 { b(%i + 1, %j) }
//! }                                     }
//! ```
//!
//! The iterations that all of them run are jammed. What an iteration runs before and behind
//! those, it runs on its own, in loops of a few iterations (S. Carr, K. Kennedy, "Compiler
//! blockability of numerical algorithms", 1992, call the iteration space a trapezoid). Those
//! before belong to the stretch in front of the loop, and those behind to the stretch behind it:
//! an iteration does them together with what else is there.

use super::super::Refusal;
use super::super::tidy::simplify;
use super::super::unroll::unroll_full;
use crate::analysis::bounds::constant_trip_count;
use terrace_dialects::affine::{ForOp, compose::compose};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, ValueMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{AttrData, Context, Op, OpKind, Value};

/// How many iterations a loop may begin or end apart in all that are jammed: what they do not
/// share must be little.
const MAX_APART: i64 = 32;

/// How many ops what an iteration runs on its own may have without a loop.
const UNROLLED: u64 = 32;

/// A loop inside, some of whose bounds move with the iteration around.
#[derive(Debug, Clone)]
pub(super) struct Trapezoid {
    lower: Side,
    upper: Side,
}

/// The lower or upper bound of a loop, in the variable of the loop that is unrolled.
#[derive(Debug, Clone)]
struct Side {
    bound: ValueMap<Value>,
    /// The result that moves, and what it is where all iterations have begun, or none has ended.
    inmost: Option<(usize, AffineExpr)>,
}

/// What the bounds of `inner` are where iterations of `outer` are jammed whose variables are up
/// to `apart` from one another; `None` where they are the same in all of them. A value is
/// `fixed` that all of the iterations share.
///
/// # Errors
///
/// They move in a way that is not known, or far.
pub(super) fn trapezoid(
    ctx: &Context,
    outer: ForOp,
    inner: ForOp,
    apart: i64,
    fixed: impl Fn(Value) -> bool,
) -> Result<Option<Trapezoid>, Refusal> {
    let lower = compose(ctx, inner.lower_map(ctx), &inner.lower_operands(ctx));
    let upper = compose(ctx, inner.upper_map(ctx), &inner.upper_operands(ctx));
    let iv = outer.iv(ctx);
    let both = lower.operands.iter().chain(&upper.operands);
    let known = both.clone().all(|v| *v == iv || fixed(*v));
    if known && !both.clone().any(|v| *v == iv) {
        return Ok(None);
    }
    let plain = inner.step(ctx) == 1 && inner.op().find_all::<ForOp>(ctx).len() == 1;
    let sides = (known && plain).then(|| {
        Some((
            side(lower, iv, apart, true)?,
            side(upper, iv, apart, false)?,
        ))
    });
    let Some((lower, upper)) = sides.flatten() else {
        let m = "cannot jam: the bounds of this loop depend on the iteration of the one \
                 that is unrolled";
        return Err(Refusal::new(inner.op().loc(ctx), m).note(outer.op().loc(ctx), "unrolled"));
    };
    let moves = lower.inmost.is_some() || upper.inmost.is_some();
    Ok(moves.then_some(Trapezoid { lower, upper }))
}

/// A bound, where at most one of its results moves, and by how much is known.
fn side(bound: ValueMap<Value>, iv: Value, apart: i64, is_lower: bool) -> Option<Side> {
    let dims = bound.map.num_dims() as usize;
    let inputs = (0..bound.map.num_dims()).map(AffineExpr::dim);
    let inputs = inputs.chain((0..bound.map.num_symbols()).map(AffineExpr::symbol));
    let here: Vec<AffineExpr> = inputs.collect();
    let is_iv: Vec<bool> = bound.operands.iter().map(|v| *v == iv).collect();
    let there: Vec<AffineExpr> = here
        .iter()
        .zip(&is_iv)
        .map(|(e, is)| if *is { e.clone() + apart } else { e.clone() })
        .collect();
    let mut inmost = None;
    for (i, e) in bound.map.results().iter().enumerate() {
        let change = change(e, &is_iv, dims, apart)?;
        if change == 0 {
            continue;
        }
        if inmost.is_some() || change.abs() > MAX_APART {
            return None;
        }
        // The greatest of the beginnings, or the least of the ends.
        let at = if (change > 0) == is_lower {
            &there
        } else {
            &here
        };
        inmost = Some((i, e.replace_dims_and_symbols(&at[..dims], &at[dims..])));
    }
    Some(Side { bound, inmost })
}

/// By how much an expression changes at most, and in which direction, where the operands that
/// are the variable grow by `apart`: at no time does it change the other way. `None` where that
/// is not known.
fn change(e: &AffineExpr, is_iv: &[bool], dims: usize, apart: i64) -> Option<i64> {
    let of = |i: usize| Some(if *is_iv.get(i)? { apart } else { 0 });
    match e {
        AffineExpr::Dim(d) => return of(*d as usize),
        AffineExpr::Symbol(s) => return of(dims + *s as usize),
        AffineExpr::Constant(_) => return Some(0),
        AffineExpr::Binary(_) => {}
    }
    let (op, a, b) = e.as_binary()?;
    let (x, y) = (
        change(a, is_iv, dims, apart)?,
        change(b, is_iv, dims, apart)?,
    );
    match (op, b.as_constant()) {
        _ if x == 0 && y == 0 => Some(0),
        (AffineOp::Add, _) => (x.signum() * y.signum() >= 0)
            .then(|| x.checked_add(y))
            .flatten(),
        (AffineOp::Mul, Some(n)) => x.checked_mul(n),
        // Both round all numbers in the same direction.
        (AffineOp::FloorDiv | AffineOp::CeilDiv, Some(n)) if n > 0 => {
            Some(x.signum() * ((x.abs() - 1).div_euclid(n) + 1))
        }
        _ => None,
    }
}

impl Side {
    /// The bound with the result in it that is the same for all iterations.
    fn common(&self) -> ValueMap<Value> {
        let mut results = self.bound.map.results().to_vec();
        if let Some((i, e)) = &self.inmost {
            results[*i] = e.clone();
        }
        self.with(results)
    }

    /// The result where all have begun, or none has ended, alone.
    fn inmost(&self) -> Option<ValueMap<Value>> {
        let (_, e) = self.inmost.as_ref()?;
        Some(self.with(vec![e.clone()]))
    }

    fn with(&self, results: Vec<AffineExpr>) -> ValueMap<Value> {
        let map = &self.bound.map;
        ValueMap {
            map: AffineMap::new(map.num_dims(), map.num_symbols(), results),
            operands: self.bound.operands.clone(),
        }
    }
}

/// A loop of few iterations that the first iteration runs on its own. In those of the others one
/// bound is partly the same.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub op: Op,
    is_lower: bool,
    /// Which operands of that bound stay as they are.
    same: Vec<bool>,
}

impl End {
    /// Makes `copy`, of another iteration, begin or end with all others, too.
    pub(super) fn align(&self, ctx: &mut Context, copy: Op) {
        let (first, copy) = (ForOp::wrap(self.op), ForOp::wrap(copy));
        let operands = |l: ForOp| match self.is_lower {
            true => l.lower_operands(ctx),
            false => l.upper_operands(ctx),
        };
        let all = operands(copy)
            .into_iter()
            .zip(operands(first))
            .zip(&self.same);
        let all: Vec<Value> = all
            .map(|((own, first), same)| if *same { first } else { own })
            .collect();
        if self.is_lower {
            copy.set_lower(ctx, first.lower_map(ctx).clone(), &all);
        } else {
            copy.set_upper(ctx, first.upper_map(ctx).clone(), &all);
        }
    }
}

impl Trapezoid {
    /// Leaves to `l` what all iterations run; what the first runs in front of that, and behind it.
    pub(super) fn take_apart(&self, ctx: &mut Context, l: ForOp) -> (Option<End>, Option<End>) {
        let (begin, end) = (self.lower.inmost(), self.upper.inmost());
        let results = l.op().results(ctx);
        let behind = end.clone().map(|end| {
            let op = part(ctx, l);
            op.insert_after(ctx, l.op());
            for (a, b) in results.iter().zip(op.results(ctx)) {
                a.replace_all_uses(ctx, b);
            }
            let part = ForOp::wrap(op);
            part.set_inits(ctx, &results);
            let (map, operands, same) = joined(&self.lower.bound, &[end]);
            part.set_lower(ctx, map, &operands);
            End {
                op,
                is_lower: true,
                same,
            }
        });
        let front = begin.map(|begin| {
            let op = part(ctx, l);
            op.insert_before(ctx, l.op());
            l.set_inits(ctx, &op.results(ctx));
            // Where one ends before all have begun, nothing is left to the loop.
            let until: Vec<_> = [begin].into_iter().chain(end).collect();
            let (map, operands, same) = joined(&self.upper.bound, &until);
            ForOp::wrap(op).set_upper(ctx, map, &operands);
            End {
                op,
                is_lower: false,
                same,
            }
        });
        let (lower, upper) = (self.lower.common(), self.upper.common());
        l.set_lower(ctx, lower.map, &lower.operands);
        l.set_upper(ctx, upper.map, &upper.operands);
        (front, behind)
    }
}

/// Unrolls what is a few iterations of a small loop.
pub(super) fn without_loops(ctx: &mut Context, ends: &[ForOp]) {
    for l in ends {
        simplify(ctx, *l);
        let size = l.op().pre_order(ctx).len() as u64;
        match constant_trip_count(ctx, *l) {
            Some(0) => l.op().replace(ctx, &l.inits(ctx)),
            Some(n) if n.saturating_mul(size) <= UNROLLED => {
                unroll_full(ctx, *l);
            }
            _ => {}
        }
    }
}

/// A copy of a loop that runs a few iterations of it.
fn part(ctx: &mut Context, l: ForOp) -> Op {
    let op = clone_op(ctx, l.op(), &mut IrMapping::new());
    let mark = ctx.attr(AttrData::Unit);
    op.set_attr(ctx, LOOP_LEFT_OVER, mark);
    op
}

/// The results of `own` and of `others`, and which operands are those of the others.
fn joined(own: &ValueMap<Value>, others: &[ValueMap<Value>]) -> (AffineMap, Vec<Value>, Vec<bool>) {
    let (mut dims, mut syms): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    let mut results = Vec::new();
    for (i, part) in [own].into_iter().chain(others).enumerate() {
        let (d, s) = part.operands.split_at(part.map.num_dims() as usize);
        let at = |all: &mut Vec<(Value, bool)>, new: &[Value], input: fn(u32) -> AffineExpr| {
            let begin = u32::try_from(all.len()).unwrap_or(u32::MAX);
            all.extend(new.iter().map(|v| (*v, i > 0)));
            (begin..).map(input).take(new.len()).collect::<Vec<_>>()
        };
        let d = at(&mut dims, d, AffineExpr::dim);
        let s = at(&mut syms, s, AffineExpr::symbol);
        results.extend(
            part.map
                .results()
                .iter()
                .map(|e| e.replace_dims_and_symbols(&d, &s)),
        );
    }
    let count = |all: &[(Value, bool)]| u32::try_from(all.len()).unwrap_or(u32::MAX);
    let map = AffineMap::new(count(&dims), count(&syms), results);
    let (operands, same) = dims.into_iter().chain(syms).unzip();
    (map, operands, same)
}
