//! The hard case: an integer point of inequalities that no exact elimination settles.
//!
//! The simplex first: no rational point, or a vertex that is an integer point. Else
//! inequalities that hold with equality everywhere make the system smaller. Else the
//! directions in which it is unbounded are split off, as isl does (S. Verdoolaege,
//! "isl: an integer set library for the polyhedral model", 2010): a constraint that an
//! unbounded direction can satisfy does not decide whether there is a point. What is
//! left is bounded, and searched along a reduced basis.

use crate::num::{Budget, Num, Stop};
use crate::simplex::basis::reduce_basis;
use crate::simplex::tableau::Tableau;
use crate::solve::rows::Rows;
use crate::solve::search;
use crate::solve::system::System;

/// A point of the system, as [`search`]. The system is reduced.
pub(crate) fn lattice<N: Num>(
    mut system: System<N>,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    let live = live_columns(&system.inequalities);
    let rows = keep_columns(&system.inequalities, &live);
    let Some(mut tableau) = Tableau::of(&rows, budget)? else {
        return Ok(None);
    };
    if let Some(found) = tableau.integer_point()? {
        return system.complete(&live, &found).map(Some);
    }
    let mut equalities = Vec::new();
    for inequality in 0..rows.len() {
        if tableau.is_equality(inequality, budget)? {
            equalities.push(inequality);
        }
    }
    if !equalities.is_empty() {
        for inequality in equalities {
            let row = system.inequalities.row(inequality).to_vec();
            system.equalities.push(&row);
        }
        return search(system, budget);
    }
    let bounded = bounded_columns(&mut system, &live, budget)?;
    let (near, far) = split_rows(&system.inequalities, &live, &bounded);
    let Some(found) = search_bounded(&keep_columns(&near, &bounded), budget)? else {
        return Ok(None);
    };
    let (mut columns, mut values) = (bounded, found);
    if columns.len() < live.len() && system.trail.is_some() {
        let open: Vec<usize> = live.into_iter().filter(|c| !columns.contains(c)).collect();
        let mut point = vec![N::zero(); system.vars()];
        for (column, value) in columns.iter().zip(&values) {
            point[*column] = value.clone();
        }
        values.extend(fill_open(&far, &open, &point, budget)?);
        columns.extend(open);
    }
    system.complete(&columns, &values).map(Some)
}

/// The columns that some row has.
pub(crate) fn live_columns<N: Num>(rows: &Rows<N>) -> Vec<usize> {
    (0..rows.width() - 1)
        .filter(|column| rows.iter().any(|row| !row[*column].is_zero()))
        .collect()
}

/// The rows with only these columns and the constant.
pub(crate) fn keep_columns<N: Num>(rows: &Rows<N>, columns: &[usize]) -> Rows<N> {
    let mut kept = Rows::with_capacity(columns.len() + 1, rows.len());
    for row in rows.iter() {
        let to = kept.push_zeros();
        for (to, column) in to.iter_mut().zip(columns) {
            *to = row[*column].clone();
        }
        to[columns.len()] = row[row.len() - 1].clone();
    }
    kept
}

/// Changes variables so that the system is unbounded only along some of the live
/// columns, in all directions of them; gives the other live columns.
fn bounded_columns<N: Num>(
    system: &mut System<N>,
    live: &[usize],
    budget: &mut Budget,
) -> Result<Vec<usize>, Stop> {
    let mut cone = keep_columns(&system.inequalities, live);
    for row in cone.iter_mut() {
        let constant = row.len() - 1;
        row[constant] = N::zero();
    }
    let flat = flat_rows(&cone, budget)?;
    let mut bounded: Vec<usize> = Vec::new();
    if flat.len() == cone.len() {
        // No direction satisfies any of them strictly, and every live variable is in
        // one of them: what they leave is at most a linear subspace.
        let rank = rank(&cone)?;
        if rank == live.len() {
            return Ok(live.to_vec());
        }
    }
    for at in flat {
        // Euclid's algorithm on the columns that are not bounded yet.
        while let Some(column) = system.concentrate(at, &bounded, budget)? {
            bounded.push(column);
        }
    }
    bounded.sort_unstable();
    Ok(bounded)
}

/// The rows that are zero in all directions of the cone `rows . x >= 0`.
fn flat_rows<N: Num>(cone: &Rows<N>, budget: &mut Budget) -> Result<Vec<usize>, Stop> {
    let mut flat: Vec<usize> = (0..cone.len()).collect();
    let width = cone.width();
    let mut tableau = Tableau::new(width - 1, cone.len() + 1);
    for row in cone.iter() {
        tableau.add_inequality(row, budget)?;
    }
    while !flat.is_empty() {
        // The sum of the candidates, at most 1.
        let mut sum = vec![N::zero(); width];
        for at in &flat {
            for (entry, add) in sum.iter_mut().zip(cone.row(*at)) {
                *entry = entry.add(add)?;
            }
        }
        let mut limit = Vec::with_capacity(width);
        for entry in &sum {
            limit.push(entry.neg()?);
        }
        limit[width - 1] = N::from_i64(1);
        let mut part = tableau.clone();
        part.add_inequality(&limit, budget)?;
        part.maximum(&sum, budget)?;
        let before = flat.len();
        flat.retain(|at| part.slack(*at).numerator.is_zero());
        if flat.len() == before {
            break;
        }
    }
    Ok(flat)
}

