//! Generalized basis reduction: directions in which a polytope is thin.
//!
//! L. Lovász, H. E. Scarf, "The generalized basis reduction algorithm", Math. of
//! Operations Research 17(3), 1992; W. Cook, T. Rutherford, H. E. Scarf, D. Shallcross,
//! "An implementation of the generalized basis reduction algorithm for integer
//! programming", ORSA J. on Computing 5(2), 1993. The width of direction b is
//! `F_i(b) = max b (x - y)` over pairs of points with the same value in the first i
//! directions. Lovász' condition with epsilon 1/4 holds afterwards for each two
//! neighbours, so that an integer point is found, or shown not to exist, by trying few
//! values of each direction.

use std::cmp::Ordering;

use crate::num::{Budget, Num, Stop};
use crate::simplex::ratio::Ratio;
use crate::simplex::tableau::Tableau;
use crate::solve::rows::Rows;

/// Reduces the directions from number `level` on, in place; those before are held at
/// the values they have. The rows describe a polytope, which is bounded and has a
/// point.
pub(crate) fn reduce_basis<N: Num>(
    polytope: &Rows<N>,
    basis: &mut [Vec<N>],
    level: usize,
    budget: &mut Budget,
) -> Result<(), Stop> {
    let n = basis.len();
    if level + 1 >= n {
        return Ok(());
    }
    let mut held = pairs(polytope, budget)?;
    for direction in &basis[..level] {
        hold(&mut held, direction, budget)?;
    }
    // tableaus[i - level] holds the directions before i; widths likewise.
    let mut widths = vec![width(&mut held, &basis[level], budget)?.0];
    let mut tableaus = vec![held];
    let mut i = level;
    while i + 1 < n {
        let mut next = tableaus[i - level].clone();
        let equality = next.inequalities();
        hold(&mut next, &basis[i], budget)?;
        let (next_width, multipliers) = width(&mut next, &basis[i + 1], budget)?;
        // How often b_i is to be added for the least width, from the dual.
        let mut times = Ratio {
            numerator: N::zero(),
            denominator: next_width.denominator.clone(),
        };
        for (inequality, multiplier) in &multipliers {
            if *inequality == equality {
                times.numerator = times.numerator.add(multiplier)?;
            } else if *inequality == equality + 1 {
                times.numerator = times.numerator.sub(multiplier)?;
            }
        }
        let low = combination(&basis[i + 1], &times.floor()?, &basis[i])?;
        let (direction, new_width) = if times.is_integral()? {
            (low, next_width.clone())
        } else {
            let high = combination(&basis[i + 1], &times.ceil()?, &basis[i])?;
            let low_width = width(&mut tableaus[i - level], &low, budget)?.0;
            let high_width = width(&mut tableaus[i - level], &high, budget)?.0;
            if high_width.compare(&low_width)? == Ordering::Less {
                (high, high_width)
            } else {
                (low, low_width)
            }
        };
        basis[i + 1] = direction;
        if new_width.compare(&three_quarters(&widths[i - level])?)? == Ordering::Less {
            basis.swap(i, i + 1);
            widths[i - level] = new_width;
            if i > level {
                i -= 1;
                tableaus.truncate(i - level + 1);
                widths.truncate(i - level + 1);
            }
        } else {
            tableaus.push(next);
            widths.push(next_width);
            i += 1;
        }
    }
    Ok(())
}

/// All pairs (x, y) of points.
fn pairs<N: Num>(polytope: &Rows<N>, budget: &mut Budget) -> Result<Tableau<N>, Stop> {
    let vars = polytope.width() - 1;
    let mut tableau = Tableau::new(2 * vars, 2 * polytope.len());
    let mut row = vec![N::zero(); 2 * vars + 1];
    for constraint in polytope.iter() {
        for at in [0, vars] {
            row.fill(N::zero());
            row[at..at + vars].clone_from_slice(&constraint[..vars]);
            row[2 * vars] = constraint[vars].clone();
            let feasible = tableau.add_inequality(&row, budget)?;
            debug_assert!(feasible, "the polytope has a point");
        }
    }
    Ok(tableau)
}

/// `direction . (x - y)` as a form over pairs.
fn difference<N: Num>(direction: &[N]) -> Result<Vec<N>, Stop> {
    let mut form = direction.to_vec();
    for entry in direction {
        form.push(entry.neg()?);
    }
    form.push(N::zero());
    Ok(form)
}

fn hold<N: Num>(
    tableau: &mut Tableau<N>,
    direction: &[N],
    budget: &mut Budget,
) -> Result<(), Stop> {
    let feasible = tableau.add_equality(&difference(direction)?, budget)?;
    debug_assert!(feasible, "x = y is among the pairs");
    Ok(())
}

fn width<N: Num>(
    tableau: &mut Tableau<N>,
    direction: &[N],
    budget: &mut Budget,
) -> Result<(Ratio<N>, Vec<(usize, N)>), Stop> {
    let width = tableau.maximum(&difference(direction)?, budget)?;
    Ok(width.expect("the polytope is bounded"))
}

fn combination<N: Num>(b: &[N], times: &N, other: &[N]) -> Result<Vec<N>, Stop> {
    let mut sum = b.to_vec();
    for (entry, add) in sum.iter_mut().zip(other) {
        entry.add_product(times, add)?;
    }
    Ok(sum)
}

fn three_quarters<N: Num>(width: &Ratio<N>) -> Result<Ratio<N>, Stop> {
    Ok(Ratio {
        numerator: width.numerator.mul(&N::from_i64(3))?,
        denominator: width.denominator.mul(&N::from_i64(4))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 <= 1000 x - 999 y <= 1 within a large box: thin in that direction, and in no
    /// other.
    #[test]
    fn the_thin_direction_comes_first() {
        let mut strip = Rows::new(3);
        for row in [
            [1000, -999, 0],
            [-1000, 999, 1],
            [1, 0, 5000],
            [-1, 0, 5000],
        ] {
            strip.push(&row);
        }
        let mut basis = vec![vec![1_i64, 0], vec![0, 1]];
        reduce_basis(&strip, &mut basis, 0, &mut Budget::new(100_000)).unwrap();
        let thin = if basis[0][0] < 0 { -1 } else { 1 };
        assert_eq!(basis[0], [1000 * thin, -999 * thin]);
        let determinant = basis[0][0] * basis[1][1] - basis[0][1] * basis[1][0];
        assert_eq!(determinant.abs(), 1);
    }
}
