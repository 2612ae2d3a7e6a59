//! A region's function alone, with what it refers to.

use crate::ir::clone::{IrMapping, clone_op, clone_without_regions};
use crate::ir::symbols::{SymbolTable, Visibility, op_symbol_refs, set_visibility};
use crate::ir::{Context, Op};

/// A module of its own with copies of the function and of the symbols that it needs,
/// directly or not; only the function can be seen from outside. Gives the module and the
/// function in it; `None` where there is no such function.
pub(crate) fn alone(ctx: &mut Context, module: Op, function: &str) -> Option<(Op, Op)> {
    let all = SymbolTable::new(ctx, module);
    let root = all.lookup(function)?;
    let part = clone_without_regions(ctx, module, &mut IrMapping::new());
    let region = part.region(ctx, 0);
    let body = region.add_block(ctx, &[]);
    let mut have = vec![root];
    let mut next = 0;
    while let Some(symbol) = have.get(next).copied() {
        next += 1;
        let mut names = Vec::new();
        symbol.walk(ctx, &mut |op| {
            op_symbol_refs(ctx, op, &mut |s| {
                names.extend(s.as_symbol(ctx).and_then(|p| p.first().copied()));
            });
        });
        for name in names {
            // Symbols of the function itself, and those that nothing defines.
            if let Some(other) = all.lookup(ctx.str(name))
                && !have.contains(&other)
            {
                have.push(other);
            }
        }
        let copy = clone_op(ctx, symbol, &mut IrMapping::new());
        set_visibility(
            ctx,
            copy,
            match symbol == root {
                true => Visibility::Public,
                false => Visibility::Private,
            },
        );
        body.push_back(ctx, copy);
    }
    // The first that was copied.
    let copy = body.first_op(ctx)?;
    Some((part, copy))
}
