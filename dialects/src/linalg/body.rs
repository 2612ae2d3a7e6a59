//! The bodies of ops with a name: what an element is made of.

use super::generic::YieldOp;
use crate::{arith, math};
use terrace_ir::{Block, Builder, Context, Loc, Type, TypeData, Value};

/// What an element of the output is.
pub(super) enum Body {
    /// The input as a number of the output's type.
    Cast,
    /// A function of an element.
    Unary(Unary),
    /// Of two.
    Binary(Binary),
    /// One of two elements, by a third.
    Select,
    /// What is there, and the product of two elements.
    MultiplyAdd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Exp,
    Log,
    Abs,
    Ceil,
    Floor,
    Neg,
    Reciprocal,
    Round,
    Sqrt,
    Rsqrt,
    Square,
    Tanh,
    Erf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    DivUnsigned,
    Max,
    Min,
    Pow,
}

/// Makes the body in a block that has its arguments.
///
/// # Errors
///
/// That the elements are of types that the function has no values for.
pub(super) fn build(
    ctx: &mut Context,
    block: Block,
    loc: Loc,
    body: &Body,
    unsigned: bool,
) -> Result<(), String> {
    let args = block.args(ctx);
    let output = args[args.len() - 1];
    let ty = output.ty(ctx);
    let mut b = Builder::at_end(ctx, block, loc);
    let value = match body {
        Body::Cast => cast(&mut b, args[0], ty, unsigned),
        Body::Unary(f) => unary(&mut b, *f, args[0])?,
        Body::Binary(f) => binary(&mut b, *f, args[0], args[1])?,
        Body::Select => {
            let t = args[1].ty(b.ctx);
            b.value::<arith::SelectOp>(&args[..3], t, &[])
        }
        Body::MultiplyAdd => {
            let x = cast(&mut b, args[0], ty, unsigned);
            let y = cast(&mut b, args[1], ty, unsigned);
            let product = binary(&mut b, Binary::Mul, x, y)?;
            binary(&mut b, Binary::Add, output, product)?
        }
    };
    b.op::<YieldOp>(&[value], &[], &[]);
    Ok(())
}

/// A number as one of another type. One that cannot be stays what it is, and the verifier says so.
fn cast(b: &mut Builder, v: Value, to: Type, unsigned: bool) -> Value {
    let from = v.ty(b.ctx);
    if from == to {
        return v;
    }
    let width = |b: &Builder, t: Type| t.bit_width(b.ctx).unwrap_or(0);
    let wider = width(b, to) > width(b, from);
    let int = |b: &Builder, t: Type| t.is_signless_int(b.ctx);
    match (from.is_float(b.ctx), to.is_float(b.ctx)) {
        (true, true) if wider => b.value::<arith::ExtFOp>(&[v], to, &[]),
        (true, true) if width(b, to) < width(b, from) => b.value::<arith::TruncFOp>(&[v], to, &[]),
        (false, true) if int(b, from) && unsigned => b.value::<arith::UIToFPOp>(&[v], to, &[]),
        (false, true) if int(b, from) => b.value::<arith::SIToFPOp>(&[v], to, &[]),
        (true, false) if int(b, to) && unsigned => b.value::<arith::FPToUIOp>(&[v], to, &[]),
        (true, false) if int(b, to) => b.value::<arith::FPToSIOp>(&[v], to, &[]),
        (false, false) if int(b, from) && int(b, to) && !wider => {
            b.value::<arith::TruncIOp>(&[v], to, &[])
        }
        (false, false) if int(b, from) && int(b, to) && unsigned => {
            b.value::<arith::ExtUIOp>(&[v], to, &[])
        }
        (false, false) if int(b, from) && int(b, to) => b.value::<arith::ExtSIOp>(&[v], to, &[]),
        _ => v,
    }
}

