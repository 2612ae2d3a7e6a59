//! `gpu-map`: parallel nests that no other mapper takes get the mapping that the cost
//! model says is fastest.
//!
//! ```text
//! affine.parallel (%i) {                          affine.parallel (%j) {
//!   affine.parallel (%j) {                          affine.parallel (%i) {
//!     store %x, %A[%j, %i]                   =>       store %x, %A[%j, %i]
//!   }                                               }
//! }                                               } {gpu.block = [32, 8, 1], gpu.mapper = "loops"}
//! ```
//!
//! Which loop runs along x, y and z, the shape of blocks, and how many iterations a thread
//! does are chosen together. The mapping that the nest would have otherwise is taken where
//! no other is faster by a margin. What was chosen is written down as a schedule
//! (`schedule.map_to_gpu`, and steps that name other mappers), which `apply-schedule` does
//! again.
//!
//! | file | what |
//! | --- | --- |
//! | `policy` | which mapping |
//! | `sizes` | which sizes stand for those that are not known |
//! | `arrange`, `band` | the loops as it wants them |
//! | `others` | which nests other mappers take |
//! | `loops::mapper` | what loops are told of their kernel |
//! | `write`, `candidates` | the schedule, and what it could say instead |

pub(crate) mod arrange;
pub(crate) mod band;
pub mod candidates;
mod others;
mod own_rows;
pub mod policy;
mod sizes;
mod words;
pub(crate) mod write;

pub use crate::loops::mapper::{CONTRACTION, LOOPS, REDUCTION, STENCIL, mapper_of, tell};
pub use arrange::{Kind, Point, map_nest};
use terrace_dialects::builtin;

use super::model::choice::{ASSUME, MACHINE, MACHINE_FILE, MachineChoice, SIZES};
use super::model::{Model, Options, pass::outermost, pass::sizes_of, read};
use crate::analysis::directive::is_free;
use crate::loops::nest::band_of as sequential_band;
use candidates::Candidate;
pub(crate) use others::{Taken, taken, taken_alone};
use policy::{May, Ranking, search, search_from};
use terrace_dialects::affine::{ForOp, LoadOp, ParallelOp};
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref::AtomicRmwOp;
use terrace_dialects::schedule::{MapReductionOp, MapStencilOp, MapToGpuOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Machine;
use write::{Script, order_words, tile_words};

/// `gpu-map`.
pub static INFO: PassInfo = PassInfo {
    name: "gpu-map",
    title: "GpuMap",
    summary: "Choose how parallel nests are mapped to threads, by the cost model",
    description: "For each outermost affine.parallel nest that no other mapper takes: finds orders of its loops, shapes of blocks and tiles for threads, and takes the fastest by the model where it is faster than the ordinary mapping by a margin.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[
        MACHINE,
        MACHINE_FILE,
        OptionInfo::new(
            "cost-model",
            OptionKind::Enum(Model::NAMES),
            "exact",
            "What mappings are compared by; exact: times, from lane addresses; table: lines by the class of coefficients",
        ),
        SIZES,
        ASSUME,
        OptionInfo::flag(
            "schedule",
            "Leave what was chosen as a schedule behind each function",
        ),
        OptionInfo::new(
            "candidates",
            OptionKind::UInt,
            "0",
            "Leave so many mappings, the best first, on the steps of the schedule",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each nest which mapping was chosen and which came next, as remarks",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-nests", "Number of nests whose mappings were looked at"),
        StatisticInfo::new(
            "num-changed",
            "Number of nests that got another mapping than the ordinary one",
        ),
        StatisticInfo::new(
            "num-points",
            "Number of mappings that the model was asked about",
        ),
    ],
    make: |o| {
        Ok(Box::new(GpuMap {
            machine: MachineChoice::of(o)?,
            model: Model::parse(o.str("cost-model"))?,
            read: Options {
                sizes: sizes_of(&o.strs("sizes"))?,
                as_written: false,
                assume: i64::try_from(o.uint("assume")).ok(),
                // How far an array goes on says nothing of the iterations.
                endless: true,
            },
            schedule: o.bool("schedule"),
            candidates: usize::try_from(o.uint("candidates")).unwrap_or(usize::MAX),
            notes: o.bool("notes"),
        }))
    },
};

