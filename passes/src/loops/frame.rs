//! Values with fixed places: expressions of several bounds over one list of operands.

use terrace_dialects::affine::compose::compose;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Context, Value};

/// The dimensions and symbols of expressions that are worked on together. It grows as
/// maps come in; what has a place keeps it.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    dims: Vec<Value>,
    symbols: Vec<Value>,
}

impl Frame {
    /// A frame whose first dimensions are `dims`.
    pub fn new(dims: &[Value]) -> Frame {
        Frame {
            dims: dims.to_vec(),
            symbols: Vec::new(),
        }
    }

    pub fn num_dims(&self) -> u32 {
        u32::try_from(self.dims.len()).unwrap_or(u32::MAX)
    }

    pub fn num_symbols(&self) -> u32 {
        u32::try_from(self.symbols.len()).unwrap_or(u32::MAX)
    }

    /// The place of a value among the dimensions, a new one if it has none.
    pub fn dim(&mut self, v: Value) -> AffineExpr {
        AffineExpr::Dim(place(&mut self.dims, v))
    }

    /// The results of `map` over this frame, with each `affine.apply` behind its
    /// operands composed into them.
    pub fn exprs(&mut self, ctx: &Context, map: &AffineMap, operands: &[Value]) -> Vec<AffineExpr> {
        let ValueMap { map, operands } = compose(ctx, map, operands);
        let at = (map.num_dims() as usize).min(operands.len());
        let (dims, symbols) = operands.split_at(at);
        let dims: Vec<AffineExpr> = dims.iter().map(|v| self.dim(*v)).collect();
        let symbols: Vec<AffineExpr> = symbols
            .iter()
            .map(|v| AffineExpr::Symbol(place(&mut self.symbols, *v)))
            .collect();
        map.results()
            .iter()
            .map(|e| e.replace_dims_and_symbols(&dims, &symbols))
            .collect()
    }

    /// All values, dimensions first.
    pub fn operands(&self) -> Vec<Value> {
        [&self.dims[..], &self.symbols[..]].concat()
    }

    /// Expressions over this frame as a map over its values, those that are not used
    /// left out. The first dimensions stand for `first` where that is given.
    pub fn map(&self, ctx: &Context, results: Vec<AffineExpr>, first: &[Value]) -> ValueMap<Value> {
        let mut operands = self.operands();
        for (slot, v) in operands.iter_mut().zip(first) {
            *slot = *v;
        }
        let map = AffineMap::new(self.num_dims(), self.num_symbols(), results);
        compose(ctx, &map, &operands)
    }
}

fn place(list: &mut Vec<Value>, v: Value) -> u32 {
    let at = list.iter().position(|x| *x == v).unwrap_or_else(|| {
        list.push(v);
        list.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}
