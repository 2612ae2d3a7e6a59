//! What is known of addresses modulo powers of two.
//!
//! A value is `residue` modulo `modulus`; modulus 1 says nothing. From this
//! the checker proves vector accesses misaligned, and vectorization proves
//! them aligned.

use super::cfg::Cfg;
use super::ids::Reg;
use super::inst::Inst;
use super::modifiers::{Half, Sat, Space};
use super::module::{Func, Module, var_of};
use super::op::Op;
use super::operand::{Address, Base, Operand, Special, Sym};
use super::types::Ty;

/// Larger alignments are of no use to any access.
const MAX: u64 = 1 << 16;

/// A value known modulo a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Congruence {
    /// A power of two, at most 2^16.
    pub modulus: u64,
    /// Less than the modulus.
    pub residue: u64,
}

impl Congruence {
    /// Nothing known.
    pub const ANY: Congruence = Congruence {
        modulus: 1,
        residue: 0,
    };

    fn constant(value: i64) -> Congruence {
        Congruence::new(MAX, value as u64)
    }

    fn new(modulus: u64, value: u64) -> Congruence {
        let modulus = modulus.clamp(1, MAX);
        Congruence {
            modulus,
            residue: value & (modulus - 1),
        }
    }

    fn add(self, other: Congruence) -> Congruence {
        Congruence::new(
            self.modulus.min(other.modulus),
            self.residue.wrapping_add(other.residue),
        )
    }

    fn negate(self) -> Congruence {
        Congruence::new(self.modulus, self.residue.wrapping_neg())
    }

    fn mul(self, other: Congruence) -> Congruence {
        // (m x + r)(n y + s) = rs modulo gcd(mn, ms, nr).
        let zeros = |v: u64| {
            if v == 0 { MAX } else { 1 << v.trailing_zeros() }
        };
        let modulus = (self.modulus * other.modulus)
            .min(self.modulus.saturating_mul(zeros(other.residue)))
            .min(other.modulus.saturating_mul(zeros(self.residue)));
        Congruence::new(modulus, self.residue.wrapping_mul(other.residue))
    }

    /// What holds of every value that either admits.
    fn join(self, other: Congruence) -> Congruence {
        let difference = self.residue ^ other.residue;
        let common = match difference {
            0 => MAX,
            d => 1 << d.trailing_zeros(),
        };
        Congruence::new(self.modulus.min(other.modulus).min(common), self.residue)
    }

    /// Without its lowest `k` bits.
    fn shifted(self, k: u32) -> Congruence {
        Congruence::new(self.modulus >> k, self.residue >> k)
    }

    /// Bit by bit, as far up as the result is known; unknown bits are none.
    fn bitwise(
        self,
        other: Congruence,
        of: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Congruence {
        let bit = |c: Congruence, i: u32| (c.modulus >> i > 1).then_some(c.residue >> i & 1 == 1);
        let (mut modulus, mut residue) = (1u64, 0);
        for i in 0..MAX.trailing_zeros() {
            let Some(known) = of(bit(self, i), bit(other, i)) else {
                break;
            };
            residue |= u64::from(known) << i;
            modulus <<= 1;
        }
        Congruence::new(modulus, residue)
    }

    /// Whether every value it admits, or none, is a multiple of `align`;
    /// none if some are.
    pub fn is_multiple_of(self, align: u64) -> Option<bool> {
        let align = align.max(1);
        if !align.is_power_of_two() {
            return None;
        }
        let common = self.modulus.min(align);
        if !self.residue.is_multiple_of(common) {
            Some(false)
        } else {
            (self.modulus >= align).then_some(true)
        }
    }
}

/// The congruence of every register of a function: what holds of all values
/// that are ever written to it.
#[derive(Clone, Debug)]
pub struct Congruences<'a> {
    module: &'a Module,
    func: &'a Func,
    /// None where nothing was found to write it.
    regs: Vec<Option<Congruence>>,
}

