//! Difference and complement.
//!
//! `A \ (c1 and c2 and ...)` is `A and not c1`, `A and c1 and not c2`, and so on:
//! disjoint pieces, of which those without points are dropped.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::quantifier::Divided;
use crate::relation::Relation;
use crate::unknown::Unknown;

/// How much a difference may cost: each piece looked at one, and the square of its
/// locals, by which the searches for a point become longer.
const BUDGET: u64 = 100_000;

/// From how many inequalities on a piece is relieved of redundant ones.
const MANY_ROWS: usize = 8;

impl Relation {
    /// The points of `self` that are not in `other`. No piece of the result is empty.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where quantifiers could not be eliminated or a search for a point
    /// was given up.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn subtract(&self, other: &Relation) -> Result<Relation, Unknown> {
        assert_eq!(self.space, other.space, "a difference of two spaces");
        let mut rest: Vec<Conjunct> = Vec::new();
        for piece in &self.pieces {
            if !piece.is_empty()? {
                rest.push(piece.clone());
            }
        }
        let mut steps = 0;
        for piece in &other.pieces {
            if rest.is_empty() {
                break;
            }
            // Only what is common to both needs a form that can be negated.
            if piece.locals > 0
                && Relation::from_pieces(self.space, rest.clone())
                    .is_disjoint(&Relation::from(piece.clone()))?
            {
                continue;
            }
            for divided in piece.divided()? {
                let mut next = Vec::new();
                for minuend in rest {
                    without(minuend, &divided, &mut next, &mut steps)?;
                }
                rest = next;
            }
        }
        let mut result = Relation::empty(self.space);
        for piece in rest {
            result.push(piece);
        }
        Ok(result)
    }

    /// The points that are not in `self`.
    ///
    /// # Errors
    ///
    /// As [`Relation::subtract`].
    pub fn complement(&self) -> Result<Relation, Unknown> {
        Relation::universe(self.space).subtract(self)
    }

    /// The same points in pieces no two of which have one in common.
    ///
    /// # Errors
    ///
    /// As [`Relation::subtract`].
    pub fn make_disjoint(&self) -> Result<Relation, Unknown> {
        let mut result = Relation::empty(self.space);
        for piece in &self.pieces {
            let new = Relation::from(piece.clone()).subtract(&result)?;
            result.pieces.extend(new.pieces);
        }
        Ok(result)
    }
}

/// Adds the non-empty pieces of `minuend \ divided` to `result`.
fn without(
    minuend: Conjunct,
    divided: &Divided,
    result: &mut Vec<Conjunct>,
    steps: &mut u64,
) -> Result<(), Unknown> {
    let columns = minuend.space.columns();
    let locals = minuend.locals + divided.conjunct.locals;
    let to: Vec<usize> = (0..columns)
        .chain(columns + minuend.locals..columns + locals)
        .collect();
    let mut definitions = divided.conjunct.clone();
    definitions.equalities.clear();
    definitions.inequalities = divided.definitions();
    let mut inside = minuend.with_locals(locals);
    inside.append(definitions.rearrange(minuend.space, locals, &to));
    let constraints = divided.conjunct.rearrange(minuend.space, locals, &to);
    let mut all = inside.clone();
    all.append(constraints.clone());
    all.simplify();
    if all.is_empty()? {
        result.push(minuend);
        return Ok(());
    }
    // Keeps a piece unless it is empty, and says whether it was kept.
    let mut keep = |mut piece: Conjunct| -> Result<bool, Unknown> {
        // Divisions that both sides use become one.
        piece.simplify();
        *steps += 1 + (piece.locals as u64).pow(2);
        if *steps > BUDGET {
            return Err(Unknown::OverBudget {
                what: "a difference",
                steps: *steps,
            });
        }
        if piece.is_contradiction() || piece.is_empty()? {
            return Ok(false);
        }
        if piece.inequalities.len() > MANY_ROWS && piece.remove_redundant().is_ok() {
            piece.simplify();
        }
        result.push(piece);
        Ok(true)
    };
    // A constraint that all of what is left satisfies need not be added to it.
    for row in constraints.equalities {
        let mut cuts = false;
        for sign in [Int::ONE, Int::MINUS_ONE] {
            let mut piece = inside.clone();
            piece.inequalities.push(beyond(&row, &sign));
            cuts |= keep(piece)?;
        }
        if cuts {
            inside.equalities.push(row);
        }
    }
    for row in constraints.inequalities {
        let mut piece = inside.clone();
        piece.inequalities.push(negated(&row));
        if keep(piece)? {
            inside.inequalities.push(row);
        }
    }
    Ok(())
}

/// `sign * row >= 1`.
fn beyond(row: &Row, sign: &Int) -> Row {
    let mut row: Row = row.iter().map(|entry| entry * sign).collect();
    let last = row.len() - 1;
    row[last] = &row[last] - &Int::ONE;
    row
}

/// `row < 0`.
pub(super) fn negated(row: &Row) -> Row {
    beyond(row, &Int::MINUS_ONE)
}
