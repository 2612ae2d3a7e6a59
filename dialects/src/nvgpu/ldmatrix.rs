//! `nvgpu.ldmatrix`: fragments of matrices from the memory of a block.

use super::{FRAGMENT, SHARED, element_bits, is_shared};
use terrace_ir::constraint::{BOOL_ATTR, I32_ATTR, INDEX, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind, Invalid, Verified};
use terrace_ir::{Context, Op, OpKind, op};

op! {
    /// The threads of a warp load `numTiles` (1, 2 or 4) tiles of 8 rows of 16 bytes.
    ///
    /// Thread `8t + r` gives by its indices where row `r` of tile `t` begins. Thread
    /// `l` gets of each tile the 4 bytes at column `l % 4` of row `l / 4`; with
    /// `transpose`, of the transposed tile.
    LdMatrixOp = "nvgpu.ldmatrix" {
        operands: [srcMemref: MEMREF, indices: INDEX.variadic()],
        results: [res: FRAGMENT],
        attrs: [transpose: BOOL_ATTR, numTiles: I32_ATTR],
        format: "$srcMemref `` `[` $indices `]` attr-dict `:` type($srcMemref) `->` type($res)",
        verify: verify,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }
}

impl LdMatrixOp {
    /// Whether tiles are transposed.
    pub fn transpose(self, ctx: &Context) -> bool {
        let a = self.op().attr(ctx, "transpose");
        a.and_then(|a| a.as_bool(ctx)).unwrap_or(false)
    }

    /// The number of tiles.
    pub fn num_tiles(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "numTiles").unwrap_or(0)
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(ldmatrix) = op.cast::<LdMatrixOp>(ctx) else {
        return Ok(());
    };
    let (source, result) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if source.element(ctx) != result.element(ctx) {
        return Err("failed to verify that srcMemref and res have same element type".into());
    }
    let plain = |m: String| Err(Invalid::plain(m));
    if !is_shared(ctx, source.memref_parts(ctx).and_then(|m| m.1)) {
        return plain(format!(
            "expected nvgpu.ldmatrix srcMemref must have a memory space attribute of IntegerAttr({SHARED}) or gpu::AddressSpaceAttr(Workgroup)"
        ));
    }
    let bits = element_bits(ctx, result).unwrap_or(i64::MAX);
    if bits > 32 {
        return plain("nvgpu.ldmatrix works for 32b or lower".into());
    }
    if ldmatrix.transpose(ctx) && bits != 16 {
        return plain("nvgpu.ldmatrix transpose works only at 16b granularity".into());
    }
    let shape = result.shape(ctx).unwrap_or(&[]);
    let [tiles, each] = shape else {
        return plain("results must be 2 dimensional vector".into());
    };
    if *each != 32 / bits {
        return plain(format!("expected vector register shape[1] = {}", 32 / bits));
    }
    if *tiles != ldmatrix.num_tiles(ctx) {
        return plain("expected vector register shape[0] and numTiles to match".into());
    }
    Ok(())
}
