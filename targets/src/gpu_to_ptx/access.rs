//! Loads, stores, copies, prefetches.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::value::{Idx, MemRef, Val};
use super::wide::Hints;
use crate::ptx::modifiers::Level;
use crate::ptx::{Address, Cmp, Reg, RegTy, Space, Ty};
use terrace_ir::Op;

/// Whether a kernel may write to memory.
pub(super) fn writable(m: &MemRef) -> Res<()> {
    match m.space {
        _ if m.constant => Err("writes to a constant variable".to_string()),
        Space::Const => Err("writes to constant memory, which kernels only read".to_string()),
        _ => Ok(()),
    }
}

impl Lower<'_> {
    pub fn access_op(&mut self, op: Op, name: &str) -> Res<()> {
        let v = op.operands(self.ctx);
        match (name, &v[..]) {
            ("load", [m, at @ ..]) => {
                let m = self.memref_val(*m)?;
                let at = self.idxs(at)?;
                let address = self.address(&m, &at)?;
                let hints = self.hints(op, &m, &at);
                let lanes = self.load_lanes(&m, address, m.lanes, hints);
                self.define_lanes(op, 0, lanes);
                Ok(())
            }
            ("store", [value, m, at @ ..]) => {
                let m = self.memref_val(*m)?;
                writable(&m)?;
                let at = self.idxs(at)?;
                let lanes = self.lanes(*value)?;
                let address = self.address(&m, &at)?;
                let hints = self.hints(op, &m, &at);
                self.store_lanes(&m, address, &lanes, hints);
                Ok(())
            }
            ("prefetch", [m, at @ ..]) => {
                let m = self.memref_val(*m)?;
                let at = self.idxs(at)?;
                // A hint; only global memory is worth one.
                if m.space == Space::Global {
                    let address = self.address(&m, &at)?;
                    self.b.prefetch_global(Level::L2, address);
                }
                Ok(())
            }
            ("copy", [from, to]) => {
                let (from, to) = (self.memref_val(*from)?, self.memref_val(*to)?);
                writable(&to)?;
                self.copy(&from, &to)
            }
            _ => Err("has too few operands".to_string()),
        }
    }

    /// What is known of an access at these indices, by the op or by itself.
    pub fn hints(&self, op: Op, m: &MemRef, at: &[Idx]) -> Hints {
        let nontemporal = op.attr(self.ctx, "nontemporal");
        Hints {
            align: self.alignment(m, at).max(self.promised(op)),
            nontemporal: nontemporal.and_then(|a| a.as_bool(self.ctx)) == Some(true),
        }
    }

    /// The address of an element. Whatever is known at compile time ends up
    /// in the offset; the arithmetic wraps, as addresses do.
    pub fn address(&mut self, m: &MemRef, at: &[Idx]) -> Res<Address> {
        if at.len() != m.strides.len() {
            return Err(format!(
                "has {} indices, expected {}",
                at.len(),
                m.strides.len()
            ));
        }
        let size = m.elem_bytes();
        let mut address = m.base;
        let mut bytes: i64 = 0;
        let terms = at.iter().zip(&m.strides).map(|(i, s)| (*i, *s));
        for (i, s) in terms.chain([(m.offset, Idx::Const(1))]) {
            match (i, s) {
                (Idx::Const(i), Idx::Const(s)) => {
                    bytes = bytes.wrapping_add(i.wrapping_mul(s).wrapping_mul(size));
                }
                (Idx::Reg(r), Idx::Const(c)) | (Idx::Const(c), Idx::Reg(r)) => {
                    address = self.add_scaled(address, r, c.wrapping_mul(size));
                }
                (Idx::Reg(i), Idx::Reg(s)) => {
                    let elements = self.b.mul(Ty::S64, i, s);
                    self.promise(elements);
                    address = self.add_scaled(address, elements, size);
                }
            }
        }
        // Room is left for the lanes of a vector behind the offset.
        let fits = i32::try_from(bytes)
            .ok()
            .filter(|b| b.unsigned_abs() < 1 << 30);
        Ok(match fits {
            Some(offset) => (address, offset).into(),
            None => self.b.add(Ty::S64, address, bytes).into(),
        })
    }

    fn add_scaled(&mut self, to: Reg, r: Reg, scale: i64) -> Reg {
        match scale {
            0 => to,
            1 => self.b.add(Ty::S64, to, r),
            // A shift is its own instruction that several addresses can share.
            s if s > 0 && s & (s - 1) == 0 => {
                let scaled = self.b.shl(Ty::B64, r, s.trailing_zeros());
                self.b.add(Ty::S64, to, scaled)
            }
            s => {
                let scaled = self.b.mul(Ty::S64, r, s);
                self.b.add(Ty::S64, to, scaled)
            }
        }
    }

    /// A value as it was loaded, made one as it is held in registers.
    pub fn loaded(&mut self, kind: Kind, raw: Reg) -> Reg {
        match kind {
            Kind::Bool => self.b.setp(Cmp::Ne, Ty::U16, raw, 0),
            // Nobody promises what the bits above the width are.
            Kind::Int(t) if !t.is_full() && t.w != 8 => self.masked(t, raw),
            _ => raw,
        }
    }

    /// A value in registers, as it is stored.
    pub fn storable(&mut self, kind: Kind, r: Reg) -> Reg {
        match kind {
            Kind::Bool => self.b.selp(Ty::U16, 1, 0, r),
            _ => r,
        }
    }

    /// Copies element by element, a loop for each dimension.
    fn copy(&mut self, from: &MemRef, to: &MemRef) -> Res<()> {
        if from.sizes.len() != to.sizes.len() || from.elem != to.elem || from.lanes != to.lanes {
            return Err("copies between memrefs of different types".to_string());
        }
        let mut at = Vec::new();
        let mut loops = Vec::new();
        for (a, b) in from.sizes.iter().zip(&to.sizes) {
            let size = if a.known().is_some() { *a } else { *b };
            let i = self.b.reg(RegTy::B64);
            self.b.mov_to(i, Ty::S64, 0);
            let [head, inside, end] = ["copy", "copy_body", "copy_end"].map(|n| self.new_block(n));
            self.b.bra(head);
            self.enter(head);
            let more = self.b.setp(Cmp::Lt, Ty::S64, i, size.operand());
            self.b.cond_bra(more, inside, end);
            self.enter(inside);
            at.push(Idx::Reg(i));
            loops.push((i, head, end));
        }
        let source = self.address(from, &at)?;
        let hints = |align| Hints {
            align,
            nontemporal: false,
        };
        let align = self.alignment(from, &at);
        let lanes = self.load_lanes(from, source, from.lanes, hints(align));
        let dest = self.address(to, &at)?;
        let align = self.alignment(to, &at);
        self.store_lanes(to, dest, &lanes, hints(align));
        for (i, head, end) in loops.into_iter().rev() {
            self.b.add_to(i, Ty::S64, i, 1);
            self.b.bra(head);
            self.enter(end);
        }
        Ok(())
    }

    /// The registers of a vector or scalar of `n` lanes.
    pub fn lanes_val(rs: Vec<Reg>, vector: bool) -> Val {
        match &rs[..] {
            [r] if !vector => Val::Scalar(*r),
            _ => Val::Vector(rs.into()),
        }
    }
}

/// Moving an address by a number of bytes.
pub(super) trait Moved {
    fn base_with(self, bytes: i32) -> Address;
}

impl Moved for Address {
    fn base_with(self, bytes: i32) -> Address {
        (self, bytes).into()
    }
}
