//! Conjunctions put together from others.

use terrace_presburger::{Conjunct, Extremum, Int, Unknown};

/// Demands of `to` what `from` says: column `i` of `from` is column `columns[i]` of
/// `to`. What `from` quantifies over is quantified over anew.
pub(super) fn add(to: &mut Conjunct, from: &Conjunct, columns: &[usize]) {
    let first = to.row_len() - 1;
    for _ in 0..from.locals() {
        to.add_local();
    }
    let width = to.row_len() - 1;
    let moved = |row: &[Int]| {
        let mut new = vec![Int::ZERO; width];
        let (constant, coefficients) = match row.split_last() {
            Some(r) => r,
            None => return (new, Int::ZERO),
        };
        for (i, c) in coefficients.iter().enumerate() {
            let at = match columns.get(i) {
                Some(at) => *at,
                None => first + (i - columns.len()),
            };
            if let Some(entry) = new.get_mut(at) {
                *entry += c;
            }
        }
        (new, constant.clone())
    };
    let equalities: Vec<_> = from.equalities().iter().map(|r| moved(r)).collect();
    let inequalities: Vec<_> = from.inequalities().iter().map(|r| moved(r)).collect();
    for (row, constant) in equalities {
        if !constant.is_zero() || !row.iter().all(Int::is_zero) {
            to.add_equality(&row, constant);
        }
    }
    for (row, constant) in inequalities {
        if constant.is_negative() || !row.iter().all(Int::is_zero) {
            to.add_inequality(&row, constant);
        }
    }
}

/// What a conjunction says of the columns from `first` on, given those before: without
/// the rows in which none of them occurs, nor anything quantified that depends on them.
pub(super) fn inner(c: &Conjunct, first: usize) -> Conjunct {
    let columns = c.space().columns();
    let rows = || c.equalities().iter().chain(c.inequalities());
    let width = c.row_len() - 1;
    let mut inside: Vec<bool> = (0..width).map(|i| (first..columns).contains(&i)).collect();
    loop {
        let before = inside.iter().filter(|i| **i).count();
        for row in rows() {
            let touches = (0..width).any(|i| inside[i] && !row[i].is_zero());
            for i in columns..width {
                inside[i] |= touches && !row[i].is_zero();
            }
        }
        if inside.iter().filter(|i| **i).count() == before {
            break;
        }
    }
    let mut new = Conjunct::universe(c.space());
    for _ in 0..c.locals() {
        new.add_local();
    }
    let touches = |row: &[Int]| (0..width).any(|i| inside[i] && !row[i].is_zero());
    for row in c.equalities().iter().filter(|r| touches(r)) {
        new.add_equality(&row[..width], row[width].clone());
    }
    for row in c.inequalities().iter().filter(|r| touches(r)) {
        new.add_inequality(&row[..width], row[width].clone());
    }
    new
}

/// Demands that two columns are equal.
pub(super) fn equal(to: &mut Conjunct, a: usize, b: usize) {
    let mut row = vec![Int::ZERO; a.max(b) + 1];
    row[a] += &Int::ONE;
    row[b] -= &Int::ONE;
    to.add_equality(&row, Int::ZERO);
}

/// Demands that column `a` is less than column `b`.
pub(super) fn less(to: &mut Conjunct, a: usize, b: usize) {
    let mut row = vec![Int::ZERO; a.max(b) + 1];
    row[b] += &Int::ONE;
    row[a] -= &Int::ONE;
    to.add_inequality(&row, Int::MINUS_ONE);
}

/// The point that comes first in lexicographic order, of parameters, inputs and outputs:
/// the simplest example there is. A column without a least value gets any.
pub(super) fn example(c: &Conjunct) -> Result<Option<Vec<Int>>, Unknown> {
    if c.is_empty()? {
        return Ok(None);
    }
    let Some(any) = c.sample()? else {
        return Ok(None);
    };
    let mut rest = c.clone();
    for column in 0..c.space().columns() {
        let mut form = vec![Int::ZERO; rest.row_len()];
        form[column] = Int::ONE;
        // Nothing is lost where that is too hard: the point need not be the first one.
        if let Ok(Extremum::At(v)) = rest.minimum(&form) {
            form.pop();
            rest.add_equality(&form, -&v);
        }
    }
    Ok(rest.sample().ok().flatten().or(Some(any)))
}
