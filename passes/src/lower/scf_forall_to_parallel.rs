//! `scf-forall-to-parallel`: a loop over a space of points becomes a parallel loop over the same points.
//!
//! Always legal where no tensors are shared; what says where iterations run is kept.
//!
//! ```text
//! scf.forall (%i) in (%n) {        =>    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
//!   body(%i)                               body(%i)
//! }                                      }
//! ```

use crate::loops::sequentialize::forall_to_parallel;
use terrace_dialects::scf;
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::{Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "scf-forall-to-parallel",
    title: "SCFForallToParallelLoop",
    summary: "Convert SCF forall loops to SCF parallel loops",
    description: "Turns loops over a space of points into parallel loops.",
    make: |_| Ok(Box::new(ScfForallToParallel)),
    ..PassInfo::EMPTY
};

struct ScfForallToParallel;

impl Pass for ScfForallToParallel {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        let mut failed = false;
        for f in root.find_all::<scf::ForallOp>(ctx) {
            let mapping = f.op().attr(ctx, "mapping");
            match (forall_to_parallel(ctx, f), mapping) {
                (Some(p), Some(m)) => p.op().set_attr(ctx, "mapping", m),
                (Some(_), None) => {}
                (None, _) => {
                    f.op().error(
                        ctx,
                        "with shared outputs cannot be a parallel loop; bufferize it first",
                    );
                    failed = true;
                }
            }
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}
