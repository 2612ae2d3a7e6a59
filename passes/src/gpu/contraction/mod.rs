//! `gpu-map-contractions`: matrix products in affine loops become kernels that keep tiles
//! in registers and workgroup memory.
//!
//! Legal because every element of the result is computed from other arrays and itself
//! alone (see `find`), and every element by the same operations in the same order of k.
//! A product and its sum are rounded once, as the matrix units do. Where rows or columns
//! end within a block, what lies outside is taken for zero and not stored.
//!
//! ```text
//! affine.for %i {                              gpu.launch blocks(128 x 128 elements each) {
//!   affine.for %j {                              begin to copy slabs of A and B
//!     affine.for %k {                            scf.for %slab {
//!       C[%i, %j] += A[%i, %k] * B[%k, %j]  =>     wait for a slab, begin to copy another
//!     }                                            sums += A's slab * B's slab
//!   }                                            }
//! }                                              C's tile = sums
//!                                              }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which nests are products |
//! | `shape` | what a product is |
//! | `apart` | nests that have more than a product in them |
//! | `hold` | scalars of these that become values |
//! | `keep` | a nest with some of its stores alone |
//! | `delayed` | parallel nests that `affine-delay-updates` made |
//! | `prepare` | copies of factors that are overwritten |
//! | `plan` | the shape of blocks and warps |
//! | `instead` | another shape of blocks, where it costs less |
//! | `parts` | whether k is divided |
//! | `emit` | the kernel |

mod delayed;
mod distribute;
pub(super) mod emit;
mod find;
mod hold;
mod instead;
mod keep;
mod plan;
mod prepare;
mod shape;
mod split_k;

use super::map::write::Script;
use super::map::{CONTRACTION, mapper_of};
use crate::analysis::directive::Region;
use crate::analysis::overwritten::overwritten;
use instead::Instead;
use plan::Tiling;
pub use plan::Wanted;
use shape::Contraction;
use terrace_dialects::affine::ForOp;
use terrace_dialects::attributes::{GPU_MAPPER, GPU_SHAPE};
use terrace_dialects::func;
use terrace_dialects::scf;
use terrace_dialects::schedule::MapContractionOp;
use terrace_dialects::{gpu, xfer};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind};
use terrace_machine::Arch;

/// `gpu-map-contractions`.
pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-contractions",
    title: "GpuMapContractions",
    summary: "Make tiled kernels of matrix products in affine loops",
    description: "Finds nests of affine.for that add up products of a row and a column, and makes launches of them that use the memory of blocks and, of f64 and of f32 as tf32, the matrix units.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "arch",
            OptionKind::Str,
            "sm_80",
            "The architecture that kernels are for; below sm_80 none are made",
        ),
        OptionInfo::flag(
            "tf32",
            "Round factors of f32 to tf32, and multiply them by the matrix units",
        ),
        OptionInfo::flag(
            "reassociate",
            "Sums may be computed in any order: where there are few blocks k is divided",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each nest that adds up products what was made of it or why nothing, as remarks",
        ),
        OptionInfo::flag(
            "mark-overwritten",
            "Put an xfer.discard in front of what overwrites a whole array, as xfer-mark-overwritten does of loops",
        ),
        OptionInfo::flag(
            "schedule",
            "Leave what was made as a schedule behind the function",
        ),
        OptionInfo::flag(
            "delayed",
            "Look at nothing but the nests of updates that affine-delay-updates has delayed",
        ),
    ],
    statistics: &[StatisticInfo::new("num-products", "Number of kernels made")],
    make: |o| {
        let arch: Arch = o.str("arch").parse()?;
        Ok(Box::new(MapContractions {
            wanted: Wanted {
                sm: u32::from(arch.sm),
                tf32: o.bool("tf32"),
                reassociate: o.bool("reassociate"),
            },
            notes: o.bool("notes"),
            marks: o.bool("mark-overwritten"),
            schedule: o.bool("schedule"),
            delayed: o.bool("delayed"),
        }))
    },
};

struct MapContractions {
    wanted: Wanted,
    notes: bool,
    marks: bool,
    schedule: bool,
    delayed: bool,
}

impl Pass for MapContractions {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if self.delayed {
            let made = delayed::map_delayed(ctx.ctx, op, self.wanted, self.notes);
            ctx.count("num-products", made);
            return Ok(());
        }
        let script = match self.schedule {
            true => Script::new(ctx, op, "source", "products"),
            false => None,
        };
        let errors = ctx.num_errors();
        if let Some(script) = script {
            for l in outermost(ctx, op) {
                match product(ctx, l, self.wanted) {
                    Ok((_, plan, None)) => script.add(ctx, l.op(), "", |b, l| {
                        MapContractionOp::build(b, l, plan.block, plan.depth, plan.stages);
                    }),
                    // The program chooses, also when it is done again.
                    Ok((x, plan, Some(instead))) => {
                        let note = [plan.words(&x), instead.words()].join("; ");
                        script.add(ctx, l.op(), &note, |b, l| {
                            b.op::<MapContractionOp>(&[l], &[], &[]);
                        });
                    }
                    Err(_) => {}
                }
            }
            script.finish(ctx);
        }
        let made = map_all(ctx.ctx, op, self.wanted, self.notes, self.marks);
        ctx.count("num-products", made);
        match ctx.num_errors() > errors {
            true => Err(PassFailed),
            false => Ok(()),
        }
    }
}

