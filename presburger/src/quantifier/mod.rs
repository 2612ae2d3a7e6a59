//! Exact elimination of quantifiers: any conjunct as a union of conjuncts whose locals
//! are divisions of what comes before them.
//!
//! A local that is a division has exactly one value at each point, so that such a
//! conjunct can be negated row by row. Three steps bring a local to that form, each
//! exact over the integers:
//!
//! 1. Equalities are solved ([`Conjunct::simplify`]); a local left in one is the
//!    quotient of a congruence.
//! 2. If all lower (or all upper) bounds of a local are over known values, then where
//!    there is a value at all, the greatest lower bound is one. One conjunct for each
//!    bound that may be the greatest. This is the lexicographic minimum of the local,
//!    as in S. Verdoolaege, isl (ICMS 2010).
//! 3. Where locals bound each other: dark shadow and splinters (Pugh, The Omega test,
//!    1991, section 2.3.3). A splinter fixes the local by an equality.

mod splinter;

use crate::columns::division_bounds;
use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::space::Space;
use crate::unknown::Unknown;

/// How many conjuncts may be looked at on the way.
const BUDGET: u64 = 2_000;

const WHAT: &str = "the elimination of quantifiers";

/// `floor(numerator / divisor)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// A row over the columns of the space, all locals, and the constant. Only locals
    /// before this one in [`Divided::order`] have coefficients.
    pub(crate) numerator: Row,
    pub(crate) divisor: Int,
}

/// A conjunct in which every local is a division.
#[derive(Clone, Debug)]
pub(crate) struct Divided {
    /// The constraints. They need not say what the divisions are.
    pub(crate) conjunct: Conjunct,
    /// For each local what it is.
    pub(crate) divisions: Vec<Division>,
    /// The locals, each after those that its numerator uses.
    pub(crate) order: Vec<usize>,
}

impl Divided {
    /// What the locals are, as constraints over the same columns.
    pub(crate) fn definitions(&self) -> Vec<Row> {
        let first = self.conjunct.space.columns();
        let mut rows = Vec::with_capacity(2 * self.divisions.len());
        for (local, division) in self.divisions.iter().enumerate() {
            rows.extend(definition(division, first + local));
        }
        rows
    }
}

/// The two rows that make a column what the division says. The numerator is over all
/// columns already.
pub(crate) fn definition(division: &Division, column: usize) -> [Row; 2] {
    let last = division.numerator.len() - 1;
    // The quotient as a column after all others, then moved to where it belongs.
    division_bounds(&division.numerator, &division.divisor, last).map(|mut row| {
        let coefficient = row.remove(last);
        row[column] = coefficient;
        row
    })
}

impl Conjunct {
    /// Conjuncts with the same points in all, whose locals are divisions.
    pub(crate) fn divided(&self) -> Result<Vec<Divided>, Unknown> {
        let mut done = Vec::new();
        let mut work = vec![self.clone()];
        let mut steps = 0;
        while let Some(mut conjunct) = work.pop() {
            steps += 1;
            if steps > BUDGET {
                return Err(Unknown::OverBudget { what: WHAT, steps });
            }
            conjunct.simplify();
            if conjunct.is_contradiction() || (steps > 1 && conjunct.is_empty() == Ok(true)) {
                continue;
            }
            let mut states = vec![State::new(conjunct)];
            while let Some(mut state) = states.pop() {
                steps += 1;
                if steps > BUDGET {
                    return Err(Unknown::OverBudget { what: WHAT, steps });
                }
                match state.next() {
                    Next::Done => done.push(state.finish()),
                    Next::Define(local, mut candidates) => {
                        // One way goes on with this state, the others with copies.
                        let last = candidates.pop();
                        for division in candidates {
                            let mut copy = state.clone();
                            copy.define(local, division);
                            states.push(copy);
                        }
                        if let Some(division) = last {
                            state.define(local, division);
                            states.push(state);
                        }
                    }
                    Next::Free(local) => {
                        state.release(local);
                        states.push(state);
                    }
                    Next::Stuck => {
                        let conjunct = state.conjunct_with_definitions();
                        if let Some(parts) = least_locals(&conjunct) {
                            done.extend(parts);
                            continue;
                        }
                        work.extend(splinter::splinter(conjunct, &state.undefined()));
                    }
                }
            }
        }
        Ok(done)
    }
}

/// The points for which there are least values of the locals, as the parametric
/// minimisation has them: domains that only use divisions. `None` where it gives up, or
/// the locals have no least values.
fn least_locals(conjunct: &Conjunct) -> Option<Vec<Divided>> {
    let space = conjunct.space;
    let wanted = Conjunct {
        space: Space::map(space.params, space.inputs + space.outputs, conjunct.locals),
        locals: 0,
        ..conjunct.clone()
    };
    let mut parts = Vec::new();
    for piece in wanted.lexmin_pieces().ok()? {
        let mut domain = piece.domain;
        domain.space = space;
        domain.simplify();
        if domain.is_contradiction() {
            continue;
        }
        let mut state = State::new(domain);
        loop {
            match state.next() {
                Next::Done => break,
                Next::Define(local, mut divisions) if divisions.len() == 1 => {
                    state.define(local, divisions.pop()?);
                }
                _ => return None,
            }
        }
        parts.push(state.finish());
    }
    Some(parts)
}

