//! `arith` and `math`.

use super::{Decoder, attrs};
use crate::interp::code::{Ew, Inst, OpClass};
use crate::interp::error::Run;
use crate::interp::ew::EwOp;
use crate::interp::float::FloatBin;
use crate::interp::int::{Flags, IntBin};
use crate::interp::math::{Class, IntFn, MathFn};
use crate::interp::value::Elem;
use terrace_dialects::arith::{CmpFPredicate, CmpIPredicate};
use terrace_ir::num::{FloatKind, Rounding};
use terrace_ir::{Op, Type};

impl Decoder<'_> {
    /// Poison is a number that shows where it is used: not a number, or all ones.
    pub(super) fn poison(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let ty = op.result(ctx, 0).ty(ctx);
        let elem = ty.element_or_self(ctx);
        if elem != ty || !(elem.is_float(ctx) || elem.is_int_or_index(ctx)) {
            return Err(self.unknown(op));
        }
        let a = if elem.is_float(ctx) {
            ctx.float_attr(elem, f64::NAN)
        } else {
            ctx.int_attr(elem, -1)
        };
        let value = attrs::constant(ctx, a, ty)?;
        let dst = self.result(op, 0)?;
        self.emit(OpClass::Constant, Inst::Const { dst, value });
        Ok(())
    }

    /// Values of the dialect llvm; what is undefined shows where it is used.
    pub(super) fn llvm(&mut self, op: Op, name: &str) -> Run<()> {
        let (ctx, ty) = (self.ctx, op.result(self.ctx, 0).ty(self.ctx));
        let value = match name {
            "mlir.undef" | "mlir.poison" => return self.poison(op),
            "mlir.zero" => ctx.zero_attr(ty),
            "mlir.constant" => op.attr(ctx, "value").filter(|v| v.typed(ctx) == Some(ty)),
            _ => None,
        };
        let value = attrs::constant(ctx, value.ok_or_else(|| self.unknown(op))?, ty)?;
        let dst = self.result(op, 0)?;
        self.emit(OpClass::Constant, Inst::Const { dst, value });
        Ok(())
    }

    pub(super) fn elementwise(&mut self, op: Op, dialect: &str, name: &str) -> Run<()> {
        let ctx = self.ctx;
        if dialect == "arith" && name == "constant" {
            let ty = op.result(ctx, 0).ty(ctx);
            let value = op.attr(ctx, "value").ok_or("lacks 'value'")?;
            let value = attrs::constant(ctx, value, ty)?;
            let dst = self.result(op, 0)?;
            self.emit(OpClass::Constant, Inst::Const { dst, value });
            return Ok(());
        }
        let (class, kind) = match dialect {
            "arith" => (OpClass::Arith, self.arith_kind(op, name)),
            _ => (OpClass::Math, math_kind(name)),
        };
        let kind = kind.ok_or_else(|| self.unknown(op))?;
        let operands = op.operand_types(ctx);
        let count = arity(kind);
        if operands.len() != count {
            return Err(format!("takes {count} operands").into());
        }
        let args = self.operands_from(op, 0);
        let dst = self.result(op, 0)?;
        if let Some(inst) = self.fast(kind, operands[count - 1], &args, dst) {
            self.emit(class, inst);
            return Ok(());
        }
        let out = op.result(ctx, 0).ty(ctx);
        // What a select chooses between can be of any type.
        let out = if kind == EwOp::Select {
            Elem::of(ctx, out.element_or_self(ctx)).unwrap_or(Elem::Index)
        } else {
            self.elem(out)?
        };
        let second = if op.num_results(ctx) > 1 {
            Some(self.result(op, 1)?)
        } else {
            None
        };
        self.emit(
            class,
            Inst::Ew(Box::new(Ew {
                op: kind,
                out,
                args: args.into(),
                dst,
                second,
            })),
        );
        Ok(())
    }

    /// The instruction for the scalar types that programs mostly compute with.
    fn fast(&self, kind: EwOp, ty: Type, args: &[u32], dst: u32) -> Option<Inst> {
        let ctx = self.ctx;
        let (a, b) = (*args.first()?, *args.get(1)?);
        Some(match kind {
            EwOp::Int(op, flags) if ty.is_index(ctx) && flags == Flags::default() => {
                Inst::IndexBin { op, dst, a, b }
            }
            EwOp::Int(op, flags) => {
                let width = ty.int_width(ctx).filter(|w| *w <= 64)?;
                Inst::IntBin {
                    op,
                    flags,
                    width,
                    dst,
                    a,
                    b,
                }
            }
            EwOp::CmpI(predicate)
                if ty.is_index(ctx) || ty.int_width(ctx).is_some_and(|w| w <= 64) =>
            {
                Inst::CmpI {
                    predicate,
                    dst,
                    a,
                    b,
                }
            }
            EwOp::Float(op) if ty == ctx.f64() => Inst::F64Bin { op, dst, a, b },
            EwOp::Float(op) if ty == ctx.f32() => Inst::F32Bin { op, dst, a, b },
            EwOp::CmpF(predicate) if ty.float_kind(ctx) == Some(FloatKind::F64) => Inst::CmpF64 {
                predicate,
                dst,
                a,
                b,
            },
            _ => return None,
        })
    }

    fn arith_kind(&self, op: Op, name: &str) -> Option<EwOp> {
        use IntBin::*;
        let ctx = self.ctx;
        let int = |k| Some(EwOp::Int(k, attrs::flags(ctx, op)));
        let float = |k| Some(EwOp::Float(k));
        let non_negative = op.attr(ctx, "nonNeg").is_some();
        match name {
            "addi" => int(Add),
            "subi" => int(Sub),
            "muli" => int(Mul),
            "divui" => int(DivU),
            "divsi" => int(DivS),
            "remui" => int(RemU),
            "remsi" => int(RemS),
            "ceildivui" => int(CeilDivU),
            "ceildivsi" => int(CeilDivS),
            "floordivsi" => int(FloorDivS),
            "andi" => int(And),
            "ori" => int(Or),
            "xori" => int(Xor),
            "shli" => int(Shl),
            "shrui" => int(ShrU),
            "shrsi" => int(ShrS),
            "minsi" => int(MinS),
            "maxsi" => int(MaxS),
            "minui" => int(MinU),
            "maxui" => int(MaxU),
            "addui_extended" => Some(EwOp::AddCarry),
            "mulsi_extended" => Some(EwOp::MulExtended { signed: true }),
            "mului_extended" => Some(EwOp::MulExtended { signed: false }),
            "cmpi" => CmpIPredicate::from_i64(op.int_attr(ctx, "predicate")?).map(EwOp::CmpI),
            "cmpf" => CmpFPredicate::from_i64(op.int_attr(ctx, "predicate")?).map(EwOp::CmpF),
            "select" => Some(EwOp::Select),
            "addf" => float(FloatBin::Add),
            "subf" => float(FloatBin::Sub),
            "mulf" => float(FloatBin::Mul),
            "divf" => float(FloatBin::Div),
            "remf" => float(FloatBin::Rem),
            "maximumf" => float(FloatBin::Maximum),
            "minimumf" => float(FloatBin::Minimum),
            "maxnumf" => float(FloatBin::MaxNum),
            "minnumf" => float(FloatBin::MinNum),
            "negf" => Some(EwOp::Neg),
            "extui" => Some(EwOp::Extend {
                signed: false,
                non_negative,
            }),
            "extsi" => Some(EwOp::Extend {
                signed: true,
                non_negative,
            }),
            "trunci" => Some(EwOp::Truncate(attrs::flags(ctx, op))),
            "extf" => Some(EwOp::ConvertFloat(Rounding::NearestEven)),
            "truncf" => Some(EwOp::ConvertFloat(attrs::rounding(ctx, op))),
            "scaling_extf" => Some(EwOp::ScalingExtend),
            "scaling_truncf" => Some(EwOp::ScalingTruncate(attrs::rounding(ctx, op))),
            "sitofp" => Some(EwOp::IntToFloat {
                signed: true,
                non_negative,
            }),
            "uitofp" => Some(EwOp::IntToFloat {
                signed: false,
                non_negative,
            }),
            "fptosi" => Some(EwOp::FloatToInt { signed: true }),
            "fptoui" => Some(EwOp::FloatToInt { signed: false }),
            "index_cast" => Some(EwOp::IndexCast { signed: true }),
            "index_castui" => Some(EwOp::IndexCast { signed: false }),
            "bitcast" => Some(EwOp::Bitcast),
            _ => None,
        }
    }
}

