//! `gpu-map-stencils`: nests that read rows of arrays get a mapping that suits memory:
//! several rows a thread, blocks of a shape of their own, and warps that begin where
//! lines do.
//!
//! A nest of two or three parallel loops whose body is loads, stores and arithmetic waits
//! for memory. One element a thread asks for few bytes at a time, and fetches the
//! neighbours that other threads fetch as well. Here each thread has some neighbouring
//! iterations of the loop next to the innermost; it loads once what they have in common
//! (`jam`), and all loads stand in front of all stores. What is left at the end of the
//! loop is done one by one, and where there are too few iterations for that many
//! threads, which the host sees when the program runs, each thread has one.
//!
//! Legal since iterations of `scf.parallel` may run in any order and at once.
//!
//! | file | what |
//! | --- | --- |
//! | `nest` | which nests these are |
//! | `polynomial`, `reuse` | which elements iterations have in common |
//! | `policy` | how many rows, which block |
//! | `jam` | the loops as they are then |

mod jam;
mod nest;
mod policy;
mod polynomial;
mod reuse;

use super::map::{STENCIL, mapper_of};
use super::map_parallel::outermost;
use nest::GridNest;
pub(crate) use policy::MIN_THREADS;
use policy::{Requested, plan};
use terrace_dialects::attributes::ACC_LOOP;
use terrace_dialects::attributes::{ACC_REGION, GPU_BLOCK, GPU_FIT, GPU_ROWS, XFER_ON_HOST};
use terrace_dialects::func;
use terrace_dialects::scf::ParallelOp;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-stencils",
    title: "GpuMapStencils",
    summary: "Give threads several rows of nests that wait for memory",
    description: "Nests of two or three scf.parallel loops of loads, stores and arithmetic: each thread runs neighbouring iterations of the loop next to the innermost, jammed, and the block has a shape that suits them. Nests that directives give sizes to are left alone.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "rows",
        OptionKind::UInt,
        "0",
        "Iterations of each thread, at most 8; 0 to choose by what is read",
    )],
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests mapped in this way",
    )],
    make: |o| match o.uint("rows") {
        n @ 0..=8 => Ok(Box::new(MapStencils {
            rows: (n > 0).then_some(n as i64),
        })),
        n => Err(format!("rows is {n}, expected at most 8")),
    },
};

/// The block shape that the pass wants for the nest of `root`.
pub(crate) fn block_of(ctx: &Context, root: Op) -> Option<[i64; 3]> {
    root.attr(ctx, GPU_BLOCK)?
        .as_i64_array(ctx)?
        .try_into()
        .ok()
}

struct MapStencils {
    rows: Option<i64>,
}

impl Pass for MapStencils {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut nests = 0;
        if !has_sizes(ctx, op) {
            for p in outermost(ctx, op) {
                match self.one(ctx, p) {
                    Ok(made) => nests += u64::from(made),
                    Err(why) => {
                        let m = format!("is to be mapped as a stencil, but {why}");
                        return ctx.fail(p.op(), m);
                    }
                }
            }
        }
        ctx.count("num-nests", nests);
        Ok(())
    }
}

impl MapStencils {
    /// Maps a nest, where it is one; an error says why a nest is none that should be.
    fn one(&self, ctx: &mut Context, p: ParallelOp) -> Result<bool, String> {
        let wanted = match mapper_of(ctx, p.op()) {
            Some(STENCIL) => true,
            Some(_) => return Ok(false),
            None => false,
        };
        if p.op().attr(ctx, XFER_ON_HOST).is_some() {
            return Ok(false);
        }
        let not = |why: &str| match wanted {
            true => Err(why.to_string()),
            false => Ok(false),
        };
        let Some(nest) = GridNest::of(ctx, p) else {
            return not(
                "it is no nest of two or more parallel loops, with steps of one, of loads, stores and arithmetic alone",
            );
        };
        if nest.levels.iter().any(|l| has_sizes(ctx, l.op.op())) {
            return not("a directive says how many threads there are");
        }
        let requested = Requested {
            rows: self
                .rows
                .or_else(|| p.op().int_attr(ctx, GPU_ROWS).filter(|_| wanted)),
            few_iterations: self.rows.is_some(),
        };
        let Some(mut plan) = plan(ctx, &nest, requested) else {
            return not(
                "its innermost loop does not go along rows of what it reads and writes, or is short",
            );
        };
        let given = block_of(ctx, p.op()).filter(|_| wanted);
        if let Some(block) = given {
            plan.block = block;
        }
        let open = nest.levels.iter().any(|l| l.trips(ctx).is_none());
        if given.is_none() && open {
            p.op().set_attr(ctx, GPU_FIT, ctx.unit());
        }
        let block = ctx.i64_array(&plan.block);
        p.op().set_attr(ctx, GPU_BLOCK, block);
        if plan.rows > 1 {
            let rows = ctx.i64_attr(plan.rows);
            p.op().set_attr(ctx, GPU_ROWS, rows);
        }
        jam::jam(ctx, &nest, &plan);
        Ok(true)
    }
}

/// Whether a directive says how many gangs, workers or lanes there are.
pub(crate) fn has_sizes(ctx: &Context, op: Op) -> bool {
    const SIZES: &[&str] = &[
        "num_gangs",
        "num_workers",
        "vector_length",
        "gang",
        "worker",
        "vector",
    ];
    [ACC_REGION, ACC_LOOP].iter().any(|name| {
        let dict = op.attr(ctx, name).and_then(|d| d.as_dict(ctx));
        dict.is_some_and(|d| {
            let size = |(k, a): &(_, terrace_ir::Attr)| {
                SIZES.contains(&ctx.str(*k)) && a.as_i64(ctx).is_some_and(|n| n > 0)
            };
            d.iter().any(size)
        })
    })
}
