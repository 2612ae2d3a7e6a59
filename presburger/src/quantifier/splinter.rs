//! One step of elimination for locals that bound each other.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::simplify::{combine, exact_shadow};

/// Conjuncts with the same points in all, each with a local less or with one more
/// local determined by an equality.
///
/// Where `e` has the lower bounds `a e >= f` and the upper bounds `b e <= g`, there is
/// a value for it in the dark shadow; a point with a value but outside of it has some
/// `a e = f + k` with `0 <= k <= (a b' - a - b') / b'`, `b'` the greatest `b`.
pub(super) fn splinter(conjunct: Conjunct, undefined: &[usize]) -> Vec<Conjunct> {
    let first = conjunct.space.columns();
    let mut best: Option<(Int, usize, i32)> = None;
    for &local in undefined {
        let column = first + local;
        if let Some(rows) = exact_shadow(&conjunct.inequalities, column, usize::MAX / 2) {
            let mut without = conjunct;
            without.inequalities = rows;
            without.remove_column(column);
            return vec![without];
        }
        // Equalities may be counted from the lower or from the upper bounds.
        for sign in [1, -1] {
            let mut count = Int::ZERO;
            let other = greatest(&conjunct.inequalities, column, -sign);
            for row in bounds(&conjunct.inequalities, column, sign) {
                let top = offsets(&row[column].abs(), &other);
                if !top.is_negative() {
                    count = &(&count + &top) + &Int::ONE;
                }
            }
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, column, sign));
            }
        }
    }
    let Some((_, column, sign)) = best else {
        return vec![conjunct];
    };
    let mut result = Vec::new();
    let other = greatest(&conjunct.inequalities, column, -sign);
    for row in bounds(&conjunct.inequalities, column, sign) {
        let top = offsets(&row[column].abs(), &other);
        let mut offset = Int::ZERO;
        while offset <= top {
            let mut equality = row.clone();
            let last = equality.len() - 1;
            equality[last] = &equality[last] - &offset;
            let mut piece = conjunct.clone();
            piece.equalities.push(equality);
            result.push(piece);
            offset += &Int::ONE;
            if result.len() > MAX_SPLINTERS {
                // The budget of the caller ends before these are looked at.
                return result;
            }
        }
    }
    result.push(dark_shadow(conjunct, column));
    result
}

/// More than the budget of the whole elimination.
const MAX_SPLINTERS: usize = 4_000;

fn bounds(rows: &[Row], column: usize, sign: i32) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row[column].signum() == sign)
}

/// The greatest size of the column's coefficient among bounds of one sign.
fn greatest(rows: &[Row], column: usize, sign: i32) -> Int {
    bounds(rows, column, sign)
        .map(|row| row[column].abs())
        .max()
        .unwrap_or(Int::ONE)
}

/// The greatest `k`; negative where there is none.
fn offsets(a: &Int, b: &Int) -> Int {
    let product = a * b;
    (&(&product - a) - b).div_floor(b)
}

fn dark_shadow(mut conjunct: Conjunct, column: usize) -> Conjunct {
    let (with, without): (Vec<Row>, Vec<Row>) = std::mem::take(&mut conjunct.inequalities)
        .into_iter()
        .partition(|row| !row[column].is_zero());
    conjunct.inequalities = without;
    for low in bounds(&with, column, 1) {
        for up in bounds(&with, column, -1) {
            let (mut row, _) = combine(low, up, column);
            let gap = &(&low[column] - &Int::ONE) * &(&up[column].abs() - &Int::ONE);
            let last = row.len() - 1;
            row[last] = &row[last] - &gap;
            conjunct.inequalities.push(row);
        }
    }
    conjunct.remove_column(column);
    conjunct
}
