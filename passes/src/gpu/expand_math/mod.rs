//! `expand-math-for-gpu`: functions that the machine has no instruction for, as
//! arithmetic.
//!
//! Always legal: an op becomes ops that compute the same within bounds, with
//! the results of C for infinities, NaNs, signed zeros and overflow. The functions are
//! computed in `f64`, those of narrower floats in `f32` (`single`; but `rsqrt`, where the
//! lowering does not have it). Every function begins by bringing its argument into a small
//! interval where a polynomial is good: those of `f64` are interpolated at Chebyshev
//! nodes, so they are within a small factor of the best ones.
//!
//! Largest errors in units in the last place are in docs/math.md, and held against the C
//! library by `test/gpu_math.rs`.
//!
//! What an instruction approximates stays where the op has the fast-math flag `afn` and
//! is of at most 32 bits. So do functions of at most 32 bits that the lowering to PTX
//! has in a few instructions (`exp`, `exp2`, `log`, `log2`, `rsqrt`, `erf`), but with
//! `everywhere`. Vectors stay.
//!
//! ```text
//! %y = math.sin %x : f16    =>    %d = arith.extf %x : f16 to f32
//!                                 ...
//!                                 %y = arith.truncf %e : f32 to f16
//! ```

mod cbrt;
mod emit;
mod erf;
mod exp;
mod hyperbolic;
mod integer_power;
mod inverse_trig;
mod log;
mod pow;
mod quadrant;
mod remainder;
mod single;
mod trig;

use emit::Emit;
use terrace_dialects::arith::{self, fastmath, fastmath_of};
use terrace_dialects::{gpu, math};
use terrace_ir::num::FloatKind;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "expand-math-for-gpu",
    title: "ExpandMathForGpu",
    summary: "Expand functions of math that the GPU has no instruction for",
    description: "In kernels and modules of kernels, replaces ops such as math.exp and arith.remf by arithmetic that computes them accurately.",
    options: &[OptionInfo::flag(
        "everywhere",
        "Expand them in host code too",
    )],
    statistics: &[StatisticInfo::new("num-expanded", "Number of ops expanded")],
    make: |o| {
        Ok(Box::new(ExpandMath {
            everywhere: o.bool("everywhere"),
        }))
    },
    ..PassInfo::EMPTY
};

struct ExpandMath {
    everywhere: bool,
}

impl Pass for ExpandMath {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        let mut found = Vec::new();
        let mut work = vec![(root, self.everywhere)];
        while let Some((op, inside)) = work.pop() {
            let inside = inside
                || matches!(
                    op.name(ctx),
                    gpu::ModuleOp::NAME | gpu::LaunchOp::NAME | gpu::FuncOp::NAME
                );
            for b in op.blocks(ctx) {
                for o in b.ops(ctx) {
                    if o.num_regions(ctx) > 0 {
                        work.push((o, inside));
                    } else if inside && is_expanded(ctx, o, self.everywhere) {
                        found.push(o);
                    }
                }
            }
        }
        ctx.count("num-expanded", found.len() as u64);
        for op in found {
            expand(ctx, op);
        }
        Ok(())
    }
}

/// Whether this pass replaces `op`: `all` also where the lowering to PTX has a shorter
/// form.
fn is_expanded(ctx: &Context, op: Op, all: bool) -> bool {
    let name = op.name(ctx);
    if op.num_results(ctx) == 0 {
        return false;
    }
    let ty = op.result(ctx, 0).ty(ctx);
    if name == math::IPowIOp::NAME {
        return ty.is_int(ctx) && ty.int_width(ctx).is_some_and(|w| (2..=64).contains(&w));
    }
    let Some(kind) = ty.float_kind(ctx).filter(|_| ty.is_float(ctx)) else {
        return false;
    };
    let known = matches!(
        kind,
        FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64
    );
    let approximated = kind != FloatKind::F64
        && fastmath_of(ctx, op) & fastmath::AFN != 0
        && math::has_approximation(name);
    let short = kind != FloatKind::F64
        && matches!(
            name,
            math::ErfOp::NAME
                | math::ExpOp::NAME
                | math::Exp2Op::NAME
                | math::LogOp::NAME
                | math::Log2Op::NAME
                | math::RsqrtOp::NAME
        );
    known
        && !approximated
        && (all || !short)
        && matches!(
            name,
            arith::RemFOp::NAME
                | math::AcosOp::NAME
                | math::AcoshOp::NAME
                | math::AsinOp::NAME
                | math::AsinhOp::NAME
                | math::AtanOp::NAME
                | math::Atan2Op::NAME
                | math::AtanhOp::NAME
                | math::CbrtOp::NAME
                | math::CosOp::NAME
                | math::CoshOp::NAME
                | math::ErfOp::NAME
                | math::ErfcOp::NAME
                | math::ExpOp::NAME
                | math::Exp2Op::NAME
                | math::ExpM1Op::NAME
                | math::FPowIOp::NAME
                | math::LogOp::NAME
                | math::Log10Op::NAME
                | math::Log1pOp::NAME
                | math::Log2Op::NAME
                | math::PowFOp::NAME
                | math::RsqrtOp::NAME
                | math::SinOp::NAME
                | math::SincosOp::NAME
                | math::SinhOp::NAME
                | math::TanOp::NAME
                | math::TanhOp::NAME
        )
}

