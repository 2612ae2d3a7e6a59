//! `gpu-privatize-reductions`: reductions into memory get copies of the array in shared memory.
//!
//! ```text
//! scf.parallel (%i) = ... {                gpu.launch {
//!   %k = a[%i]                               copies of h in shared memory = 0
//!   memref.atomic_rmw addi %one, %h[%k]  =>  barrier
//! }                                          scf.for %i = ... {    // share of the thread
//!                                              %k = a[%i]
//!                                              memref.atomic_rmw addi %one, %own[%k]
//!                                            }
//!                                            barrier
//!                                            scf.for %k = %thread ... {
//!                                              memref.atomic_rmw addi (sum of copies), %h[%k]
//!                                            }
//!                                          }
//! ```
//!
//! Updates of one element by all threads of a device come one after another at its last cache;
//! those of the threads of a block in its shared memory, and with several copies few of them
//! meet. J. Gómez-Luna et al., "An optimized approach to histogram computation on GPU", 2013,
//! has copies that neighbouring threads take by turns, which is what is done here: elements of
//! different copies lie side by side, so that lanes of different copies never want one bank.
//!
//! Legal where nothing in the nest looks at the array but atomic updates of one kind whose
//! results nobody uses. Those may come in any order, and in groups that were combined before;
//! sums of floats as well, since the order in which atomic updates arrive is not fixed either.
//! How subscripts are computed does not matter. An array that does not fit, which the program
//! sees when it runs, keeps the nest as it was.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which arrays of which nests |
//! | `policy` | sizes of blocks, how many copies, and when they pay |
//! | `host` | the launch, and what the program chooses between |
//! | `kernel` | the copies from their first element to the last |
//! | `share` | which iterations a thread has |
//! | `iterate` | the nest's iterations in a thread, several at once |
//! | `spread` | short loops in an iteration, their iterations side by side |
//! | `update` | an update of a copy |

mod find;
mod host;
mod iterate;
mod kernel;
mod policy;
mod share;
mod spread;
mod update;
mod wide;

use super::map_parallel::outermost;
use policy::Room;
use terrace_dialects::func;
use terrace_ir::Op;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_machine::Arch;

pub static INFO: PassInfo = PassInfo {
    name: "gpu-privatize-reductions",
    title: "GpuPrivatizeReductions",
    summary: "Give reductions into memory copies of the array in the shared memory of blocks",
    description: "Makes a gpu.launch of each outermost scf.parallel that does nothing to an array but combine values into its elements by memref.atomic_rmw ops of one kind without uses: as many blocks as fill the machine share the iterations, each updates copies of the array in its shared memory, and then changes each element of the array once. Where the array is too large when the program runs, or iterations are few, the nest stays.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "arch",
            OptionKind::Str,
            "sm_80",
            "The architecture that kernels are for",
        ),
        OptionInfo::new(
            "least",
            OptionKind::UInt,
            policy::LEAST,
            "Updates from which on there are copies",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches made",
    )],
    make: |o| {
        let arch: Arch = o.str("arch").parse()?;
        Ok(Box::new(Privatize {
            room: Room::of(u32::from(arch.sm)),
            least: i64::try_from(o.uint("least")).unwrap_or(i64::MAX),
        }))
    },
};

struct Privatize {
    room: Room,
    least: i64,
}

impl Pass for Privatize {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut made = 0;
        for p in outermost(ctx, function) {
            if let Some(nest) = find::find(ctx, function, p, self.room) {
                made += u64::from(host::launch(ctx, function, &nest, (self.room, self.least)));
            }
        }
        ctx.count("num-launches", made);
        Ok(())
    }
}