impl<'a> Congruences<'a> {
    /// A fixed point over the code: a register written in several places, as
    /// loops do, has what its first value and the step have in common.
    pub fn new(module: &'a Module, func: &'a Func, cfg: &Cfg) -> Congruences<'a> {
        let mut facts = Congruences {
            module,
            func,
            regs: vec![None; func.regs.len()],
        };
        for arg in &func.args {
            facts.meet(*arg, Congruence::ANY);
        }
        // Each register changes at most 17 times, and nothing but loops makes
        // a second round change anything.
        while facts.round(cfg) {}
        facts
    }

    fn round(&mut self, cfg: &Cfg) -> bool {
        let func = self.func;
        let mut changed = false;
        for &at in &cfg.rpo {
            let block = cfg
                .blocks
                .get(at as usize)
                .and_then(|b| func.blocks.get(*b));
            for id in block.map_or(&[][..], |b| &b.insts) {
                let Some(inst) = func.insts.get(*id) else {
                    continue;
                };
                match inst.dest() {
                    Some(dest) => {
                        if let Some(new) = self.of_inst(inst) {
                            changed |= self.meet(dest, new);
                        }
                    }
                    None => inst.for_each_def(|reg| changed |= self.meet(reg, Congruence::ANY)),
                }
            }
        }
        changed
    }

    fn meet(&mut self, reg: Reg, new: Congruence) -> bool {
        let Some(slot) = self.regs.get_mut(reg.index()) else {
            return false;
        };
        let new = slot.map_or(new, |old| old.join(new));
        slot.replace(new) != Some(new)
    }

    /// Of a register.
    pub fn of(&self, reg: Reg) -> Congruence {
        self.regs
            .get(reg.index())
            .copied()
            .flatten()
            .unwrap_or(Congruence::ANY)
    }

    /// Of an address.
    pub fn of_address(&self, address: Address) -> Congruence {
        let base = match address.base {
            Base::Reg(reg) => self.of(reg),
            Base::Sym(sym) => self.of_sym(sym),
        };
        base.add(Congruence::constant(i64::from(address.offset)))
    }

    fn of_sym(&self, sym: Sym) -> Congruence {
        let align = match sym {
            Sym::Param(i) => self.func.params.get(i as usize).map(|p| p.alignment()),
            _ => var_of(self.module, self.func, sym).map(|v| v.alignment()),
        };
        match align {
            Some(align) if align.is_power_of_two() => Congruence::new(u64::from(align), 0),
            _ => Congruence::ANY,
        }
    }

    /// Of the result of an instruction; none while an operand is not known to
    /// be written at all.
    fn of_inst(&self, inst: &Inst) -> Option<Congruence> {
        if inst.ty().is_float() {
            return Some(Congruence::ANY);
        }
        let of = |at: usize| match inst.operands.get(at) {
            Some(Operand::Reg(r)) => self.regs.get(r.index()).copied().flatten(),
            Some(Operand::Imm(v)) => Some(Congruence::constant(*v)),
            Some(Operand::Sym(sym)) => Some(self.of_sym(*sym)),
            Some(Operand::Special(special)) => Some(self.of_special(*special)),
            _ => Some(Congruence::ANY),
        };
        let plain = inst.mods.sat == Sat::Off;
        Some(match inst.op {
            Op::Mov | Op::Cvta => of(1)?,
            // The low 16 bits survive any conversion between 32 and 64 bits.
            Op::Cvt if wide_int(inst.tys[0]) && wide_int(inst.tys[1]) && plain => of(1)?,
            Op::Add if plain => of(1)?.add(of(2)?),
            Op::Sub if plain => of(1)?.add(of(2)?.negate()),
            Op::Neg => of(1)?.negate(),
            Op::Mul if inst.mods.half != Half::Hi => of(1)?.mul(of(2)?),
            Op::Mad if inst.mods.half != Half::Hi => of(1)?.mul(of(2)?).add(of(3)?),
            Op::Shl => match inst.operands.get(2) {
                Some(Operand::Imm(k @ 0..=63)) => of(1)?.mul(Congruence::new(MAX, 1 << k)),
                _ => Congruence::ANY,
            },
            Op::Shr => match inst.operands.get(2) {
                Some(Operand::Imm(k @ 0..=15)) => of(1)?.shifted(*k as u32),
                _ => Congruence::ANY,
            },
            Op::And => of(1)?.bitwise(of(2)?, |a, b| match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => a.and_then(|a| b.map(|b| a && b)),
            }),
            Op::Or => of(1)?.bitwise(of(2)?, |a, b| match (a, b) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => a.and_then(|a| b.map(|b| a || b)),
            }),
            Op::Xor => of(1)?.bitwise(of(2)?, |a, b| Some(a? != b?)),
            Op::Min | Op::Max | Op::Selp => of(1)?.join(of(2)?),
            Op::Ld if inst.mods.space == Space::Param => pointee(self.func, inst),
            _ => Congruence::ANY,
        })
    }

    fn of_special(&self, special: Special) -> Congruence {
        let sizes = self.func.bounds.required_threads;
        let size = |d: usize| match sizes {
            Some(sizes) => Congruence::constant(i64::from(sizes[d])),
            None => Congruence::ANY,
        };
        match special {
            Special::NtidX => size(0),
            Special::NtidY => size(1),
            Special::NtidZ => size(2),
            _ => Congruence::ANY,
        }
    }
}

fn wide_int(ty: Ty) -> bool {
    ty.is_int() && ty.bits() >= 32
}

