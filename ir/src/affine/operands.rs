//! Maps and sets applied to operands: canonical operand lists, and composition
//! with the maps that compute the operands.
//!
//! Operands are of any type; what must be known of them the caller says. The
//! order of the results is that of MLIR's `canonicalizeMapAndOperands` and
//! `fullyComposeAffineMapAndOperands`.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::expr::AffineExpr;
use super::map::{AffineMap, MapError, used_inputs};
use super::set::IntegerSet;

/// What the caller knows of operands.
pub struct OperandInfo<'a, V> {
    /// May the value be a symbol?
    pub is_symbol: &'a dyn Fn(&V) -> bool,
    /// May the value be a dimension?
    pub is_dim: &'a dyn Fn(&V) -> bool,
    /// The value, if it is a constant.
    pub constant_of: &'a dyn Fn(&V) -> Option<i64>,
}

/// A map with its operands, dimensions first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMap<V> {
    /// What is computed from the operands.
    pub map: AffineMap,
    /// One for each dimension, then one for each symbol.
    pub operands: Vec<V>,
}

/// Something over dimensions and symbols to which operands can be applied.
trait OverInputs: Sized {
    fn dims(&self) -> u32;
    fn symbols(&self) -> u32;
    fn used(&self) -> (Vec<bool>, Vec<bool>);
    fn replaced(&self, dims: &[AffineExpr], syms: &[AffineExpr], nd: u32, ns: u32) -> Self;
}

impl OverInputs for AffineMap {
    fn dims(&self) -> u32 {
        self.num_dims()
    }
    fn symbols(&self) -> u32 {
        self.num_symbols()
    }
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        used_inputs(self.results().iter(), self.num_dims(), self.num_symbols())
    }
    fn replaced(&self, dims: &[AffineExpr], syms: &[AffineExpr], nd: u32, ns: u32) -> Self {
        self.replace_dims_and_symbols(dims, syms, nd, ns)
    }
}

impl OverInputs for IntegerSet {
    fn dims(&self) -> u32 {
        self.num_dims()
    }
    fn symbols(&self) -> u32 {
        self.num_symbols()
    }
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        let exprs = self.constraints().iter().map(|constraint| &constraint.expr);
        used_inputs(exprs, self.num_dims(), self.num_symbols())
    }
    fn replaced(&self, dims: &[AffineExpr], syms: &[AffineExpr], nd: u32, ns: u32) -> Self {
        self.replace_dims_and_symbols(dims, syms, nd, ns)
    }
}

/// Makes the operands of a map canonical: dimensions that may be symbols become
/// symbols, symbols that may only be dimensions become dimensions, operands
/// that are not used go, equal ones merge, constants move into the map.
///
/// # Errors
///
/// [`MapError::OperandCount`]; map and operands are then unchanged.
pub fn canonicalize_map_and_operands<V: Clone + Eq + Hash>(
    map: &mut AffineMap,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) -> Result<(), MapError> {
    canonicalize(map, operands, info)
}

/// As [`canonicalize_map_and_operands`], for a set.
///
/// # Errors
///
/// [`MapError::OperandCount`]; set and operands are then unchanged.
pub fn canonicalize_set_and_operands<V: Clone + Eq + Hash>(
    set: &mut IntegerSet,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) -> Result<(), MapError> {
    canonicalize(set, operands, info)
}

fn check_count(inputs: usize, operands: usize) -> Result<(), MapError> {
    if inputs == operands {
        Ok(())
    } else {
        Err(MapError::OperandCount { inputs, operands })
    }
}

fn canonicalize<T: OverInputs, V: Clone + Eq + Hash>(
    over: &mut T,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) -> Result<(), MapError> {
    check_count(
        over.dims() as usize + over.symbols() as usize,
        operands.len(),
    )?;
    if operands.is_empty() {
        return Ok(());
    }
    promote_dims(over, operands, info);
    demote_symbols(over, operands, info);
    drop_and_merge(over, operands, info);
    Ok(())
}

/// Dimensions that may be symbols become the last symbols.
fn promote_dims<T: OverInputs, V: Clone>(
    over: &mut T,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) {
    let (dim_operands, symbol_operands) = operands.split_at(over.dims() as usize);
    if !dim_operands.iter().any(|v| (info.is_symbol)(v)) {
        return;
    }
    let mut dims = Vec::new();
    let mut promoted = Vec::new();
    let mut kept = Vec::new();
    for operand in dim_operands {
        if (info.is_symbol)(operand) {
            dims.push(AffineExpr::Symbol(over.symbols() + promoted.len() as u32));
            promoted.push(operand.clone());
        } else {
            dims.push(AffineExpr::Dim(kept.len() as u32));
            kept.push(operand.clone());
        }
    }
    let num_dims = kept.len() as u32;
    let num_symbols = over.symbols() + promoted.len() as u32;
    kept.extend_from_slice(symbol_operands);
    kept.append(&mut promoted);
    *over = over.replaced(&dims, &[], num_dims, num_symbols);
    *operands = kept;
}

