//! What is known of addresses modulo powers of two.
//!
//! A value is `residue` modulo `modulus`; modulus 1 says nothing. From this
//! the checker proves vector accesses misaligned, and a pass that widens
//! accesses can prove them aligned.

use super::cfg::Cfg;
use super::defs::Defs;
use super::ids::Reg;
use super::inst::Inst;
use super::modifiers::{Half, Sat, Space};
use super::module::{Func, Module, var_of};
use super::op::Op;
use super::operand::{Address, Base, Operand, Sym};
use super::types::Ty;

/// Larger alignments are of no use to any access.
const MOST: u64 = 1 << 16;

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
        Congruence::new(MOST, value as u64)
    }

    fn new(modulus: u64, value: u64) -> Congruence {
        let modulus = modulus.clamp(1, MOST);
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
            if v == 0 {
                MOST
            } else {
                1 << v.trailing_zeros()
            }
        };
        let modulus = (self.modulus * other.modulus)
            .min(self.modulus.saturating_mul(zeros(other.residue)))
            .min(other.modulus.saturating_mul(zeros(self.residue)));
        Congruence::new(modulus, self.residue.wrapping_mul(other.residue))
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

/// The congruence of every register of a function. Registers written more
/// than once, or under a guard, are unknown.
#[derive(Clone, Debug)]
pub struct Congruences<'a> {
    module: &'a Module,
    func: &'a Func,
    regs: Vec<Congruence>,
}

impl<'a> Congruences<'a> {
    /// One pass over the code, definitions before uses.
    pub fn new(module: &'a Module, func: &'a Func, cfg: &Cfg, defs: &Defs) -> Congruences<'a> {
        let mut facts = Congruences {
            module,
            func,
            regs: vec![Congruence::ANY; func.regs.len()],
        };
        for &at in &cfg.rpo {
            let block = cfg
                .blocks
                .get(at as usize)
                .and_then(|b| func.blocks.get(*b));
            for id in block.map_or(&[][..], |b| &b.insts) {
                if let Some(inst) = func.insts.get(*id)
                    && let Some(dest) = inst.dest()
                    && defs.single(dest).is_some()
                {
                    facts.regs[dest.index()] = facts.of_inst(inst);
                }
            }
        }
        facts
    }

    /// Of a register.
    pub fn of(&self, reg: Reg) -> Congruence {
        self.regs
            .get(reg.index())
            .copied()
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

    fn of_inst(&self, inst: &Inst) -> Congruence {
        if inst.ty().is_float() {
            return Congruence::ANY;
        }
        let of = |at: usize| match inst.operands.get(at) {
            Some(Operand::Reg(r)) => self.of(*r),
            Some(Operand::Imm(v)) => Congruence::constant(*v),
            Some(Operand::Sym(sym)) => self.of_sym(*sym),
            _ => Congruence::ANY,
        };
        match inst.op {
            Op::Mov | Op::Cvta => of(1),
            // The low 16 bits survive any conversion between 32 and 64 bits.
            Op::Cvt if wide_int(inst.tys[0]) && wide_int(inst.tys[1]) => match inst.mods.sat {
                Sat::Off => of(1),
                Sat::On | Sat::Finite => Congruence::ANY,
            },
            Op::Add if inst.mods.sat == Sat::Off => of(1).add(of(2)),
            Op::Sub if inst.mods.sat == Sat::Off => of(1).add(of(2).negate()),
            Op::Mul if inst.mods.half != Half::Hi => of(1).mul(of(2)),
            Op::Mad if inst.mods.half != Half::Hi => of(1).mul(of(2)).add(of(3)),
            Op::Shl => match inst.operands.get(2) {
                Some(Operand::Imm(k @ 0..=63)) => of(1).mul(Congruence::new(MOST, 1 << k)),
                _ => Congruence::ANY,
            },
            Op::Ld if inst.mods.space == Space::Param => pointee(self.func, inst),
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
    use crate::{FuncBuilder, Param, Special};

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
        let facts = Congruences::new(&module, func, &Cfg::new(func), &Defs::new(func));
        let of = |r| facts.of(r);
        assert_eq!(of(base), Congruence::new(16, 0));
        assert_eq!(of(off), Congruence::new(8, 0));
        assert_eq!(of(q), Congruence::new(8, 4));
        assert_eq!(of(s), Congruence::new(MOST, 0));
        assert_eq!(of(m).is_multiple_of(16), Some(true));
        assert_eq!(of(q).is_multiple_of(8), Some(false));
        assert_eq!(of(q).is_multiple_of(4), Some(true));
        assert_eq!(of(p).is_multiple_of(16), None);
    }

    #[test]
    fn products_are_exact_on_small_numbers() {
        // Every pair of congruences modulo up to 16 against enumeration.
        let all: Vec<Congruence> = [1u64, 2, 4, 8, 16]
            .into_iter()
            .flat_map(|m| (0..m).map(move |r| Congruence::new(m, r)))
            .collect();
        for a in &all {
            for b in &all {
                let (sum, product) = (a.add(*b), a.mul(*b));
                for x in (a.residue..64).step_by(a.modulus as usize) {
                    for y in (b.residue..64).step_by(b.modulus as usize) {
                        assert_eq!((x + y) % sum.modulus, sum.residue);
                        assert_eq!((x * y) % product.modulus, product.residue, "{a:?} {b:?}");
                    }
                }
            }
        }
    }
}
