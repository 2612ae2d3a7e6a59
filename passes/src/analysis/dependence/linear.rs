//! Linear forms over parameters, loop variables and locals, and systems of them: what
//! domains and subscripts are made of before the number of parameters is known.

use rustc_hash::FxHashMap;
use terrace_presburger::{Conjunct, Int, Space};

use super::poly::Poly;

/// What a coefficient belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// An entry of [`super::Params`].
    Param(u32),
    /// A loop around the op, the outermost first.
    Dim(u32),
    /// An existentially quantified variable of the [`System`].
    Local(u32),
}

/// A linear form: each variable at most once, no coefficient 0, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(Var, Int)>,
    pub(crate) constant: Int,
}

impl Linear {
    pub(crate) fn constant(value: impl Into<Int>) -> Linear {
        Linear {
            terms: Vec::new(),
            constant: value.into(),
        }
    }

    pub(crate) fn var(v: Var) -> Linear {
        Linear {
            terms: vec![(v, Int::ONE)],
            constant: Int::ZERO,
        }
    }

    /// `self + factor * other`.
    pub(crate) fn plus(&self, factor: i64, other: &Linear) -> Linear {
        let factor = Int::from(factor);
        let mut sum = self.clone();
        for (v, c) in &other.terms {
            match sum.terms.binary_search_by_key(v, |t| t.0) {
                Ok(i) => {
                    sum.terms[i].1.add_product(&factor, c);
                    if sum.terms[i].1.is_zero() {
                        sum.terms.remove(i);
                    }
                }
                Err(i) => {
                    let product = &factor * c;
                    if !product.is_zero() {
                        sum.terms.insert(i, (*v, product));
                    }
                }
            }
        }
        sum.constant.add_product(&factor, &other.constant);
        sum
    }

    pub(crate) fn minus(&self, other: &Linear) -> Linear {
        self.plus(-1, other)
    }

    pub(crate) fn plus_constant(&self, c: i64) -> Linear {
        let mut sum = self.clone();
        sum.constant += &Int::from(c);
        sum
    }

    pub(crate) fn negated(&self) -> Linear {
        Linear::default().plus(-1, self)
    }
}

/// A conjunction of constraints over linear forms.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) locals: u32,
    /// Forms that are 0.
    pub equalities: Vec<Linear>,
    /// Forms that are at least 0.
    pub inequalities: Vec<Linear>,
    /// The locals that are quotients, so that equal divisions share one.
    quotients: FxHashMap<(Poly, Int), u32>,
    /// What they divide, and by what.
    divisions: FxHashMap<u32, (Linear, Int)>,
}

impl System {
    pub(crate) fn add_local(&mut self) -> Var {
        self.locals += 1;
        Var::Local(self.locals - 1)
    }

    pub(crate) fn add_equality(&mut self, form: Linear) {
        self.equalities.push(form);
    }

    pub(crate) fn add_inequality(&mut self, form: Linear) {
        self.inequalities.push(form);
    }

    /// The local that is `dividend` divided by `divisor`, rounded down. The divisor
    /// is positive; `form` is the dividend as a linear form, `key` names it.
    pub(crate) fn quotient(&mut self, key: Poly, form: &Linear, divisor: &Int) -> Var {
        let key = (key, divisor.clone());
        if let Some(q) = self.quotients.get(&key) {
            return Var::Local(*q);
        }
        let q = self.add_local();
        let mut product = Linear::var(q);
        product.terms[0].1 = divisor.clone();
        // 0 <= dividend - divisor * q <= divisor - 1
        let rest = form.minus(&product);
        let mut top = rest.negated();
        top.constant += &(divisor - &Int::ONE);
        self.add_inequality(rest);
        self.add_inequality(top);
        if let Var::Local(i) = q {
            self.quotients.insert(key, i);
            self.divisions.insert(i, (form.clone(), divisor.clone()));
        }
        q
    }

    /// The dividend and the divisor of a local that is a quotient rounded down.
    pub(crate) fn division(&self, local: u32) -> Option<&(Linear, Int)> {
        self.divisions.get(&local)
    }
}

/// Where the variables of one system stand in the columns of a conjunct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub dims: usize,
    pub locals: usize,
}

impl Columns {
    pub(crate) fn of(self, v: Var) -> usize {
        match v {
            Var::Param(i) => i as usize,
            Var::Dim(i) => self.dims + i as usize,
            Var::Local(i) => self.locals + i as usize,
        }
    }

    /// The form as a row for a conjunct of `columns` columns, without the constant.
    pub(crate) fn row(self, form: &Linear, columns: usize) -> Vec<Int> {
        let mut row = vec![Int::ZERO; columns];
        for (v, c) in &form.terms {
            if let Some(entry) = row.get_mut(self.of(*v)) {
                *entry += c;
            }
        }
        row
    }
}

/// Adds `system` to a conjunct. `dims` is the column of its first loop variable. Says
/// where its variables are.
pub(crate) fn add_system(to: &mut Conjunct, system: &System, dims: usize) -> Columns {
    let at = Columns {
        dims,
        locals: to.row_len() - 1,
    };
    for _ in 0..system.locals {
        to.add_local();
    }
    let columns = to.row_len() - 1;
    for form in &system.equalities {
        to.add_equality(&at.row(form, columns), form.constant.clone());
    }
    for form in &system.inequalities {
        to.add_inequality(&at.row(form, columns), form.constant.clone());
    }
    at
}

/// The points of a system over `dims` loop variables.
pub(crate) fn set_of(system: &System, params: usize, dims: usize) -> Conjunct {
    let space = Space::set(params, dims);
    let mut c = Conjunct::universe(space);
    add_system(&mut c, system, params);
    c
}
