//! Functions, calls and returns.
//!
//! A function takes the machine values of its parameters and, if it has results, the
//! address where they go; it returns a status. A result takes one word of 8 bytes for
//! each of its machine values, an integer of more than 64 bits two.

use super::abi::Repr;
use super::lower::{Lower, R};
use super::module::{External, Func, State};
use super::trap::Trap;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, Signature, types};
use terrace_dialects::memref;
use terrace_ir::{Context, Op, Type, Value};

/// Bytes that a machine value takes among results and packed arguments.
pub(super) fn word_bytes(ty: ir::Type) -> i32 {
    ty.bytes().max(8) as i32
}

/// Words are aligned; vectors among them need not be.
fn word_flags(ty: ir::Type) -> MemFlagsData {
    match ty.is_vector() {
        true => super::vector::flags(),
        false => MemFlagsData::trusted(),
    }
}

/// The machine types of values of `tys`.
pub(super) fn parts(ctx: &Context, tys: &[Type]) -> R<Vec<ir::Type>> {
    let mut out = Vec::new();
    for t in tys {
        out.extend(Repr::of(ctx, *t)?.parts());
    }
    Ok(out)
}

/// The machine signature of a function of type `inputs -> results`.
pub(super) fn signature(
    ctx: &Context,
    s: &State,
    inputs: &[Type],
    results: &[Type],
) -> R<Signature> {
    let mut sig = s.code.make_signature();
    sig.params
        .extend(parts(ctx, inputs)?.into_iter().map(AbiParam::new));
    if !parts(ctx, results)?.is_empty() {
        sig.params.push(AbiParam::new(types::I64));
    }
    sig.returns.push(AbiParam::new(types::I32));
    Ok(sig)
}

/// The signature of a C function: numbers, and one number.
pub(super) fn plain_signature(
    ctx: &Context,
    s: &State,
    inputs: &[Type],
    results: &[Type],
) -> R<Signature> {
    let is_float = |t: &&Type| **t == ctx.f32() || **t == ctx.f64();
    if results.len() != 1 || !inputs.iter().chain(results).all(|t| is_float(&t)) {
        return Err("is a C function; expected numbers of f32 or f64, and one of them back".into());
    }
    let mut sig = s.code.make_signature();
    let params = parts(ctx, inputs)?.into_iter().map(AbiParam::new);
    sig.params.extend(params);
    let returns = parts(ctx, results)?.into_iter().map(AbiParam::new);
    sig.returns.extend(returns);
    Ok(sig)
}

/// The body of `func`, whose machine parameters are `params`.
pub(super) fn body(l: &mut Lower, func: Op, mut params: Vec<ir::Value>) -> R {
    let ctx = l.ctx;
    let region = func.region(ctx, 0);
    let Some(entry) = region.entry(ctx) else {
        return Err("has no body".into());
    };
    let have = l.flat_types(&entry.args(ctx))?.len();
    if params.len() > have {
        l.out = params.pop();
    }
    if l.s.options.bounds_checks && uses_stack(ctx, func) {
        let low = l.helper1("terrace_stack_is_low", &[], types::I32)?;
        l.trap_if(low, super::trap::Trap::Stack, func)?;
    }
    l.bind_flat(&entry.args(ctx), &params)?;
    super::fields::bind(l, func, &entry.args(ctx))?;
    super::cf::region(l, region, None)
}

/// Whether a function calls others, or has arrays on its stack.
fn uses_stack(ctx: &Context, func: Op) -> bool {
    let mut found = false;
    func.walk(ctx, &mut |o| {
        found |= matches!(
            o.name(ctx),
            terrace_dialects::func::CallOp::NAME
                | terrace_dialects::func::CallIndirectOp::NAME
                | memref::AllocaOp::NAME
        );
    });
    found
}

/// `func.return`.
pub(super) fn ret(l: &mut Lower, op: Op) -> R {
    let values = l.flat_all(&op.operands(l.ctx))?;
    if let Some(out) = l.out {
        store_words(l, &values, out);
    }
    l.ret();
    Ok(())
}

/// Store machine values one after another, as results and packed arguments have them.
pub(super) fn store_words(l: &mut Lower, values: &[ir::Value], to: ir::Value) {
    let mut at = 0;
    for v in values {
        let ty = l.b.func.dfg.value_type(*v);
        l.b.ins().store(word_flags(ty), *v, to, at);
        at += word_bytes(ty);
    }
}

/// Load what [`store_words`] stored.
pub(super) fn load_words(l: &mut Lower, tys: &[ir::Type], from: ir::Value) -> Vec<ir::Value> {
    let mut at = 0;
    let mut out = Vec::new();
    for t in tys {
        out.push(l.b.ins().load(*t, word_flags(*t), from, at));
        at += word_bytes(*t);
    }
    out
}

