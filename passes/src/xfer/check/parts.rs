//! Boxes of an array: what is known of it is known of each of the parts that they divide
//! it into.
//!
//! With one box an array has two parts, inside and outside; with two it may have four, and
//! so on, of which those without elements are left out: boxes that follow each other make
//! one part each. A copy of a box is one of the whole of each part inside, and the rule of `state`
//! holds of each part as it does of arrays. A load or store touches a part unless its
//! subscripts can be shown to lie elsewhere, by what bounds them (`numbers`).
//!
//! Where a box depends on a value that changes, as the counter of a loop, it is another
//! one from there on: whatever was known of any part may then be so of any.

use super::numbers::{Clause, Sum, System, Unknown, element};
use super::pairs::{Pair, is_same, uncast};
use super::uses::Summaries;
use rustc_hash::FxHashMap;
use terrace_dialects::func::CallOp;
use terrace_dialects::memref::SubViewOp;
use terrace_dialects::offsets::Mixed;
use terrace_dialects::xfer::{CopyOp, DiscardOp};
use terrace_ir::{Block, Context, Op, Value};

/// Boxes of one array that are told apart; what is copied of others are parts of which
/// nothing more is known.
const MAX: usize = 10;

/// Parts of one array that are told apart. With another box there would be more: it is one
/// of those of which nothing is known.
const MAX_PARTS: usize = 16;

/// Systems that are solved for one question about a part; with more than few boxes less.
const EFFORT: usize = 600;
const FEW: usize = 3;
const LITTLE: usize = 240;

/// A set of parts, by number.
pub(super) type Parts = u32;

/// Bit `b` says that a part is inside of box `b`.
type Signs = u16;

/// All parts, of any number of boxes.
pub(super) const ALL: Parts = Parts::MAX;

/// A part of an array: where it begins in each dimension, and how long it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slab {
    offsets: Vec<Mixed>,
    sizes: Vec<Mixed>,
}

/// The boxes of all pairs of a function.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    of: Vec<Vec<Slab>>,
    /// The parts that may have elements, of each pair.
    parts: Vec<Vec<Signs>>,
    touched: FxHashMap<(usize, Op), Parts>,
    names: Names,
}

/// One name for each number that ends of boxes are, whichever op makes it.
#[derive(Debug, Default)]
struct Names {
    system: System,
    of: FxHashMap<Sum, Mixed>,
}

impl Names {
    fn slab(&mut self, ctx: &Context, mut slab: Slab) -> Slab {
        for m in slab.offsets.iter_mut().chain(&mut slab.sizes) {
            if let Mixed::Value(v) = m {
                let sum = self.system.value(ctx, *v);
                *m = match sum.as_number() {
                    Some(n) => Mixed::Static(n),
                    None => *self.of.entry(sum).or_insert(*m),
                };
            }
        }
        slab
    }
}

impl Boxes {
    pub(crate) fn of(ctx: &Context, function: Op, pairs: &[Pair]) -> Boxes {
        let mut boxes = Boxes {
            of: vec![Vec::new(); pairs.len()],
            parts: vec![vec![0]; pairs.len()],
            touched: FxHashMap::default(),
            names: Names::default(),
        };
        for op in function.pre_order(ctx) {
            let views = if let Some(c) = op.cast::<CopyOp>(ctx) {
                vec![c.src(ctx), c.dst(ctx)]
            } else if let Some(d) = op.cast::<DiscardOp>(ctx) {
                vec![d.array(ctx)]
            } else {
                continue;
            };
            for (pair, p) in pairs.iter().enumerate() {
                for v in &views {
                    if let Some(slab) = slab(ctx, p, *v) {
                        let slab = boxes.names.slab(ctx, slab);
                        boxes.add(ctx, p, pair, slab);
                    }
                }
            }
        }
        boxes
    }

    /// Tells a box apart: each part that it cuts is two.
    fn add(&mut self, ctx: &Context, p: &Pair, pair: usize, slab: Slab) {
        let at = self.of[pair].len();
        if at >= MAX || self.of[pair].contains(&slab) {
            return;
        }
        let before = self.parts[pair].clone();
        self.of[pair].push(slab);
        self.parts[pair] = before.iter().flat_map(|s| [*s, *s | 1 << at]).collect();
        if let Some(there) = self.not_empty(ctx, p, pair) {
            let all = std::mem::take(&mut self.parts[pair]);
            let all = all.into_iter().enumerate();
            let left = all.filter(|(part, _)| there >> part & 1 == 1);
            self.parts[pair] = left.map(|(_, signs)| signs).collect();
        }
        if self.parts[pair].len() > MAX_PARTS {
            self.of[pair].pop();
            self.parts[pair] = before;
        }
    }

