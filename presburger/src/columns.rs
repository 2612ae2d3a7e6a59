//! Moving the constraints of a conjunct to other columns, and joining conjuncts.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;
use crate::space::Space;

impl Conjunct {
    /// The same constraints over other columns: column `c` becomes column `to[c]`.
    /// Columns that become one have their coefficients added, which identifies them.
    ///
    /// Every column of `self`, locals too, must have its place in `to`.
    pub(crate) fn rearrange(&self, space: Space, locals: usize, to: &[usize]) -> Conjunct {
        let columns = space.columns() + locals;
        debug_assert_eq!(to.len() + 1, self.row_len());
        let move_row = |row: &Row| {
            let mut moved = vec![Int::ZERO; columns + 1];
            for (coefficient, &column) in row.iter().zip(to) {
                if !coefficient.is_zero() {
                    moved[column] += coefficient;
                }
            }
            moved[columns] = row[to.len()].clone();
            moved
        };
        Conjunct {
            space,
            locals,
            equalities: self.equalities.iter().map(move_row).collect(),
            inequalities: self.inequalities.iter().map(move_row).collect(),
        }
    }

    /// The same constraints with the columns of the space in another place: those
    /// columns of the space whose `to` is `None` become locals.
    pub(crate) fn respace(&self, space: Space, to: &[Option<usize>]) -> Conjunct {
        debug_assert_eq!(to.len(), self.space.columns());
        let mut next_local = space.columns();
        let mut all = Vec::with_capacity(to.len() + self.locals);
        for place in to {
            all.push(place.unwrap_or_else(|| {
                next_local += 1;
                next_local - 1
            }));
        }
        for _ in 0..self.locals {
            all.push(next_local);
            next_local += 1;
        }
        self.rearrange(space, next_local - space.columns(), &all)
    }

    /// The points of both. The locals of `self` keep their columns, those of `other`
    /// follow.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn intersect(&self, other: &Conjunct) -> Conjunct {
        assert_eq!(self.space, other.space, "an intersection of two spaces");
        let locals = self.locals + other.locals;
        let columns = self.space.columns();
        let mut result = self.with_locals(locals);
        let to: Vec<usize> = (0..columns)
            .chain(columns + self.locals..columns + locals)
            .collect();
        result.append(other.rearrange(self.space, locals, &to));
        result
    }

    /// `self` with so many locals in all; the new ones are not constrained.
    pub(crate) fn with_locals(&self, locals: usize) -> Conjunct {
        let to: Vec<usize> = (0..self.row_len() - 1).collect();
        self.rearrange(self.space, locals, &to)
    }

    /// Demands also what `other` demands, which is over the very same columns.
    pub(crate) fn append(&mut self, other: Conjunct) {
        debug_assert_eq!(self.row_len(), other.row_len());
        self.equalities.extend(other.equalities);
        self.inequalities.extend(other.inequalities);
    }

    /// A new local that equals `floor(numerator / divisor)`. The numerator's entries
    /// are the coefficients of the columns and the constant, a full row. Gives the
    /// column of the local.
    ///
    /// # Panics
    ///
    /// If the numerator is not a full row, or the divisor is not positive.
    pub fn add_div(&mut self, numerator: &[Int], divisor: &Int) -> usize {
        assert_eq!(
            numerator.len(),
            self.row_len(),
            "a numerator of full length"
        );
        assert!(divisor.is_positive(), "a division by what is not positive");
        let column = self.add_local();
        let [lower, upper] = division_bounds(numerator, divisor, column);
        self.inequalities.push(lower);
        self.inequalities.push(upper);
        column
    }

    /// Demands that a column have this value.
    pub(crate) fn fix_column(&mut self, column: usize, value: &Int) {
        let mut row = vec![Int::ZERO; self.row_len()];
        row[column] = Int::ONE;
        row[self.row_len() - 1] = -value;
        self.equalities.push(row);
    }
}

/// `0 <= numerator - divisor * q <= divisor - 1` as two rows, `q` being put in at
/// `column`, the column before the constant.
pub(crate) fn division_bounds(numerator: &[Int], divisor: &Int, column: usize) -> [Row; 2] {
    debug_assert_eq!(numerator.len(), column + 1);
    let mut lower: Row = numerator.to_vec();
    lower.insert(column, -divisor);
    let mut upper: Row = lower.iter().map(|c| -c).collect();
    upper[column + 1] = &(&upper[column + 1] + divisor) - &Int::ONE;
    [lower, upper]
}
