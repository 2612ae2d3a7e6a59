//! How many iterations a loop has at most in one iteration of the parallel loop.

use crate::analysis::linear::Linear;
use terrace_dialects::arith::{MaxSIOp, MinSIOp};
use terrace_ir::{Context, OpKind, Value};

/// Bounds of one loop that are looked at.
const MAX_BOUNDS: usize = 8;

/// The most iterations between two bounds, where that is a number: the difference of one of the
/// upper bounds, of which the least counts, and one of the lower bounds, of which the greatest does.
pub(super) fn most_trips(ctx: &Context, lower: Value, upper: Value) -> Option<i64> {
    let forms = |all: Vec<Value>| -> Vec<Linear> {
        let forms = all.into_iter().filter_map(|v| Linear::of_value(ctx, v));
        forms.collect()
    };
    let lowers = forms(parts_of::<MaxSIOp>(ctx, lower));
    let uppers = forms(parts_of::<MinSIOp>(ctx, upper));
    let pairs = uppers
        .iter()
        .flat_map(|u| lowers.iter().map(move |l| (u, l)));
    pairs.filter_map(|(u, l)| u.distance(l)).min()
}

/// The values that `O` makes `v` of, one after another.
fn parts_of<O: OpKind>(ctx: &Context, v: Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open = vec![v];
    while let Some(v) = open.pop() {
        match v.def_op().filter(|o| o.isa::<O>(ctx)) {
            Some(op) if found.len() + open.len() < MAX_BOUNDS => open.extend(op.operands(ctx)),
            _ => found.push(v),
        }
    }
    found
}
