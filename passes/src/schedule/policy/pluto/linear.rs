//! Small linear algebra over the integers.

use terrace_presburger::{Int, Row};

/// How many of the rows are linearly independent.
pub fn rank(rows: &[Row]) -> usize {
    echelon(rows).len()
}

/// Integer rows that span what is orthogonal to all the given ones, of which there
/// are `columns - rank`. The first entry of each that is not zero is positive.
pub fn orthogonal_complement(rows: &[Row], columns: usize) -> Vec<Row> {
    let reduced = echelon(rows);
    let pivots: Vec<usize> = reduced.iter().map(Vec::as_slice).map(pivot).collect();
    (0..columns)
        .filter(|free| !pivots.contains(free))
        .map(|free| {
            // With the free column at the least common multiple of the pivots the
            // other entries are whole.
            let scale = reduced
                .iter()
                .zip(&pivots)
                .fold(Int::ONE, |m, (r, p)| m.lcm(&r[*p]));
            let mut v = vec![Int::ZERO; columns];
            for (r, p) in reduced.iter().zip(&pivots) {
                v[*p] = -&(&r[free] * &scale.div_floor(&r[*p]));
            }
            v[free] = scale;
            primitive(&mut v);
            v
        })
        .collect()
}

/// Reduced row echelon form without zero rows; pivots are positive.
fn echelon(rows: &[Row]) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    for row in rows {
        let mut row = row.clone();
        for r in &out {
            clear(&mut row, r, pivot(r));
        }
        if row.iter().all(Int::is_zero) {
            continue;
        }
        primitive(&mut row);
        let at = pivot(&row);
        for r in &mut out {
            clear(r, &row, at);
        }
        out.push(row);
    }
    out
}

fn pivot(row: &[Int]) -> usize {
    row.iter().position(|v| !v.is_zero()).unwrap_or(row.len())
}

/// Makes the entry `at` of `row` zero with the help of `by`, and keeps its sign.
fn clear(row: &mut Row, by: &Row, at: usize) {
    if row[at].is_zero() {
        return;
    }
    let (a, b) = (by[at].clone(), row[at].clone());
    for (v, w) in row.iter_mut().zip(by) {
        *v = &(&*v * &a) - &(w * &b);
    }
    primitive(row);
}

/// Divides by the greatest common divisor and makes the first entry positive.
fn primitive(row: &mut Row) {
    let divisor = row.iter().fold(Int::ZERO, |d, v| d.gcd(v));
    if divisor.is_zero() {
        return;
    }
    let negative = row
        .iter()
        .find(|v| !v.is_zero())
        .is_some_and(Int::is_negative);
    for v in row {
        let q = v.div_floor(&divisor);
        *v = if negative { -&q } else { q };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[&[i64]]) -> Vec<Row> {
        let row = |r: &&[i64]| r.iter().map(|v| Int::new(*v)).collect();
        values.iter().map(row).collect()
    }

    #[test]
    fn complements_are_orthogonal_and_complete() {
        for given in [
            rows(&[]),
            rows(&[&[1, 0, 0]]),
            rows(&[&[1, 1, 0]]),
            rows(&[&[2, 3, 5], &[1, -1, 4]]),
            rows(&[&[1, 2, 3], &[2, 4, 6]]),
            rows(&[&[0, 0, 1], &[0, 3, 1], &[7, 1, 1]]),
        ] {
            let rest = orthogonal_complement(&given, 3);
            assert_eq!(rest.len(), 3 - rank(&given));
            for a in &given {
                for b in &rest {
                    let mut dot = Int::ZERO;
                    a.iter().zip(b).for_each(|(a, b)| dot.add_product(a, b));
                    assert!(dot.is_zero(), "{a:?} {b:?}");
                }
            }
            let all: Vec<Row> = given.iter().chain(&rest).cloned().collect();
            assert_eq!(rank(&all), 3);
        }
    }

    #[test]
    fn the_complement_of_a_skew() {
        assert_eq!(
            orthogonal_complement(&rows(&[&[1, 1]]), 2),
            rows(&[&[1, -1]])
        );
    }
}
