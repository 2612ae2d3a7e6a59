//! `affine-delay-updates`: updates of a matrix in every step of a loop wait until several
//! steps can be done at once, as in blocked factorizations.
//!
//! ```text
//! affine.for %k = 0 to %n {                affine.for %k0 = 0 to %n - 127 step 32 {
//!   affine.parallel %i > %k {                affine.for %k = %k0 to %k0 + 32 {
//!     A[%i, %k] /= A[%k, %k]                   affine.parallel %k < %i < %k0 + 32 {
//!   }                                            A[%i, %k] /= A[%k, %k]
//!   affine.parallel %i, %j > %k {              }
//!     A[%i, %j] -= A[%i, %k] * A[%k, %j]       affine.parallel %k < %i, %j < %k0 + 32 {
//!   }                                            A[%i, %j] -= A[%i, %k] * A[%k, %j]
//! }                                            }
//!                                            }
//!                                            affine.parallel %i >= %k0 + 32 {
//!                                              affine.for %k0 <= %j < %k0 + 32 {
//!                                                affine.for %k0 <= %k < %j {
//!                                                  A[%i, %j] -= A[%i, %k] * A[%k, %j]
//!                                                }
//!                                      =>        A[%i, %j] /= A[%j, %j]
//!                                              }
//!                                            }
//!                                            affine.parallel %j >= %k0 + 32 {
//!                                              affine.for %k0 < %i < %k0 + 32, %k0 <= %k < %i {
//!                                                A[%i, %j] -= A[%i, %k] * A[%k, %j]
//!                                              }
//!                                            }
//!                                            affine.parallel %i, %j >= %k0 + 32 {
//!                                              affine.for %k0 <= %k < %k0 + 32 {
//!                                                A[%i, %j] -= A[%i, %k] * A[%k, %j]
//!                                              }
//!                                            }
//!                                          }
//!                                          the loop as it was, for the steps that are left
//! ```
//!
//! What is far from the tile's steps is then loaded and stored once a tile, and is a product of
//! matrices (J. Dongarra, I. Duff, D. Sorensen, H. van der Vorst, "Numerical Linear Algebra for
//! High-Performance Computers", 1998, on block LU by right-looking updates).
//!
//! An update is a perfect nest of parallel loops, of which one or two begin at the step's number
//! and a constant, and which stores an element that it loads and that is the same in all steps.
//! Its iterations are split at the end of the tile, each loop's where it begins in the last step.
//! With what is beyond the tile by one counter goes what else the steps do for the same numbers
//! of it, in parallel loops over them (as quotients of a column). Legal where iterations of one
//! tile that depend on each other keep their order, and in a delayed part are of one thread (see
//! `legal`), which is judged exactly, for any tile. Each element is updated by the same operations
//! in the same order of steps, so results are the same bits.
//!
//! Steps at the end of the loop, four tiles of them or a few more, stay as they are: few elements
//! are left there, and launches are all that counts. So do loops of few steps. The nests in tiles and
//! of those steps are small, and say that they want a thread for each iteration.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which nests are updates |
//! | `parts` | what of an update waits |
//! | `legal` | whether it may |
//! | `bounds` | bounds of the loops that are made |
//! | `build` | the tiles |

mod bounds;
mod build;
mod find;
mod legal;
mod parts;

use crate::analysis::dependence::words::array;
use crate::analysis::threads::in_a_thread;
use bounds::Tiles;
use find::{Steps, UpdateNest, others, updates};
use legal::Judge;
use parts::Split;
use terrace_dialects::affine::ForOp;
use terrace_dialects::func;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-delay-updates",
    title: "AffineDelayUpdates",
    summary: "Do the updates of several steps of a factorization at once",
    description: "In loops whose steps update a matrix by nests of affine.parallel loops that begin behind the step's number, does the updates of what is beyond a tile of steps behind the tile, as one nest, where dependences allow it. Of each loop one update is delayed.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new("size", OptionKind::UInt, "32", "Steps of a tile"),
        OptionInfo::new(
            "least",
            OptionKind::UInt,
            "0",
            "Steps that must be left where a tile begins; 0 for those of four tiles",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each update of a matrix what of it was delayed or why nothing, as remarks",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-delayed",
        "Number of nests of which a part was delayed",
    )],
    make: |o| {
        const MAX: u64 = 1 << 20;
        let size = match o.uint("size") {
            n @ 2..=MAX => n,
            n => return Err(format!("size is {n}, expected 2 to {MAX}")),
        };
        let least = match o.uint("least") {
            0 => 4 * size,
            n if n >= size && n <= 4 * MAX => n,
            n => {
                return Err(format!(
                    "least is {n}, expected at least {size}, the size of a tile"
                ));
            }
        };
        Ok(Box::new(DelayUpdates {
            tiles: Tiles {
                size: size as i64,
                least: least as i64,
            },
            notes: o.bool("notes"),
        }))
    },
};

struct DelayUpdates {
    tiles: Tiles,
    notes: bool,
}

impl Pass for DelayUpdates {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut done: Vec<Op> = Vec::new();
        for l in function.find_all::<ForOp>(ctx) {
            let again = done.iter().any(|d| d.is_ancestor_of(ctx, l.op()));
            if !again && !in_a_thread(ctx, l.op()) && self.in_loop(ctx, l) {
                done.push(l.op());
            }
        }
        ctx.count("num-delayed", done.len() as u64);
        Ok(())
    }
}

impl DelayUpdates {
    /// Delays the first update of a loop that can be; whether there was one.
    fn in_loop(&self, ctx: &mut Context, l: ForOp) -> bool {
        for found in updates(ctx, l) {
            let of = match &found {
                Ok(u) => u.root,
                Err((op, _)) => *op,
            };
            let done = found
                .map_err(|(_, why)| why)
                .and_then(|u| self.delay(ctx, l, u));
            match done {
                Ok(words) => {
                    if self.notes {
                        l.op().remark(ctx, words);
                    }
                    return true;
                }
                Err(why) if self.notes => of.remark(ctx, format!("not delayed: {why}")),
                Err(_) => {}
            }
        }
        false
    }

    /// Delays what it can of an update; what that is, in words.
    ///
    /// # Errors
    ///
    /// Why nothing.
    fn delay(&self, ctx: &mut Context, l: ForOp, update: UpdateNest) -> Result<String, String> {
        let Tiles { size, least } = self.tiles;
        let steps = Steps::of(ctx, l)?;
        if let Some(n) = steps.count().filter(|n| *n < least) {
            let n = n.max(0);
            return Err(format!(
                "the loop around it has {n} steps, and a tile begins where {least} are left"
            ));
        }
        let name = array(ctx, Some(update.store.operand(ctx, 1)));
        let mut nests = others(ctx, l, &update);
        nests.insert(0, update);
        let Split { pieces, words } = {
            let judge = Judge::new(ctx, &steps, &nests, self.tiles)?;
            parts::split(ctx, &judge, &nests)?
        };
        build::build(ctx, &steps, &nests, self.tiles, &pieces)
            .ok_or("numbers of its bounds are out of range")?;
        Ok(format!(
            "updates of '{name}' beyond tiles of {size} steps wait for the end of the tile{words}"
        ))
    }
}
