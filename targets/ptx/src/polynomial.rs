//! Integer registers as polynomials of the values they are computed from.
//!
//! An address is a sum of products of values, each with a constant factor,
//! plus a constant and maybe the address of a symbol; all modulo 2^width.
//! Two addresses with equal sums differ by a constant, whatever instructions
//! formed them.
//!
//! A 32-bit value that is widened stays whole ([`Atom::ext`]) unless it is
//! known that forming it did not wrap; then it is taken apart too.

use crate::cfg::Cfg;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Half, Sat};
use crate::module::Func;
use crate::op::Op;
use crate::operand::{Address, Base, Operand, Sym};
use crate::types::{RegTy, Ty};
use crate::values::{Value, Values};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Sums with more terms are left alone.
const MAX_TERMS: usize = 20;

/// Products of more factors are left alone.
const MAX_FACTORS: usize = 3;

/// How a value of 32 bits became one of 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ext {
    /// It did not.
    None,
    Signed,
    Unsigned,
}

/// A value that is not looked into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Atom {
    pub value: Value,
    pub ext: Ext,
}

/// A product of atoms, sorted; never empty.
pub type Monomial = SmallVec<[Atom; 2]>;

/// `sum of coefficient * monomial + symbol + constant`.
#[derive(PartialEq, Eq, Hash, Debug, Default)]
pub struct Polynomial {
    /// Sorted by monomial, no coefficient zero.
    pub terms: SmallVec<[(Monomial, i64); 3]>,
    pub sym: Option<Sym>,
    pub constant: i64,
}

/// Sorted by monomial.
type Terms = SmallVec<[(Monomial, i64); 3]>;

impl Clone for Polynomial {
    fn clone(&self) -> Polynomial {
        Polynomial {
            terms: self.terms.iter().map(|(m, c)| (copied(m), *c)).collect(),
            ..*self
        }
    }
}

/// A copy, which goes faster than element by element.
fn copied(monomial: &Monomial) -> Monomial {
    Monomial::from_slice(monomial)
}

impl Polynomial {
    /// A number.
    pub fn constant(value: i64) -> Polynomial {
        Polynomial {
            constant: value,
            ..Polynomial::default()
        }
    }

    /// A value by itself.
    pub fn atom(value: Value, ext: Ext) -> Polynomial {
        let monomial = Monomial::from_slice(&[Atom { value, ext }]);
        Polynomial {
            terms: SmallVec::from_iter([(monomial, 1)]),
            ..Polynomial::default()
        }
    }

    fn symbol(sym: Sym) -> Polynomial {
        Polynomial {
            sym: Some(sym),
            ..Polynomial::default()
        }
    }

    /// The number, if it is nothing else.
    pub fn as_constant(&self) -> Option<i64> {
        (self.terms.is_empty() && self.sym.is_none()).then_some(self.constant)
    }

