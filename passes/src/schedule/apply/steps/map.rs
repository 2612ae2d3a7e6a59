//! `schedule.map_to_gpu` and the steps that name another mapper: which kernel a nest
//! becomes.

use super::{Given, Request, StepInfo};
use crate::analysis::loop_names::loop_name;
use crate::gpu::map::{
    CONTRACTION, Kind, Point, REDUCTION, STENCIL, band, map_nest, mapper_of, tell,
};
use crate::loops::Refusal;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::attributes::{GPU_BLOCK, GPU_FIT, GPU_ROWS, GPU_SHAPE};
use terrace_dialects::schedule;
use terrace_dialects::schedule::{MapContractionOp, MapStencilOp, MapToGpuOp};
use terrace_ir::{Context, Op, OpKind};

pub(super) const TO_GPU: StepInfo = StepInfo {
    name: MapToGpuOp::NAME,
    promise: super::order,
    apply: to_gpu,
};

pub(super) const STENCILS: StepInfo = StepInfo {
    name: MapStencilOp::NAME,
    promise: super::order,
    apply: stencil,
};

pub(super) const REDUCTIONS: StepInfo = StepInfo {
    name: schedule::MapReductionOp::NAME,
    promise: super::order,
    apply: reduction,
};

pub(super) const CONTRACTIONS: StepInfo = StepInfo {
    name: MapContractionOp::NAME,
    promise: super::order,
    apply: contraction,
};

/// The outermost parallel loop that a step is for.
fn outermost(ctx: &Context, r: &Request) -> Result<ParallelOp, Refusal> {
    let op = r.loops[0];
    let Some(p) = op.cast::<ParallelOp>(ctx) else {
        let m = "its iterations run in order, and threads run at once; let it run in parallel \
                 with schedule.parallel first";
        return Err(Refusal::new(op.loc(ctx), m));
    };
    if op.num_results(ctx) > 0 {
        let m = "it is a reduction across its iterations, which threads do not make";
        return Err(Refusal::new(op.loc(ctx), m));
    }
    let mut around = op.parent(ctx);
    while let Some(outer) = around {
        if outer.isa::<ParallelOp>(ctx) {
            let m = "it is in another parallel loop, and kernels are made of outermost ones";
            let name = loop_name(ctx, outer);
            return Err(Refusal::new(op.loc(ctx), m).note(outer.loc(ctx), name));
        }
        around = outer.parent(ctx);
    }
    Ok(p)
}

fn to_gpu(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let step = MapToGpuOp::wrap(r.step);
    let p = outermost(ctx, r)?;
    if mapper_of(ctx, p.op()).is_some() {
        tell(ctx, p.op(), "")?;
    }
    let count = band::depth(ctx, &band::band_of(ctx, p));
    let order = match step.order(ctx) {
        order if order.is_empty() => (0..count).collect(),
        order => order
            .iter()
            .map(|k| usize::try_from(*k).unwrap_or(0))
            .collect(),
    };
    let point = Point {
        order,
        tile: step.tile(ctx),
        kind: match (step.is_cyclic(ctx), step.is_inside(ctx)) {
            (true, _) => Kind::Cyclic,
            (_, true) => Kind::Inside,
            _ => Kind::Blocked,
        },
        block: step.block(ctx),
        fit: step.is_fitted(ctx),
    };
    map_nest(ctx, p, &point)?;
    Ok(Given::default())
}

fn stencil(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let step = MapStencilOp::wrap(r.step);
    let (rows, block) = (step.rows(ctx), step.block(ctx));
    let p = outermost(ctx, r)?.op();
    tell(ctx, p, STENCIL)?;
    if let Some(n) = rows {
        p.set_attr(ctx, GPU_ROWS, ctx.i64_attr(n));
    }
    if let Some(b) = block {
        p.set_attr(ctx, GPU_BLOCK, ctx.i64_array(&b));
    }
    if step.is_fitted(ctx) {
        p.set_attr(ctx, GPU_FIT, ctx.unit());
    }
    Ok(Given::default())
}

fn reduction(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let p = outermost(ctx, r)?;
    tell(ctx, p.op(), REDUCTION)?;
    Ok(Given::default())
}

fn contraction(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let step = MapContractionOp::wrap(r.step);
    let op: Op = r.loops[0];
    if !op.isa::<ForOp>(ctx) {
        let m = "it is parallel already, and matrix products are found in sequential loops";
        return Err(Refusal::new(op.loc(ctx), m));
    }
    tell(ctx, op, CONTRACTION)?;
    let [rows, columns] = step.block(ctx).unwrap_or([0; 2]);
    let (depth, stages) = (step.depth(ctx), step.stages(ctx));
    let shape = [rows, columns, depth.unwrap_or(0), stages.unwrap_or(0)];
    op.set_attr(ctx, GPU_SHAPE, ctx.i64_array(&shape));
    Ok(Given::default())
}
