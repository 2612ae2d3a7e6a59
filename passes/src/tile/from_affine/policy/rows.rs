//! Rows: a row of the loops inside is a tile, or is gone through in pieces.

use super::tiling::{Form, Tiling};
use super::{MAX_WORDS, element_bytes, movement, power, vector_of};
use crate::tile::from_affine::MatchFailure;
use crate::tile::from_affine::find::{Combines, Level, Nest};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Context, OpKind, Value};

/// Rows shorter than this are left to one thread each.
const MIN_ROW: i64 = 16;
/// Bytes of a row up to which its thread loads and stores it: neighbours share sectors, and a thread
/// for each element would compute its place anew.
const OWN_ROW: i64 = 16;
/// Elements of a row that a thread holds, where registers are enough.
const ROW_ELEMENTS: i64 = 16;
/// Bytes of a row piece that a thread holds where a row is gone through piece by piece.
const STREAM_BYTES: i64 = 32;
/// Threads of a block that goes through a row piece by piece.
const STREAM_THREADS: i64 = 512;
/// Threads of a block with short rows.
const SHORT_THREADS: i64 = 256;

/// Rows that a block goes along.
#[derive(Debug, Clone)]
pub(in crate::tile::from_affine) struct Rows {
    /// Where rows begin, and where they end, without it.
    pub first: i64,
    pub level: Level,
    /// Bytes of the widest element.
    pub bytes: i64,
    /// Arrays of which tiles are held at once.
    pub held: i64,
    /// Rows are shorter than the threads of a warp want them: several are side by side.
    short: bool,
}

pub(super) fn rows(ctx: &Context, nest: &Nest) -> Result<Rows, MatchFailure> {
    let root = nest.root.op();
    let refuse = |why| Err(MatchFailure::new(root, why));
    let level = nest.inner[0].level().clone();
    for l in &nest.inner {
        if l.levels.len() > 1 || matches!(l.combines, Combines::Chosen(_)) {
            return refuse("has loops inside that are several, or choose an iteration");
        }
        let upper = &l.level().upper;
        if upper.map != level.upper.map || upper.operands != level.upper.operands {
            return refuse("has loops inside that end at different numbers");
        }
        if l.level().lower.as_constant().is_none_or(|n| n < 0) {
            return refuse("has loops inside that begin at a number that is not known");
        }
    }
    if !level
        .upper
        .operands
        .iter()
        .all(|v| nest.is_outside(ctx, *v))
    {
        return refuse("has rows of different lengths");
    }
    let short = level
        .upper
        .as_constant()
        .is_some_and(|n| n - nest.first_of_rows() < MIN_ROW);
    if short && nest.inner.iter().any(|l| !l.carried.is_empty()) {
        return refuse("has short rows");
    }
    let mut bytes = 1;
    let mut keys: Vec<(Value, AffineMap)> = Vec::new();
    for a in &nest.accesses {
        let Some(l) = nest.inner_around(ctx, a.op) else {
            continue;
        };
        let m = movement(ctx, a, l.level());
        if !m.is_near() && !m.is_absent() {
            return refuse("has loops inside along which an array is not adjacent in memory");
        }
        if m.is_unit() {
            bytes = bytes.max(element_bytes(ctx, a));
            let key = (a.memref, a.composed(ctx).map);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if keys.is_empty() {
        return refuse("has loops inside that go along no array");
    }
    let length = level.extent().filter(|_| short);
    if length.is_some_and(|n| n * bytes <= OWN_ROW) {
        return refuse("has rows of so few bytes that a thread goes through each");
    }
    Ok(Rows {
        first: nest.first_of_rows(),
        level,
        bytes,
        held: (keys.len() as i64).clamp(1, 4),
        short,
    })
}

impl Rows {
    /// Rows of a few elements, a lane for each.
    fn short(&self, levels: usize, n: i64) -> Option<Tiling> {
        let each = power(n);
        self.tiling(levels, SHORT_THREADS / each, each, each, false)
    }

    fn words(&self) -> i64 {
        (self.bytes / 4).max(1)
    }

    /// Elements of an access where rows are aligned.
    fn vector(&self) -> i64 {
        match self.short {
            true => 1,
            false => vector_of(self.bytes),
        }
    }

    /// The most elements of a row that a thread holds.
    fn most(&self) -> i64 {
        (MAX_WORDS / (self.words() * self.held)).clamp(4, 32)
    }

    /// The tiling for rows of up to so many elements; `None` where a block cannot hold them.
    pub fn resident(&self, levels: usize, n: i64) -> Option<Tiling> {
        if self.short {
            return self.short(levels, n);
        }
        let vector = self.vector();
        // Short of its length a row leaves registers empty, not threads: so there are many of these.
        let wanted = ROW_ELEMENTS.min(self.most()).max(vector);
        let mut threads = power(n.div_euclid(wanted) + i64::from(n % wanted > 0)).clamp(4, 512);
        while threads < 1024 && n > threads * self.most() && self.most() <= 16 {
            threads *= 2;
        }
        let piece = threads * vector;
        let size = (n + piece - 1) / piece * piece;
        if size / threads > self.most().max(vector) {
            return None;
        }
        let rows = (128 / threads).max(1);
        self.tiling(levels, rows, size, threads, false)
    }

    /// The tiling that goes through rows of any length.
    pub fn streamed(&self, levels: usize) -> Option<Tiling> {
        let each = (STREAM_BYTES / self.bytes / self.held.min(2)).max(self.vector());
        self.tiling(levels, 1, STREAM_THREADS * each, STREAM_THREADS, true)
    }

    fn tiling(
        &self,
        levels: usize,
        rows: i64,
        size: i64,
        each: i64,
        streamed: bool,
    ) -> Option<Tiling> {
        let mut sizes = vec![1; levels];
        if let Some(last) = sizes.last_mut() {
            *last = rows;
        }
        let (vector, threads) = (self.vector(), rows * each);
        let form = Form::Rows { rows, size, each };
        let (layout, other) = form.layouts(vector, threads).ok()?;
        Some(Tiling {
            sizes,
            single: false,
            row: (!streamed).then_some(size),
            pieces: if streamed { vec![size] } else { Vec::new() },
            layout,
            other,
            threads,
            vector,
            form,
        })
    }
}
