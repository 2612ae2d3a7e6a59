//! Entries of object files: C functions `int (unsigned long long *words)`.
//!
//! `words` holds the arguments in order, then room for the results. A number takes one
//! word, its bits at the low end and zeros above. A memref takes its pointer and one
//! word for each size that its type leaves open; strides that the type leaves open are
//! those of a row-major array. The words of the last arguments may stand behind those of the results. The function returns 0, or one more than the number of
//! the op that failed; results are written only if none did.

use super::abi::{MemTy, Part, Repr, Scalar};
use super::func::{load_words, store_words, total_bytes};
use super::gpu::word;
use super::lower::{Lower, R, define};
use super::module::State;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, types};
use cranelift_module::{FuncId, Linkage};
use terrace_dialects::func::FuncOp;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Type};

/// Define the entry `symbol` of the function `op`, whose code is `id`. The words of its last
/// `behind` arguments stand behind those of the results.
///
/// # Errors
///
/// The rest of the sentence `'func.func' op ...` where its type has no packed form.
pub(super) fn entry(
    ctx: &Context,
    s: &mut State,
    (op, id): (Op, FuncId),
    symbol: &str,
    behind: usize,
) -> R {
    let f = FuncOp::wrap(op);
    let reprs = |tys: &[Type]| -> R<Vec<Repr>> { tys.iter().map(|t| Repr::of(ctx, *t)).collect() };
    let (inputs, results) = (reprs(f.inputs(ctx))?, reprs(f.results(ctx))?);
    for (i, r) in inputs.iter().enumerate() {
        check_input(r).map_err(|m| format!("cannot be an entry: argument {i} {m}"))?;
    }
    for (i, r) in results.iter().enumerate() {
        check_result(r).map_err(|m| format!("cannot be an entry: result {i} {m}"))?;
    }
    let mut sig = s.code.make_signature();
    sig.params.push(AbiParam::new(types::I64));
    sig.returns.push(AbiParam::new(types::I32));
    let entry = s
        .code
        .declare_function(symbol, Linkage::Hidden, &sig)
        .map_err(|e| format!("cannot get the symbol '{symbol}': {e}"))?;
    define(ctx, s, entry, (symbol, op), sig, |l, params| {
        let (inputs, behind) = inputs.split_at(inputs.len().saturating_sub(behind));
        body(l, id, params[0], [inputs, behind], &results)
    });
    Ok(())
}

fn check_scalar(kind: Scalar) -> R {
    match kind {
        Scalar::Int(65..) => Err("has more than 64 bits, which no word holds".into()),
        Scalar::F16 | Scalar::BF16 => Err("is a float of 16 bits, which C has not".into()),
        _ => Ok(()),
    }
}

fn check_input(r: &Repr) -> R {
    match r {
        Repr::Scalar(kind) => check_scalar(*kind),
        Repr::Mem(m) if m.strides.contains(&DYNAMIC) && !m.contiguous => {
            Err("is a memref whose type tells neither its strides nor that it is row-major".into())
        }
        Repr::Mem(m) if m.offset == DYNAMIC => {
            Err("is a memref of an unknown offset; pass the pointer to its first element".into())
        }
        Repr::Mem(_) => Ok(()),
        _ => Err("is neither a number nor a memref".into()),
    }
}

fn check_result(r: &Repr) -> R {
    match r {
        Repr::Scalar(kind) => check_scalar(*kind),
        _ => Err("is not a number".into()),
    }
}

/// `inputs` are those in front of the results and those behind.
fn body(l: &mut Lower, id: FuncId, words: ir::Value, inputs: [&[Repr]; 2], results: &[Repr]) -> R {
    let mut at = 0;
    let mut args = Vec::new();
    let tys: Vec<ir::Type> = results.iter().flat_map(Repr::parts).collect();
    let mut results_at = 0;
    for (i, inputs) in inputs.into_iter().enumerate() {
        if i == 1 {
            results_at = at;
            at += 8 * results.len() as i32;
        }
        for r in inputs {
            match r {
                Repr::Scalar(kind) => args.push(scalar(l, *kind, words, &mut at)),
                Repr::Mem(m) => memref(l, m, words, &mut at, &mut args),
                _ => return Err("has an argument that no word holds".into()),
            }
        }
    }
    let mut out = None;
    if !tys.is_empty() {
        let slot = l.slot(total_bytes(&tys), 4);
        let address = l.slot_addr(slot);
        args.push(address);
        out = Some(slot);
    }
    let f = l.func_ref(id);
    let call = l.b.ins().call(f, &args);
    let status = l.b.inst_results(call)[0];
    leave_if_failed(l, status);
    if let Some(slot) = out {
        let from = l.slot_addr(slot);
        let values = load_words(l, &tys, from);
        let mut packed = Vec::new();
        for (v, r) in values.iter().zip(results) {
            let Repr::Scalar(kind) = r else { continue };
            packed.push(word(l, *v, *kind)?);
        }
        let to = l.b.ins().iadd_imm_s(words, i64::from(results_at));
        store_words(l, &packed, to);
    }
    l.ret();
    Ok(())
}

/// The status of a failed call as an op's number and one: the kind of failure, which
/// stands in the low bits, is dropped. What is no status of ours goes on as it is.
fn leave_if_failed(l: &mut Lower, status: ir::Value) {
    let (failed, next) = (l.b.create_block(), l.b.create_block());
    l.b.set_cold_block(failed);
    l.b.ins().brif(status, failed, &[], next, &[]);
    l.b.switch_to_block(failed);
    let number = l.b.ins().sshr_imm_s(status, 8);
    let strange = l.b.ins().icmp_imm_s(IntCC::Equal, number, 0);
    let told = l.b.ins().select(strange, status, number);
    l.leave(told);
    l.b.switch_to_block(next);
}

fn load(l: &mut Lower, ty: ir::Type, words: ir::Value, at: &mut i32) -> ir::Value {
    let v = l.b.ins().load(ty, MemFlagsData::trusted(), words, *at);
    *at += 8;
    v
}

fn scalar(l: &mut Lower, kind: Scalar, words: ir::Value, at: &mut i32) -> ir::Value {
    // The low end of a word comes first on all machines there is code for.
    let ty = kind.clif();
    let v = load(l, ty, words, at);
    match kind {
        Scalar::Int(bits) if bits < ty.bits() => {
            let mask = l.iconst(ty, ((1u64 << bits) - 1) as i64);
            l.b.ins().band(v, mask)
        }
        _ => v,
    }
}

/// The machine values of a memref: pointer, then what its type leaves open.
fn memref(l: &mut Lower, m: &MemTy, words: ir::Value, at: &mut i32, out: &mut Vec<ir::Value>) {
    out.push(load(l, types::I64, words, at));
    let mut sizes = Vec::new();
    for n in &m.shape {
        sizes.push(match *n {
            DYNAMIC => {
                let v = load(l, types::I64, words, at);
                out.push(v);
                Part::Val(v)
            }
            n => Part::Const(n),
        });
    }
    // From the innermost dimension outwards.
    let mut strides = vec![Part::Const(1); sizes.len()];
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = l.mul(strides[k], sizes[k]);
    }
    for (known, stride) in m.strides.iter().zip(strides) {
        if *known == DYNAMIC {
            let v = l.part(stride);
            out.push(v);
        }
    }
}
