//! The data: columns, rows, and what keeps the two together.

use terrace_ir::Value;

/// Coefficients of all columns, then the constant.
pub type Row = Vec<i128>;

/// Which side of a column a bound is on; both for an equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Lower,
    /// Inclusive for constants, exclusive for maps.
    Upper,
    Equal,
}

/// Equalities `row = 0` and inequalities `row >= 0` over dimensions, symbols and
/// locals (existentially quantified), in this order of columns.
///
/// A coefficient that leaves 128 bits makes the whole system *unknown*: it then has no
/// bounds and is never found empty.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// The values of dimensions and symbols; `None` for one that stands for no value.
    pub(super) values: Vec<Option<Value>>,
    pub(super) dims: usize,
    pub(super) locals: usize,
    pub(super) equalities: Vec<Row>,
    pub(super) inequalities: Vec<Row>,
    pub(super) overflow: bool,
}

impl System {
    /// A system without constraints over these dimensions and symbols.
    pub fn new(dims: &[Option<Value>], symbols: &[Value]) -> System {
        let mut values = dims.to_vec();
        values.extend(symbols.iter().copied().map(Some));
        System {
            values,
            dims: dims.len(),
            ..System::default()
        }
    }

    /// As [`System::new`], each dimension a value.
    pub fn over(dims: &[Value], symbols: &[Value]) -> System {
        let dims: Vec<Option<Value>> = dims.iter().copied().map(Some).collect();
        System::new(&dims, symbols)
    }

    pub fn num_dims(&self) -> usize {
        self.dims
    }

    pub fn num_symbols(&self) -> usize {
        self.values.len() - self.dims
    }

    pub fn num_locals(&self) -> usize {
        self.locals
    }

    /// Dimensions and symbols.
    pub fn num_inputs(&self) -> usize {
        self.values.len()
    }

    /// All columns without the constant.
    pub fn num_columns(&self) -> usize {
        self.values.len() + self.locals
    }

    pub fn equalities(&self) -> &[Row] {
        &self.equalities
    }

    pub fn inequalities(&self) -> &[Row] {
        &self.inequalities
    }

    /// Whether an overflow made the system unknown.
    pub fn is_unknown(&self) -> bool {
        self.overflow
    }

    /// The values of dimensions and symbols.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// The values in a range of dimensions and symbols; `None` if one stands for none.
    pub fn values_in(&self, range: std::ops::Range<usize>) -> Option<Vec<Value>> {
        self.values.get(range)?.iter().copied().collect()
    }

    /// The first column of a value.
    pub fn find(&self, v: Value) -> Option<usize> {
        self.find_from(v, 0)
    }

    /// The column of a value among the symbols.
    pub fn find_symbol(&self, v: Value) -> Option<usize> {
        self.find_from(v, self.dims)
    }

    pub(super) fn find_from(&self, v: Value, from: usize) -> Option<usize> {
        let found = self.values.iter().skip(from).position(|x| *x == Some(v))?;
        Some(found + from)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.equalities.iter_mut().chain(&mut self.inequalities)
    }

    /// New columns of zeros before column `at`.
    fn insert_columns(&mut self, at: usize, count: usize) {
        for row in self.rows_mut() {
            row.splice(at..at, std::iter::repeat_n(0, count));
        }
    }

    /// A new dimension before dimension `at`.
    pub fn insert_dim(&mut self, at: usize, v: Option<Value>) {
        self.insert_columns(at, 1);
        self.values.insert(at, v);
        self.dims += 1;
    }

    pub fn append_dim(&mut self, v: Option<Value>) {
        self.insert_dim(self.dims, v);
    }

    /// A new symbol before symbol `at`.
    pub(super) fn insert_symbol(&mut self, at: usize, v: Value) {
        let column = self.dims + at;
        self.insert_columns(column, 1);
        self.values.insert(column, Some(v));
    }

    pub fn append_symbol(&mut self, v: Value) {
        self.insert_symbol(self.num_symbols(), v);
    }

    /// New locals before the first.
    pub(super) fn insert_locals(&mut self, count: usize) {
        self.insert_columns(self.num_inputs(), count);
        self.locals += count;
    }

    /// New locals after the last.
    pub(super) fn append_locals(&mut self, count: usize) {
        self.insert_columns(self.num_columns(), count);
        self.locals += count;
    }

    /// Remove columns, whatever their coefficients.
    pub(super) fn remove_columns(&mut self, range: std::ops::Range<usize>) {
        for row in self.rows_mut() {
            row.drain(range.clone());
        }
        let inputs = self.num_inputs();
        self.locals -= range.end.max(inputs) - range.start.max(inputs);
        self.dims -= range.end.min(self.dims) - range.start.min(self.dims);
        self.values
            .drain(range.start.min(inputs)..range.end.min(inputs));
    }

    /// Exchange two columns, the values with them.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        if a != b {
            for row in self.rows_mut() {
                row.swap(a, b);
            }
            self.values.swap(a, b);
        }
    }

    /// Let the first `dims` of dimensions and symbols be the dimensions.
    pub fn set_num_dims(&mut self, dims: usize) {
        self.dims = dims.min(self.values.len());
    }

    pub fn add_equality(&mut self, row: Row) {
        debug_assert_eq!(row.len(), self.num_columns() + 1);
        self.equalities.push(row);
    }

    pub fn add_inequality(&mut self, row: Row) {
        debug_assert_eq!(row.len(), self.num_columns() + 1);
        self.inequalities.push(row);
    }

    /// A constant bound of a column; an upper bound is inclusive.
    pub fn add_constant(&mut self, kind: Bound, column: usize, value: i64) {
        let mut row = vec![0; self.num_columns() + 1];
        let value = i128::from(value);
        let (sign, constant) = match kind {
            Bound::Upper => (-1, value),
            Bound::Lower | Bound::Equal => (1, -value),
        };
        row[column] = sign;
        row[self.num_columns()] = constant;
        match kind {
            Bound::Equal => self.equalities.push(row),
            _ => self.inequalities.push(row),
        }
    }

    /// Drop all constraints.
    pub(super) fn clear(&mut self) {
        self.equalities.clear();
        self.inequalities.clear();
    }
}
