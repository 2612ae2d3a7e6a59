//! The parameters of a program: values that are the same in all of its iterations.

use rustc_hash::FxHashMap;
use terrace_dialects::arith::{DivSIOp, IndexCastOp, MaxSIOp, MinSIOp, ShRSIOp};
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

/// A parameter that is another one divided by a number and rounded towards 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truncated {
    pub quotient: u32,
    pub dividend: u32,
    /// Greater than 1.
    pub divisor: i64,
}

impl Truncated {
    /// The remainder, which is at least 0, and what it is below the divisor, if the dividend is not
    /// negative. Two forms that are not negative then.
    pub fn remainder(self) -> [Linear; 2] {
        let dividend = Linear::var(Var::Param(self.dividend));
        let rest = dividend.plus(-self.divisor, &Linear::var(Var::Param(self.quotient)));
        [rest.clone(), rest.negated().plus_constant(self.divisor - 1)]
    }
}

/// All parameters of a program, and what is known about them.
#[derive(Clone, Debug, Default)]
pub struct Params {
    list: Vec<Param>,
    numbers: FxHashMap<Param, u32>,
    /// What always holds: no loop variables.
    pub(super) facts: System,
    /// Those of which more is known where they are known to be positive.
    pub(super) truncated: Vec<Truncated>,
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

    /// What is known of parameters that are others divided by numbers: of `w / 2` and `w >> 1`.
    pub(super) fn add_quotients(&mut self, ctx: &Context) {
        for quotient in 0..self.list.len() as u32 {
            let Param::Value(v) = self.list[quotient as usize] else {
                continue;
            };
            let Some(op) = uncast(ctx, v)
                .def_op()
                .filter(|op| op.num_operands(ctx) == 2)
            else {
                continue;
            };
            let by = ctx.constant_int(op.operand(ctx, 1));
            let divisor = match op.name(ctx) {
                DivSIOp::NAME => by,
                ShRSIOp::NAME => by.filter(|n| (0..63).contains(n)).map(|n| 1 << n),
                _ => continue,
            };
            let dividend = self.number_of(ctx, op.operand(ctx, 0));
            let (Some(divisor), Some(dividend)) = (divisor.filter(|d| *d > 1), dividend) else {
                continue;
            };
            let all = Truncated {
                quotient,
                dividend,
                divisor,
            };
            // A shift rounds down, whatever it divides.
            if op.isa::<ShRSIOp>(ctx) {
                for f in all.remainder() {
                    self.facts.add_inequality(f);
                }
            } else {
                self.truncated.push(all);
            }
        }
    }

    /// The parameter that is this value, or the same number of another type.
    fn number_of(&self, ctx: &Context, v: Value) -> Option<u32> {
        let same = |p: &Param| matches!(p, Param::Value(o) if uncast(ctx, *o) == uncast(ctx, v));
        self.list.iter().position(same).map(|i| i as u32)
    }
}

/// The value that another one is as an index.
fn uncast(ctx: &Context, v: Value) -> Value {
    match v.def_op() {
        Some(op) if op.isa::<IndexCastOp>(ctx) => op.operand(ctx, 0),
        _ => v,
    }
}
