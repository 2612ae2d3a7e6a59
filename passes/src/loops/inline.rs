//! Inlining: the bodies of functions stand where a loop called them.
//!
//! ```text
//! func.func @g(%A: memref<8xf32>, %j: index) {
//!   affine.store %x, %A[%j]
//! }
//! affine.for %i = 0 to 8 {                        affine.for %i = 0 to 8 {
//!   call @g(%A, %i)                        =>       affine.store %x, %A[%i]
//! }                                               }
//! ```
//!
//! Calls in those bodies are inlined too. Possible where every function called has a
//! body of one block, none is recursive, and what they use as dimensions and symbols is
//! such in the loop: the arguments, and what is computed at the top of a function. That
//! is tried on a copy of the loop.

use super::Refusal;
use super::splice::splice;
use rustc_hash::FxHashMap;
use terrace_dialects::func::{CallIndirectOp, CallOp, FuncOp, ReturnOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Block, Context, Loc, LocData, Op, OpKind};

/// The most ops that may be copied to inline the calls in a loop.
const MAX_OPS: usize = 1 << 16;

/// The longest chain of calls.
const MAX_DEPTH: usize = 64;

/// Inline all calls in the loop `l`.
///
/// # Errors
///
/// Names the call and the function that cannot be inlined, or says that there is no
/// call, or that the loop would become too long.
pub fn inline(ctx: &mut Context, l: Op) -> Result<(), Refusal> {
    if calls_in(ctx, l).is_empty() {
        return Err(Refusal::new(l.loc(ctx), "it holds no call"));
    }
    let mut survey = Survey {
        path: l.parent_of::<FuncOp>(ctx).into_iter().collect(),
        sizes: FxHashMap::default(),
    };
    let size = survey.calls(ctx, l)?;
    if size > MAX_OPS {
        let m = format!(
            "to inline its calls, {size} ops would be copied, which is more than {MAX_OPS}; inline in loops inside it"
        );
        return Err(Refusal::new(l.loc(ctx), m));
    }
    // Before the loop, not anywhere: dimensions and symbols are judged by the place.
    let copy = clone_op(ctx, l, &mut IrMapping::new());
    copy.insert_before(ctx, l);
    let origin = splice_all(ctx, copy);
    let result = valid(ctx, copy, &origin);
    copy.erase(ctx);
    result?;
    splice_all(ctx, l);
    Ok(())
}

fn calls_in(ctx: &Context, root: Op) -> Vec<Op> {
    let all = root.pre_order(ctx).into_iter();
    all.filter(|op| op.isa::<CallOp>(ctx) || op.isa::<CallIndirectOp>(ctx))
        .collect()
}

/// What is called, and how much that is.
struct Survey {
    /// The functions on the way to the calls that are looked at.
    path: Vec<FuncOp>,
    /// How many ops are copied to inline a call of the functions that were looked at.
    sizes: FxHashMap<Op, usize>,
}

impl Survey {
    /// How many ops are copied to inline the calls in `root`.
    fn calls(&mut self, ctx: &Context, root: Op) -> Result<usize, Refusal> {
        let mut sum = 0usize;
        for call in calls_in(ctx, root) {
            let f = self.callee(ctx, call)?;
            let size = match self.sizes.get(&f.op()) {
                Some(n) => *n,
                None => {
                    self.path.push(f);
                    // All but the function itself.
                    let own = f.op().pre_order(ctx).len().saturating_sub(1);
                    let n = self.calls(ctx, f.op())?.saturating_add(own);
                    self.path.pop();
                    self.sizes.insert(f.op(), n);
                    n
                }
            };
            sum = sum.saturating_add(size);
        }
        Ok(sum)
    }

    /// The function that is called, which can be inlined as far as can be seen from it
    /// alone.
    fn callee(&self, ctx: &Context, call: Op) -> Result<FuncOp, Refusal> {
        let Some(c) = call.cast::<CallOp>(ctx) else {
            let m = "it calls a function that is a value, so that which one is not known";
            return Err(Refusal::new(call.loc(ctx), m));
        };
        let Some(f) = c.function(ctx) else {
            return refuse(ctx, call, "the module has no such function");
        };
        let reason = if self.path.contains(&f) {
            Some("it is recursive".to_string())
        } else if f.is_declaration(ctx) {
            Some("it is only declared, without a body".to_string())
        } else if self.path.len() > MAX_DEPTH {
            Some(format!("it is at the end of more than {MAX_DEPTH} calls"))
        } else if [call, f.op()]
            .iter()
            .any(|o| o.attr(ctx, "no_inline").is_some())
        {
            Some("'no_inline' forbids it".to_string())
        } else {
            unfit(ctx, f)
        };
        match reason {
            None => Ok(f),
            Some(r) => {
                let r = refuse::<FuncOp>(ctx, call, &r);
                r.map_err(|r| r.note(f.op().loc(ctx), "this function"))
            }
        }
    }
}

