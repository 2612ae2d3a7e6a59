//! `gpu-reciprocal-roots`: quotients by products of square roots, where both may be
//! approximated, become products with reciprocal roots.
//!
//! The machine has an instruction for one over a root (`rsqrt.approx`), as fast as the one
//! for a root alone, so that the division is saved. Legal where the division has the flags
//! `arcp` and `afn` and the roots `afn`, on floats of 32 bits. The result is off by no more
//! than the two approximations and the products are together (docs/math.md); the divisor
//! itself is not computed, so that a quotient is right too where that would be too small
//! for a float.
//!
//! ```text
//! %s = math.sqrt %d fastmath<afn> : f32        %r = math.rsqrt %d fastmath<afn> : f32
//! %p = arith.mulf %d, %s : f32            =>   %t = arith.mulf %r, %r : f32
//! %q = arith.divf %m, %p fastmath<arcp,afn>    %c = arith.mulf %t, %r : f32
//!                                              %q = arith.mulf %m, %c : f32
//! ```

use terrace_dialects::arith::{self, ATTR_FASTMATH, FASTMATH, fastmath, fastmath_of};
use terrace_dialects::gpu;
use terrace_dialects::math;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-reciprocal-roots",
    title: "GpuReciprocalRoots",
    summary: "Turn approximate quotients by roots into products with reciprocal roots",
    description: "In kernels and modules of kernels: a division of f32 with the fast-math flags arcp and afn, by a product of one value and of its square roots with afn.",
    statistics: &[StatisticInfo::new(
        "num-quotients",
        "Number of divisions that became products",
    )],
    make: |_| Ok(Box::new(ReciprocalRoots)),
    ..PassInfo::EMPTY
};

/// Roots that a divisor may come to: those of a value's third power are three.
const MAX_ROOTS: usize = 8;

struct ReciprocalRoots;

impl Pass for ReciprocalRoots {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        let mut found = Vec::new();
        let is_kernel = |o: &Op| {
            matches!(
                o.name(ctx),
                gpu::ModuleOp::NAME | gpu::LaunchOp::NAME | gpu::FuncOp::NAME
            )
        };
        for kernel in root.pre_order(ctx).into_iter().filter(is_kernel) {
            for op in kernel.pre_order(ctx) {
                // A function in a module is met twice.
                if found.iter().all(|(o, _, _)| *o != op)
                    && let Some((of, roots)) = roots(ctx, op)
                {
                    found.push((op, of, roots));
                }
            }
        }
        ctx.count("num-quotients", found.len() as u64);
        for (op, of, roots) in found {
            replace(ctx, op, of, roots);
        }
        Ok(())
    }
}

/// The value whose roots `op` divides by, and by how many.
fn roots(ctx: &Context, op: Op) -> Option<(Value, usize)> {
    const NEEDED: i64 = fastmath::ARCP | fastmath::AFN;
    if op.name(ctx) != arith::DivFOp::NAME
        || fastmath_of(ctx, op) & NEEDED != NEEDED
        || op.result(ctx, 0).ty(ctx) != ctx.f32()
    {
        return None;
    }
    let mut factors = vec![op.operand(ctx, 1)];
    let mut leaves = Vec::new();
    while let Some(v) = factors.pop() {
        let def = v.def_op();
        match def.filter(|o| o.name(ctx) == arith::MulFOp::NAME) {
            Some(o) => factors.extend(o.operands(ctx)),
            None => leaves.push(v),
        }
        if factors.len() + leaves.len() > MAX_ROOTS {
            return None;
        }
    }
    let root_of = |v: &Value| {
        let op = v.def_op().filter(|o| o.name(ctx) == math::SqrtOp::NAME)?;
        (fastmath_of(ctx, op) & fastmath::AFN != 0).then(|| op.operand(ctx, 0))
    };
    let of = leaves.iter().find_map(root_of)?;
    let mut count = 0;
    for v in &leaves {
        count += match root_of(v) {
            Some(x) if x == of => 1,
            _ if *v == of => 2,
            _ => return None,
        };
    }
    (count <= MAX_ROOTS).then_some((of, count))
}

fn replace(ctx: &mut Context, op: Op, of: Value, roots: usize) {
    let mut b = Builder::before(ctx, op);
    let f32 = b.ctx.f32();
    let approximate = FASTMATH.attr(b.ctx, fastmath::AFN);
    let r = b.value::<math::RsqrtOp>(&[of], f32, &[(ATTR_FASTMATH, approximate)]);
    let mut power = r;
    for _ in 1..roots {
        power = b.value::<arith::MulFOp>(&[power, r], f32, &[]);
    }
    let numerator = op.operand(b.ctx, 0);
    let q = b.value::<arith::MulFOp>(&[numerator, power], f32, &[]);
    op.replace(ctx, &[q]);
}