/// The alignment promised for the pointer parameter that a load reads.
fn pointee(func: &Func, inst: &Inst) -> Congruence {
    let Some(Address {
        base: Base::Sym(Sym::Param(i)),
        offset: 0,
    }) = inst.address()
    else {
        return Congruence::ANY;
    };
    match func.params.get(i as usize).and_then(|p| p.pointee) {
        Some((_, align)) if align.is_power_of_two() => Congruence::new(u64::from(align), 0),
        _ => Congruence::ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Arch;
    use crate::{Cmp, FuncBuilder, Param, RegTy};

    #[test]
    fn addresses_are_followed_through_arithmetic() {
        let mut module = Module::new(Arch::sm(90));
        let id = module.add_kernel("k");
        let a = module.funcs[id].add_param(Param::global_pointer("a", 16));
        let mut b = FuncBuilder::new(&mut module.funcs[id]);
        let base = b.ld_param(Ty::U64, a);
        let i = b.special(Special::TidX);
        let off = b.mul_wide(Ty::U32, i, 8);
        let p = b.add(Ty::S64, base, off);
        let q = b.add(Ty::S64, p, 4);
        let s = b.shl(Ty::B64, q, 20);
        let m = b.mul(Ty::S64, q, q);
        b.ret();
        let func = &module.funcs[id];
        let facts = Congruences::new(&module, func, &Cfg::new(func));
        let of = |r| facts.of(r);
        assert_eq!(of(base), Congruence::new(16, 0));
        assert_eq!(of(off), Congruence::new(8, 0));
        assert_eq!(of(q), Congruence::new(8, 4));
        assert_eq!(of(s), Congruence::new(MAX, 0));
        assert_eq!(of(m).is_multiple_of(16), Some(true));
        assert_eq!(of(q).is_multiple_of(8), Some(false));
        assert_eq!(of(q).is_multiple_of(4), Some(true));
        assert_eq!(of(p).is_multiple_of(16), None);
    }

    #[test]
    fn loops_keep_what_start_and_step_have_in_common() {
        let mut module = Module::new(Arch::sm(90));
        let id = module.add_kernel("k");
        let a = module.funcs[id].add_param(Param::global_pointer("a", 16));
        let mut b = FuncBuilder::new(&mut module.funcs[id]);
        let base = b.ld_param(Ty::U64, a);
        let (head, end) = (b.new_block("head"), b.new_block("end"));
        let (i, p) = (b.reg(RegTy::B32), b.reg(RegTy::B64));
        b.mov_to(i, Ty::U32, 4);
        b.mov_to(p, Ty::U64, base);
        b.bra(head);
        b.switch_to(head);
        b.add_to(i, Ty::U32, i, 12);
        b.add_to(p, Ty::U64, p, 8);
        let guarded = b.mov(Ty::U32, 16);
        let done = b.setp(Cmp::Gt, Ty::U32, i, 100);
        b.guarded(done, false, |b| b.mov_to(guarded, Ty::U32, 6));
        b.cond_bra(done, end, head);
        b.switch_to(end);
        b.ret();
        let func = &module.funcs[id];
        let facts = Congruences::new(&module, func, &Cfg::new(func));
        assert_eq!(facts.of(i), Congruence::new(4, 0));
        assert_eq!(facts.of(p), Congruence::new(8, 0));
        assert_eq!(facts.of(guarded), Congruence::new(2, 0));
    }

    #[test]
    fn products_are_exact_on_small_numbers() {
        // Every pair of congruences modulo up to 16 against enumeration.
        let all: Vec<Congruence> = [1u64, 2, 4, 8, 16]
            .into_iter()
            .flat_map(|m| (0..m).map(move |r| Congruence::new(m, r)))
            .collect();
        let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => Some(a? && b?),
        };
        for a in &all {
            for b in &all {
                let (sum, product) = (a.add(*b), a.mul(*b));
                let (both, joined, half) = (a.bitwise(*b, and), a.join(*b), a.shifted(1));
                for x in (a.residue..64).step_by(a.modulus as usize) {
                    for y in (b.residue..64).step_by(b.modulus as usize) {
                        assert_eq!((x + y) % sum.modulus, sum.residue);
                        assert_eq!((x & y) % both.modulus, both.residue, "{a:?} {b:?}");
                        assert_eq!(x % joined.modulus, joined.residue, "{a:?} {b:?}");
                        assert_eq!(y % joined.modulus, joined.residue, "{a:?} {b:?}");
                        assert_eq!((x >> 1) % half.modulus, half.residue, "{a:?}");
                        assert_eq!((x * y) % product.modulus, product.residue, "{a:?} {b:?}");
                    }
                }
            }
        }
    }
}
