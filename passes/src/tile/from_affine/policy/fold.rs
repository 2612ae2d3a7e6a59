//! Folds: the loops inside combine values, one for each iteration of the parallel loops.

use super::tiling::{Form, Tiling};
use super::{MAX_WORDS, adjacency, busiest, element_bytes, movement, power, vector_of};
use crate::analysis::memref_region;
use crate::tile::from_affine::MatchFailure;
use crate::tile::from_affine::find::{Combines, Inner, Level, Nest, coefficient};
use terrace_dialects::affine::Access;
use terrace_ir::{Context, Value};

/// Threads of a block that combines values.
const FOLD_THREADS: i64 = 256;
/// Words that a thread of such a block loads in a step of each array, at most.
const FOLD_WORDS: i64 = 8;
/// The same where it loads from one array alone, along columns: so many have to be under way.
const LONE_FOLD_WORDS: i64 = 16;

/// Widths of tiles for rows or columns that are no longer than that.
const NARROW: [i64; 2] = [8, 32];
/// The same of columns of which an element is chosen, for which a thread has a dozen instructions an
/// element.
const NARROW_CHOICES: [i64; 3] = [8, 16, 32];
/// The width for longer ones.
const WIDE: i64 = 128;
/// Rows that are longer have a block each: there may be few of them.
const LONG: i64 = 4096;
/// One of so many elements of a wide tile may be behind the end.
const MIN_BUSY: i64 = 8;
/// Iterations of a loop between others that a step has, where it is not known how many it has.
const FEW: i64 = 8;
/// Iterations of a loop that a thread can go through alone: what a window has along an axis.
const WINDOW: i64 = 32;

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
    /// Whether one access alone moves with all of the loops.
    lone: bool,
    /// Whether an element is chosen, rather than all combined.
    chosen: bool,
}

