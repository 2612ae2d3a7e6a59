//! A statement's instances as one system over parameters, times and iterators, and its
//! shadows on fewer and fewer dimensions.

use super::system::{System, combined, negated, placed};
use super::{ScanError, Scheduled};
use terrace_presburger::{Conjunct, Int, Row};

/// The instances of one piece of a statement's domain, under one piece of its schedule.
pub(super) struct Part {
    pub statement: usize,
    /// The dimensions along which instances may run at once.
    pub parallel: Vec<usize>,
    /// Times and iterators together.
    pub dims: usize,
    /// All constraints, over parameters, dimensions, then `locals`.
    pub full: System,
    pub locals: usize,
    /// What dimensions 0 ..= k allow, for each k: holds the projection, may hold more.
    pub shadows: Vec<System>,
    /// All that loops over the shadows ensure: their rows that mention their own
    /// dimension.
    pub bounds: System,
    /// What dimensions 0 ..= k must be multiples of, for each k.
    pub strides: Vec<Vec<(Row, Int)>>,
}

/// How the columns of all statements lie.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub params: usize,
    /// Dimensions of time.
    pub times: usize,
    /// Times, and iterators of the statement that has most of them.
    pub dims: usize,
}

impl Layout {
    pub fn columns(self) -> usize {
        self.params + self.dims
    }
}

/// The parts of all statements, in their order.
pub(super) fn parts(layout: Layout, statements: &[Scheduled]) -> Result<Vec<Part>, ScanError> {
    let mut parts = Vec::new();
    for (at, s) in statements.iter().enumerate() {
        let first = parts.len();
        for domain in s.domain.pieces() {
            for schedule in s.schedule.pieces() {
                let part = Part::new(layout, at, (domain, schedule), &s.parallel)?;
                if !part.full.is_empty() {
                    parts.push(part);
                }
            }
        }
        once(layout, &parts[first..], s.domain.space().outputs)?;
    }
    Ok(parts)
}

/// No instance may stand in two parts, or at two times.
fn once(layout: Layout, parts: &[Part], iterators: usize) -> Result<(), ScanError> {
    for (i, a) in parts.iter().enumerate() {
        for (j, b) in parts[i..].iter().enumerate() {
            let mut both = a.full.clone();
            // The second one's times and locals go to columns of their own.
            let fresh: Vec<usize> = (0..layout.times + b.locals)
                .map(|_| both.add_column())
                .collect();
            let mut to: Vec<usize> = (0..layout.columns()).collect();
            to[layout.params..layout.params + layout.times].copy_from_slice(&fresh[..layout.times]);
            to.extend(&fresh[layout.times..]);
            let width = layout.columns() + a.locals + fresh.len();
            both.meet(&b.full.moved(&to, width));
            let overlap = if j == 0 {
                // One part meets itself: only other times are too much.
                (0..layout.times).any(|t| {
                    let mut row = vec![Int::ZERO; width + 1];
                    row[layout.params + t] = Int::ONE;
                    row[fresh[t]] = Int::MINUS_ONE;
                    !both.implies_zero(&row)
                })
            } else {
                !both.is_empty()
            };
            if overlap {
                return Err(ScanError::Twice {
                    statement: a.statement,
                    iterators,
                });
            }
        }
    }
    Ok(())
}

impl Part {
    fn new(
        layout: Layout,
        statement: usize,
        (domain, schedule): (&Conjunct, &Conjunct),
        parallel: &[usize],
    ) -> Result<Part, ScanError> {
        let (params, times) = (layout.params, layout.times);
        let iterators = domain.space().outputs;
        let locals = domain.locals() + schedule.locals();
        let width = layout.columns() + locals;
        let mut full = System::new(width);
        let mut load = |c: &Conjunct, to: &[usize]| {
            for row in c.equalities() {
                full.add_equality(placed(row, to, width));
            }
            for row in c.inequalities() {
                full.add_inequality(placed(row, to, width));
            }
        };
        let iterator_columns = params + times..params + times + iterators;
        let first = layout.columns();
        let mut to: Vec<usize> = (0..params).chain(iterator_columns.clone()).collect();
        to.extend(first..first + domain.locals());
        load(domain, &to);
        let mut to: Vec<usize> = (0..params).chain(iterator_columns).collect();
        to.extend(params..params + times);
        to.extend(first + domain.locals()..width);
        load(schedule, &to);
        let dims = times + iterators;
        let shadows = shadows(layout, dims, &full)?;
        let mut bounds = System::new(layout.columns());
        for (k, shadow) in shadows.iter().enumerate() {
            for row in shadow.as_inequalities() {
                if !row[params + k].is_zero() {
                    bounds.add_inequality(row);
                }
            }
        }
        Ok(Part {
            statement,
            parallel: parallel.to_vec(),
            dims,
            locals,
            shadows,
            bounds,
            strides: (0..dims)
                .map(|k| strides(&full.equalities, params + k + 1, layout.columns()))
                .collect(),
            full,
        })
    }
}

