//! Affine maps: a list of expressions over common dimensions and symbols.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::expr::AffineExpr;
use super::simplify::simplify_affine_expr;

/// `(d0, ...)[s0, ...] -> (result, ...)`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AffineMap {
    num_dims: u32,
    num_symbols: u32,
    results: Vec<AffineExpr>,
}

/// Why maps do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapError {
    /// The inner map of a composition gives another number of results than the
    /// outer one has dimensions.
    Arity {
        /// Dimensions of the outer map.
        dims: u32,
        /// Results of the inner map.
        results: usize,
    },
    /// The dimensions or symbols together are more than fit.
    TooManyInputs,
    /// The composition is deeper or larger than expressions may be.
    TooLarge,
    /// A map or set with `inputs` dimensions and symbols got another number of
    /// operands.
    OperandCount {
        /// Dimensions and symbols together.
        inputs: usize,
        /// The operands given.
        operands: usize,
    },
    /// The list is not a permutation of `0..len`.
    NotAPermutation,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Arity { dims, results } => write!(
                f,
                "a map of {dims} dimensions cannot be applied to the {results} results of another"
            ),
            MapError::TooManyInputs => f.write_str("too many dimensions or symbols"),
            MapError::TooLarge => f.write_str("the composed map is too large"),
            MapError::OperandCount { inputs, operands } => write!(
                f,
                "expected {inputs} operands, one for each dimension and symbol, but got {operands}"
            ),
            MapError::NotAPermutation => {
                f.write_str("expected every position from 0 to the length of the list once")
            }
        }
    }
}

impl std::error::Error for MapError {}

/// The identity on `0..count`, as expressions.
fn all_dims(count: u32) -> impl Iterator<Item = AffineExpr> {
    (0..count).map(AffineExpr::Dim)
}

impl AffineMap {
    /// A map of given results. Positions are not checked against the numbers
    /// of dimensions and symbols.
    pub fn new(num_dims: u32, num_symbols: u32, results: Vec<AffineExpr>) -> Self {
        AffineMap {
            num_dims,
            num_symbols,
            results,
        }
    }

    /// `() -> ()`
    pub fn empty() -> Self {
        AffineMap::new(0, 0, Vec::new())
    }

    /// `() -> (value)`
    pub fn constant(value: i64) -> Self {
        AffineMap::new(0, 0, vec![AffineExpr::Constant(value)])
    }

    /// `(d0) -> (d0)`
    pub fn dim_identity() -> Self {
        AffineMap::identity(1)
    }

    /// `()[s0] -> (s0)`
    pub fn symbol_identity() -> Self {
        AffineMap::new(0, 1, vec![AffineExpr::Symbol(0)])
    }

    /// `(d0, ..., dn) -> (d0, ..., dn)`
    pub fn identity(rank: u32) -> Self {
        AffineMap::new(rank, 0, all_dims(rank).collect())
    }

    /// The last `results` of `dims` dimensions: `(d0, d1, d2) -> (d1, d2)`.
    /// More results than dimensions are cut to as many.
    pub fn minor_identity(dims: u32, results: u32) -> Self {
        let skip = dims.saturating_sub(results);
        AffineMap::new(dims, 0, (skip..dims).map(AffineExpr::Dim).collect())
    }

    /// `(d0, d1, d2) -> (d2, d0, d1)` for `[2, 0, 1]`.
    ///
    /// # Errors
    ///
    /// [`MapError::NotAPermutation`].
    pub fn permutation(positions: &[u32]) -> Result<Self, MapError> {
        let map = AffineMap::new(
            u32::try_from(positions.len()).map_err(|_| MapError::TooManyInputs)?,
            0,
            positions.iter().copied().map(AffineExpr::Dim).collect(),
        );
        if map.is_permutation() {
            Ok(map)
        } else {
            Err(MapError::NotAPermutation)
        }
    }

    /// How many dimensions the map takes.
    pub fn num_dims(&self) -> u32 {
        self.num_dims
    }

    /// How many symbols the map takes.
    pub fn num_symbols(&self) -> u32 {
        self.num_symbols
    }

