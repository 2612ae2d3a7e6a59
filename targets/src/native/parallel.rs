//! `scf.parallel` over threads.
//!
//! The body becomes a function `(env, begin, end) -> status` that runs the outermost
//! loop from `begin` to `end` with the others inside; `env` holds what the body uses
//! from outside. The callback `terrace_parallel_for` calls it for parts of the range.
//!
//! With reductions the range is cut into at most [`SLOTS`] blocks that depend only on
//! its length. Each block reduces into a slot of its own, and the slots are combined
//! in order: the result is the same for any number of threads. A reduction whose
//! neutral element is not known here runs in sequence, and so does a loop inside
//! another parallel one.

use super::abi::{Scalar, Val};
use super::environment::{Environment, pack, value_types};
use super::func::{load_words, store_words, total_bytes};
use super::leaf::has_calls;
use super::lower::{Lower, R};
use super::module::State;
use super::part::{define_part, has_long_vectors};
use super::scf::Range;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, types};
use cranelift_module::FuncId;
use terrace_dialects::scf::ParallelOp;
use terrace_ir::{Context, Op, OpKind, Region};

/// The number of partial results of a reduction.
const SLOTS: i64 = 64;

/// A loop body to be lowered as a function of its own.
#[derive(Debug)]
pub(super) struct Outline {
    id: FuncId,
    op: Op,
    environment: Environment,
    /// Of a reduction: its partial results begin here in `env`'s memory.
    reduction: Option<Vec<ir::Type>>,
}

pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let p = ParallelOp::wrap(op);
    let inits = l.flat_all(&p.init_vals(ctx))?;
    let neutral = neutrals(l, op);
    if l.in_parallel || !l.s.options.parallel || neutral.is_none() {
        let results = nest(l, op, 0, &inits)?;
        return l.bind_flat(&op.results(ctx), &results);
    }
    let range = l.range(
        op,
        p.lower_bounds(ctx)[0],
        p.upper_bounds(ctx)[0],
        p.steps(ctx)[0],
    )?;
    let (mut environment, mut values) = Environment::of(l, op)?;
    let reduction = (!inits.is_empty()).then(|| value_types(l, &inits));
    if let Some(tys) = &reduction {
        // Where the blocks begin, and where their results go.
        let count = trip_count(l, &range);
        let blocks = block_count(l, count);
        let slot = l.slot(total_bytes(tys) * SLOTS as u32, 4);
        let slots = l.slot_addr(slot);
        let more = [range.lower, count, blocks, slots];
        environment.extend(l, &more);
        values.extend(more);
        let env = pack(l, &values);
        let (id, f) = declare(l)?;
        let all = counted(l, blocks);
        run(l, f, env, &all)?;
        push(l, id, op, environment, reduction.clone());
        let results = fold_slots(l, op, slots, blocks, tys, &inits)?;
        return l.bind_flat(&op.results(ctx), &results);
    }
    let env = pack(l, &values);
    let (id, f) = declare(l)?;
    run(l, f, env, &range)?;
    push(l, id, op, environment, None);
    Ok(())
}

fn push(
    l: &mut Lower,
    id: FuncId,
    op: Op,
    environment: Environment,
    reduction: Option<Vec<ir::Type>>,
) {
    l.s.outlines.push(Outline {
        id,
        op,
        environment,
        reduction,
    });
}

fn declare(l: &mut Lower) -> R<(FuncId, ir::FuncRef)> {
    let mut sig = l.s.code.make_signature();
    sig.params.extend([AbiParam::new(types::I64); 3]);
    sig.returns.push(AbiParam::new(types::I32));
    let id =
        l.s.code
            .declare_anonymous_function(&sig)
            .map_err(|e| format!("cannot be made a function: {e}"))?;
    Ok((id, l.func_ref(id)))
}

/// Run the outlined body over a range: by the callback, or at once where no more than one iteration
/// is left to share out. Loops of short rows would need longer for the callback than for the rows.
fn run(l: &mut Lower, f: ir::FuncRef, env: ir::Value, r: &Range) -> R {
    let (begin, end) = (r.lower, r.upper);
    let Some(step) = r.step_const else {
        return share_out(l, f, env, r);
    };
    let [some, at_once, shared, next] = [(); 4].map(|()| l.b.create_block());
    let none = l.b.ins().icmp(IntCC::SignedLessThanOrEqual, end, begin);
    l.b.ins().brif(none, next, &[], some, &[]);
    l.b.switch_to_block(some);
    // The distance of a range that is not empty fits as an unsigned number.
    let far = l.b.ins().isub(end, begin);
    let step = l.i64(step);
    let few = l.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, far, step);
    l.b.ins().brif(few, at_once, &[], shared, &[]);
    l.b.switch_to_block(at_once);
    let call = l.b.ins().call(f, &[env, begin, end]);
    let status = l.b.inst_results(call)[0];
    l.check_status(status);
    l.b.ins().jump(next, &[]);
    l.b.switch_to_block(shared);
    share_out(l, f, env, r)?;
    l.b.ins().jump(next, &[]);
    l.b.switch_to_block(next);
    Ok(())
}

