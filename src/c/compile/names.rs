//! What the program calls the arguments of kernels.

use crate::dialects::arith;
use crate::dialects::attributes::ACC_NAME;
use crate::dialects::gpu::LaunchFuncOp;
use crate::ir::{Context, Op, Value};
use crate::passes::analysis::memory::base;
use std::collections::HashMap;

/// Of each kernel, by module and name, the names of its arguments in the source, where all
/// launches have the same.
pub(super) fn of_kernels(
    ctx: &Context,
    part: Op,
) -> HashMap<(String, String), Vec<Option<String>>> {
    let mut all: HashMap<_, Vec<Option<String>>> = HashMap::new();
    for l in part.find_all::<LaunchFuncOp>(ctx) {
        let (Some(module), Some(kernel)) = (l.kernel_module_name(ctx), l.kernel_name(ctx)) else {
            continue;
        };
        let operands = l.kernel_operands(ctx).into_iter();
        let names: Vec<Option<String>> = operands.map(|v| name(ctx, v)).collect();
        let known =
            (all.entry((module.to_string(), kernel.to_string()))).or_insert_with(|| names.clone());
        for (a, b) in known.iter_mut().zip(names) {
            if *a != b {
                *a = None;
            }
        }
    }
    all
}

fn name(ctx: &Context, v: Value) -> Option<String> {
    let mut v = base(ctx, v);
    // The same number in another type.
    while let Some(op) = v.def_op()
        && matches!(
            op.name(ctx),
            arith::IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::ExtUIOp::NAME
        )
    {
        v = op.operand(ctx, 0);
    }
    let function = v.arg_block()?.parent_op(ctx)?;
    let attrs = function.attr(ctx, "arg_attrs")?.as_array(ctx)?;
    let entries = attrs.get(v.index(ctx))?.as_dict(ctx)?;
    let (_, name) = entries.iter().find(|(k, _)| ctx.str(*k) == ACC_NAME)?;
    name.as_str(ctx).map(str::to_string)
}
