//! `affine-delinearize`: arrays of one dimension whose subscripts are those of several get them.
//!
//! ```text
//! affine.for %i = 0 to %m {                  %rows = the size of %A / %n, rounded up
//!   affine.for %j = 0 to %n {                %V = memref.reinterpret_cast %A to memref<?x?xf32>
//!     %r = arith.muli %i, %n           =>    affine.for %i = 0 to %m {
//!     %k = arith.addi %r, %j                   affine.for %j = 0 to %n {
//!     %v = memref.load %A[%k]                    %v = affine.load %V[%i, %j]
//! ```
//!
//! Loops of C often compute `A[i * n + j]`. That is no affine subscript, so that whoever maps
//! loops by their subscripts would have to leave them alone.
//!
//! Legal because an access touches the same element as before. The subscripts come from
//! `analysis::dependence`, which proves that all but the first are within their sizes: two of
//! them are then equal exactly where their parts are. An array is left as it is where one of its
//! accesses does not come apart, or where something else than an access uses it, so that no
//! array is known by two shapes.

use crate::analysis::dependence::{Delinearized, Size, delinearized};
use crate::loops::build::index;
use crate::lower::expand::expand_map;
use rustc_hash::FxHashSet;
use terrace_dialects::affine;
use terrace_dialects::affine::scope::is_valid_dim;
use terrace_dialects::offsets::Mixed;
use terrace_dialects::{arith, func, memref};
use terrace_ir::affine::AffineMap;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, Region, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-delinearize",
    title: "AffineDelinearize",
    summary: "Give arrays of one dimension the dimensions that their subscripts have",
    description: "Where all accesses to a memref of one dimension have subscripts such as i * n + j, with 0 <= j < n by the bounds of the loops, makes them accesses to a view of several dimensions, with affine subscripts.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-arrays",
        "Number of arrays that got more dimensions",
    )],
    make: |_| Ok(Box::new(Delinearize)),
    ..PassInfo::EMPTY
};

struct Delinearize;

impl Pass for Delinearize {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let made = delinearize(ctx, function);
        ctx.count("num-arrays", made as u64);
        Ok(())
    }
}

/// Does it to a function; gives the number of arrays.
pub fn delinearize(ctx: &mut Context, function: Op) -> usize {
    let region = function.region(ctx, 0);
    let mut made = 0;
    for array in delinearized(ctx, function) {
        let known = (array.accesses.iter()).all(|(op, _)| is_rewritten(ctx, *op, array.memref));
        let Some(at) = first_use(ctx, region, &array).filter(|_| known) else {
            continue;
        };
        let b = &mut Builder::before(ctx, at);
        let indices = indices(b, &array, at);
        let view = view(b, &array, &indices);
        for (op, subscripts) in &array.accesses {
            let operands = subscripts.operands.iter().map(|v| named(*v, &indices));
            let operands: Vec<Value> = operands.collect();
            rewrite(ctx, region, *op, view, (&subscripts.map, &operands));
        }
        made += 1;
    }
    made
}

/// Whether an access is of a kind that can be rewritten, and of no other use of the array.
fn is_rewritten(ctx: &Context, op: Op, memref: Value) -> bool {
    let at = match op.name(ctx) {
        affine::LoadOp::NAME | memref::LoadOp::NAME | memref::GenericAtomicRmwOp::NAME => 0,
        affine::StoreOp::NAME | memref::StoreOp::NAME | memref::AtomicRmwOp::NAME => 1,
        _ => return false,
    };
    op.operand(ctx, at) == memref
}

/// The op of the function's own block in front of which the view can be made: the first that has
/// an access, if the array and its sizes are there by then.
fn first_use(ctx: &Context, region: Region, array: &Delinearized) -> Option<Op> {
    let entry = region.entry(ctx)?;
    let tops = array.accesses.iter();
    let tops: Option<Vec<Op>> = tops.map(|(op, _)| op.ancestor_in(ctx, entry)).collect();
    let first = (tops?.into_iter()).reduce(|a, b| if b.is_before(ctx, a) { b } else { a })?;
    let there = |v: &Value| match v.def_op() {
        Some(op) => op.block(ctx) == Some(entry) && op.is_before(ctx, first),
        None => v.arg_block() == Some(entry),
    };
    let sizes = array.sizes.iter().flat_map(Size::values);
    let needed = [array.memref]
        .into_iter()
        .chain(sizes)
        .chain(integers(ctx, array));
    needed.into_iter().all(|v| there(&v)).then_some(first)
}

/// The values in sizes and subscripts that are integers, from which C computes its subscripts.
fn integers<'a>(ctx: &'a Context, array: &'a Delinearized) -> impl Iterator<Item = Value> + 'a {
    let subscripts = array.accesses.iter();
    let operands = subscripts.flat_map(|(_, all)| all.operands.iter().copied());
    let sizes = array.sizes.iter().flat_map(Size::values);
    sizes.chain(operands).filter(|v| !v.ty(ctx).is_index(ctx))
}