    /// Dimensions and symbols together.
    pub fn num_inputs(&self) -> usize {
        self.num_dims as usize + self.num_symbols as usize
    }

    /// One expression for each result.
    pub fn results(&self) -> &[AffineExpr] {
        &self.results
    }

    /// How many values the map gives.
    pub fn num_results(&self) -> usize {
        self.results.len()
    }

    /// The expression of one result; `None` past the last.
    pub fn result(&self, index: usize) -> Option<&AffineExpr> {
        self.results.get(index)
    }

    /// Whether the map has no results.
    pub fn is_empty(&self) -> bool {
        self.num_dims == 0 && self.num_symbols == 0 && self.results.is_empty()
    }

    /// Each dimension in order, whatever the symbols.
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.num_dims as usize && self.is_minor_identity()
    }

    /// The last dimensions in order, as many as there are results.
    pub fn is_minor_identity(&self) -> bool {
        let count = self.results.len();
        count <= self.num_dims as usize
            && (self.num_dims - count as u32..self.num_dims)
                .zip(&self.results)
                .all(|(dim, result)| matches!(result, AffineExpr::Dim(found) if *found == dim))
    }

    /// Each dimension once, no symbols.
    pub fn is_permutation(&self) -> bool {
        self.results.len() == self.num_dims as usize && self.is_projected_permutation()
    }

    /// Some dimensions, none twice, no symbols.
    pub fn is_projected_permutation(&self) -> bool {
        let mut seen = FxHashSet::default();
        self.num_symbols == 0
            && self.results.iter().all(|result| {
                matches!(result, AffineExpr::Dim(dim)
                    if *dim < self.num_dims && seen.insert(*dim))
            })
    }

    /// Every result is a constant.
    pub fn is_constant(&self) -> bool {
        self.results.iter().all(AffineExpr::is_constant)
    }

    /// The constant, of a map with exactly one result that is one.
    pub fn single_constant(&self) -> Option<i64> {
        match self.results.as_slice() {
            [result] => result.as_constant(),
            _ => None,
        }
    }

    /// The constants, of a map whose results all are.
    pub fn constant_results(&self) -> Option<Vec<i64>> {
        self.results.iter().map(AffineExpr::as_constant).collect()
    }

    /// Whether a result mentions dimension `position`.
    pub fn is_function_of_dim(&self, position: u32) -> bool {
        self.results
            .iter()
            .any(|result| result.is_function_of_dim(position))
    }

    /// Whether a result mentions symbol `position`.
    pub fn is_function_of_symbol(&self, position: u32) -> bool {
        self.results
            .iter()
            .any(|result| result.is_function_of_symbol(position))
    }

    /// The results for given dimensions and symbols. `None` where one is
    /// undefined or overflows.
    pub fn eval(&self, dims: &[i64], symbols: &[i64]) -> Option<Vec<i64>> {
        self.results
            .iter()
            .map(|result| result.eval(dims, symbols))
            .collect()
    }

    /// Replaces inputs in every result; the new map has the given numbers of
    /// inputs.
    pub fn replace_dims_and_symbols(
        &self,
        dims: &[AffineExpr],
        symbols: &[AffineExpr],
        num_dims: u32,
        num_symbols: u32,
    ) -> Self {
        let results = self
            .results
            .iter()
            .map(|result| result.replace_dims_and_symbols(dims, symbols));
        AffineMap::new(num_dims, num_symbols, results.collect())
    }

    /// Replaces subexpressions in every result.
    pub fn replace(
        &self,
        replacements: &FxHashMap<AffineExpr, AffineExpr>,
        num_dims: u32,
        num_symbols: u32,
    ) -> Self {
        let results = self
            .results
            .iter()
            .map(|result| result.replace(replacements));
        AffineMap::new(num_dims, num_symbols, results.collect())
    }

    /// `self` after `inner`: dimension `i` of `self` is result `i` of `inner`.
    /// Symbols of `self` come first, then those of `inner`.
    ///
    /// # Errors
    ///
    /// If the numbers do not fit or the composed results exceed the limits of
    /// expressions.
    pub fn compose(&self, inner: &AffineMap) -> Result<AffineMap, MapError> {
        if inner.results.len() != self.num_dims as usize {
            return Err(MapError::Arity {
                dims: self.num_dims,
                results: inner.results.len(),
            });
        }
        let num_symbols = self
            .num_symbols
            .checked_add(inner.num_symbols)
            .ok_or(MapError::TooManyInputs)?;
        let dims: Vec<AffineExpr> = inner
            .results
            .iter()
            .map(|result| result.shift_symbols(self.num_symbols, 0))
            .collect();
        let map = self.replace_dims_and_symbols(&dims, &[], inner.num_dims, num_symbols);
        if map.results.iter().all(AffineExpr::within_limits) {
            Ok(map)
        } else {
            Err(MapError::TooLarge)
        }
    }

    /// The results at the given positions; positions beyond the end are left
    /// out.
    pub fn sub_map(&self, positions: &[usize]) -> Self {
        let results = positions
            .iter()
            .filter_map(|index| self.results.get(*index).cloned());
        AffineMap::new(self.num_dims, self.num_symbols, results.collect())
    }

    /// The results of both maps, over the inputs of `self` followed by those
    /// of `other`.
    ///
    /// # Errors
    ///
    /// [`MapError::TooManyInputs`].
    pub fn concat(&self, other: &AffineMap) -> Result<AffineMap, MapError> {
        let num_dims = self.num_dims.checked_add(other.num_dims);
        let num_symbols = self.num_symbols.checked_add(other.num_symbols);
        let (Some(num_dims), Some(num_symbols)) = (num_dims, num_symbols) else {
            return Err(MapError::TooManyInputs);
        };
        let mut results = self.results.clone();
        results.extend(other.results.iter().map(|result| {
            result
                .shift_dims(self.num_dims, 0)
                .shift_symbols(self.num_symbols, 0)
        }));
        Ok(AffineMap::new(num_dims, num_symbols, results))
    }

    /// Each result simplified, see [`simplify_affine_expr`].
    pub fn simplify(&self) -> Self {
        let results = self
            .results
            .iter()
            .map(|result| simplify_affine_expr(result, self.num_dims, self.num_symbols));
        AffineMap::new(self.num_dims, self.num_symbols, results.collect())
    }

    /// Without results equal to an earlier one.
    pub fn remove_duplicate_results(&self) -> Self {
        let mut seen = FxHashSet::default();
        let kept = self
            .results
            .iter()
            .filter(|result| seen.insert((*result).clone()));
        AffineMap::new(self.num_dims, self.num_symbols, kept.cloned().collect())
    }

    /// The map with `shift` unused dimensions in front of its own.
    pub fn shift_dims(&self, shift: u32) -> Self {
        let results = self
            .results
            .iter()
            .map(|result| result.shift_dims(shift, 0));
        AffineMap::new(
            self.num_dims.saturating_add(shift),
            self.num_symbols,
            results.collect(),
        )
    }

    /// The map with `shift` unused symbols in front of its own.
    pub fn shift_symbols(&self, shift: u32) -> Self {
        let results = self
            .results
            .iter()
            .map(|result| result.shift_symbols(shift, 0));
        AffineMap::new(
            self.num_dims,
            self.num_symbols.saturating_add(shift),
            results.collect(),
        )
    }
}

/// Which dimensions and which symbols the expressions mention.
pub(super) fn used_inputs<'a>(
    exprs: impl Iterator<Item = &'a AffineExpr>,
    num_dims: u32,
    num_symbols: u32,
) -> (Vec<bool>, Vec<bool>) {
    let mut dims = vec![false; num_dims as usize];
    let mut symbols = vec![false; num_symbols as usize];
    for expr in exprs {
        expr.walk(|expr| {
            let used = match expr {
                AffineExpr::Dim(position) => dims.get_mut(*position as usize),
                AffineExpr::Symbol(position) => symbols.get_mut(*position as usize),
                _ => None,
            };
            if let Some(used) = used {
                *used = true;
            }
        });
    }
    (dims, symbols)
}
