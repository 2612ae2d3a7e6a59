//! Fields of the records of one array: each is a memref of its own, and all are addressed from one
//! pointer, which takes one register.

use super::abi::{Desc, Val};
use super::lower::{Lower, R};
use cranelift_codegen::ir::{self, InstBuilder, Opcode, types};
use std::rc::Rc;
use terrace_dialects::attributes::ACC_FIELD;
use terrace_dialects::function::arg_attrs;
use terrace_ir::{Attr, Op, Str, Value};

/// Lets the arguments of a function that are fields of the same records begin at their distances
/// from the first of them.
pub(super) fn bind(l: &mut Lower, f: Op, args: &[Value]) -> R {
    let ctx = l.ctx;
    let mut firsts: Vec<(Attr, i64, ir::Value)> = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let entry = |entries: &[(Str, Attr)], name: &str| {
            entries
                .iter()
                .find(|(k, _)| ctx.str(*k) == name)
                .map(|(_, a)| *a)
        };
        let field = entry(arg_attrs(ctx, f, i), ACC_FIELD).and_then(|a| a.as_dict(ctx));
        let Some(field) = field else {
            continue;
        };
        let offset = entry(field, "offset").and_then(|a| a.as_i64(ctx));
        let Some((of, offset)) = entry(field, "of").zip(offset) else {
            continue;
        };
        let desc = l.mem(*arg)?;
        match firsts.iter().find(|first| first.0 == of) {
            Some((_, first_offset, first)) => {
                let ptr = behind(l, *first, offset - first_offset);
                let beside = Desc {
                    ptr,
                    ..(*desc).clone()
                };
                l.bind(*arg, Val::Mem(Rc::new(beside)));
            }
            None => firsts.push((of, offset, desc.ptr)),
        }
    }
    Ok(())
}

/// The address so many bytes behind another one.
pub(super) fn behind(l: &mut Lower, first: ir::Value, bytes: i64) -> ir::Value {
    let bytes = l.iconst(types::I64, bytes);
    l.b.ins().iadd(first, bytes)
}

/// The address that `v` is a fixed distance behind, where [`behind`] made it.
pub(super) fn beside(dfg: &ir::DataFlowGraph, v: ir::Value) -> Option<(ir::Value, i64)> {
    let sum = dfg.value_def(v).inst()?;
    if dfg.insts[sum].opcode() != Opcode::Iadd {
        return None;
    }
    let [first, bytes] = dfg.inst_args(sum)[..] else {
        return None;
    };
    let constant = dfg.value_def(bytes).inst()?;
    match dfg.insts[constant] {
        ir::InstructionData::UnaryImm {
            opcode: Opcode::Iconst,
            imm,
        } => Some((first, imm.bits())),
        _ => None,
    }
}