fn expand(ctx: &mut Context, op: Op) {
    let name = op.name(ctx).to_string();
    let mut b = Builder::before(ctx, op);
    if name == math::IPowIOp::NAME {
        let (base, exponent) = (op.operand(b.ctx, 0), op.operand(b.ctx, 1));
        let v = integer_power::ipowi(&mut b, base, exponent);
        op.replace(ctx, &[v]);
        return;
    }
    let ty = op.result(b.ctx, 0).ty(b.ctx);
    let f64 = b.ctx.f64();
    let operands = op.operands(b.ctx);
    if ty != f64
        && let Some(results) = in_single(&mut b, &name, &operands)
    {
        op.replace(ctx, &results);
        return;
    }
    let args: Vec<Value> = operands
        .into_iter()
        .map(|v| {
            let t = v.ty(b.ctx);
            if !t.is_float(b.ctx) {
                // The exponent of fpowi; 32 bits are exact.
                b.value::<arith::SIToFPOp>(&[v], f64, &[])
            } else if t == f64 {
                v
            } else {
                b.value::<arith::ExtFOp>(&[v], f64, &[])
            }
        })
        .collect();
    let mut e = Emit::new(&mut b);
    let Some(x) = args.first().copied() else {
        return;
    };
    let y = args.get(1).copied().unwrap_or(x);
    let results = match name.as_str() {
        arith::RemFOp::NAME => vec![remainder::remf(&mut e, x, y)],
        math::AcosOp::NAME => vec![inverse_trig::acos(&mut e, x)],
        math::AcoshOp::NAME => vec![hyperbolic::acosh(&mut e, x)],
        math::AsinOp::NAME => vec![inverse_trig::asin(&mut e, x)],
        math::AsinhOp::NAME => vec![hyperbolic::asinh(&mut e, x)],
        math::AtanOp::NAME => vec![inverse_trig::atan(&mut e, x)],
        math::Atan2Op::NAME => vec![inverse_trig::atan2(&mut e, x, y)],
        math::AtanhOp::NAME => vec![hyperbolic::atanh(&mut e, x)],
        math::CbrtOp::NAME => vec![cbrt::cbrt(&mut e, x)],
        math::CosOp::NAME => vec![trig::cos(&mut e, x)],
        math::CoshOp::NAME => vec![hyperbolic::cosh(&mut e, x)],
        math::ErfOp::NAME => vec![erf::erf(&mut e, x)],
        math::ErfcOp::NAME => vec![erf::erfc(&mut e, x)],
        math::ExpOp::NAME => vec![exp::exp(&mut e, x, None)],
        math::Exp2Op::NAME => vec![exp::exp2(&mut e, x)],
        math::ExpM1Op::NAME => vec![exp::expm1(&mut e, x)],
        math::FPowIOp::NAME | math::PowFOp::NAME => {
            vec![pow::pow(&mut e, x, y)]
        }
        math::LogOp::NAME => vec![log::log(&mut e, x)],
        math::Log10Op::NAME => vec![log::log10(&mut e, x)],
        math::Log1pOp::NAME => vec![log::log1p(&mut e, x)],
        math::Log2Op::NAME => vec![log::log2(&mut e, x)],
        math::RsqrtOp::NAME => {
            let root = e.sqrt(x);
            let one = e.c(1.0);
            vec![e.div(one, root)]
        }
        math::SinOp::NAME => vec![trig::sin(&mut e, x)],
        math::SincosOp::NAME => {
            let (s, c) = trig::sincos(&mut e, x);
            vec![s, c]
        }
        math::SinhOp::NAME => vec![hyperbolic::sinh(&mut e, x)],
        math::TanOp::NAME => vec![trig::tan(&mut e, x)],
        _ => vec![hyperbolic::tanh(&mut e, x)],
    };
    let results: Vec<Value> = results
        .into_iter()
        .map(|v| match ty == f64 {
            true => v,
            false => b.value::<arith::TruncFOp>(&[v], ty, &[]),
        })
        .collect();
    op.replace(ctx, &results);
}

/// The results of a function of floats of at most 32 bits, computed in `f32`; none if it
/// is computed in `f64`.
fn in_single(b: &mut Builder, name: &str, operands: &[Value]) -> Option<Vec<Value>> {
    let (f32, i32) = (b.ctx.f32(), b.ctx.i32());
    let ty = operands.first()?.ty(b.ctx);
    // The root is an instruction, and its inverse would be rounded twice.
    if name == math::RsqrtOp::NAME {
        return None;
    }
    let mut args = Vec::with_capacity(operands.len());
    for v in operands {
        let t = v.ty(b.ctx);
        args.push(if t == f32 || t == i32 {
            *v
        } else if t.is_float(b.ctx) {
            b.value::<arith::ExtFOp>(&[*v], f32, &[])
        } else if t.int_width(b.ctx).is_some_and(|w| w < 32) {
            b.value::<arith::ExtSIOp>(&[*v], i32, &[])
        } else {
            return None;
        });
    }
    let mut results = single::expand(b, name, &args)?;
    if ty != f32 {
        for v in &mut results {
            *v = b.value::<arith::TruncFOp>(&[*v], ty, &[]);
        }
    }
    Some(results)
}
