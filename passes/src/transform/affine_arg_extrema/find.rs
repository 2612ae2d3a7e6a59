//! Loops that carry an extremum and its place.

use terrace_dialects::affine::{self, ForOp};
use terrace_dialects::arith::{
    AtomicRmwKind as K, CmpFOp, CmpIOp, CmpIPredicate, IndexCastOp, SelectOp,
};
use terrace_dialects::{memref, scf};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

use crate::analysis::accumulate::{Ties, compared};
use crate::analysis::alike::alike;

/// How deep computations are compared.
const MAX_DEPTH: u32 = 32;

/// A loop, or two around one another, and what it carries.
pub(super) struct Found {
    /// The outermost first.
    pub nest: Vec<ForOp>,
    /// No loop is around it.
    pub is_outside: bool,
    pub searches: Vec<Search>,
}

/// An extremum and what is chosen with it.
pub(super) struct Search {
    /// What is compared with the extremum so far.
    pub element: Value,
    pub cmp: Op,
    /// The element is the first operand of the comparison.
    pub element_first: bool,
    pub kind: K,
    /// Of equal elements the last one stays.
    pub last: bool,
    /// What is carried beside, each with the value that replaces it.
    pub chosen: Vec<Chosen>,
    /// The number of a carried value that is the extremum; else it is an element at a carried place.
    pub extremum: Option<usize>,
}

/// A carried value that changes where the comparison holds.
pub(super) struct Chosen {
    /// Its number among what the loop carries.
    pub at: usize,
    pub new: Value,
}

/// The searches of the innermost loop `l` of a nest.
pub(super) fn find(ctx: &Context, function: Op, l: ForOp) -> Option<Found> {
    let yielded = l.yielded(ctx);
    if yielded.is_empty() || l.step(ctx) != 1 || !is_plain(ctx, l.op()) {
        return None;
    }
    let args = l.iter_args(ctx);
    let mut searches: Vec<Search> = Vec::new();
    for (at, y) in yielded.iter().enumerate() {
        let (condition, new, holds) = replaced(ctx, *y, args[at])?;
        let cmp = condition.def_op()?;
        if let Some(s) = searches.iter_mut().find(|s| s.cmp == cmp && holds) {
            s.chosen.push(Chosen { at, new });
            continue;
        }
        let mut s = search(ctx, cmp, holds, &args)?;
        s.chosen.push(Chosen { at, new });
        searches.push(s);
    }
    for s in &mut searches {
        let extremum = s
            .chosen
            .iter()
            .position(|c| same(ctx, c.new, s.element, MAX_DEPTH));
        let so_far = s.cmp.operand(ctx, usize::from(s.element_first));
        match extremum.filter(|i| args[s.chosen[*i].at] == so_far) {
            Some(i) => s.extremum = Some(s.chosen.remove(i).at),
            None if is_element_at_place(ctx, so_far, s, &args) => {}
            None => return None,
        }
        // Nothing else may look at what is carried.
        let place = s.extremum.is_none();
        let own: Vec<Value> = s.chosen.iter().map(|c| args[c.at]).collect();
        let independent = |v| !depends(ctx, l.op(), v, &args, MAX_DEPTH);
        if !independent(s.element) || !s.chosen.iter().all(|c| independent(c.new)) {
            return None;
        }
        if !place && depends(ctx, l.op(), so_far, &own, MAX_DEPTH) {
            return None;
        }
    }
    // Without a place it is an extremum alone, which other passes find.
    if searches.iter().all(|s| s.chosen.is_empty()) {
        return None;
    }
    let mut nest = vec![l];
    if let Some(outer) = around(ctx, l) {
        nest.insert(0, outer);
    }
    let is_outside = nest[0].op().parent(ctx) == Some(function);
    if nest.len() == 2 && !is_outside {
        return None;
    }
    Some(Found {
        nest,
        is_outside,
        searches,
    })
}

