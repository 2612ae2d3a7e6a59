//! What a range of ops touches of each memref, and whether a copy of that part could
//! stand in for the memref there.

use super::memory::{base, is_view, may_be_same};
use super::memref_region::{Region, RegionOptions, ivs_around};
use crate::analysis::bounds::constant_trip_count;
use crate::analysis::captured::is_inside;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, AccessKind, ForOp, ParallelOp, compose::compose, scope};
use terrace_dialects::memref::{AllocOp, AllocaOp, CopyOp, DeallocOp, DimOp, LoadOp, StoreOp};
use terrace_ir::affine::{AffineExpr, AffineMap, flatten, simplify_affine_expr};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Ops that follow one another in a block. There is at least one.
#[derive(Debug, Clone)]
pub struct OpRange {
    pub block: Block,
    pub ops: Vec<Op>,
}

impl OpRange {
    /// `None` for no ops, and for ops that are in no block.
    pub fn new(ctx: &Context, ops: Vec<Op>) -> Option<OpRange> {
        let block = ops.first()?.block(ctx)?;
        Some(OpRange { block, ops })
    }

    pub fn first(&self) -> Option<Op> {
        self.ops.first().copied()
    }

    /// Whether `op` is one of these or inside one.
    pub fn holds(&self, ctx: &Context, op: Op) -> bool {
        op.ancestor_in(ctx, self.block)
            .is_some_and(|o| self.ops.contains(&o))
    }

    /// How many induction variables of affine loops are around.
    pub fn depth(&self, ctx: &Context) -> usize {
        self.first().map_or(0, |op| ivs_around(ctx, op).len())
    }
}

/// The part of a memref that a range touches.
#[derive(Debug, Clone)]
pub struct Footprint {
    pub region: Region,
    pub reads: bool,
    pub writes: bool,
    /// Whether every element of the region is written, if the range is reached: then
    /// nothing of what was there before remains.
    pub overwrites: bool,
    /// Whether everything at the ends of the region is touched, if the range is reached
    /// and the region is not empty there.
    pub certain: bool,
    /// Whether nothing was written before the range, so that there is nothing to keep.
    pub fresh: bool,
    /// Whether every element that a copy in would read is known to have been written, or
    /// is read by the range itself. Where not, an element may be moved only in a way that
    /// does not look at it.
    pub defined: bool,
}

impl Footprint {
    pub fn memref(&self) -> Value {
        self.region.memref
    }

    /// Whether a copy has to start with what is in the memref.
    pub fn needs_old(&self) -> bool {
        !(self.overwrites && (self.fresh || !self.reads))
    }
}

/// The footprints of a range, in the order in which memrefs are first read and first
/// written.
#[derive(Debug, Clone, Default)]
pub struct Footprints {
    pub all: Vec<Footprint>,
    /// Indices into `all` in the order of the first read.
    pub reads: Vec<usize>,
    /// Indices into `all` in the order of the first write.
    pub writes: Vec<usize>,
}

/// The footprints of the memrefs that `chosen` names and that a copy can stand in for:
/// the range touches them by `affine.load` and `affine.store` alone, and nothing else
/// in it touches the same memory. `None` where the part that is touched of one of them
/// is not known and its size is not static.
pub fn footprints(
    ctx: &Context,
    range: &OpRange,
    chosen: impl Fn(Value) -> bool,
) -> Option<Footprints> {
    let mut touched: Vec<(Value, Vec<Access>)> = Vec::new();
    for op in range.ops.iter().flat_map(|o| o.pre_order(ctx)) {
        if !matches!(op.name(ctx), affine::LoadOp::NAME | affine::StoreOp::NAME) {
            continue;
        }
        let Some(a) = Access::of(ctx, op).filter(|a| chosen(a.memref)) else {
            continue;
        };
        match touched.iter_mut().find(|(m, _)| *m == a.memref) {
            Some((_, list)) => list.push(a),
            None => touched.push((a.memref, vec![a])),
        }
    }
    let mut found = Footprints::default();
    // In the order of the text: (place, which memref, whether it is a write).
    let mut firsts: Vec<(usize, usize, bool)> = Vec::new();
    let order: Vec<Op> = range.ops.iter().flat_map(|o| o.pre_order(ctx)).collect();
    for (memref, accesses) in &touched {
        if is_defined_in(ctx, *memref, range) || !can_be_staged(ctx, range, *memref) {
            continue;
        }
        let f = match footprint(ctx, range, accesses) {
            Ok(f) => f,
            Err(Missing::Bounds) => continue,
            Err(Missing::Size) => return None,
        };
        for write in [false, true] {
            let first = accesses
                .iter()
                .find(|a| (a.kind == AccessKind::Write) == write);
            let place = first.and_then(|a| order.iter().position(|o| *o == a.op));
            firsts.extend(place.map(|p| (p, found.all.len(), write)));
        }
        found.all.push(f);
    }
    firsts.sort_unstable();
    let of = |w: bool| {
        firsts
            .iter()
            .filter(move |f| f.2 == w)
            .map(|f| f.1)
            .collect()
    };
    (found.reads, found.writes) = (of(false), of(true));
    Some(found)
}