    /// The atom, if it is nothing else.
    pub fn as_atom(&self) -> Option<Atom> {
        match (&self.terms[..], self.sym, self.constant) {
            ([(monomial, 1)], None, 0) => match monomial[..] {
                [atom] => Some(atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// The sum of this and `k` times the other; none if it gets too long or
    /// has more than one symbol, or a multiple of one.
    pub fn plus(&self, other: &Polynomial, k: i64) -> Option<Polynomial> {
        let sym = match (self.sym, other.sym, k) {
            (sym, None, _) => sym,
            (None, sym, 1) => sym,
            (Some(a), Some(b), -1) if a == b => None,
            _ => return None,
        };
        let terms = merged(&self.terms, &other.terms, k);
        (terms.len() <= MAX_TERMS).then_some(Polynomial {
            terms,
            sym,
            constant: self.constant.wrapping_add(other.constant.wrapping_mul(k)),
        })
    }

    /// `k` times this.
    pub fn times(&self, k: i64) -> Option<Polynomial> {
        Polynomial::default().plus(self, k)
    }

    /// The product; none if it gets too long, or a symbol has a factor.
    pub fn product(&self, other: &Polynomial) -> Option<Polynomial> {
        if let Some(k) = other.as_constant() {
            return self.times(k);
        }
        if let Some(k) = self.as_constant() {
            return other.times(k);
        }
        if self.sym.is_some() || other.sym.is_some() {
            return None;
        }
        let mut sum = other
            .times(self.constant)?
            .plus(&self.times(other.constant)?, 1)?;
        sum.constant = self.constant.wrapping_mul(other.constant);
        for (a, ca) in &self.terms {
            for (b, cb) in &other.terms {
                if a.len() + b.len() > MAX_FACTORS {
                    return None;
                }
                let mut monomial: Monomial = a.iter().chain(b).copied().collect();
                monomial.sort_unstable();
                add_term(&mut sum.terms, &monomial, ca.wrapping_mul(*cb));
            }
            if sum.terms.len() > MAX_TERMS {
                return None;
            }
        }
        Some(sum)
    }

    /// What is left when the other is taken away, if that is a number.
    pub fn minus(&self, other: &Polynomial) -> Option<i64> {
        (self.terms == other.terms && self.sym == other.sym)
            .then(|| self.constant.wrapping_sub(other.constant))
    }

    /// How many terms are left when `k` times the other is taken away.
    pub fn terms_without(&self, other: &Polynomial, k: i64) -> usize {
        let mut theirs = other.terms.iter().peekable();
        let mut left = 0;
        for (monomial, c) in &self.terms {
            while theirs.next_if(|(m, _)| m < monomial).is_some() {
                left += 1;
            }
            let same = theirs.next_if(|(m, _)| m == monomial);
            left += usize::from(same.is_none_or(|(_, d)| d.wrapping_mul(k) != *c));
        }
        left + theirs.count()
    }

    /// Every value it is made of.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        (self.terms.iter()).flat_map(|(monomial, _)| monomial.iter().map(|a| a.value))
    }

    /// With coefficients and constant reduced to what counts in 32 bits.
    fn wrapped(mut self) -> Polynomial {
        self.constant = i64::from(self.constant as i32);
        for (_, c) in &mut self.terms {
            *c = i64::from(*c as i32);
        }
        self.terms.retain(|(_, c)| *c != 0);
        self
    }

    /// A 32-bit sum that does not wrap, as 64 bits.
    fn widened(&self, to: Ext) -> Option<Polynomial> {
        let mut wide = self.clone();
        for (monomial, _) in &mut wide.terms {
            // Products of two values in 32 bits may wrap by themselves.
            let [atom] = &mut monomial[..] else {
                return None;
            };
            atom.ext = to;
        }
        self.sym.is_none().then_some(wide)
    }

    /// The low half of a 64-bit sum.
    fn narrowed(&self) -> Option<Polynomial> {
        let mut low = Polynomial {
            terms: SmallVec::new(),
            ..self.clone()
        };
        for (monomial, c) in &self.terms {
            let mut monomial = monomial.clone();
            for atom in &mut monomial {
                if std::mem::replace(&mut atom.ext, Ext::None) == Ext::None {
                    return None;
                }
            }
            monomial.sort_unstable();
            add_term(&mut low.terms, &monomial, *c);
        }
        self.sym.is_none().then(|| low.wrapped())
    }
}

/// One list of terms and `k` times another.
fn merged(a: &Terms, b: &Terms, k: i64) -> Terms {
    let mut sum = Terms::new();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return sum,
        };
        let first = if order.is_le() { a.next() } else { None };
        let second = if order.is_ge() { b.next() } else { None };
        let c = first.map_or(0, |t| t.1);
        let c = c.wrapping_add(second.map_or(0, |t| t.1.wrapping_mul(k)));
        if let Some((monomial, _)) = first.or(second).filter(|_| c != 0) {
            sum.push((copied(monomial), c));
        }
    }
}

fn add_term(terms: &mut Terms, monomial: &Monomial, c: i64) {
    match terms.binary_search_by(|t| t.0.cmp(monomial)) {
        Ok(at) => {
            terms[at].1 = terms[at].1.wrapping_add(c);
            if terms[at].1 == 0 {
                terms.remove(at);
            }
        }
        Err(at) if c != 0 => terms.insert(at, (copied(monomial), c)),
        Err(_) => {}
    }
}

/// Whether a 32-bit sum, difference, product or shift to the left stays within
/// its type, taken as signed or not: what [`Polynomials::new`] asks.
pub type Exact<'a> = &'a dyn Fn(InstId, Ext) -> bool;

/// For [`Polynomials::new`], where nothing is known of ranges.
pub fn never_exact(_: InstId, _: Ext) -> bool {
    false
}

/// The polynomial of every 32- and 64-bit value of a function.
#[derive(Clone, Debug)]
pub struct Polynomials {
    of: Vec<Option<Polynomial>>,
    /// Whether a 32-bit one is exact as signed, as unsigned.
    exact: Vec<[bool; 2]>,
}

impl Polynomials {
    /// Forms them, definitions before uses.
    pub fn new(func: &Func, cfg: &Cfg, values: &Values, exact: Exact<'_>) -> Polynomials {
        let mut all = Polynomials {
            of: vec![None; values.len()],
            exact: vec![[true; 2]; values.len()],
        };
        for &b in &cfg.rpo {
            let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
                continue;
            };
            for &id in &body.insts {
                let Some(inst) = func.insts.get(id) else {
                    continue;
                };
                let Some(dest) = inst.dest() else { continue };
                let ty = func.reg_ty(dest);
                if inst.guard.is_some() || !matches!(ty, Some(RegTy::B32 | RegTy::B64)) {
                    continue;
                }
                let bits = ty.map_or(0, RegTy::bits);
                let Some(value) = values.written(id, dest) else {
                    continue;
                };
                if let Some(form) = all.of_inst(func, values, id, inst, bits) {
                    if bits == 32 {
                        let (parts, itself) = all.exactness(values, id, inst, exact);
                        let holds = |i: usize| parts[i] && itself[i];
                        all.exact[value.index()] = [holds(0), holds(1)];
                        let any = holds(0) || holds(1);
                        all.of[value.index()] = Some(if any { form } else { form.wrapped() });
                    } else {
                        all.of[value.index()] = Some(form);
                    }
                }
            }
        }
        all
    }

