//! `nvgpu` ops: fragments of matrices, their products, copies in the background.

use super::kinds::Kind;
use super::lower::{Lower, Res, unsupported};
use super::threads::WARP;
use super::value::{Idx, MemRef, Val};
use crate::ptx::modifiers::{Cache, Mods, Shape};
use crate::ptx::op::Op as Opcode;
use crate::ptx::{Address, Inst, Reg, Space, Ty, form};
use terrace_dialects::nvgpu::{DeviceAsyncCopyOp, DeviceAsyncWaitOp, LdMatrixOp, MmaSyncOp};
use terrace_ir::Op;

/// Most groups of copies that a wait can leave under way.
const MAX_GROUPS: i64 = 255;

/// A product that some machine computes in one instruction.
pub(super) struct Product {
    pub shape: Shape,
    /// Rows of A, columns of B, columns of A.
    pub dims: [usize; 3],
    /// The first architecture that has it.
    pub sm: u16,
}

/// The products with these element types of D, A, B and C.
pub(super) fn products(tys: [Ty; 4]) -> Vec<Product> {
    const SHAPES: [Shape; 6] = [
        Shape::M16n8k32,
        Shape::M16n8k16,
        Shape::M16n8k8,
        Shape::M16n8k4,
        Shape::M8n8k16,
        Shape::M8n8k4,
    ];
    let with = |shape: Shape| {
        let mods = Mods {
            shape,
            ..Mods::default()
        };
        let inst = Inst::with_types(Opcode::Mma, mods, &tys, []);
        let row = form::forms(Opcode::Mma)
            .iter()
            .find(|f| f.accepts_suffixes(&inst))?;
        Some(Product {
            shape,
            dims: shape.dims()?,
            sm: row.sm,
        })
    };
    SHAPES.into_iter().filter_map(with).collect()
}

/// The types of D, A, B and C of a product of factors and sums of these kinds.
pub(super) fn product_types(factor: Kind, sum: Kind) -> Option<[Ty; 4]> {
    let (f, s) = match (factor, sum) {
        (Kind::F16, Kind::F16) => (Ty::F16, Ty::F16),
        (Kind::F16, Kind::F32) => (Ty::F16, Ty::F32),
        (Kind::Bf16, Kind::F32) => (Ty::Bf16, Ty::F32),
        (Kind::F32, Kind::F32) => (Ty::Tf32, Ty::F32),
        (Kind::F64, Kind::F64) => (Ty::F64, Ty::F64),
        (Kind::Int(a), Kind::Int(c)) if a.w == 8 && c.w == 32 => (Ty::S8, Ty::S32),
        _ => return None,
    };
    Some([s, f, f, s])
}

