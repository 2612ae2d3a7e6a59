//! The factors in workgroup memory: slabs of a tile's rows or columns and of some of k.

use crate::gpu::contraction::plan::{Tiling, Unit};
use crate::gpu::contraction::shape::{Contraction, Factor};
use crate::loops::build::index::*;
use terrace_dialects::{gpu, memref};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Type, TypeData, Value};

/// Bytes that a thread copies at once, at most.
const MAX: i64 = 16;

/// Where a factor lies in workgroup memory and how threads bring it there.
pub struct Slab<'x> {
    pub factor: &'x Factor,
    /// 0: of rows; 1: of columns.
    pub(super) side: usize,
    /// Rows or columns of the tile, and of k.
    pub(super) width: i64,
    pub(super) depth: i64,
    /// Elements from one line to the next: of k where `k_last`, else along the tile.
    pub(super) pitch: i64,
    stages: i64,
    /// Whether neighbours along k are neighbours in workgroup memory.
    pub k_last: bool,
    pub element: Type,
    pub(super) element_bytes: i64,
    /// Elements that a thread may copy at once where they are aligned.
    pub vector: Option<i64>,
}

/// Elements that a line is longer than its data. Of 8 bytes 4: what half a warp reads of
/// four lines, four of each, then lies in different banks. Of 4 bytes a warp reads eight
/// of each of four lines along the tile, for which 8 do that, or four of each of eight along
/// k, for which 4 do; where single threads multiply, 4 keep 16-byte accesses aligned.
/// Of 2 bytes 8 elements of each of eight lines are read, which lie in different banks where
/// a line is an odd number of 16 bytes.
fn padding(element_bytes: i64, fragments: bool, k_last: bool) -> i64 {
    match (element_bytes, fragments && !k_last) {
        (2, _) | (4, true) => 8,
        _ => 4,
    }
}

impl<'x> Slab<'x> {
    /// The slabs of a product's factor: the first, of rows, where `side` is 0.
    fn new(
        ctx: &Context,
        x: &'x Contraction,
        plan: &Tiling,
        (factor, side): (&'x Factor, usize),
    ) -> Slab<'x> {
        let fragments = matches!(plan.unit, Unit::Matrix(_));
        let (width, depth) = (plan.block[side], plan.depth);
        let element = factor.loaded.ty(ctx);
        let bits = element.float_kind(ctx).map_or(64, |k| k.width());
        let element_bytes = i64::from(bits) / 8;
        // Fragments take either order, wide loads need neighbours along the tile.
        let k_last = fragments && factor.along_k;
        let line = if k_last { depth } else { width };
        let mut slab = Slab {
            factor,
            side,
            width,
            depth,
            pitch: line + padding(element_bytes, fragments, k_last),
            stages: plan.stages,
            k_last,
            element,
            element_bytes,
            vector: None,
        };
        slab.vector = slab.vector(ctx, x, plan, side);
        slab
    }

    /// Those of both factors of each product.
    pub fn pairs(ctx: &Context, x: &'x Contraction, plan: &Tiling) -> Vec<[Slab<'x>; 2]> {
        let slab = |f, side| Slab::new(ctx, x, plan, (f, side));
        (x.products.iter())
            .map(|[f, g]| [slab(f, 0), slab(g, 1)])
            .collect()
    }

    /// How many elements a thread can copy at once: neighbours in memory have to be
    /// neighbours in workgroup memory, and those that are copied the first of so many.
    fn vector(&self, ctx: &Context, x: &Contraction, plan: &Tiling, side: usize) -> Option<i64> {
        let n = MAX / self.element_bytes;
        let whole = [self.fast(), self.pitch, self.slow() * (self.fast() / n)]
            .into_iter()
            .zip([n, n, plan.threads()])
            .all(|(all, part)| all % part == 0);
        let TypeData::MemRef { shape, layout, .. } = self.factor.element.memref.ty(ctx).data(ctx)
        else {
            return None;
        };
        let aligned = shape.last().is_some_and(|p| *p == DYNAMIC || p % n == 0);
        // Rows by two counters do not follow one another, and of k each row may have
        // another part.
        let fixed = x.slope().is_none_or(|s| s.by_col != (side == 1));
        let simple = side == 1 || x.outer.is_none();
        let ordered = self.factor.along_k == self.k_last && layout.is_none();
        (plan.vectors && whole && aligned && ordered && fixed && simple).then_some(n)
    }

    fn lines(&self) -> i64 {
        match self.k_last {
            true => self.width,
            false => self.depth,
        }
    }

    pub fn bytes(&self) -> i64 {
        self.stages * self.lines() * self.pitch * self.element_bytes
    }

    /// The slabs of all stages, from that byte of the dynamic workgroup memory on.
    pub fn view(&self, b: &mut Builder, memory: Value, from: i64) -> Value {
        let ty = gpu::workgroup_memref(
            b.ctx,
            &[self.stages, self.lines(), self.pitch],
            self.element,
        );
        let from = constant(b, from);
        b.value::<memref::ViewOp>(&[memory, from], ty, &[])
    }

    /// The subscripts of an element: its place in the tile, and of k.
    pub fn at(&self, stage: Value, place: Value, k: Value) -> [Value; 3] {
        match self.k_last {
            true => [stage, place, k],
            false => [stage, k, place],
        }
    }

    /// Neighbours in memory, that neighbouring threads copy.
    pub(super) fn fast(&self) -> i64 {
        match self.factor.along_k {
            true => self.depth,
            false => self.width,
        }
    }

    /// Lines of such neighbours.
    fn slow(&self) -> i64 {
        match self.factor.along_k {
            true => self.width,
            false => self.depth,
        }
    }
}