/// Call back to run the outlined body over parts of a range.
fn share_out(l: &mut Lower, f: ir::FuncRef, env: ir::Value, r: &Range) -> R {
    let f = l.b.ins().func_addr(types::I64, f);
    let args = [f, env, r.lower, r.upper, r.step];
    let status = l.helper1("terrace_parallel_for", &args, types::I32)?;
    l.check_status(status);
    Ok(())
}

/// The numbers from 0 up to `upper`.
fn counted(l: &mut Lower, upper: ir::Value) -> Range {
    Range {
        lower: l.i64(0),
        upper,
        step: l.i64(1),
        step_const: Some(1),
        signed: true,
        from_zero: false,
    }
}

/// The number of iterations of a loop.
fn trip_count(l: &mut Lower, r: &Range) -> ir::Value {
    let some = l.b.ins().icmp(IntCC::SignedLessThan, r.lower, r.upper);
    // The distance fits as an unsigned number; less 1 before the division, so that
    // rounding up cannot overflow.
    let far = l.b.ins().isub(r.upper, r.lower);
    let one = l.i64(1);
    let last = l.b.ins().isub(far, one);
    let whole = l.b.ins().udiv(last, r.step);
    let count = l.b.ins().iadd(whole, one);
    let zero = l.i64(0);
    l.b.ins().select(some, count, zero)
}

fn block_count(l: &mut Lower, trips: ir::Value) -> ir::Value {
    let most = l.i64(SLOTS);
    let few = l.b.ins().icmp(IntCC::UnsignedLessThan, trips, most);
    l.b.ins().select(few, trips, most)
}

/// Lower the bodies that were outlined, and those inside them.
pub(super) fn define_outlines(ctx: &Context, s: &mut State) {
    while let Some(o) = s.outlines.pop() {
        let mut sig = s.code.make_signature();
        sig.params.extend([AbiParam::new(types::I64); 3]);
        sig.returns.push(AbiParam::new(types::I32));
        let name = format!("parallel.{}", o.id.as_u32());
        define_part(ctx, s, o.id, (&name, o.op), sig, |l, params| {
            outlined(l, &o, &params)
        });
    }
}

fn outlined(l: &mut Lower, o: &Outline, params: &[ir::Value]) -> R {
    let ctx = l.ctx;
    let (env, begin, end) = (params[0], params[1], params[2]);
    l.in_parallel = true;
    // Where calls are between its loops, those with long vectors are functions again.
    let again = l.s.level.is_some() && has_long_vectors(ctx, o.op) && has_calls(ctx, o.op);
    l.is_part |= !again;
    let rest = o.environment.bind(l, env)?;
    let p = ParallelOp::wrap(o.op);
    let step = p.steps(ctx)[0];
    let step_const = ctx.constant_int(step).filter(|c| *c > 0);
    let step = l.one(step)?;
    let iv = p.induction_vars(ctx)[0];
    let over = |lower, upper| Range {
        lower,
        upper,
        step,
        step_const,
        signed: true,
        from_zero: false,
    };
    let Some(tys) = &o.reduction else {
        l.for_loop(over(begin, end), &[], &mut |l, i, _| {
            l.bind(iv, Val::One(i));
            nest(l, o.op, 1, &[])
        })?;
        l.ret();
        return Ok(());
    };
    let [lower, trips, blocks, slots] = rest[..] else {
        return Err("has a malformed environment".into());
    };
    let neutral = neutrals(l, o.op).ok_or("has a reduction without a neutral element")?;
    let bytes = i64::from(total_bytes(tys));
    let each = l.b.ins().udiv(trips, blocks);
    let more = l.b.ins().urem(trips, blocks);
    let one = l.i64(1);
    let all = Range {
        lower: begin,
        upper: end,
        step: one,
        step_const: Some(1),
        signed: true,
        from_zero: false,
    };
    l.for_loop(all, &[], &mut |l, block, _| {
        // The first `more` blocks have one iteration more.
        let start = |l: &mut Lower, k: ir::Value| {
            let base = l.b.ins().imul(k, each);
            let few = l.b.ins().icmp(IntCC::UnsignedLessThan, k, more);
            let extra = l.b.ins().select(few, k, more);
            l.b.ins().iadd(base, extra)
        };
        let one = l.i64(1);
        let first = start(l, block);
        let next = l.b.ins().iadd(block, one);
        let last = start(l, next);
        let range = Range {
            lower: first,
            upper: last,
            step: one,
            step_const: Some(1),
            signed: true,
            from_zero: false,
        };
        let neutral: Vec<ir::Value> = neutral.clone();
        let partial = l.for_loop(range, &neutral, &mut |l, k, acc| {
            let by = l.b.ins().imul(k, step);
            let i = l.b.ins().iadd(lower, by);
            l.bind(iv, Val::One(i));
            nest(l, o.op, 1, acc)
        })?;
        let size = l.i64(bytes);
        let at = l.b.ins().imul(block, size);
        let to = l.b.ins().iadd(slots, at);
        store_words(l, &partial, to);
        Ok(vec![])
    })?;
    l.ret();
    Ok(())
}

