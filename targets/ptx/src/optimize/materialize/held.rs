//! The registers that hold sums, for [`super::Maker`]: those that there are, and those made on the way.

use crate::cfg::Point;
use crate::ids::Reg;
use crate::module::Func;
use crate::optimize::facts::Facts;
use crate::polynomial::{Atom, Polynomial};
use crate::types::RegTy;
use crate::values::Value;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// The registers written once, by the polynomials that they hold.
#[derive(Default)]
pub struct Holders {
    pub of: FxHashMap<Polynomial, SmallVec<[(Reg, Value); 2]>>,
    /// Those of sums of several terms, in the order of the values.
    pub sums: Vec<(Part, Reg, Value)>,
}

/// A sum that others may have as a part.
pub struct Part {
    pub sum: Polynomial,
    /// Of each term the atoms that it has, by [`atoms_of`].
    atoms: SmallVec<[u64; 3]>,
}

impl Part {
    pub fn new(sum: Polynomial) -> Part {
        let atoms = sum.terms.iter().map(|(m, _)| atoms_of(m)).collect();
        Part { sum, atoms }
    }

    /// Whether taking away a multiple of it can leave less of a sum with these `atoms`: more
    /// than half of its terms have to be there.
    pub fn may_help(&self, atoms: u64) -> bool {
        let there = self.atoms.iter().filter(|a| *a & !atoms == 0).count();
        2 * there > self.atoms.len() + 1
    }
}

/// A set of atoms as bits; several may share one.
pub fn atoms_of(monomial: &[Atom]) -> u64 {
    let bit = |atom: &Atom| 1 << (atom.value.index() % 64);
    monomial.iter().map(bit).fold(0, |all: u64, bit| all | bit)
}

/// Sums that are tried as parts of others.
const MAX_SUMS: usize = 400;

/// Finds them.
pub fn holders(func: &Func, facts: &Facts) -> Holders {
    let mut holders = Holders::default();
    for value in facts.values.iter() {
        let Some(reg) = facts.values.reg(value) else {
            continue;
        };
        let wide = matches!(func.reg_ty(reg), Some(RegTy::B32 | RegTy::B64));
        if wide && facts.defs.is_stable(reg) {
            let form = facts.forms.of(value);
            if form.terms.len() > 1 && form.sym.is_none() && holders.sums.len() < MAX_SUMS {
                holders.sums.push((Part::new(form.clone()), reg, value));
            }
            holders.of.entry(form).or_default().push((reg, value));
        }
    }
    holders
}

/// A register that was made at a point.
pub struct Made {
    pub part: Part,
    pub bits: u32,
    pub reg: Reg,
    pub point: Point,
}

/// The registers that were made, in order.
#[derive(Default)]
pub struct Earlier {
    all: Vec<Made>,
    /// The positions of those that hold a sum in a register of so many bits.
    of: FxHashMap<(Polynomial, u32), SmallVec<[u32; 2]>>,
}

impl Earlier {
    /// None.
    pub const NONE: &'static Earlier = &Earlier {
        all: Vec::new(),
        of: FxHashMap::with_hasher(FxBuildHasher),
    };

    /// One more, which holds `sum`.
    pub fn push(&mut self, (sum, bits): (Polynomial, u32), reg: Reg, point: Point) {
        let at = self.all.len() as u32;
        self.of.entry((sum.clone(), bits)).or_default().push(at);
        let part = Part::new(sum);
        self.all.push(Made {
            part,
            bits,
            reg,
            point,
        });
    }

    pub fn iter(&self) -> impl Iterator<Item = &Made> {
        self.all.iter()
    }

    /// Those that hold a sum in a register of so many bits, in order.
    pub fn holding(&self, key: &(Polynomial, u32)) -> impl Iterator<Item = &Made> {
        let list = self.of.get(key).into_iter().flatten();
        list.filter_map(|at| self.all.get(*at as usize))
    }
}
