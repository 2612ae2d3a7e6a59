//! The values of a program's parameters, where its new loops stand.

use super::reschedule::OpRange;
use super::tree::Node;
use crate::analysis::dependence::{Param, Program};
use crate::loops::Refusal;
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::arith::{IndexCastOp, constant_index};
use terrace_dialects::memref::DimOp;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, InsertPoint, Op, Value};

/// Where the value of a parameter comes from.
pub(super) enum Source {
    /// It is never asked for.
    Unused,
    Value(Value),
    Size(Value, u32),
    /// A product of other parameters.
    Product(Vec<usize>),
}

/// How each parameter is got behind `range`.
pub(super) fn sources(
    ctx: &Context,
    program: &Program,
    outer: &[Value],
    nodes: &[Node],
    range: OpRange,
) -> Result<Vec<Source>, Refusal> {
    let list = program.params.list();
    let total = list.len() + outer.len();
    let mut wanted: Vec<bool> = (0..total)
        .map(|p| nodes.iter().any(|n| n.mentions(p as u32)))
        .collect();
    // Factors come before the products that they are in, or behind: until all are found.
    loop {
        let before = wanted.clone();
        for (p, param) in list.iter().enumerate() {
            if let Param::Product(factors) = param
                && wanted[p]
            {
                factors.iter().for_each(|f| wanted[*f as usize] = true);
            }
        }
        if before == wanted {
            break;
        }
    }
    let is_there = |v: Value| {
        let Some(op) = v.def_op() else { return true };
        !range.encloses(ctx, op) || (op.block(ctx) == Some(range.block) && is_pure(ctx, op))
    };
    let gone = |v: Value| {
        let m = "a bound depends on a value computed between the loops";
        Refusal::new(v.loc(ctx), m)
    };
    let is_plain = |f: usize| {
        let param = list.get(f);
        param.is_some_and(|p| matches!(p, Param::Value(_) | Param::Size(..)))
    };
    let source = |(p, param): (usize, &Param)| match param {
        _ if !wanted[p] => Ok(Source::Unused),
        Param::Value(v) if is_there(*v) => Ok(Source::Value(*v)),
        Param::Size(m, i) if is_there(*m) => Ok(Source::Size(*m, *i)),
        Param::Value(v) | Param::Size(v, _) => Err(gone(*v)),
        Param::Product(f) if f.iter().all(|f| is_plain(*f as usize)) => {
            Ok(Source::Product(f.iter().map(|f| *f as usize).collect()))
        }
        Param::Product(_) | Param::Quotient(..) => {
            let m = "a bound depends on a quotient of parameters, or a product of such";
            Err(Refusal::new(range.first.loc(ctx), m))
        }
    };
    let mut all: Vec<Source> = list
        .iter()
        .enumerate()
        .map(source)
        .collect::<Result<_, _>>()?;
    all.extend(outer.iter().map(|v| Source::Value(*v)));
    Ok(all)
}

/// The values of the parameters, which are indices; those that are not asked for are some value.
pub(super) fn values(b: &mut Builder, sources: &[Source]) -> Vec<Value> {
    let mut values: Vec<Option<Value>> = sources
        .iter()
        .map(|s| match s {
            Source::Value(v) => Some(as_index(b, *v)),
            Source::Size(memref, i) => Some(size(b, *memref, i64::from(*i))),
            Source::Unused | Source::Product(_) => None,
        })
        .collect();
    for (p, s) in sources.iter().enumerate() {
        let Source::Product(factors) = s else {
            continue;
        };
        let operands: Vec<Value> = factors.iter().filter_map(|f| values[*f]).collect();
        let symbols = (0..operands.len()).map(|k| AffineExpr::symbol(k as u32));
        let product = symbols.reduce(|a, b| AffineExpr::binary(AffineOp::Mul, a, b));
        let product = product.unwrap_or(AffineExpr::constant(1));
        let map = AffineMap::new(0, operands.len() as u32, vec![product]);
        values[p] = Some(ApplyOp::build(b, map, &operands));
    }
    let some = match values.iter().flatten().next() {
        Some(v) => *v,
        None if values.is_empty() => return Vec::new(),
        None => constant_index(b, 0),
    };
    values.into_iter().map(|v| v.unwrap_or(some)).collect()
}

/// A parameter as an index. Analyses look through casts of 64-bit integers to indices, so that
/// the parameter they find may be such an integer, which no bound takes.
fn as_index(b: &mut Builder, v: Value) -> Value {
    let index = b.ctx.index();
    if v.ty(b.ctx) == index {
        return v;
    }
    let here = b.block();
    let cast = v.users(b.ctx).into_iter().find(|op| {
        let same = op.isa::<IndexCastOp>(b.ctx) && op.result(b.ctx, 0).ty(b.ctx) == index;
        same && op.block(b.ctx) == here && is_before(b, *op)
    });
    match cast {
        Some(op) => op.result(b.ctx, 0),
        None => b.value::<IndexCastOp>(&[v], index, &[]),
    }
}

/// The size of a memref; where the block has it already, that.
fn size(b: &mut Builder, memref: Value, i: i64) -> Value {
    let here = b.block();
    let same = |op: &Op| {
        let d = op.cast::<DimOp>(b.ctx)?;
        let index = b.ctx.constant_int(d.index(b.ctx));
        let fits = d.source(b.ctx) == memref && index == Some(i) && op.block(b.ctx) == here;
        fits.then(|| op.result(b.ctx, 0))
    };
    // Only what comes before the builder's place: the loops that are replaced use it.
    let found = memref.users(b.ctx).iter().find_map(|op| {
        let v = same(op)?;
        is_before(b, *op).then_some(v)
    });
    found.unwrap_or_else(|| {
        let index = constant_index(b, i);
        DimOp::build(b, memref, index)
    })
}

/// Whether an op of the builder's block comes before its place.
fn is_before(b: &Builder, op: Op) -> bool {
    match b.at {
        InsertPoint::After(mark) => op == mark || op.is_before(b.ctx, mark),
        InsertPoint::Before(mark) => op.is_before(b.ctx, mark),
        _ => false,
    }
}
