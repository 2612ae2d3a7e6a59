//! `gpu.subgroup_mma_*`: matrices spread over a warp, in the parts in which
//! `mma.sync` takes them.
//!
//! A matrix is cut into tiles of 8 by 16 bytes (8 by 4 doubles; the sums 8 by
//! 8). Of each tile, lane `l` holds the elements at row `l / 4` from column
//! `l % 4` times their number on; those of the second factor are held as if it
//! were transposed. Every shape of `mma.sync` takes its operands tile by tile,
//! so the same parts serve all of them.

use super::access::writable;
use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::nvgpu::{Product, product_types, products};
use super::value::MemRef;
use super::wide::Hints;
use crate::ptx::{Address, Base, Reg, Space, Special, Ty};
use terrace_dialects::arith;
use terrace_dialects::gpu::{MMA_ELEMENTWISE, MmaMatrix};
use terrace_ir::types::Signedness;
use terrace_ir::{Op, Type, TypeData, Value};

/// Farthest apart that rows may lie, in elements: tiles then are less than
/// 2^31 bytes from each other.
const MAX_LEAD: i64 = 1 << 20;

/// How a matrix lies in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Layout {
    kind: Kind,
    /// Tiles along the dimension of a tile's 8 rows, and along the other.
    outer: usize,
    inner: usize,
    /// Columns of a tile.
    depth: usize,
    /// Elements of a tile that a lane holds.
    each: usize,
    /// The second factor, held transposed.
    flipped: bool,
}