/// Combine `inits` with the partial results, in order.
fn fold_slots(
    l: &mut Lower,
    op: Op,
    slots: ir::Value,
    blocks: ir::Value,
    tys: &[ir::Type],
    inits: &[ir::Value],
) -> R<Vec<ir::Value>> {
    let range = counted(l, blocks);
    l.for_loop(range, inits, &mut |l, k, acc| {
        let size = l.i64(i64::from(total_bytes(tys)));
        let at = l.b.ins().imul(k, size);
        let from = l.b.ins().iadd(slots, at);
        let partial = load_words(l, tys, from);
        let reduce = ParallelOp::wrap(op).reduce_op(l.ctx);
        let reduce = reduce.ok_or("needs an scf.reduce at its end")?;
        combine(l, reduce.op(), acc, &partial)
    })
}

/// The loops from `dim` inwards in sequence, carrying the reductions.
fn nest(l: &mut Lower, op: Op, dim: usize, acc: &[ir::Value]) -> R<Vec<ir::Value>> {
    let ctx = l.ctx;
    let p = ParallelOp::wrap(op);
    if dim < p.num_loops(ctx) {
        let (lower, upper) = (p.lower_bounds(ctx)[dim], p.upper_bounds(ctx)[dim]);
        let range = l.range(op, lower, upper, p.steps(ctx)[dim])?;
        let iv = p.induction_vars(ctx)[dim];
        return l.for_loop(range, acc, &mut |l, i, acc| {
            l.bind(iv, Val::One(i));
            nest(l, op, dim + 1, acc)
        });
    }
    let block = p.body(ctx);
    l.with_allocas(block, |l| {
        let reduce = l.block_body(block)?;
        let values = l.flat_all(&reduce.operands(ctx))?;
        combine(l, reduce, acc, &values)
    })
}

/// One step of each reduction of `reduce`.
fn combine(
    l: &mut Lower,
    reduce: Op,
    acc: &[ir::Value],
    values: &[ir::Value],
) -> R<Vec<ir::Value>> {
    let ctx = l.ctx;
    let mut out = Vec::new();
    let mut at = 0;
    for r in reduce.regions(ctx) {
        let Some(block) = r.entry(ctx) else {
            return Err("has an empty reduction".into());
        };
        let (a, b) = (block.arg(ctx, 0), block.arg(ctx, 1));
        let n = l.flat_types(&[a])?.len();
        l.bind_flat(&[a], &acc[at..at + n])?;
        l.bind_flat(&[b], &values[at..at + n])?;
        at += n;
        let end = l.block_body(block)?;
        out.extend(l.flat_all(&end.operands(ctx))?);
    }
    Ok(out)
}

/// The neutral elements of all reductions, where they are known.
fn neutrals(l: &mut Lower, op: Op) -> Option<Vec<ir::Value>> {
    let reduce = ParallelOp::wrap(op).reduce_op(l.ctx)?;
    let mut out = Vec::new();
    for r in reduce.op().regions(l.ctx) {
        out.push(neutral(l, r)?);
    }
    Some(out)
}

/// The neutral element of a reduction that is one op on both its arguments.
fn neutral(l: &mut Lower, region: Region) -> Option<ir::Value> {
    let ctx = l.ctx;
    let block = region.entry(ctx)?;
    let ops = block.ops(ctx);
    let [op, end] = ops[..] else { return None };
    let (a, b) = (block.arg(ctx, 0), block.arg(ctx, 1));
    let operands = op.operands(ctx);
    let both = operands == [a, b] || operands == [b, a];
    if !both || op.num_results(ctx) != 1 || end.operands(ctx) != [op.result(ctx, 0)] {
        return None;
    }
    let kind = l.scalar_of(a).ok()?;
    let name = op.name(ctx).strip_prefix("arith.")?;
    if let Scalar::Int(bits) = kind {
        let all = u128::MAX >> (128 - bits);
        let value = match name {
            "addi" | "ori" | "xori" | "maxui" => 0,
            "muli" => 1,
            "andi" | "minui" => all,
            "maxsi" => 1u128 << (bits - 1),
            "minsi" => all >> 1,
            _ => return None,
        };
        return Some(super::constant::int_bits(l, value, kind.clif()));
    }
    let value = match name {
        "addf" => -0.0,
        "mulf" => 1.0,
        "maximumf" => f64::NEG_INFINITY,
        "minimumf" => f64::INFINITY,
        "maxnumf" | "minnumf" => f64::NAN,
        _ => return None,
    };
    Some(super::constant::float_const(l, value, kind))
}
