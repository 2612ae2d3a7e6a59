//! Parts of functions as functions of their own: loops ([`super::leaf`]) and bodies of parallel loops
//! ([`super::parallel`]). One with long vectors has machine code of our own where there is such, and
//! Cranelift's otherwise.

use super::abi::Lanes;
use super::lower::{Lower, R, build, define};
use super::module::State;
use cranelift_codegen::ir::{self, InstructionData, Signature};
use cranelift_module::FuncId;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Type, TypeData};
use terrace_x86::Level;

/// Defines a part. `body` is called again where the first form has no code.
pub(super) fn define_part(
    ctx: &Context,
    s: &mut State,
    id: FuncId,
    (name, op): (&str, Op),
    sig: Signature,
    body: impl Fn(&mut Lower, Vec<ir::Value>) -> R,
) {
    if let Some(level) = s.level
        && has_long_vectors(ctx, op)
    {
        let (outlines, leaves) = (s.outlines.len(), s.leaves.len());
        let mut register = level.bytes();
        while register > Lanes::BYTES {
            let long = |l: &mut Lower, params: Vec<ir::Value>| {
                l.is_part = true;
                body(l, params)
            };
            let made = build(ctx, s, id, op, sig.clone(), register, long);
            let only = s.outlines.len() == outlines && s.leaves.len() == leaves;
            if let Some(mut cc) = made
                && only
                && s.optimize(&mut cc).is_ok()
            {
                if register > SURELY_FORWARDED && waits_for_memory(&cc.func) {
                    register /= 2;
                    continue;
                }
                if define_long(s, id, name, &cc.func, level) {
                    return;
                }
            }
            s.errors.clear();
            s.outlines.truncate(outlines);
            s.leaves.truncate(leaves);
            break;
        }
    }
    define(ctx, s, id, (name, op), sig, body);
}

/// Bytes of a vector that a load finds in the store before it. Longer ones are stored in halves, and a
/// load of both waits until they are in the cache.
const SURELY_FORWARDED: u32 = 32;

/// Whether a block stores a long vector where the next run of it loads it, as sums in memory do.
fn waits_for_memory(f: &ir::Function) -> bool {
    f.layout.blocks().any(|b| {
        let (mut loaded, mut stored) = (Vec::new(), Vec::new());
        for inst in f.layout.block_insts(b) {
            let (list, address, offset, ty) = match f.dfg.insts[inst] {
                InstructionData::Load { arg, offset, .. } => {
                    let ty = f.dfg.value_type(f.dfg.first_result(inst));
                    (&mut loaded, arg, offset, ty)
                }
                InstructionData::Store { args, offset, .. } => {
                    (&mut stored, args[1], offset, f.dfg.value_type(args[0]))
                }
                _ => continue,
            };
            let address = f.dfg.resolve_aliases(address);
            let made_here = match f.dfg.value_def(address) {
                ir::ValueDef::Result(i, _) => f.layout.inst_block(i) == Some(b),
                ir::ValueDef::Param(of, _) => of == b,
                ir::ValueDef::Union(..) => true,
            };
            if ty.bytes() > SURELY_FORWARDED && !made_here {
                list.push((address, i32::from(offset)));
            }
        }
        loaded.iter().any(|place| stored.contains(place))
    })
}

/// Defines a function by machine code of our own, where there is any for it.
fn define_long(s: &mut State, id: FuncId, name: &str, f: &ir::Function, level: Level) -> bool {
    let code = match super::wide::machine_code(f, level) {
        Ok(code) => code,
        Err(why) => {
            if s.options.listing {
                s.asm
                    .push_str(&format!("; @{name}: no long vectors: {why}\n"));
            }
            return false;
        }
    };
    if s.code
        .define_function_bytes(id, 64, &code.bytes, &[])
        .is_err()
    {
        return false;
    }
    if s.options.listing {
        s.clif.push_str(&format!("; @{name}\n{}\n", f.display()));
        s.asm.push_str(&format!("; @{name}\n{}\n", code.text()));
    }
    true
}

/// Whether vectors of more than 16 bytes are computed in an op.
pub(super) fn has_long_vectors(ctx: &Context, op: Op) -> bool {
    let mut found = false;
    op.walk(ctx, &mut |o| {
        found |= o.results(ctx).iter().any(|v| is_long(ctx, v.ty(ctx)));
    });
    found
}

fn is_long(ctx: &Context, ty: Type) -> bool {
    let TypeData::Vector { shape, elem, .. } = ty.data(ctx) else {
        return false;
    };
    let bits = elem.bit_width(ctx).unwrap_or(0);
    let lanes = shape.iter().filter(|n| **n != DYNAMIC).product::<i64>();
    lanes * i64::from(bits) > 128
}