struct GpuMap {
    machine: MachineChoice,
    model: Model,
    read: Options,
    schedule: bool,
    /// Mappings that are left on a step.
    candidates: usize,
    notes: bool,
}

impl Pass for GpuMap {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let machine = self.machine.machine(ctx, module)?;
        let mut failed = false;
        for f in module.find_all::<FuncOp>(ctx) {
            if !f.is_declaration(ctx) {
                failed |= unmet(ctx, f.op());
                self.function(ctx, f.op(), &machine);
            }
        }
        match failed {
            true => Err(PassFailed),
            false => Ok(()),
        }
    }
}

/// Whether a loop was to be a matrix product and is still there; says so.
fn unmet(ctx: &Context, function: Op) -> bool {
    let mut found = false;
    for l in function.find_all::<ForOp>(ctx) {
        if mapper_of(ctx, l.op()) == Some(CONTRACTION) {
            let m = "is to become the kernel of a matrix product, but floating-point contraction \
                     is off or the loop is in another one that runs in parallel";
            l.op().error(ctx, m);
            found = true;
        }
    }
    found
}

/// The nests that get kernels of their own and have no results.
pub(crate) fn nests(ctx: &Context, function: Op) -> Vec<ParallelOp> {
    let mut all = launched(ctx, function);
    all.retain(|p| p.op().num_results(ctx) == 0);
    all
}

/// The nests that get kernels of their own: outermost ones.
pub(crate) fn launched(ctx: &Context, function: Op) -> Vec<ParallelOp> {
    let mut all = outermost(ctx, function);
    all.retain(|p| {
        let mut around = p.op().parent(ctx);
        while let Some(op) = around {
            if op.isa::<gpu::LaunchOp>(ctx) || op.isa::<scf::ParallelOp>(ctx) {
                return false;
            }
            around = op.parent(ctx);
        }
        true
    });
    all
}

/// Whether the nest updates elements that data choose, by elements of less than 32 bits:
/// `gpu-privatize-reductions` gives neighbouring iterations to a thread of its own accord.
fn loads_groups(ctx: &Context, p: ParallelOp) -> bool {
    let narrow = |o: &LoadOp| {
        let bits = o.op().result(ctx, 0).ty(ctx).bit_width(ctx);
        bits.is_some_and(|n| n < 32)
    };
    !p.op().find_all::<AtomicRmwOp>(ctx).is_empty()
        && p.op().find_all::<LoadOp>(ctx).iter().any(narrow)
}

