//! Tiles that are read along one loop and written along another, and those of many loops.

use super::tiling::{Form, Tiling};
use super::{Movement, element_bytes, movement, power, vector_of};
use crate::tile::from_affine::MatchFailure;
use crate::tile::from_affine::find::Nest;
use crate::tile::from_affine::stays::MIN_SIDE;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_ir::{Context, OpKind, Type};
use terrace_layout::LayoutError;

/// Axes that a grid has: with more parallel loops the other mappers leave some to each thread.
const GRID_AXES: usize = 3;
/// Bytes of a tile that is turned round.
const TURNED_BYTES: i64 = 16 * 1024;
/// Bytes of a row of a tile that is not turned round, and its rows.
const SHEET_BYTES: i64 = 256;
const SHEET_ROWS: i64 = 8;
/// Threads of a block that turns a tile round.
const TURN_THREADS: i64 = 256;

/// A tile that is read along one level and written along another.
#[derive(Debug, Clone)]
pub(in crate::tile::from_affine) struct Turn {
    /// The level along which stores are adjacent.
    pub store: usize,
    /// The level along which at least one load is, or the other one of the tile.
    pub load: usize,
    /// Whether loads are along another level than stores.
    turned: bool,
    pub bytes: i64,
}

pub(super) fn turn(ctx: &Context, nest: &Nest) -> Result<Turn, MatchFailure> {
    let root = nest.root.op();
    let refuse = |why| Err(MatchFailure::new(root, why));
    let (mut store, mut loads, mut bytes) = (None, Vec::new(), 1);
    let mut types: Vec<Type> = Vec::new();
    for a in &nest.accesses {
        let moves: Vec<Movement> = nest.levels.iter().map(|l| movement(ctx, a, l)).collect();
        let along: Vec<usize> = (0..moves.len())
            .filter(|i| moves[*i].last != Some(0))
            .collect();
        let unit = match along[..] {
            [] => None,
            [l] if moves[l].is_unit() => Some(l),
            _ => return refuse("has subscripts that are adjacent along no loop"),
        };
        bytes = bytes.max(element_bytes(ctx, a));
        match (a.kind, unit) {
            (AccessKind::Write, None) => return refuse("stores what is adjacent along no loop"),
            (AccessKind::Write, unit) if store.is_some() && store != unit => {
                return refuse("stores along different loops");
            }
            (AccessKind::Write, unit) => store = unit,
            (_, None) => {}
            (_, Some(l)) => loads.push((l, a)),
        }
    }
    let Some(store) = store else {
        return refuse("stores nothing");
    };
    // What is the same all along the stores is one number for them, however it lies.
    let varies = |a: &Access| !movement(ctx, a, &nest.levels[store]).is_absent();
    for a in &nest.accesses {
        let ty = a.memref.ty(ctx).element_or_self(ctx);
        let turned = !movement(ctx, a, &nest.levels[store]).is_unit() && varies(a);
        if turned && !types.contains(&ty) {
            types.push(ty);
        }
    }
    if types.len() > 1 {
        return refuse(
            "turns round arrays of different types, whose buffers are too large together",
        );
    }
    let mut others: Vec<usize> = (loads.into_iter())
        .filter(|(l, a)| *l != store && varies(a))
        .map(|(l, _)| l)
        .collect();
    others.sort_unstable();
    others.dedup();
    let load = match others[..] {
        [load] => load,
        // A tile of two loops, of which memory is adjacent along one everywhere.
        [] if nest.levels.len() > GRID_AXES => {
            let other = (0..nest.levels.len()).rev().find(|l| *l != store);
            other.unwrap_or(store)
        }
        _ => return refuse("loads along the loop along which it stores"),
    };
    let constant = |l: usize| nest.levels[l].lower.as_constant().is_some_and(|n| n >= 0);
    if !constant(store) || !constant(load) {
        return refuse("has loops that begin at a number that is not known");
    }
    let turned = !others.is_empty();
    let narrow = |l: usize| nest.levels[l].extent().is_some_and(|n| n < MIN_SIDE);
    if turned && (narrow(store) || narrow(load)) {
        return refuse("turns round tiles that are narrow");
    }
    Ok(Turn {
        store,
        load,
        turned,
        bytes,
    })
}

impl Turn {
    /// Whether loads are along another level than stores.
    pub fn is_turned(&self) -> bool {
        self.turned
    }

    /// The tiling, where extents that are known leave one.
    ///
    /// # Errors
    ///
    /// What does not come out even.
    pub fn tiling(&self, nest: &Nest) -> Result<Tiling, LayoutError> {
        let vector = vector_of(self.bytes);
        let elements = TURNED_BYTES / self.bytes.max(4);
        let extent = |l: usize| nest.levels[l].extent().map_or(i64::MAX, power);
        let (mut s, mut l);
        if self.turned {
            let side = if elements >= 4096 { 64 } else { 32 };
            let narrow = |l: usize| extent(l).min(side).max(vector);
            (s, l) = (narrow(self.store), narrow(self.load));
            // What one side does not need the other has.
            while s * l < elements && l < extent(self.load).min(256) {
                l *= 2;
            }
            while s * l < elements && s < extent(self.store).min(256) {
                s *= 2;
            }
        } else {
            // Rows of memory for a warp each; how many there are side by side is not known.
            s = extent(self.store).min(SHEET_BYTES / self.bytes).max(vector);
            l = extent(self.load).min(SHEET_ROWS);
        }
        let mut sizes = vec![1; nest.levels.len()];
        sizes[self.store] = s;
        sizes[self.load] = l;
        // Dimensions of tiles are in the order of the levels.
        let (shape, store, load) = match self.store < self.load {
            true => ([s, l], 0, 1),
            false => ([l, s], 1, 0),
        };
        let threads = TURN_THREADS.min((s * l / vector).max(32));
        let form = Form::Turn { shape, store, load };
        let (layout, other) = form.layouts(vector, threads)?;
        Ok(Tiling {
            sizes,
            single: false,
            row: None,
            pieces: Vec::new(),
            layout,
            other,
            threads,
            vector,
            form,
        })
    }
}
