//! The types of the dialect and the constraints on operands.

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::Signedness;
use terrace_ir::{Attr, Context, Type, TypeData};

pub(super) static TYPES: &[ParamDef] = &[
    ParamDef {
        mnemonic: "async.token",
        parse: |_| Ok(Vec::new()),
        print: |_, _| {},
    },
    ParamDef {
        mnemonic: "mma_matrix",
        parse: parse_mma,
        print: print_mma,
    },
];

/// `!gpu.async.token`: the completion of an asynchronous op.
pub fn async_token(ctx: &Context) -> Type {
    ctx.ty(TypeData::Dialect {
        dialect: "gpu",
        mnemonic: "async.token",
        params: Vec::new(),
    })
}

/// The parts of `!gpu.mma_matrix<MxNxT, "AOp">`: a matrix spread over a subgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MmaMatrix {
    /// Rows and columns.
    pub shape: [i64; 2],
    /// Type of the elements.
    pub elem: Type,
    /// `AOp`, `BOp` or `COp`: its place in `C += A * B`.
    pub operand: String,
}

impl MmaMatrix {
    /// The parts of a matrix type; `None` for another type.
    pub fn of(ctx: &Context, t: Type) -> Option<MmaMatrix> {
        let TypeData::Dialect {
            dialect: "gpu",
            mnemonic: "mma_matrix",
            params,
        } = t.data(ctx)
        else {
            return None;
        };
        let [shape, elem, operand] = params.as_slice() else {
            return None;
        };
        let shape = shape.as_i64_array(ctx)?;
        Some(MmaMatrix {
            shape: [*shape.first()?, *shape.get(1)?],
            elem: elem.as_type(ctx)?,
            operand: operand.as_str(ctx)?.to_string(),
        })
    }
}

fn mma_element(ctx: &Context, t: Type) -> bool {
    is_signed_i8(ctx, t) || is_unsigned_i8(ctx, t) || t == ctx.i32() || is_mma_float(ctx, t)
}

fn is_signed_i8(ctx: &Context, t: Type) -> bool {
    matches!(
        t.data(ctx),
        TypeData::Integer {
            width: 8,
            sign: Signedness::Signed
        }
    )
}

fn is_unsigned_i8(ctx: &Context, t: Type) -> bool {
    matches!(
        t.data(ctx),
        TypeData::Integer {
            width: 8,
            sign: Signedness::Unsigned
        }
    )
}

fn is_mma_float(ctx: &Context, t: Type) -> bool {
    use terrace_ir::num::FloatKind as K;
    matches!(t.float_kind(ctx), Some(K::F16 | K::F32 | K::F64))
}

fn parse_mma(p: &mut OpParser) -> PResult<Vec<Attr>> {
    let start = p.pos();
    p.expect(T::Less)?;
    let shape = p.parse_dims(false, true)?;
    let elem = p.parse_type()?;
    p.expect(T::Comma)?;
    let operand = p.parse_string()?;
    p.expect(T::Greater)?;
    let operand = match std::str::from_utf8(&operand) {
        Ok(s @ ("AOp" | "BOp" | "COp")) => s.to_string(),
        _ => return Err(p.error(start, "operand expected to be one of AOp, BOp or COp")),
    };
    if shape.len() != 2 {
        return Err(p.error(start, "MMAMatrixType must have exactly two dimensions"));
    }
    if !mma_element(p.ctx, elem) {
        return Err(p.error(
            start,
            "MMAMatrixType elements must be SI8, UI8, I32, F16, F32, or F64",
        ));
    }
    Ok(vec![
        p.ctx.i64_array(&shape),
        p.ctx.type_attr(elem),
        p.ctx.string_attr(&operand),
    ])
}

fn print_mma(p: &mut Printer, params: &[Attr]) {
    let [shape, elem, operand] = params else {
        return;
    };
    p.write("<");
    for d in shape.as_i64_array(p.ctx).unwrap_or_default() {
        p.fmt(format_args!("{d}x"));
    }
    if let Some(t) = elem.as_type(p.ctx) {
        p.ty(t);
    }
    p.write(", ");
    p.attr(*operand);
    p.write(">");
}

// ---- constraints ----

pub(crate) const TOKEN: TypeConstraint =
    TypeConstraint::exactly("async token type", |c, t| t == async_token(c), async_token);

pub(super) const LAUNCH_INDEX: TypeConstraint = TypeConstraint::new(
    "index or 32-bit signless integer or 64-bit signless integer",
    |c, t| t.is_index(c) || t == c.i32() || t == c.i64(),
);

fn int_or_float(c: &Context, t: Type) -> bool {
    t.is_signless_int(c) || t.is_float(c)
}

pub(super) const INT_OR_FLOAT: TypeConstraint =
    TypeConstraint::new("Integer or Float", int_or_float);

pub(super) const INT_OR_FLOAT_OR_VECTOR: TypeConstraint = TypeConstraint::new(
    "Integer or Float or fixed-length vector of Integer or Float values of ranks 1",
    |c, t| {
        int_or_float(c, t)
            || matches!(t.data(c), TypeData::Vector { shape, elem, scalable }
                if shape.len() == 1 && !scalable.contains(&true) && int_or_float(c, *elem))
    },
);

pub(super) const MMA: TypeConstraint =
    TypeConstraint::new("MMAMatrix type", |c, t| MmaMatrix::of(c, t).is_some());

/// What may be stored, multiplied, and added to.
pub(super) const MMA_STORED: TypeConstraint = TypeConstraint::new(
    "gpu.mma_matrix of 8-bit signed integer or 8-bit unsigned integer or 32-bit signless integer or 16-bit float or 32-bit float or 64-bit float values",
    |c, t| MmaMatrix::of(c, t).is_some_and(|m| mma_element(c, m.elem)),
);
pub(super) const MMA_FACTOR: TypeConstraint = TypeConstraint::new(
    "gpu.mma_matrix of 8-bit signed integer or 8-bit unsigned integer or 16-bit float or 32-bit float or 64-bit float values",
    |c, t| {
        MmaMatrix::of(c, t).is_some_and(|m| {
            is_signed_i8(c, m.elem) || is_unsigned_i8(c, m.elem) || is_mma_float(c, m.elem)
        })
    },
);
pub(super) const MMA_SUM: TypeConstraint = TypeConstraint::new(
    "gpu.mma_matrix of 32-bit signless integer or 16-bit float or 32-bit float or 64-bit float values",
    |c, t| MmaMatrix::of(c, t).is_some_and(|m| m.elem == c.i32() || is_mma_float(c, m.elem)),
);

fn mma_memory_element(c: &Context, t: Type) -> bool {
    t == c.int(8) || t == c.i32() || is_mma_float(c, t)
}

pub(super) const MMA_MEMREF: TypeConstraint = TypeConstraint::new(
    "memref of 8-bit signless integer or 32-bit signless integer or 16-bit float or 32-bit float or 64-bit float or vector of 8-bit signless integer or 32-bit signless integer or 16-bit float or 32-bit float or 64-bit float values of ranks 1 values",
    |c, t| {
        let TypeData::MemRef { elem, .. } = t.data(c) else {
            return false;
        };
        mma_memory_element(c, *elem)
            || matches!(elem.data(c), TypeData::Vector { shape, elem, .. }
                if shape.len() == 1 && mma_memory_element(c, *elem))
    },
);
