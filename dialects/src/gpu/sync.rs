//! `gpu.barrier`, `gpu.printf`, `gpu.yield`.

use super::types::INT_OR_FLOAT;
use terrace_ir::constraint::{ANY, INDEX, STRING_ATTR, TypeConstraint};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{Builder, Op, op};

const PRINTABLE: TypeConstraint =
    TypeConstraint::new("integer or index or floating-point", |c, t| {
        (INDEX.check)(c, t) || (INT_OR_FLOAT.check)(c, t) || t.is_int(c)
    });

op! {
    /// No thread of a block goes on before all have come here, and each then sees
    /// what the others wrote before.
    BarrierOp = "gpu.barrier" {
        format: "attr-dict",
        canonicalize: super::canonicalize::barrier,
    }

    /// Prints from the device, in the format language of C.
    PrintfOp = "gpu.printf" {
        operands: [args: PRINTABLE.variadic()],
        attrs: [format: STRING_ATTR],
        format: "$format attr-dict (`,` $args^ `:` type($args))?",
        effects: |_, _| vec![Effect { kind: EffectKind::Write, on: None }],
    }

    /// The values of a region of a `gpu` op.
    YieldOp = "gpu.yield" {
        operands: [values: ANY.variadic()],
        traits: PURE | RETURN_LIKE | TERMINATOR,
        format: "attr-dict ($values^ `:` type($values))?",
    }
}

impl BarrierOp {
    pub fn build(b: &mut Builder) -> Op {
        b.op::<BarrierOp>(&[], &[], &[])
    }
}