fn math_kind(name: &str) -> Option<EwOp> {
    Some(match name {
        "absi" => EwOp::IntFn(IntFn::Abs),
        "ctlz" => EwOp::IntFn(IntFn::LeadingZeros),
        "cttz" => EwOp::IntFn(IntFn::TrailingZeros),
        "ctpop" => EwOp::IntFn(IntFn::Ones),
        "ipowi" => EwOp::IPowi,
        "fpowi" => EwOp::Powi,
        "powf" => EwOp::Powf,
        "atan2" => EwOp::Atan2,
        "copysign" => EwOp::CopySign,
        "clampf" => EwOp::Clamp,
        "fma" => EwOp::Fma,
        "sincos" => EwOp::SinCos,
        "isfinite" => EwOp::Class(Class::Finite),
        "isinf" => EwOp::Class(Class::Inf),
        "isnan" => EwOp::Class(Class::Nan),
        "isnormal" => EwOp::Class(Class::Normal),
        name => EwOp::Math(MathFn::from_name(name)?),
    })
}

fn arity(op: EwOp) -> usize {
    use EwOp::*;
    match op {
        Select | Clamp | Fma => 3,
        Int(..)
        | CmpI(_)
        | Float(_)
        | CmpF(_)
        | AddCarry
        | MulExtended { .. }
        | ScalingExtend
        | ScalingTruncate(_)
        | Atan2
        | Powf
        | Powi
        | IPowi
        | CopySign => 2,
        Neg
        | Extend { .. }
        | Truncate(_)
        | ConvertFloat(_)
        | IntToFloat { .. }
        | FloatToInt { .. }
        | IndexCast { .. }
        | Bitcast
        | Math(_)
        | SinCos
        | Class(_)
        | IntFn(_) => 1,
    }
}
