//! Atomic updates: the machine's own where it has one, else a loop around
//! compare-and-swap.
//!
//! The machine's `f32` addition in global memory flushes subnormal numbers to
//! zero, as PTX says; everything else is computed as by the plain op.

use super::access::writable;
use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::value::MemRef;
use crate::ptx::modifiers::AtomOp;
use crate::ptx::{Address, Base, Cmp, Reg, RegTy, Space, Ty};
use terrace_dialects::arith::{
    AddFOp, AddIOp, AndIOp, MaxNumFOp, MaxSIOp, MaxUIOp, MaximumFOp, MinNumFOp, MinSIOp, MinUIOp,
    MinimumFOp, MulFOp, MulIOp, OrIOp, XOrIOp,
};
use terrace_dialects::memref::{GenericAtomicRmwOp, RMW_KIND};
use terrace_ir::Op;

/// The op of `arith` that an update computes; empty for an assignment.
fn arith_of(update: &str) -> Option<&'static str> {
    Some(match update {
        "addf" => AddFOp::NAME,
        "addi" => AddIOp::NAME,
        "andi" => AndIOp::NAME,
        "assign" => "",
        "maximumf" => MaximumFOp::NAME,
        "maxnumf" => MaxNumFOp::NAME,
        "maxs" => MaxSIOp::NAME,
        "maxu" => MaxUIOp::NAME,
        "minimumf" => MinimumFOp::NAME,
        "minnumf" => MinNumFOp::NAME,
        "mins" => MinSIOp::NAME,
        "minu" => MinUIOp::NAME,
        "mulf" => MulFOp::NAME,
        "muli" => MulIOp::NAME,
        "ori" => OrIOp::NAME,
        "xori" => XOrIOp::NAME,
        _ => return None,
    })
}

