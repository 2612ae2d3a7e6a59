//! The iterations of two accesses that touch the same element, as a system over the
//! loops around both: the form that slices of loop nests are computed from.
//!
//! Exact dependences are [`super::dependence`]; here the answer is a rational
//! relaxation, which may hold pairs that do not exist and never lacks one.

use super::constraints::{Row, System};
use super::memory::{base, may_be_same};
use terrace_dialects::affine::{Access, AccessKind, ForOp, IfOp, ParallelOp, scope};
use terrace_dialects::memref;
use terrace_ir::{Context, Op, OpKind, Value};

/// What is known of two accesses.
#[derive(Debug, Clone)]
pub enum Pair {
    /// They never depend on each other this way.
    Independent,
    /// Where they may: dimensions are the loops around the first, then those around the
    /// second.
    Dependent(Box<System>),
    /// Nothing is known.
    Unknown,
}

impl Pair {
    pub fn may_depend(&self) -> bool {
        !matches!(self, Pair::Independent)
    }
}

/// Loops, parallel loops and conditions around an op, as far as nothing else is between,
/// the outermost first.
fn affine_ops_around(ctx: &Context, op: Op) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut next = op.parent(ctx);
    while let Some(p) = next {
        if !p.isa::<ForOp>(ctx) && !p.isa::<ParallelOp>(ctx) && !p.isa::<IfOp>(ctx) {
            break;
        }
        ops.push(p);
        next = p.parent(ctx);
    }
    ops.reverse();
    ops
}

/// The induction variables around an op within its analysis scope, the outermost first.
pub fn scoped_ivs(ctx: &Context, op: Op) -> Vec<Value> {
    let mut ivs = Vec::new();
    for o in affine_ops_around(ctx, op) {
        if let Some(l) = o.cast::<ForOp>(ctx) {
            ivs.push(l.iv(ctx));
        } else if let Some(p) = o.cast::<ParallelOp>(ctx) {
            ivs.extend(p.ivs(ctx));
        }
    }
    ivs
}

/// How many loops two ops have in common.
pub fn common_loops(ctx: &Context, a: Op, b: Op) -> usize {
    let (a, b) = (scoped_ivs(ctx, a), scoped_ivs(ctx, b));
    a.iter().zip(&b).take_while(|(x, y)| x == y).count()
}

/// The iterations that run an op.
fn domain(ctx: &Context, op: Op) -> Option<System> {
    let ivs = scoped_ivs(ctx, op);
    let mut set = System::over(&ivs, &[]);
    for o in affine_ops_around(ctx, op) {
        if let Some(l) = o.cast::<ForOp>(ctx) {
            set.add_loop(ctx, l)?;
        } else if let Some(p) = o.cast::<ParallelOp>(ctx) {
            set.add_parallel(ctx, p)?;
        } else if let Some(i) = o.cast::<IfOp>(ctx) {
            // The condition holds in the first region and not in the second.
            let then = i.then_block(ctx);
            if op.ancestor_in(ctx, then).is_some() {
                set.add_condition(ctx, i)?;
            }
        }
    }
    // A bound by a loop outside the scope would be a dimension too many.
    (set.num_dims() == ivs.len()).then_some(set)
}

/// The iterations of `first` and `second` that touch the same element, the first before
/// the second: with `depth` at most the number of common loops, those that have the
/// same iteration of all common loops before loop `depth` (counted from 1) and an
/// earlier one of that; with one more, those in the same iteration of all common loops.
/// Two reads depend on each other only with `reads`.
pub fn pair(ctx: &Context, first: &Access, second: &Access, depth: usize, reads: bool) -> Pair {
    use terrace_dialects::affine::AccessKind::Write;
    if first.memref != second.memref {
        return Pair::Independent;
    }
    if !reads && first.kind != Write && second.kind != Write {
        return Pair::Independent;
    }
    let scopes = [first.op, second.op].map(|op| scope::analysis_scope(ctx, op));
    if scopes[0] != scopes[1] || first.vector.is_some() || second.vector.is_some() {
        return Pair::Unknown;
    }
    let common = common_loops(ctx, first.op, second.op);
    if !reads && depth > common && !comes_before(ctx, first.op, second.op) {
        return Pair::Independent;
    }
    match relation(ctx, first, second) {
        None => Pair::Unknown,
        Some(mut set) => {
            let n = scoped_ivs(ctx, first.op).len();
            order(&mut set, n, common, depth);
            if set.is_empty() {
                Pair::Independent
            } else if set.is_unknown() {
                Pair::Unknown
            } else {
                Pair::Dependent(Box::new(set))
            }
        }
    }
}

