//! Outlining: a loop becomes the body of a function, which is called in its place.
//!
//! ```text
//! func.func @f(%A: memref<8xf32>) {        func.func @f(%A: memref<8xf32>) {
//!   affine.for %i = 0 to 8 { ... %A }  =>    call @g(%A) : (memref<8xf32>) -> ()
//! }                                        }
//!                                          func.func private @g(%A: memref<8xf32>) {
//!                                            affine.for %i = 0 to 8 { ... %A }
//!                                          }
//! ```
//!
//! The values that the loop uses are the arguments, but for constants, which are made
//! anew in the function so that it still knows them. What the loop carries is returned.
//! Always possible: what may be a dimension or a symbol may be one as an argument too.

use super::Refusal;
use crate::analysis::captured::captured;
use terrace_dialects::func::{CallOp, FuncOp, ReturnOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::symbols::{Visibility, lookup_in, nearest_symbol_table, set_visibility};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Make the loop `l` the body of a new private function called `name`, which stands
/// behind the one it was in. Gives that function.
///
/// # Errors
///
/// Where the module has a symbol of that name, or there is no module.
pub fn outline(ctx: &mut Context, l: Op, name: &str) -> Result<FuncOp, Refusal> {
    let loc = l.loc(ctx);
    let Some(table) = nearest_symbol_table(ctx, l) else {
        let m = "it is in no module that could hold another function";
        return Err(Refusal::new(loc, m));
    };
    if let Some(other) = lookup_in(ctx, table, name) {
        let m = format!("there is a '@{name}' already; a function needs a name of its own");
        return Err(Refusal::new(loc, m).note(other.loc(ctx), "it is here"));
    }
    let mut home = l;
    while let Some(parent) = home.parent(ctx).filter(|p| *p != table) {
        home = parent;
    }
    if home == l {
        return Err(Refusal::new(loc, "it is in no function"));
    }

    let used = used(ctx, l);
    let (constants, arguments): (Vec<Value>, Vec<Value>) =
        used.into_iter().partition(|v| is_constant(ctx, *v));
    let inputs: Vec<_> = arguments.iter().map(|v| v.ty(ctx)).collect();
    let results = l.result_types(ctx);

    let mut b = Builder::new(ctx, InsertPoint::After(home), loc);
    let (function, entry) = FuncOp::build(&mut b, name, &inputs, &results);
    set_visibility(b.ctx, function.op(), Visibility::Private);
    b.at = InsertPoint::Before(l);
    let call = CallOp::build(&mut b, name, &arguments, &results);
    for (old, new) in l.results(ctx).into_iter().zip(call.results(ctx)) {
        old.replace_all_uses(ctx, new);
    }

    for (i, v) in arguments.iter().enumerate() {
        // With the name that it had.
        entry.set_arg_loc(ctx, i, v.loc(ctx));
        rename_in(ctx, l, *v, entry.arg(ctx, i));
    }
    for v in constants {
        let Some(op) = v.def_op() else { continue };
        let copy = clone_op(ctx, op, &mut IrMapping::new());
        entry.push_back(ctx, copy);
        rename_in(ctx, l, v, copy.result(ctx, v.index(ctx)));
    }
    l.move_to_end(ctx, entry);
    let values = l.results(ctx);
    let mut b = Builder::at_end(ctx, entry, loc);
    ReturnOp::build(&mut b, &values);
    Ok(function)
}

/// The values from outside that `l` and the ops in it use, in the order of first use.
fn used(ctx: &Context, l: Op) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for v in l.operands(ctx).into_iter().chain(captured(ctx, l)) {
        if !out.contains(&v) {
            out.push(v);
        }
    }
    out
}

fn is_constant(ctx: &Context, v: Value) -> bool {
    v.def_op()
        .is_some_and(|op| op.num_operands(ctx) == 0 && ctx.constant_value(op).is_some())
}

/// Let `l` and the ops in it use `new` in place of `old`.
fn rename_in(ctx: &Context, l: Op, old: Value, new: Value) {
    old.replace_uses_if(ctx, new, |u| l.is_ancestor_of(ctx, u.op));
}
