//! `affine-uncoalesce`: a loop over the product of two sizes, whose body takes its counter apart again,
//! becomes a loop over one size around a loop over the other.
//!
//! ```text
//! affine.for %t = 0 to %n * %m {           affine.for %i = 0 to %n {
//!   %i = arith.divsi %t, %m                  affine.for %j = 0 to %m {
//!   %j = arith.remsi %t, %m          =>        body(%i, %j)
//!   body(%i, %j)                             }
//! }                                        }
//! ```
//!
//! The subscripts of the body are affine then. Products of more sizes come apart one after the other, those with
//! the fewest factors first. Where the counter is used as a whole it is `%i * %m + %j`.
//!
//! Legal where the sizes that are divided by are positive. A region's call looks at that, so here it is
//! presumed (`acc.presumes`); elsewhere they have to be constants. Products of signed
//! numbers do not overflow in C.

use terrace_dialects::affine::{ApplyOp, ForOp, LoadOp, StoreOp};
use terrace_dialects::arith::{self, AddIOp, DivSIOp, ExtSIOp, IndexCastOp, MulIOp, RemSIOp};
use terrace_dialects::attributes::ACC_REGION;
use terrace_dialects::func;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};

use crate::analysis::dependence::presume_positive;
use crate::loops::build::index;
use crate::lower::expand::on_values;

/// The most factors of a product.
const MAX_FACTORS: usize = 6;

pub static INFO: PassInfo = PassInfo {
    name: "affine-uncoalesce",
    title: "AffineUncoalesce",
    summary: "Make nests of loops over products whose counters are divided by a factor",
    description: "An affine.for from 0 to below a product of sizes, in which the counter is divided by some of them or their remainders are taken, becomes a nest. In regions it is presumed that these sizes are positive.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that became two",
    )],
    make: |_| Ok(Box::new(Uncoalesce)),
    ..PassInfo::EMPTY
};

struct Uncoalesce;

impl Pass for Uncoalesce {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut loops = 0;
        // Loops within one that comes apart are made anew.
        while let Some((l, split)) = first(ctx, function) {
            rewrite(ctx, function, l, &split);
            loops += 1;
        }
        ctx.count("num-loops", loops);
        Ok(())
    }
}

/// How a loop comes apart.
struct Split {
    /// The factors of the bound, without those of `inner`.
    outer: Vec<Value>,
    /// What the counter is divided by.
    inner: Vec<Value>,
}

/// The first loop that comes apart.
fn first(ctx: &Context, function: Op) -> Option<(ForOp, Split)> {
    let mut all = function.find_all::<ForOp>(ctx).into_iter();
    all.find_map(|l| Some((l, find(ctx, function, l)?)))
}

fn find(ctx: &Context, function: Op, l: ForOp) -> Option<Split> {
    if l.step(ctx) != 1 || l.constant_lower(ctx) != Some(0) {
        return None;
    }
    let map = l.upper_map(ctx);
    let at = match map.results() {
        [AffineExpr::Dim(i)] => *i,
        [AffineExpr::Symbol(i)] => map.num_dims() + *i,
        _ => return None,
    };
    let bound = *l.upper_operands(ctx).get(at as usize)?;
    let factors = factors(ctx, bound)?;
    let fixed = |v: &Value| ctx.constant_int(*v).is_some_and(|c| c > 0);
    let args = function.region(ctx, 0).entry(ctx)?.args(ctx);
    let given = |v: &Value| fixed(v) || args.contains(v);
    if factors.len() < 2 || !factors.iter().all(given) {
        return None;
    }
    let divisors = parts(ctx, l.iv(ctx)).into_iter().filter_map(|op| {
        let of = self::factors(ctx, op.operand(ctx, 1))?;
        let rest = without(&factors, &of)?;
        (!rest.is_empty()).then_some((of, rest))
    });
    let (inner, outer) = divisors.min_by_key(|(of, _)| of.len())?;
    if !is_arithmetic(ctx, l.iv(ctx)) {
        return None;
    }
    let region = function.attr(ctx, ACC_REGION).is_some();
    (region || inner.iter().all(fixed)).then_some(Split { outer, inner })
}