    /// The parts of an array that are not surely without elements, wherever its boxes
    /// lie.
    fn not_empty(&self, ctx: &Context, p: &Pair, pair: usize) -> Option<Parts> {
        let mut system = System::default();
        let rank = p.array.ty(ctx).rank(ctx)?;
        let at = (0..rank).map(|d| system.index(d)).collect();
        self.possible(ctx, p, pair, system, at)
    }

    /// How many parts an array has.
    pub(crate) fn count(&self, pair: usize) -> usize {
        self.parts[pair].len()
    }

    /// The parts that a part may be of when some boxes become others: those that are in
    /// and out of the same boxes otherwise.
    pub(crate) fn alike(&self, pair: usize, part: usize, boxes: &[usize]) -> Parts {
        let others = boxes.iter().fold(!0, |all: Signs, b| all & !(1 << b));
        let signs = self.parts[pair][part] & others;
        let like = |s: &Signs| s & others == signs;
        let all = self.parts[pair].iter().enumerate();
        all.filter(|(_, s)| like(s))
            .fold(0, |all, (part, _)| all | 1 << part)
    }

    /// The parts inside of the box that a view is of; `None` where it is of none.
    pub(crate) fn inside(
        &mut self,
        ctx: &Context,
        p: &Pair,
        pair: usize,
        view: Value,
    ) -> Option<Parts> {
        let slab = self.names.slab(ctx, slab(ctx, p, view)?);
        let at = self.of[pair].iter().position(|s| *s == slab)?;
        let all = self.parts[pair].iter().enumerate();
        let inside = all.filter(|(_, signs)| *signs >> at & 1 == 1);
        Some(inside.fold(0, |all, (part, _)| all | 1 << part))
    }

    /// The parts of an array that a load, a store or a call may touch, on either side; all
    /// where the op is none of these.
    pub(crate) fn touched(
        &mut self,
        ctx: &Context,
        p: &Pair,
        pair: usize,
        op: Op,
        summaries: &mut Summaries,
    ) -> Parts {
        if self.of[pair].is_empty() {
            return ALL;
        }
        if let Some(known) = self.touched.get(&(pair, op)) {
            return *known;
        }
        let parts = match op.isa::<CallOp>(ctx) {
            true => self.of_call(ctx, (p, pair), op, summaries),
            false => self.look(ctx, p, pair, op),
        };
        let parts = parts.unwrap_or(ALL);
        self.touched.insert((pair, op), parts);
        parts
    }

    fn look(&self, ctx: &Context, p: &Pair, pair: usize, op: Op) -> Option<Parts> {
        let (memref, subscripts) = element(ctx, op)?;
        let mut system = System::default();
        let subscripts = subscripts.iter().map(|v| system.value(ctx, *v)).collect();
        let at = in_array(
            ctx,
            &|v| is_whole(ctx, p, v),
            memref,
            subscripts,
            &mut system,
        )?;
        system.place(ctx, op.block(ctx)?);
        self.possible(ctx, p, pair, system, at)
    }

    /// The parts in which an element may lie that satisfies a system.
    pub(super) fn possible(
        &self,
        ctx: &Context,
        p: &Pair,
        pair: usize,
        mut system: System,
        at: Vec<Sum>,
    ) -> Option<Parts> {
        // No access is outside of its array.
        for (d, s) in at.iter().enumerate() {
            system.at_least_zero(Some(s.clone()));
            let size = system.size(ctx, p.array, d)?;
            system.at_least_zero(size.plus(s, -1).and_then(|x| x.plus(&Sum::number(1), -1)));
        }
        let slabs = &self.of[pair];
        let mut ends = Vec::new();
        for slab in slabs {
            ends.push(slab.ends(ctx, &mut system, &at)?);
        }
        // Of many boxes most follow each other, which shows soon.
        let effort = if slabs.len() > FEW { LITTLE } else { EFFORT };
        let mut parts = 0;
        for (part, signs) in self.parts[pair].iter().enumerate() {
            let mut here = system.clone();
            for (b, clauses) in ends.iter().enumerate() {
                match signs >> b & 1 == 1 {
                    true => clauses
                        .iter()
                        .for_each(|inside| here.at_least_zero(Some(inside.clone()))),
                    false => {
                        let mut ways: Vec<Clause> = Vec::new();
                        for inside in clauses {
                            // At most -1.
                            let outside = Sum::number(-1).plus(inside, -1)?;
                            ways.push(vec![outside]);
                        }
                        here.one_of(ways);
                    }
                }
            }
            if !here.is_contradiction(effort) {
                parts |= 1 << part;
            }
        }
        Some(parts)
    }

