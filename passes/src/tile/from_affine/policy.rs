//! Which loops are dimensions of tiles, of which sizes, and which thread holds what of them.

use super::MatchFailure;
use super::find::{Combines, Inner, Level, Nest, coefficient};
use super::versions::MIN_SIDE;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_ir::{Context, OpKind};
use terrace_layout::{Layout, LayoutError};

/// Bytes of the widest access.
const WIDEST: i64 = 16;
/// Rows shorter than this are left to one thread each.
const MIN_ROW: i64 = 16;
/// Words of registers that the tiles of a thread fill together, at most: with what the code
/// needs besides, two blocks of 512 threads still fit a multiprocessor.
const MAX_WORDS: i64 = 64;
/// Elements of a row that a thread holds, where registers are enough.
const ROW_ELEMENTS: i64 = 16;
/// Bytes of a row piece that a thread holds where a row is gone through piece by piece.
const STREAM_BYTES: i64 = 32;
/// Threads of a block that goes through a row piece by piece.
const STREAM_THREADS: i64 = 512;
/// Threads of a block that combines values.
const FOLD_THREADS: i64 = 256;
/// Threads of a block with short rows.
const SHORT_THREADS: i64 = 256;
/// Axes that a grid has: with more parallel loops the other mappers leave some to each thread.
const GRID_AXES: usize = 3;
/// Words that a thread of such a block loads in a step, at most.
const FOLD_WORDS: i64 = 8;
/// Bytes of a tile that is turned round.
const TURNED_BYTES: i64 = 16 * 1024;
/// Bytes of a row of a tile that is not turned round, and its rows.
const SHEET_BYTES: i64 = 256;
const SHEET_ROWS: i64 = 8;
/// Threads of a block that turns a tile round.
const TURN_THREADS: i64 = 256;

/// What becomes of a nest, before sizes and alignments are told apart.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// A row of the loops inside is a tile.
    Rows(Rows),
    /// What is adjacent in memory along one loop is so along another where it goes.
    Turn(Turn),
    /// What the loops inside combine, one value for each iteration of the parallel ones.
    Fold(Fold),
}

impl Plan {
    /// Whether each row is combined by one loop and no more.
    pub fn is_one_fold(&self, nest: &Nest) -> bool {
        matches!(self, Plan::Rows(_)) && nest.inner.len() == 1
    }
}

/// Values that are combined over the loops inside.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    /// The parallel loop along which memory is adjacent; none where it is so along the innermost.
    pub level: Option<usize>,
    pub bytes: i64,
    /// Words of registers that an element's values take.
    words: i64,
}

/// Rows that a block goes along.
#[derive(Debug, Clone)]
pub(super) struct Rows {
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

/// A tile that is read along one level and written along another.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The level along which stores are adjacent.
    pub store: usize,
    /// The level along which at least one load is, or the other one of the tile.
    pub load: usize,
    /// Whether loads are along another level than stores.
    turned: bool,
    pub bytes: i64,
}

/// The tiles of one version of a nest.
#[derive(Debug, Clone)]
pub(super) struct Tiling {
    /// For each level, how many of its iterations a block has.
    pub sizes: Vec<i64>,
    /// Elements of a row, where it is one tile.
    pub row: Option<i64>,
    /// For each of the loops inside, how many iterations a step of the block has, where they are
    /// gone through piece by piece.
    pub pieces: Vec<i64>,
    /// Which thread holds what: a dimension for each level with several iterations, then that of
    /// the row.
    pub layout: Layout,
    /// The same for loads that are adjacent along another level.
    pub other: Option<Layout>,
    pub threads: i64,
    /// Elements of an access, whose rows are known to begin at multiples of that.
    pub vector: i64,
    form: Form,
}

/// What the layouts of a tiling are made from.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// So many rows of so many elements, each by so many threads.
    Rows { rows: i64, size: i64, each: i64 },
    /// A tile of this shape, with the dimensions of stores and loads.
    Turn {
        shape: [i64; 2],
        store: usize,
        load: usize,
    },
    /// A tile of up to three dimensions, of which memory is adjacent along this one.
    Fold {
        shape: [i64; 3],
        rank: usize,
        fast: usize,
    },
}

