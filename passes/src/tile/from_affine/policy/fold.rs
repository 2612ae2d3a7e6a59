//! Folds: the loops inside combine values, one for each iteration of the parallel loops.

use super::tiling::{Form, Tiling};
use super::{MAX_WORDS, adjacency, element_bytes, movement, power, vector_of};
use crate::analysis::memref_region;
use crate::tile::from_affine::MatchFailure;
use crate::tile::from_affine::find::{Combines, Inner, Level, Nest};
use terrace_dialects::affine::Access;
use terrace_ir::{Context, Value};

/// Threads of a block that combines values.
const FOLD_THREADS: i64 = 256;
/// Words that a thread of such a block loads in a step, at most.
const FOLD_WORDS: i64 = 8;

/// Values that are combined over the loops inside.
#[derive(Debug, Clone)]
pub(in crate::tile::from_affine) struct Fold {
    /// The parallel loop along which memory is adjacent; none where it is so along the innermost.
    pub level: Option<usize>,
    pub bytes: i64,
    /// Whether all that is loaded is adjacent along that loop, or the same in all of its iterations.
    adjacent: bool,
    /// Whether the loops inside end at numbers that differ between rows: each block has one row.
    pub ragged: bool,
    /// Whether there are many iterations along that loop for sure.
    pub long: bool,
    /// Words of registers that an element's values take.
    words: i64,
}

pub(super) fn fold(ctx: &Context, nest: &Nest, l: &Inner) -> Result<Fold, MatchFailure> {
    let refuse = |why| Err(MatchFailure::new(l.op, why));
    for x in &l.levels {
        if x.lower.as_constant().is_none_or(|n| n < 0) {
            return refuse("begins at a number that is not known");
        }
        let known = |v: &Value| nest.is_outside(ctx, *v) || nest.levels.iter().any(|x| x.iv == *v);
        if !x.upper.operands.iter().all(known) {
            return refuse("has a length that changes from iteration to iteration");
        }
    }
    let all: Vec<&Level> = nest.levels.iter().chain(&l.levels).collect();
    let innermost = all.len() - 1;
    let fast = fastest(ctx, nest, &all).unwrap_or(innermost);
    let (mut bytes, mut adjacent) = (1, true);
    for a in nest
        .accesses
        .iter()
        .filter(|a| nest.inner_around(ctx, a.op).is_some())
    {
        let m = movement(ctx, a, all[fast]);
        if !m.is_absent() {
            bytes = bytes.max(element_bytes(ctx, a));
            adjacent &= m.is_unit();
        }
    }
    let level = (fast < nest.levels.len()).then_some(fast);
    if level.is_none() && fast != innermost {
        return refuse(
            "loads what is adjacent along a loop that is neither a parallel one nor the innermost",
        );
    }
    let ragged = nest.is_ragged(ctx, l);
    if ragged && level.is_some() {
        return refuse("has a length that changes from column to column");
    }
    let begins = level.map(|u| nest.levels[u].lower.as_constant());
    if begins.is_some_and(|n| n.is_none_or(|n| n < 0)) {
        return refuse("is in a loop that begins at a number that is not known");
    }
    let places = i64::from(matches!(l.combines, Combines::Chosen(_)));
    let words = l.carried.iter().map(|v| value_words(ctx, *v)).sum::<i64>() + 2 * places;
    Ok(Fold {
        level,
        bytes,
        adjacent: adjacent && !ragged,
        ragged,
        long: false,
        words,
    })
}

/// The loop along which most of what is loaded lies next to each other in memory.
fn fastest(ctx: &Context, nest: &Nest, all: &[&Level]) -> Option<usize> {
    let inside = nest
        .accesses
        .iter()
        .filter(|a| nest.inner_around(ctx, a.op).is_some());
    let inside: Vec<&Access> = inside.collect();
    let worths: Vec<i64> = all.iter().map(|l| adjacency(ctx, &inside, l)).collect();
    let most = worths.iter().copied().max().filter(|n| *n > 0)?;
    // Of loops that are worth the same, the one inside: there a block has more to do.
    worths.iter().rposition(|n| *n == most)
}

/// Registers of 32 bits that a number takes; two for an index.
fn value_words(ctx: &Context, v: Value) -> i64 {
    let bytes = memref_region::element_bytes(ctx, v.ty(ctx)).unwrap_or(8);
    (bytes + 3) / 4
}

impl Fold {
    /// The tiling for a nest with so many elements along what is adjacent, at most.
    pub fn tiling(&self, nest: &Nest, l: &Inner, width: i64) -> Option<Tiling> {
        let vector = match self.adjacent {
            true => vector_of(self.bytes),
            false => 1,
        };
        let each = (MAX_WORDS / self.words / 2).min(FOLD_WORDS / (self.bytes / 4).max(1));
        let each = 1 << each.max(1).ilog2();
        let elements = FOLD_THREADS * vector.max(each);
        let width = width.clamp(vector, elements);
        let mut rest = elements / width;
        let mut sizes = vec![1; nest.levels.len()];
        let mut pieces = vec![1; l.levels.len()];
        let (mut shape, mut rank) = ([1; 3], 0);
        if let Some(u) = self.level {
            sizes[u] = width;
            shape[0] = width;
            rank = 1;
        }
        if self.level.is_none() && l.levels.len() == 1 && rest > 1 && !self.ragged {
            // Rows side by side, so that short ones fill a block, too.
            let last = sizes.len().checked_sub(1)?;
            let rows = nest.levels[last].extent().map_or(rest, power).min(rest);
            if rows > 1 {
                sizes[last] = rows;
                shape[0] = rows;
                rank = 1;
                rest /= rows;
            }
        }
        // From the innermost loop outwards, as far as the block's threads reach.
        let mut inside: Vec<i64> = Vec::new();
        for (k, x) in l.levels.iter().enumerate().rev() {
            let own = match (self.level, inside.is_empty()) {
                (None, true) => width,
                _ if inside.len() + rank == 3 || rest == 1 => break,
                _ => {
                    let few = if k > 0 { 8 } else { rest };
                    let known = x.extent().map_or(few, power);
                    let own = known.min(rest);
                    rest /= own;
                    own
                }
            };
            pieces[k] = own;
            if own > 1 {
                inside.insert(0, own);
            }
        }
        for n in inside {
            shape[rank] = n;
            rank += 1;
        }
        let fast = if self.level.is_some() {
            0
        } else {
            rank.checked_sub(1)?
        };
        let form = Form::Fold { shape, rank, fast };
        let (layout, other) = form.layouts(vector, FOLD_THREADS).ok()?;
        Some(Tiling {
            sizes,
            row: None,
            pieces,
            layout,
            other,
            threads: FOLD_THREADS,
            vector,
            form,
        })
    }
}
