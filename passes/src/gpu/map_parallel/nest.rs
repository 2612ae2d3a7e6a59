//! Parallel loops without results as a grid of threads.
//!
//! One loop runs along x, that along which the accesses are closest together; of the
//! others the inner one along y, and all further ones, their iterations numbered in one
//! row, along z. Each thread computes its counters and leaves out what the loops do not
//! have. Where a grid would need more blocks than there may be, threads go round with
//! the size of the grid as their stride.

use super::band::{Band, Open, close, open_for, open_if, product};
use super::note::{FITTED, access_notes};
use super::shape::block_shape;
use super::words::blocks;
use super::{Mapper, accesses, divide_up, terminate};
use crate::analysis::directive::fixed_shape;
use crate::gpu::fit_blocks::UNKNOWN;
use crate::gpu::fit_blocks::shape::for_extents;
use crate::gpu::stencils::block_of;
use crate::loops::mapper::{LOOPS, mapper_of};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::{GPU_EXTENTS, GPU_FIT};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Builder, Op, OpKind, Value};

/// Blocks along y and z that a grid may have (CUDA C++ Programming Guide, Technical
/// Specifications per Compute Capability).
const MAX_BLOCKS_YZ: i64 = 65535;

/// The loops of a band by the axes along which they run.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    /// Positions of the levels, x first; those of z in the order of the loops.
    pub levels: [Vec<usize>; 3],
}

impl Axes {
    pub(super) fn of(count: usize, x: usize) -> Axes {
        let mut rest: Vec<usize> = (0..count).filter(|l| *l != x).collect();
        let y = rest.pop().into_iter().collect();
        Axes {
            levels: [vec![x], y, rest],
        }
    }

    /// Whether the innermost loop runs along x, and the others along y and z.
    fn is_in_order(&self) -> bool {
        let x: usize = self.levels.iter().map(Vec::len).sum::<usize>() - 1;
        self.levels[0] == [x] && self.levels[2].len() < 2
    }

    fn used(&self) -> usize {
        self.levels.iter().filter(|l| !l.is_empty()).count()
    }
}

/// The blocks and threads that share the iterations of a band, by axes.
struct Grid {
    blocks: [Value; 3],
    threads: [Value; 3],
    /// Threads of a block.
    sizes: [i64; 3],
    /// Iterations along each axis that loops run along.
    totals: Vec<Value>,
    /// Along which axes threads go round.
    rounds: [bool; 3],
    /// Blocks may get other shapes, so that threads without an iteration are everywhere.
    fits: bool,
}

impl Grid {
    /// A thread for each iteration, as far as a grid may have so many blocks, and the clause
    /// `num_gangs` leaves them.
    fn of(
        b: &mut Builder,
        axes: &Axes,
        trips: &[Value],
        sizes: [i64; 3],
        gangs: Option<i64>,
    ) -> Grid {
        let one = arith::constant_index(b, 1);
        let index = b.ctx.index();
        let mut grid = Grid {
            blocks: [one; 3],
            threads: [one; 3],
            sizes,
            totals: Vec::new(),
            rounds: [false; 3],
            fits: false,
        };
        let used = axes.used();
        for (d, axis) in axes.levels[..used].iter().enumerate() {
            let of_axis: Vec<Value> = axis.iter().map(|l| trips[*l]).collect();
            let total = product(b, &of_axis);
            grid.totals.push(total);
            grid.threads[d] = arith::constant_index(b, sizes[d]);
            grid.blocks[d] = divide_up(b, total, grid.threads[d]);
            let blocks = b.ctx.constant_int(grid.blocks[d]);
            if d > 0 && blocks.is_none_or(|n| n > MAX_BLOCKS_YZ) {
                let most = arith::constant_index(b, MAX_BLOCKS_YZ);
                grid.blocks[d] = b.value::<arith::MinSIOp>(&[grid.blocks[d], most], index, &[]);
                grid.rounds[d] = true;
            }
        }
        if let Some(g) = gangs {
            // The outermost axis has as many blocks as are left for it.
            let last = used - 1;
            let gangs = arith::constant_index(b, g);
            let others = product(b, &grid.blocks[..last]);
            let others = b.value::<arith::MaxSIOp>(&[others, one], index, &[]);
            let left = b.value::<arith::DivSIOp>(&[gangs, others], index, &[]);
            let left = b.value::<arith::MaxSIOp>(&[left, one], index, &[]);
            grid.blocks[last] = b.value::<arith::MinSIOp>(&[grid.blocks[last], left], index, &[]);
            grid.rounds[last] = true;
        }
        grid
    }