pub(super) fn total_bytes(tys: &[ir::Type]) -> u32 {
    tys.iter().map(|t| word_bytes(*t) as u32).sum()
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    match name {
        "call" => {
            let callee = op
                .attr(ctx, "callee")
                .and_then(|a| a.as_flat_symbol(ctx))
                .unwrap_or("");
            let Some(f) = l.s.funcs.get(callee).copied() else {
                return Err(format!(
                    "calls '@{callee}', which has no body; give its address as an import"
                ));
            };
            let arguments = l.flat_all(&op.operands(ctx))?;
            if f.plain {
                return plain_call(l, op, f, &arguments);
            }
            match f.external {
                None | Some(External::Symbol) => {
                    let r = l.func_ref(f.id);
                    call(l, op, arguments, |l, a| l.b.ins().call(r, a))
                }
                Some(External::Address(address)) => {
                    let sig = signature(ctx, l.s, &op.operand_types(ctx), &op.result_types(ctx))?;
                    let sig = l.b.import_signature(sig);
                    let address = l.i64(address as i64);
                    call(l, op, arguments, |l, a| {
                        l.b.ins().call_indirect(sig, address, a)
                    })
                }
            }
        }
        "constant" => {
            let name = op
                .attr(ctx, "value")
                .and_then(|a| a.as_flat_symbol(ctx))
                .unwrap_or("");
            let Some(f) = l.s.funcs.get(name).copied() else {
                return Err(format!(
                    "names '@{name}', which has no body; give its address as an import"
                ));
            };
            let address = match f.external {
                Some(External::Address(a)) => l.i64(a as i64),
                None | Some(External::Symbol) => {
                    let r = l.func_ref(f.id);
                    l.b.ins().func_addr(types::I64, r)
                }
            };
            l.bind_one(op, address);
            Ok(())
        }
        "call_indirect" => {
            let operands = op.operands(ctx);
            let Some((callee, arguments)) = operands.split_first() else {
                return Err("has no callee".into());
            };
            let callee = l.one(*callee)?;
            let tys: Vec<Type> = arguments.iter().map(|a| a.ty(ctx)).collect();
            let sig = signature(ctx, l.s, &tys, &op.result_types(ctx))?;
            let sig = l.b.import_signature(sig);
            let arguments = l.flat_all(arguments)?;
            call(l, op, arguments, |l, a| {
                l.b.ins().call_indirect(sig, callee, a)
            })
        }
        _ => Err(super::check::advice(op.name(ctx))),
    }
}

/// Call a function as C does.
fn plain_call(l: &mut Lower, op: Op, f: Func, arguments: &[ir::Value]) -> R {
    let ctx = l.ctx;
    let call = match f.external {
        Some(External::Address(address)) => {
            let sig = plain_signature(ctx, l.s, &op.operand_types(ctx), &op.result_types(ctx))?;
            let sig = l.b.import_signature(sig);
            let address = l.i64(address as i64);
            l.b.ins().call_indirect(sig, address, arguments)
        }
        None | Some(External::Symbol) => {
            let r = l.func_ref(f.id);
            l.b.ins().call(r, arguments)
        }
    };
    let made = l.b.inst_results(call)[0];
    l.bind_one(op, made);
    Ok(())
}

/// Call with room for results, hand errors on, and bind the results.
fn call(
    l: &mut Lower,
    op: Op,
    mut arguments: Vec<ir::Value>,
    emit: impl FnOnce(&mut Lower, &[ir::Value]) -> ir::Inst,
) -> R {
    let results: Vec<Value> = op.results(l.ctx);
    let tys = l.flat_types(&results)?;
    let mut out = None;
    if !tys.is_empty() {
        let slot = l.slot(total_bytes(&tys), 4);
        let address = l.slot_addr(slot);
        arguments.push(address);
        out = Some(slot);
    }
    let inst = emit(l, &arguments);
    let status = l.b.inst_results(inst)[0];
    let external = op
        .attr(l.ctx, "callee")
        .and_then(|a| a.as_flat_symbol(l.ctx))
        .and_then(|n| l.s.funcs.get(n))
        .is_some_and(|f| f.external.is_some());
    if external {
        // What it returns is not one of our statuses.
        l.trap_if(status, Trap::External, op)?;
    } else {
        l.check_status(status);
    }
    let Some(slot) = out else {
        return Ok(());
    };
    let from = l.slot_addr(slot);
    let values = load_words(l, &tys, from);
    l.bind_flat(&results, &values)
}
