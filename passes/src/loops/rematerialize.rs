//! Values of loops computed again in a kernel.

use rustc_hash::FxHashMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Op, Value};

/// `v` computed at the builder's place, from `known` values in place of what the loops of
/// `nest` compute; what is computed outside of them stays. `known` gets all that is made.
pub(crate) fn rematerialize(
    b: &mut Builder,
    nest: Op,
    v: Value,
    known: &mut FxHashMap<Value, Value>,
) -> Value {
    if let Some(found) = known.get(&v) {
        return *found;
    }
    let Some(op) = v.def_op().filter(|o| nest.is_ancestor_of(b.ctx, *o)) else {
        return v;
    };
    let mut map = IrMapping::new();
    for o in op.operands(b.ctx) {
        let here = rematerialize(b, nest, o, known);
        map.map(o, here);
    }
    let copy = clone_op(b.ctx, op, &mut map);
    b.insert(copy);
    let here = map.value(v);
    known.insert(v, here);
    here
}
