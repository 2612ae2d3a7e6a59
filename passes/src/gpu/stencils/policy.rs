//! Which nests are mapped in a way of their own, and how.
//!
//! What limits them is memory: sectors that several warps fetch, and too few bytes under
//! way. Measured on an H200 (docs/lab/stencils.md): several rows a thread along
//! the loop next to the innermost, so many that a thread asks for less than 96 bytes of
//! rows of its own; blocks of 256 threads or less; warps that begin where a line does.
//! Marching further with values handed on was slower than such chunks, and so was going
//! along the outermost loop of three.

use super::nest::{GridNest, Level};
use super::polynomial::Polynomial;
use super::reuse::Dense;
use crate::gpu::fit_blocks::shape::for_extents;
use terrace_ir::{Context, Value};

/// Bytes that one thread should ask for in rows of its own, fewer than.
const BYTES: u32 = 96;
/// Rows of a thread, the most; and where they have no elements in common.
const MAX_ROWS: i64 = 8;
const MAX_ROWS_APART: i64 = 4;
/// Registers that what is loaded may take.
const MAX_REGISTERS: u32 = 96;
/// Threads below which there are too few to keep a device busy: 1024 for each of 128
/// multiprocessors.
pub(crate) const MIN_THREADS: i64 = 128 * 1024;
/// Elements that a line of the cache has, at least: that many threads begin together.
const ALIGNMENT: i64 = 32;
/// Threads that may be idle at the beginning of a row so that all others are aligned.
const MAX_IDLE: i64 = 8;
/// Streams from which on those that are read once should not drive what is read again out
/// of the cache.
const MANY_STREAMS: usize = 4;

/// What is done to a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    /// The loop of which a thread runs several iterations.
    pub level: usize,
    /// How many.
    pub rows: i64,
    /// The iterations of the whole nest from which on it does, where that is not known
    /// now.
    pub least_iterations: Option<i64>,
    /// Threads of a block along x, y, z.
    pub block: [i64; 3],
    /// By how many iterations the innermost loop begins earlier, idle.
    pub idle: i64,
    /// Loads of what is not read again, as positions among the accesses.
    pub streamed: Vec<usize>,
}

/// What is said of a plan beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Requested {
    /// Iterations of each thread.
    pub rows: Option<i64>,
    /// So many also where there are few iterations for that many threads.
    pub few_iterations: bool,
}

/// The plan for `nest`, with so many rows where `requested` says; `None` where it is mapped like
/// any other.
pub(super) fn plan(ctx: &Context, nest: &GridNest, requested: Requested) -> Option<Rows> {
    let rows = requested.rows;
    let level = nest.levels.len().checked_sub(2)?;
    let (x, along) = (nest.x()?, &nest.levels[level]);
    // Two or three loops have axes of their own; of more, those of one axis have to be
    // told apart by divisions.
    if nest.levels.len() > 3 || !nest.accesses.iter().any(|a| a.writes) {
        return None;
    }
    // All is read and written row by row.
    let dense: Option<Vec<Dense>> = nest.accesses.iter().map(|a| a.is_dense(x)).collect();
    let dense = dense?;
    let of = |writes: bool| {
        let both = nest.accesses.iter().zip(&dense);
        both.filter(move |(a, _)| a.writes == writes)
    };
    if !of(true).all(|(_, d)| *d == Dense::Next) || !of(false).any(|(_, d)| *d == Dense::Next) {
        return None;
    }
    if x.most_trips(ctx).is_some_and(|n| n < ALIGNMENT) {
        return None;
    }
    let streams = streams(nest, &dense);
    let bytes: u32 = streams.iter().map(|s| s.bytes).sum();
    let shares = nest.loads(along, 2).count < 2 * nest.loads(along, 1).count;
    let most = match shares {
        true => MAX_ROWS,
        false => MAX_ROWS_APART,
    };
    let mut n = 1;
    while n * 2 <= most
        // Two rows are better than one however much they ask for, if they share some.
        && ((n as u32 * 2) * bytes < BYTES || shares && n == 1)
        && nest.loads(along, n * 2).registers <= MAX_REGISTERS
    {
        n *= 2;
    }
    let mut n = rows.unwrap_or(n).clamp(1, MAX_ROWS);
    let trips: Option<i64> = nest
        .levels
        .iter()
        .try_fold(1i64, |t, l| t.checked_mul(l.trips(ctx)?));
    let mut least_iterations = None;
    if !requested.few_iterations && n > 1 {
        match trips {
            Some(t) => {
                while rows.is_none() && n > 1 && t < n * MIN_THREADS {
                    n /= 2;
                }
            }
            None => least_iterations = Some(n * MIN_THREADS),
        }
    }
    let block = match (nest.levels.len(), n) {
        (2, _) => [128, 2, 1],
        (_, 1) => [64, 4, 1],
        _ => [64, 1, 2],
    };
    let idle = idle(ctx, nest);
    let block = extents(ctx, nest, level, n, idle).map_or(block, |e| for_extents(e, block));
    let streamed = match streams.len() >= MANY_STREAMS {
        true => read_once(nest, &streams),
        false => Vec::new(),
    };
    Some(Rows {
        level,
        rows: n,
        least_iterations,
        block,
        idle,
        streamed,
    })
}

