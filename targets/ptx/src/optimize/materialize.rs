//! Code for a polynomial: the inverse of [`crate::polynomial`].
//!
//! Sums grow from what changes least: values made outside of all loops come
//! first, so that what is left can be hoisted; among those of one depth,
//! pointers come last, so that arrays with equal indices share the index.
//! Registers that hold a part of the sum already are used.

mod held;

pub(super) use held::{Earlier, Holders, holders};
use held::{Made, atoms_of};

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
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

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
    /// The registers made.
    pub made: FxHashMap<(Polynomial, u32), Reg>,
    /// Registers made before, at other points.
    pub earlier: &'a Earlier,
    /// Registers not to be used here.
    pub without: FxHashSet<Reg>,
    /// Registers not to be used anywhere, if there are such.
    pub gone: Option<&'a FxHashSet<Reg>>,
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
            earlier: Earlier::NONE,
            without: FxHashSet::default(),
            gone: None,
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
        let (reg, constant) = self.up_to_constant(sum, bits)?;
        Some(Operand::Reg(self.plus_constant(sum, reg, constant, bits)))
    }

    /// `reg + constant`, which is `sum`.
    pub fn plus_constant(&mut self, sum: &Polynomial, reg: Reg, constant: i64, bits: u32) -> Reg {
        if constant == 0 {
            return reg;
        }
        let ty = if bits == 64 { Ty::S64 } else { Ty::S32 };
        let sources = [reg.into(), Operand::Imm(constant)];
        let made = self.emit(Op::Add, Mods::default(), ty, bits, sources);
        self.made.insert((sum.clone(), bits), made);
        made
    }

    /// A register, and a constant that the sum is more than it: whatever is
    /// easiest. The sum is more than a number.
    pub fn up_to_constant(&mut self, sum: &Polynomial, bits: u32) -> Option<(Reg, i64)> {
        if let Some(reg) = self.existing(sum, bits) {
            return Some((reg, 0));
        }
        let (mut terms, constant) = self.cover(sum, bits)?;
        // What is taken away comes after what it is taken from.
        let order = |t: &Term| (t.depth, t.c < 0, t.pointer);
        terms.sort_by(|a, b| (order(a), a.rank()).cmp(&(order(b), b.rank())));
        let mut so_far = Polynomial::default();
        let mut acc: Option<Reg> = None;
        if sum.sym.is_some() {
            so_far.sym = sum.sym;
            acc = Some(self.symbol(&so_far, bits)?);
        }
        for term in &terms {
            so_far = so_far.plus(&term.form()?, 1)?;
            acc = Some(self.add_term(&so_far, acc, term, bits)?);
        }
        Some((acc?, constant))
    }

    /// The sum as few terms, using sums that registers hold already, and the
    /// constant that is left.
    fn cover(&self, sum: &Polynomial, bits: u32) -> Option<(Vec<Term>, i64)> {
        let mut rest = sum.clone();
        rest.sym = None;
        let mut terms = Vec::new();
        while let Some((term, left)) = self.largest_part(&rest, bits) {
            terms.push(term);
            rest = left;
        }
        for (monomial, c) in &rest.terms {
            terms.push(Term {
                factor: None,
                monomial: monomial.clone(),
                c: *c,
                depth: self.depth(monomial),
                pointer: match monomial[..] {
                    [atom] => self.facts.aliases.is_object(atom.value),
                    _ => false,
                },
            });
        }
        Some((terms, rest.constant))
    }

    /// The register whose sum, times something, leaves least of a sum.
    fn largest_part(&self, sum: &Polynomial, bits: u32) -> Option<(Term, Polynomial)> {
        let mut best: Option<(usize, Term, Polynomial)> = None;
        if sum.terms.len() < 2 {
            return None;
        }
        let atoms = (sum.terms.iter()).fold(0, |all, (m, _)| all | atoms_of(m));
        let held = (self.holders.sums.iter())
            .filter(|(_, reg, _)| self.func.reg_ty(*reg).map(RegTy::bits) == Some(bits))
            .map(|(part, reg, value)| (part, *reg, Some(*value), None));
        let earlier = (self.earlier.iter())
            .filter(|m| m.bits == bits && m.part.sum.sym.is_none())
            .map(|m| (&m.part, m.reg, None, Some(m)));
        for (part, reg, value, made) in held.chain(earlier).filter(|p| p.0.may_help(atoms)) {
            let part = &part.sum;
            // At most its terms become one.
            let most = part.terms.len().saturating_sub(1);
            if most <= best.as_ref().map_or(0, |b| b.0)
                || part.terms.len() > sum.terms.len() + 1
                || self.is_barred(reg)
            {
                continue;
            }
            if !value.is_none_or(|v| self.holds(v)) || !made.is_none_or(|m| self.reaches(m)) {
                continue;
            }
            for (extra, c) in multiples(sum, part) {
                let least = best.as_ref().map_or(0, |b| b.0);
                if most_gained(sum, part, &extra, c) <= least {
                    continue;
                }
                let term = Term {
                    factor: Some((reg, part.clone())),
                    depth: self.depth(&extra).max(match (value, made) {
                        (Some(value), _) => self.depth_of(value),
                        (None, made) => made.map_or(0, |m| self.loops.depth(m.point.block)),
                    }),
                    pointer: value.is_some_and(|v| self.facts.aliases.is_object(v)),
                    monomial: extra,
                    c,
                };
                let left = term.form().and_then(|form| sum.plus(&form, -1));
                if let Some(left) = left
                    && let Some(gain) = sum.terms.len().checked_sub(left.terms.len() + 1)
                    && gain > least
                {
                    best = Some((gain, term, left));
                }
            }
        }
        best.map(|(_, term, left)| (term, left))
    }

    /// Depth of the innermost loop that makes a part of it.
    fn depth(&self, monomial: &[Atom]) -> u32 {
        let depths = monomial.iter().map(|atom| self.depth_of(atom.value));
        depths.max().unwrap_or(0)
    }

    fn depth_of(&self, value: Value) -> u32 {
        let block = self.facts.values.block_of(value);
        block.map_or(0, |b| self.loops.depth(b))
    }

    fn existing(&self, sum: &Polynomial, bits: u32) -> Option<Reg> {
        let key = (sum.clone(), bits);
        if let Some(reg) = self.made.get(&key) {
            return Some(*reg);
        }
        let list = self.holders.of.get(sum).map_or(&[][..], |list| list);
        let held = list.iter().find(|(reg, value)| {
            self.func.reg_ty(*reg).map(RegTy::bits) == Some(bits)
                && !self.is_barred(*reg)
                && self.holds(*value)
        });
        if let Some((reg, _)) = held {
            return Some(*reg);
        }
        let mut earlier = self.earlier.holding(&key);
        Some(earlier.find(|m| self.reaches(m))?.reg)
    }

    fn is_barred(&self, reg: Reg) -> bool {
        self.without.contains(&reg) || self.gone.is_some_and(|gone| gone.contains(&reg))
    }

    /// Whether what was made before is there at the point.
    fn reaches(&self, made: &Made) -> bool {
        match made.point.block == self.point.block {
            true => made.point.index <= self.point.index,
            false => (self.facts.cfg).dominates(made.point.block, self.point.block),
        }
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

    /// `acc + term`, which is `so_far`.
    fn add_term(
        &mut self,
        so_far: &Polynomial,
        acc: Option<Reg>,
        term: &Term,
        bits: u32,
    ) -> Option<Reg> {
        if let Some(reg) = self.existing(so_far, bits) {
            return Some(reg);
        }
        let ty = if bits == 64 { Ty::S64 } else { Ty::S32 };
        if let Some(reg) = self.widening(acc, term, bits) {
            self.made.insert((so_far.clone(), bits), reg);
            return Some(reg);
        }
        let negative = term.c < 0 && acc.is_some() && term.c != i64::MIN;
        let c = if negative { -term.c } else { term.c };
        let term = self.term(term, c, bits)?;
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

    /// A widened value with a factor is one instruction, also with a sum.
    fn widening(&mut self, acc: Option<Reg>, term: &Term, bits: u32) -> Option<Reg> {
        let [atom] = term.monomial[..] else {
            return None;
        };
        if term.factor.is_some()
            || atom.ext == Ext::None
            || bits != 64
            || !fits(term.c, atom.ext)
            || term.c == 1 && acc.is_none()
            || self.existing(&term.form()?, bits).is_some()
        {
            return None;
        }
        let from = self.atom(atom)?;
        let wide = Mods {
            half: Half::Wide,
            ..Mods::default()
        };
        let ty = narrow_type(atom.ext);
        let factor = Operand::Imm(term.c);
        Some(match acc {
            Some(acc) => self.emit(Op::Mad, wide, ty, bits, [from.into(), factor, acc.into()]),
            None => self.emit(Op::Mul, wide, ty, bits, [from.into(), factor]),
        })
    }

    /// A term with another constant factor.
    fn term(&mut self, term: &Term, c: i64, bits: u32) -> Option<Reg> {
        let ty = if bits == 64 { Ty::S64 } else { Ty::S32 };
        let low = Mods {
            half: Half::Lo,
            ..Mods::default()
        };
        let whole = term.with(c).form()?;
        if let Some(reg) = self.existing(&whole, bits) {
            return Some(reg);
        }
        let plain = term.with(1).form()?;
        let product = match self.existing(&plain, bits) {
            Some(reg) => reg,
            None => {
                let mut product = term.factor.as_ref().map(|f| f.0);
                for atom in &term.monomial {
                    let factor = self.widened(*atom, bits)?;
                    product = Some(match product {
                        None => factor,
                        Some(p) => self.emit(Op::Mul, low, ty, bits, [p.into(), factor.into()]),
                    });
                }
                product?
            }
        };
        self.made.insert((plain, bits), product);
        let reg = match c {
            1 => product,
            c if c > 0 && c & (c - 1) == 0 => {
                let shift = Operand::Imm(i64::from(c.trailing_zeros()));
                let ty = ty.as_bits();
                self.emit(Op::Shl, Mods::default(), ty, bits, [product.into(), shift])
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

/// A product: of a register that holds a sum, maybe, of atoms, and a constant.
struct Term {
    factor: Option<(Reg, Polynomial)>,
    monomial: Monomial,
    c: i64,
    /// Depth of the innermost loop that makes a part of it.
    depth: u32,
    /// Whether it is an address by itself.
    pointer: bool,
}

impl Term {
    fn with(&self, c: i64) -> Term {
        Term {
            factor: self.factor.clone(),
            monomial: self.monomial.clone(),
            c,
            ..*self
        }
    }

    fn rank(&self) -> (Option<Reg>, &Monomial) {
        (self.factor.as_ref().map(|f| f.0), &self.monomial)
    }

    fn form(&self) -> Option<Polynomial> {
        let mut product = match &self.factor {
            Some((_, sum)) => sum.times(self.c)?,
            None => Polynomial::constant(self.c),
        };
        for atom in &self.monomial {
            product = product.product(&Polynomial::atom(atom.value, atom.ext))?;
        }
        Some(product)
    }
}

/// What a sum may be times to be a part of another: atoms and a constant. The
/// first terms tell; a neighbour that lacks just these is a part as it is.
fn multiples(sum: &Polynomial, part: &Polynomial) -> SmallVec<[(Monomial, i64); 4]> {
    let mut found = SmallVec::from_iter([(Monomial::new(), 1)]);
    for (lead, by) in part.terms.iter().take(2) {
        for (monomial, c) in &sum.terms {
            if c.checked_rem(*by) == Some(0)
                && let Some(extra) = without(monomial, lead)
                && !found.iter().any(|(e, k)| *k == c / by && *e == extra)
            {
                found.push((extra, c / by));
            }
        }
    }
    found
}

/// A bound on how many terms fewer a sum has when `c * extra * part` is taken away and one
/// term put in its place.
fn most_gained(sum: &Polynomial, part: &Polynomial, extra: &Monomial, c: i64) -> usize {
    let left = if extra.is_empty() {
        sum.terms_without(part, c)
    } else {
        // Only terms with these factors go away, and of the part what finds none stays.
        let candidates = sum
            .terms
            .iter()
            .filter(|(m, _)| without(m, extra).is_some());
        let gone = candidates.count().min(part.terms.len());
        sum.terms.len() + part.terms.len() - 2 * gone
    };
    sum.terms.len().saturating_sub(left + 1)
}

/// A product without some of its factors.
fn without(monomial: &Monomial, factors: &Monomial) -> Option<Monomial> {
    if factors.len() > monomial.len() {
        return None;
    }
    let mut left = Monomial::from_slice(monomial);
    for factor in factors {
        let at = left.iter().position(|a| a == factor)?;
        left.remove(at);
    }
    Some(left)
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