impl Lower<'_> {
    pub fn atomic_op(&mut self, op: Op, name: &str) -> Res<()> {
        let v = op.operands(self.ctx);
        let value_first = usize::from(name == "atomic_rmw");
        let Some((m, at)) = v.get(value_first..).and_then(|v| v.split_first()) else {
            return Err("has too few operands".to_string());
        };
        let m = self.memref_val(*m)?;
        writable(&m)?;
        if m.lanes > 1 {
            return Err("updates a vector; scalars are supported".to_string());
        }
        let at = self.idxs(at)?;
        let address = self.address(&m, &at)?;
        let old = if name == "atomic_rmw" {
            let kind = op
                .int_attr(self.ctx, "kind")
                .and_then(|k| RMW_KIND.keyword(k));
            let kind = kind.ok_or("has no kind")?;
            let value = self.scalar(v[0])?;
            let unused = !op.result(self.ctx, 0).has_uses(self.ctx);
            self.update(&m, address, &kind, value, unused)?
        } else {
            self.generic(op, &m, address)?
        };
        self.define_reg(op, old)
    }

    fn update(
        &mut self,
        m: &MemRef,
        address: Address,
        update: &str,
        value: Reg,
        unused: bool,
    ) -> Res<Reg> {
        let Some(arith) = arith_of(update) else {
            return Err(format!("has the unknown kind '{update}'"));
        };
        let native = self
            .native(update, m.elem)
            .filter(|_| m.space != Space::Local);
        if let Some((atom, ty)) = native {
            if unused && atom != AtomOp::Exch {
                self.b.red(m.space, atom, ty, address, value);
                // Nothing reads the result.
                return Ok(value);
            }
            let value = self.as_bits_of(ty, value);
            let old = self.b.atom(m.space, atom, ty, address, value);
            return Ok(self.as_kind(m.elem, old));
        }
        let elem = m.elem;
        self.swap_loop(m, address, &mut |l, old| {
            if arith.is_empty() {
                return Ok(value);
            }
            let ints = l
                .int_op(arith, elem, &[old, value])
                .and_then(|r| r.first().copied());
            ints.or_else(|| l.float_op(arith, elem, &[old, value]))
                .ok_or_else(|| format!("cannot update elements of this type by '{update}'"))
        })
    }

    fn generic(&mut self, op: Op, m: &MemRef, address: Address) -> Res<Reg> {
        let body = op.regions(self.ctx).first().and_then(|r| r.entry(self.ctx));
        let Some(body) = body.filter(|b| b.num_args(self.ctx) == 1) else {
            return Err("has no region of one argument".to_string());
        };
        let is_read = op.cast::<GenericAtomicRmwOp>(self.ctx);
        if is_read.is_some_and(|o| o.only_reads(self.ctx)) {
            let raw = match m.space {
                Space::Local => self.b.ld(m.space, m.elem.memory(), address),
                _ => self.b.ld_relaxed(m.space, m.elem.memory(), address),
            };
            return Ok(self.loaded(m.elem, raw));
        }
        self.swap_loop(m, address, &mut |l, old| {
            l.values
                .insert(body.arg(l.ctx, 0), super::value::Val::Scalar(old));
            match l.block_body(body) {
                Some(end) if end.num_operands(l.ctx) == 1 => l.scalar(end.operand(l.ctx, 0)),
                _ => Err("has a region that does not yield one value".to_string()),
            }
        })
    }

    /// The machine's instruction for an update of elements of a kind.
    fn native(&self, update: &str, kind: Kind) -> Option<(AtomOp, Ty)> {
        let sm = self.unit.module.arch.sm;
        let int = match kind {
            Kind::Int(t) if t.is_full() && t.c >= 32 => Some(t),
            _ => None,
        };
        Some(match update {
            "addf" => match kind {
                Kind::F32 => (AtomOp::Add, Ty::F32),
                Kind::F64 => (AtomOp::Add, Ty::F64),
                Kind::F16 => (AtomOp::Add, Ty::F16),
                Kind::Bf16 if sm >= 90 => (AtomOp::Add, Ty::Bf16),
                _ => return None,
            },
            "assign" => match kind.reg().bits() {
                32 if kind.bytes() == 4 => (AtomOp::Exch, Ty::B32),
                64 => (AtomOp::Exch, Ty::B64),
                _ => return None,
            },
            "addi" => (AtomOp::Add, int?.unsigned()),
            "maxs" => (AtomOp::Max, int?.signed()),
            "mins" => (AtomOp::Min, int?.signed()),
            "maxu" => (AtomOp::Max, int?.unsigned()),
            "minu" => (AtomOp::Min, int?.unsigned()),
            "andi" => (AtomOp::And, int?.bits()),
            "ori" => (AtomOp::Or, int?.bits()),
            "xori" => (AtomOp::Xor, int?.bits()),
            _ => return None,
        })
    }

    /// A value as bits, if the instruction's type is one of bits.
    fn as_bits_of(&mut self, ty: Ty, r: Reg) -> Reg {
        let reg = self.b.func().reg_ty(r);
        let float = matches!(reg, Some(RegTy::F32 | RegTy::F64));
        if !float || ty.is_float() {
            return r;
        }
        let bits = self.b.reg(ty.reg());
        self.b.mov_to(bits, ty, r);
        bits
    }

    /// Bits as a value of a kind.
    fn as_kind(&mut self, kind: Kind, r: Reg) -> Reg {
        if self.b.func().reg_ty(r) == Some(kind.reg()) {
            return r;
        }
        let value = self.b.reg(kind.reg());
        self.b.mov_to(value, kind.reg().ty().as_bits(), r);
        value
    }

    /// Computes the new value from the old one until nobody interferes;
    /// returns the old one.
    fn swap_loop(
        &mut self,
        m: &MemRef,
        address: Address,
        update: &mut dyn FnMut(&mut Self, Reg) -> Res<Reg>,
    ) -> Res<Reg> {
        if m.space == Space::Local {
            // Nobody else sees the memory of a thread.
            let raw = self.b.ld(m.space, m.elem.memory(), address);
            let old = self.loaded(m.elem, raw);
            // A copy: the register that was loaded may be all there is.
            let new = update(self, old)?;
            let new = self.storable(m.elem, new);
            self.b.st(m.space, m.elem.memory(), address, new);
            return Ok(old);
        }
        if m.elem.bytes() == 1 {
            return self.byte_swap_loop(m, address, update);
        }
        let bits = m.elem.memory().as_bits();
        let held = self.b.reg(bits.reg());
        let first = self.b.ld_relaxed(m.space, bits, address);
        self.b.mov_to(held, bits, first);
        let [again, done] = ["atomic", "atomic_done"].map(|n| self.new_block(n));
        self.b.bra(again);
        self.enter(again);
        let before = self.b.mov(bits, held);
        let old = self.as_kind(m.elem, before);
        let old = self.loaded(m.elem, old);
        let new = update(self, old)?;
        let new = self.storable(m.elem, new);
        let new = self.as_bits_of(bits, new);
        let found = self.b.atom_cas(m.space, bits, address, before, new);
        self.b.mov_to(held, bits, found);
        let changed = self.b.setp(Cmp::Ne, bits, found, before);
        self.b.cond_bra(changed, again, done);
        self.enter(done);
        Ok(old)
    }

    /// The same for bytes, within the aligned word that holds the byte.
    fn byte_swap_loop(
        &mut self,
        m: &MemRef,
        address: Address,
        update: &mut dyn FnMut(&mut Self, Reg) -> Res<Reg>,
    ) -> Res<Reg> {
        let Base::Reg(base) = address.base else {
            return Err("has an address that is no register".to_string());
        };
        let byte = self.b.add(Ty::S64, base, i64::from(address.offset));
        let word = self.b.and(Ty::B64, byte, -4i64);
        let place = self.b.cvt(Ty::U32, Ty::U64, byte);
        let place = self.b.and(Ty::B32, place, 3);
        let shift = self.b.shl(Ty::B32, place, 3);
        let mask = self.b.mov(Ty::U32, 0xff);
        let mask = self.b.shl(Ty::B32, mask, shift);
        let others = self.b.not(Ty::B32, mask);
        let held = self.b.reg(RegTy::B32);
        let word: Address = word.into();
        let first = self.b.ld_relaxed(m.space, Ty::B32, word);
        self.b.mov_to(held, Ty::B32, first);
        let [again, done] = ["atomic", "atomic_done"].map(|n| self.new_block(n));
        self.b.bra(again);
        self.enter(again);
        let before = self.b.mov(Ty::B32, held);
        let down = self.b.shr(Ty::U32, before, shift);
        let raw = self.b.cvt(Ty::U16, Ty::U32, down);
        let raw = self.b.and(Ty::B16, raw, 0xff);
        let old = self.loaded(m.elem, raw);
        let new = update(self, old)?;
        let new = self.storable(m.elem, new);
        let new = self.b.cvt(Ty::U32, Ty::U16, new);
        let new = self.b.shl(Ty::B32, new, shift);
        let kept = self.b.and(Ty::B32, before, others);
        let new = self.b.or(Ty::B32, kept, new);
        let found = self.b.atom_cas(m.space, Ty::B32, word, before, new);
        self.b.mov_to(held, Ty::B32, found);
        let changed = self.b.setp(Cmp::Ne, Ty::B32, found, before);
        self.b.cond_bra(changed, again, done);
        self.enter(done);
        Ok(old)
    }
}