    /// Of a value; itself if nothing more is known.
    pub fn of(&self, value: Value) -> Polynomial {
        self.form(value).into_owned()
    }

    fn form(&self, value: Value) -> Cow<'_, Polynomial> {
        match self.of.get(value.index()) {
            Some(Some(form)) => Cow::Borrowed(form),
            _ => Cow::Owned(Polynomial::atom(value, Ext::None)),
        }
    }

    /// The value that a value is a copy of, widened or not: itself, if nothing
    /// more is known of it.
    pub fn as_atom(&self, value: Value) -> Option<Atom> {
        match self.of.get(value.index()) {
            Some(Some(form)) => form.as_atom(),
            _ => Some(Atom {
                value,
                ext: Ext::None,
            }),
        }
    }

    /// Of an address that an instruction accesses, offset included.
    pub fn of_address(&self, values: &Values, id: InstId, address: Address) -> Option<Polynomial> {
        let mut form = match address.base {
            Base::Reg(reg) => self.of(values.found(id, reg)?),
            Base::Sym(sym) => Polynomial::symbol(sym),
        };
        form.constant = form.constant.wrapping_add(i64::from(address.offset));
        Some(form)
    }

    /// Whether the parts of a 32-bit operation, and it itself, are exact as
    /// signed and as unsigned numbers.
    fn exactness(
        &self,
        values: &Values,
        id: InstId,
        inst: &Inst,
        exact: Exact<'_>,
    ) -> ([bool; 2], [bool; 2]) {
        let mut parts = [true; 2];
        for source in inst.sources() {
            match source {
                Operand::Reg(reg) => {
                    let of = values.found(id, *reg).map(|v| v.index());
                    let known = of.and_then(|v| self.exact.get(v)).copied();
                    let known = known.unwrap_or_default();
                    parts = [parts[0] && known[0], parts[1] && known[1]];
                }
                Operand::Imm(v) => parts[1] &= *v as i32 >= 0,
                _ => {}
            }
        }
        let itself = match inst.op {
            Op::Mov => [true; 2],
            Op::Add | Op::Sub | Op::Mul | Op::Mad | Op::Shl => {
                [exact(id, Ext::Signed), exact(id, Ext::Unsigned)]
            }
            _ => [false; 2],
        };
        (parts, itself)
    }

    fn of_inst(
        &self,
        func: &Func,
        values: &Values,
        id: InstId,
        inst: &Inst,
        bits: u32,
    ) -> Option<Polynomial> {
        let ty = inst.ty();
        if ty.is_float() || inst.mods.sat != Sat::Off {
            return None;
        }
        let of_reg = |reg: Reg, bits: u32| {
            (func.reg_ty(reg).map(RegTy::bits) == Some(bits))
                .then(|| values.found(id, reg))
                .flatten()
        };
        let sized = |at: usize, bits: u32| match inst.operands.get(at)? {
            Operand::Reg(reg) => Some(self.form(of_reg(*reg, bits)?)),
            Operand::Imm(v) if bits == 32 => {
                Some(Cow::Owned(Polynomial::constant(i64::from(*v as i32))))
            }
            Operand::Imm(v) => Some(Cow::Owned(Polynomial::constant(*v))),
            Operand::Sym(sym) => Some(Cow::Owned(Polynomial::symbol(*sym))),
            _ => None,
        };
        let wide = |at: usize, ty: Ty| match inst.operands.get(at)? {
            Operand::Reg(reg) => self.extended(of_reg(*reg, 32)?, ext(ty)),
            Operand::Imm(v) => Some(Polynomial::constant(match ty {
                Ty::U32 => i64::from(*v as u32),
                _ => i64::from(*v as i32),
            })),
            _ => None,
        };
        let of = |at: usize| sized(at, bits);
        let imm = |at: usize| inst.operands.get(at).and_then(Operand::as_imm);
        let low = inst.mods.half == Half::Lo;
        let widens = inst.mods.half == Half::Wide && bits == 64 && ty.bits() == 32;
        // Products of values are taken apart in 64 bits only; in 32 bits what
        // counts is the sum that gets widened.
        let product = |a: usize, b: usize| {
            let (a, b) = (of(a)?, of(b)?);
            let constant = a.as_constant().is_some() || b.as_constant().is_some();
            let fits = constant || bits == 64;
            fits.then(|| a.product(&b)).flatten()
        };
        if inst.op == Op::Cvt {
            let (to, from) = (inst.tys[0], inst.tys[1]);
            if !to.is_int() || !from.is_int() || to.bits() != bits {
                return None;
            }
            return match (to.bits(), from.bits()) {
                (a, b) if a == b => sized(1, bits).map(Cow::into_owned),
                (64, 32) => wide(1, from),
                (32, 64) => sized(1, 64)?.narrowed(),
                _ => None,
            };
        }
        if widens {
            return match inst.op {
                Op::Mul => wide(1, ty)?.product(&wide(2, ty)?),
                Op::Mad => wide(1, ty)?
                    .product(&wide(2, ty)?)?
                    .plus(sized(3, 64)?.as_ref(), 1),
                _ => None,
            };
        }
        if ty.bits() != bits {
            return None;
        }
        match inst.op {
            Op::Mov => of(1).map(Cow::into_owned),
            Op::Add => of(1)?.plus(of(2)?.as_ref(), 1),
            Op::Sub => of(1)?.plus(of(2)?.as_ref(), -1),
            Op::Mul if low => product(1, 2),
            Op::Mad if low => product(1, 2)?.plus(of(3)?.as_ref(), 1),
            Op::Shl => match imm(2)? {
                k if (0..i64::from(bits)).contains(&k) => of(1)?.times(1i64 << k),
                _ => None,
            },
            _ => None,
        }
    }

    /// A 32-bit value widened.
    fn extended(&self, value: Value, to: Ext) -> Option<Polynomial> {
        let form = self.form(value);
        // A copy is what it copies.
        if let Some(atom) = form.as_atom() {
            return Some(Polynomial::atom(atom.value, to));
        }
        if let Some(v) = form.as_constant() {
            return Some(Polynomial::constant(match to {
                Ext::Unsigned => i64::from(v as u32),
                _ => i64::from(v as i32),
            }));
        }
        let exact = self.exact.get(value.index()).copied().unwrap_or_default();
        let whole = match to {
            Ext::Signed => exact[0],
            Ext::Unsigned => exact[1],
            Ext::None => false,
        };
        let apart = whole.then(|| form.widened(to)).flatten();
        Some(apart.unwrap_or_else(|| Polynomial::atom(value, to)))
    }
}