/// All pairs of iterations of two accesses that touch the same element, in any order.
pub fn relation(ctx: &Context, first: &Access, second: &Access) -> Option<System> {
    let (a, b) = (domain(ctx, first.op)?, domain(ctx, second.op)?);
    let mut set = a.product(&b)?;
    let (n, m) = (a.num_dims(), b.num_dims());
    let rows = |set: &mut System, access: &Access, from: usize| -> Option<Vec<Row>> {
        let c = access.composed(ctx);
        let ivs = scoped_ivs(ctx, access.op);
        for v in &c.operands {
            if !ivs.contains(v) {
                set.add_symbol(ctx, *v)?;
            }
        }
        let column = |set: &System, v: &Value| match ivs.iter().position(|x| x == v) {
            Some(i) => Some(from + i),
            None => set.find_symbol(*v),
        };
        let columns: Option<Vec<usize>> = c.operands.iter().map(|v| column(set, v)).collect();
        set.rows(&c.map, &columns?)
    };
    let x = rows(&mut set, first, 0)?;
    let before = set.num_columns();
    let symbols = set.num_symbols();
    let y = rows(&mut set, second, n)?;
    if x.len() != y.len() {
        return None;
    }
    // What the second access added came before the locals, and after the dimensions.
    let new_symbols = set.num_symbols() - symbols;
    let new_locals = set.num_columns() - before - new_symbols;
    for (x, y) in x.into_iter().zip(y) {
        let mut row = x;
        let at = n + m + symbols;
        row.splice(at..at, std::iter::repeat_n(0, new_symbols + new_locals));
        let row: Row = row.iter().zip(&y).map(|(x, y)| x - y).collect();
        set.add_equality(row);
    }
    Some(set)
}

/// Whether two memrefs, both known before the ops that are compared, may be the same
/// memory. What was there before an allocation is none of it.
pub fn may_overlap(ctx: &Context, a: Value, b: Value) -> bool {
    let (a, b) = (base(ctx, a), base(ctx, b));
    let made_after = |a: Value, b: Value| {
        let Some(op) = a.def_op() else { return false };
        let fresh = matches!(op.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME);
        let place = b.block(ctx).and_then(|block| op.ancestor_in(ctx, block));
        fresh
            && place.is_some_and(|at| match b.def_op() {
                Some(earlier) => earlier != at && earlier.is_before(ctx, at),
                None => true,
            })
    };
    may_be_same(ctx, a, b) && (a == b || !(made_after(a, b) || made_after(b, a)))
}

/// Whether `a` comes before `b` in every iteration of the loops around both.
pub fn comes_before(ctx: &Context, a: Op, b: Op) -> bool {
    let mut block = a.block(ctx);
    while let Some(at) = block {
        if let (Some(x), Some(y)) = (a.ancestor_in(ctx, at), b.ancestor_in(ctx, at)) {
            return x != y && x.is_before(ctx, y);
        }
        block = at.parent_op(ctx).and_then(|op| op.block(ctx));
    }
    false
}

/// Say which loops have the same iteration, and which an earlier one first.
fn order(set: &mut System, n: usize, common: usize, depth: usize) {
    for i in 0..common.min(depth) {
        let width = set.num_columns();
        let mut row: Row = vec![0; width + 1];
        row[n + i] = 1;
        row[i] = -1;
        if i + 1 == depth {
            row[width] = -1;
            set.add_inequality(row);
        } else {
            set.add_equality(row);
        }
    }
}

/// The least and greatest of `second - first` for each common loop, where two accesses
/// depend on each other.
pub fn distances(set: &System, n: usize, common: usize) -> Vec<(Option<i64>, Option<i64>)> {
    (0..common)
        .map(|i| {
            let mut s = set.clone();
            s.insert_dim(0, None);
            let width = s.num_columns();
            let mut row: Row = vec![0; width + 1];
            row[0] = -1;
            row[1 + n + i] = 1;
            row[1 + i] = -1;
            s.add_equality(row);
            s.constant_bounds(0)
        })
        .collect()
}

/// All affine reads and writes in an op, in the order of the text.
pub fn reads_and_writes(ctx: &Context, op: Op) -> Vec<Access> {
    let mut all = Access::all(ctx, op);
    all.retain(|a| a.kind != AccessKind::Prefetch);
    all
}

/// Whether accesses of a nest depend on each other in a circle.
pub fn has_cycle(ctx: &Context, root: ForOp) -> bool {
    let all = reads_and_writes(ctx, root.op());
    let depth = scoped_ivs(ctx, root.op()).len();
    let edge = |a: &Access, b: &Access| {
        let common = common_loops(ctx, a.op, b.op);
        a.memref == b.memref
            && (depth + 1..=common + 1).any(|d| pair(ctx, a, b, d, false).may_depend())
    };
    let n = all.len();
    let next: Vec<Vec<usize>> = (0..n)
        .map(|i| (0..n).filter(|j| edge(&all[i], &all[*j])).collect())
        .collect();
    (0..n).any(|start| {
        let mut seen = vec![false; n];
        let mut todo = next[start].clone();
        while let Some(i) = todo.pop() {
            if i == start {
                return true;
            }
            if !std::mem::replace(&mut seen[i], true) {
                todo.extend(&next[i]);
            }
        }
        false
    })
}
