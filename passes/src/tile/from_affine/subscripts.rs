//! Subscripts over loops as subscripts over the dimensions of tiles.

use super::translate::union;
use rustc_hash::FxHashMap;
use terrace_ir::Value;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};

/// What an induction variable is in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    /// A number that all elements share.
    Scalar(Value),
    /// The number `base` and the coordinate along this axis.
    Axis { axis: usize, base: Base },
}

/// What the coordinate 0 of an axis stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Constant(i64),
    Value(Value),
}

/// A place in memory: which axes its tile has, and the subscripts over them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Subscripts {
    /// The axes that occur, ascending: the dimensions of the tile.
    pub axes: Vec<usize>,
    pub map: AffineMap,
    pub operands: Vec<Value>,
}

/// Puts counters in the place of induction variables. `scalar` gives what other operands are in
/// the block; `None` where one is no scalar there.
pub(super) fn subscripts(
    m: &ValueMap<Value>,
    counters: &FxHashMap<Value, Counter>,
    scalar: impl Fn(Value) -> Option<Value>,
) -> Option<Subscripts> {
    let used = |i: usize| {
        let (d, n) = (i as u32, m.map.num_dims());
        match d < n {
            true => m.map.is_function_of_dim(d),
            false => m.map.is_function_of_symbol(d - n),
        }
    };
    let mut axes: Vec<usize> = (m.operands.iter().enumerate())
        .filter(|(i, _)| used(*i))
        .filter_map(|(_, v)| match counters.get(v) {
            Some(Counter::Axis { axis, .. }) => Some(*axis),
            _ => None,
        })
        .collect();
    axes.sort_unstable();
    axes.dedup();
    let mut operands: Vec<Value> = Vec::new();
    let mut symbol = |v: Value| {
        let at = operands.iter().position(|o| *o == v).unwrap_or_else(|| {
            operands.push(v);
            operands.len() - 1
        });
        AffineExpr::symbol(at as u32)
    };
    let mut inputs = Vec::new();
    for (i, v) in m.operands.iter().enumerate() {
        if !used(i) {
            inputs.push(AffineExpr::constant(0));
            continue;
        }
        inputs.push(match counters.get(v) {
            Some(Counter::Scalar(s)) => symbol(*s),
            Some(Counter::Axis { axis, base }) => {
                let d = axes.iter().position(|a| a == axis)?;
                let base = match base {
                    Base::Constant(n) => AffineExpr::constant(*n),
                    Base::Value(v) => symbol(*v),
                };
                base + AffineExpr::dim(d as u32)
            }
            None => symbol(scalar(*v)?),
        });
    }
    let (dims, symbols) = inputs.split_at(m.map.num_dims() as usize);
    let (rank, count) = (axes.len() as u32, operands.len() as u32);
    let map = m.map.replace_dims_and_symbols(dims, symbols, rank, count);
    Some(Subscripts {
        map: map.simplify(),
        axes,
        operands,
    })
}

impl Subscripts {
    /// Whether neighbours along dimension `d` are neighbours in memory.
    pub fn is_adjacent(&self, d: usize) -> bool {
        let step = |e: &AffineExpr| {
            let dims: Vec<AffineExpr> = (0..self.axes.len())
                .map(|i| AffineExpr::dim(i as u32) + i64::from(i == d))
                .collect();
            let symbols: Vec<AffineExpr> = (0..self.operands.len())
                .map(|i| AffineExpr::symbol(i as u32))
                .collect();
            let next = e.replace_dims_and_symbols(&dims, &symbols) - e.clone();
            let (dims, symbols) = (self.map.num_dims(), self.map.num_symbols());
            let map = AffineMap::new(dims, symbols, vec![next]).simplify();
            map.single_constant()
        };
        let Some((last, others)) = self.map.results().split_last() else {
            return false;
        };
        step(last) == Some(1) && others.iter().all(|e| step(e) == Some(0))
    }

    /// The same places for tiles that have these axes, too.
    pub fn along(&self, more: &[usize]) -> Subscripts {
        let axes = union(&self.axes, more);
        let own = |a: &usize| axes.iter().position(|x| x == a).unwrap_or(0) as u32;
        let dims: Vec<AffineExpr> = self.axes.iter().map(|a| AffineExpr::dim(own(a))).collect();
        let symbols: Vec<AffineExpr> = (0..self.operands.len() as u32)
            .map(AffineExpr::symbol)
            .collect();
        let (rank, count) = (axes.len() as u32, symbols.len() as u32);
        let map = (self.map).replace_dims_and_symbols(&dims, &symbols, rank, count);
        let operands = self.operands.clone();
        Subscripts {
            axes,
            map,
            operands,
        }
    }

    /// Whether the element at coordinate 0 along dimension `d` begins at a multiple of `n`
    /// elements in each row: memory is adjacent along `d`, and all else that the last subscript
    /// adds up is a multiple. `multiples` are operands that are so by themselves.
    pub fn begins_at_multiples(&self, d: usize, n: i64, multiples: &[Value]) -> bool {
        let Some(last) = self.map.results().last() else {
            return false;
        };
        let dims: Vec<AffineExpr> = (0..self.axes.len() as u32)
            .map(|i| match i as usize == d {
                true => AffineExpr::constant(0),
                false => AffineExpr::dim(i),
            })
            .collect();
        let symbols: Vec<AffineExpr> = (self.operands.iter().enumerate())
            .map(|(i, v)| match multiples.contains(v) {
                true => AffineExpr::symbol(i as u32) * n,
                false => AffineExpr::symbol(i as u32),
            })
            .collect();
        let last = last.replace_dims_and_symbols(&dims, &symbols);
        match last.as_constant() {
            Some(c) => c % n == 0,
            None => last.largest_known_divisor() % n == 0,
        }
    }
}
