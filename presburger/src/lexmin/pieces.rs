//! The lexicographic minimum of a conjunct's outputs as a function of its parameters
//! and inputs.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::lexmin::context::Context;
use crate::lexmin::parametric::{Outcome, minimise};
use crate::num::{Budget, Num, Stop};
use crate::redundant::strip;
use crate::solve::system::{System, normalise_equality};
use crate::solve::widening;
use crate::space::Space;
use crate::unknown::Unknown;

/// A part of a function that is affine on each of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The parameters and inputs (as the dimensions of a set) where this part holds.
    /// Its locals are integral parts of affine forms: each has a pair of inequalities
    /// that define it from the columns before it.
    pub domain: Conjunct,
    /// One row for each output, over the columns and locals of the domain.
    pub values: Vec<Row>,
}

impl Piece {
    /// The function as a relation: the points of the domain with their values.
    pub fn graph(&self, space: Space) -> Conjunct {
        let fixed = space.params + space.inputs;
        let mut graph = Conjunct::universe(space);
        let locals = self.domain.locals();
        for _ in 0..locals {
            graph.add_local();
        }
        // (params, inputs, locals, 1) with zeros for the outputs between.
        let spread = |row: &Row| {
            let mut wide = row[..fixed].to_vec();
            wide.resize(space.columns(), Int::ZERO);
            wide.extend_from_slice(&row[fixed..]);
            wide
        };
        graph.equalities = self.domain.equalities().iter().map(spread).collect();
        graph.inequalities = self.domain.inequalities().iter().map(spread).collect();
        for (output, value) in self.values.iter().enumerate() {
            let mut row = spread(value);
            row[fixed + output] = Int::MINUS_ONE;
            graph.equalities.push(row);
        }
        graph
    }
}

impl Conjunct {
    /// The lexicographically least outputs for each value of parameters and inputs for
    /// which there are outputs at all: pieces whose domains do not overlap.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up;
    /// [`Unknown::Unbounded`] where an output has no least value.
    pub fn lexmin_pieces(&self) -> Result<Vec<Piece>, Unknown> {
        self.pieces(false)
    }

    /// The lexicographically greatest outputs, as [`Conjunct::lexmin_pieces`].
    ///
    /// # Errors
    ///
    /// As there, with greatest for least.
    pub fn lexmax_pieces(&self) -> Result<Vec<Piece>, Unknown> {
        self.pieces(true)
    }

    fn pieces(&self, greatest: bool) -> Result<Vec<Piece>, Unknown> {
        match widening!("the parametric lexicographic minimum", run(self, greatest))? {
            Pieces::Pieces(pieces) => Ok(pieces),
            Pieces::Unbounded(output) => Err(Unknown::Unbounded { output }),
        }
    }
}

enum Pieces {
    Pieces(Vec<Piece>),
    Unbounded(usize),
}

/// An output that an equality gives from parameters, inputs and outputs before it: it
/// takes no part in the minimisation.
struct Given<N> {
    output: usize,
    /// Its coefficient is 1 or -1.
    row: Vec<N>,
}

fn run<N: Num>(conjunct: &Conjunct, greatest: bool, budget: &mut Budget) -> Result<Pieces, Stop> {
    let space = conjunct.space();
    let outputs = space.output_columns();
    let mut system = System::<N>::load(conjunct, false)?;
    if greatest {
        for row in system
            .inequalities
            .iter_mut()
            .chain(system.equalities.iter_mut())
        {
            for entry in &mut row[outputs.clone()] {
                *entry = entry.neg()?;
            }
        }
    }
    let mut given = Vec::new();
    let mut taken = vec![false; system.vars()];
    loop {
        if !resolve(&mut system, space, &mut taken, &mut given, budget)? {
            return Ok(Pieces::Pieces(Vec::new()));
        }
        let known = system.equalities.len();
        if !strip(&mut system, budget)? {
            return Ok(Pieces::Pieces(Vec::new()));
        }
        // Equalities that were found now may give more outputs.
        if system.equalities.len() <= known {
            break;
        }
    }
    // Outputs before locals, in their order.
    let fixed = outputs.start;
    let columns: Vec<usize> = (fixed..system.vars()).filter(|c| !taken[*c]).collect();
    let wanted = columns.iter().filter(|c| outputs.contains(c)).count();
    let mut context = Context::new(fixed);
    let mut forms = [Vec::new(), Vec::new()];
    for (rows, exact) in [(&system.equalities, true), (&system.inequalities, false)] {
        for row in rows.iter() {
            let form: Vec<N> = columns.iter().map(|c| row[*c].clone()).collect();
            let constant = row[row.len() - 1].clone();
            if form.iter().all(Num::is_zero) {
                let mut condition = row[..fixed].to_vec();
                condition.push(constant);
                if exact {
                    context.equalities.push(&condition);
                } else {
                    context.demand(&condition)?;
                }
            } else {
                let mut constants = vec![constant];
                constants.extend_from_slice(&row[..fixed]);
                forms[usize::from(!exact)].push((form, constants));
            }
        }
    }
    let [equalities, inequalities] = forms;
    let outcome = minimise(
        context,
        columns.len(),
        wanted,
        &equalities,
        &inequalities,
        budget,
    )?;
    let cases = match outcome {
        Outcome::Cases(cases) => cases,
        Outcome::Unbounded(var) => return Ok(Pieces::Unbounded(columns[var] - fixed)),
    };
    let mut pieces = Vec::with_capacity(cases.len());
    for case in cases {
        let mut values: Vec<Option<Vec<N>>> = vec![None; space.outputs];
        for (column, value) in columns.iter().zip(case.values) {
            values[column - fixed] = Some(value);
        }
        for given in given.iter().rev() {
            values[given.output] = Some(given.value(fixed, case.context.symbols(), &values)?);
        }
        let values: Vec<Vec<N>> = values.into_iter().flatten().collect();
        debug_assert_eq!(values.len(), space.outputs);
        pieces.push(piece(space, &case.context, &values, greatest));
    }
    Ok(Pieces::Pieces(pieces))
}

