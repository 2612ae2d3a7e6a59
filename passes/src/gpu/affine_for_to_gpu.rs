//! `convert-affine-for-to-gpu`: each top-level nest of affine loops becomes a
//! `gpu.launch`, the outer loops its blocks, the next ones its threads.
//!
//! Legal only where the mapped loops are parallel, which the pass takes from whoever
//! asks for it, as upstream does; `affine-parallelize` and `map-parallel-to-gpu` find
//! out. Loops that carry values are refused, and so are imperfect nests and bounds that
//! depend on other mapped loops.
//!
//! ```text
//! affine.for %i = 0 to 42 {           gpu.launch blocks(%bx, ...) in (%gx = 42, ...) {
//!   affine.for %j = 0 to 8 {    =>      %i = 0 + %bx
//!     body(%i, %j)                      %j = 0 + %tx
//!   }                                   body(%i, %j)
//! }                                   }
//! ```

use crate::loops::band::carries_values;
use crate::lower::expand::expand_min_max;
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_dialects::{arith, gpu};
use terrace_ir::opdef::traits;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult,
};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Region, Value};

pub static INFO: PassInfo = PassInfo {
    name: "convert-affine-for-to-gpu",
    title: "ConvertAffineForToGPUPass",
    summary: "Convert top-level AffineFor Ops to GPU kernels",
    description: "Maps the outer loops of each top-level nest to blocks and threads of a launch.",
    options: &[
        OptionInfo::new(
            "gpu-block-dims",
            OptionKind::UInt,
            "1",
            "Number of GPU block dimensions for mapping",
        ),
        OptionInfo::new(
            "gpu-thread-dims",
            OptionKind::UInt,
            "1",
            "Number of GPU thread dimensions for mapping",
        ),
    ],
    make: |o| {
        let dims = |name: &str, what: &str| match o.uint(name) {
            n @ 0..=3 => Ok(n as usize),
            _ => Err(format!("cannot map to more than 3 {what} dimensions")),
        };
        let (blocks, threads) = (
            dims("gpu-block-dims", "block")?,
            dims("gpu-thread-dims", "thread")?,
        );
        if blocks + threads == 0 {
            return Err("nothing to map: both gpu-block-dims and gpu-thread-dims are 0".into());
        }
        Ok(Box::new(AffineForToGpu { blocks, threads }))
    },
    ..PassInfo::EMPTY
};

struct AffineForToGpu {
    blocks: usize,
    threads: usize,
}

impl Pass for AffineForToGpu {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Loops directly in a function, whichever op the pass runs on.
        let directly = |l: &ForOp| {
            l.op()
                .parent(ctx)
                .and_then(|p| p.def(ctx))
                .is_some_and(|d| d.has(traits::ISOLATED))
        };
        let roots: Vec<ForOp> = op
            .find_all::<ForOp>(ctx)
            .into_iter()
            .filter(directly)
            .collect();
        for root in roots {
            let nest = self.mappable(ctx, root)?;
            self.map(ctx, &nest).or_else(|m| ctx.fail(root.op(), m))?;
        }
        Ok(())
    }
}

impl AffineForToGpu {
    /// The loops to map, the outermost first.
    fn mappable(&self, ctx: &PassContext, root: ForOp) -> Result<Vec<ForOp>, PassFailed> {
        let fail = |l: ForOp, m: &str| {
            l.op().error(ctx, m);
            Err(PassFailed)
        };
        let mapped = root.op().region(ctx, 0);
        let mut nest = Vec::new();
        let mut l = root;
        loop {
            let bounds = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
            if bounds.iter().any(|v| is_defined_in(ctx, *v, mapped)) {
                return fail(
                    l,
                    "loops with bounds depending on other mapped loops are not supported",
                );
            }
            if carries_values(ctx, &[l]) {
                return fail(l, "loops with results are not supported");
            }
            nest.push(l);
            if nest.len() == self.blocks + self.threads {
                return Ok(nest);
            }
            let [only, _end] = l.body(ctx).ops(ctx)[..] else {
                return fail(l, "expected perfectly nested loops in the body");
            };
            let Some(inner) = only.cast::<ForOp>(ctx) else {
                return fail(l, "expected a nested loop in the body");
            };
            l = inner;
        }
    }

    fn map(&self, ctx: &mut Context, nest: &[ForOp]) -> Result<(), String> {
        let (Some(root), Some(innermost)) = (nest.first(), nest.last()) else {
            return Ok(());
        };
        let mut b = Builder::before(ctx, root.op());
        let index = b.ctx.index();
        let (mut starts, mut steps, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for l in nest {
            let (lower, lower_operands) = (l.lower_map(b.ctx).clone(), l.lower_operands(b.ctx));
            let (upper, upper_operands) = (l.upper_map(b.ctx).clone(), l.upper_operands(b.ctx));
            let start = expand_min_max(&mut b, &lower, &lower_operands, true)?;
            let end = expand_min_max(&mut b, &upper, &upper_operands, false)?;
            let mut size = b.value::<arith::SubIOp>(&[end, start], index, &[]);
            let step = l.step(b.ctx);
            let step_value = arith::constant_index(&mut b, step);
            if step != 1 {
                size = b.value::<arith::CeilDivSIOp>(&[size, step_value], index, &[]);
            }
            starts.push(start);
            steps.push((step, step_value));
            sizes.push(size);
        }
        let one = arith::constant_index(&mut b, 1);
        let (mut grid, mut block) = ([one; 3], [one; 3]);
        let (outer, inner) = sizes.split_at(self.blocks);
        grid[..outer.len()].copy_from_slice(outer);
        block[..inner.len()].copy_from_slice(inner);
        let (launch, entry) = gpu::LaunchOp::build(&mut b, grid, block, &[], &[]);
        let ids = [
            &launch.block_ids(b.ctx)[..self.blocks],
            &launch.thread_ids(b.ctx)[..self.threads],
        ]
        .concat();
        b.at = InsertPoint::End(entry);
        for ((l, id), (start, (step, step_value))) in
            nest.iter().zip(ids).zip(starts.into_iter().zip(steps))
        {
            let mut offset = id;
            if step != 1 {
                offset = b.value::<arith::MulIOp>(&[step_value, id], index, &[]);
            }
            let iv = b.value::<arith::AddIOp>(&[start, offset], index, &[]);
            l.iv(b.ctx).replace_all_uses(b.ctx, iv);
        }
        for o in innermost.body(b.ctx).ops(b.ctx) {
            if !o.isa::<YieldOp>(b.ctx) {
                o.move_to_end(b.ctx, entry);
            }
        }
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        root.op().erase(b.ctx);
        Ok(())
    }
}

fn is_defined_in(ctx: &Context, v: Value, region: Region) -> bool {
    v.block(ctx)
        .and_then(|b| b.region(ctx))
        .is_some_and(|r| region.contains(ctx, r))
}
