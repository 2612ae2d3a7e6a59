//! The part of a memref that an access touches, in terms of the loops around a place.

use super::constraints::{Bound, Extent, System};
use terrace_dialects::affine::{Access, AccessKind, ForOp, ParallelOp, scope};
use terrace_ir::affine::AffineMap;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Loc, Op, Type, Value};

/// A set of elements of a memref: one dimension for each of the memref's, symbols for
/// what it depends on. It holds all elements that are touched, and may hold others.
#[derive(Debug, Clone)]
pub struct Region {
    pub memref: Value,
    /// Whether the access it was made from writes.
    pub write: bool,
    pub loc: Loc,
    pub set: System,
}

/// What [`Region::of`] takes into account beside the access.
#[derive(Debug, Clone, Copy)]
pub struct RegionOptions {
    /// How many of the loops around the access, the outermost first, the region is a
    /// function of.
    pub depth: usize,
    /// Cut the region to the memref.
    pub within_memref: bool,
    /// Keep the divisions of the subscripts, which may give an exact answer but cannot
    /// be written as bounds.
    pub keep_divisions: bool,
}

/// A box with constant sides around a region.
#[derive(Debug, Clone)]
pub struct BoundingBox {
    /// One entry for each dimension: how many elements, and the first.
    pub sides: Vec<Extent>,
    /// The product of the sizes.
    pub elements: i64,
}

impl BoundingBox {
    pub fn shape(&self) -> Vec<i64> {
        self.sides.iter().map(|s| s.size).collect()
    }
}

/// The induction variables of all affine loops around an op, the outermost first.
pub fn ivs_around(ctx: &Context, op: Op) -> Vec<Value> {
    let mut groups: Vec<Vec<Value>> = Vec::new();
    let mut next = op.parent(ctx);
    while let Some(p) = next {
        if let Some(l) = p.cast::<ForOp>(ctx) {
            groups.push(vec![l.iv(ctx)]);
        } else if let Some(l) = p.cast::<ParallelOp>(ctx) {
            groups.push(l.ivs(ctx));
        }
        next = p.parent(ctx);
    }
    groups.into_iter().rev().flatten().collect()
}

impl Region {
    /// The elements that an access touches.
    ///
    /// `None` where the subscripts or the bounds of a loop around are not affine, or the
    /// access is of a vector.
    pub fn of(ctx: &Context, a: &Access, options: RegionOptions) -> Option<Region> {
        Self::of_slice(ctx, a, options, &[], |_| Some(()))
    }

    /// As [`Region::of`], with further symbols and constraints.
    pub fn of_slice(
        ctx: &Context,
        a: &Access,
        options: RegionOptions,
        symbols: &[Value],
        constrain: impl FnOnce(&mut System) -> Option<()>,
    ) -> Option<Region> {
        if a.vector.is_some() || a.kind == AccessKind::Prefetch {
            return None;
        }
        let shape = a.memref.ty(ctx).shape(ctx)?.to_vec();
        let around = ivs_around(ctx, a.op);
        let depth = options.depth.min(around.len());
        let outer = &around[..depth];
        let new = |set: System| Region {
            memref: a.memref,
            write: a.kind == AccessKind::Write,
            loc: a.op.loc(ctx),
            set,
        };
        if shape.is_empty() {
            return Some(new(System::over(&[], outer)));
        }
        let map = a.composed(ctx);
        let (dims, syms) = map
            .operands
            .split_at((map.map.num_dims() as usize).min(map.operands.len()));
        let mut syms = syms.to_vec();
        for s in symbols {
            if !map.operands.contains(s) {
                syms.push(*s);
            }
        }
        let mut set = System::over(dims, &syms);
        for v in dims.iter().chain(&syms) {
            if let Some(l) = scope::for_of_iv(ctx, *v) {
                set.add_loop(ctx, l)?;
            } else if let Some(p) = scope::parallel_of_iv(ctx, *v) {
                set.add_parallel(ctx, p.cast::<ParallelOp>(ctx)?)?;
            } else if scope::is_symbol(ctx, *v) {
                set.add_constant_value(ctx, *v);
            } else {
                return None;
            }
        }
        constrain(&mut set)?;
        set.add_results(&map)?;
        let rank = shape.len();
        set.set_num_dims(rank);
        let inner: Vec<Value> = set.values()[rank..]
            .iter()
            .flatten()
            .copied()
            .filter(|v| scope::is_induction_var(ctx, *v) && !outer.contains(v))
            .collect();
        for v in inner {
            let column = set.find(v)?;
            set.eliminate(column);
        }
        if !options.keep_divisions {
            set.project_out(set.num_inputs(), set.num_locals());
        }
        set.fold_constants(rank, set.num_symbols());
        if options.within_memref {
            bound_by_shape(&mut set, &shape);
        }
        set.remove_trivial_redundancy();
        if set.is_unknown() {
            return None;
        }
        Some(new(set))
    }