/// Symbols that may be dimensions but not symbols become the last dimensions.
fn demote_symbols<T: OverInputs, V: Clone>(
    over: &mut T,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) {
    let (dim_operands, symbol_operands) = operands.split_at(over.dims() as usize);
    if !(symbol_operands.iter()).any(|v| (info.is_dim)(v) && !(info.is_symbol)(v)) {
        return;
    }
    let mut new_dims = dim_operands.to_vec();
    let mut new_symbols = Vec::new();
    let mut symbols = Vec::new();
    for operand in symbol_operands {
        if (info.is_dim)(operand) && !(info.is_symbol)(operand) {
            symbols.push(AffineExpr::Dim(new_dims.len() as u32));
            new_dims.push(operand.clone());
        } else {
            symbols.push(AffineExpr::Symbol(new_symbols.len() as u32));
            new_symbols.push(operand.clone());
        }
    }
    let (num_dims, num_symbols) = (new_dims.len() as u32, new_symbols.len() as u32);
    new_dims.append(&mut new_symbols);
    *over = over.replaced(&[], &symbols, num_dims, num_symbols);
    *operands = new_dims;
}

/// Unused operands go, equal ones merge, constants among the symbols move in.
fn drop_and_merge<T: OverInputs, V: Clone + Eq + Hash>(
    over: &mut T,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
) {
    let (used_dims, used_symbols) = over.used();
    let (dim_operands, symbol_operands) = operands.split_at(over.dims() as usize);
    let stays = used_dims.iter().chain(&used_symbols).all(|used| *used)
        && are_distinct(dim_operands)
        && are_distinct(symbol_operands)
        && (symbol_operands.iter()).all(|v| (info.constant_of)(v).is_none());
    if stays {
        return;
    }

    /// Numbers the operand, the number it already has if it has one.
    fn place<V: Clone + Eq + Hash>(
        operand: &V,
        seen: &mut FxHashMap<V, u32>,
        kept: &mut Vec<V>,
    ) -> u32 {
        *seen.entry(operand.clone()).or_insert_with(|| {
            kept.push(operand.clone());
            kept.len() as u32 - 1
        })
    }

    let mut kept_dims = Vec::new();
    let mut seen = FxHashMap::default();
    let dims: Vec<AffineExpr> = dim_operands
        .iter()
        .zip(used_dims)
        .map(|(operand, used)| match used {
            true => AffineExpr::Dim(place(operand, &mut seen, &mut kept_dims)),
            false => AffineExpr::Constant(0),
        })
        .collect();

    let mut kept_symbols = Vec::new();
    seen.clear();
    let symbols: Vec<AffineExpr> = symbol_operands
        .iter()
        .zip(used_symbols)
        .map(|(operand, used)| {
            if !used {
                return AffineExpr::Constant(0);
            }
            match (info.constant_of)(operand) {
                Some(value) => AffineExpr::Constant(value),
                None => AffineExpr::Symbol(place(operand, &mut seen, &mut kept_symbols)),
            }
        })
        .collect();

    let (num_dims, num_symbols) = (kept_dims.len() as u32, kept_symbols.len() as u32);
    kept_dims.append(&mut kept_symbols);
    *over = over.replaced(&dims, &symbols, num_dims, num_symbols);
    *operands = kept_dims;
}

/// Whether no operand stands among these twice. There are a few, of nearly all maps.
fn are_distinct<V: Eq>(operands: &[V]) -> bool {
    let mut rest = operands.iter();
    while let Some(one) = rest.next() {
        if rest.clone().any(|other| one == other) {
            return false;
        }
    }
    true
}

/// How many operands may be replaced in one composition.
const MAX_REPLACEMENTS: usize = 1 << 12;

/// Replaces every operand that is itself the value of a map of one result, as
/// `producer` says, by that map and its operands, again and again; then makes
/// the operands canonical and simplifies. Stops early, with a correct outcome,
/// where the expressions would exceed the limits.
///
/// # Errors
///
/// [`MapError::OperandCount`]; map and operands are then unchanged. A producer
/// that does not fit its operands, or has not one result, is not used.
pub fn compose_map_operands<V: Clone + Eq + Hash>(
    map: &mut AffineMap,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
    producer: &dyn Fn(&V) -> Option<ValueMap<V>>,
) -> Result<(), MapError> {
    check_count(map.num_inputs(), operands.len())?;
    if map.results().is_empty() {
        return canonicalize(map, operands, info);
    }
    compose(map, operands, info, producer);
    canonicalize(map, operands, info)?;
    *map = map.simplify();
    Ok(())
}