impl Form {
    fn layouts(self, vector: i64, threads: i64) -> Result<(Layout, Option<Layout>), LayoutError> {
        Ok(match self {
            Form::Rows { rows: 1, size, .. } => {
                (Layout::blocked(&[size], &[0], vector, threads)?, None)
            }
            Form::Rows { rows, size, each } => {
                (Layout::rows(&[rows, size], 1, each, vector, threads)?, None)
            }
            Form::Turn { shape, store, load } => (
                Layout::blocked(&shape, &[store, load], vector, threads)?,
                Some(Layout::blocked(&shape, &[load, store], vector, threads)?),
            ),
            Form::Fold { shape, rank, fast } => {
                let others = (0..rank).rev().filter(|d| *d != fast);
                let order: Vec<usize> = std::iter::once(fast).chain(others).collect();
                (
                    Layout::blocked(&shape[..rank], &order, vector, threads)?,
                    None,
                )
            }
        })
    }
}

impl Tiling {
    /// Whether the kernel sees that this axis ends at a multiple of an access.
    pub fn is_checked(&self, axis: usize) -> bool {
        self.vector > 1
            && match self.form {
                Form::Rows { rows, .. } => axis == usize::from(rows > 1),
                Form::Turn { .. } => true,
                Form::Fold { fast, .. } => axis == fast,
            }
    }

    /// The same block with accesses of so many elements.
    pub fn with_vector(&self, vector: i64) -> Option<Tiling> {
        let (layout, other) = self.form.layouts(vector, self.threads).ok()?;
        Some(Tiling {
            layout,
            other,
            vector,
            ..self.clone()
        })
    }
}

/// What can be done with a nest.
///
/// # Errors
///
/// Why nothing of it is adjacent in memory as tiles need it.
pub(super) fn choose(ctx: &Context, nest: &Nest) -> Result<Plan, MatchFailure> {
    match nest.inner[..] {
        [] => turn(ctx, nest).map(Plan::Turn),
        [ref l] => {
            let rows = rows(ctx, nest).map(Plan::Rows);
            match l.carried.is_empty() {
                true => rows,
                false => rows.or_else(|_| fold(ctx, nest, l).map(Plan::Fold)),
            }
        }
        _ => rows(ctx, nest).map(Plan::Rows),
    }
}

/// The bytes of an element of what is accessed; at least 1.
pub(super) fn element_bytes(ctx: &Context, a: &Access) -> i64 {
    let elem = a.memref.ty(ctx).element_or_self(ctx);
    let bits = elem.float_kind(ctx).map(|k| k.width());
    let bits = bits.or_else(|| elem.int_width(ctx)).unwrap_or(64);
    i64::from(bits).max(8) / 8
}

/// How far the last subscript moves with each of these loops, and whether others do.
struct Movement {
    last: Option<i64>,
    others: bool,
}

fn movement(ctx: &Context, a: &Access, level: &Level) -> Movement {
    let m = a.composed(ctx);
    let n = m.map.num_results();
    let others = (0..n.saturating_sub(1)).any(|r| coefficient(&m, r, level.iv) != Some(0));
    let last = n.checked_sub(1).and_then(|r| coefficient(&m, r, level.iv));
    Movement { last, others }
}

impl Movement {
    fn is_unit(&self) -> bool {
        self.last == Some(1) && !self.others
    }

    fn is_absent(&self) -> bool {
        self.last == Some(0) && !self.others
    }
}

