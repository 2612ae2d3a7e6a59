//! The accesses of a kernel among others: which arrays it reads and writes, not where.
//!
//! Threads run in any order, so that of two accesses of a kernel to one array nothing more
//! than that can be said here, and a matrix product has hundreds. One for each array, and
//! direction, answers the same questions about the code around it.

use crate::analysis::captured::is_inside;
use std::rc::Rc;
use terrace_dialects::gpu;

use rustc_hash::FxHashSet;
use terrace_ir::{Op, Value};

use super::domain::Domain;
use super::sites::Collector;
use super::values::Reason;

impl Collector<'_> {
    /// The accesses of a `gpu.launch`, in iterations of `domain`.
    pub(super) fn kernel(&mut self, launch: Op, domain: &Rc<Domain>) {
        let ctx = self.ctx;
        // What is known of its own counters is of no use outside.
        let (params, bodies) = (self.params.clone(), self.bodies.clone());
        let first = self.sites.len();
        self.regions(launch, &domain.in_opaque(ctx, launch));
        let inside = self.sites.split_off(first);
        (self.params, self.bodies) = (params, bodies);
        // Memory of blocks and threads is gone when it ends.
        let own = |v: Value| is_inside(ctx, launch, v);
        let mut seen = FxHashSet::default();
        for site in inside {
            // A barrier puts accesses of the kernel into an order, and has none.
            if site.op.name(ctx) == gpu::BarrierOp::NAME {
                continue;
            }
            let known = (site.memref, site.writes, site.frees);
            if site.memref.is_some_and(own) || !seen.insert(known) {
                continue;
            }
            let message = match site.memref {
                Some(_) => "which elements a kernel touches is not followed",
                None => "what memory a kernel touches is not known",
            };
            let reason = Reason::new(launch.loc(ctx), message);
            let one = self.push(launch, site.writes, site.memref, domain, Err(reason));
            one.frees = site.frees;
        }
    }
}