/// A conjunct of which some locals are known to be divisions.
#[derive(Clone)]
struct State {
    conjunct: Conjunct,
    divisions: Vec<Option<Division>>,
    order: Vec<usize>,
}

enum Next {
    /// All locals are divisions.
    Done,
    /// This local is one of these, whichever satisfies the constraints.
    Define(usize, Vec<Division>),
    /// Nothing bounds this local on one side.
    Free(usize),
    /// The locals that are left bound each other.
    Stuck,
}

impl State {
    /// Of a conjunct whose equalities are solved: each has one local at most.
    fn new(conjunct: Conjunct) -> State {
        let mut state = State {
            divisions: vec![None; conjunct.locals],
            order: Vec::new(),
            conjunct,
        };
        let first = state.conjunct.space.columns();
        for row in state.conjunct.equalities.clone() {
            let mut locals = (0..state.conjunct.locals).filter(|l| !row[first + l].is_zero());
            if let (Some(local), None) = (locals.next(), locals.next())
                && state.divisions[local].is_none()
            {
                let division = bound(&row, first + local);
                state.define(local, division);
            }
        }
        state
    }

    fn define(&mut self, local: usize, division: Division) {
        self.divisions[local] = Some(division);
        self.order.push(local);
    }

    fn undefined(&self) -> Vec<usize> {
        (0..self.divisions.len())
            .filter(|&l| self.divisions[l].is_none())
            .collect()
    }

    /// Far enough out all rows with this local hold: they go, and it can be anything,
    /// for instance 0.
    fn release(&mut self, local: usize) {
        let column = self.conjunct.space.columns() + local;
        self.conjunct
            .inequalities
            .retain(|row| row[column].is_zero());
        let nothing = Division {
            numerator: vec![Int::ZERO; self.conjunct.row_len()],
            divisor: Int::ONE,
        };
        self.define(local, nothing);
    }

    fn next(&self) -> Next {
        let undefined = self.undefined();
        if undefined.is_empty() {
            return Next::Done;
        }
        if let Some(found) = self.only_value(&undefined) {
            return found;
        }
        let first = self.conjunct.space.columns();
        let mut best: Option<(usize, Vec<&Row>)> = None;
        for &local in &undefined {
            let column = first + local;
            if self
                .conjunct
                .equalities
                .iter()
                .any(|r| !r[column].is_zero())
            {
                continue;
            }
            let known = |row: &&Row| {
                undefined
                    .iter()
                    .all(|&other| other == local || row[first + other].is_zero())
            };
            for sign in [1, -1] {
                let side: Vec<&Row> = self
                    .conjunct
                    .inequalities
                    .iter()
                    .filter(|row| row[column].signum() == sign)
                    .collect();
                if side.iter().all(known)
                    && best
                        .as_ref()
                        .is_none_or(|(_, rows)| side.len() < rows.len())
                {
                    best = Some((local, side));
                }
            }
        }
        match best {
            Some((local, rows)) if rows.is_empty() => Next::Free(local),
            Some((local, rows)) => {
                let divisions = rows.iter().map(|row| bound(row, first + local)).collect();
                Next::Define(local, divisions)
            }
            None => Next::Stuck,
        }
    }

    /// A local that two opposite bounds over known values leave one value only.
    fn only_value(&self, undefined: &[usize]) -> Option<Next> {
        let first = self.conjunct.space.columns();
        let last = self.conjunct.row_len() - 1;
        for &local in undefined {
            let column = first + local;
            for low in &self.conjunct.inequalities {
                let others_known = || {
                    undefined
                        .iter()
                        .all(|&other| other == local || low[first + other].is_zero())
                };
                if !low[column].is_positive() || !others_known() {
                    continue;
                }
                let leaves_one = self.conjunct.inequalities.iter().any(|up| {
                    let opposite = (0..last).all(|c| low[c] == -&up[c]);
                    opposite && &low[last] + &up[last] < low[column]
                });
                if leaves_one {
                    return Some(Next::Define(local, vec![bound(low, column)]));
                }
            }
        }
        None
    }

    fn conjunct_with_definitions(&self) -> Conjunct {
        let mut conjunct = self.conjunct.clone();
        let first = conjunct.space.columns();
        for (local, division) in self.divisions.iter().enumerate() {
            if let Some(division) = division {
                let rows = definition(division, first + local);
                conjunct.inequalities.extend(rows);
            }
        }
        conjunct
    }

    fn finish(self) -> Divided {
        Divided {
            conjunct: self.conjunct,
            divisions: self.divisions.into_iter().flatten().collect(),
            order: self.order,
        }
    }
}

/// The least value of the column (the greatest, where its coefficient is negative) that
/// a row admits: `a e + f >= 0` is `e >= ceil(-f / a) = floor((a - 1 - f) / a)`, and
/// `-b e + g >= 0` is `e <= floor(g / b)`.
fn bound(row: &Row, column: usize) -> Division {
    let divisor = row[column].abs();
    let last = row.len() - 1;
    let mut numerator: Row = if row[column].is_positive() {
        row.iter().map(|entry| -entry).collect()
    } else {
        row.clone()
    };
    if row[column].is_positive() {
        numerator[last] = &(&numerator[last] + &divisor) - &Int::ONE;
    }
    numerator[column] = Int::ZERO;
    Division { numerator, divisor }
}
