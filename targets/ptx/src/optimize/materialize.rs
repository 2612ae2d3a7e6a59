//! Code for a polynomial: the inverse of [`crate::polynomial`].
//!
//! Sums grow from what changes least: values made outside of all loops come
//! first, so that what is left can be hoisted; among those of one depth,
//! pointers come last, so that arrays with equal indices share the index.
//! Registers that hold a part of the sum already are used.

use super::facts::Facts;
use super::loops::Loops;
use crate::cfg::Point;
use crate::ids::{InstId, Reg};
use crate::inst::{Inst, Loc};
use crate::modifiers::{Half, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::polynomial::{Atom, Ext, Monomial, Polynomial};
use crate::types::{RegTy, Ty};
use crate::values::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Registers that hold each polynomial.
pub(super) type Holders = FxHashMap<Polynomial, SmallVec<[(Reg, Value); 2]>>;

/// The registers written once that hold each polynomial, for [`Maker`].
pub(super) fn holders(func: &Func, facts: &Facts) -> Holders {
    let mut holders = Holders::default();
    for value in facts.values.iter() {
        let Some(reg) = facts.values.reg(value) else {
            continue;
        };
        let wide = matches!(func.reg_ty(reg), Some(RegTy::B32 | RegTy::B64));
        if wide && facts.defs.is_stable(reg) {
            let list = holders.entry(facts.forms.of(value)).or_default();
            list.push((reg, value));
        }
    }
    holders
}

/// Makes code that stands at one point.
pub(super) struct Maker<'a> {
    pub func: &'a mut Func,
    pub facts: &'a Facts,
    pub loops: &'a Loops,
    pub holders: &'a Holders,
    /// The registers read must hold their values before this point.
    pub point: Point,
    pub loc: Loc,
    /// What was made, in order, to be put at the point.
    pub code: Vec<InstId>,
    made: FxHashMap<(Polynomial, u32), Reg>,
}