fn unary(b: &mut Builder, f: Unary, v: Value) -> Result<Value, String> {
    let t = v.ty(b.ctx);
    if !t.is_float(b.ctx) {
        return Err("unsupported non numeric type".to_string());
    }
    Ok(match f {
        Unary::Exp => b.value::<math::ExpOp>(&[v], t, &[]),
        Unary::Log => b.value::<math::LogOp>(&[v], t, &[]),
        Unary::Abs => b.value::<math::AbsFOp>(&[v], t, &[]),
        Unary::Ceil => b.value::<math::CeilOp>(&[v], t, &[]),
        Unary::Floor => b.value::<math::FloorOp>(&[v], t, &[]),
        Unary::Neg => b.value::<arith::NegFOp>(&[v], t, &[]),
        Unary::Reciprocal => {
            let one = arith::constant_float(b, 1.0, t);
            b.value::<arith::DivFOp>(&[one, v], t, &[])
        }
        Unary::Round => b.value::<math::RoundOp>(&[v], t, &[]),
        Unary::Sqrt => b.value::<math::SqrtOp>(&[v], t, &[]),
        Unary::Rsqrt => b.value::<math::RsqrtOp>(&[v], t, &[]),
        Unary::Square => b.value::<arith::MulFOp>(&[v, v], t, &[]),
        Unary::Tanh => b.value::<math::TanhOp>(&[v], t, &[]),
        Unary::Erf => b.value::<math::ErfOp>(&[v], t, &[]),
    })
}

fn binary(b: &mut Builder, f: Binary, x: Value, y: Value) -> Result<Value, String> {
    let (t, other) = (x.ty(b.ctx), y.ty(b.ctx));
    let v = [x, y];
    let both = |is: fn(Type, &Context) -> bool| is(t, b.ctx) && is(other, b.ctx);
    if both(Type::is_float) {
        return Ok(match f {
            Binary::Add => b.value::<arith::AddFOp>(&v, t, &[]),
            Binary::Sub => b.value::<arith::SubFOp>(&v, t, &[]),
            Binary::Mul => b.value::<arith::MulFOp>(&v, t, &[]),
            Binary::Div => b.value::<arith::DivFOp>(&v, t, &[]),
            Binary::Max => b.value::<arith::MaximumFOp>(&v, t, &[]),
            Binary::Min => b.value::<arith::MinimumFOp>(&v, t, &[]),
            Binary::Pow => b.value::<math::PowFOp>(&v, t, &[]),
            Binary::DivUnsigned => {
                return Err("unsupported operation: unsigned div not on uint".to_string());
            }
        });
    }
    if both(Type::is_signless_int) {
        let flag = t.bit_width(b.ctx) == Some(1) && other.bit_width(b.ctx) == Some(1);
        return match f {
            Binary::Add if flag => Ok(b.value::<arith::OrIOp>(&v, t, &[])),
            Binary::Mul if flag => Ok(b.value::<arith::AndIOp>(&v, t, &[])),
            Binary::Sub if flag => Err("unsupported operation: sub with bools".to_string()),
            Binary::Div if flag => Err("unsupported operation: div with bools".to_string()),
            Binary::DivUnsigned if flag => {
                Err("unsupported operation: unsigned div not on uint".to_string())
            }
            Binary::Add => Ok(b.value::<arith::AddIOp>(&v, t, &[])),
            Binary::Sub => Ok(b.value::<arith::SubIOp>(&v, t, &[])),
            Binary::Mul => Ok(b.value::<arith::MulIOp>(&v, t, &[])),
            Binary::Div => Ok(b.value::<arith::DivSIOp>(&v, t, &[])),
            Binary::DivUnsigned => Ok(b.value::<arith::DivUIOp>(&v, t, &[])),
            Binary::Max => Ok(b.value::<arith::MaxSIOp>(&v, t, &[])),
            Binary::Min => Ok(b.value::<arith::MinSIOp>(&v, t, &[])),
            Binary::Pow => Err("unsupported non numeric type".to_string()),
        };
    }
    let complex = |t: Type| matches!(t.data(b.ctx), TypeData::Complex(_));
    if complex(t) && complex(other) {
        return Err(
            "has complex elements, whose ops are not here; terrace-mlir brings it down".to_string(),
        );
    }
    Err(format!(
        "Cannot build binary Linalg operation: expects allComplex, allFloatingPoint, or allInteger, got '{}' and '{}'",
        b.ctx.type_text(t),
        b.ctx.type_text(other)
    ))
}