/// The iterations of threads along x, y and z, of which each has `rows` of one level, where they
/// are known.
fn extents(ctx: &Context, nest: &GridNest, level: usize, rows: i64, idle: i64) -> Option<[i64; 3]> {
    let mut extents = [1; 3];
    let last = nest.levels.len() - 1;
    for (k, l) in nest.levels.iter().enumerate() {
        let trips = l.trips(ctx)?;
        *extents.get_mut(last - k)? = match k {
            _ if k == level => trips / rows + i64::from(trips % rows > 0),
            _ if k == last => trips.saturating_add(idle),
            _ => trips,
        };
    }
    Some(extents)
}

/// Loads of one array that are rows of the same shape: apart by constants.
struct Stream {
    bytes: u32,
    loads: Vec<usize>,
}

/// The streams that move along x.
fn streams(nest: &GridNest, dense: &[Dense]) -> Vec<Stream> {
    let counters: Vec<u32> = nest.levels.iter().map(|l| l.name).collect();
    // A subscript that no loop moves picks one of several arrays.
    let shape = |s: &Polynomial| {
        let moving = s.with_any_of(&counters);
        match moving.is_zero() {
            true => s.clone(),
            false => moving,
        }
    };
    let mut out: Vec<((Value, Vec<Polynomial>), Stream)> = Vec::new();
    for (i, a) in nest.accesses.iter().enumerate() {
        if a.writes || dense.get(i) != Some(&Dense::Next) {
            continue;
        }
        let key = (a.memref, a.subscripts.iter().map(shape).collect());
        match out.iter_mut().find(|(k, _)| *k == key) {
            Some((_, s)) => s.loads.push(i),
            None => {
                let bytes = a.bits.div_ceil(8).max(1);
                let loads = vec![i];
                out.push((key, Stream { bytes, loads }));
            }
        }
    }
    out.into_iter().map(|(_, s)| s).collect()
}

/// The loads of streams of which each element is read once in the nest, where others are
/// read again.
fn read_once(nest: &GridNest, streams: &[Stream]) -> Vec<usize> {
    if streams.iter().all(|s| s.loads.len() == 1) {
        return Vec::new();
    }
    let moves = |i: &usize| {
        let a = nest.accesses.get(*i);
        a.is_some_and(|a| {
            let along = |l| a.subscripts.iter().any(|s| moved(s, l));
            let level = |l: &Level| along(l.name) || a.hidden.contains(&l.iv);
            nest.levels.iter().all(level)
        })
    };
    let alone = streams.iter().filter(|s| s.loads.len() == 1);
    alone
        .flat_map(|s| s.loads.iter().copied())
        .filter(moves)
        .collect()
}

fn moved(s: &Polynomial, name: u32) -> bool {
    s.growth(name).is_some_and(|g| !g.is_zero())
}

/// How far in front of its first iteration the innermost loop begins so that warps store
/// whole sectors, where rows begin at multiples of a line.
fn idle(ctx: &Context, nest: &GridNest) -> i64 {
    let Some(lower) = nest.x().and_then(|x| ctx.constant_int(x.lower)) else {
        return 0;
    };
    let store = nest.accesses.iter().find(|a| a.writes);
    let offset = store.and_then(|a| Some(a.subscripts.last()?.constant_term()));
    let first = offset.and_then(|c| lower.checked_add(c));
    match first.map(|f| f.rem_euclid(ALIGNMENT)) {
        Some(n) if n <= MAX_IDLE && lower.checked_sub(n).is_some() => n,
        _ => 0,
    }
}
