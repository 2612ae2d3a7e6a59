//! Bounds of dimensions: numbers for a box, affine forms for a loop.

use crate::conjunct::{Conjunct, Row};
use crate::extremum::Extremum;
use crate::int::Int;
use crate::relation::Relation;
use crate::simplify::{combine, exact_shadow};
use crate::space::Space;
use crate::unknown::Unknown;

/// The least and the greatest value of a column, where there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    pub lower: Option<Int>,
    pub upper: Option<Int>,
}

/// `numerator / divisor`, to be rounded up in a lower bound and down in an upper one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The coefficients of the columns before the one that is bounded, and the
    /// constant.
    pub numerator: Row,
    /// Positive.
    pub divisor: Int,
}

/// What bounds one dimension when parameters and the dimensions before it are known:
/// it is at least the greatest of the lower bounds and at most the least of the upper
/// ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimBounds {
    /// `dimension >= ceil(numerator / divisor)`.
    pub lower: Vec<Bound>,
    /// `dimension <= floor(numerator / divisor)`.
    pub upper: Vec<Bound>,
    /// Whether every integer between the bounds belongs to a point, wherever the
    /// values before it do: it is false where there may be holes, or the bounds may be
    /// wider than the points.
    pub exact: bool,
}

impl Relation {
    /// The least and the greatest value of each input and output, whatever the
    /// parameters are. None where there is no point.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where a search was given up.
    pub fn bounding_box(&self) -> Result<Option<Vec<Interval>>, Unknown> {
        let mut hull: Option<Vec<Interval>> = None;
        for piece in &self.pieces {
            let mut intervals = Vec::new();
            for column in self.space.dim_columns() {
                match piece.interval(column)? {
                    Some(interval) => intervals.push(interval),
                    None => break,
                }
            }
            if intervals.len() < self.space.dim_columns().len() || piece.is_empty()? {
                continue;
            }
            hull = Some(match hull {
                None => intervals,
                Some(hull) => hull.iter().zip(&intervals).map(Interval::hull).collect(),
            });
        }
        Ok(hull)
    }
}

impl Interval {
    fn hull((a, b): (&Interval, &Interval)) -> Interval {
        Interval {
            lower: a
                .lower
                .as_ref()
                .zip(b.lower.as_ref())
                .map(|(a, b)| a.min(b).clone()),
            upper: a
                .upper
                .as_ref()
                .zip(b.upper.as_ref())
                .map(|(a, b)| a.max(b).clone()),
        }
    }
}

impl Conjunct {
    /// The least and the greatest value of a column; none where there is no point.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where a search was given up.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn interval(&self, column: usize) -> Result<Option<Interval>, Unknown> {
        let mut form = vec![Int::ZERO; self.row_len()];
        form[column] = Int::ONE;
        let mut interval = Interval::default();
        for (extremum, end) in [
            (self.minimum(&form)?, &mut interval.lower),
            (self.maximum(&form)?, &mut interval.upper),
        ] {
            match extremum {
                Extremum::Empty => return Ok(None),
                Extremum::Unbounded => {}
                Extremum::At(value) => *end = Some(value),
            }
        }
        Ok(Some(interval))
    }

    /// The bounds of a dimension, given by its column, over parameters and the
    /// dimensions before it. The dimensions after it are eliminated.
    ///
    /// # Panics
    ///
    /// If the column is not one of a dimension.
    pub fn dim_bounds(&self, column: usize) -> DimBounds {
        assert!(
            self.space.dim_columns().contains(&column),
            "not the column of a dimension"
        );
        let params = self.space.params;
        let space = Space::set(params, column + 1 - params);
        let to: Vec<Option<usize>> = (0..self.space.columns())
            .map(|c| (c <= column).then_some(c))
            .collect();
        let mut outer = self.respace(space, &to);
        outer.simplify();
        let mut exact = outer.without_locals();
        outer.simplify();
        outer.drop_implied();
        let mut bounds = DimBounds {
            lower: Vec::new(),
            upper: Vec::new(),
            exact: false,
        };
        let last = column + 1;
        let mut add = |row: &Row| {
            let divisor = row[column].abs();
            let lower = row[column].is_positive();
            let mut numerator: Row = row
                .iter()
                .map(|entry| if lower { -entry } else { entry.clone() })
                .collect();
            numerator.remove(column);
            let side = if lower {
                &mut bounds.lower
            } else {
                &mut bounds.upper
            };
            side.push(Bound { numerator, divisor });
        };
        for row in &outer.equalities {
            if !row[column].is_zero() {
                add(row);
                add(&row.iter().map(|entry| -entry).collect());
            }
        }
        for row in &outer.inequalities {
            if !row[column].is_zero() {
                add(row);
            }
        }
        exact &= !outer.is_contradiction() && outer.row_len() == last + 1;
        bounds.exact = exact;
        bounds
    }

    /// Removes all locals, by wider constraints where there is no exact way. Says
    /// whether it was exact.
    fn without_locals(&mut self) -> bool {
        let mut exact = true;
        while self.locals > 0 {
            let column = self.row_len() - 2;
            let congruences = self.equalities.len();
            self.equalities.retain(|row| row[column].is_zero());
            exact &= self.equalities.len() == congruences;
            match exact_shadow(&self.inequalities, column, usize::MAX / 2) {
                Some(rows) => self.inequalities = rows,
                None => {
                    exact = false;
                    self.inequalities = real_shadow(&self.inequalities, column);
                }
            }
            self.remove_column(column);
        }
        exact
    }
}

fn real_shadow(inequalities: &[Row], column: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for low in inequalities {
        if low[column].is_zero() {
            rows.push(low.clone());
        }
        if !low[column].is_positive() {
            continue;
        }
        for up in inequalities.iter().filter(|up| up[column].is_negative()) {
            rows.push(combine(low, up, column).0);
        }
    }
    rows
}
