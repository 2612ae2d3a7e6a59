//! Sizes, and for which numbers of iterations they are worth while.

use super::plan::{ReductionKernel, Tile, Way};
use crate::gpu::model::ahead::Tiles;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::gpu;
use terrace_ir::{Builder, Context, Type, Value};

/// Threads of a block that have an iteration of the parallel loop. One warp, so that many
/// multiprocessors get some where rows are few.
pub(crate) const THREADS: i64 = 32;

/// Threads of a block that copy. Their addresses and those that add take about as long as
/// each other; one warp that did both would do them one after the other.
pub(super) const COPIERS: i64 = 64;

/// Threads of a block.
pub(crate) const BLOCK: i64 = THREADS + COPIERS;

/// What lies in a row of a tile: what a warp copies at once, two lines of the cache.
const ROW_BYTES: i64 = 256;

/// Workgroup memory that every device lets a block have.
const SHARED_BYTES: i64 = 48 * 1024;

/// Tiles that there is room for: the one in use and those under way. More than this
/// keeps no more bytes under way than a multiprocessor can have.
const MAX_STAGES: i64 = 6;

/// The fewest iterations of a loop for which tiles are worth while: two tiles.
pub(super) const MIN_STEPS: i64 = 64;

/// The same where they store along rows. What a warp stores at once would lie in as many sectors as
/// it has lanes, and each sector would be written once for each element: half a tile is enough.
const MIN_STORED: i64 = LEAST_COLUMNS;

/// Columns of a tile are a multiple of this many: half a warp.
pub(super) const LEAST_COLUMNS: i64 = 16;

/// Tiles for what is stored: the one that is filled, and the one that is copied.
pub(super) const STORED: i64 = 2;

/// Threads that need no help with columns: as many as let a device hide its memory's
/// latency on their own.
const MANY_THREADS: i64 = 128 * 1024;

/// Copies of the body in the loop through a tile.
pub(super) const UNROLL: i64 = 8;

/// Bytes of a tile with elements of so many.
fn bytes((way, element): (Way, i64), columns: i64) -> i64 {
    let elements = match way {
        Way::Rows => THREADS * (columns + 1),
        Way::Columns => THREADS * columns,
        Way::Vector => columns,
    };
    elements * element
}

impl Tile {
    /// Buffers for tiles. Rows are one element longer than they have to be: so lanes
    /// that each read from their row hit different banks.
    pub(super) fn buffer(self, ctx: &Context, columns: i64, stages: i64) -> Type {
        let shape = match self.way {
            Way::Rows => vec![stages, THREADS, columns + 1],
            Way::Columns => vec![stages, columns, THREADS],
            Way::Vector => vec![stages, columns],
        };
        gpu::workgroup_memref(ctx, &shape, self.elem)
    }
}

/// The buffer for tiles of what is stored. A tile is filled while the one before it is copied to its
/// array.
pub(super) fn stored_buffer(ctx: &Context, elem: Type, columns: i64) -> Type {
    gpu::workgroup_memref(ctx, &[STORED, THREADS, columns + 1], elem)
}

/// Bytes of tiles for what is loaded and of those for what is stored.
fn both(ctx: &Context, plan: &ReductionKernel, columns: i64) -> (i64, i64) {
    let loaded = plan.pool.iter().map(|t| bytes((t.way, t.bytes), columns));
    let stored = plan.stored.iter().map(|t| {
        let element = t.bit_width(ctx).map_or(8, |w| i64::from(w / 8));
        STORED * bytes((Way::Rows, element), columns)
    });
    (loaded.sum(), stored.sum())
}

/// Columns of a tile, and how many tiles a block has; `None` where there is no room
/// for two.
pub(super) fn sizes(ctx: &Context, plan: &ReductionKernel) -> Option<(i64, i64)> {
    let pool: Vec<(Way, i64)> = plan.pool.iter().map(|t| (t.way, t.bytes)).collect();
    let longest = plan.longest(ctx);
    if !plan.stores() {
        let tiles = tiles_of(&pool)?;
        return Some((tiles.columns, tiles.stages));
    }
    let stored = plan.stored.iter().filter_map(|t| t.bit_width(ctx));
    let stored = stored.map(|w| i64::from(w / 8));
    let widest = pool.iter().map(|t| t.1).chain(stored).max()?;
    let mut columns = (ROW_BYTES / widest).max(THREADS);
    // The last tile of a row begins where it ends with the row.
    columns = columns.min(longest.unwrap_or(columns) / LEAST_COLUMNS * LEAST_COLUMNS);
    while columns >= LEAST_COLUMNS {
        let (each, out) = both(ctx, plan, columns);
        let tiles = longest.map_or(MAX_STAGES, |n| n / columns + 1);
        let most = MAX_STAGES.min(tiles).max(2);
        let stages = ((SHARED_BYTES - out) / each.max(1)).min(most);
        if stages >= 2 {
            return Some((columns, stages));
        }
        columns = columns / 2 / LEAST_COLUMNS * LEAST_COLUMNS;
    }
    None
}

