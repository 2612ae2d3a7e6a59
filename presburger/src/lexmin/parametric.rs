//! Parametric integer programming: the lexicographic minimum as a function.
//!
//! P. Feautrier, "Parametric integer programming", 1988, with the improvements of
//! S. Verdoolaege's isl (2010): whether a symbolic constant can be negative is decided
//! over the integers of the context, most often by a point found before; a cut goes
//! into the columns at once, since its constant is never positive.
//!
//! Variables may be negative: each stands for itself plus M, which is greater than all
//! else and divisible by all. M is the first symbol of the tableau, and no symbol of
//! the context.

use crate::lexmin::context::{Context, Sign, below_zero};
use crate::lexmin::dual::{DualTableau, Step};
use crate::num::{Budget, Num, Stop};

/// One case: where it holds, and the minimum there.
#[derive(Debug)]
pub(crate) struct Case<N> {
    pub context: Context<N>,
    /// For each variable asked for: over the context's symbols, and the constant.
    pub values: Vec<Vec<N>>,
}

/// What a parametric program comes to.
pub(crate) enum Outcome<N> {
    Cases(Vec<Case<N>>),
    /// In some case there are points, and no least value of this variable.
    Unbounded(usize),
}

/// A program being solved, in one case of the symbols.
struct Branch<N> {
    context: Context<N>,
    tableau: DualTableau<N>,
}

/// How a branch goes on.
enum Next<N> {
    /// A row to be made zero.
    Raise(usize),
    /// The case where this form is zero or more, and the other.
    Split(Vec<N>),
    /// There are points only where this form is zero or more.
    Demand(Vec<N>),
    /// The rational minimum is found.
    Solved,
}

/// Minimises the variables in their order over constraints
/// `form . x + constants . (1, symbols)`, and gives the first `wanted` of them. Those
/// of `equalities` are to be zero, those of `inequalities` zero or more.
pub(crate) fn minimise<N: Num>(
    context: Context<N>,
    vars: usize,
    wanted: usize,
    equalities: &[(Vec<N>, Vec<N>)],
    inequalities: &[(Vec<N>, Vec<N>)],
    budget: &mut Budget,
) -> Result<Outcome<N>, Stop> {
    let mut tableau = DualTableau::new(vars, 1 + context.symbols());
    for (rows, exact) in [(equalities, true), (inequalities, false)] {
        for (form, constants) in rows {
            // x = y - M
            let mut shift = N::zero();
            for entry in form {
                shift = shift.sub(entry)?;
            }
            let mut shifted = vec![constants[0].clone(), shift];
            shifted.extend_from_slice(&constants[1..]);
            tableau.push(form, &shifted, exact)?;
        }
    }
    let mut cases = Vec::new();
    let mut branches = vec![Branch { context, tableau }];
    'branches: while let Some(mut branch) = branches.pop() {
        if branch.context.is_empty(budget)? {
            continue;
        }
        loop {
            match branch.next(budget)? {
                Next::Raise(at) => {
                    if branch.tableau.raise(at, budget)? == Step::Stuck {
                        continue 'branches;
                    }
                    branch.tableau.drop_settled();
                }
                Next::Demand(form) => {
                    branch.context.demand(&form)?;
                    if branch.context.is_empty(budget)? {
                        continue 'branches;
                    }
                }
                Next::Split(form) => {
                    let mut other = Branch {
                        context: branch.context.clone(),
                        tableau: branch.tableau.clone(),
                    };
                    other.context.demand(&below_zero(&form)?)?;
                    branch.context.demand(&form)?;
                    branches.push(other);
                }
                Next::Solved => match branch.cut(vars, budget)? {
                    Cut::Integral => break,
                    Cut::Made => {}
                    Cut::Infeasible => continue 'branches,
                },
            }
        }
        let mut values = Vec::with_capacity(wanted);
        for var in 0..wanted {
            match branch.value(var)? {
                Some(value) => values.push(value),
                None => return Ok(Outcome::Unbounded(var)),
            }
        }
        let context = branch.context;
        cases.push(Case { context, values });
    }
    Ok(Outcome::Cases(cases))
}

enum Cut {
    /// All variables are integers.
    Integral,
    Made,
    /// The variable cannot be an integer.
    Infeasible,
}

/// Where in a row the coefficient of M stands, and the first of the context's symbols.
const BIG: usize = 2;
const SYMBOL: usize = 3;

