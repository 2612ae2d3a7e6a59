//! `lower-rows`: accesses of arrays with tables of pointers go to rows that were found before.
//!
//! ```text
//! scf.for %j = %c0 to %m step %c1 {         %some = arith.cmpi slt, %c0, %m
//!   %v = memref.load %a[%i, %j]             scf.if %some {
//! }                                   =>      %row = rows.row %a[%i]
//!                                             scf.for %j = %c0 to %m step %c1 {
//!                                               %v = memref.load %row[%j]
//!                                             }
//!                                           }
//! ```
//!
//! A row is found in front of the innermost loop that it is the same in. Legal, because nothing
//! changes the tables while the array is used. A table has the pointer only where an access uses
//! it, so that the row of a loop that may have no iterations stands under the question whether
//! it has, and none moves out of a condition.

use rustc_hash::FxHashSet;
use terrace_dialects::{arith, func, memref, rows, scf, vector};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Region, Value};

pub static INFO: PassInfo = PassInfo {
    name: "lower-rows",
    title: "LowerRows",
    summary: "Find rows of arrays with tables of pointers before their elements are accessed",
    description: "Loads and stores of memrefs in the space #rows.tables become such of rows that rows.row finds, in front of the innermost loops in which they are the same.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new("num-rows", "Number of rows.row made")],
    make: |_| Ok(Box::new(LowerRows)),
    ..PassInfo::EMPTY
};

/// The ops that have the subscripts of an element as operands behind its array.
const ACCESSES: &[&str] = &[
    memref::LoadOp::NAME,
    memref::StoreOp::NAME,
    memref::AtomicRmwOp::NAME,
    memref::GenericAtomicRmwOp::NAME,
    memref::PrefetchOp::NAME,
    vector::LoadOp::NAME,
    vector::StoreOp::NAME,
    vector::MaskedLoadOp::NAME,
    vector::MaskedStoreOp::NAME,
    vector::GatherOp::NAME,
    vector::ScatterOp::NAME,
];

/// The attribute that says how many operands are in each group.
const SEGMENTS: &str = "operandSegmentSizes";
/// Which dimensions of the array those of a transferred vector lie along.
const MAP: &str = "permutation_map";

/// The map of a transfer.
fn map_of(ctx: &Context, op: Op) -> Option<&AffineMap> {
    let transfers = op.isa::<vector::TransferReadOp>(ctx) || op.isa::<vector::TransferWriteOp>(ctx);
    transfers.then(|| op.attr(ctx, MAP)?.as_map(ctx))?
}

/// The map of the same transfer from a row, without so many outer dimensions; `None` where the
/// vector lies along one of these.
fn in_rows(map: &AffineMap, tables: usize) -> Option<AffineMap> {
    let tables = tables as u32;
    if (0..tables).any(|d| map.is_function_of_dim(d)) {
        return None;
    }
    let rank = map.num_dims().checked_sub(tables)?;
    let dims = (0..map.num_dims()).map(|d| match d.checked_sub(tables) {
        Some(d) => AffineExpr::dim(d),
        None => AffineExpr::constant(0),
    });
    let dims: Vec<AffineExpr> = dims.collect();
    let results = map.results().iter().map(|e| e.replace_dims(&dims));
    Some(AffineMap::new(rank, 0, results.collect()))
}

struct LowerRows;

impl Pass for LowerRows {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut found = Rows::default();
        for op in function.pre_order(ctx) {
            if op.isa::<rows::RowOp>(ctx) || op.isa::<memref::DimOp>(ctx) {
                continue;
            }
            let Some(at) = (op.operands(ctx).into_iter())
                .position(|v| rows::distances(ctx, v.ty(ctx)).is_some())
            else {
                continue;
            };
            let tables = rows::distances(ctx, op.operand(ctx, at).ty(ctx)).map_or(0, |d| d.len());
            let rows = match map_of(ctx, op) {
                Some(map) => in_rows(map, tables).map(Some),
                None => ACCESSES.contains(&op.name(ctx)).then_some(None),
            };
            let Some(map) = rows else {
                let text = format!("'{}' takes an array of rows as a whole", op.name(ctx));
                ctx.error(op.loc(ctx), text);
                return Err(PassFailed);
            };
            found.access(ctx, op, (at, tables));
            if let Some(map) = map {
                let map = ctx.map_attr(map);
                op.set_attr(ctx, MAP, map);
            }
        }
        ctx.count("num-rows", found.made.len() as u64);
        Ok(())
    }
}

