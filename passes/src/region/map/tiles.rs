//! Parallel loops that go along rows or columns of matrices: kernels that copy tiles of
//! them ahead, as `gpu-map-reductions` makes.

use super::band::Band;
use super::nest::Axes;
use super::note::{access_notes, blocks};
use super::{Mapper, accesses, terminate};
use crate::gpu::map_reductions::{
    BLOCK, ReductionKernel, THREADS, Way, When, emit, plan, shared, when,
};
use crate::region::cost::Origin;
use crate::region::notes::AccessNote;
use terrace_dialects::arith;
use terrace_dialects::attributes::GPU_NEST;
use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint};

impl Mapper<'_> {
    /// Replace a band without results by a launch that goes in tiles. Gives the band back
    /// where that does not pay, or what is to be done where only the program finds that
    /// it does not.
    pub(super) fn tiles(&mut self, band: Band) -> Option<Band> {
        let root = band.root;
        let [level] = &band.levels[..] else {
            return Some(band);
        };
        let clauses = self.clauses.with_loop(self.ctx, level.op);
        if level.guarded || clauses.are_given() {
            return Some(band);
        }
        let plan = root
            .cast::<scf::ParallelOp>(self.ctx)
            .and_then(|p| plan(self.ctx, p));
        let Some(plan) = plan else {
            return Some(band);
        };
        let trips = level.trips;
        let loc = root.loc(self.ctx);
        let tainted = &self.tainted;
        let mut b = Builder::before(self.ctx, root);
        let condition = match when(&mut b, &plan, trips, &|_, v| !tainted.contains(&v)) {
            When::Never => return Some(band),
            When::Always => None,
            When::If(c) => Some(c),
        };
        let sometimes = condition.is_some();
        let strides = accesses::strides(b.ctx, &band);
        let mut told = access_notes(b.ctx, &band, &strides, &[(0, THREADS)]);
        let places: Vec<_> = strides.iter().map(|a| a.op).collect();
        let remark = staged(&plan, &places, &mut told);

        let mut other = None;
        let mut at = root;
        if let Some(c) = condition {
            let (_, then, otherwise) = scf::IfOp::build(&mut b, c, &[], sometimes);
            other = otherwise;
            b.at = InsertPoint::End(then);
            at = scf::YieldOp::build(&mut b, &[]);
        }
        let mut b = Builder::before(self.ctx, at);
        let one = arith::constant_index(&mut b, 1);
        let threads = arith::constant_index(&mut b, THREADS);
        let grid = crate::gpu::map_parallel::divide_up(&mut b, trips, threads);
        let threads = arith::constant_index(&mut b, BLOCK);
        let text = blocks(b.ctx, trips, THREADS, grid);
        let buffers = shared(b.ctx, &plan);
        let (launch, entry) = self.launch(at, [grid, one, one], [threads, one, one], &buffers);
        let mut b = Builder::at_end(self.ctx, entry, loc);
        emit(&mut b, &plan, launch, trips);
        terminate(self.ctx, entry, loc);
        let texts = [text, "1".into(), "1".into()];
        self.note_nest(&band, &Axes::of(1, 0), [BLOCK, 1, 1], texts, told);
        let number = root.int_attr(self.ctx, GPU_NEST);
        let number = number.and_then(|n| usize::try_from(n).ok());
        self.tell_origin(match number {
            Some(number) => Origin::Ahead {
                number,
                tiles: plan.tiles(),
            },
            None => Origin::Unknown("its loops are not affine"),
        });
        if let Some(k) = self.kernels.last_mut() {
            k.remarks.push(remark);
            if sometimes {
                let m = "runs where the program finds that it pays; else the next kernel does";
                k.remarks.push(m.into());
            }
        }
        self.complete(launch);
        let Some(other) = other else {
            root.erase(self.ctx);
            return None;
        };
        root.move_to_end(self.ctx, other);
        let mut b = Builder::at_end(self.ctx, other, loc);
        scf::YieldOp::build(&mut b, &[]);
        root.cast::<scf::ParallelOp>(self.ctx).map(|p| self.band(p))
    }
}

/// What is said of the copies, as a clause; `told`, of the accesses in the ops `places`,
/// is made to tell of them how they are copied.
fn staged(plan: &ReductionKernel, places: &[terrace_ir::Op], told: &mut [AccessNote]) -> String {
    let mut names: Vec<String> = Vec::new();
    for load in plan.loops.iter().flat_map(|l| &l.loads) {
        for (note, op) in told.iter_mut().zip(places) {
            if !load.ops.contains(op) {
                continue;
            }
            if !note.array.is_empty() && !names.contains(&note.array) {
                names.push(note.array.clone());
            }
            if load.way == Way::Rows {
                note.stride = Some(1);
                note.apart = None;
                note.sectors = note.ideal;
            }
        }
    }
    let arrays = match names.split_last() {
        None => "what it reads".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    format!(
        "{} threads of a block copy {arrays} to shared memory in tiles of {} iterations, {} ahead of the tile that the other {THREADS} use; sums keep their order",
        BLOCK - THREADS,
        plan.columns,
        plan.stages - 1
    )
}
