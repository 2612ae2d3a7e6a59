//! How many points there are.
//!
//! Variables that no constraint ties together are counted apart and multiplied; one
//! variable alone is an interval; of several that are tied together one is given each
//! of its values in turn.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::relation::Relation;
use crate::space::Space;
use crate::unknown::Unknown;

/// How many values may be looked at in all.
const BUDGET: u64 = 200_000;

/// How often pieces may have to be taken apart again.
const MAX_DEPTH: u64 = 10;

/// The number of points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    Finite(Int),
    Infinite,
}

impl Relation {
    /// The number of points, the columns of parameters counted as dimensions: fix
    /// those first of which only one value is meant.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where there are too many tied values to look at, quantifiers could
    /// not be eliminated, or a search was given up.
    pub fn count(&self) -> Result<Count, Unknown> {
        let mut total = Int::ZERO;
        let mut steps = 0;
        for conjunct in divided_apart(self, 0)? {
            match count(&conjunct, &mut steps)? {
                Count::Finite(number) => total += &number,
                Count::Infinite => return Ok(Count::Infinite),
            }
        }
        Ok(Count::Finite(total))
    }
}

/// Conjuncts that share no point and have the points of the relation in all; their
/// locals have one value at each point.
fn divided_apart(relation: &Relation, depth: u64) -> Result<Vec<Conjunct>, Unknown> {
    if depth > MAX_DEPTH {
        return Err(Unknown::OverBudget {
            what: "counting",
            steps: depth,
        });
    }
    let mut result = Vec::new();
    for piece in relation.make_disjoint()?.pieces {
        let mut parts = Vec::new();
        for divided in piece.divided()? {
            let mut conjunct = divided.conjunct.clone();
            conjunct.inequalities.extend(divided.definitions());
            parts.push(conjunct);
        }
        if parts.len() > 1 {
            // They may overlap.
            let parts = Relation::from_pieces(relation.space, parts);
            result.extend(divided_apart(&parts, depth + 1)?);
        } else {
            result.extend(parts);
        }
    }
    Ok(result)
}

/// The number of values of all columns, locals too.
fn count(conjunct: &Conjunct, steps: &mut u64) -> Result<Count, Unknown> {
    if conjunct.is_empty()? {
        return Ok(Count::Finite(Int::ZERO));
    }
    let columns = conjunct.row_len() - 1;
    let mut product = Int::ONE;
    let mut infinite = false;
    for group in groups(conjunct, columns) {
        match count_group(conjunct, &group, steps)? {
            Count::Finite(number) => product = &product * &number,
            Count::Infinite => infinite = true,
        }
    }
    // No group is empty, as the whole is not.
    Ok(if infinite {
        Count::Infinite
    } else {
        Count::Finite(product)
    })
}

/// The columns in groups that no row ties together.
fn groups(conjunct: &Conjunct, columns: usize) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..columns).collect();
    for row in conjunct.equalities.iter().chain(&conjunct.inequalities) {
        let mut tied = (0..columns).filter(|&c| !row[c].is_zero());
        if let Some(first) = tied.next() {
            let to = group[first];
            for column in tied {
                let from = group[column];
                for name in &mut group {
                    if *name == from {
                        *name = to;
                    }
                }
            }
        }
    }
    (0..columns)
        .map(|name| (0..columns).filter(|&c| group[c] == name).collect())
        .filter(|members: &Vec<usize>| !members.is_empty())
        .collect()
}

fn count_group(conjunct: &Conjunct, group: &[usize], steps: &mut u64) -> Result<Count, Unknown> {
    // The group alone, its columns as the dimensions of a set.
    let select = |row: &Row| -> Option<Row> {
        let mut entries: Row = group.iter().map(|&c| row[c].clone()).collect();
        if entries.iter().all(Int::is_zero) {
            return None;
        }
        entries.push(row[row.len() - 1].clone());
        Some(entries)
    };
    let mut alone = Conjunct::universe(Space::set(0, group.len()));
    alone.equalities = conjunct.equalities.iter().filter_map(select).collect();
    alone.inequalities = conjunct.inequalities.iter().filter_map(select).collect();
    // The column that most rows have: once it is fixed, least is tied together.
    let uses = |column: usize| {
        let rows = alone.equalities.iter().chain(&alone.inequalities);
        rows.filter(|row| !row[column].is_zero()).count()
    };
    let column = (0..group.len()).max_by_key(|&c| uses(c)).unwrap_or(0);
    let interval = alone.interval(column)?.unwrap_or_default();
    let (Some(lower), Some(upper)) = (interval.lower, interval.upper) else {
        return Ok(Count::Infinite);
    };
    if group.len() == 1 && alone.equalities.is_empty() {
        return Ok(Count::Finite(&(&upper - &lower) + &Int::ONE));
    }
    let mut total = Int::ZERO;
    let mut value = lower;
    while value <= upper {
        *steps += 1;
        if *steps > BUDGET {
            return Err(Unknown::OverBudget {
                what: "counting",
                steps: *steps,
            });
        }
        match count(&fixed(&alone, column, &value), steps)? {
            Count::Finite(number) => total += &number,
            Count::Infinite => return Ok(Count::Infinite),
        }
        value += &Int::ONE;
    }
    Ok(Count::Finite(total))
}

/// The conjunct, which has no locals, with a value for a column, which goes.
fn fixed(conjunct: &Conjunct, column: usize, value: &Int) -> Conjunct {
    let put_in = |row: &Row| {
        let mut row = row.clone();
        let coefficient = row.remove(column);
        let last = row.len() - 1;
        row[last].add_product(&coefficient, value);
        row
    };
    let dims = conjunct.space.outputs - 1;
    let mut result = Conjunct::universe(Space::set(0, dims));
    result.equalities = conjunct.equalities.iter().map(put_in).collect();
    result.inequalities = conjunct.inequalities.iter().map(put_in).collect();
    result
}