impl<'a> Maker<'a> {
    pub fn new(
        func: &'a mut Func,
        facts: &'a Facts,
        loops: &'a Loops,
        holders: &'a Holders,
        point: Point,
        loc: Loc,
    ) -> Maker<'a> {
        Maker {
            func,
            facts,
            loops,
            holders,
            point,
            loc,
            code: Vec::new(),
            made: FxHashMap::default(),
        }
    }

    /// Whether everything that the polynomial is made of is at hand.
    pub fn can(&self, sum: &Polynomial, bits: u32) -> bool {
        let atoms = sum.terms.iter().flat_map(|(monomial, _)| monomial);
        let mut atoms = atoms.copied();
        atoms.all(|atom| self.atom(atom).is_some()) && (bits == 64 || sum.sym.is_none())
    }

    /// The sum in a register, or a number. None if something is not at hand;
    /// see [`Maker::can`].
    pub fn sum(&mut self, sum: &Polynomial, bits: u32) -> Option<Operand> {
        if let Some(k) = sum.as_constant() {
            return Some(Operand::Imm(k));
        }
        if let Some(reg) = self.existing(sum, bits) {
            return Some(Operand::Reg(reg));
        }
        let mut terms: Vec<(u32, bool, &Monomial, i64)> = (sum.terms.iter())
            .map(|(monomial, c)| {
                let (depth, pointer) = self.rank(monomial);
                (depth, pointer, monomial, *c)
            })
            .collect();
        terms.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        let mut so_far = Polynomial::default();
        let mut acc: Option<Reg> = None;
        if sum.sym.is_some() {
            so_far.sym = sum.sym;
            acc = Some(self.symbol(&so_far, bits)?);
        }
        for (_, _, monomial, c) in terms {
            so_far = so_far.plus(&one_term(monomial, c), 1)?;
            acc = Some(self.add_term(&so_far, acc, monomial, c, bits)?);
        }
        if sum.constant != 0 {
            let acc_reg = acc?;
            let ty = if bits == 64 { Ty::S64 } else { Ty::S32 };
            let made = self.emit(
                Op::Add,
                Mods::default(),
                ty,
                bits,
                [acc_reg.into(), Operand::Imm(sum.constant)],
            );
            self.made.insert((sum.clone(), bits), made);
            acc = Some(made);
        }
        acc.map(Operand::Reg)
    }

    /// Depth of the innermost loop that makes a part of it, and whether it is
    /// a pointer by itself.
    fn rank(&self, monomial: &Monomial) -> (u32, bool) {
        let depth = |atom: &Atom| {
            let block = self.facts.values.block_of(atom.value);
            block.map_or(0, |b| self.loops.depth(b))
        };
        let deepest = monomial.iter().map(depth).max().unwrap_or(0);
        let pointer = match monomial[..] {
            [atom] => self.facts.aliases.is_object(atom.value),
            _ => false,
        };
        (deepest, pointer)
    }

    fn existing(&self, sum: &Polynomial, bits: u32) -> Option<Reg> {
        if let Some(reg) = self.made.get(&(sum.clone(), bits)) {
            return Some(*reg);
        }
        let list = self.holders.get(sum)?;
        let (reg, _) = list.iter().find(|(reg, value)| {
            self.func.reg_ty(*reg).map(RegTy::bits) == Some(bits) && self.holds(*value)
        })?;
        Some(*reg)
    }

    fn holds(&self, value: Value) -> bool {
        let Facts {
            values, cfg, defs, ..
        } = self.facts;
        values.holds(cfg, defs, value, self.point)
    }

    /// A register that holds the value of an atom, before it is widened.
    fn atom(&self, atom: Atom) -> Option<Reg> {
        let values = &self.facts.values;
        let reg = values.reg(atom.value)?;
        if self.facts.defs.is_stable(reg) && self.holds(atom.value) {
            return Some(reg);
        }
        let bits = self.func.reg_ty(reg)?.bits();
        self.existing(&Polynomial::atom(atom.value, Ext::None), bits)
    }

    fn emit(
        &mut self,
        op: Op,
        mods: Mods,
        ty: Ty,
        bits: u32,
        sources: impl IntoIterator<Item = Operand>,
    ) -> Reg {
        let reg = self.func.new_reg(match bits {
            64 => RegTy::B64,
            _ => RegTy::B32,
        });
        let operands = std::iter::once(Operand::Reg(reg)).chain(sources);
        let inst = Inst {
            loc: self.loc,
            ..Inst::new(op, mods, ty, operands)
        };
        self.code.push(self.func.insts.alloc(inst));
        reg
    }

    fn symbol(&mut self, so_far: &Polynomial, bits: u32) -> Option<Reg> {
        if let Some(reg) = self.existing(so_far, bits) {
            return Some(reg);
        }
        let sym = so_far.sym.filter(|_| bits == 64)?;
        let reg = self.emit(Op::Mov, Mods::default(), Ty::U64, bits, [Operand::Sym(sym)]);
        self.made.insert((so_far.clone(), bits), reg);
        Some(reg)
    }

    /// `acc + c * monomial`, which is `so_far`.
    fn add_term(
        &mut self,
        so_far: &Polynomial,
        acc: Option<Reg>,
        monomial: &Monomial,
        c: i64,
        bits: u32,
    ) -> Option<Reg> {
        if let Some(reg) = self.existing(so_far, bits) {
            return Some(reg);
        }
        let ty = if bits == 64 { Ty::S64 } else { Ty::S32 };
        let low = Mods {
            half: Half::Lo,
            ..Mods::default()
        };
        // A widened value with a factor is one instruction, also with a sum.
        if let [atom] = monomial[..]
            && atom.ext != Ext::None
            && bits == 64
            && self.existing(&one_term(monomial, c), bits).is_none()
            && fits(c, atom.ext)
            && (c != 1 || acc.is_some())
        {
            let from = self.atom(atom)?;
            let wide = Mods {
                half: Half::Wide,
                ..Mods::default()
            };
            let narrow = narrow_type(atom.ext);
            let factor = Operand::Imm(c);
            let reg = match acc {
                Some(acc) => self.emit(
                    Op::Mad,
                    wide,
                    narrow,
                    bits,
                    [from.into(), factor, acc.into()],
                ),
                None => self.emit(Op::Mul, wide, narrow, bits, [from.into(), factor]),
            };
            self.made.insert((so_far.clone(), bits), reg);
            return Some(reg);
        }
        let (term, negative) = if c < 0 && acc.is_some() && c != i64::MIN {
            (self.term(monomial, -c, bits, ty, low)?, true)
        } else {
            (self.term(monomial, c, bits, ty, low)?, false)
        };
        let reg = match acc {
            None => term,
            Some(acc) => {
                let op = if negative { Op::Sub } else { Op::Add };
                self.emit(op, Mods::default(), ty, bits, [acc.into(), term.into()])
            }
        };
        self.made.insert((so_far.clone(), bits), reg);
        Some(reg)
    }

    /// `c * monomial`.
    fn term(&mut self, monomial: &Monomial, c: i64, bits: u32, ty: Ty, low: Mods) -> Option<Reg> {
        let whole = one_term(monomial, c);
        if let Some(reg) = self.existing(&whole, bits) {
            return Some(reg);
        }
        let mut product: Option<Reg> = None;
        let plain = one_term(monomial, 1);
        if let Some(reg) = self.existing(&plain, bits) {
            product = Some(reg);
        } else {
            for atom in monomial {
                let factor = self.widened(*atom, bits)?;
                product = Some(match product {
                    None => factor,
                    Some(p) => self.emit(Op::Mul, low, ty, bits, [p.into(), factor.into()]),
                });
            }
        }
        let product = product?;
        self.made.insert((plain, bits), product);
        let reg = match c {
            1 => product,
            c if c > 0 && c & (c - 1) == 0 => {
                let shift = Operand::Imm(i64::from(c.trailing_zeros()));
                self.emit(
                    Op::Shl,
                    Mods::default(),
                    ty.as_bits(),
                    bits,
                    [product.into(), shift],
                )
            }
            c => self.emit(Op::Mul, low, ty, bits, [product.into(), Operand::Imm(c)]),
        };
        self.made.insert((whole, bits), reg);
        Some(reg)
    }

    /// An atom as a register of the width of the sum.
    fn widened(&mut self, atom: Atom, bits: u32) -> Option<Reg> {
        let from = self.atom(atom)?;
        if atom.ext == Ext::None {
            return (self.func.reg_ty(from)?.bits() == bits).then_some(from);
        }
        let alone = Polynomial::atom(atom.value, atom.ext);
        if let Some(reg) = self.existing(&alone, bits) {
            return Some(reg);
        }
        let to = match atom.ext {
            Ext::Signed => Ty::S64,
            _ => Ty::U64,
        };
        let reg = self.func.new_reg(RegTy::B64);
        let inst = Inst {
            loc: self.loc,
            ..Inst::with_types(
                Op::Cvt,
                Mods::default(),
                &[to, narrow_type(atom.ext)],
                [Operand::Reg(reg), from.into()],
            )
        };
        self.code.push(self.func.insts.alloc(inst));
        self.made.insert((alone, bits), reg);
        Some(reg)
    }
}

fn one_term(monomial: &Monomial, c: i64) -> Polynomial {
    Polynomial {
        terms: SmallVec::from_iter([(monomial.clone(), c)]),
        ..Polynomial::default()
    }
}

fn narrow_type(ext: Ext) -> Ty {
    match ext {
        Ext::Signed => Ty::S32,
        _ => Ty::U32,
    }
}

/// Whether a factor is an immediate of a widening product.
fn fits(c: i64, ext: Ext) -> bool {
    match ext {
        Ext::Signed => i32::try_from(c).is_ok(),
        _ => u32::try_from(c).is_ok(),
    }
}
