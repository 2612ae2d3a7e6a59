//! Whether an `xfer.enter_data` finds its array present already, and so copies nothing: a
//! search backwards from it for one that holds the array until then.
//!
//! ```text
//! xfer.enter_data copyin(%A)       held from here
//! scf.for ... {
//!   xfer.enter_data copyin(%A)     only counts: reads nothing of the host
//!   xfer.exit_data delete(%A)
//! }
//! xfer.exit_data delete(%A)
//! ```

use super::overlap::access::looks_up;
use crate::analysis::memory::{base, may_be_same};
use terrace_dialects::func;
use terrace_dialects::func::CallOp;
use terrace_dialects::scf;
use terrace_dialects::xfer::{EnterDataOp, ExitDataOp, UpdateOp};
use terrace_ir::{Block, Context, Op, Value};

/// Whether an `xfer.enter_data` or `xfer.exit_data` may read what the host has of `array`,
/// which it is about. What leaves without a copy is not looked at.
pub fn reads_host(ctx: &Context, op: Op, array: Value) -> bool {
    let Some(enter) = op.cast::<EnterDataOp>(ctx) else {
        return false;
    };
    let mut list = enter.clauses(ctx).into_iter();
    let copies = list.any(|(v, clause)| v == array && clause.copies_in());
    copies && !is_held(ctx, op, array)
}

/// How often an array was let go of on the way back, for each of the two counters: that
/// of regions and that of `xfer.enter_data` by itself.
#[derive(Default)]
struct LetGo {
    regions: usize,
    enters: usize,
    /// By `finalize`, which takes back all of the latter.
    all_enters: bool,
}

impl LetGo {
    fn count(&mut self, structured: bool) -> &mut usize {
        match structured {
            true => &mut self.regions,
            false => &mut self.enters,
        }
    }
}

/// What an op in front of the one that is asked about says.
enum Says {
    Held,
    Nothing,
    /// That only the run can tell.
    Unknown,
}

/// Whether `array` is present in front of `op` on every path.
fn is_held(ctx: &Context, op: Op, array: Value) -> bool {
    let mut let_go = LetGo::default();
    let mut at = op;
    loop {
        while let Some(o) = at.prev(ctx) {
            match says(ctx, o, array, &mut let_go) {
                Says::Held => return true,
                Says::Nothing => at = o,
                Says::Unknown => return false,
            }
        }
        let (Some(block), Some(parent)) = (at.block(ctx), at.parent(ctx)) else {
            return false;
        };
        // Beyond where the array has its name it is another one.
        let one = block.region(ctx).is_some_and(|r| r.has_one_block(ctx));
        if !one || array.arg_block() == Some(block) {
            return false;
        }
        match parent.name(ctx) {
            scf::IfOp::NAME | scf::ExecuteRegionOp::NAME => {}
            scf::ForOp::NAME | scf::WhileOp::NAME if keeps(ctx, parent, array) => {}
            _ => return false,
        }
        at = parent;
    }
}

fn says(ctx: &Context, op: Op, array: Value, let_go: &mut LetGo) -> Says {
    if op.results(ctx).contains(&array) {
        return Says::Unknown;
    }
    let same = |v: Value| v == array;
    let other = |v: Value| v != array && may_be(ctx, v, array);
    if let Some(enter) = op.cast::<EnterDataOp>(ctx) {
        if !op.operands(ctx).into_iter().any(same) {
            return Says::Nothing;
        }
        let structured = enter.is_structured(ctx);
        let all = !structured && let_go.all_enters;
        let count = let_go.count(structured);
        match *count {
            0 if !all => return Says::Held,
            0 => {}
            _ => *count -= 1,
        }
        return Says::Nothing;
    }
    if let Some(exit) = op.cast::<ExitDataOp>(ctx) {
        if op.operands(ctx).into_iter().any(other) {
            return Says::Unknown;
        }
        if op.operands(ctx).into_iter().any(same) {
            *let_go.count(exit.is_structured(ctx)) += 1;
            let_go.all_enters |= exit.is_final(ctx);
        }
        return Says::Nothing;
    }
    match keeps(ctx, op, array) {
        true => Says::Nothing,
        false => Says::Unknown,
    }
}

/// Whether the array is held as often behind an op, with all that is in it, as in front,
/// and never less often in between.
fn keeps(ctx: &Context, op: Op, array: Value) -> bool {
    if op.isa::<EnterDataOp>(ctx) || op.isa::<UpdateOp>(ctx) {
        return true;
    }
    let unknown = op.name(ctx) == func::CallIndirectOp::NAME
        || !op.is_registered(ctx)
        || op.isa::<CallOp>(ctx) && looks_up(ctx, op, &mut Vec::new());
    let balanced = |b: &Block| is_balanced(ctx, *b, array);
    let mut blocks = op.blocks(ctx).into_iter();
    !unknown && blocks.all(|b| balanced(&b))
}

fn is_balanced(ctx: &Context, block: Block, array: Value) -> bool {
    let mut held = LetGo::default();
    for op in block.ops(ctx) {
        let operands = op.operands(ctx);
        if let Some(enter) = op.cast::<EnterDataOp>(ctx) {
            *held.count(enter.is_structured(ctx)) += usize::from(operands.contains(&array));
        } else if let Some(exit) = op.cast::<ExitDataOp>(ctx) {
            let mut operands = operands.into_iter();
            if !operands.any(|v| may_be(ctx, v, array)) {
                continue;
            }
            let clear = op.operands(ctx).contains(&array) && !exit.is_final(ctx);
            let count = held.count(exit.is_structured(ctx));
            if !clear || *count == 0 {
                return false;
            }
            *count -= 1;
        } else if !keeps(ctx, op, array) {
            return false;
        }
    }
    true
}

fn may_be(ctx: &Context, v: Value, array: Value) -> bool {
    v.ty(ctx).is_memref(ctx) && may_be_same(ctx, base(ctx, v), base(ctx, array))
}
