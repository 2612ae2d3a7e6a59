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
//! | `linear` | subscripts and bounds |
//! | `plan` | the shape of blocks and warps |
//! | `emit` | the kernel |

pub(super) mod emit;
mod find;
pub(super) mod linear;
mod plan;

use crate::xfer::overwritten::overwritten;
use terrace_dialects::affine::ForOp;
use terrace_dialects::{gpu, xfer};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-contractions",
    title: "GpuMapContractions",
    summary: "Make tiled kernels of matrix products in affine loops",
    description: "Finds nests of affine.for that add up products of a row and a column, and makes launches of them that use the memory of blocks and, of f64, the matrix units.",
    anchor: Some("func.func"),
    options: &[
        OptionInfo {
            name: "arch",
            kind: OptionKind::Str,
            default: "sm_80",
            doc: "The architecture that kernels are for; below sm_80 none are made",
        },
        OptionInfo {
            name: "notes",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Say of each nest that adds up products what was made of it or why nothing, as remarks",
        },
        OptionInfo {
            name: "mark-overwritten",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Put an xfer.discard in front of what overwrites a whole array, as xfer-mark-overwritten does of loops",
        },
    ],
    statistics: &[StatisticInfo {
        name: "num-products",
        doc: "Number of kernels made",
    }],
    make: |o| {
        let arch = o.str("arch");
        let Some(sm) = sm_of(arch) else {
            return Err(format!(
                "unknown architecture '{arch}': sm_ and a number, as sm_90"
            ));
        };
        Ok(Box::new(MapContractions {
            sm,
            notes: o.bool("notes"),
            marks: o.bool("mark-overwritten"),
        }))
    },
};

/// What a launch that stands for a matrix product says of itself, in words.
pub const NOTE: &str = "gpu.note";

struct MapContractions {
    sm: u32,
    notes: bool,
    marks: bool,
}

impl Pass for MapContractions {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let made = map_all(ctx.ctx, op, self.sm, self.notes, self.marks);
        ctx.count("num-products", made);
        Ok(())
    }
}

/// The compute capability in `sm_90` or `sm_90a`, as 90.
pub fn sm_of(arch: &str) -> Option<u32> {
    let digits = arch.strip_prefix("sm_")?;
    digits
        .trim_end_matches(|c: char| c.is_ascii_lowercase())
        .parse()
        .ok()
}

/// Makes kernels of the matrix products in `root`, for a machine of compute capability
/// `sm`; how many. With `notes` remarks say what was made, or why nothing of what looks
/// like one.
pub fn map_contractions(ctx: &mut Context, root: Op, sm: u32, notes: bool) -> u64 {
    map_all(ctx, root, sm, notes, false)
}

fn map_all(ctx: &mut Context, root: Op, sm: u32, notes: bool, marks: bool) -> u64 {
    let mut made = 0;
    for l in outermost(ctx, root) {
        match find::find(ctx, l) {
            Ok(x) => match plan::choose(ctx, &x, sm) {
                Ok(plan) => {
                    if notes {
                        x.store.remark(ctx, plan.words());
                    }
                    if marks {
                        mark_overwritten(ctx, l);
                    }
                    emit::emit(ctx, &x, &plan);
                    made += 1;
                }
                Err(why) if notes => {
                    x.store
                        .remark(ctx, format!("no kernel of its own for this product: {why}"));
                }
                Err(_) => {}
            },
            Err(not) if notes && not.near => {
                not.op.remark(
                    ctx,
                    format!(
                        "no kernel of its own for a matrix product: this {}",
                        not.why
                    ),
                );
            }
            Err(_) => {}
        }
    }
    made
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
    let blocks = root.regions(ctx).into_iter().flat_map(|r| r.blocks(ctx));
    for b in blocks.collect::<Vec<_>>() {
        for op in b.ops(ctx) {
            match op.cast::<ForOp>(ctx) {
                Some(l) => found.push(l),
                None if op.isa::<gpu::LaunchOp>(ctx) => {}
                None if op.name(ctx) == "scf.for" => found.extend(outermost(ctx, op)),
                None => {}
            }
        }
    }
    found
}