impl<N: Num> Given<N> {
    /// The output's value over the symbols, from those of the outputs before it;
    /// `fixed` of the symbols are parameters and inputs.
    fn value(
        &self,
        fixed: usize,
        symbols: usize,
        values: &[Option<Vec<N>>],
    ) -> Result<Vec<N>, Stop> {
        let row = &self.row;
        let mut value = row[..fixed].to_vec();
        value.resize(symbols, N::zero());
        value.push(row[row.len() - 1].clone());
        for (other, known) in values.iter().enumerate() {
            let factor = &row[fixed + other];
            if other == self.output || factor.is_zero() {
                continue;
            }
            // Whatever it mentions was resolved later, or is minimised.
            for (entry, add) in value.iter_mut().zip(known.iter().flatten()) {
                entry.add_product(factor, add)?;
            }
        }
        let sign = row[fixed + self.output].neg()?;
        for entry in &mut value {
            *entry = entry.mul(&sign)?;
        }
        Ok(value)
    }
}

/// Takes away locals that an equality gives, and outputs that one gives from what
/// comes before them. False where an equality has no solution.
fn resolve<N: Num>(
    system: &mut System<N>,
    space: Space,
    taken: &mut [bool],
    given: &mut Vec<Given<N>>,
    budget: &mut Budget,
) -> Result<bool, Stop> {
    let outputs = space.output_columns();
    let mut at = 0;
    while at < system.equalities.len() {
        let row = system.equalities.row_mut(at);
        if !normalise_equality(row)? {
            return Ok(false);
        }
        let columns = row.len() - 1;
        if row[..columns].iter().all(Num::is_zero) {
            system.equalities.swap_remove(at);
            continue;
        }
        let local = (outputs.end..columns).find(|column| row[*column].is_unit());
        let last = (outputs.start..columns)
            .rev()
            .find(|column| !row[*column].is_zero());
        let output = last.filter(|column| outputs.contains(column) && row[*column].is_unit());
        let Some(column) = local.or(output) else {
            at += 1;
            continue;
        };
        let row = row.to_vec();
        system.equalities.swap_remove(at);
        system.substitute(column, &row, budget)?;
        taken[column] = true;
        if outputs.contains(&column) {
            let output = column - outputs.start;
            given.push(Given { output, row });
        }
        // The others have changed.
        at = 0;
    }
    Ok(true)
}

/// The context with its values, and those integral parts that they mention.
fn piece<N: Num>(space: Space, context: &Context<N>, values: &[Vec<N>], greatest: bool) -> Piece {
    let fixed = space.params + space.inputs;
    let quotients = &context.quotients;
    let mut used = vec![false; quotients.len()];
    for at in (0..used.len()).rev() {
        let has = |row: &[N]| !row[fixed + at].is_zero();
        used[at] = values.iter().any(|row| has(row))
            || context.equalities.iter().any(has)
            || context.demands().any(has)
            || (at + 1..used.len()).any(|later| used[later] && has(&quotients[later].numerator));
    }
    let keep = |row: &[N]| -> Row {
        let gone = |i: usize| i >= fixed && i - fixed < used.len() && !used[i - fixed];
        let kept = row.iter().enumerate().filter(|(i, _)| !gone(*i));
        kept.map(|(_, entry)| entry.to_int()).collect()
    };
    let mut domain = Conjunct::universe(Space::set(space.params, space.inputs));
    domain.locals = used.iter().filter(|used| **used).count();
    domain.equalities = context.equalities.iter().map(keep).collect();
    domain.inequalities = context.demands().map(keep).collect();
    for (quotient, _) in quotients.iter().zip(&used).filter(|(_, used)| **used) {
        for row in [quotient.row, quotient.row + 1] {
            domain
                .inequalities
                .push(keep(context.inequalities.row(row)));
        }
    }
    let mut values: Vec<Row> = values.iter().map(|row| keep(row)).collect();
    if greatest {
        for entry in values.iter_mut().flatten() {
            *entry = -&*entry;
        }
    }
    Piece { domain, values }
}
