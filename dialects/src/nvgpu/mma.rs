//! `nvgpu.mma.sync`: a product of small matrices by a warp.

use super::{FRAGMENT, element_bits};
use terrace_ir::constraint::{AttrConstraint, UNIT_ATTR};
use terrace_ir::num::FloatKind;
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::{Context, Op, OpKind, Type, op};

const WARP: i64 = 32;

const I64_ARRAY: AttrConstraint = AttrConstraint::new("64-bit integer array attribute", |c, a| {
    a.as_array(c)
        .is_some_and(|list| list.iter().all(|a| a.typed(c) == Some(c.i64())))
});

op! {
    /// `matrixA * matrixB + matrixC`, of `mmaShape = [m, n, k]`: each thread of a warp
    /// gives and gets its part of the matrices, as PTX's `mma.sync` distributes them.
    MmaSyncOp = "nvgpu.mma.sync" {
        operands: [matrixA: FRAGMENT, matrixB: FRAGMENT, matrixC: FRAGMENT],
        results: [res: FRAGMENT],
        attrs: [mmaShape: I64_ARRAY, tf32Enabled: UNIT_ATTR],
        traits: PURE,
        format: "`` `(` $matrixA `,` $matrixB `,` $matrixC `)` attr-dict `:` `(` type($matrixA) `,` type($matrixB) `,` type($matrixC) `)` `->` type($res)",
        verify: verify,
    }
}

impl MmaSyncOp {
    /// Rows of A, columns of B, columns of A.
    pub fn shape(self, ctx: &Context) -> Option<[i64; 3]> {
        let a = self.op().attr(ctx, "mmaShape")?.as_i64_array(ctx)?;
        a.try_into().ok()
    }

    /// Whether `f32` operands are rounded to the 19 bits of `tf32`.
    pub fn is_tf32(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "tf32Enabled").is_some()
    }
}

/// The columns of the hardware's basic product of 8 rows, and how many elements
/// of A a thread holds of one; B's are as many, C's always two.
fn basic(ctx: &Context, factor: Type) -> Option<(i64, i64)> {
    use FloatKind::{BF16, F16, F32, F64};
    let elem = factor.element(ctx)?;
    match elem.float_kind(ctx) {
        Some(F64) => return Some((4, 1)),
        Some(F16 | BF16 | F32) => {}
        _ if elem == ctx.int(8) || elem == ctx.int(4) => {}
        _ => return None,
    }
    let bits = element_bits(ctx, factor)?;
    Some((128 / bits, 32 / bits))
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(mma) = op.cast::<MmaSyncOp>(ctx) else {
        return Ok(());
    };
    let ty = |i| op.operand(ctx, i).ty(ctx);
    if ty(0).element(ctx) != ty(1).element(ctx) {
        return Err("failed to verify that matrixA and matrixB have same element type".into());
    }
    let Some([m, n, k]) = mma.shape(ctx) else {
        return Err("expected mmaShape to have three integers".into());
    };
    let Some((basic_k, each)) = basic(ctx, ty(0)) else {
        return Err(Invalid::plain(format!(
            "expected input data type (i4,i8,f16,bf16,tf32,f64) supported by {}",
            op.name(ctx)
        )));
    };
    let mut shapes = [[0; 2]; 3];
    for (i, shape) in shapes.iter_mut().enumerate() {
        match ty(i).shape(ctx).unwrap_or(&[]) {
            [rows, columns] => *shape = [*rows, *columns],
            _ => {
                let name = ["A", "B", "C"][i];
                return Err(Invalid::plain(format!(
                    "matrix{name} must be 2 dimensional vector"
                )));
            }
        }
    }
    let sizes = [("A", m, k), ("B", k, n), ("C", m, n)];
    for ((name, rows, columns), [x, y]) in sizes.into_iter().zip(shapes) {
        let wanted = rows.wrapping_mul(columns);
        if x.wrapping_mul(y).wrapping_mul(WARP) != wanted {
            return Err(format!("expected {wanted} warp-wide matrix {name} elements").into());
        }
    }
    if mma.is_tf32(ctx) && ty(0).element(ctx) != Some(ctx.f32()) {
        return Err("expected tf32 tensor cores only for F32 operands".into());
    }
    let (rows, columns, depth) = (m / 8, n / 8, k / basic_k);
    let parts = [
        ("A", rows.wrapping_mul(depth), each),
        ("B", depth.wrapping_mul(columns), each),
        ("C", rows.wrapping_mul(columns), 2),
    ];
    for ((name, outer, inner), found) in parts.into_iter().zip(shapes) {
        if found != [outer, inner] {
            return Err(format!("expected matrix {name} to be shaped ({outer} x {inner})").into());
        }
    }
    Ok(())
}