impl Lower<'_> {
    pub fn nvgpu(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "ldmatrix" => self.ldmatrix(op),
            "mma.sync" => self.mma_sync(op),
            "device_async_copy" => self.async_copy(op),
            "device_async_create_group" => {
                if self.copies_in_background() {
                    self.b.cp_async_commit();
                }
                self.define(op, Val::Token)
            }
            "device_async_wait" => self.async_wait(op),
            _ => Err(format!(
                "{}; of nvgpu: ldmatrix, mma.sync, device_async_copy, device_async_create_group, device_async_wait",
                unsupported()
            )),
        }
    }

    /// Refuses what only later architectures have.
    pub fn needs(&self, sm: u16) -> Res<()> {
        let arch = self.unit.module.arch;
        if arch.sm >= sm {
            return Ok(());
        }
        Err(format!("needs sm_{sm} or later, compiling for {arch}"))
    }

    /// Refuses what all threads of a warp do together where a warp lacks some.
    pub fn needs_whole_warps(&self) -> Res<()> {
        match self.func.block {
            Some([x, y, z]) if !self.full_warps() => Err(format!(
                "needs whole warps of {WARP} threads, but the block has {x} x {y} x {z}"
            )),
            _ => Ok(()),
        }
    }

    /// The address of an element in a space that the instruction fixes.
    fn address_in(&mut self, m: &MemRef, space: Space, at: &[Idx]) -> Res<Address> {
        let m = MemRef {
            base: self.base_in(m, space)?,
            space,
            ..m.clone()
        };
        self.address(&m, at)
    }

    fn ldmatrix(&mut self, op: Op) -> Res<()> {
        self.needs(75)?;
        self.needs_whole_warps()?;
        let ctx = self.ctx;
        let Some(load) = op.cast::<LdMatrixOp>(ctx) else {
            return Err("is not one".to_string());
        };
        let operands = op.operands(ctx);
        let kind = self.kind(op.result(ctx, 0))?;
        let whole = match kind {
            Kind::Int(t) => matches!(t.w, 8 | 16 | 32),
            Kind::F16 | Kind::Bf16 | Kind::F32 => true,
            Kind::Bool | Kind::F64 => false,
        };
        if !whole {
            return Err("loads elements of a width other than 8, 16 or 32 bits".to_string());
        }
        let tiles = load.num_tiles(ctx);
        if ![1, 2, 4].contains(&tiles) {
            return Err(format!("loads {tiles} tiles; 1, 2 or 4 are supported"));
        }
        let m = self.memref_val(operands[0])?;
        let at = self.idxs(&operands[1..])?;
        let address = self.address_in(&m, Space::Shared, &at)?;
        let words = self
            .b
            .ldmatrix(tiles as usize, load.transpose(ctx), address);
        let lanes = self.split(kind, &words);
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    fn mma_sync(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let Some(mma) = op.cast::<MmaSyncOp>(ctx) else {
            return Err("is not one".to_string());
        };
        let v = op.operands(ctx);
        let [a, b, c] = v[..] else {
            return Err("has not three operands".to_string());
        };
        let (factor, sum) = (self.kind(a)?, self.kind(c)?);
        if op.result(ctx, 0).ty(ctx) != c.ty(ctx) {
            return Err(format!(
                "gives '{}', expected the type of matrixC, '{}'",
                ctx.type_text(op.result(ctx, 0).ty(ctx)),
                ctx.type_text(c.ty(ctx))
            ));
        }
        let Some(tys) = product_types(factor, sum) else {
            return Err(format!(
                "multiplies '{}' and adds to '{}'; f16 to f16 or f32, bf16 to f32, f32 as tf32 to f32, f64 to f64 and i8 to i32 are supported",
                ctx.type_text(a.ty(ctx)),
                ctx.type_text(c.ty(ctx))
            ));
        };
        if factor == Kind::F32 && !mma.is_tf32(ctx) {
            return Err(
                "multiplies f32, which is done as tf32; tf32Enabled says that this is meant"
                    .to_string(),
            );
        }
        let wanted = mma.shape(ctx).ok_or("has no shape")?;
        let all = products(tys);
        let fits = |p: &&Product| p.dims.map(|d| d as i64) == wanted;
        let Some(product) = all.iter().find(fits) else {
            let shapes: Vec<String> = all.iter().map(|p| format!("{:?}", p.dims)).collect();
            return Err(format!(
                "has the shape {wanted:?}, which no machine has for these types; {} are supported",
                shapes.join(", ")
            ));
        };
        self.needs(product.sm)?;
        self.needs_whole_warps()?;
        let (a, b, c) = (self.lanes(a)?, self.lanes(b)?, self.lanes(c)?);
        let (a, b) = (self.factor(factor, &a), self.factor(factor, &b));
        let sums = self.sum_words(sum, &c);
        let result = self.b.mma(product.shape, tys, &a, &b, &sums).to_vec();
        let lanes = self.sum_lanes(sum, &result);
        self.define_lanes(op, 0, lanes);
        Ok(())
    }

    /// Elements of a factor as `mma` takes them; f32 is rounded to tf32.
    pub fn factor(&mut self, kind: Kind, lanes: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::F32 => lanes
                .iter()
                .map(|r| self.b.cvt(Ty::Tf32, Ty::F32, *r))
                .collect(),
            Kind::F64 => lanes.to_vec(),
            _ => self.joined(kind, lanes),
        }
    }

    /// Elements of a sum as `mma` takes them.
    pub fn sum_words(&mut self, kind: Kind, lanes: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::F16 => self.joined(kind, lanes),
            _ => lanes.to_vec(),
        }
    }

    /// Elements of a sum as `mma` gives them.
    pub fn sum_lanes(&mut self, kind: Kind, words: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::F16 => self.split(kind, words),
            _ => words.to_vec(),
        }
    }

    /// Whether the machine copies in the background. Where it does not, a copy is a load
    /// and a store, and there is nothing to wait for.
    fn copies_in_background(&self) -> bool {
        self.unit.module.arch.sm >= 80
    }

    fn async_copy(&mut self, op: Op) -> Res<()> {
        let ctx = self.ctx;
        let Some(copy) = op.cast::<DeviceAsyncCopyOp>(ctx) else {
            return Err("is not one".to_string());
        };
        let (Some(src), Some(dst)) = (copy.src(ctx), copy.dst(ctx)) else {
            return Err("lacks a memref".to_string());
        };
        let (src, dst) = (self.memref_val(src)?, self.memref_val(dst)?);
        let src_at = self.idxs(&copy.src_indices(ctx))?;
        let dst_at = self.idxs(&copy.dst_indices(ctx))?;
        let each = dst.elem.bytes();
        let bytes = u32::try_from(copy.dst_elements(ctx))
            .ok()
            .and_then(|n| n.checked_mul(each))
            .filter(|n| matches!(n, 4 | 8 | 16))
            .ok_or("copies a number of bytes other than 4, 8 or 16")?;
        let from = self.address_in(&src, Space::Global, &src_at)?;
        let to = self.address_in(&dst, Space::Shared, &dst_at)?;
        if !self.copies_in_background() {
            let ty = match bytes {
                4 => Ty::B32,
                8 => Ty::B64,
                _ => return self.needs(80),
            };
            if copy.src_elements(ctx).is_some() {
                return self.needs(80);
            }
            let v = self.b.ld(Space::Global, ty, from);
            self.b.st(Space::Shared, ty, to, v);
            return self.define(op, Val::Token);
        }
        let cache = if copy.bypasses_l1(ctx) {
            Cache::Cg
        } else {
            Cache::Ca
        };
        match copy.src_elements(ctx) {
            None => self.b.cp_async(cache, to, from, bytes),
            Some(n) => match self.idx(n)? {
                Idx::Const(n) => {
                    let read = u32::try_from(n).ok().and_then(|n| n.checked_mul(each));
                    let read = read.filter(|r| *r <= bytes).ok_or_else(|| {
                        format!("reads {n} elements, more than the {bytes} bytes of the copy hold")
                    })?;
                    self.b.cp_async_zero_fill(cache, to, from, bytes, read);
                }
                Idx::Reg(n) => {
                    let n = self.b.cvt(Ty::U32, Ty::U64, n);
                    let read = self.b.mul(Ty::U32, n, each);
                    self.b.cp_async_zero_fill(cache, to, from, bytes, read);
                }
            },
        }
        self.define(op, Val::Token)
    }

    fn async_wait(&mut self, op: Op) -> Res<()> {
        if !self.copies_in_background() {
            return Ok(());
        }
        let groups = op
            .cast::<DeviceAsyncWaitOp>(self.ctx)
            .and_then(|w| w.num_groups(self.ctx))
            .unwrap_or(0);
        if !(0..=MAX_GROUPS).contains(&groups) {
            return Err(format!(
                "leaves {groups} groups under way; 0 to {MAX_GROUPS} are supported"
            ));
        }
        self.b.cp_async_wait(groups as u32);
        Ok(())
    }
}