/// Eliminates locals, then the dimensions from the last to the first.
fn shadows(layout: Layout, dims: usize, full: &System) -> Result<Vec<System>, ScanError> {
    let mut shadow = full.clone();
    for local in (layout.columns()..full.columns()).rev() {
        shadow.eliminate(local)?;
    }
    let to: Vec<usize> = (0..layout.columns()).collect();
    let mut shadow = shadow.moved(&to, layout.columns());
    shadow.reduce();
    let mut all = Vec::new();
    for k in (0..dims).rev() {
        all.push(shadow.clone());
        shadow.eliminate(layout.params + k)?;
    }
    all.reverse();
    Ok(all)
}

/// The multiples that columns before `visible` must be, where those behind may be any
/// integers: column operations bring the coefficients of the latter into echelon form
/// (Hermite), and row by row what their pivot divides is known. Rows come out over
/// `columns` columns.
fn strides(equalities: &[Row], visible: usize, columns: usize) -> Vec<(Row, Int)> {
    let mut rows: Vec<Row> = equalities.to_vec();
    let Some(constant) = rows.first().map(|row| row.len() - 1) else {
        return Vec::new();
    };
    // A pivot column's value, as a row over the visible columns and its denominator.
    let mut pivots: Vec<(usize, Row, Int)> = Vec::new();
    let mut found = Vec::new();
    let mut next = visible;
    for i in 0..rows.len() {
        let pivot = leave_one(&mut rows, i, next, constant);
        // The row without its pivot, pivots before it by their values.
        let mut known = rows[i].clone();
        known[visible..constant].fill(Int::ZERO);
        let mut denominator = Int::ONE;
        for (column, value, by) in &pivots {
            let a = rows[i][*column].clone();
            if a.is_zero() {
                continue;
            }
            let scale = denominator.lcm(by);
            let left = scale.div_floor(&denominator);
            let right = &a * &scale.div_floor(by);
            known = combined(&left, &known, &right, value);
            denominator = scale;
        }
        if !pivot {
            // An equality among visible columns: the shadow has it.
            continue;
        }
        let modulus = &denominator * &rows[i][next].abs();
        let divisor = known.iter().fold(modulus.clone(), |d, a| d.gcd(a));
        if divisor != modulus && !divisor.is_zero() {
            let part = |row: &Row| row.iter().map(|a| a.div_floor(&divisor)).collect::<Row>();
            let mut row = part(&known);
            let last = row.pop().unwrap_or(Int::ZERO);
            row.resize(columns, Int::ZERO);
            row.push(last);
            found.push((row, modulus.div_floor(&divisor)));
        }
        let value = match rows[i][next].is_positive() {
            true => negated(&known),
            false => known,
        };
        pivots.push((next, value, modulus));
        next += 1;
    }
    found
}

/// Column operations on columns `first..end` of all rows, after which each of the first
/// `lead` rows mentions one of them at most that rows before it do not.
pub(super) fn echelon(rows: &mut [Row], lead: usize, first: usize, end: usize) {
    let mut next = first;
    for i in 0..lead {
        if leave_one(rows, i, next, end) {
            next += 1;
        }
    }
}

/// Leaves row `i` only one of the columns `next..end`, the first of them; false if it
/// has none. The operations are unimodular: other integers stand for the same points.
fn leave_one(rows: &mut [Row], i: usize, next: usize, end: usize) -> bool {
    while let Some((keep, other)) = two_of(&rows[i], next, end) {
        let q = rows[i][other].div_floor(&rows[i][keep]);
        for row in rows.iter_mut() {
            let product = &q * &row[keep];
            row[other] = &row[other] - &product;
        }
    }
    let found = (next..end).find(|&c| !rows[i][c].is_zero());
    if let Some(c) = found {
        rows.iter_mut().for_each(|row| row.swap(c, next));
    }
    found.is_some()
}

/// Two columns from `from` on that a row mentions, the one of the smaller coefficient
/// first.
fn two_of(row: &Row, from: usize, constant: usize) -> Option<(usize, usize)> {
    let mut mentioned = (from..constant).filter(|&c| !row[c].is_zero());
    let (a, b) = (mentioned.next()?, mentioned.next()?);
    Some(if row[a].abs() <= row[b].abs() {
        (a, b)
    } else {
        (b, a)
    })
}
