//! Which loops are scans.
//!
//! The running value is carried by the loop, or by memory: the loop reads the element that
//! the iteration before stored, or the same element is read and stored in each. An op that
//! is associative and commutative combines it with a value that does not depend on it, and
//! something else in the body uses it: otherwise the loop is a reduction. Or it becomes `a * x + b`
//! (`linear`), whether or not the body uses it, since other mappers know no such reductions.

use super::linear;
use super::shape::{Combining, Init, Scan};
use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::reduction::kind_of;
use crate::analysis::source;
pub(crate) use crate::gpu::match_failure::MatchFailure;
use crate::gpu::match_failure::{no_match, no_match_at_all};
use crate::loops::iterations::Iterations;
use terrace_dialects::affine::{Access, ForOp, IfOp};
use terrace_dialects::arith::{AtomicRmwKind, fastmath, fastmath_of};
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineOp};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// The running value of a loop.
struct Running {
    how: Combining,
    combiner: Op,
    before: Vec<Value>,
    after: Vec<Value>,
    init: Init,
    /// Loads that stand for the running value.
    loads: Vec<Op>,
    /// The store of it, and whether it is to the same element in each iteration.
    store: Option<Op>,
    stays: bool,
}

/// The scan that `l` is, as far as its own body tells.
///
/// # Errors
///
/// Why it is none.
pub fn find(ctx: &Context, l: ForOp) -> Result<Scan, MatchFailure> {
    let r = running(ctx, l)?;
    let ops = l.body(ctx).ops(ctx);
    let ty = r.combiner.result(ctx, 0).ty(ctx);
    let (mut needed, reassociates, beside) = match &r.how {
        Combining::Op(kind, v) => {
            let any_order = fastmath_of(ctx, r.combiner) & fastmath::REASSOC != 0;
            let exact = !ty.is_float(ctx) || !rounds(*kind);
            (vec![*v], exact || any_order, Vec::new())
        }
        Combining::Linear(steps) => {
            linear::stays_small(ctx, steps, r.combiner)?;
            let beside = linear::used_beside(ctx, steps, &ops);
            let any_order = linear::reassociates(ctx, steps);
            (linear::given(ctx, steps), any_order, beside)
        }
    };
    let mut s = Scan {
        rows: Vec::new(),
        l,
        how: r.how,
        ty,
        combiner: r.combiner,
        slice: Vec::new(),
        rest: Vec::new(),
        prologue: Vec::new(),
        epilogue: Vec::new(),
        init: r.init,
        store: r.store,
        kept: r.store.filter(|_| r.stays),
        reassociates,
        only_last: false,
        before: r.before,
        after: r.after,
    };
    // Ops come before their users, so that one way back through the text finds all.
    for op in ops.iter().rev() {
        let results = op.results(ctx);
        if results.iter().any(|v| needed.contains(v)) {
            if *op == s.combiner || r.loads.contains(op) {
                return no_match(*op, combined_with_itself(ctx, &s));
            }
            s.slice.push(*op);
            needed.extend(op.operands(ctx));
        }
    }
    s.slice.reverse();
    if needed.iter().any(|v| s.before.contains(v)) {
        return no_match(s.combiner, combined_with_itself(ctx, &s));
    }
    let own = |op: &Op| {
        let made = match &s.how {
            Combining::Op(..) => *op == s.combiner,
            Combining::Linear(steps) => steps.path().contains(op) && !beside.contains(op),
        };
        made || s.slice.contains(op) || r.loads.contains(op) || s.kept == Some(*op)
    };
    s.rest = ops.iter().copied().filter(|op| !own(op)).collect();
    s.rest.retain(|op| op.name(ctx) != affine::YieldOp::NAME);
    s.only_last = !s.uses(&s.before, ctx) && !s.uses(&s.after, ctx);
    if s.only_last && s.components(ctx) == 1 {
        return no_match_at_all(
            s.combiner,
            "makes a value that only the next iteration uses",
        );
    }
    for op in s.slice.iter().chain(&s.rest).chain(&r.loads) {
        runs_in_a_thread(ctx, *op)?;
    }
    let kind = match s.how {
        Combining::Op(kind, _) => kind,
        // What changes nothing is made of sums and products.
        Combining::Linear(_) if ty.is_float(ctx) => AtomicRmwKind::AddF,
        Combining::Linear(_) => AtomicRmwKind::AddI,
    };
    if ty.is_index(ctx) && matches!(kind, AtomicRmwKind::MaxS | AtomicRmwKind::MinS) {
        // What changes nothing depends on the width, which the target knows.
        return no_match(
            s.combiner,
            "makes a greatest or least index, and of indices scans are sums",
        );
    }
    let simple = ty.is_index(ctx)
        || ty.int_width(ctx).is_some_and(|w| matches!(w, 32 | 64))
        || ty
            .float_kind(ctx)
            .is_some_and(|k| matches!(k.width(), 32 | 64));
    if !simple || kind.identity(ctx, ty).is_none() {
        return no_match(
            s.combiner,
            format!(
                "makes a running value of type {}, and scans are of 32 or 64 bits",
                ctx.type_text(ty)
            ),
        );
    }
    Ok(s)
}

