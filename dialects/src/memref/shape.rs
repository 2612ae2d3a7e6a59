//! Questions about a memref: `memref.dim`.

use super::constraints::NON_0_RANKED;
use super::fold;
use terrace_ir::constraint::INDEX;
use terrace_ir::{Builder, Context, OpKind, Value, op};

op! {
    /// The size of a dimension. The index must be less than the rank.
    DimOp = "memref.dim" {
        operands: [source: NON_0_RANKED, index: INDEX],
        results: [result: INDEX],
        traits: NO_EFFECT,
        format: "attr-dict $source `,` $index `:` type($source)",
        fold: fold::dim,
        result_names: |_, _| vec![Some("dim".to_string())],
    }
}

impl DimOp {
    /// The size of dimension `index` (a value of type index) of `source`.
    pub fn build(b: &mut Builder, source: Value, index: Value) -> Value {
        let ty = b.ctx.index();
        b.value::<DimOp>(&[source, index], ty, &[])
    }

    pub fn source(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    pub fn index(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }
}
