//! The `nvgpu` dialect: what the tensor cores and the asynchronous copies of NVIDIA's
//! machines do, on vectors and memrefs.

mod copy;
mod ldmatrix;
mod mma;

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::opdef::ParamDef;
use terrace_ir::{Attr, Context, DialectDef, OpKind, Type, TypeData};

pub use copy::{DeviceAsyncCopyOp, DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp};
pub use ldmatrix::LdMatrixOp;
pub use mma::MmaSyncOp;

/// What only NVIDIA's devices have: matrix units and asynchronous copies.
pub static DIALECT: DialectDef = DialectDef {
    name: "nvgpu",
    doc: "Tensor cores and asynchronous copies of NVIDIA's machines.",
    ops: &[
        DeviceAsyncCopyOp::DEF,
        DeviceAsyncCreateGroupOp::DEF,
        DeviceAsyncWaitOp::DEF,
        LdMatrixOp::DEF,
        MmaSyncOp::DEF,
    ],
    attrs: &[],
    types: TYPES,
    materialize: None,
    verify_op_attr: None,
};

static TYPES: &[ParamDef] = &[ParamDef {
    mnemonic: "device.async.token",
    parse: |_| Ok(Vec::new()),
    print: |_, _| {},
}];

/// `!nvgpu.device.async.token`: copies under way, or a group of them.
pub fn token(ctx: &Context) -> Type {
    ctx.ty(TypeData::Dialect {
        dialect: "nvgpu",
        mnemonic: "device.async.token",
        params: Vec::new(),
    })
}

const TOKEN: TypeConstraint =
    TypeConstraint::exactly("device async token type", |c, t| t == token(c), token);

const FRAGMENT: TypeConstraint = TypeConstraint::new(
    "vector of any type values",
    |c, t| matches!(t.data(c), TypeData::Vector { shape, .. } if !shape.is_empty()),
);

/// Whether a memory space is that of a block: the number 3, or
/// `#gpu.address_space<workgroup>`.
fn is_shared(ctx: &Context, space: Option<Attr>) -> bool {
    space.is_some_and(|s| {
        crate::gpu::is_workgroup_space(ctx, Some(s)) || s.as_i64(ctx) == Some(SHARED)
    })
}

/// The number of the memory of a block.
const SHARED: i64 = 3;

/// The bits of an element; none where its type has no fixed number.
fn element_bits(ctx: &Context, shaped: Type) -> Option<i64> {
    let elem = shaped.element(ctx)?;
    let float = || elem.float_kind(ctx).map(|k| k.width());
    elem.int_width(ctx)
        .or_else(float)
        .map(i64::from)
        .filter(|n| *n > 0)
}