/// Why a nest has no kernel for matrix products.
enum MatchFailure {
    /// It is none.
    Found(find::MatchFailure),
    /// It is one, and there is no plan; where it stores its sums.
    Planned(Op, String),
}

/// The product that a nest is, how it is divided, and how instead where that costs less.
fn product(
    ctx: &Context,
    l: ForOp,
    wanted: Wanted,
) -> Result<(Contraction, Tiling, Option<Instead>), MatchFailure> {
    let x = find::find(ctx, l).map_err(MatchFailure::Found)?;
    let shape = l
        .op()
        .attr(ctx, GPU_SHAPE)
        .and_then(|a| a.as_i64_array(ctx));
    let plan = match shape.and_then(|s| <[i64; 4]>::try_from(s).ok()) {
        Some(shape) if shape != [0; 4] => plan::shaped(ctx, &x, wanted, shape).map(|p| (p, None)),
        _ => plan::choose(ctx, &x, wanted),
    };
    match plan {
        Ok((plan, instead)) => Ok((x, plan, instead)),
        Err(why) => Err(MatchFailure::Planned(x.store, why)),
    }
}

fn map_all(ctx: &mut Context, root: Op, wanted: Wanted, notes: bool, marks: bool) -> u64 {
    let wanted = Wanted {
        reassociate: wanted.reassociate || Region::of(ctx, root).reassociates,
        ..wanted
    };
    let mut made = 0;
    let mut at = 0;
    while let Some(l) = outermost(ctx, root).get(at).copied() {
        let asked = match mapper_of(ctx, l.op()) {
            Some(CONTRACTION) => true,
            Some(_) => {
                at += 1;
                continue;
            }
            None => false,
        };
        let not = match product(ctx, l, wanted) {
            Ok((mut x, plan, instead)) => {
                let words = words(&x, &plan, instead.as_ref(), wanted);
                match prepare::prepare(ctx, &mut x) {
                    Ok(()) => {
                        if notes {
                            x.store.remark(ctx, words);
                        }
                        if marks {
                            mark_overwritten(ctx, l);
                        }
                        // Loops beside the kernel are made of this one.
                        l.op().remove_attr(ctx, GPU_MAPPER);
                        l.op().remove_attr(ctx, GPU_SHAPE);
                        let divided = emit::Divided { wanted, marks };
                        emit::emit(ctx, &x, divided, &plan, instead.as_ref());
                        made += 1;
                        continue;
                    }
                    Err(why) => MatchFailure::Planned(x.store, why),
                }
            }
            Err(_) if !asked && distribute::distribute(ctx, root, at, wanted) => continue,
            Err(not) => not,
        };
        no_kernel(ctx, l, not, asked, notes);
        at += 1;
    }
    made
}

/// What is made of a product, in words.
fn words(x: &Contraction, plan: &Tiling, instead: Option<&Instead>, wanted: Wanted) -> String {
    let words = [Some(plan.words(x)), instead.map(|i| i.words())];
    let parts = split_k::split_k(x, plan, wanted);
    let parts = parts.map(|_| "parts of k where there are few blocks".to_string());
    let words: Vec<String> = words.into_iter().flatten().chain(parts).collect();
    words.join("; ")
}

/// Says why a nest has no kernel: an error where it is to have one.
fn no_kernel(ctx: &mut Context, l: ForOp, not: MatchFailure, asked: bool, notes: bool) {
    match not {
        MatchFailure::Planned(_, why) if asked => {
            let m = format!("is to become the kernel of a matrix product, but {why}");
            l.op().error(ctx, m);
        }
        MatchFailure::Found(not) if asked => {
            let m = "is to become the kernel of a matrix product, but is none";
            l.op().error(ctx, m);
            ctx.note(not.op.loc(ctx), format!("this {}", not.why));
        }
        MatchFailure::Planned(store, why) if notes => {
            store.remark(ctx, format!("no kernel of its own for this product: {why}"));
        }
        MatchFailure::Found(not) if notes && not.near => {
            let m = format!(
                "no kernel of its own for a matrix product: this {}",
                not.why
            );
            not.op.remark(ctx, m);
        }
        _ => {}
    }
}

/// What the loops say, and the kernel does not: that nothing of an array is left.
fn mark_overwritten(ctx: &mut Context, nest: ForOp) {
    for array in overwritten(ctx, nest.op()) {
        let mut b = Builder::before(ctx, nest.op());
        xfer::DiscardOp::build(&mut b, array);
    }
}

/// The loops of nests on the host: not those in other loops that may run in parallel, nor
/// in launches.
fn outermost(ctx: &Context, root: Op) -> Vec<ForOp> {
    let mut found = Vec::new();
    let blocks = root.blocks(ctx).into_iter();
    for b in blocks.collect::<Vec<_>>() {
        for op in b.ops(ctx) {
            match op.cast::<ForOp>(ctx) {
                Some(l) => found.push(l),
                None if op.isa::<gpu::LaunchOp>(ctx) => {}
                None if op.name(ctx) == scf::ForOp::NAME => found.extend(outermost(ctx, op)),
                None => {}
            }
        }
    }
    found
}