/// Whether a loop only computes and reads.
fn is_plain(ctx: &Context, l: Op) -> bool {
    l.post_order(ctx).into_iter().filter(|o| *o != l).all(|o| {
        let reads = matches!(o.name(ctx), affine::LoadOp::NAME | memref::LoadOp::NAME);
        let ends = matches!(o.name(ctx), affine::YieldOp::NAME | scf::YieldOp::NAME);
        reads || ends || o.isa::<scf::IfOp>(ctx) || (is_pure(ctx, o) && o.num_regions(ctx) == 0)
    })
}

/// `condition ? new : old` with whether `new` stands where the condition holds.
fn replaced(ctx: &Context, v: Value, old: Value) -> Option<(Value, Value, bool)> {
    let op = v.def_op()?;
    let (condition, then, other) = if op.isa::<SelectOp>(ctx) {
        (op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2))
    } else {
        let branch = op.cast::<scf::IfOp>(ctx)?;
        let i = op.results(ctx).iter().position(|r| *r == v)?;
        let end = |b: terrace_ir::Block| b.last_op(ctx)?.operands(ctx).get(i).copied();
        let then = end(branch.then_block(ctx))?;
        (branch.condition(ctx), then, end(branch.else_block(ctx)?)?)
    };
    match (then == old, other == old) {
        (false, true) => Some((condition, then, true)),
        (true, false) => Some((condition, other, false)),
        _ => None,
    }
}

/// The search that a comparison makes, whose first carried values are replaced where it holds.
fn search(ctx: &Context, cmp: Op, holds: bool, args: &[Value]) -> Option<Search> {
    let compares = cmp.isa::<CmpFOp>(ctx) || cmp.isa::<CmpIOp>(ctx);
    if !holds || !compares {
        return None;
    }
    let carried = |v: Value| depends_on(ctx, v, args, MAX_DEPTH);
    let element_first = match (carried(cmp.operand(ctx, 0)), carried(cmp.operand(ctx, 1))) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let (kind, choice) = compared(ctx, cmp, !element_first, true)?;
    let last = match choice {
        // A NaN that takes the place of a number is no extremum.
        Some(c) if c.nan_replaces => return None,
        Some(c) => c.ties? == Ties::Last,
        None => {
            use CmpIPredicate as P;
            let p = cmp.cast::<CmpIOp>(ctx)?.predicate(ctx)?;
            matches!(p, P::Sge | P::Sle | P::Uge | P::Ule)
        }
    };
    let element = cmp.operand(ctx, usize::from(!element_first));
    Some(Search {
        element,
        cmp,
        element_first,
        kind,
        last,
        chosen: Vec::new(),
        extremum: None,
    })
}

/// Whether `v` is computed from one of `args`.
fn depends_on(ctx: &Context, v: Value, args: &[Value], depth: u32) -> bool {
    if args.contains(&v) {
        return true;
    }
    let Some(op) = v.def_op().filter(|_| depth > 0) else {
        return depth == 0;
    };
    op.num_regions(ctx) > 0 && v.arg_block().is_none() && within_regions(ctx, op, args, depth)
        || op
            .operands(ctx)
            .iter()
            .any(|o| depends_on(ctx, *o, args, depth - 1))
}

fn within_regions(ctx: &Context, op: Op, args: &[Value], depth: u32) -> bool {
    op.post_order(ctx)
        .into_iter()
        .filter(|o| *o != op)
        .any(|o| {
            o.operands(ctx)
                .iter()
                .any(|v| depends_on(ctx, *v, args, depth - 1))
        })
}

/// The same, of what is computed within `l` alone.
fn depends(ctx: &Context, l: Op, v: Value, args: &[Value], depth: u32) -> bool {
    let inside = v.def_op().is_some_and(|o| l.is_ancestor_of(ctx, o));
    (inside || args.contains(&v)) && depends_on(ctx, v, args, depth)
}