/// Whether no bounds and no `affine.if` are computed from an index: only accesses and what has a form on any
/// numbers.
fn is_arithmetic(ctx: &Context, v: Value) -> bool {
    v.users(ctx).into_iter().all(|user| match user.name(ctx) {
        ApplyOp::NAME => is_arithmetic(ctx, user.result(ctx, 0)),
        LoadOp::NAME | StoreOp::NAME => true,
        name => !name.starts_with("affine."),
    })
}

/// The quotients and remainders of a number, which may be converted.
fn parts(ctx: &Context, of: Value) -> Vec<Op> {
    let mut found = Vec::new();
    let mut open = vec![of];
    while let Some(v) = open.pop() {
        for user in v.users(ctx) {
            if user.isa::<IndexCastOp>(ctx) || user.isa::<ExtSIOp>(ctx) {
                open.push(user.result(ctx, 0));
            } else if (user.isa::<DivSIOp>(ctx) || user.isa::<RemSIOp>(ctx))
                && user.operand(ctx, 0) == v
                && !found.contains(&user)
            {
                found.push(user);
            }
        }
    }
    found
}

/// What a product of signed numbers is made of.
fn factors(ctx: &Context, v: Value) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    let mut open = vec![v];
    while let Some(v) = open.pop() {
        match v.def_op() {
            Some(op) if op.isa::<MulIOp>(ctx) => open.extend(op.operands(ctx)),
            Some(op) if op.isa::<IndexCastOp>(ctx) || op.isa::<ExtSIOp>(ctx) => {
                open.push(op.operand(ctx, 0));
            }
            _ => found.push(v),
        }
        if found.len() + open.len() > MAX_FACTORS {
            return None;
        }
    }
    Some(found)
}

/// The factors that are left of a product that is divided by others, if it has them all.
fn without(all: &[Value], of: &[Value]) -> Option<Vec<Value>> {
    let mut rest = all.to_vec();
    for v in of {
        let at = rest.iter().position(|r| r == v)?;
        rest.remove(at);
    }
    Some(rest)
}

/// Makes two loops of one, which may come apart again.
fn rewrite(ctx: &mut Context, function: Op, l: ForOp, split: &Split) {
    presume_positive(ctx, function, &split.inner);
    let loc = l.op().loc(ctx);
    // At the top of the function, where sizes of loops are computed.
    let mut top = l.op();
    while let Some(outer) = top.parent(ctx).filter(|o| *o != function) {
        top = outer;
    }
    let mut b = Builder::new(ctx, InsertPoint::Before(top), loc);
    let outer_bound = product(&mut b, &split.outer);
    let inner_bound = product(&mut b, &split.inner);
    let mut b = Builder::before(ctx, l.op());
    let zero = || (AffineMap::constant(0), &[][..]);
    let bound = |of: &[Value; 1]| (AffineMap::symbol_identity(), of.to_vec());
    let (to_outer, to_inner) = (bound(&[outer_bound]), bound(&[inner_bound]));
    let inits = l.inits(b.ctx);
    let outer = ForOp::build(
        &mut b,
        zero(),
        (to_outer.0, &to_outer.1),
        1,
        &inits,
        |b, i, carried| {
            let inner = ForOp::build(
                b,
                zero(),
                (to_inner.0, &to_inner.1),
                1,
                carried,
                |b, j, carried| body(b, l, split, (i, j, inner_bound), carried),
            );
            inner.op().results(b.ctx)
        },
    );
    let results = outer.op().results(b.ctx);
    for (old, new) in l.op().results(b.ctx).into_iter().zip(results) {
        old.replace_all_uses(b.ctx, new);
    }
    l.op().erase(b.ctx);
}