impl GpuMap {
    fn function(&self, ctx: &mut PassContext, function: Op, machine: &Machine) {
        let mut all = nests(ctx, function);
        // Those that a schedule or a directive has spoken of are as it wants them.
        all.retain(|p| mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op()));
        all.retain(|p| !band::is_for_blocks(ctx, *p));
        if all.is_empty() || super::stencils::has_sizes(ctx, function) {
            return;
        }
        let ops: Vec<Op> = all.iter().map(|p| p.op()).collect();
        let taken = taken(ctx, function, &ops);
        let script = match self.schedule {
            true => Script::new(ctx, function, "parallel", "mapping"),
            false => None,
        };
        for (p, taken) in all.into_iter().zip(taken) {
            match taken {
                Taken::Gone => {}
                Taken::No => {
                    // Steps of a schedule speak of the loops as they are.
                    if script.is_none() {
                        own_rows::give_to_threads(ctx, p);
                    }
                    self.nest(ctx, p, machine, script.as_ref());
                }
                Taken::Reduction => {
                    if let Some(s) = &script {
                        s.add(ctx, p.op(), "", MapReductionOp::build);
                    }
                }
                Taken::Stencil { rows, block, fit } => {
                    if let Some(s) = &script {
                        s.add(ctx, p.op(), "", |b, l| {
                            MapStencilOp::build(b, l, rows, (&block, fit))
                        });
                    }
                }
            }
        }
        if let Some(s) = script {
            s.finish(ctx);
        }
    }

    fn nest(
        &self,
        ctx: &mut PassContext,
        p: ParallelOp,
        machine: &Machine,
        script: Option<&Script>,
    ) {
        let band = band::band_of(ctx, p);
        let fit = band::is_open(ctx, &band);
        let fitted = |point: &Point| Point {
            fit,
            ..point.clone()
        };
        let mut point = fitted(&policy::ordinary(band::depth(ctx, &band)));
        let names = band::names(ctx, &band);
        let mut made = false;
        let found = search_nest(ctx, p, &self.read, machine, self.model, true);
        let words = match &found {
            Ok(found) => {
                ctx.count("num-nests", 1);
                ctx.count("num-points", found.ranked.len() as u64);
                let strips = !loads_groups(ctx, p);
                let better = || {
                    let points = found.better().map(|c| fitted(&c.point));
                    points.filter(move |point| strips || point.keeps_loops())
                };
                let possible =
                    (better().take(MAX_TRIES)).position(|point| put_beside(ctx, p, &point));
                if let Some(taken) = possible.and_then(|i| better().nth(i)) {
                    made = true;
                    point = taken;
                    ctx.count("num-changed", 1);
                }
                words::of(found, possible, &names)
            }
            Err(why) => format!("the ordinary mapping: {why}"),
        };
        if self.notes {
            p.op().remark(ctx, format!("mapped to threads: {words}"));
        }
        if let Some(s) = script {
            s.add(ctx, p.op(), &words, |b, l| {
                let order = order_words(&point);
                let block = (&point.block[..], point.fit);
                MapToGpuOp::build(b, l, &order, tile_words(&point), block);
            });
            if self.candidates > 0 {
                let all = self.candidates(ctx, p, &point, found.ok().as_ref(), &names);
                s.mark_last(ctx, |ctx, step| candidates::leave(ctx, step, &all));
            }
        }
        if made {
            p.op().erase(ctx);
        } else {
            // Which changes no loop.
            let _ = map_nest(ctx, p, &point);
        }
    }

    /// The mapping that was chosen, then the others that can be made, the fastest first; the
    /// ordinary one is always there.
    fn candidates(
        &self,
        ctx: &mut Context,
        p: ParallelOp,
        chosen: &Point,
        found: Option<&Ranking>,
        names: &[String],
    ) -> Vec<Candidate> {
        let ranked = found.map_or(&[][..], |f| &f.ranked);
        let fitted = |point: &Point| Point {
            fit: chosen.fit,
            ..point.clone()
        };
        let us = |point: &Point| {
            let same = ranked.iter().find(|c| fitted(&c.point) == *point);
            same.map(policy::Costed::us)
        };
        let ordinary = fitted(&policy::ordinary(names.len()));
        let mut all = vec![chosen.clone()];
        if *chosen != ordinary {
            all.push(ordinary);
        }
        for point in ranked.iter().map(|c| fitted(&c.point)) {
            let room = all.len() < self.candidates && !all.contains(&point);
            if room && can_be(ctx, p, &point) {
                all.push(point);
            }
        }
        let one = |p: &Point| Candidate::new(ctx, p, us(p), words::mapping(p, names));
        let mut all: Vec<Candidate> = all.iter().map(one).collect();
        all.truncate(self.candidates);
        all[1..].sort_by(|a, b| {
            let us = |c: &Candidate| c.us.unwrap_or(f64::INFINITY);
            us(a).total_cmp(&us(b))
        });
        all
    }
}

