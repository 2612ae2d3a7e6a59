//! `affine-copy-rows`: an innermost loop that only copies elements that lie one behind the other is
//! one copy.
//!
//! ```text
//! affine.for %j = %l to %n {                  %x = memref.subview %a[%i, %l] [1, %n - %l] [1, 1]
//!   %v = affine.load %a[%i, %j]        =>     %y = memref.subview %b[%l + 1] [%n - %l] [1]
//!   affine.store %v, %b[%j + 1]               memref.copy %x, %y
//! }
//! ```
//!
//! The C library copies with the widest registers that there are. Legal where the two arrays are
//! different memory; only for rows that are not known to be short, since a call has its price.

use terrace_dialects::affine::{Access, ApplyOp, ForOp, LoadOp, MinOp, StoreOp};
use terrace_dialects::arith::{self, MaxSIOp, SubIOp};
use terrace_dialects::func;
use terrace_dialects::memref::{self, layout};
use terrace_dialects::offsets::{Mixed, Slice};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, TypeData, Value};

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, may_coincide};
use crate::analysis::memref_region::element_bytes;

pub static INFO: PassInfo = PassInfo {
    name: "affine-copy-rows",
    title: "AffineCopyRows",
    summary: "Make a memref.copy of each innermost affine loop that only copies",
    description: "Replaces innermost affine.for ops with a step of 1 that store what they load to another array, where both go along a row, by a memref.copy between views of the rows.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "min-bytes",
        OptionKind::UInt,
        "128",
        "Bytes of a row, at least, where they are known",
    )],
    statistics: &[StatisticInfo::new("num-copies", "Number of loops replaced")],
    make: |o| {
        Ok(Box::new(CopyRows {
            min_bytes: o.uint("min-bytes"),
        }))
    },
};

struct CopyRows {
    min_bytes: u64,
}

impl Pass for CopyRows {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        for l in function.find_all::<ForOp>(ctx) {
            let Some([from, to]) = copied(ctx, l) else {
                continue;
            };
            let trips = constant_trip_count(ctx, l);
            if trips.is_some_and(|n| n.saturating_mul(from.bytes) < self.min_bytes) {
                continue;
            }
            if replace(ctx, l, &from, &to).is_some() {
                ctx.count("num-copies", 1);
            }
        }
        Ok(())
    }
}

/// The elements of a row that a loop goes along.
struct Row {
    array: Value,
    /// Subscripts of the element in an iteration.
    at: ValueMap<Value>,
    /// Of an element.
    bytes: u64,
}

/// The rows that `l` copies from and to, if it does nothing else.
fn copied(ctx: &Context, l: ForOp) -> Option<[Row; 2]> {
    let marked = l
        .op()
        .attrs(ctx)
        .iter()
        .any(|(k, _)| ctx.str(*k).contains('.'));
    let plain = l.step(ctx) == 1 && l.op().num_results(ctx) == 0 && !marked;
    if !plain || l.lower_map(ctx).num_results() != 1 {
        return None;
    }
    let mut ops = l.body(ctx).ops(ctx);
    ops.pop();
    ops.retain(|op| !op.isa::<ApplyOp>(ctx) || !is_pure(ctx, *op));
    let [load, store] = ops[..] else { return None };
    let (load, store) = (load.cast::<LoadOp>(ctx)?, store.cast::<StoreOp>(ctx)?);
    if store.value(ctx) != load.result(ctx) {
        return None;
    }
    let from = row(ctx, l, &load.access(ctx)?)?;
    let to = row(ctx, l, &store.access(ctx)?)?;
    let apart = !may_coincide(ctx, base(ctx, from.array), base(ctx, to.array));
    apart.then_some([from, to])
}

/// The row that an access goes along.
fn row(ctx: &Context, l: ForOp, access: &Access) -> Option<Row> {
    let ty = access.memref.ty(ctx);
    let strides = layout::strides_and_offset(ctx, ty)?.strides;
    if strides.last() != Some(&1) || !matches!(ty.data(ctx), TypeData::MemRef { space: None, .. }) {
        return None;
    }
    let at = access.composed(ctx);
    let at = ValueMap {
        map: at.map,
        operands: at.operands,
    };
    let forms = Linear::of_map(&at.map, &at.operands)?;
    let (last, others) = forms.split_last()?;
    let along = last.coefficient(l.iv(ctx)) == 1;
    let stays = others.iter().all(|f| f.coefficient(l.iv(ctx)) == 0);
    (along && stays).then_some(Row {
        array: access.memref,
        at,
        bytes: u64::try_from(element_bytes(ctx, ty.element(ctx)?)?).ok()?,
    })
}

fn replace(ctx: &mut Context, l: ForOp, from: &Row, to: &Row) -> Option<()> {
    let iv = l.iv(ctx);
    let (lower, lower_operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let mut b = Builder::before(ctx, l.op());
    b.loc = l.op().loc(b.ctx);
    let begin = ApplyOp::build(&mut b, lower, &lower_operands);
    let end = match upper.num_results() {
        1 => ApplyOp::build(&mut b, upper, &upper_operands),
        _ => MinOp::build(&mut b, upper, &upper_operands),
    };
    let index = begin.ty(b.ctx);
    let length = b.value::<SubIOp>(&[end, begin], index, &[]);
    let zero = arith::constant_index(&mut b, 0);
    let length = b.value::<MaxSIOp>(&[length, zero], index, &[]);
    let views = [from, to].map(|row| {
        let operands: Vec<Value> = row
            .at
            .operands
            .iter()
            .map(|v| if *v == iv { begin } else { *v })
            .collect();
        let (dims, symbols) = (row.at.map.num_dims(), row.at.map.num_symbols());
        let first = |b: &mut Builder, e: &AffineExpr| {
            let map = AffineMap::new(dims, symbols, vec![e.clone()]);
            Mixed::Value(ApplyOp::build(b, map, &operands))
        };
        let offsets: Vec<Mixed> = row
            .at
            .map
            .results()
            .iter()
            .map(|e| first(&mut b, e))
            .collect();
        let rank = offsets.len();
        let mut sizes = vec![Mixed::Static(1); rank];
        sizes[rank - 1] = Mixed::Value(length);
        let slice = Slice {
            offsets,
            sizes,
            strides: vec![Mixed::Static(1); rank],
        };
        let ty = layout::rank_reduced_subview(b.ctx, row.array.ty(b.ctx), &slice, &[DYNAMIC])?;
        Some(memref::SubViewOp::build(&mut b, row.array, &slice, ty))
    });
    let [Some(from), Some(to)] = views else {
        return None;
    };
    memref::CopyOp::build(&mut b, from, to);
    l.op().erase(ctx);
    Some(())
}