/// Why there is no footprint.
enum Missing {
    /// A part of it may lie outside the memref.
    Bounds,
    /// It is not known, and all of the memref has no known size.
    Size,
}

fn footprint(ctx: &Context, range: &OpRange, accesses: &[Access]) -> Result<Footprint, Missing> {
    let depth = range.depth(ctx);
    let mut region: Option<Region> = None;
    let mut certain = true;
    for a in accesses {
        let whole = || Region::whole(ctx, a, depth).ok_or(Missing::Size);
        let mut options = RegionOptions {
            depth,
            within_memref: false,
            keep_divisions: false,
        };
        let mut here = match Region::of(ctx, a, options) {
            Some(r) => r,
            None => whole()?,
        };
        // Without that, the part of a region that is never touched may be outside.
        let reached = !is_conditional(ctx, range, a.op)
            && (all_loops_run(ctx, range, a.op) || fills_box(ctx, range, a));
        certain &= reached;
        if !reached && !here.is_within_memref(ctx) {
            let shape = a.memref.ty(ctx).shape(ctx).unwrap_or(&[]);
            if shape.contains(&DYNAMIC) {
                return Err(Missing::Bounds);
            }
            options.within_memref = true;
            here = match Region::of(ctx, a, options) {
                Some(r) => r,
                None => whole()?,
            };
        }
        region = Some(match region {
            None => here,
            Some(mut known) => match known.union_box(&here) {
                Some(()) => known,
                None => whole()?,
            },
        });
    }
    let Some(mut region) = region else {
        return Err(Missing::Bounds);
    };
    let writes = |a: &&Access| a.kind == AccessKind::Write;
    region.write = accesses.iter().any(|a| writes(&a));
    let overwrites = accesses
        .iter()
        .filter(writes)
        .any(|w| overwrites(ctx, range, w, &region));
    let mut f = Footprint {
        reads: !accesses.iter().all(|a| writes(&a)),
        writes: region.write,
        overwrites,
        certain,
        fresh: is_fresh(ctx, range, region.memref),
        defined: true,
        region,
    };
    f.defined = is_defined(ctx, range, accesses, &f);
    Ok(f)
}

/// Whether nothing can have written a memref before a range.
fn is_fresh(ctx: &Context, range: &OpRange, memref: Value) -> bool {
    !escapes(ctx, memref)
        && memref.block(ctx) == Some(range.block)
        && memref.users(ctx).into_iter().all(|u| {
            range.holds(ctx, u)
                || Access::of(ctx, u).is_some_and(|a| a.kind != AccessKind::Write)
                || matches!(u.name(ctx), LoadOp::NAME | DeallocOp::NAME | DimOp::NAME)
        })
}

/// Whether a copy of the region, element by element, reads nothing that the program
/// may never have written. Only memory allocated here can be in such a state.
fn is_defined(ctx: &Context, range: &OpRange, accesses: &[Access], f: &Footprint) -> bool {
    if !f.needs_old() || escapes(ctx, f.memref()) || (f.fresh && !f.writes) {
        return true;
    }
    // Every element is read before it is written, if it is.
    accesses.iter().any(|r| {
        let first = accesses.iter().all(|w| {
            let same_place = || w.composed(ctx) == r.composed(ctx);
            w.kind != AccessKind::Write
                || (same_place() && w.op.block(ctx) == r.op.block(ctx) && r.op.is_before(ctx, w.op))
        });
        r.kind == AccessKind::Read && first && overwrites(ctx, range, r, &f.region)
    })
}

/// Whether all loops between a range and an op inside it are known to run.
fn all_loops_run(ctx: &Context, range: &OpRange, op: Op) -> bool {
    let mut at = op;
    while at.block(ctx) != Some(range.block) {
        match at.parent(ctx).and_then(|p| p.cast::<ForOp>(ctx)) {
            Some(l) if certainly_runs(ctx, l) => at = l.op(),
            _ => return false,
        }
    }
    true
}