    /// The values that the boxes of an array depend on, each with the boxes.
    pub(crate) fn depend_on(&self, ctx: &Context) -> Changes {
        let mut changes = Changes::default();
        for (pair, slabs) in self.of.iter().enumerate() {
            for (b, slab) in slabs.iter().enumerate() {
                let mut system = System::default();
                for m in slab.offsets.iter().chain(&slab.sizes) {
                    if let Mixed::Value(v) = m {
                        system.value(ctx, *v);
                    }
                }
                for u in system.free() {
                    if let Unknown::Value(v) | Unknown::Size(v, _) = u {
                        changes.add(v, pair, b);
                    }
                }
            }
        }
        changes
    }
}

/// Where the boxes of pairs become others.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Pair and box, by the op whose result the box depends on.
    pub at_ops: FxHashMap<Op, Vec<(usize, usize)>>,
    /// By the block of whose arguments it does.
    pub at_blocks: FxHashMap<Block, Vec<(usize, usize)>>,
}

impl Changes {
    fn add(&mut self, v: Value, pair: usize, which: usize) {
        let list = match (v.def_op(), v.arg_block()) {
            (Some(op), _) => self.at_ops.entry(op).or_default(),
            (None, Some(block)) => self.at_blocks.entry(block).or_default(),
            (None, None) => return,
        };
        if !list.contains(&(pair, which)) {
            list.push((pair, which));
        }
    }
}

impl Slab {
    /// Sums that are all at least 0 where subscripts are inside.
    pub(super) fn ends(&self, ctx: &Context, system: &mut System, at: &[Sum]) -> Option<Vec<Sum>> {
        let mut ends = Vec::new();
        for (d, s) in at.iter().enumerate().take(self.offsets.len()) {
            ends.extend(self.ends_along(ctx, system, d, s)?);
        }
        Some(ends)
    }

    /// The same for the subscript of one dimension.
    pub(crate) fn ends_along(
        &self,
        ctx: &Context,
        system: &mut System,
        d: usize,
        at: &Sum,
    ) -> Option<[Sum; 2]> {
        let mut number = |m: &Mixed| match m {
            Mixed::Static(n) => Sum::number(*n),
            Mixed::Value(v) => system.value(ctx, *v),
        };
        let (offset, size) = (number(self.offsets.get(d)?), number(self.sizes.get(d)?));
        let last = offset.plus(&size, 1)?.plus(&Sum::number(1), -1)?;
        Some([at.plus(&offset, -1)?, last.plus(at, -1)?])
    }
}

/// The box of the array or the mirror of a pair that a view is: every element of it, in
/// as many dimensions.
fn slab(ctx: &Context, p: &Pair, view: Value) -> Option<Slab> {
    slab_of(ctx, &|v| is_whole(ctx, p, v), view)
}

/// The same of any memref.
pub(super) fn slab_of(
    ctx: &Context,
    is_whole: &dyn Fn(Value) -> bool,
    view: Value,
) -> Option<Slab> {
    let op = uncast(ctx, view).def_op()?.cast::<SubViewOp>(ctx)?;
    if !is_whole(op.source(ctx)) || op.dropped_dims(ctx)?.contains(&true) {
        return None;
    }
    let slice = op.slice(ctx)?;
    if slice.strides.iter().any(|s| s.constant(ctx) != Some(1)) {
        return None;
    }
    let known = |list: &[Mixed]| {
        let number = |m: &Mixed| m.constant(ctx).map_or(*m, Mixed::Static);
        list.iter().map(number).collect()
    };
    Some(Slab {
        offsets: known(&slice.offsets),
        sizes: known(&slice.sizes),
    })
}

/// Whether a memref is all of the array or the mirror of a pair.
pub(super) fn is_whole(ctx: &Context, p: &Pair, v: Value) -> bool {
    let v = uncast(ctx, v);
    v == p.mirror || is_same(ctx, v, p.array)
}

/// Subscripts of a view of the array or the mirror, as those of all of it.
pub(super) fn in_array(
    ctx: &Context,
    is_whole: &dyn Fn(Value) -> bool,
    view: Value,
    subscripts: Vec<Sum>,
    system: &mut System,
) -> Option<Vec<Sum>> {
    let (mut v, mut at) = (uncast(ctx, view), subscripts);
    while !is_whole(v) {
        let op = v.def_op()?.cast::<SubViewOp>(ctx)?;
        let (slice, dropped) = (op.slice(ctx)?, op.dropped_dims(ctx)?);
        let mut left = at.iter();
        let mut next = Vec::new();
        for (d, dropped) in dropped.iter().enumerate() {
            let start = match slice.offsets[d] {
                Mixed::Static(n) => Sum::number(n),
                Mixed::Value(v) => system.value(ctx, v),
            };
            next.push(match dropped {
                true => start,
                false => start.plus(left.next()?, slice.strides[d].constant(ctx)?)?,
            });
        }
        at = next;
        v = uncast(ctx, op.source(ctx));
    }
    Some(at)
}
