//! The parameters of a program: values that are the same in all of its iterations.

use rustc_hash::FxHashMap;
use terrace_dialects::arith::{MaxSIOp, MinSIOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Value};
use terrace_presburger::Int;

use super::linear::{Linear, System, Var};
use super::poly::{Monomial, Poly};
use crate::analysis::linear;

/// What a parameter is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Param {
    /// A value defined outside the loops; the variable of a loop around them too.
    Value(Value),
    /// The size of a dimension of a memref.
    Size(Value, u32),
    /// A product of other parameters, by number.
    Product(Monomial),
    /// A quotient of polynomials in other parameters, rounded down.
    Quotient(Poly, Poly),
}

/// All parameters of a program, and what is known about them.
#[derive(Clone, Debug, Default)]
pub struct Params {
    list: Vec<Param>,
    numbers: FxHashMap<Param, u32>,
    /// What always holds: no loop variables.
    pub(super) facts: System,
}

impl Params {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// By number.
    pub fn list(&self) -> &[Param] {
        &self.list
    }

    /// The number of a parameter, if it is one of this program.
    pub(crate) fn find(&self, param: &Param) -> Option<usize> {
        self.numbers.get(param).map(|n| *n as usize)
    }

    /// Constraints that always hold, over the parameters alone.
    pub(crate) fn facts(&self) -> &System {
        &self.facts
    }

    pub(super) fn add(&mut self, param: Param) -> Var {
        if let Some(n) = self.numbers.get(&param) {
            return Var::Param(*n);
        }
        let n = self.list.len() as u32;
        let v = Var::Param(n);
        if let Param::Size(..) = param {
            self.facts.add_inequality(Linear::var(v));
        }
        self.numbers.insert(param.clone(), n);
        self.list.push(param);
        v
    }

    pub(super) fn product(&mut self, m: &Monomial) -> Var {
        self.add(Param::Product(m.clone()))
    }

    /// Whether a fact says that the parameter is never negative.
    pub(crate) fn is_natural(&self, param: u32) -> bool {
        self.facts.inequalities.iter().any(|f| {
            matches!(f.terms.as_slice(), [(Var::Param(p), c)] if *p == param && c.is_positive())
                && f.constant <= Int::ZERO
        })
    }

    /// The sizes of a memref, where static as numbers.
    pub(super) fn sizes(&mut self, ctx: &Context, memref: Value) -> Option<Vec<Poly>> {
        let shape = memref.ty(ctx).shape(ctx)?.to_vec();
        let sizes = shape.iter().enumerate().map(|(i, s)| {
            if *s == DYNAMIC {
                Poly::var(self.add(Param::Size(memref, i as u32)))
            } else {
                Poly::constant(*s)
            }
        });
        Some(sizes.collect())
    }

    /// The form over parameters, if all values in it are some.
    fn known_form(&self, of: &linear::Linear) -> Option<Linear> {
        let mut form = Linear::constant(of.constant);
        for (v, times) in &of.terms {
            let param = self.find(&Param::Value(*v))?;
            form = form.plus(*times, &Linear::var(Var::Param(param as u32)));
        }
        Some(form)
    }

    /// What is known of parameters that are the greater or the lesser of two numbers, where other
    /// parameters make these up.
    pub(super) fn add_extrema(&mut self, ctx: &Context) {
        let mut facts = Vec::new();
        for (i, p) in self.list.iter().enumerate() {
            let Param::Value(v) = p else { continue };
            let Some(op) = v.def_op() else { continue };
            let greater = match op.name(ctx) {
                MaxSIOp::NAME => true,
                MinSIOp::NAME => false,
                _ => continue,
            };
            let this = Linear::var(Var::Param(i as u32));
            for of in op.operands(ctx) {
                let Some(of) = linear::Linear::of_value(ctx, of) else {
                    continue;
                };
                let Some(of) = self.known_form(&of) else {
                    continue;
                };
                facts.push(match greater {
                    true => this.minus(&of),
                    false => of.minus(&this),
                });
            }
        }
        for f in facts {
            self.facts.add_inequality(f);
        }
    }
}