impl<N: Num> Branch<N> {
    fn next(&mut self, budget: &mut Budget) -> Result<Next<N>, Stop> {
        let mut split = None;
        let mut at = 0;
        while at < self.tableau.len() {
            let exact = self.tableau.is_exact(at);
            match self.sign(at, budget)? {
                Sign::Negative => return Ok(Next::Raise(at)),
                Sign::NotNegative if exact => {
                    // Zero, positive, or either.
                    self.tableau.negate(at)?;
                    match self.sign(at, budget)? {
                        Sign::Negative => return Ok(Next::Raise(at)),
                        Sign::NotNegative => {}
                        Sign::Both => {
                            self.tableau.split_exact(at)?;
                            continue;
                        }
                    }
                }
                Sign::NotNegative => {}
                Sign::Both => {
                    if exact {
                        self.tableau.split_exact(at)?;
                    }
                    let form = self.form(at);
                    if !self.tableau.can_grow(at) {
                        return Ok(Next::Demand(form));
                    }
                    split.get_or_insert(form);
                }
            }
            at += 1;
        }
        Ok(split.map_or(Next::Solved, Next::Split))
    }

    /// The signs of a row's constant.
    fn sign(&mut self, at: usize, budget: &mut Budget) -> Result<Sign, Stop> {
        match self.tableau.constants(at)[BIG].signum() {
            0 => {}
            1 => return Ok(Sign::NotNegative),
            _ => return Ok(Sign::Negative),
        }
        let form = self.form(at);
        self.context.sign(&form, budget)
    }

    /// A row's constant, times its denominator, as a form over the context's symbols.
    fn form(&self, at: usize) -> Vec<N> {
        let constants = self.tableau.constants(at);
        let mut form = constants[SYMBOL..].to_vec();
        form.push(constants[1].clone());
        form
    }

    /// Cuts off the rational minimum where a variable is not an integer in it.
    fn cut(&mut self, vars: usize, budget: &mut Budget) -> Result<Cut, Stop> {
        let Some(at) = self.fractional(vars)? else {
            return Ok(Cut::Integral);
        };
        let row = self.tableau.constants(at);
        let denominator = row[0].clone();
        // What is missing to the next integer, over (1, M, symbols); M is divisible.
        let mut offset = Vec::with_capacity(row.len());
        for (i, entry) in row.iter().enumerate().skip(1) {
            offset.push(if i == BIG {
                N::zero()
            } else {
                entry.neg()?.mod_floor(&denominator)?
            });
        }
        let mut quotient = None;
        if offset[1..].iter().any(|entry| !entry.is_zero()) {
            let mut numerator = offset[SYMBOL - 1..].to_vec();
            numerator.push(offset[0].clone());
            let (symbol, new) = self.context.quotient(&numerator, &denominator)?;
            if new {
                self.tableau.push_symbol();
                offset.push(N::zero());
            }
            // Behind M.
            quotient = Some(symbol + 1);
        }
        let cut = self.tableau.push_cut(at, &offset, quotient)?;
        if self.tableau.can_grow(cut) {
            self.tableau.raise(cut, budget)?;
            return Ok(Cut::Made);
        }
        // Nothing but the symbols decides: what is missing must be nothing.
        let missing = self.form(cut);
        self.context.demand(&missing)?;
        if self.context.is_empty(budget)? {
            return Ok(Cut::Infeasible);
        }
        self.tableau.absorb_cut(at)?;
        Ok(Cut::Made)
    }

    /// The row of the first variable that is not an integer for all symbols.
    fn fractional(&self, vars: usize) -> Result<Option<usize>, Stop> {
        for at in (0..vars).filter_map(|var| self.tableau.row_of(var)) {
            let row = self.tableau.constants(at);
            if row[0].is_one() {
                continue;
            }
            for (i, entry) in row.iter().enumerate().skip(1) {
                if i != BIG && !entry.mod_floor(&row[0])?.is_zero() {
                    return Ok(Some(at));
                }
            }
        }
        Ok(None)
    }

    /// The value of a variable over the context's symbols; none where it still
    /// depends on M, and so is as little as one likes.
    fn value(&self, var: usize) -> Result<Option<Vec<N>>, Stop> {
        let Some(at) = self.tableau.row_of(var) else {
            return Ok(None);
        };
        let row = self.tableau.constants(at);
        if row[BIG] != row[0] {
            return Ok(None);
        }
        let mut value = self.form(at);
        for entry in &mut value {
            *entry = entry.div_exact(&row[0])?;
        }
        Ok(Some(value))
    }
}