pub(in crate::tile::from_affine) fn fold(
    ctx: &Context,
    nest: &Nest,
    l: &Inner,
) -> Result<Fold, MatchFailure> {
    let refuse = |why| Err(MatchFailure::new(l.op, why));
    for x in &l.levels {
        if x.lower.as_constant().is_none_or(|n| n < 0) {
            return refuse("begins below 0");
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
    if is_product(ctx, nest, l) {
        return refuse("loads each element for many of its results, as a product does");
    }
    let inside = nest.accesses.iter();
    let inside = inside.filter(|a| nest.inner_around(ctx, a.op).is_some());
    let lone = busiest(ctx, inside.collect(), &all).len() == 1;
    let chosen = matches!(l.combines, Combines::Chosen(_));
    let words = l.carried.iter().map(|v| value_words(ctx, *v)).sum::<i64>() + 2 * i64::from(chosen);
    Ok(Fold {
        level,
        bytes,
        adjacent: adjacent && !ragged,
        ragged,
        long: false,
        words,
        lone,
        chosen,
    })
}

/// Whether all that is loaded inside is loaded again for other results: along some parallel loop,
/// and not always along the same one, or through a window of few elements that moves with one.
/// Threads that keep several results each then load less, and blocks that share a result load all of
/// it for each.
fn is_product(ctx: &Context, nest: &Nest, l: &Inner) -> bool {
    let mut all = Vec::new();
    for a in &nest.accesses {
        if nest.inner_around(ctx, a.op).is_none() {
            continue;
        }
        let before = all.len();
        for (i, level) in nest.levels.iter().enumerate() {
            if movement(ctx, a, level).is_absent() {
                all.push((i, None));
            }
            let window = (l.levels.iter()).position(|x| is_window(ctx, a, level, x));
            all.extend(window.map(|w| (i, Some(w))));
        }
        if all.len() == before {
            return false;
        }
    }
    all.iter().any(|l| l.1.is_some() || Some(l) != all.first())
}

/// Whether the few iterations of a loop inside reach, from one iteration of a parallel loop, what
/// they reach from the next, too: `a[i + p]` with p below 5, or `a[2*i + p]`.
fn is_window(ctx: &Context, a: &Access, outer: &Level, inner: &Level) -> bool {
    let Some(length) = inner.extent().filter(|n| *n <= WINDOW) else {
        return false;
    };
    let m = a.composed(ctx);
    let coefficients = |l: &Level| -> Option<Vec<i64>> {
        let all = 0..m.map.num_results();
        all.map(|r| coefficient(&m, r, l.iv)).collect()
    };
    let (Some(o), Some(i)) = (coefficients(outer), coefficients(inner)) else {
        return false;
    };
    // The same subscript, and no other, moves with both.
    let mut both = o.iter().zip(&i).filter(|(o, i)| (**o, **i) != (0, 0));
    let (Some((step, unit)), None) = (both.next(), both.next()) else {
        return false;
    };
    *step != 0 && *unit != 0 && step.abs() < unit.abs() * length
}

/// The loop along which most of what is loaded lies next to each other in memory.
fn fastest(ctx: &Context, nest: &Nest, all: &[&Level]) -> Option<usize> {
    let inside = nest
        .accesses
        .iter()
        .filter(|a| nest.inner_around(ctx, a.op).is_some());
    // What is the same in all iterations of a loop is in the cache from the second one on.
    let inside = busiest(ctx, inside.collect(), all);
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
    /// The tiling for a nest with so many elements along what is adjacent in a step, at most.
    pub fn tiling(&self, nest: &Nest, l: &Inner, width: i64) -> Option<Tiling> {
        let elements = self.elements();
        let width = width.clamp(self.vector().max(2), elements);
        let mut rest = elements / width;
        let mut sizes = vec![1; nest.levels.len()];
        let mut pieces = vec![1; l.levels.len()];
        let last = pieces.len().checked_sub(1)?;
        let around = match self.level {
            Some(u) => {
                sizes[u] = width;
                &l.levels[..]
            }
            None => {
                pieces[last] = width;
                let rows = self.rows(nest, l, rest);
                if rows > 1 {
                    *sizes.last_mut()? = rows;
                    rest /= rows;
                }
                &l.levels[..last]
            }
        };
        // From the inside outwards, as far as the block's threads and three dimensions reach.
        let several = |all: &[i64]| all.iter().filter(|n| **n > 1).count();
        for (k, x) in around.iter().enumerate().rev() {
            if several(&sizes) + several(&pieces) == 3 {
                break;
            }
            let few = if k > 0 { FEW } else { rest };
            pieces[k] = x.extent().map_or(few, power).min(rest);
            rest /= pieces[k];
        }
        if self.level.is_none() && l.level().extent().is_none_or(|n| n > width) {
            pieces[last] *= rest;
        }
        let mut shape = [1; 3];
        let all = sizes.iter().chain(&pieces).filter(|n| **n > 1);
        let rank = all.clone().count();
        for (to, n) in shape.iter_mut().zip(all) {
            *to = *n;
        }
        let fast = match self.level {
            Some(_) => 0,
            None => rank.checked_sub(1)?,
        };
        let form = Form::Fold { shape, rank, fast };
        let vector = self.vector();
        let (layout, other) = form.layouts(vector, FOLD_THREADS).ok()?;
        Some(Tiling {
            sizes,
            single: false,
            row: None,
            pieces,
            layout,
            other,
            threads: FOLD_THREADS,
            vector,
            form,
        })
    }

    /// Rows side by side, of `rest` that a block has room for, so that short ones fill it, too.
    fn rows(&self, nest: &Nest, l: &Inner, rest: i64) -> i64 {
        let Some(last) = nest.levels.last().filter(|_| !self.ragged) else {
            return 1;
        };
        // Neither rows nor loops around a row may be many: each gets as much.
        let share = match l.levels.len() {
            1 => rest,
            _ => 1 << rest.ilog2().div_ceil(2),
        };
        last.extent().map_or(share, power).min(share)
    }

    /// Elements of an access.
    fn vector(&self) -> i64 {
        match self.adjacent {
            true => vector_of(self.bytes),
            false => 1,
        }
    }

    /// Elements that a block has in a step.
    fn elements(&self) -> i64 {
        let most = match self.lone && self.level.is_some() {
            true => LONE_FOLD_WORDS,
            false => FOLD_WORDS,
        };
        let each = (MAX_WORDS / self.words / 2).min(most / (self.bytes / 4).max(1));
        FOLD_THREADS * self.vector().max(1 << each.max(1).ilog2())
    }

    /// How wide tiles are where so many elements are adjacent.
    pub fn width(&self, length: i64) -> i64 {
        let widest = match self.level {
            Some(_) => WIDE,
            None => self.elements(),
        };
        let mut width = power(length).min(widest);
        // The widest that leaves few threads without an element in the last step.
        while width > WIDE && (length + width - 1) / width * width > length + length / MIN_BUSY {
            width /= 2;
        }
        width
    }

    /// How wide tiles are where it is not known how many elements are adjacent: up to so many of
    /// them, so wide.
    pub fn widths(&self) -> Vec<(Option<i64>, i64)> {
        let narrow: &[i64] = match self.chosen && self.level.is_some() {
            true => &NARROW_CHOICES,
            false => &NARROW,
        };
        let narrow = narrow.iter().map(|n| (Some(*n), *n));
        let wide: &[(Option<i64>, i64)] = match self.level {
            Some(_) => &[(None, WIDE)],
            None => &[(Some(LONG), WIDE), (None, i64::MAX)],
        };
        let all = narrow.chain(wide.iter().copied());
        all.filter(|(most, _)| !self.long || most.is_none())
            .collect()
    }
}
