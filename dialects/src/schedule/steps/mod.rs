//! The steps: what is done to a loop. One file for each kind of change.
//!
//! Each takes handles, which it uses up, and gives handles of what is there then. The
//! attribute `force`, which all have, asks for a step that is not known to be legal.

mod body;
mod calls;
mod chain;
mod data;
mod gpu;
mod order;
mod parallel;
mod reschedule;

pub use body::{DistributeOp, FuseOp, Peel, PeelOp, SplitOp, UnrollJamOp, UnrollOp};
pub use calls::{InlineOp, OutlineOp};
pub use chain::{IsolateOp, ScanOp};
pub use data::{ExpandOp, PromoteOp, StageOp};
pub use gpu::{FuseNestsOp, MapContractionOp, MapReductionOp, MapStencilOp, MapToGpuOp};
pub use order::{
    CoalesceOp, NormalizeOp, PermuteOp, ReverseOp, ShiftOp, SkewOp, StripMineOp, TileOp,
};
pub use parallel::{ParallelOp, VectorizeOp};
pub use reschedule::RescheduleOp;

use super::types::loop_type;
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Context, Op, OpState, Type};

/// The attribute of steps that are done even where they are not known to be legal.
pub const FORCE: &str = "force";

/// A step changes the program, whether its handles are used or not.
fn changes(_: &Context, _: Op) -> Vec<Effect> {
    vec![Effect {
        kind: EffectKind::Write,
        on: None,
    }]
}

/// Handles of `n` loops, as result types.
fn loops(ctx: &Context, n: usize) -> Vec<Type> {
    vec![loop_type(ctx); n]
}

/// The list `name` of an op that is being parsed.
fn list(ctx: &Context, s: &OpState, name: &str) -> Vec<i64> {
    let a = s.get_attr(ctx, name).and_then(|a| a.as_i64_array(ctx));
    a.unwrap_or_default()
}

/// The list `name` of an op.
fn list_of(ctx: &Context, op: Op, name: &str) -> Vec<i64> {
    let a = op.attr(ctx, name).and_then(|a| a.as_i64_array(ctx));
    a.unwrap_or_default()
}

/// Whether the integer attribute `name` is at least `least`; `what` it is, for the
/// message.
fn at_least(ctx: &Context, op: Op, name: &str, what: &str, least: i64) -> Verified {
    match op.int_attr(ctx, name) {
        Some(v) if v < least => {
            Err(format!("has the {what} {v}, but it must be {least} or more").into())
        }
        _ => Ok(()),
    }
}

macro_rules! target {
    ($($op:ident)*) => {
        $(impl $op {
            /// The loop it is about; of a band, the outermost one.
            pub fn target(self, ctx: &terrace_ir::Context) -> terrace_ir::Value {
                terrace_ir::OpKind::op(self).operand(ctx, 0)
            }
        })*
    };
}
use target;