/// The body of the loop, where its counter is `i * size + j`; what it hands on.
fn body(
    b: &mut Builder,
    l: ForOp,
    split: &Split,
    (i, j, size): (Value, Value, Value),
    carried: &[Value],
) -> Vec<Value> {
    let index = b.ctx.index();
    let whole = b.value::<MulIOp>(&[i, size], index, &[]);
    let whole = b.value::<AddIOp>(&[whole, j], index, &[]);
    let mut map = IrMapping::new();
    map.map(l.iv(b.ctx), whole);
    map.map_all(&l.iter_args(b.ctx), carried);
    let mut ops = l.body(b.ctx).ops(b.ctx);
    let end = ops.pop().map_or(Vec::new(), |e| e.operands(b.ctx));
    for op in ops {
        let new = clone_op(b.ctx, op, &mut map);
        b.insert(new);
    }
    let mut end: Vec<Value> = end.into_iter().map(|v| map.value(v)).collect();
    subscripts_on_values(b, whole);
    for op in parts(b.ctx, whole) {
        let before = InsertPoint::Before(op);
        let new = b.with_point(before, |b| part(b, op, split, (i, j, size)));
        if let Some(new) = new {
            replace(b, op, new, &mut end);
        }
    }
    end
}

/// Computes the subscripts that `v`, which is no dimension, is in.
fn subscripts_on_values(b: &mut Builder, v: Value) {
    for op in v.users(b.ctx) {
        let new = b.with_point(InsertPoint::Before(op), |b| {
            on_values(b, op, &IrMapping::new())
        });
        let Some(new) = new else { continue };
        for (old, new) in op.results(b.ctx).into_iter().zip(&new) {
            old.replace_all_uses(b.ctx, *new);
        }
        let is_index = op.isa::<ApplyOp>(b.ctx);
        op.erase(b.ctx);
        if let (true, [index]) = (is_index, &new[..]) {
            subscripts_on_values(b, *index);
        }
    }
}

/// A quotient or a remainder of `i * size + j`, if it is by `size` or a multiple of it.
fn part(
    b: &mut Builder,
    op: Op,
    split: &Split,
    (i, j, size): (Value, Value, Value),
) -> Option<Value> {
    let by = factors(b.ctx, op.operand(b.ctx, 1))?;
    let rest = without(&by, &split.inner)?;
    let index = b.ctx.index();
    let quotient = op.isa::<DivSIOp>(b.ctx);
    if rest.is_empty() {
        return Some(if quotient { i } else { j });
    }
    let rest = product(b, &rest);
    if quotient {
        return Some(b.value::<DivSIOp>(&[i, rest], index, &[]));
    }
    let above = b.value::<RemSIOp>(&[i, rest], index, &[]);
    let above = b.value::<MulIOp>(&[above, size], index, &[]);
    Some(b.value::<AddIOp>(&[above, j], index, &[]))
}

/// Puts an index in the place of an op's result. Where that becomes an index again, no conversion is left.
fn replace(b: &mut Builder, op: Op, new: Value, end: &mut [Value]) {
    let (result, index) = (op.result(b.ctx, 0), b.ctx.index());
    let ty = result.ty(b.ctx);
    for user in result.users(b.ctx) {
        if user.isa::<IndexCastOp>(b.ctx) && user.result(b.ctx, 0).ty(b.ctx) == index {
            user.result(b.ctx, 0).replace_all_uses(b.ctx, new);
        }
    }
    let number = b.with_point(InsertPoint::Before(op), |b| of_type(b, new, ty));
    result.replace_all_uses(b.ctx, number);
    for v in end.iter_mut().filter(|v| **v == result) {
        *v = number;
    }
}

fn of_type(b: &mut Builder, v: Value, ty: Type) -> Value {
    if ty == b.ctx.index() {
        return v;
    }
    b.value::<IndexCastOp>(&[v], ty, &[])
}

/// The product of arguments and constants, as an index.
fn product(b: &mut Builder, of: &[Value]) -> Value {
    let index = b.ctx.index();
    let mut whole: Option<Value> = None;
    for v in of {
        let v = as_index(b, *v);
        whole = Some(match whole {
            None => v,
            Some(w) => b.value::<MulIOp>(&[w, v], index, &[]),
        });
    }
    whole.unwrap_or_else(|| arith::constant_index(b, 1))
}

/// An argument or a constant as an index.
fn as_index(b: &mut Builder, v: Value) -> Value {
    if let Some(c) = b.ctx.constant_int(v) {
        return arith::constant_index(b, c);
    }
    index::of_value(b, v)
}