fn rows(ctx: &Context, nest: &Nest) -> Result<Rows, MatchFailure> {
    let root = nest.root.op();
    let refuse = |why| Err(MatchFailure::new(root, why));
    let level = nest.inner[0].level().clone();
    let mut first = i64::MAX;
    for l in &nest.inner {
        if l.levels.len() > 1 || matches!(l.combines, Combines::First(_)) {
            return refuse("has loops inside that are several, or choose an iteration");
        }
        let upper = &l.level().upper;
        if upper.map != level.upper.map || upper.operands != level.upper.operands {
            return refuse("has loops inside that end at different numbers");
        }
        match l.level().lower.as_constant() {
            Some(n) if n >= 0 => first = first.min(n),
            _ => return refuse("has loops inside that begin at a number that is not known"),
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
        .is_some_and(|n| n - first < MIN_ROW);
    if short && nest.inner.iter().any(|l| !l.carried.is_empty()) {
        return refuse("has short rows");
    }
    let mut bytes = 1;
    let mut keys: Vec<(terrace_ir::Value, terrace_ir::affine::AffineMap)> = Vec::new();
    for a in &nest.accesses {
        let Some(l) = nest.inner_around(ctx, a.op) else {
            continue;
        };
        let m = movement(ctx, a, l.level());
        if !m.is_unit() && !m.is_absent() {
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
    Ok(Rows {
        first: first - first % WIDEST,
        level,
        bytes,
        held: (keys.len() as i64).clamp(1, 4),
        short,
    })
}

fn fold(ctx: &Context, nest: &Nest, l: &Inner) -> Result<Fold, MatchFailure> {
    let refuse = |why| Err(MatchFailure::new(l.op, why));
    for x in &l.levels {
        if x.lower.as_constant().is_none_or(|n| n < 0) {
            return refuse("begins at a number that is not known");
        }
        if !x.upper.operands.iter().all(|v| nest.is_outside(ctx, *v)) {
            return refuse("has a length that changes from iteration to iteration");
        }
    }
    let all: Vec<&Level> = nest.levels.iter().chain(&l.levels).collect();
    let (mut unit, mut bytes) = (None, 1);
    for a in &nest.accesses {
        if nest.inner_around(ctx, a.op).is_none() {
            continue;
        }
        let moves: Vec<Movement> = all.iter().map(|x| movement(ctx, a, x)).collect();
        let along: Vec<usize> = (0..all.len())
            .filter(|i| moves[*i].last != Some(0))
            .collect();
        match along[..] {
            [] => {}
            [x] if moves[x].is_unit() && unit.is_none_or(|u| u == x) => {
                unit = Some(x);
                bytes = bytes.max(element_bytes(ctx, a));
            }
            _ => return refuse("loads what is adjacent along no loop, or along several"),
        }
    }
    let innermost = all.len() - 1;
    let level = match unit {
        Some(u) if u < nest.levels.len() => Some(u),
        Some(u) if u == innermost => None,
        _ => return refuse("loads nothing that is adjacent along a loop"),
    };
    let begins = level.map(|u| nest.levels[u].lower.as_constant());
    if begins.is_some_and(|n| n.is_none_or(|n| n < 0)) {
        return refuse("is in a loop that begins at a number that is not known");
    }
    let places = i64::from(matches!(l.combines, Combines::First(_)));
    let words = l.carried.iter().map(|v| value_words(ctx, *v)).sum::<i64>() + 2 * places;
    Ok(Fold {
        level,
        bytes,
        words,
    })
}

/// Registers of 32 bits that a number takes.
fn value_words(ctx: &Context, v: terrace_ir::Value) -> i64 {
    let ty = v.ty(ctx);
    let bits = ty
        .float_kind(ctx)
        .map(|k| k.width())
        .or_else(|| ty.int_width(ctx));
    (i64::from(bits.unwrap_or(64)) + 31) / 32
}

fn turn(ctx: &Context, nest: &Nest) -> Result<Turn, MatchFailure> {
    let root = nest.root.op();
    let refuse = |why| Err(MatchFailure::new(root, why));
    let (mut store, mut load, mut bytes) = (None, None, 1);
    let mut types: Vec<terrace_ir::Type> = Vec::new();
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
            (_, Some(l)) => match load {
                None => load = Some(vec![l]),
                Some(ref mut all) if !all.contains(&l) => all.push(l),
                Some(_) => {}
            },
        }
    }
    let Some(store) = store else {
        return refuse("stores nothing");
    };
    for a in &nest.accesses {
        let ty = a.memref.ty(ctx).element_or_self(ctx);
        let turned = !movement(ctx, a, &nest.levels[store]).is_unit();
        if turned && !types.contains(&ty) {
            types.push(ty);
        }
    }
    if types.len() > 1 {
        return refuse(
            "turns round arrays of different types, whose buffers are too large together",
        );
    }
    let others: Vec<usize> = load.into_iter().flatten().filter(|l| *l != store).collect();
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

/// The least power of two that is not less.
fn power(n: i64) -> i64 {
    (n.max(1) as u64).next_power_of_two() as i64
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
    pub fn vector(&self) -> i64 {
        match self.short {
            true => 1,
            false => (WIDEST / self.bytes).clamp(1, 4),
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

impl Fold {
    /// Elements of an access where rows are aligned.
    pub fn vector(&self) -> i64 {
        (WIDEST / self.bytes).clamp(1, 4)
    }

    /// The tiling for a nest with so many elements along what is adjacent, at most.
    pub fn tiling(&self, nest: &Nest, l: &Inner, width: i64) -> Option<Tiling> {
        let vector = self.vector();
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
        if self.level.is_none() && l.levels.len() == 1 && rest > 1 {
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

impl Turn {
    /// Whether loads are along another level than stores.
    pub fn is_turned(&self) -> bool {
        self.turned
    }

    /// Elements of an access where rows are aligned.
    pub fn vector(&self) -> i64 {
        (WIDEST / self.bytes).clamp(1, 4)
    }

    /// The tiling, where extents that are known leave one.
    ///
    /// # Errors
    ///
    /// What does not come out even.
    pub fn tiling(&self, nest: &Nest) -> Result<Tiling, LayoutError> {
        let vector = self.vector();
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