    /// The numbers of a thread's iterations along the axes, inside what it opens for them: loops
    /// where threads go round, else conditions where the last block has too many.
    fn enter(&self, b: &mut Builder, launch: gpu::LaunchOp) -> (Vec<Value>, Vec<Open>) {
        let index = b.ctx.index();
        let (bids, tids) = (launch.block_ids(b.ctx), launch.thread_ids(b.ctx));
        let (grids, blocks) = (launch.grid_size_args(b.ctx), launch.block_size_args(b.ctx));
        let mut open: Vec<Open> = Vec::new();
        let mut numbers: Vec<Value> = Vec::new();
        for (d, total) in self.totals.iter().copied().enumerate().rev() {
            let base = b.value::<arith::MulIOp>(&[bids[d], blocks[d]], index, &[]);
            let first = b.value::<arith::AddIOp>(&[base, tids[d]], index, &[]);
            let k = if self.rounds[d] {
                let stride = b.value::<arith::MulIOp>(&[grids[d], blocks[d]], index, &[]);
                let (o, k, _) = open_for(b, first, total, stride, &[]);
                open.push(o);
                k
            } else {
                let size = self.sizes[d];
                let exact = b.ctx.constant_int(total).is_some_and(|n| n % size == 0);
                if !exact || self.fits {
                    let inside = arith::CmpIOp::build(b, CmpIPredicate::Slt, first, total);
                    open.push(open_if(b, inside, &[]));
                }
                first
            };
            numbers.insert(0, k);
        }
        (numbers, open)
    }
}