/// Whether a value is defined inside a range.
pub fn is_defined_in(ctx: &Context, v: Value, range: &OpRange) -> bool {
    let owner = match v.def_op() {
        Some(op) => Some(op),
        None => v.arg_block().and_then(|b| b.parent_op(ctx)),
    };
    owner.is_some_and(|op| range.holds(ctx, op))
}

/// Whether an op of a range may be passed over: it is in something other than loops.
fn is_conditional(ctx: &Context, range: &OpRange, op: Op) -> bool {
    let mut next = Some(op);
    while let Some(o) = next {
        if o.block(ctx) == Some(range.block) {
            return false;
        }
        next = o.parent(ctx);
        if next.is_some_and(|p| !p.isa::<ForOp>(ctx) && !p.isa::<ParallelOp>(ctx)) {
            return true;
        }
    }
    true
}

/// Whether nothing in a range touches the memory of a memref but `affine.load` and
/// `affine.store` of that very memref.
fn can_be_staged(ctx: &Context, range: &OpRange, memref: Value) -> bool {
    let plain = |op: Op| matches!(op.name(ctx), affine::LoadOp::NAME | affine::StoreOp::NAME);
    for user in memref.users(ctx) {
        if range.holds(ctx, user) && !(plain(user) && stores_elsewhere(ctx, user, memref)) {
            return false;
        }
    }
    let mine = base(ctx, memref);
    let private = !escapes(ctx, mine);
    let mut ops = range.ops.iter().flat_map(|o| o.pre_order(ctx));
    ops.all(|op| {
        if let Some(a) = Access::of(ctx, op)
            && plain(op)
        {
            return a.memref == memref || !may_be_same(ctx, base(ctx, a.memref), mine);
        }
        may_leave_alone(ctx, op, memref, mine, private)
    })
}

/// Whether an access of a memref does not also store the memref itself.
fn stores_elsewhere(ctx: &Context, op: Op, memref: Value) -> bool {
    Access::of(ctx, op).is_some_and(|a| a.stored(ctx) != Some(memref))
}

/// Whether an op other than a plain access leaves alone the memory of a memref of base
/// `mine`.
fn may_leave_alone(ctx: &Context, op: Op, memref: Value, mine: Value, private: bool) -> bool {
    let other = |v: Value| {
        !v.ty(ctx).is_memref(ctx) || (v != memref && !may_be_same(ctx, base(ctx, v), mine))
    };
    match own_effects(ctx, op) {
        Some(effects) => effects.iter().all(|e| match e.on {
            Some(v) => other(v),
            None => e.kind == EffectKind::Alloc || private,
        }),
        None => {
            let def = op.def(ctx);
            if def.is_some_and(|d| d.has(traits::RECURSIVE_EFFECTS)) || is_view(ctx, op) {
                return true;
            }
            // An op of no known dialect is taken to touch the memrefs it gets and no
            // others; a call may touch whatever is known outside.
            op.operands(ctx).into_iter().all(other) && (def.is_none() || private)
        }
    }
}

/// Whether memory may be known to others than the ops that use this value.
pub fn escapes(ctx: &Context, memref: Value) -> bool {
    let local = memref
        .def_op()
        .is_some_and(|op| matches!(op.name(ctx), AllocOp::NAME | AllocaOp::NAME));
    !local
        || memref.users(ctx).into_iter().any(|u| {
            let access = Access::of(ctx, u).is_some_and(|a| a.stored(ctx) != Some(memref));
            let named = matches!(
                u.name(ctx),
                LoadOp::NAME | DeallocOp::NAME | DimOp::NAME | CopyOp::NAME
            ) || (u.name(ctx) == StoreOp::NAME && u.operand(ctx, 0) != memref);
            !access && !named
        })
}

/// Whether an access goes to every element of a region, if the range is reached.
fn overwrites(ctx: &Context, range: &OpRange, a: &Access, region: &Region) -> bool {
    let options = RegionOptions {
        depth: range.depth(ctx),
        within_memref: false,
        keep_divisions: false,
    };
    let Some(own) = Region::of(ctx, a, options) else {
        return false;
    };
    own.symbols() == region.symbols()
        && (0..own.rank()).all(|d| own.bounds(d).is_some() && own.bounds(d) == region.bounds(d))
        && fills_box(ctx, range, a)
}