/// Whether both are computed in the same way from the same values. Nothing is written in between.
fn same(ctx: &Context, a: Value, b: Value, depth: u32) -> bool {
    same_with(ctx, a, b, &|_, _| false, depth)
}

/// The same, where pairs of values for which `equal` holds count as the same.
fn same_with(
    ctx: &Context,
    a: Value,
    b: Value,
    equal: &dyn Fn(Value, Value) -> bool,
    depth: u32,
) -> bool {
    if a == b || equal(a, b) {
        return true;
    }
    depth > 0
        && alike(ctx, a, b).is_some_and(|operands| {
            let mut all = operands.into_iter();
            all.all(|(p, q)| same_with(ctx, p, q, equal, depth - 1))
        })
}

/// Whether `so_far` is the element at the carried places: `a[k]` beside `a[i]`, where `k` becomes `i`.
fn is_element_at_place(ctx: &Context, so_far: Value, s: &Search, args: &[Value]) -> bool {
    let equal = |a: Value, b: Value| {
        let (a, b) = (uncast(ctx, a), uncast(ctx, b));
        s.chosen
            .iter()
            .any(|c| args[c.at] == a && uncast(ctx, c.new) == b)
    };
    same_element(ctx, so_far, s.element, &equal, MAX_DEPTH)
}

/// As [`same_with`], where loads may be of either dialect.
fn same_element(
    ctx: &Context,
    a: Value,
    b: Value,
    equal: &dyn Fn(Value, Value) -> bool,
    depth: u32,
) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def_op().filter(|_| depth > 0), b.def_op()) else {
        return false;
    };
    match (subscripts(ctx, x), subscripts(ctx, y)) {
        (Some((m, p)), Some((n, q))) => {
            m == n
                && p.len() == q.len()
                && p.iter()
                    .zip(&q)
                    .all(|(p, q)| same_with(ctx, *p, *q, equal, depth))
        }
        (None, None) => alike(ctx, a, b).is_some_and(|operands| {
            let mut all = operands.into_iter();
            all.all(|(p, q)| same_element(ctx, p, q, equal, depth - 1))
        }),
        _ => false,
    }
}

/// The array and the subscripts of a load whose subscripts are values.
fn subscripts(ctx: &Context, op: Op) -> Option<(Value, Vec<Value>)> {
    if op.isa::<memref::LoadOp>(ctx) {
        let all = op.operands(ctx);
        let (m, indices) = all.split_first()?;
        return Some((*m, indices.to_vec()));
    }
    let access = affine::Access::of(ctx, op).filter(|_| op.isa::<affine::LoadOp>(ctx))?;
    let dims = access.map.num_dims() as usize;
    let subscripts = access.map.results().iter().map(|e| {
        let at = match e {
            terrace_ir::affine::AffineExpr::Dim(i) => *i as usize,
            terrace_ir::affine::AffineExpr::Symbol(i) => dims + *i as usize,
            _ => return None,
        };
        access.operands.get(at).copied()
    });
    Some((access.memref, subscripts.collect::<Option<Vec<Value>>>()?))
}

fn uncast(ctx: &Context, v: Value) -> Value {
    match v.def_op().filter(|o| o.isa::<IndexCastOp>(ctx)) {
        Some(op) => uncast(ctx, op.operand(ctx, 0)),
        None => v,
    }
}

/// The loop that does nothing but to run `l` with what it carries itself.
fn around(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let outer = l.op().parent(ctx)?.cast::<ForOp>(ctx)?;
    let plain = |o: &Op| *o == l.op() || (is_pure(ctx, *o) && o.num_regions(ctx) == 0);
    let mut ops = outer.body(ctx).ops(ctx);
    ops.pop();
    let passes_on = l.inits(ctx) == outer.iter_args(ctx)
        && outer.yielded(ctx) == l.op().results(ctx)
        && outer.step(ctx) == 1
        && ops.iter().all(plain);
    let used = outer.iter_args(ctx).iter().all(|a| a.users(ctx).len() == 1);
    (passes_on && used).then_some(outer)
}