/// The rows that were made.
#[derive(Default)]
struct Rows {
    made: Vec<rows::RowOp>,
    /// Loops that stand under the question whether they have iterations.
    guarded: FxHashSet<Op>,
}

impl Rows {
    /// Makes `op`, whose operand `at` is an array with so many tables, an access of a row.
    fn access(&mut self, ctx: &mut Context, op: Op, (at, tables): (usize, usize)) {
        let mut operands = op.operands(ctx);
        for _ in 0..tables {
            let index = operands.remove(at + 1);
            operands[at] = self.row(ctx, op, operands[at], index);
        }
        op.set_operands(ctx, &operands);
        // The group of the subscripts follows that of the array, which is one operand.
        let sizes = op.attr(ctx, SEGMENTS).and_then(|a| a.as_i64_array(ctx));
        if let Some(sizes) = sizes {
            let mut sizes: Vec<i32> = sizes.into_iter().map(|n| n as i32).collect();
            if let Some(n) = sizes.get_mut(at + 1) {
                *n -= tables as i32;
            }
            let sizes = ctx.i32_array(&sizes);
            op.set_attr(ctx, SEGMENTS, sizes);
        }
    }

    /// The row at `index` of `array`, where `op` needs it.
    fn row(&mut self, ctx: &mut Context, op: Op, array: Value, index: Value) -> Value {
        let anchor = self.anchor(ctx, op, [array, index]);
        let there = self.made.iter().find(|r| {
            let row = r.op();
            row.operand(ctx, 0) == array
                && row.operand(ctx, 1) == index
                && is_before(ctx, row, anchor)
        });
        if let Some(row) = there {
            return row.op().result(ctx, 0);
        }
        let mut b = Builder::before(ctx, anchor);
        b.loc = op.loc(b.ctx);
        let row = rows::RowOp::build(&mut b, array, index);
        self.made.extend(row.def_op().map(rows::RowOp::wrap));
        row
    }

    /// In front of what a row of these operands is found, for `op`: the outermost loop in which
    /// it is the same and which surely runs, or else `op` itself.
    fn anchor(&mut self, ctx: &mut Context, op: Op, operands: [Value; 2]) -> Op {
        let mut anchor = op;
        while let Some(l) = anchor.parent_of::<scf::ForOp>(ctx)
            && anchor.parent(ctx) == Some(l.op())
            && (operands.iter()).all(|v| is_outside(ctx, *v, l.op().region(ctx, 0)))
        {
            if l.trip_count(ctx).is_none_or(|n| n == 0) && !self.guarded.contains(&l.op()) {
                guard(ctx, l);
                self.guarded.insert(l.op());
            }
            anchor = l.op();
        }
        anchor
    }
}

/// Whether a value is made outside of a region.
fn is_outside(ctx: &Context, v: Value, region: Region) -> bool {
    let own = v.block(ctx).and_then(|b| b.region(ctx));
    own.is_none_or(|r| !region.contains(ctx, r))
}

/// Whether `row` stands in front of `op`, in its block or in one around it.
fn is_before(ctx: &Context, row: Op, op: Op) -> bool {
    let block = row.block(ctx);
    let mut at = Some(op);
    while let Some(here) = at {
        if here.block(ctx) == block {
            return row.is_before(ctx, here);
        }
        at = here.parent(ctx);
    }
    false
}

/// Puts a loop under the question whether it has iterations; without any its results are what it
/// begins with.
fn guard(ctx: &mut Context, l: scf::ForOp) {
    let op = l.op();
    let results = op.results(ctx);
    let types: Vec<_> = results.iter().map(|r| r.ty(ctx)).collect();
    let inits = l.init_args(ctx);
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let (low, high) = (l.lower_bound(b.ctx), l.upper_bound(b.ctx));
    let predicate = match l.is_unsigned(b.ctx) {
        true => arith::CmpIPredicate::Ult,
        false => arith::CmpIPredicate::Slt,
    };
    let some = arith::CmpIOp::build(&mut b, predicate, low, high);
    let (choice, then, other) = scf::IfOp::build(&mut b, some, &types, !types.is_empty());
    let choice = choice.op();
    for (old, new) in results.iter().zip(choice.results(ctx)) {
        old.replace_all_uses(ctx, new);
    }
    op.move_to_end(ctx, then);
    let loc = op.loc(ctx);
    for (block, values) in [(Some(then), results), (other, inits)] {
        let Some(block) = block else { continue };
        let mut b = Builder::at_end(ctx, block, loc);
        scf::YieldOp::build(&mut b, &values);
    }
}