/// Adding and multiplying floats depends on the order; the greatest and the least do not.
fn rounds(kind: AtomicRmwKind) -> bool {
    matches!(kind, AtomicRmwKind::AddF | AtomicRmwKind::MulF)
}

fn combined_with_itself(ctx: &Context, s: &Scan) -> String {
    match &s.how {
        Combining::Op(_, contribution) => {
            let what = source::value(ctx, *contribution);
            format!("combines the running value with {what}, which is computed from it")
        }
        Combining::Linear(_) => {
            let what = source::value(ctx, s.combiner.result(ctx, 0));
            format!("makes {what} of the running value by a factor that is computed from it")
        }
    }
}

/// The two operands of a combiner, if one of them is `known`: that one and the other.
fn operands(ctx: &Context, op: Op, known: impl Fn(Value) -> bool) -> Option<(Value, Value)> {
    if op.num_operands(ctx) != 2 {
        return None;
    }
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    match (known(a), known(b)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}

fn running(ctx: &Context, l: ForOp) -> Result<Running, MatchFailure> {
    match &l.iter_args(ctx)[..] {
        [] => in_memory(ctx, l),
        [s] => carried(ctx, l, *s),
        _ => no_match_at_all(l.op(), "carries several values"),
    }
}

fn carried(ctx: &Context, l: ForOp, s: Value) -> Result<Running, MatchFailure> {
    let next = l.yielded(ctx).first().and_then(|v| v.def_op());
    let combiner = next.filter(|o| o.block(ctx) == Some(l.body(ctx)));
    let found = combiner.and_then(|op| {
        let kind = kind_of(op.name(ctx))?;
        let (_, contribution) = operands(ctx, op, |v| v == s)?;
        Some((op, Combining::Op(kind, contribution)))
    });
    let Some((combiner, how)) = (match found {
        Some((op, how)) => Some((op, or_linear(ctx, l, s, op.result(ctx, 0), how))),
        None => combiner.and_then(|op| {
            let next = l.yielded(ctx).first().copied()?;
            Some((op, Combining::Linear(linear::recurrence(ctx, l, s, next)?)))
        }),
    }) else {
        return no_match_at_all(
            l.op(),
            "carries a value that is no sum, product, greatest or least, nor a * x + b",
        );
    };
    let Some(init) = l.inits(ctx).first().copied() else {
        return no_match_at_all(l.op(), "has no first value");
    };
    Ok(Running {
        how,
        combiner,
        before: vec![s],
        after: vec![combiner.result(ctx, 0)],
        init: Init::Value(init),
        loads: Vec::new(),
        store: None,
        stays: false,
    })
}

/// The other way to see what makes `next` of `value`, where that is combined with something that is
/// computed from it: `s + c * s`.
fn or_linear(ctx: &Context, l: ForOp, value: Value, next: Value, how: Combining) -> Combining {
    let Combining::Op(_, contribution) = how else {
        return how;
    };
    let mut values = vec![contribution];
    computing(ctx, &l.body(ctx).ops(ctx), &mut values);
    let steps = values.contains(&value).then(|| linear::recurrence(ctx, l, value, next));
    steps.flatten().map_or(how, Combining::Linear)
}

/// A running value in memory: `b[i] = b[i - 1] + x`, or `s = s + x`.
fn in_memory(ctx: &Context, l: ForOp) -> Result<Running, MatchFailure> {
    let ops = l.body(ctx).ops(ctx);
    for store in ops.iter().filter(|o| o.name(ctx) == affine::StoreOp::NAME) {
        let Some(combiner) = store.operand(ctx, 0).def_op() else {
            continue;
        };
        if combiner.block(ctx) != Some(l.body(ctx)) {
            continue;
        }
        let Some(stored) = Element::of(ctx, *store) else {
            continue;
        };
        let read_before = |v: Value| {
            let load = v.def_op()?;
            let place = Element::of(ctx, load).filter(|p| p.memref == stored.memref)?;
            let next = place.after(l.iv(ctx), l.step(ctx))?;
            (load.name(ctx) == affine::LoadOp::NAME
                && load.block(ctx) == Some(l.body(ctx))
                && next.same(&stored))
            .then_some((load, place))
        };
        let found = kind_of(combiner.name(ctx)).and_then(|kind| {
            let (value, other) = operands(ctx, combiner, |v| read_before(v).is_some())?;
            Some((value, Combining::Op(kind, other)))
        });
        let next = combiner.result(ctx, 0);
        let Some((value, how)) = (match found {
            Some((value, how)) => Some((value, or_linear(ctx, l, value, next, how))),
            None => ops.iter().find_map(|o| {
                let value = o.results(ctx).first().copied()?;
                read_before(value)?;
                let steps = linear::recurrence(ctx, l, value, next)?;
                Some((value, Combining::Linear(steps)))
            }),
        }) else {
            continue;
        };
        let Some((load, first)) = read_before(value) else {
            continue;
        };
        let stays = stored.same(&first);
        // Reads of the same elements stand for the running value too, those behind the
        // store for that of this iteration.
        let (mut before, mut after, mut loads) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_stored = false;
        for op in &ops {
            is_stored |= op == store;
            let place = Element::of(ctx, *op).filter(|p| p.memref == stored.memref);
            let Some(place) = place.filter(|_| op.name(ctx) == affine::LoadOp::NAME) else {
                continue;
            };
            let value = op.result(ctx, 0);
            match (place.same(&first), place.same(&stored)) {
                (true, _) if !stays || !is_stored => before.push(value),
                (_, true) if is_stored => after.push(value),
                _ => continue,
            }
            loads.push(*op);
        }
        after.push(combiner.result(ctx, 0));
        return Ok(Running {
            how,
            combiner,
            before,
            after,
            init: Init::Load(load),
            loads,
            store: Some(*store),
            stays,
        });
    }
    no_match_at_all(l.op(), "has no running value")
}

/// An element by linear subscripts.
struct Element {
    memref: Value,
    at: Vec<Linear>,
}

impl Element {
    fn of(ctx: &Context, op: Op) -> Option<Element> {
        let a = Access::of(ctx, op).filter(|a| a.vector.is_none())?;
        let m = a.composed(ctx);
        Some(Element {
            memref: a.memref,
            at: Linear::of_map(&m.map, &m.operands)?,
        })
    }

    /// That of the iteration `step` later.
    fn after(&self, iv: Value, step: i64) -> Option<Element> {
        let next = Linear::value(iv).plus(step)?;
        let at = self.at.iter().map(|l| l.with(iv, &next));
        Some(Element {
            memref: self.memref,
            at: at.collect::<Option<_>>()?,
        })
    }

    fn same(&self, other: &Element) -> bool {
        self.memref == other.memref
            && self.at.len() == other.at.len()
            && self.at.iter().zip(&other.at).all(|(x, y)| x.equals(y))
    }
}

/// By how much the last subscript of an access grows with a counter, where no other does.
pub fn stride(ctx: &Context, op: Op, iv: Value) -> Option<i64> {
    let at = Element::of(ctx, op)?.at;
    let (last, others) = at.split_last()?;
    let fixed = others.iter().all(|l| l.coefficient(iv) == 0);
    fixed.then(|| last.coefficient(iv))
}

/// Whether a kernel can have a copy of an op: arithmetic, a read or a write, or some under a
/// condition.
fn runs_in_a_thread(ctx: &Context, op: Op) -> Result<(), MatchFailure> {
    let does = match op.name(ctx) {
        affine::LoadOp::NAME | affine::StoreOp::NAME | affine::ApplyOp::NAME => {
            let map = op.attr(ctx, "map").and_then(|a| a.as_map(ctx));
            map.is_some_and(|m| m.results().iter().all(divides_by_positive))
        }
        LoadOp::NAME | StoreOp::NAME => true,
        IfOp::NAME | scf::IfOp::NAME if op.num_results(ctx) == 0 => {
            for inner in branches(ctx, op).into_iter().flatten() {
                runs_in_a_thread(ctx, inner)?;
            }
            let set = op.cast::<IfOp>(ctx).map(|i| i.set(ctx).constraints());
            set.is_none_or(|all| all.iter().all(|c| divides_by_positive(&c.expr)))
        }
        _ => is_pure(ctx, op) && op.num_regions(ctx) == 0 && op.dialect(ctx) != "affine",
    };
    match does {
        true => Ok(()),
        false => no_match(
            op,
            format!("is '{}', which scans do not have", op.name(ctx)),
        ),
    }
}

/// The ops of each region of a condition, without what ends them.
pub fn branches(ctx: &Context, op: Op) -> Vec<Vec<Op>> {
    let regions = op.regions(ctx).into_iter();
    let blocks = regions.map(|r| r.blocks(ctx).first().map(|b| b.ops(ctx)));
    let ends = |o: &Op| matches!(o.name(ctx), affine::YieldOp::NAME | scf::YieldOp::NAME);
    blocks
        .map(|ops| {
            ops.unwrap_or_default()
                .into_iter()
                .filter(|o| !ends(o))
                .collect()
        })
        .collect()
}

fn divides_by_positive(e: &AffineExpr) -> bool {
    let Some((op, x, y)) = e.as_binary() else {
        return true;
    };
    let divides = !matches!(op, AffineOp::Add | AffineOp::Mul);
    !(divides && y.as_constant().is_some_and(|c| c <= 0))
        && divides_by_positive(x)
        && divides_by_positive(y)
}

/// Takes the loop around the scan for one over rows.
///
/// # Errors
///
/// What in it does not allow that.
pub fn add_row(ctx: &Context, s: &mut Scan, row: ForOp) -> Result<(), MatchFailure> {
    if !row.iter_args(ctx).is_empty() {
        return no_match(row.op(), "carries a value from row to row");
    }
    let root = s.root().op();
    let (mut front, mut behind) = (Vec::new(), Vec::new());
    let mut seen = false;
    for op in row.body(ctx).ops(ctx) {
        if op == root {
            seen = true;
        } else if op.name(ctx) == affine::YieldOp::NAME {
        } else {
            runs_in_a_thread(ctx, op)?;
            let writes = matches!(op.name(ctx), affine::StoreOp::NAME | StoreOp::NAME);
            if (writes || op.num_regions(ctx) > 0) && !seen {
                return no_match(op, "writes in front of the scan");
            }
            if seen { &mut behind } else { &mut front }.push(op);
        }
    }
    front.append(&mut s.prologue);
    s.prologue = front;
    s.epilogue.append(&mut behind);
    s.rows.insert(0, row);
    Ok(())
}

/// The bounds must be known in front of all rows, and the ops around the scan must be such
/// that each thread of a row can do those in front, and one those behind.
///
/// # Errors
///
/// What is otherwise.
pub fn check_rows(ctx: &Context, s: &Scan) -> Result<(), MatchFailure> {
    let root = s.root().op();
    let inside = |v: &Value| is_inside(ctx, root, *v);
    let counters: Vec<Value> = s.rows.iter().chain([&s.l]).map(|l| l.iv(ctx)).collect();
    let once = [
        s.kept,
        match s.init {
            Init::Load(op) => Some(op),
            Init::Value(_) => None,
        },
    ];
    for op in once.into_iter().flatten() {
        let at = Access::of(ctx, op).map(|a| a.composed(ctx).operands);
        if at
            .iter()
            .flatten()
            .any(|v| inside(v) && !counters.contains(v))
        {
            return no_match(op, "has subscripts that are computed in the loop");
        }
    }
    for l in s.rows.iter().chain([&s.l]) {
        let mut operands = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
        operands.retain(inside);
        if !operands.is_empty() {
            return no_match(l.op(), "has bounds that change from row to row");
        }
        let maps = [l.lower_map(ctx), l.upper_map(ctx)];
        let mut all = maps.into_iter().flat_map(|m| m.results());
        if Iterations::of(ctx, *l).is_err() || !all.all(divides_by_positive) {
            return no_match(l.op(), "has several lower bounds");
        }
    }
    let mut written = Vec::new();
    root.walk(ctx, &mut |o| match o.name(ctx) {
        affine::StoreOp::NAME | StoreOp::NAME => written.push(base(ctx, o.operand(ctx, 1))),
        _ => {}
    });
    let reads_written = |op: Op| {
        let memref =
            matches!(op.name(ctx), affine::LoadOp::NAME | LoadOp::NAME).then(|| op.operand(ctx, 0));
        memref.is_some_and(|m| written.iter().any(|w| may_be_same(ctx, *w, base(ctx, m))))
    };
    let body: Vec<Op> = [&s.slice[..], &s.rest, &s.epilogue].concat();
    let mut reads = needed(ctx, &s.prologue, &body);
    for op in &s.epilogue {
        reads.extend(op.pre_order(ctx));
    }
    match reads.into_iter().find(|o| reads_written(*o)) {
        Some(op) => {
            let what = source::array(ctx, op.operand(ctx, 0));
            no_match(op, format!("reads {what}, which the rows write"))
        }
        None => Ok(()),
    }
}

/// Those of `ops` that compute what `users` use.
pub fn needed(ctx: &Context, ops: &[Op], users: &[Op]) -> Vec<Op> {
    let mut values = Vec::new();
    for user in users {
        user.walk(ctx, &mut |o| values.extend(o.operands(ctx)));
    }
    computing(ctx, ops, &mut values)
}

/// Those of `ops` that compute `values`, in their order.
pub fn computing(ctx: &Context, ops: &[Op], values: &mut Vec<Value>) -> Vec<Op> {
    let mut found = Vec::new();
    for op in ops.iter().rev() {
        if op.results(ctx).iter().any(|v| values.contains(v)) {
            values.extend(op.operands(ctx));
            found.push(*op);
        }
    }
    found.reverse();
    found
}