fn ext(ty: Ty) -> Ext {
    match ty {
        Ty::S32 => Ext::Signed,
        _ => Ext::Unsigned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::points;
    use crate::defs::Defs;
    use crate::parse::parse;

    /// The polynomials of the addresses of a kernel's loads.
    fn addresses(body: &str, exact: Exact<'_>) -> Vec<Polynomial> {
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .u64 n)\n{{\n.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n]; mov.u32 %r1, %tid.x;\n{body}\nret;\n}}"
        );
        let module = parse(&text).unwrap().module;
        let func = module.funcs.iter().next().unwrap().1;
        let (cfg, defs) = (Cfg::new(func), Defs::new(func));
        let values = Values::new(func, &cfg, &defs);
        let forms = Polynomials::new(func, &cfg, &values, exact);
        points(func)
            .map(|(_, id)| (id, &func.insts[id]))
            .filter(|(_, i)| i.op == Op::Ld && i.address_reg().is_some())
            .filter_map(|(id, inst)| forms.of_address(&values, id, inst.address()?))
            .collect()
    }

    fn differences(body: &str, exact: Exact<'_>) -> Vec<Option<i64>> {
        let all = addresses(body, exact);
        all[1..].iter().map(|a| a.minus(&all[0])).collect()
    }

    #[test]
    fn products_of_registers_are_distributed() {
        let body = "cvt.u64.u32 %rd3, %r1; mul.lo.s64 %rd4, %rd3, %rd2; shl.b64 %rd4, %rd4, 2;
            add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r2, [%rd5];
            add.s64 %rd6, %rd3, 1; mul.lo.s64 %rd7, %rd2, %rd6; sub.s64 %rd7, %rd7, %rd2;
            mad.lo.s64 %rd8, %rd7, 4, %rd1; ld.global.u32 %r3, [%rd8+8];";
        assert_eq!(differences(body, &never_exact), [Some(8)]);
    }

    #[test]
    fn loop_variables_are_one_value_between_their_writes() {
        let body = "mov.u64 %rd3, 0;
            head: shl.b64 %rd4, %rd3, 2; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r2, [%rd4];
            add.s64 %rd5, %rd3, 3; shl.b64 %rd5, %rd5, 2; add.s64 %rd5, %rd5, %rd1;
            ld.global.u32 %r3, [%rd5];
            add.s64 %rd3, %rd3, 1; shl.b64 %rd6, %rd3, 2; add.s64 %rd6, %rd6, %rd1;
            ld.global.u32 %r4, [%rd6];
            setp.lt.s64 %p1, %rd3, %rd2; @%p1 bra head;";
        assert_eq!(differences(body, &never_exact), [Some(12), Some(4)]);
    }

    #[test]
    fn widened_sums_come_apart_only_where_they_do_not_wrap() {
        let body = "mad.wide.s32 %rd3, %r1, 4, %rd1; ld.global.u32 %r2, [%rd3];
            add.s32 %r3, %r1, 1; mul.wide.s32 %rd4, %r3, 4; add.s64 %rd4, %rd4, %rd1;
            ld.global.u32 %r4, [%rd4];";
        assert_eq!(differences(body, &never_exact), [None]);
        assert_eq!(differences(body, &|_, _| true), [Some(4)]);
        let unsigned = |_, ext| ext == Ext::Unsigned;
        assert_eq!(differences(body, &unsigned), [None]);
    }
}