impl Mapper<'_> {
    /// Whether each thread of a band runs loops.
    fn goes_through_loops(&self, band: &Band) -> bool {
        let is_loop = |o: &Op| {
            matches!(
                o.name(self.ctx),
                scf::ForOp::NAME | scf::WhileOp::NAME | scf::ParallelOp::NAME
            )
        };
        let ops = band.body.ops(self.ctx);
        let mut all = ops.into_iter().flat_map(|o| o.pre_order(self.ctx));
        all.any(|o| is_loop(&o))
    }

    /// The level that runs along x.
    pub(super) fn along_x(
        &self,
        band: &Band,
        strides: &[accesses::Access],
        trips: &[Option<i64>],
    ) -> usize {
        // Whoever chose the mapping put the loops in its order.
        let chosen = mapper_of(self.ctx, band.root) == Some(LOOPS);
        match chosen || !self.options.sizes.is_empty() {
            true => band.levels.len() - 1,
            false => accesses::best_x(strides, trips),
        }
    }

    /// Threads of a block along x, y and z, with these numbers of iterations along each.
    fn block_sizes(&self, band: &Band, axes: &Axes, counts: &[Option<i64>]) -> [i64; 3] {
        let own = block_of(self.ctx, band.root).filter(|_| axes.is_in_order());
        let long = self.goes_through_loops(band);
        let mut sizes = own.unwrap_or_else(|| block_shape(counts, self.clauses, long));
        let known: Option<Vec<i64>> = counts.iter().copied().collect();
        if let Some(known) = known
            && self.fits(band, axes)
        {
            let extents = std::array::from_fn(|d| known.get(d).copied().unwrap_or(1));
            sizes = for_extents(extents, sizes);
        }
        for (d, n) in self.options.sizes.iter().enumerate().take(counts.len()) {
            sizes[d] = *n;
        }
        sizes
    }

    /// Whether the shape of blocks is one that nobody asked for, of several axes.
    fn fits(&self, band: &Band, axes: &Axes) -> bool {
        let free = match block_of(self.ctx, band.root) {
            Some(_) if axes.is_in_order() => band.root.attr(self.ctx, GPU_FIT).is_some(),
            _ => true,
        };
        let asked = fixed_shape(self.ctx, band.root).is_some() || !self.options.sizes.is_empty();
        free && !asked && axes.used() > 1
    }

    /// Replaces the band by a launch; gives it, if there is anything to run.
    pub(super) fn nest(&mut self, band: &Band) -> Vec<gpu::LaunchOp> {
        let root = band.root;
        let trips: Vec<Value> = band.levels.iter().map(|l| l.trips).collect();
        let constants: Vec<Option<i64>> = trips.iter().map(|t| self.ctx.constant_int(*t)).collect();
        if constants.contains(&Some(0)) {
            root.erase(self.ctx);
            return Vec::new();
        }
        let strides = accesses::strides(self.ctx, band);
        let x = self.along_x(band, &strides, &constants);
        let axes = Axes::of(band.levels.len(), x);
        let count = |axis: &Vec<usize>| {
            let all: Option<Vec<i64>> = axis.iter().map(|l| constants[*l]).collect();
            all.and_then(|v| v.into_iter().try_fold(1i64, i64::checked_mul))
        };
        let used = axes.used();
        let counts: Vec<Option<i64>> = axes.levels[..used].iter().map(count).collect();
        let sizes = self.block_sizes(band, &axes, &counts);
        // Of an axis with several loops the last is the fastest.
        let lanes: Vec<(usize, i64)> = axes.levels[..used]
            .iter()
            .zip(sizes)
            .filter_map(|(levels, n)| Some((*levels.last()?, n)))
            .collect();
        let accesses = (self.options.notes).then(|| access_notes(self.ctx, band, &strides, &lanes));

        let gangs = self.clauses.gangs;
        let open = counts.contains(&None) && self.fits(band, &axes);
        let mut b = Builder::before(self.ctx, root);
        let zero = arith::constant_index(&mut b, 0);
        let mut grid = Grid::of(&mut b, &axes, &trips, sizes, gangs);
        grid.fits = open;
        let note = accesses.map(|accesses| {
            let mut texts: [String; 3] = ["1", "1", "1"].map(String::from);
            for (d, total) in grid.totals.iter().enumerate() {
                let given = self.ctx.constant_int(grid.blocks[d]);
                // A clause's number of gangs is said where the clause is.
                texts[d] = match gangs.is_some() && given.is_none() {
                    true => String::new(),
                    false => blocks(self.ctx, *total, sizes[d], grid.blocks[d]),
                };
            }
            let mut note = self.nest_note(band, &axes, accesses, texts);
            if open {
                note.remarks.push(FITTED.into());
            }
            note
        });
        let loc = root.loc(self.ctx);
        let (launch, entry) = self.launch(root, grid.blocks, grid.threads, &[]);
        self.leave(launch, note);
        if open {
            let extents =
                std::array::from_fn(|d| counts.get(d).map_or(1, |n| n.unwrap_or(UNKNOWN)));
            let extents: [i64; 3] = extents;
            let extents = self.ctx.i64_array(&extents);
            launch.op().set_attr(self.ctx, GPU_EXTENTS, extents);
        }
        let mut b = Builder::at_end(self.ctx, entry, loc);
        let (numbers, mut open) = grid.enter(&mut b, launch);
        let mut ks = vec![zero; band.levels.len()];
        for (d, axis) in axes.levels[..used].iter().enumerate() {
            for (l, k) in axis.iter().zip(split(&mut b, numbers[d], axis, &trips)) {
                ks[*l] = k;
            }
        }
        open.extend(band.enter(&mut b, &ks, &[]));
        band.take_body(&mut b);
        close(&mut b, open, Vec::new());
        terminate(self.ctx, launch, entry, loc);
        root.erase(self.ctx);
        vec![launch]
    }
}

/// The iteration numbers of several loops from their number in one row, the last loop
/// fastest.
pub(in crate::gpu) fn split(
    b: &mut Builder,
    number: Value,
    levels: &[usize],
    trips: &[Value],
) -> Vec<Value> {
    let index = b.ctx.index();
    let mut rest = number;
    let mut ks = Vec::new();
    for (i, l) in levels.iter().enumerate().rev() {
        if i == 0 {
            ks.push(rest);
            break;
        }
        let n = trips[*l];
        ks.push(b.value::<arith::RemUIOp>(&[rest, n], index, &[]));
        rest = b.value::<arith::DivUIOp>(&[rest, n], index, &[]);
    }
    ks.reverse();
    ks
}
