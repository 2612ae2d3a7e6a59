//! What is known of the symbols while a parametric program is solved.

use crate::num::{Budget, Num, Stop};
use crate::solve::rows::Rows;
use crate::solve::search;
use crate::solve::system::System;
use crate::solve::trail::evaluate;

/// Constraints on the symbols, some of which are integral parts of the others.
#[derive(Clone, Debug)]
pub(crate) struct Context<N> {
    pub equalities: Rows<N>,
    pub inequalities: Rows<N>,
    /// The symbols that are integral parts: the last ones, in order.
    pub quotients: Vec<Quotient<N>>,
    /// Integer points found on the way: most questions are answered by one of them.
    witnesses: Vec<Vec<N>>,
}

/// A symbol that is `floor(numerator . (symbols before, 1) / denominator)`.
#[derive(Clone, Debug)]
pub(crate) struct Quotient<N> {
    pub numerator: Vec<N>,
    pub denominator: N,
    /// The first of the two inequalities that say so.
    pub row: usize,
}

/// More of them cost more to carry along than they save.
const WITNESSES: usize = 8;

/// The signs that a form takes in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Never negative.
    NotNegative,
    /// Always negative.
    Negative,
    Both,
}

impl<N: Num> Context<N> {
    pub fn new(symbols: usize) -> Context<N> {
        Context {
            equalities: Rows::new(symbols + 1),
            inequalities: Rows::new(symbols + 1),
            quotients: Vec::new(),
            witnesses: Vec::new(),
        }
    }

    pub fn symbols(&self) -> usize {
        self.inequalities.width() - 1
    }

    /// Demands `form . (symbols, 1) >= 0`.
    pub fn demand(&mut self, form: &[N]) -> Result<(), Stop> {
        self.inequalities.push(form);
        let mut kept = Vec::with_capacity(self.witnesses.len());
        for witness in std::mem::take(&mut self.witnesses) {
            if evaluate(form, &witness)?.signum() >= 0 {
                kept.push(witness);
            }
        }
        self.witnesses = kept;
        Ok(())
    }

    /// The inequalities but those that define quotients.
    pub fn demands(&self) -> impl Iterator<Item = &[N]> {
        let defines = |at: usize| {
            self.quotients
                .iter()
                .any(|q| at == q.row || at == q.row + 1)
        };
        let rows = self.inequalities.iter().enumerate();
        rows.filter(move |(at, _)| !defines(*at))
            .map(|(_, row)| row)
    }

    /// Whether there are no symbols like that.
    pub fn is_empty(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        if !self.witnesses.is_empty() {
            return Ok(false);
        }
        Ok(!self.possible(None, budget)?)
    }

    /// The signs of `form . (symbols, 1)`.
    pub fn sign(&mut self, form: &[N], budget: &mut Budget) -> Result<Sign, Stop> {
        let (constant, coefficients) = form.split_last().expect("a form has a constant");
        if coefficients.iter().all(Num::is_zero) {
            return Ok(if constant.signum() < 0 {
                Sign::Negative
            } else {
                Sign::NotNegative
            });
        }
        let (mut negative, mut other) = (false, false);
        for witness in &self.witnesses {
            if evaluate(form, witness)?.signum() < 0 {
                negative = true;
            } else {
                other = true;
            }
        }
        if !negative {
            negative = self.possible(Some(&below_zero(form)?), budget)?;
        }
        if negative && !other {
            other = self.possible(Some(form), budget)?;
        }
        Ok(match (negative, other) {
            (true, true) => Sign::Both,
            (true, false) => Sign::Negative,
            (false, _) => Sign::NotNegative,
        })
    }

    /// Whether the form can be zero or more; a point where it is becomes a witness.
    fn possible(&mut self, form: Option<&[N]>, budget: &mut Budget) -> Result<bool, Stop> {
        let mut system = System::new(self.symbols(), true);
        system.equalities = self.equalities.clone();
        system.inequalities = self.inequalities.clone();
        if let Some(form) = form {
            system.inequalities.push(form);
        }
        let Some(point) = search(system, budget)? else {
            return Ok(false);
        };
        if self.witnesses.len() == WITNESSES {
            self.witnesses.remove(0);
        }
        self.witnesses.push(point);
        Ok(true)
    }

    /// The symbol that is `floor(numerator . (symbols, 1) / denominator)`, and whether
    /// it is a new one, behind all others.
    pub fn quotient(&mut self, numerator: &[N], denominator: &N) -> Result<(usize, bool), Stop> {
        let symbols = self.symbols();
        let given = symbols - self.quotients.len();
        for (at, quotient) in self.quotients.iter().enumerate() {
            // The old one knows fewer symbols.
            let old = &quotient.numerator;
            let known = old.len() - 1;
            if quotient.denominator == *denominator
                && old[..known] == numerator[..known]
                && numerator[known..symbols].iter().all(Num::is_zero)
                && old[known] == numerator[symbols]
            {
                return Ok((given + at, false));
            }
        }
        for witness in &mut self.witnesses {
            let value = evaluate(numerator, witness)?.div_floor(denominator)?;
            witness.push(value);
        }
        self.equalities.insert_column(symbols);
        self.inequalities.insert_column(symbols);
        // 0 <= numerator - denominator * quotient <= denominator - 1
        let mut low = numerator.to_vec();
        low.insert(symbols, denominator.neg()?);
        let mut high = Vec::with_capacity(low.len());
        for entry in &low {
            high.push(entry.neg()?);
        }
        let constant = symbols + 1;
        high[constant] = high[constant].add(denominator)?.sub(&N::from_i64(1))?;
        self.quotients.push(Quotient {
            numerator: numerator.to_vec(),
            denominator: denominator.clone(),
            row: self.inequalities.len(),
        });
        self.inequalities.push(&low);
        self.inequalities.push(&high);
        Ok((symbols, true))
    }
}

/// The form that is zero or more where this one is negative.
pub(crate) fn below_zero<N: Num>(form: &[N]) -> Result<Vec<N>, Stop> {
    let mut negated = Vec::with_capacity(form.len());
    for entry in form {
        negated.push(entry.neg()?);
    }
    let last = negated.len() - 1;
    negated[last] = negated[last].sub(&N::from_i64(1))?;
    Ok(negated)
}