/// Whether an access touches a whole box: each subscript is a different loop variable
/// of the range, or none, plus what does not change in the range; these loops have
/// bounds that do not change in the range, and all others run.
fn fills_box(ctx: &Context, range: &OpRange, a: &Access) -> bool {
    let mut loops = Vec::new();
    let mut at = a.op;
    while at.block(ctx) != Some(range.block) {
        let Some(l) = at.parent(ctx).and_then(|p| p.cast::<ForOp>(ctx)) else {
            return false;
        };
        loops.push(l);
        at = l.op();
    }
    let inner = |v: Value| loops.iter().position(|l| l.iv(ctx) == v);
    let c = a.composed(ctx);
    let mut used = Vec::new();
    for e in c.map.results() {
        let mut here = Vec::new();
        for (i, v) in c.operands.iter().enumerate() {
            let dim = u32::try_from(i).unwrap_or(u32::MAX);
            let mentions = dim < c.map.num_dims() && e.is_function_of_dim(dim);
            if let (true, Some(l)) = (mentions, inner(*v)) {
                here.push((dim, l));
            }
        }
        match here[..] {
            [] => {}
            [(dim, l)] if !used.contains(&l) && has_unit_coefficient(e, dim, &c.map) => {
                used.push(l);
            }
            _ => return false,
        }
    }
    is_linear(&c.map)
        && loops.iter().enumerate().all(|(i, l)| {
            if !used.contains(&i) {
                return certainly_runs(ctx, *l);
            }
            let fixed = |m: &AffineMap, operands: &[Value]| {
                let c = compose(ctx, m, operands);
                is_linear(&c.map) && c.operands.iter().all(|v| inner(*v).is_none())
            };
            l.step(ctx) == 1
                && fixed(l.lower_map(ctx), &l.lower_operands(ctx))
                && fixed(l.upper_map(ctx), &l.upper_operands(ctx))
        })
}

/// Whether no result has a division in it, which a region cannot have.
fn is_linear(map: &AffineMap) -> bool {
    let (dims, symbols) = (map.num_dims(), map.num_symbols());
    let mut results = map.results().iter();
    results.all(|e| flatten(e, dims, symbols).is_ok_and(|f| f.is_linear()))
}

/// Whether `e` is `dim` or `-dim` plus an expression without it.
fn has_unit_coefficient(e: &AffineExpr, dim: u32, map: &AffineMap) -> bool {
    let d = AffineExpr::dim(dim);
    [d.clone(), -d].into_iter().any(|d| {
        let rest = simplify_affine_expr(&(e.clone() - d), map.num_dims(), map.num_symbols());
        !rest.is_function_of_dim(dim)
    })
}

/// Whether a loop is known to run at least once.
pub fn certainly_runs(ctx: &Context, l: ForOp) -> bool {
    constant_trip_count(ctx, l).is_some_and(|t| t > 0)
}

/// The outermost loop around a range out of which the copies of a footprint can be
/// moved: all its iterations have the same footprint, and nothing else in it touches the
/// same memory in a way that matters. `None` where copies have to be at the range.
pub fn hoisting_loop(ctx: &Context, range: &OpRange, f: &Footprint) -> Option<ForOp> {
    let symbols = f.region.symbols();
    let mut highest = None;
    let mut next = range.block.parent_op(ctx);
    while let Some(l) = next.and_then(|op| op.cast::<ForOp>(ctx)) {
        let inside = |v: Value| is_inside(ctx, l.op(), v);
        if symbols.iter().any(|v| inside(*v)) || inside(f.memref()) {
            break;
        }
        // A loop that does not run touches nothing.
        let may_skip = !certainly_runs(ctx, l);
        if may_skip && (!f.region.is_within_memref(ctx) || !f.needs_old()) {
            break;
        }
        if disturbed(ctx, l, range, f) {
            break;
        }
        highest = Some(l);
        next = l.op().parent(ctx);
    }
    highest
}

/// Whether something in `l` outside the range touches the memory of a footprint, one of
/// the two writing.
fn disturbed(ctx: &Context, l: ForOp, range: &OpRange, f: &Footprint) -> bool {
    let mine = base(ctx, f.memref());
    let private = !escapes(ctx, mine);
    l.op().pre_order(ctx).into_iter().any(|op| {
        if op == l.op() || range.holds(ctx, op) {
            return false;
        }
        if let Some(a) = Access::of(ctx, op) {
            return (f.writes || a.kind == AccessKind::Write)
                && may_be_same(ctx, base(ctx, a.memref), mine);
        }
        !may_leave_alone(ctx, op, f.memref(), mine, private)
    })
}

/// Whether a value that a region depends on is known before a range.
pub fn known_before(ctx: &Context, range: &OpRange, v: Value) -> bool {
    scope::is_induction_var(ctx, v) || !is_defined_in(ctx, v, range)
}