fn compose<V: Clone + Eq + Hash>(
    map: &mut AffineMap,
    operands: &mut Vec<V>,
    info: &OperandInfo<'_, V>,
    producer: &dyn Fn(&V) -> Option<ValueMap<V>>,
) {
    if !operands.iter().any(|v| producer(v).is_some()) {
        return;
    }
    let (dims, symbols) = operands.split_at(map.num_dims() as usize);
    let mut state = Composition {
        map: map.clone(),
        dims: dims.iter().cloned().map(Some).collect(),
        symbols: symbols.iter().cloned().map(Some).collect(),
    };
    let mut replacements = 0;
    while replacements < MAX_REPLACEMENTS && state.replace_first(info, producer) {
        replacements += 1;
    }
    (*map, *operands) = state.finish();
}

/// A map while operands are being replaced: an operand that is gone is `None`
/// and keeps its place, new ones are appended.
struct Composition<V> {
    map: AffineMap,
    dims: Vec<Option<V>>,
    symbols: Vec<Option<V>>,
}

impl<V: Clone + Eq + Hash> Composition<V> {
    /// Replaces the first operand that has a producer.
    fn replace_first(
        &mut self,
        info: &OperandInfo<'_, V>,
        producer: &dyn Fn(&V) -> Option<ValueMap<V>>,
    ) -> bool {
        for index in 0..self.dims.len() {
            if let Some(inner) = self.dims.get(index).and_then(|v| producer(v.as_ref()?))
                && self.replace(AffineExpr::Dim(index as u32), inner, info)
            {
                return true;
            }
        }
        for index in 0..self.symbols.len() {
            if let Some(inner) = self.symbols.get(index).and_then(|v| producer(v.as_ref()?))
                && self.replace(AffineExpr::Symbol(index as u32), inner, info)
            {
                return true;
            }
        }
        false
    }

    fn replace(
        &mut self,
        target: AffineExpr,
        inner: ValueMap<V>,
        info: &OperandInfo<'_, V>,
    ) -> bool {
        let ValueMap {
            map: mut inner,
            operands: mut inner_operands,
        } = inner;
        if inner.num_results() != 1 || canonicalize(&mut inner, &mut inner_operands, info).is_err()
        {
            return false;
        }
        let shifted = inner
            .shift_dims(self.dims.len() as u32)
            .shift_symbols(self.symbols.len() as u32);
        let Some(replacement) = shifted.result(0) else {
            return false;
        };
        let (new_dims, new_symbols) = inner_operands.split_at(inner.num_dims() as usize);
        let num_dims = (self.dims.len() + new_dims.len()) as u32;
        let num_symbols = (self.symbols.len() + new_symbols.len()) as u32;
        let replacements = FxHashMap::from_iter([(target.clone(), replacement.clone())]);
        let replaced = self.map.replace(&replacements, num_dims, num_symbols);
        if !replaced.results().iter().all(AffineExpr::within_limits) {
            return false;
        }
        self.map = replaced;
        let gone = match target {
            AffineExpr::Dim(index) => self.dims.get_mut(index as usize),
            AffineExpr::Symbol(index) => self.symbols.get_mut(index as usize),
            _ => None,
        };
        if let Some(gone) = gone {
            *gone = None;
        }
        self.dims.extend(new_dims.iter().cloned().map(Some));
        self.symbols.extend(new_symbols.iter().cloned().map(Some));
        true
    }

    /// The map over the operands that are left.
    fn finish(self) -> (AffineMap, Vec<V>) {
        fn renumber<V>(
            operands: Vec<Option<V>>,
            leaf: fn(u32) -> AffineExpr,
            kept: &mut Vec<V>,
        ) -> Vec<AffineExpr> {
            let start = kept.len();
            let mut replacements = Vec::with_capacity(operands.len());
            for operand in operands {
                match operand {
                    None => replacements.push(AffineExpr::Constant(0)),
                    Some(operand) => {
                        replacements.push(leaf((kept.len() - start) as u32));
                        kept.push(operand);
                    }
                }
            }
            replacements
        }
        let mut kept = Vec::new();
        let dims = renumber(self.dims, AffineExpr::Dim, &mut kept);
        let num_dims = kept.len();
        let symbols = renumber(self.symbols, AffineExpr::Symbol, &mut kept);
        let num_symbols = kept.len() - num_dims;
        let map =
            self.map
                .replace_dims_and_symbols(&dims, &symbols, num_dims as u32, num_symbols as u32);
        (map, kept)
    }
}
