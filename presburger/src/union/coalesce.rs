//! Fewer pieces for the same points.
//!
//! Two pieces are replaced by one where their hull is their union (S. Verdoolaege,
//! Integer Set Coalescing, IMPACT 2015). The hull tried is that of the constraints of
//! both, each relaxed as far as the other piece needs; that it holds no other point is
//! then proved. This covers pieces within each other, adjacent ones, overlapping ones
//! with the same constraints, and, through divisions, the residues of a modulus.

use crate::conjunct::{Conjunct, Row};
use crate::extremum::Extremum;
use crate::int::Int;
use crate::quantifier::{Divided, Division, definition};
use crate::relation::Relation;

use super::subtract::negated;

/// How many pieces are compared with each other.
const MAX_PIECES: usize = 30;

impl Relation {
    /// The same points in fewer pieces, where pairs of pieces are found to be one.
    pub fn coalesce(&self) -> Relation {
        let mut pieces: Vec<Conjunct> = Vec::new();
        for piece in &self.pieces {
            let mut piece = piece.clone();
            piece.simplify();
            if piece.is_empty() != Ok(true) && !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        let mut at = 0;
        while at < pieces.len() && pieces.len() <= MAX_PIECES {
            let joined = (0..at)
                .find_map(|other| join(&pieces[other], &pieces[at]).map(|hull| (other, hull)));
            match joined {
                Some((other, hull)) => {
                    pieces.remove(at);
                    pieces.remove(other);
                    // The new piece may join with any: it comes last, and those
                    // before it are compared with it.
                    pieces.push(hull);
                    at = at.saturating_sub(1);
                }
                None => at += 1,
            }
        }
        Relation {
            space: self.space,
            pieces,
        }
    }
}

/// Two pieces over the same columns: their space, and the divisions of both.
struct Pair {
    a: Conjunct,
    b: Conjunct,
}

/// One conjunct with the points of both, if it is found.
fn join(a: &Conjunct, b: &Conjunct) -> Option<Conjunct> {
    let pair = common_columns(a, b)?;
    let a_rows = as_inequalities(&pair.a);
    let b_rows = as_inequalities(&pair.b);
    let mut hull: Vec<Row> = Vec::new();
    let from_a = relaxed(&a_rows, &pair.b, &mut hull)?;
    if from_a {
        return Some(a.clone());
    }
    let from_b = relaxed(&b_rows, &pair.a, &mut hull)?;
    if from_b {
        return Some(b.clone());
    }
    let mut joined = Conjunct::universe(a.space).with_locals(pair.a.locals);
    joined.inequalities = hull;
    // No point of the hull outside of both: those that break a row of `a`, by the
    // first that they break, break none of `b`.
    let mut inside = joined.clone();
    for row in &a_rows {
        let mut outside_a = inside.clone();
        outside_a.inequalities.push(negated(row));
        if outside_a.is_empty() != Ok(true) {
            for other in &b_rows {
                let mut outside = outside_a.clone();
                outside.inequalities.push(negated(other));
                if outside.is_empty() != Ok(true) {
                    return None;
                }
            }
        }
        inside.inequalities.push(row.clone());
    }
    joined.simplify();
    joined.drop_implied();
    Some(joined)
}

/// Adds the rows to the hull, each with the constant with which it holds for all
/// points of `other` too; those that no constant makes hold are left out. Says whether
/// all held as they were. `None` where a search was given up.
fn relaxed(rows: &[Row], other: &Conjunct, hull: &mut Vec<Row>) -> Option<bool> {
    let mut all_hold = true;
    for row in rows {
        match other.minimum(row) {
            Ok(Extremum::At(value)) => {
                let mut row = row.clone();
                if value.is_negative() {
                    all_hold = false;
                    let last = row.len() - 1;
                    row[last] = &row[last] - &value;
                }
                hull.push(row);
            }
            Ok(Extremum::Unbounded) => all_hold = false,
            Ok(Extremum::Empty) | Err(_) => return None,
        }
    }
    Some(all_hold)
}

fn as_inequalities(conjunct: &Conjunct) -> Vec<Row> {
    let mut rows = Vec::new();
    for row in &conjunct.equalities {
        rows.push(row.iter().map(|entry| -entry).collect());
        rows.push(row.clone());
    }
    rows.extend(conjunct.inequalities.iter().cloned());
    rows
}

fn common_columns(a: &Conjunct, b: &Conjunct) -> Option<Pair> {
    if a.locals == 0 && b.locals == 0 {
        return Some(Pair {
            a: a.clone(),
            b: b.clone(),
        });
    }
    let [a] = &a.divided().ok()?[..] else {
        return None;
    };
    let [b] = &b.divided().ok()?[..] else {
        return None;
    };
    // First the divisions of `a` as they are, then those of `b` that are new.
    let space = a.conjunct.space;
    let first = space.columns();
    let most = a.conjunct.locals + b.conjunct.locals;
    let mut divisions: Vec<Division> = Vec::new();
    let a_to = place(a, most, &mut divisions);
    let b_to = place(b, most, &mut divisions);
    let locals = divisions.len();
    let definitions: Vec<Row> = divisions
        .iter()
        .enumerate()
        .flat_map(|(local, division)| {
            let mut numerator = division.numerator[..first + locals].to_vec();
            numerator.push(division.numerator[first + most].clone());
            let division = Division {
                numerator,
                divisor: division.divisor.clone(),
            };
            definition(&division, first + local)
        })
        .collect();
    let place_rows = |divided: &Divided, to: &[usize]| {
        let mut conjunct = divided.conjunct.rearrange(space, locals, to);
        conjunct.inequalities.extend(definitions.iter().cloned());
        conjunct
    };
    Some(Pair {
        a: place_rows(a, &a_to),
        b: place_rows(b, &b_to),
    })
}

/// Where the columns go: a division that is there already is not added again. The
/// numerators are rows with room for `most` locals.
fn place(divided: &Divided, most: usize, divisions: &mut Vec<Division>) -> Vec<usize> {
    let first = divided.conjunct.space.columns();
    let mut to: Vec<usize> = (0..first + divided.divisions.len()).collect();
    for &local in &divided.order {
        let division = &divided.divisions[local];
        let (constant, coefficients) = division.numerator.split_last().unwrap_or((&Int::ZERO, &[]));
        let mut numerator = vec![Int::ZERO; first + most + 1];
        // Only locals placed before have coefficients.
        for (entry, &column) in coefficients.iter().zip(&to) {
            numerator[column] += entry;
        }
        numerator[first + most] = constant.clone();
        let placed = Division {
            numerator,
            divisor: division.divisor.clone(),
        };
        let at = divisions
            .iter()
            .position(|there| *there == placed)
            .unwrap_or_else(|| {
                divisions.push(placed);
                divisions.len() - 1
            });
        to[first + local] = first + at;
    }
    to
}
