//! Values as registers.

use super::kinds::Kind;
use super::lower::Lower;
use crate::ptx::{Operand, Reg, RegTy, Space, Ty};
use std::rc::Rc;
use terrace_dialects::gpu::ADDRESS_SPACE;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::nvgpu;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Context, Type, TypeData};

/// A 64-bit number known at compile time or in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Idx {
    Const(i64),
    Reg(Reg),
}

impl Idx {
    pub fn operand(self) -> Operand {
        match self {
            Idx::Const(c) => Operand::Imm(c),
            Idx::Reg(r) => Operand::Reg(r),
        }
    }

    pub fn known(self) -> Option<i64> {
        match self {
            Idx::Const(c) => Some(c),
            Idx::Reg(_) => None,
        }
    }
}

/// A memref: address of element 0 of the buffer in `space`, then offset, sizes
/// and strides in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MemRef {
    pub base: Reg,
    pub space: Space,
    pub elem: Kind,
    /// Lanes of a vector element; 1 for a scalar.
    pub lanes: usize,
    pub offset: Idx,
    pub sizes: Vec<Idx>,
    pub strides: Vec<Idx>,
    /// A power of two that divides the address of the first element, that at
    /// indices 0, in bytes.
    pub align: u64,
    /// Nothing ever writes to it.
    pub constant: bool,
}

impl MemRef {
    /// The alignment that every element has: that of its type.
    pub fn natural(&self) -> u64 {
        u64::from(natural(self.elem, self.lanes))
    }

    /// The memref, whose buffer begins at a multiple of `align` bytes.
    pub fn in_buffer(mut self, align: u64) -> MemRef {
        let moved = match self.offset {
            Idx::Const(0) => align,
            Idx::Const(o) => 1 << o.wrapping_mul(self.elem_bytes()).trailing_zeros().min(12),
            Idx::Reg(_) => 1,
        };
        self.align = align.min(moved).max(self.natural());
        self
    }

    /// Bytes from one element to the next. Vectors of three elements take the
    /// room of four, as natural alignment asks.
    pub fn elem_bytes(&self) -> i64 {
        i64::from(self.elem.bytes()) * self.lanes.next_power_of_two() as i64
    }

    /// Everything but the pointer, in the order of the kernel parameters.
    pub fn numbers(&self) -> impl Iterator<Item = Idx> + '_ {
        std::iter::once(self.offset)
            .chain(self.sizes.iter().copied())
            .chain(self.strides.iter().copied())
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut Idx> {
        std::iter::once(&mut self.offset)
            .chain(&mut self.sizes)
            .chain(&mut self.strides)
    }
}

/// A value of the IR.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Scalar(Reg),
    Vector(Rc<[Reg]>),
    MemRef(Rc<MemRef>),
    /// What only orders ops, and needs no register.
    Token,
}

/// What a memref type says: [`DYNAMIC`] stands for what it leaves open.
pub(super) struct MemRefTy {
    pub elem: Kind,
    pub lanes: usize,
    /// None for the default memory space.
    pub space: Option<Space>,
    pub offset: i64,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
}

/// The alignment of a scalar, or of a vector that one instruction can move.
fn natural(elem: Kind, lanes: usize) -> u32 {
    let whole = (lanes.next_power_of_two() as u32).saturating_mul(elem.bytes());
    if whole <= 16 { whole } else { elem.bytes() }
}

impl MemRefTy {
    /// The alignment that every element has: that of its type.
    pub fn natural(&self) -> u32 {
        natural(self.elem, self.lanes)
    }

