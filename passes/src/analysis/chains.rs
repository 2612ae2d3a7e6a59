//! How many iterations have to run side by side where each is a chain of ops that wait for one
//! another.
//!
//! ```text
//! affine.for %k iter_args(%x = %a) {     two ops that take 4 cycles each, where a core begins 4 ops
//!   %0 = arith.mulf %x, %x               in a cycle: 16 of these loops side by side would take as
//!   %1 = arith.addf %0, %c               long as one, and 8 are made
//!   affine.yield %1
//! }
//! ```
//!
//! By Little's law a core is busy where as many ops are under way as it begins in the time that one
//! takes.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{ApplyOp, ForOp, YieldOp};
use terrace_dialects::{arith, math, memref};
use terrace_ir::{Context, Op, Value};

/// Cycles until a result can be used, about, on the cores of the last ten years (Fog, Instruction
/// tables): loads, arithmetic on floats, products of integers, quotients and roots, and others.
const LOAD: u64 = 5;
const FLOAT: u64 = 4;
const PRODUCT: u64 = 5;
const QUOTIENT: u64 = 13;
const OTHER: u64 = 1;
/// Ops that a core begins in a cycle.
const ISSUED: u64 = 4;
/// So many could begin while a quotient keeps its unit busy.
const BUSY: u64 = 16;
/// Where there is a chain at all, two of them are rarely too many.
const LEAST: u64 = 2;
/// More than these have too few registers.
pub const MOST: u64 = 8;

/// How many loops like `l`, or registers of lanes for each of its values, keep a core busy; 0 where
/// its iterations do not wait for one another.
pub fn wanted(ctx: &Context, l: ForOp) -> u64 {
    let mut depths: FxHashMap<Value, u64> = FxHashMap::default();
    depths.extend(l.iter_args(ctx).into_iter().map(|v| (v, 0)));
    let (mut longest, mut issued) = (0, 0);
    for op in l.body(ctx).ops(ctx) {
        let operands = op.operands(ctx).into_iter();
        let depth = operands.filter_map(|v| depths.get(&v).copied()).max();
        if op.isa::<YieldOp>(ctx) {
            longest = depth.unwrap_or(0);
            continue;
        }
        if op.isa::<ApplyOp>(ctx) || op.isa::<arith::ConstantOp>(ctx) {
            continue;
        }
        let latency = latency(ctx, op);
        issued += if latency == QUOTIENT { BUSY } else { 1 };
        if let Some(depth) = depth {
            let done = depth + latency;
            depths.extend(op.results(ctx).into_iter().map(|v| (v, done)));
        }
    }
    match longest {
        0 => 0,
        cycles => (cycles * ISSUED / issued.max(1))
            .next_power_of_two()
            .clamp(LEAST, MOST),
    }
}

fn latency(ctx: &Context, op: Op) -> u64 {
    let float = op.operands(ctx).iter().any(|v| v.ty(ctx).is_float(ctx));
    match op.name(ctx) {
        arith::DivFOp::NAME | math::SqrtOp::NAME => QUOTIENT,
        arith::MulIOp::NAME => PRODUCT,
        memref::LoadOp::NAME => LOAD,
        _ if float => FLOAT,
        _ => OTHER,
    }
}