/// Why the body of `f` can stand in no loop.
fn unfit(ctx: &Context, f: FuncOp) -> Option<String> {
    let body = f.op().region(ctx, 0);
    if !body.has_one_block(ctx) {
        let n = body.blocks(ctx).len();
        return Some(format!("its body has {n} blocks, but a loop's has one"));
    }
    let last = f.entry(ctx).last_op(ctx);
    if !last.is_some_and(|t| t.isa::<ReturnOp>(ctx)) {
        return Some("its body does not end in a return".to_string());
    }
    let all = f.op().pre_order(ctx);
    let unknown = all.into_iter().find(|o| o.def(ctx).is_none())?;
    Some(format!(
        "it holds '{}', an op that is not known",
        unknown.name(ctx)
    ))
}

fn refuse<T>(ctx: &Context, call: Op, why: &str) -> Result<T, Refusal> {
    let name = call.cast::<CallOp>(ctx).map_or("", |c| c.callee(ctx));
    let m = format!("the call of '@{name}' cannot be inlined: {why}");
    Err(Refusal::new(call.loc(ctx), m))
}

/// Put bodies in place of all calls in `root`, until there are none. What is called
/// was surveyed. Gives the function that each inlined op comes from.
fn splice_all(ctx: &mut Context, root: Op) -> FxHashMap<Op, FuncOp> {
    let mut origin = FxHashMap::default();
    let mut work = calls_in(ctx, root);
    while let Some(call) = work.pop() {
        let Some(f) = call.cast::<CallOp>(ctx).and_then(|c| c.function(ctx)) else {
            continue;
        };
        splice(ctx, call, f.op(), false, &mut |ctx, blocks| {
            for b in blocks {
                keep_names(ctx, *b);
                for op in b.ops(ctx) {
                    work.extend(calls_in(ctx, op));
                    origin.extend(op.pre_order(ctx).into_iter().map(|o| (o, f)));
                }
            }
        });
    }
    origin
}

/// Let loops and arrays in an inlined block be called what they were in the function:
/// their locations tell of the call now.
fn keep_names(ctx: &Context, block: Block) {
    let args = |b: Block| {
        for i in 0..b.num_args(ctx) {
            if let Some(loc) = renamed(ctx, b.arg_loc(ctx, i)) {
                b.set_arg_loc(ctx, i, loc);
            }
        }
    };
    args(block);
    for top in block.ops(ctx) {
        for op in top.pre_order(ctx) {
            if let Some(loc) = renamed(ctx, op.loc(ctx)) {
                op.set_loc(ctx, loc);
            }
            for r in op.regions(ctx) {
                r.blocks(ctx).into_iter().for_each(args);
            }
        }
    }
}

/// The location of an inlined op with the name it had where it was called.
fn renamed(ctx: &Context, loc: Loc) -> Option<Loc> {
    let LocData::CallSite { callee, .. } = loc.data(ctx) else {
        return None;
    };
    Some(loc.named(ctx, callee.name(ctx)?))
}

/// Whether each op in `copy`, a loop with calls inlined, may be where it is.
fn valid(ctx: &Context, copy: Op, origin: &FxHashMap<Op, FuncOp>) -> Result<(), Refusal> {
    for op in copy.pre_order(ctx) {
        let Some(def) = op.def(ctx) else { continue };
        for check in [def.verify, def.verify_regions].into_iter().flatten() {
            let Err(e) = check(ctx, op) else { continue };
            let (name, why) = (op.name(ctx), e.message);
            let m = match origin.get(&op) {
                Some(f) => format!(
                    "the call of '@{}' cannot be inlined: its '{name}' would not be valid in the loop: {why}",
                    f.name(ctx)
                ),
                None => format!("with its calls inlined, '{name}' would not be valid: {why}"),
            };
            return Err(Refusal::new(op.loc(ctx), m));
        }
    }
    Ok(())
}