    pub fn of(ctx: &Context, ty: Type) -> Result<MemRefTy, String> {
        let TypeData::MemRef {
            shape, elem, space, ..
        } = ty.data(ctx)
        else {
            return Err(format!(
                "type '{}' is not supported on the GPU; ranked memrefs are",
                ctx.type_text(ty)
            ));
        };
        let layout = strides_and_offset(ctx, ty).ok_or_else(|| {
            format!(
                "the layout of '{}' has no strides; strided layouts are supported",
                ctx.type_text(ty)
            )
        })?;
        let (elem, lanes) = Kind::of_lanes(ctx, *elem)?;
        Ok(MemRefTy {
            elem,
            lanes: lanes.unwrap_or(1),
            space: space_of(ctx, *space)?,
            offset: layout.offset,
            sizes: shape.clone(),
            strides: layout.strides,
        })
    }

    /// Offset, sizes and strides, in the order of the kernel parameters.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        std::iter::once(self.offset)
            .chain(self.sizes.iter().copied())
            .chain(self.strides.iter().copied())
    }

    /// A memref of this type whose open numbers come from `number`.
    pub fn build(&self, base: Reg, space: Space, mut number: impl FnMut() -> Idx) -> MemRef {
        let mut idx = |n: i64| {
            if n == DYNAMIC {
                number()
            } else {
                Idx::Const(n)
            }
        };
        let mut m = MemRef {
            base,
            space,
            elem: self.elem,
            lanes: self.lanes,
            offset: idx(self.offset),
            sizes: self.sizes.iter().map(|n| idx(*n)).collect(),
            strides: self.strides.iter().map(|n| idx(*n)).collect(),
            align: 1,
            constant: false,
        };
        m.align = m.natural();
        m
    }

    /// Bytes of the whole buffer where all is static.
    pub fn static_bytes(&self) -> Option<u64> {
        let mut last = self.offset;
        if last == DYNAMIC {
            return None;
        }
        for (n, s) in self.sizes.iter().zip(&self.strides) {
            if *n == DYNAMIC || *s == DYNAMIC {
                return None;
            }
            if *n == 0 {
                return Some(0);
            }
            last = last.checked_add(n.checked_sub(1)?.checked_mul(*s)?)?;
        }
        let each = u64::from(self.elem.bytes()) * self.lanes.next_power_of_two() as u64;
        u64::try_from(last.checked_add(1)?).ok()?.checked_mul(each)
    }
}

/// The state space of a memory space attribute; none for the default one.
pub(super) fn space_of(ctx: &Context, space: Option<Attr>) -> Result<Option<Space>, String> {
    let Some(space) = space else { return Ok(None) };
    // Memory of a device is where a kernel's arrays are, whether their types say so or not;
    // pinned memory is that of the array which a kernel uses the mirror of.
    let of_xfer = |name| space.as_dialect(ctx, "xfer", name).is_some();
    if of_xfer("device") || of_xfer("pinned") {
        return Ok(None);
    }
    if let Some(s) = ADDRESS_SPACE.value(ctx, space) {
        return Ok(Some(match s {
            2 => Space::Shared,
            3 => Space::Local,
            _ => Space::Global,
        }));
    }
    match space.as_i64(ctx) {
        Some(0) => Ok(None),
        Some(1) => Ok(Some(Space::Global)),
        Some(3) => Ok(Some(Space::Shared)),
        Some(4) => Ok(Some(Space::Const)),
        Some(5) => Ok(Some(Space::Local)),
        _ => Err(format!(
            "memory space {} is unknown on the GPU; #gpu.address_space<global, workgroup or private> or the numbers 0, 1, 3, 4, 5 are known",
            ctx.attr_text(space)
        )),
    }
}

/// Whether a type is a memref, ranked or not.
pub(super) fn is_memref(ctx: &Context, ty: Type) -> bool {
    ty.is_memref(ctx) || matches!(ty.data(ctx), TypeData::UnrankedMemRef { .. })
}

