//! The subscripts of an access, one by one.

use terrace_dialects::affine::{Access, compose::compose};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::{Context, Value};

use super::linear::Linear;

/// A subscript over loop variables and symbols.
#[derive(Debug, Clone)]
pub enum Subscript {
    Linear(Linear),
    /// With a quotient or a remainder in it.
    Other(ValueMap<Value>),
}

impl Subscript {
    /// Those of an access, in the order of the dimensions.
    pub fn all_of(ctx: &Context, access: &Access) -> Vec<Subscript> {
        let map = &access.map;
        let each = map.results().iter().map(|e| {
            let own = AffineMap::new(map.num_dims(), map.num_symbols(), vec![e.clone()]);
            let own = compose(ctx, &own, &access.operands);
            let linear = Linear::of_map(&own.map, &own.operands);
            match linear.as_deref() {
                Some([form]) => Subscript::Linear(form.clone()),
                _ => Subscript::Other(own),
            }
        });
        each.collect()
    }

    /// By how much it grows with `v`; `None` where it does not grow evenly, as far as is known.
    pub fn growth(&self, v: Value) -> Option<i64> {
        match self {
            Subscript::Linear(form) => Some(form.coefficient(v)),
            Subscript::Other(of) => (!of.operands.contains(&v)).then_some(0),
        }
    }

    /// Whether both are the same, as far as is known.
    pub fn is(&self, other: &Subscript) -> bool {
        match (self, other) {
            (Subscript::Linear(a), Subscript::Linear(b)) => a.equals(b),
            (Subscript::Other(a), Subscript::Other(b)) => {
                a.map == b.map && a.operands == b.operands
            }
            _ => false,
        }
    }
}
