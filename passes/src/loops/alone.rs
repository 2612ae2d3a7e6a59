//! One of the ops at the top of a function in a function of its own, and back.
//!
//! ```text
//! func.func @f(%a: memref<?xf32>, %n: index) {    func.func @f.alone(%a: memref<?xf32>, %n: index) {
//!   affine.for %i = 0 to %n { ... }                 %m = arith.addi %n, %one : index
//!   %m = arith.addi %n, %one : index          =>    affine.for %j = 0 to %m { ... }
//!   affine.for %j = 0 to %m { ... }               }
//! }
//! ```
//!
//! The function takes the arguments of the whole one, in their order, with their attributes. What
//! else the op uses is computed anew where that has no effect, and otherwise an argument behind
//! those. So an analysis that looks at one function knows as much about the op as it did before.

use rustc_hash::FxHashSet;
use terrace_dialects::func::ReturnOp;
use terrace_dialects::memref::{AllocOp, AllocaOp};
use terrace_ir::clone::{IrMapping, clone_op, clone_without_regions};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, Value};

use crate::analysis::captured::captured;

/// An op and the function that has only it.
pub struct Alone {
    /// Stands behind the function that the op is in, and is called like it with `.alone` behind.
    pub function: Op,
    op: Op,
    /// The values that its arguments are.
    arguments: Vec<Value>,
}

impl Alone {
    /// Copies `op`, which stands at the top of `function`, into a function of its own. `None` where
    /// that would have to take an array about which more is known than that it is an argument.
    pub fn of(ctx: &mut Context, function: Op, op: Op) -> Option<Alone> {
        if !Alone::is_possible(ctx, function, op) {
            return None;
        }
        let entry = function.region(ctx, 0).entry(ctx)?;
        let (anew, taken) = needed(ctx, op);
        let mut arguments = entry.args(ctx);
        let own = arguments.len();
        arguments.extend(taken);
        let inputs: Vec<_> = arguments.iter().map(|v| v.ty(ctx)).collect();
        let results = op.result_types(ctx);

        let copy = clone_without_regions(ctx, function, &mut IrMapping::new());
        copy.insert_after(ctx, function);
        let name = format!("{}.alone", function.symbol_name(ctx).unwrap_or_default());
        copy.set_attr(ctx, "sym_name", ctx.string_attr(&name));
        let ty = ctx.function_type(&inputs, &results);
        let ty = ctx.type_attr(ty);
        copy.set_attr(ctx, "function_type", ty);
        copy.remove_attr(ctx, "res_attrs");
        if let Some(list) = copy.attr(ctx, "arg_attrs").and_then(|a| a.as_array(ctx)) {
            let mut list = list.to_vec();
            list.resize(inputs.len(), ctx.dict_attr([]));
            copy.set_attr(ctx, "arg_attrs", ctx.array_attr(list));
        }

        let block = copy.region(ctx, 0).add_block(ctx, &inputs);
        let mut map = IrMapping::new();
        for (i, v) in arguments.iter().enumerate() {
            let loc = match i < own {
                true => entry.arg_loc(ctx, i),
                false => v.loc(ctx),
            };
            block.set_arg_loc(ctx, i, loc);
            map.map(*v, block.arg(ctx, i));
        }
        for op in anew.into_iter().chain([op]) {
            let op = clone_op(ctx, op, &mut map);
            block.push_back(ctx, op);
        }
        let values: Vec<Value> = op.results(ctx).iter().map(|v| map.value(*v)).collect();
        let loc = op.loc(ctx);
        ReturnOp::build(&mut Builder::at_end(ctx, block, loc), &values);
        Some(Alone {
            function: copy,
            op,
            arguments,
        })
    }

    /// Whether [`Alone::of`] gives a function.
    pub fn is_possible(ctx: &Context, function: Op, op: Op) -> bool {
        let is_fresh = |v: &Value| {
            !v.ty(ctx).is_memref(ctx)
                || v.def_op()
                    .is_some_and(|d| d.isa::<AllocOp>(ctx) || d.isa::<AllocaOp>(ctx))
        };
        let entry = function.region(ctx, 0).entry(ctx);
        entry.is_some() && op.block(ctx) == entry && needed(ctx, op).1.iter().all(is_fresh)
    }

    /// Puts what has become of `function`, one of those of this op, in the op's place. The function
    /// stays as it is.
    pub fn put_back(self, ctx: &mut Context, function: Op) {
        let Some(entry) = function.region(ctx, 0).entry(ctx) else {
            return;
        };
        let mut map = IrMapping::new();
        map.map_all(&entry.args(ctx), &self.arguments);
        let mut values = Vec::new();
        for op in entry.ops(ctx) {
            if op.isa::<ReturnOp>(ctx) {
                values = op.operands(ctx);
                continue;
            }
            let op = clone_op(ctx, op, &mut map);
            op.insert_before(ctx, self.op);
        }
        let values: Vec<Value> = values.into_iter().map(|v| map.value(v)).collect();
        self.op.replace(ctx, &values);
    }
}

/// The ops at the top of the function that `op` needs and that may run once more, in their order,
/// and the values that it needs from others.
fn needed(ctx: &Context, op: Op) -> (Vec<Op>, Vec<Value>) {
    let uses = |op: Op| op.operands(ctx).into_iter().chain(captured(ctx, op));
    let (mut anew, mut taken) = (FxHashSet::default(), Vec::new());
    let mut next: Vec<Value> = uses(op).collect();
    while let Some(v) = next.pop() {
        // An argument of the function is one of the new function, too.
        let Some(from) = v.def_op() else { continue };
        if is_pure(ctx, from) {
            if anew.insert(from) {
                next.extend(uses(from));
            }
        } else if !taken.contains(&v) {
            taken.push(v);
        }
    }
    let all = op.block(ctx).map(|b| b.ops(ctx)).unwrap_or_default();
    let anew = all.into_iter().filter(|o| anew.contains(o)).collect();
    (anew, taken)
}