impl Lower<'_> {
    /// Fresh registers for a value of a type. A memref of the default space is
    /// held by a generic address, since values from several places meet here.
    pub fn fresh(&mut self, ty: Type) -> Result<Val, String> {
        if is_memref(self.ctx, ty) {
            let t = MemRefTy::of(self.ctx, ty)?;
            let base = self.b.reg(RegTy::B64);
            let space = t.space.unwrap_or(Space::Generic);
            let m = t.build(base, space, || Idx::Reg(self.b.reg(RegTy::B64)));
            return Ok(Val::MemRef(Rc::new(m)));
        }
        if ty == nvgpu::token(self.ctx) {
            return Ok(Val::Token);
        }
        let (kind, lanes) = Kind::of_lanes(self.ctx, ty)?;
        Ok(match lanes {
            None => {
                let r = self.b.reg(kind.reg());
                if ty.is_index(self.ctx) {
                    self.promise(r);
                }
                Val::Scalar(r)
            }
            Some(n) => Val::Vector((0..n).map(|_| self.b.reg(kind.reg())).collect()),
        })
    }

    /// The registers of a value that are not constants, pointer first.
    pub fn registers(&self, v: &Val) -> Vec<Reg> {
        match v {
            Val::Scalar(r) => vec![*r],
            Val::Vector(rs) => rs.to_vec(),
            Val::Token => Vec::new(),
            Val::MemRef(m) => {
                let numbers = m.numbers().filter_map(|n| match n {
                    Idx::Reg(r) => Some(r),
                    Idx::Const(_) => None,
                });
                std::iter::once(m.base).chain(numbers).collect()
            }
        }
    }

    /// Registers to copy into those of `to`, a value of the same type made by
    /// [`Self::fresh`], one for one.
    pub fn sources_for(&mut self, to: &Val, from: &Val) -> Result<Vec<Reg>, String> {
        match (to, from) {
            (Val::MemRef(to), Val::MemRef(from)) => {
                let mut all = vec![self.base_in(from, to.space)?];
                for (t, f) in to.numbers().zip(from.numbers()) {
                    if let Idx::Reg(_) = t {
                        all.push(self.in_register(f));
                    }
                }
                Ok(all)
            }
            (_, from) => Ok(self.registers(from)),
        }
    }

    /// The memref's pointer as an address in another space.
    pub fn base_in(&mut self, m: &MemRef, space: Space) -> Result<Reg, String> {
        match (m.space, space) {
            (a, b) if a == b => Ok(m.base),
            (from, Space::Generic) => Ok(self.b.cvta(from, m.base)),
            (Space::Generic, to) => Ok(self.b.cvta_to(to, m.base)),
            (from, to) => Err(format!(
                "an address in {} memory cannot be one in {} memory",
                space_name(from),
                space_name(to)
            )),
        }
    }

    /// A number in a register.
    pub fn in_register(&mut self, n: Idx) -> Reg {
        match n {
            Idx::Reg(r) => r,
            Idx::Const(c) => self.const64(c),
        }
    }

    /// A 64-bit constant; the register is remembered as known.
    pub fn const64(&mut self, c: i64) -> Reg {
        let r = self.b.mov(Ty::S64, c);
        self.known.insert(r, c);
        r
    }

    /// A memref as one of another type: what the type knows, the value knows.
    pub fn retyped(&mut self, m: &MemRef, ty: Type) -> Result<Val, String> {
        let t = MemRefTy::of(self.ctx, ty)?;
        let mut m = m.clone();
        if t.sizes.len() != m.sizes.len() {
            return Err(format!(
                "found rank {}, expected rank {}",
                m.sizes.len(),
                t.sizes.len()
            ));
        }
        for (n, known) in m.numbers_mut().zip(t.numbers()) {
            if known != DYNAMIC {
                *n = Idx::Const(known);
            }
        }
        Ok(Val::MemRef(Rc::new(m)))
    }
}

/// A state space in words.
pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic",
        Space::Global => "global",
        Space::Shared => "workgroup (shared)",
        Space::Local => "private (local)",
        Space::Const => "constant",
        Space::Param => "parameter",
    }
}
