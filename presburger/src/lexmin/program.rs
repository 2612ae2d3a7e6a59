//! Integer programs without parameters.

use crate::int::Int;
use crate::lexmin::dual::{DualTableau, Step};
use crate::num::{Budget, Num, Stop};
use crate::solve::rows::Rows;
use crate::solve::{load_rows, widening};
use crate::unknown::Unknown;

/// Linear constraints over integers that are at least zero.
#[derive(Clone, Debug)]
pub struct IntegerProgram {
    vars: usize,
    equalities: Vec<Vec<Int>>,
    inequalities: Vec<Vec<Int>>,
}

impl IntegerProgram {
    /// `vars` variables, each zero or more.
    pub fn new(vars: usize) -> IntegerProgram {
        IntegerProgram {
            vars,
            equalities: Vec::new(),
            inequalities: Vec::new(),
        }
    }

    pub fn vars(&self) -> usize {
        self.vars
    }

    /// Demands `coefficients . x + constant == 0`. Variables that are not given have
    /// the coefficient 0.
    ///
    /// # Panics
    ///
    /// If there are more coefficients than variables.
    pub fn add_equality(&mut self, coefficients: &[Int], constant: Int) {
        let row = self.row(coefficients, constant);
        self.equalities.push(row);
    }

    /// Demands `coefficients . x + constant >= 0`. Variables that are not given have
    /// the coefficient 0.
    ///
    /// # Panics
    ///
    /// If there are more coefficients than variables.
    pub fn add_inequality(&mut self, coefficients: &[Int], constant: Int) {
        let row = self.row(coefficients, constant);
        self.inequalities.push(row);
    }

    fn row(&self, coefficients: &[Int], constant: Int) -> Vec<Int> {
        assert!(
            coefficients.len() <= self.vars,
            "more coefficients than variables"
        );
        let mut row = coefficients.to_vec();
        row.resize(self.vars, Int::ZERO);
        row.push(constant);
        row
    }

    /// The lexicographically least point: the least first variable, with that the
    /// least second, and so on; none where there is no point.
    ///
    /// By the lexicographic dual simplex method with Gomory's cuts from the first
    /// variable that is not an integer, which is finite (P. Feautrier 1988).
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    pub fn lexmin(&self) -> Result<Option<Vec<Int>>, Unknown> {
        fn run<N: Num>(
            program: &IntegerProgram,
            budget: &mut Budget,
        ) -> Result<Option<Vec<Int>>, Stop> {
            let width = program.vars + 1;
            let equalities: Rows<N> = load_rows(width, &program.equalities)?;
            let inequalities: Rows<N> = load_rows(width, &program.inequalities)?;
            let mut tableau = DualTableau::new(program.vars, 0);
            for (rows, exact) in [(&equalities, true), (&inequalities, false)] {
                for row in rows.iter() {
                    let (constant, form) = row.split_last().expect("a row has a constant");
                    tableau.push(form, std::slice::from_ref(constant), exact)?;
                }
            }
            let point = solve(&mut tableau, program.vars, budget)?;
            Ok(point.map(|point| point.iter().map(Num::to_int).collect()))
        }
        widening!("the search for the lexicographic minimum", run(self))
    }
}

fn solve<N: Num>(
    tableau: &mut DualTableau<N>,
    vars: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    loop {
        while let Some(at) = violated(tableau)? {
            if tableau.raise(at, budget)? == Step::Stuck {
                return Ok(None);
            }
            tableau.drop_settled();
        }
        let Some(at) = fractional(tableau, vars)? else {
            let mut point = Vec::with_capacity(vars);
            for var in 0..vars {
                point.push(match tableau.row_of(var) {
                    None => N::zero(),
                    Some(at) => {
                        let row = tableau.constants(at);
                        row[1].div_exact(&row[0])?
                    }
                });
            }
            return Ok(Some(point));
        };
        let row = tableau.constants(at);
        let offset = row[1].neg()?.mod_floor(&row[0])?;
        let cut = tableau.push_cut(at, &[offset], None)?;
        if tableau.raise(cut, budget)? == Step::Stuck {
            return Ok(None);
        }
    }
}

/// A row whose constant is wrong, made negative.
fn violated<N: Num>(tableau: &mut DualTableau<N>) -> Result<Option<usize>, Stop> {
    for at in 0..tableau.len() {
        match tableau.constants(at)[1].signum() {
            -1 => return Ok(Some(at)),
            1 if tableau.is_exact(at) => {
                tableau.negate(at)?;
                return Ok(Some(at));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The row of the first variable that is not an integer.
fn fractional<N: Num>(tableau: &DualTableau<N>, vars: usize) -> Result<Option<usize>, Stop> {
    for at in (0..vars).filter_map(|var| tableau.row_of(var)) {
        let row = tableau.constants(at);
        if !row[0].is_one() && !row[1].mod_floor(&row[0])?.is_zero() {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
