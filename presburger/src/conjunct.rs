//! One conjunction of linear constraints over the integers.

use crate::int::Int;
use crate::space::Space;

/// The coefficients of an affine form: one for each column, the constant last.
pub type Row = Vec<Int>;

/// The integer points of a space for which there are integer values of the locals
/// such that every equality `row . (columns, 1) == 0` and every inequality
/// `row . (columns, 1) >= 0` holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    pub(crate) space: Space,
    /// How many existentially quantified variables there are.
    pub(crate) locals: usize,
    pub(crate) equalities: Vec<Row>,
    pub(crate) inequalities: Vec<Row>,
}

impl Conjunct {
    /// All points of the space.
    pub fn universe(space: Space) -> Conjunct {
        Conjunct {
            space,
            locals: 0,
            equalities: Vec::new(),
            inequalities: Vec::new(),
        }
    }

    pub fn space(&self) -> Space {
        self.space
    }

    pub fn locals(&self) -> usize {
        self.locals
    }

    /// How many entries a row has: all columns and the constant.
    pub fn row_len(&self) -> usize {
        self.space.columns() + self.locals + 1
    }

    pub fn equalities(&self) -> &[Row] {
        &self.equalities
    }

    pub fn inequalities(&self) -> &[Row] {
        &self.inequalities
    }

    /// One more existentially quantified variable. Gives its column.
    pub fn add_local(&mut self) -> usize {
        let at = self.space.columns() + self.locals;
        for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
            row.insert(at, Int::ZERO);
        }
        self.locals += 1;
        at
    }

    /// Demands `coefficients . columns + constant == 0`. Columns that are not given
    /// have the coefficient 0.
    ///
    /// # Panics
    ///
    /// If there are more coefficients than columns.
    pub fn add_equality(&mut self, coefficients: &[Int], constant: Int) {
        let row = self.row(coefficients, constant);
        self.equalities.push(row);
    }

    /// Demands `coefficients . columns + constant >= 0`. Columns that are not given
    /// have the coefficient 0.
    ///
    /// # Panics
    ///
    /// If there are more coefficients than columns.
    pub fn add_inequality(&mut self, coefficients: &[Int], constant: Int) {
        let row = self.row(coefficients, constant);
        self.inequalities.push(row);
    }

    fn row(&self, coefficients: &[Int], constant: Int) -> Row {
        let columns = self.row_len() - 1;
        assert!(
            coefficients.len() <= columns,
            "more coefficients than columns"
        );
        let mut row = Vec::with_capacity(columns + 1);
        row.extend_from_slice(coefficients);
        row.resize(columns, Int::ZERO);
        row.push(constant);
        row
    }
}