/// Each of these with its value as an index, which is often there in front of `at`.
fn indices(b: &mut Builder, array: &Delinearized, at: Op) -> Vec<(Value, Value)> {
    let mut seen = FxHashSet::default();
    let all: Vec<Value> = (integers(b.ctx, array))
        .filter(|v| seen.insert(*v))
        .collect();
    let index = b.ctx.index();
    let cast = |v: Value| {
        let uses = v.uses(b.ctx).into_iter().map(|u| u.op);
        let mut casts = uses.filter(|o| o.isa::<arith::IndexCastOp>(b.ctx));
        let there = casts.find(|o| {
            let to = o.result(b.ctx, 0).ty(b.ctx) == index;
            to && o.block(b.ctx) == at.block(b.ctx) && o.is_before(b.ctx, at)
        });
        match there {
            Some(o) => (v, o.result(b.ctx, 0)),
            None => (v, b.value::<arith::IndexCastOp>(&[v], index, &[])),
        }
    };
    all.into_iter().map(cast).collect()
}

/// What stands for a value.
fn named(v: Value, indices: &[(Value, Value)]) -> Value {
    indices.iter().find(|p| p.0 == v).map_or(v, |p| p.1)
}

/// The array with its sizes. How many rows there are follows from what it has in all; where
/// that is no whole number of them the last one is not whole.
fn view(b: &mut Builder, array: &Delinearized, indices: &[(Value, Value)]) -> Value {
    let inner: Vec<Mixed> = (array.sizes.iter()).map(|s| size(b, s, indices)).collect();
    let whole = array
        .memref
        .ty(b.ctx)
        .shape(b.ctx)
        .map_or(DYNAMIC, |s| s[0]);
    let row = inner
        .iter()
        .map(|m| m.constant(b.ctx))
        .try_fold(1, |product: i64, n| {
            product.checked_mul(n?).filter(|p| *p > 0)
        });
    let rows = match row.filter(|_| whole != DYNAMIC) {
        Some(row) => Mixed::Static(whole.div_euclid(row) + i64::from(whole % row != 0)),
        None => Mixed::Value(rows(b, array.memref, &inner)),
    };
    let sizes = [&[rows][..], &inner].concat();
    memref::ReinterpretCastOp::build_row_major(b, array.memref, &sizes)
}

fn size(b: &mut Builder, s: &Size, indices: &[(Value, Value)]) -> Mixed {
    let index = |v: &Value| named(*v, indices);
    let (mut number, mut sum) = (0, None);
    for (values, times) in &s.terms {
        let product = (values.iter().map(index)).reduce(|x, y| index::mul(b, x, y));
        let Some(product) = product else {
            number += times;
            continue;
        };
        let term = index::times(b, product, *times);
        sum = Some(match sum {
            Some(sum) => index::add(b, sum, term),
            None => term,
        });
    }
    match sum {
        None => Mixed::Static(number),
        Some(v) if number == 0 => Mixed::Value(v),
        Some(v) => {
            let number = index::constant(b, number);
            Mixed::Value(index::add(b, v, number))
        }
    }
}

/// How many rows of these sizes the array has, rounded up. Without an element in a row no loop
/// over it runs.
fn rows(b: &mut Builder, memref: Value, inner: &[Mixed]) -> Value {
    let zero = index::constant(b, 0);
    let whole = memref::DimOp::build(b, memref, zero);
    let sizes = inner.iter().map(|m| match *m {
        Mixed::Static(n) => index::constant(b, n),
        Mixed::Value(v) => v,
    });
    let sizes: Vec<Value> = sizes.collect();
    let one = index::constant(b, 1);
    let row = (sizes.into_iter()).reduce(|x, y| index::mul(b, x, y));
    let row = index::max(b, row.unwrap_or(one), one);
    index::ceiling(b, whole, row)
}

/// Makes an access one of the view.
fn rewrite(
    ctx: &mut Context,
    region: Region,
    op: Op,
    view: Value,
    (map, operands): (&AffineMap, &[Value]),
) {
    let affine = operands.iter().all(|v| is_valid_dim(ctx, *v, Some(region)));
    let mut b = Builder::before(ctx, op);
    match op.name(b.ctx) {
        affine::LoadOp::NAME | memref::LoadOp::NAME => {
            let loaded = match affine {
                true => affine::LoadOp::build(&mut b, view, map.clone(), operands),
                false => {
                    let Ok(at) = expand_map(&mut b, map, operands) else {
                        return;
                    };
                    memref::LoadOp::build(&mut b, view, &at)
                }
            };
            op.replace(ctx, &[loaded]);
        }
        affine::StoreOp::NAME | memref::StoreOp::NAME => {
            let value = op.operand(b.ctx, 0);
            if affine {
                affine::StoreOp::build(&mut b, value, view, map.clone(), operands);
            } else {
                let Ok(at) = expand_map(&mut b, map, operands) else {
                    return;
                };
                memref::StoreOp::build(&mut b, value, view, &at);
            }
            op.erase(ctx);
        }
        // The value comes first where there is one.
        name => {
            let first = usize::from(name == memref::AtomicRmwOp::NAME);
            let Ok(at) = expand_map(&mut b, map, operands) else {
                return;
            };
            let operands = [&op.operands(b.ctx)[..first], &[view], &at].concat();
            op.set_operands(b.ctx, &operands);
        }
    }
}