    /// All of a memref of static shape, as a function of the given loops.
    pub fn whole(ctx: &Context, a: &Access, depth: usize) -> Option<Region> {
        let shape = a.memref.ty(ctx).shape(ctx)?.to_vec();
        if shape.contains(&DYNAMIC) {
            return None;
        }
        let around = ivs_around(ctx, a.op);
        let outer = around.get(..depth)?;
        let mut set = System::new(&vec![None; shape.len()], outer);
        bound_by_shape(&mut set, &shape);
        Some(Region {
            memref: a.memref,
            write: a.kind == AccessKind::Write,
            loc: a.op.loc(ctx),
            set,
        })
    }

    pub fn rank(&self) -> usize {
        self.set.num_dims()
    }

    /// The values that the region depends on.
    pub fn symbols(&self) -> Vec<Value> {
        self.set.values()[self.rank()..]
            .iter()
            .flatten()
            .copied()
            .collect()
    }

    /// Become the smallest box around this and another region of the same memref;
    /// `None`, with nothing changed, where that is not known.
    pub fn union_box(&mut self, other: &Region) -> Option<()> {
        let mut theirs = other.set.clone();
        let mut mine = self.set.clone();
        // The dimensions stand for no values, and symbols may be in another order.
        align_symbols(&mut mine, &mut theirs)?;
        mine.union_box(&theirs)?;
        self.set = mine;
        Some(())
    }

    /// Whether every element of the region is known to be one of the memref, wherever
    /// the loops are that the region depends on.
    pub fn is_within_memref(&self, ctx: &Context) -> bool {
        let Some(shape) = self.memref.ty(ctx).shape(ctx).map(<[i64]>::to_vec) else {
            return false;
        };
        let rank = self.rank();
        let mut set = self.set.clone();
        for v in self.symbols() {
            // A bound by another loop makes that a symbol too.
            let known = match scope::for_of_iv(ctx, v) {
                Some(l) => set.add_loop(ctx, l),
                None => Some(()),
            };
            if known.is_none() {
                return false;
            }
        }
        let outside = |kind: Bound, d: usize, value: i64| {
            let mut s = set.clone();
            s.add_constant(kind, d, value);
            s.is_empty()
        };
        shape.iter().enumerate().take(rank).all(|(d, size)| {
            *size != DYNAMIC && outside(Bound::Upper, d, -1) && outside(Bound::Lower, d, *size)
        })
    }

    /// The smallest box of constant sides around the part of the region that lies in the
    /// memref; `None` where a side has no constant length.
    pub fn bounding_box(&self, ctx: &Context) -> Option<BoundingBox> {
        let shape = self.memref.ty(ctx).shape(ctx)?.to_vec();
        let mut set = self.set.clone();
        bound_by_shape(&mut set, &shape);
        let mut elements: i64 = 1;
        let mut sides = Vec::new();
        for (d, size) in shape.iter().enumerate() {
            let side = match set.extent(d) {
                Some(e) => e,
                None if *size != DYNAMIC => Extent {
                    size: *size,
                    lower: AffineMap::new(
                        0,
                        u32::try_from(set.num_symbols()).ok()?,
                        vec![0.into()],
                    ),
                },
                None => return None,
            };
            elements = elements.checked_mul(side.size)?;
            sides.push(side);
        }
        Some(BoundingBox { sides, elements })
    }

    /// The bytes of the bounding box; `None` also for elements of unknown size and for
    /// memrefs with a layout.
    pub fn bytes(&self, ctx: &Context) -> Option<i64> {
        if self.memref.ty(ctx).memref_parts(ctx)?.0.is_some() {
            return None;
        }
        let element = element_bytes(ctx, self.memref.ty(ctx).element(ctx)?)?;
        self.bounding_box(ctx)?.elements.checked_mul(element)
    }

    /// The bounds of dimension `d`: the greatest result of the first map up to below the
    /// least of the second, over [`Region::symbols`] as dimensions.
    pub fn bounds(&self, d: usize) -> Option<(AffineMap, AffineMap)> {
        let rank = self.rank();
        let dims = self.set.num_inputs() - rank;
        let (lower, upper) = self.set.lower_and_upper(d, 0, rank, dims)?;
        Some((
            lower.remove_duplicate_results(),
            upper.remove_duplicate_results(),
        ))
    }
}

/// Give two sets over as many dimensions the same symbols in the same order.
fn align_symbols(a: &mut System, b: &mut System) -> Option<()> {
    let rank = a.num_dims();
    if b.num_dims() != rank {
        return None;
    }
    if a.values() == b.values() {
        return Some(());
    }
    a.align_symbols(b)
}

fn bound_by_shape(set: &mut System, shape: &[i64]) {
    for (d, size) in shape.iter().enumerate() {
        set.add_constant(Bound::Lower, d, 0);
        if *size != DYNAMIC {
            set.add_constant(Bound::Upper, d, size - 1);
        }
    }
}

/// The bytes of one element; `None` where it is not an integer, a float, or a vector of
/// such.
pub fn element_bytes(ctx: &Context, t: Type) -> Option<i64> {
    let (scalar, count) = if t.is_vector(ctx) {
        (t.element(ctx)?, t.num_elements(ctx)?)
    } else {
        (t, 1)
    };
    let scalar = i64::from(scalar.bit_width(ctx)?);
    Some((scalar.checked_mul(count)? + 7) / 8)
}