/// The rank of the rows' coefficients.
fn rank<N: Num>(rows: &Rows<N>) -> Result<usize, Stop> {
    let columns = rows.width() - 1;
    let mut rows = rows.clone();
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|at| !rows.row(*at)[column].is_zero()) else {
            continue;
        };
        let solved = rows.row(pivot).to_vec();
        let first = rows.row(rank).to_vec();
        rows.row_mut(pivot).clone_from_slice(&first);
        rows.row_mut(rank).clone_from_slice(&solved);
        rank += 1;
        for at in rank..rows.len() {
            let row = rows.row_mut(at);
            if row[column].is_zero() {
                continue;
            }
            let common = row[column].gcd(&solved[column])?;
            let scale = solved[column].div_exact(&common)?;
            let factor = row[column].div_exact(&common)?.neg()?;
            for (entry, add) in row.iter_mut().zip(&solved) {
                entry.scale_add(&scale, &factor, add)?;
            }
        }
    }
    Ok(rank)
}

/// The rows that have only bounded columns, and the others.
fn split_rows<N: Num>(rows: &Rows<N>, live: &[usize], bounded: &[usize]) -> (Rows<N>, Rows<N>) {
    let mut near = Rows::new(rows.width());
    let mut far = Rows::new(rows.width());
    for row in rows.iter() {
        let open = |column: &usize| !bounded.contains(column) && !row[*column].is_zero();
        if live.iter().any(open) {
            far.push(row);
        } else {
            near.push(row);
        }
    }
    (near, far)
}

/// Values for the open columns, in all directions of which the rows are unbounded: a
/// rational point as far inside that rounding up does not leave it.
fn fill_open<N: Num>(
    rows: &Rows<N>,
    open: &[usize],
    point: &[N],
    budget: &mut Budget,
) -> Result<Vec<N>, Stop> {
    let mut inner = Rows::with_capacity(open.len() + 1, rows.len());
    for row in rows.iter() {
        let mut constant = crate::solve::trail::evaluate(row, point)?;
        let to = inner.push_zeros();
        for (to, column) in to.iter_mut().zip(open) {
            let entry = &row[*column];
            if entry.signum() < 0 {
                constant = constant.add(entry)?;
            }
            *to = entry.clone();
        }
        to[open.len()] = constant;
    }
    let tableau = Tableau::of(&inner, budget)?.expect("unbounded in all directions");
    (0..open.len())
        .map(|var| tableau.value(var).ceil())
        .collect()
}

/// An integer point of a bounded set.
fn search_bounded<N: Num>(rows: &Rows<N>, budget: &mut Budget) -> Result<Option<Vec<N>>, Stop> {
    let vars = rows.width() - 1;
    let Some(tableau) = Tableau::of(rows, budget)? else {
        return Ok(None);
    };
    let mut basis = Vec::with_capacity(vars);
    for var in 0..vars {
        let mut direction = vec![N::zero(); vars];
        direction[var] = N::from_i64(1);
        basis.push(direction);
    }
    Levels { rows, budget }.descend(tableau, basis, 0, false)
}

struct Levels<'a, N> {
    rows: &'a Rows<N>,
    budget: &'a mut Budget,
}

impl<N: Num> Levels<'_, N> {
    /// Tries the values of direction `level`; those before are held.
    fn descend(
        &mut self,
        mut tableau: Tableau<N>,
        mut basis: Vec<Vec<N>>,
        level: usize,
        mut reduced: bool,
    ) -> Result<Option<Vec<N>>, Stop> {
        if let Some(point) = tableau.integer_point()? {
            return Ok(Some(point));
        }
        if level == basis.len() {
            unreachable!("all directions of a unimodular basis are integers");
        }
        let (mut low, mut high) = self.values(&mut tableau, &basis[level])?;
        if low < high && !reduced {
            reduce_basis(self.rows, &mut basis, level, self.budget)?;
            reduced = true;
            (low, high) = self.values(&mut tableau, &basis[level])?;
        }
        // From the middle outwards, where the other directions have most room.
        let one = N::from_i64(1);
        let mut up = low.add(&high)?.div_floor(&N::from_i64(2))?;
        let mut down = up.sub(&one)?;
        let mut row = basis[level].clone();
        row.push(N::zero());
        while up <= high || down >= low {
            for (value, inside, step) in [(&mut up, 1, &one), (&mut down, -1, &one)] {
                if (inside > 0 && *value > high) || (inside < 0 && *value < low) {
                    continue;
                }
                self.budget.spend(1)?;
                let last = row.len() - 1;
                row[last] = value.neg()?;
                *value = if inside > 0 {
                    value.add(step)?
                } else {
                    value.sub(step)?
                };
                let mut held = tableau.clone();
                if held.add_equality(&row, self.budget)?
                    && let Some(point) = self.descend(held, basis.clone(), level + 1, reduced)?
                {
                    return Ok(Some(point));
                }
            }
        }
        Ok(None)
    }

    /// The integers between the least and the greatest value of a direction.
    fn values(&mut self, tableau: &mut Tableau<N>, direction: &[N]) -> Result<(N, N), Stop> {
        let mut form = direction.to_vec();
        form.push(N::zero());
        let low = tableau.minimum(&form, self.budget)?;
        let high = tableau.maximum(&form, self.budget)?;
        let (low, (high, _)) = low.zip(high).expect("the set is bounded");
        Ok((low.ceil()?, high.floor()?))
    }
}