impl Lower<'_> {
    pub fn matrix_op(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "load_matrix" | "store_matrix" | "compute" if self.needs_whole_warps().is_err() => {
                self.needs_whole_warps()
            }
            "load_matrix" => self.load_matrix(op),
            "store_matrix" => self.store_matrix(op),
            "compute" => self.compute(op),
            "constant_matrix" => {
                let value = self.scalar(op.operand(self.ctx, 0))?;
                let layout = self.layout(op.result(self.ctx, 0).ty(self.ctx))?;
                let n = layout.outer * layout.inner * layout.each;
                self.define_lanes(op, 0, vec![value; n]);
                Ok(())
            }
            "elementwise" => self.matrix_elementwise(op),
            _ => Err(
                "is not supported in GPU code, which does not say who holds which element; of gpu.subgroup_mma_: load_matrix, store_matrix, compute, constant_matrix, elementwise"
                    .to_string(),
            ),
        }
    }

    fn layout(&self, ty: Type) -> Res<Layout> {
        let text = || self.ctx.type_text(ty);
        let m = MmaMatrix::of(self.ctx, ty)
            .ok_or_else(|| format!("found '{}', expected a matrix", text()))?;
        let kind = Kind::of(self.ctx, m.elem)?;
        let flipped = m.operand == "BOp";
        let [rows, columns] = m.shape;
        let (long, wide) = if flipped {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let (depth, each) = match (&m.operand[..], kind) {
            ("COp", _) => (8, 2),
            (_, Kind::F64) => (4, 1),
            _ => (16 / kind.bytes() as usize, 4 / kind.bytes() as usize),
        };
        if long <= 0 || wide <= 0 || long % 8 != 0 || wide % depth as i64 != 0 {
            let (a, b) = if flipped { (depth, 8) } else { (8, depth) };
            return Err(format!(
                "found '{}'; the sizes of such matrices are multiples of {a} and {b}",
                text()
            ));
        }
        Ok(Layout {
            kind,
            outer: (long / 8) as usize,
            inner: wide as usize / depth,
            depth,
            each,
            flipped,
        })
    }

    /// `leadDimension`, and whether neighbours in a row of a tile are
    /// neighbours in memory.
    fn in_memory(&self, op: Op, layout: Layout) -> Res<(i64, bool)> {
        let lead = op.int_attr(self.ctx, "leadDimension").unwrap_or(0);
        if !(1..=MAX_LEAD).contains(&lead) {
            return Err(format!(
                "has a leadDimension of {lead}; 1 to {MAX_LEAD} are supported"
            ));
        }
        let transposed = op.attr(self.ctx, "transpose").is_some();
        Ok((lead, layout.flipped == transposed))
    }

    fn matrix_memory(&self, v: Value, layout: Layout) -> Res<std::rc::Rc<MemRef>> {
        let m = self.memref_val(v)?;
        if m.lanes > 1 {
            return Err("accesses a memref of vectors; memrefs of scalars are supported".into());
        }
        if m.elem != layout.kind {
            return Err("moves elements of another type than those of the memref".into());
        }
        Ok(m)
    }

    /// Moves an address by a number of elements for each lane.
    fn lane_address(&mut self, m: &MemRef, start: Address, elements: Reg) -> Address {
        let base = match start.base {
            Base::Reg(r) => r,
            Base::Sym(s) => self.b.mov(Ty::U64, s),
        };
        let bytes = self.b.mul_wide(Ty::U32, elements, m.elem.bytes());
        let moved = self.b.add(Ty::S64, base, bytes);
        (moved, start.offset).into()
    }

    /// An address some elements away.
    fn away(&mut self, m: &MemRef, address: Address, elements: i64) -> Address {
        let bytes = elements * i64::from(m.elem.bytes());
        match i32::try_from(bytes + i64::from(address.offset)) {
            Ok(offset) => Address { offset, ..address },
            Err(_) => {
                let base = match address.base {
                    Base::Reg(r) => r,
                    Base::Sym(s) => self.b.mov(Ty::U64, s),
                };
                let moved = self.b.add(Ty::S64, base, bytes);
                (moved, address.offset).into()
            }
        }
    }

    /// Where each part of a lane's tiles is: the address, and the number of
    /// lanes of the vector that lie there one after another.
    fn places(
        &mut self,
        m: &MemRef,
        start: Address,
        layout: Layout,
        (lead, along): (i64, bool),
    ) -> Vec<(Address, usize)> {
        let lane = self.b.special(Special::LaneId);
        let row = self.b.shr(Ty::U32, lane, 2);
        let column = self.b.and(Ty::B32, lane, 3);
        let column = self.b.mul(Ty::U32, column, layout.each as u32);
        let (far, near) = if along { (row, column) } else { (column, row) };
        let elements = self.b.mad(Ty::U32, far, lead as u32, near);
        let mine = self.lane_address(m, start, elements);
        let mut all = Vec::new();
        for outer in 0..layout.outer as i64 {
            for inner in 0..layout.inner as i64 {
                let (rows, columns) = (8 * outer, layout.depth as i64 * inner);
                if along {
                    let at = self.away(m, mine, rows * lead + columns);
                    all.push((at, layout.each));
                    continue;
                }
                for e in 0..layout.each as i64 {
                    let at = self.away(m, mine, (columns + e) * lead + rows);
                    all.push((at, 1));
                }
            }
        }
        all
    }

    /// What is known of the address of each of a lane's parts.
    fn part_hints(&self, align: u64, m: &MemRef, layout: Layout, lead: i64) -> Hints {
        let size = i64::from(m.elem.bytes());
        let step = (lead * size) | (layout.each as i64 * size);
        Hints {
            align: align.min(1 << step.trailing_zeros()),
            nontemporal: false,
        }
    }

    fn load_matrix(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let layout = self.layout(op.result(ctx, 0).ty(ctx))?;
        let operands = op.operands(ctx);
        let m = self.matrix_memory(operands[0], layout)?;
        let at = self.idxs(&operands[1..])?;
        let (lead, along) = self.in_memory(op, layout)?;
        let start = self.address(&m, &at)?;
        let align = self.alignment(&m, &at);
        let rows_aligned = align >= 16 && lead % 8 == 0;
        if m.space == Space::Shared
            && layout.kind.bytes() == 2
            && rows_aligned
            && self.needs(75).is_ok()
        {
            let lanes = self.load_tiles(&m, start, layout, (lead, along));
            self.define_lanes(op, 0, lanes);
            return Ok(());
        }
        let hints = self.part_hints(align, &m, layout, lead);
        let mut lanes = Vec::new();
        for (address, n) in self.places(&m, start, layout, (lead, along)) {
            lanes.extend(self.load_lanes(&m, address, n, hints));
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    /// Loads tiles from shared memory, whose rows are aligned, by `ldmatrix`.
    fn load_tiles(
        &mut self,
        m: &MemRef,
        start: Address,
        layout: Layout,
        (lead, along): (i64, bool),
    ) -> Vec<Reg> {
        let (outer, inner) = (layout.outer, layout.inner);
        // Tiles that one instruction loads: `down` rows of them, `across` a row.
        let (down, across): (u32, u32) = match (outer, inner) {
            (_, i) if i % 4 == 0 => (1, 4),
            (o, 2) if o % 2 == 0 => (2, 2),
            (_, i) if i % 2 == 0 => (1, 2),
            (o, 1) if o % 4 == 0 => (4, 1),
            (o, 1) if o % 2 == 0 => (2, 1),
            _ => (1, 1),
        };
        let count = (down * across) as usize;
        // Lane 8 t + r gives the address of row r of tile t.
        let lane = self.b.special(Special::LaneId);
        let tile = self.b.shr(Ty::U32, lane, 3);
        let tile = self.b.and(Ty::B32, tile, count as u32 - 1);
        let row = self.b.and(Ty::B32, lane, 7);
        let below = self.b.shr(Ty::U32, tile, across.trailing_zeros());
        let beside = self.b.and(Ty::B32, tile, across - 1);
        let (far, near) = if along {
            (below, beside)
        } else {
            (beside, below)
        };
        let far = self.b.mad(Ty::U32, far, 8, row);
        let near = self.b.shl(Ty::B32, near, 3);
        let elements = self.b.mad(Ty::U32, far, lead as u32, near);
        let mine = self.lane_address(m, start, elements);
        let mut lanes = Vec::new();
        for first in (0..outer * inner).step_by(count) {
            let (o, i) = ((first / inner) as i64, (first % inner) as i64);
            let (far, near) = if along { (o, i) } else { (i, o) };
            let at = self.away(m, mine, 8 * far * lead + 8 * near);
            let words = self.b.ldmatrix(count, !along, at);
            lanes.extend(self.split(layout.kind, &words));
        }
        lanes
    }

    fn store_matrix(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let operands = op.operands(ctx);
        let layout = self.layout(operands[0].ty(ctx))?;
        let m = self.matrix_memory(operands[1], layout)?;
        writable(&m)?;
        let at = self.idxs(&operands[2..])?;
        let (lead, along) = self.in_memory(op, layout)?;
        let start = self.address(&m, &at)?;
        let align = self.alignment(&m, &at);
        let hints = self.part_hints(align, &m, layout, lead);
        let lanes = self.lanes(operands[0])?;
        let mut first = 0;
        for (address, n) in self.places(&m, start, layout, (lead, along)) {
            if let Some(part) = lanes.get(first..first + n) {
                self.store_lanes(&m, address, part, hints);
            }
            first += n;
        }
        Ok(())
    }

    fn compute(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let v = op.operands(ctx);
        let [a, b, c] = v[..] else {
            return Err("has not three operands".to_string());
        };
        let (la, lb, lc) = (
            self.layout(a.ty(ctx))?,
            self.layout(b.ty(ctx))?,
            self.layout(c.ty(ctx))?,
        );
        let tys = product_types(la.kind, lc.kind).filter(|_| la.kind == lb.kind);
        let Some(mut tys) = tys else {
            return Err(format!(
                "multiplies '{}' and '{}' and adds to '{}'; factors of f16 with sums of f16 or f32, of f32 (as tf32) with f32, of f64 with f64, of si8 or ui8 with i32 are supported",
                ctx.type_text(a.ty(ctx)),
                ctx.type_text(b.ty(ctx)),
                ctx.type_text(c.ty(ctx))
            ));
        };
        if tys[1] == Ty::S8 {
            (tys[1], tys[2]) = (self.byte(a.ty(ctx)), self.byte(b.ty(ctx)));
        }
        let p = self.best_product(tys, la, lb)?;
        let (rows, depth) = (p.dims[0] / 8, p.dims[2] / la.depth);
        let (a, b, c) = (self.lanes(a)?, self.lanes(b)?, self.lanes(c)?);
        // One register a tile of the factors.
        let (a, b) = (self.factor(la.kind, &a), self.factor(lb.kind, &b));
        let mut sums: Vec<Vec<Reg>> = Vec::new();
        for tile in c.chunks(lc.each) {
            sums.push(self.sum_words(lc.kind, tile));
        }
        for top in (0..lc.outer).step_by(rows) {
            for right in 0..lc.inner {
                let place = |i: usize| (top + i) * lc.inner + right;
                let mut acc: Vec<Reg> = (0..rows).flat_map(|i| sums[place(i)].clone()).collect();
                for k in (0..la.inner).step_by(depth) {
                    let across =
                        (k..k + depth).flat_map(|k| (top..top + rows).map(move |i| (i, k)));
                    let part_a: Vec<Reg> = across.map(|(i, k)| a[i * la.inner + k]).collect();
                    let part_b = &b[right * lb.inner + k..][..depth];
                    acc = self.b.mma(p.shape, tys, &part_a, part_b, &acc).to_vec();
                }
                let each = (acc.len() / rows).max(1);
                for (i, words) in acc.chunks(each).enumerate() {
                    sums[place(i)] = words.to_vec();
                }
            }
        }
        let mut lanes = Vec::new();
        for words in &sums {
            lanes.extend(self.sum_lanes(lc.kind, words));
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    fn byte(&self, matrix: Type) -> Ty {
        let elem = MmaMatrix::of(self.ctx, matrix).map(|m| m.elem);
        match elem.map(|e| e.data(self.ctx)) {
            Some(TypeData::Integer {
                sign: Signedness::Unsigned,
                ..
            }) => Ty::U8,
            _ => Ty::S8,
        }
    }

    /// The largest product whose multiples the matrices are and the
    /// architecture has.
    fn best_product(&self, tys: [Ty; 4], a: Layout, b: Layout) -> Res<Product> {
        let fits = |p: &Product| {
            (8 * a.outer).is_multiple_of(p.dims[0])
                && (8 * b.outer).is_multiple_of(p.dims[1])
                && (a.depth * a.inner).is_multiple_of(p.dims[2])
        };
        let mut all: Vec<Product> = products(tys).into_iter().filter(fits).collect();
        let Some(least) = all.iter().map(|p| p.sm).min() else {
            let shapes: Vec<String> = products(tys)
                .iter()
                .map(|p| format!("{:?}", p.dims))
                .collect();
            return Err(format!(
                "multiplies {}x{} by {}; multiples of one of {} are supported",
                8 * a.outer,
                a.depth * a.inner,
                8 * b.outer,
                shapes.join(", ")
            ));
        };
        self.needs(least)?;
        let sm = self.unit.module.arch.sm;
        all.retain(|p| p.sm <= sm);
        all.into_iter()
            .max_by_key(|p| p.dims[0] * p.dims[2])
            .ok_or_else(|| "has no product".to_string())
    }

    fn matrix_elementwise(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let keyword = op
            .attr(ctx, "opType")
            .and_then(|a| MMA_ELEMENTWISE.value(ctx, a))
            .and_then(|v| MMA_ELEMENTWISE.keyword(v))
            .unwrap_or_default();
        let result = self.layout(op.result(ctx, 0).ty(ctx))?;
        let mut args = Vec::new();
        let mut kind = result.kind;
        for v in op.operands(ctx) {
            let found = self.layout(v.ty(ctx))?;
            kind = found.kind;
            let same = Layout {
                kind: result.kind,
                ..found
            };
            if same != result || (found.kind != result.kind && keyword != "extf") {
                return Err(format!(
                    "makes '{}' of '{}', whose elements lie with other threads",
                    ctx.type_text(op.result(ctx, 0).ty(ctx)),
                    ctx.type_text(v.ty(ctx))
                ));
            }
            args.push(self.lanes(v)?);
        }
        let wanted = match &keyword[..] {
            "negatef" | "negates" | "extf" => 1,
            _ => 2,
        };
        if args.len() != wanted {
            return Err(format!(
                "has {} operands, expected {wanted} for {keyword}",
                args.len()
            ));
        }
        let mut lanes = Vec::new();
        for i in 0..args[0].len() {
            let values: Vec<Reg> = args.iter().map(|a| a[i]).collect();
            lanes.push(self.matrix_element(&keyword, kind, result.kind, &values)?);
        }
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    fn matrix_element(&mut self, keyword: &str, kind: Kind, to: Kind, v: &[Reg]) -> Res<Reg> {
        let name = match keyword {
            "addf" => arith::AddFOp::NAME,
            "mulf" => arith::MulFOp::NAME,
            "subf" => arith::SubFOp::NAME,
            "maxf" => arith::MaximumFOp::NAME,
            "minf" => arith::MinimumFOp::NAME,
            "divf" => arith::DivFOp::NAME,
            "addi" => arith::AddIOp::NAME,
            "muli" => arith::MulIOp::NAME,
            "subi" => arith::SubIOp::NAME,
            "divs" => arith::DivSIOp::NAME,
            "divu" => arith::DivUIOp::NAME,
            "negatef" => arith::NegFOp::NAME,
            "negates" => {
                let zero = self.constant_of(kind, 0);
                return self.matrix_element("subi", kind, to, &[zero, v[0]]);
            }
            "extf" if kind.is_float() && to.is_float() => {
                return Ok(self.float_cast(kind, to, v[0]));
            }
            _ => return Err(format!("asks for '{keyword}', which is not supported")),
        };
        if let Some(r) = self.float_op(name, kind, v) {
            return Ok(r);
        }
        let r = self.int_op(name, kind, v);
        r.and_then(|r| r.first().copied())
            .ok_or_else(|| format!("cannot compute {keyword} of elements of this type"))
    }
}

/// Registers of a lane for a matrix: each holds one element.
pub(super) fn held(rows: i64, columns: i64) -> Option<usize> {
    let n = rows.checked_mul(columns)?;
    (n > 0 && n % 32 == 0)
        .then_some(n / 32)
        .and_then(|n| usize::try_from(n).ok())
}
