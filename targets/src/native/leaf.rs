//! Loops in functions that call others, as functions of their own.
//!
//! Registers that a call may change hold nothing across it, and a value that is needed behind a
//! call, as the sum that a loop makes, has its place in memory also in the loop before. So an
//! outermost loop without calls in a function that has some becomes a function
//! `(env) -> status`: `env` holds what the loop uses from outside, and behind it the results.

use super::environment::Environment;
use super::func::{load_words, store_words, total_bytes};
use super::lower::{Lower, R};
use super::module::State;
use super::part::{define_part, has_long_vectors};
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, types};
use cranelift_module::FuncId;
use terrace_dialects::scf::{ForOp, ParallelOp, WhileOp};
use terrace_dialects::{func, math, memref};
use terrace_ir::{Context, Op};

/// A loop to be lowered as a function.
#[derive(Debug)]
pub(super) struct Leaf {
    id: FuncId,
    op: Op,
    environment: Environment,
}

/// Whether `op` is a loop that becomes a function.
pub(super) fn is_leaf(l: &Lower, op: Op) -> bool {
    let ctx = l.ctx;
    let is_loop = op.isa::<ForOp>(ctx) || op.isa::<WhileOp>(ctx);
    let pays = || calls_others(ctx, op) || l.s.level.is_some() && has_long_vectors(ctx, op);
    is_loop && !l.is_part && !has_calls(ctx, op) && pays()
}

/// Whether the function around `op` calls others.
fn calls_others(ctx: &Context, op: Op) -> bool {
    let mut around = op;
    while let Some(outer) = around.parent(ctx) {
        around = outer;
        if around.isa::<func::FuncOp>(ctx) {
            return has_calls(ctx, around);
        }
    }
    false
}

/// Whether an op, or one in it, may call something: another function or one of the library, the
/// runtime for a parallel loop, memory or a device.
pub(super) fn has_calls(ctx: &Context, op: Op) -> bool {
    let mut found = false;
    op.walk(ctx, &mut |o| found |= may_call(ctx, o));
    found
}

fn may_call(ctx: &Context, op: Op) -> bool {
    match op.name(ctx).split_once('.') {
        Some(("arith" | "vector" | "cf" | "rows" | "ub", _)) => false,
        Some(("math", name)) => math::library_function(name).is_some(),
        Some(("scf", _)) => op.isa::<ParallelOp>(ctx),
        Some(("func", _)) => op.isa::<func::CallOp>(ctx) || op.isa::<func::CallIndirectOp>(ctx),
        Some(("memref", name)) => {
            let access = op.isa::<memref::LoadOp>(ctx) || op.isa::<memref::StoreOp>(ctx);
            !access && !op.isa::<memref::DimOp>(ctx) && !super::view::is_view(name)
        }
        _ => true,
    }
}

/// Calls the function that `op` becomes, and binds its results.
pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let (environment, values) = Environment::of(l, op)?;
    let results = l.flat_types(&op.results(ctx))?;
    let slot = l.slot((environment.bytes() + total_bytes(&results)).max(8), 4);
    let env = l.slot_addr(slot);
    store_words(l, &values, env);
    let mut sig = l.s.code.make_signature();
    sig.params.push(AbiParam::new(types::I64));
    sig.returns.push(AbiParam::new(types::I32));
    let id = (l.s.code)
        .declare_anonymous_function(&sig)
        .map_err(|e| format!("cannot be made a function: {e}"))?;
    let f = l.func_ref(id);
    let call = l.b.ins().call(f, &[env]);
    let status = l.b.inst_results(call)[0];
    l.check_status(status);
    let behind = super::fields::behind(l, env, i64::from(environment.bytes()));
    let values = load_words(l, &results, behind);
    l.s.leaves.push(Leaf {
        id,
        op,
        environment,
    });
    l.bind_flat(&op.results(ctx), &values)
}

/// Lowers the loops that became functions.
pub(super) fn define_leaves(ctx: &Context, s: &mut State) {
    while let Some(leaf) = s.leaves.pop() {
        let mut sig = s.code.make_signature();
        sig.params.push(AbiParam::new(types::I64));
        sig.returns.push(AbiParam::new(types::I32));
        let name = format!("loop.{}", leaf.id.as_u32());
        define_part(ctx, s, leaf.id, (&name, leaf.op), sig, |l, params| {
            body(l, &leaf, params[0])
        });
    }
}

fn body(l: &mut Lower, leaf: &Leaf, env: ir::Value) -> R {
    l.is_part = true;
    leaf.environment.bind(l, env)?;
    l.op(leaf.op);
    let results = l.flat_all(&leaf.op.results(l.ctx))?;
    let behind = super::fields::behind(l, env, i64::from(leaf.environment.bytes()));
    store_words(l, &results, behind);
    l.ret();
    Ok(())
}