/// The mappings of a nest that the ordinary mapper has. With `large`, sizes that are not known
/// are taken to be so, and threads may do several iterations of such nests, too; that takes
/// its time.
///
/// # Errors
///
/// Why the model has no times for them.
pub(crate) fn search_nest(
    ctx: &Context,
    p: ParallelOp,
    options: &Options,
    machine: &Machine,
    model: Model,
    large: bool,
) -> Result<Ranking, String> {
    let nest = read(ctx, p, options).map_err(|r| r.message)?;
    let band = band::band_of(ctx, p);
    if nest.parallel.len() != band::depth(ctx, &band) {
        return Err("its loops are not as the model reads them".into());
    }
    let large = (large.then(|| sizes::large(ctx, p, options, &nest))).flatten();
    // How many iterations there are may be known where the shape of an array is not.
    let tile = nest.assumed.is_empty() || large.is_some() || !band::has_open_extents(ctx, &band);
    let may = May {
        tile,
        inside: tile && has_serial_loop(ctx, &band),
    };
    let Some(large) = large else {
        return search(&nest, machine, may, model);
    };
    // What an order and a shape cost hardly depends on the sizes, and counting what many threads
    // ask for takes its time.
    let one = May {
        tile: false,
        inside: false,
    };
    let bases = search(&nest, machine, one, model)?;
    let mut found = search_from(&large, machine, may, model, &bases)?;
    found.keep_those_good_at(&nest, machine, model)?;
    Ok(found)
}

/// Whether a sequential loop is all that the innermost parallel one holds.
fn has_serial_loop(ctx: &Context, band: &[ParallelOp]) -> bool {
    let Some(last) = band.last() else {
        return false;
    };
    let mut ops = last.body(ctx).ops(ctx);
    ops.pop();
    let inner = ops.pop().and_then(|o| o.cast::<ForOp>(ctx));
    inner.is_some_and(|l| {
        let simple = |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o);
        ops.iter().all(simple)
            && (sequential_band(ctx, l).iter()).all(|l| l.op().num_results(ctx) == 0)
    })
}

/// Mappings that are tried to be made of a nest, the best first.
const MAX_TRIES: usize = 4;

/// Puts the nest, mapped so, behind the one that there is; where that cannot be, nothing
/// has changed. Whether it could.
fn put_beside(ctx: &mut Context, p: ParallelOp, point: &Point) -> bool {
    let stop = p.op().next(ctx);
    let made = mapped_copy(ctx, p, point);
    if !made {
        take_out(ctx, p, stop);
    }
    made
}

/// Whether the nest can be mapped so; nothing changes.
fn can_be(ctx: &mut Context, p: ParallelOp, point: &Point) -> bool {
    let stop = p.op().next(ctx);
    let made = mapped_copy(ctx, p, point);
    take_out(ctx, p, stop);
    made
}

/// Puts a copy of the nest behind it, and maps that; it may be half changed otherwise.
fn mapped_copy(ctx: &mut Context, p: ParallelOp, point: &Point) -> bool {
    let copy = clone_op(ctx, p.op(), &mut IrMapping::new());
    copy.insert_after(ctx, p.op());
    let made = copy
        .cast::<ParallelOp>(ctx)
        .map(|c| map_nest(ctx, c, point));
    matches!(made, Some(Ok(_)))
}

/// Takes out what stands between the nest and `stop`.
fn take_out(ctx: &mut Context, p: ParallelOp, stop: Option<Op>) {
    let mut rest = Vec::new();
    let mut next = p.op().next(ctx);
    while let Some(op) = next.filter(|o| Some(*o) != stop) {
        rest.push(op);
        next = op.next(ctx);
    }
    for op in &rest {
        op.drop_all_references(ctx);
    }
    for op in rest.into_iter().rev() {
        op.erase(ctx);
    }
}
