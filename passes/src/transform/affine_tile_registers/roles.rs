//! What each loop of a nest of three is to the elements that it stores.

use crate::analysis::captured::is_inside;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::subscript::Subscript;
use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp, YieldOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, OpKind, Value};

/// The roles of three loops.
pub(super) struct Roles {
    /// Along another subscript than the last of what is stored.
    pub row: ForOp,
    /// Along the last one, by neighbours in memory.
    pub col: ForOp,
    /// All iterations store to one element.
    pub sum: ForOp,
    /// Bits of its elements.
    pub bits: u32,
    band: [ForOp; 3],
}

impl Roles {
    /// Those of an innermost loop and the two around it; nothing where they have none, or a tile
    /// would not pay.
    pub fn of(ctx: &Context, inner: ForOp) -> Option<Roles> {
        let parent = |l: ForOp| l.op().parent(ctx)?.cast::<ForOp>(ctx);
        let middle = parent(inner)?;
        let outer = parent(middle)?;
        let band = [outer, middle, inner];
        let simple = |l: &ForOp| l.step(ctx) == 1 && l.op().num_results(ctx) == 0;
        if !band.iter().all(simple) || !is_rectangle(ctx, &band) {
            return None;
        }
        let counters = band.map(|l| l.iv(ctx));
        let found = of_counters(ctx, inner, counters)?;
        Some(Roles {
            row: band[found.row],
            col: band[found.col],
            sum: band[found.sum],
            bits: found.bits,
            band,
        })
    }

    /// The loops, the outermost first.
    pub fn band(&self) -> [ForOp; 3] {
        self.band
    }
}

/// Whether no loop's bounds move with another's iterations.
fn is_rectangle(ctx: &Context, band: &[ForOp; 3]) -> bool {
    let outside = |v: &Value| !is_inside(ctx, band[0].op(), *v);
    band[1..].iter().all(|l| {
        let bounds = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
        bounds.iter().all(outside)
    })
}

/// Which of three counters has which role, and the bits of an element.
pub(super) struct Found {
    row: usize,
    col: usize,
    sum: usize,
    bits: u32,
}

/// The roles of counters for what an innermost loop stores.
pub(super) fn of_counters(ctx: &Context, inner: ForOp, counters: [Value; 3]) -> Option<Found> {
    let mut accesses = Vec::new();
    for op in inner.body(ctx).ops(ctx) {
        match Access::of(ctx, op) {
            Some(a) if a.vector.is_none() && a.kind != AccessKind::Prefetch => accesses.push(a),
            Some(_) => return None,
            None if op.isa::<YieldOp>(ctx) || op.isa::<ApplyOp>(ctx) => {}
            None if is_pure(ctx, op) && op.num_regions(ctx) == 0 => {}
            None => return None,
        }
    }
    let mut stores = accesses.iter().filter(|a| a.stored(ctx).is_some());
    let (store, None) = (stores.next()?, stores.next()) else {
        return None;
    };
    let stored = Subscript::all_of(ctx, store);
    let (last, others) = stored.split_last()?;
    // A subscript that does not grow evenly is none that a role can be told by.
    let along = |v: Value| {
        let all: Option<Vec<i64>> = others.iter().map(|s| s.growth(v)).collect();
        Some((all?, last.growth(v)?))
    };
    let (mut row, mut col, mut sum) = (None, None, None);
    for (i, v) in counters.into_iter().enumerate() {
        let (before, at_end) = along(v)?;
        let moves = before.iter().filter(|g| **g != 0).count();
        let role = match (moves, at_end) {
            (0, 0) => &mut sum,
            (0, 1) => &mut col,
            (1, 0) => &mut row,
            _ => return None,
        };
        if role.replace(i).is_some() {
            return None;
        }
    }
    let (row, col, sum) = (row?, col?, sum?);
    let layout = strides_and_offset(ctx, store.memref.ty(ctx))?;
    let element = store.memref.ty(ctx).element(ctx)?;
    let bits = element.bit_width(ctx).filter(|b| [32, 64].contains(b))?;
    if layout.strides.last() != Some(&1) || element.is_index(ctx) {
        return None;
    }
    let (mut own, mut by_rows, mut by_cols) = (0, 0, 0);
    for a in accesses.iter().filter(|a| a.stored(ctx).is_none()) {
        let at = Subscript::all_of(ctx, a);
        if a.memref == store.memref && at.iter().zip(&stored).all(|(x, y)| x.is(y)) {
            own += 1;
            continue;
        }
        if may_be_same(ctx, base(ctx, a.memref), base(ctx, store.memref)) {
            return None;
        }
        let moves = |i: usize| at.iter().any(|s| s.growth(counters[i]) != Some(0));
        by_rows += usize::from(moves(col) && !moves(row));
        by_cols += usize::from(moves(row) && !moves(col));
    }
    (own == 1 && by_rows > 0 && by_cols > 0).then_some(Found {
        row,
        col,
        sum,
        bits,
    })
}