/// Bytes of the buffers.
pub(super) fn shared_bytes(ctx: &Context, plan: &ReductionKernel) -> i64 {
    let (each, stored) = both(ctx, plan, plan.columns);
    each * plan.stages + stored
}

/// Sizes for tiles of these ways and elements of so many bytes.
pub(crate) fn tiles_of(pool: &[(Way, i64)]) -> Option<Tiles> {
    let widest = pool.iter().map(|t| t.1).max()?;
    let columns = (ROW_BYTES / widest).max(THREADS);
    let each: i64 = pool.iter().map(|t| bytes(*t, columns)).sum();
    let stages = (SHARED_BYTES / each.max(1)).min(MAX_STAGES);
    (stages >= 2).then_some(Tiles {
        columns,
        stages,
        shared_bytes: stages * each,
    })
}

/// For which numbers of iterations the kernel is to be used.
pub(crate) enum When {
    Never,
    Always,
    /// Where this is true on the host.
    If(Value),
}

/// What the numbers of iterations have to be: they fill a block, some loop is long enough,
/// and where all go along columns, which neighbouring threads read together anyway, threads
/// are few.
/// `trips` of the parallel loop; `on_host` tells what the host knows.
pub(crate) fn when(
    b: &mut Builder,
    plan: &ReductionKernel,
    trips: Value,
    on_host: &dyn Fn(&Context, Value) -> bool,
) -> When {
    let index = b.ctx.index();
    let mut unknown: Vec<Value> = Vec::new();
    let mut long = false;
    let fewest = match plan.stores() {
        true => MIN_STORED,
        false => MIN_STEPS,
    };
    let mut hidden = false;
    for l in &plan.loops {
        let (lower, upper) = (l.lower, l.upper);
        if l.bounds.is_some() {
            hidden = true;
            continue;
        }
        match (b.ctx.constant_int(lower), b.ctx.constant_int(upper)) {
            (Some(x), Some(y)) => long |= y.checked_sub(x).is_some_and(|n| n >= fewest),
            _ if on_host(b.ctx, lower) && on_host(b.ctx, upper) => {
                let n = b.value::<arith::SubIOp>(&[upper, lower], index, &[]);
                unknown.push(n);
            }
            _ => hidden = true,
        }
    }
    let rows = plan.has(Way::Rows);
    let mut all: Vec<Value> = Vec::new();
    let known = long || (hidden && rows);
    // Rows that get longer with their number are long where they are many.
    let fewest_threads = match plan.loops.iter().any(|l| l.bounds.is_some()) && !long {
        true => 2 * MIN_STEPS,
        false => THREADS,
    };
    if !known {
        let Some(longest) = unknown
            .into_iter()
            .reduce(|x, y| b.value::<arith::MaxSIOp>(&[x, y], index, &[]))
        else {
            return When::Never;
        };
        let least = arith::constant_index(b, fewest.max(plan.columns));
        all.push(arith::CmpIOp::build(b, CmpIPredicate::Sge, longest, least));
    }
    match b.ctx.constant_int(trips) {
        Some(n) if n < fewest_threads => return When::Never,
        Some(_) => {}
        None => {
            let least = arith::constant_index(b, fewest_threads);
            all.push(arith::CmpIOp::build(b, CmpIPredicate::Sge, trips, least));
        }
    }
    if !rows {
        match b.ctx.constant_int(trips) {
            Some(n) if n > MANY_THREADS => return When::Never,
            Some(_) => {}
            None => {
                let most = arith::constant_index(b, MANY_THREADS);
                all.push(arith::CmpIOp::build(b, CmpIPredicate::Sle, trips, most));
            }
        }
    }
    let ty = b.ctx.i1();
    match all
        .into_iter()
        .reduce(|x, y| b.value::<arith::AndIOp>(&[x, y], ty, &[]))
    {
        Some(c) => When::If(c),
        None => When::Always,
    }
}
