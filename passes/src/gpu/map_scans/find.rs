//! Which loops are scans.
//!
//! The running value is carried by the loop, or by memory: the loop reads the element that
//! the iteration before stored, or the same element is read and stored in each. An op that
//! is associative and commutative combines it with a value that does not depend on it, and
//! something else in the body uses it: otherwise the loop is a reduction. Or it becomes `a * x + b`
//! (`linear`), whether or not the body uses it, since other mappers know no such reductions.

use super::linear;
use super::running::{Element, running};
use super::shape::{Combining, Init, Scan};
use crate::analysis::captured::is_inside;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::source;
pub(crate) use crate::gpu::match_failure::MatchFailure;
use crate::gpu::match_failure::{no_match, no_match_at_all};
use crate::loops::iterations::Iterations;
use terrace_dialects::affine::{Access, ForOp, IfOp};
use terrace_dialects::arith::{AtomicRmwKind, fastmath, fastmath_of};
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineOp};
use terrace_ir::effects::{is_pure, only_reads};
use terrace_ir::{Context, Op, OpKind, Value};

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
        Combining::Choice(_, v) => (vec![*v], true, Vec::new()),
        Combining::Restart(r) => {
            let exact = !ty.is_float(ctx) || !rounds(r.kind);
            (r.given(), exact || r.reassociates(ctx), Vec::new())
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
        side_by_side: false,
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
            op.walk(ctx, &mut |o| needed.extend(o.operands(ctx)));
        }
    }
    s.slice.reverse();
    if needed.iter().any(|v| s.before.contains(v)) {
        return no_match(s.combiner, combined_with_itself(ctx, &s));
    }
    let own = |op: &Op| {
        let made = match &s.how {
            Combining::Op(..) | Combining::Choice(..) => *op == s.combiner,
            Combining::Restart(r) => r.path().contains(op),
            Combining::Linear(steps) => steps.path().contains(op) && !beside.contains(op),
        };
        made || s.slice.contains(op) || r.loads.contains(op) || s.kept == Some(*op)
    };
    s.rest = ops.iter().copied().filter(|op| !own(op)).collect();
    s.rest.retain(|op| op.name(ctx) != affine::YieldOp::NAME);
    s.rest = with_a_purpose(ctx, &s.rest);
    s.only_last = !s.uses(&s.before, ctx) && !s.uses(&s.after, ctx);
    if s.only_last && s.components(ctx) == 1 {
        return no_match_at_all(
            s.combiner,
            "makes a value that only the next iteration uses",
        );
    }
    // What is combined is computed several times.
    if let Some(op) = s.slice.iter().find(|o| !only_reads(ctx, **o)) {
        return no_match(*op, "writes, and makes what is combined as well");
    }
    for op in s.slice.iter().chain(&s.rest).chain(&r.loads) {
        runs_in_a_thread(ctx, *op)?;
    }
    let kind = match s.how {
        Combining::Op(kind, _) => kind,
        Combining::Restart(ref r) => r.kind,
        Combining::Choice(..) => AtomicRmwKind::MaximumF,
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

/// Those of `ops` that write, and what these use: others were for the running value.
fn with_a_purpose(ctx: &Context, ops: &[Op]) -> Vec<Op> {
    let mut used: Vec<Value> = Vec::new();
    let mut kept = Vec::new();
    for op in ops.iter().rev() {
        if !only_reads(ctx, *op) || op.results(ctx).iter().any(|v| used.contains(v)) {
            op.walk(ctx, &mut |o| used.extend(o.operands(ctx)));
            kept.push(*op);
        }
    }
    kept.reverse();
    kept
}

/// Adding and multiplying floats depends on the order; the greatest and the least do not.
fn rounds(kind: AtomicRmwKind) -> bool {
    matches!(kind, AtomicRmwKind::AddF | AtomicRmwKind::MulF)
}

fn combined_with_itself(ctx: &Context, s: &Scan) -> String {
    match &s.how {
        Combining::Op(_, contribution) | Combining::Choice(_, contribution) => {
            let what = source::value(ctx, *contribution);
            format!("combines the running value with {what}, which is computed from it")
        }
        Combining::Restart(_) => {
            let what = source::value(ctx, s.combiner.result(ctx, 0));
            format!("makes {what} of the running value and of what is computed from it")
        }
        Combining::Linear(_) => {
            let what = source::value(ctx, s.combiner.result(ctx, 0));
            format!("makes {what} of the running value by a factor that is computed from it")
        }
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
        IfOp::NAME | scf::IfOp::NAME => {
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
            op.walk(ctx, &mut |o| values.extend(o.operands(ctx)));
            found.push(*op);
        }
    }
    found.reverse();
    found
}
