//! What is computed of single elements: factors between workgroup memory and the
//! product, and the result before and behind the sum.

use crate::analysis::linear::Linear;
use crate::gpu::contraction::find::element;
use crate::gpu::contraction::shape::{Contraction, Factor, Sum};
use crate::loops::build::index::linear;
use crate::loops::rematerialize::rematerialize;
use rustc_hash::FxHashMap;
use terrace_dialects::{arith, memref};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Value};

/// The element of the result at a row and column while it is computed.
pub struct AtElement<'x> {
    x: &'x Contraction,
    /// Counters, by what they are here.
    places: Vec<(Value, Value)>,
    /// The element's value, once read or computed.
    current: Option<Value>,
}

impl<'x> AtElement<'x> {
    /// `row`: the counters of the row.
    pub fn new(x: &'x Contraction, row: &[(Value, Value)], col: Value) -> AtElement<'x> {
        let mut places = row.to_vec();
        places.push((x.col, col));
        places.extend(&x.fixed);
        for (from, to) in &x.same {
            let here = places.iter().find(|p| p.0 == *to).map_or(col, |p| p.1);
            places.push((*from, here));
        }
        AtElement {
            x,
            places,
            current: None,
        }
    }

    fn read(&mut self, b: &mut Builder) -> Value {
        if let Some(v) = self.current {
            return v;
        }
        let at = self.subscripts(b, &self.x.c.at);
        let v = memref::LoadOp::build(b, self.x.c.memref, &at);
        self.current = Some(v);
        v
    }

    fn subscripts(&self, b: &mut Builder, at: &[Linear]) -> Vec<Value> {
        at.iter().map(|l| linear(b, l, &self.places)).collect()
    }

    fn before(&mut self, b: &mut Builder) {
        for v in &self.x.before {
            let now = self.value(b, *v, &mut FxHashMap::default());
            self.current = Some(now);
        }
    }

    /// What the sum begins with.
    pub fn begin(mut self, b: &mut Builder) -> Value {
        self.before(b);
        match self.x.sum {
            Sum::Memory => self.read(b),
            Sum::Carried { init, .. } => self.value(b, init, &mut FxHashMap::default()),
        }
    }

    /// Stores what becomes of the sum.
    pub fn end(mut self, b: &mut Builder, sum: Value) {
        let v = self.finish(b, sum);
        self.store(b, v);
    }

    /// What becomes of the sum.
    pub fn finish(&mut self, b: &mut Builder, sum: Value) -> Value {
        match self.x.sum {
            Sum::Memory => self.current = Some(sum),
            Sum::Carried { result, stored, .. } => {
                self.before(b);
                let mut known = FxHashMap::default();
                known.insert(result, sum);
                let now = self.value(b, stored, &mut known);
                self.current = Some(now);
            }
        }
        for v in &self.x.behind {
            let now = self.value(b, *v, &mut FxHashMap::default());
            self.current = Some(now);
        }
        self.read(b)
    }

    /// Stores the element.
    pub fn store(&self, b: &mut Builder, v: Value) {
        let elements = [Some(&self.x.c), self.x.mirror.as_ref()];
        for e in elements.into_iter().flatten() {
            let at = self.subscripts(b, &e.at);
            memref::StoreOp::build(b, v, e.memref, &at);
        }
    }

    /// A value of the nest here. What has been computed is in `known`.
    fn value(&mut self, b: &mut Builder, v: Value, known: &mut FxHashMap<Value, Value>) -> Value {
        if let Some(found) = known.get(&v) {
            return *found;
        }
        if let Some((_, here)) = self.places.iter().find(|p| p.0 == v) {
            return *here;
        }
        let inside = |b: &Builder, op| self.x.root.is_ancestor_of(b.ctx, op);
        let Some(op) = v.def_op().filter(|o| inside(b, *o)) else {
            return v;
        };
        let here = match element(b.ctx, op) {
            Some(e) if e.memref == self.x.c.memref => self.read(b),
            Some(e) => {
                let at = self.subscripts(b, &e.at);
                memref::LoadOp::build(b, e.memref, &at)
            }
            None => {
                let mut map = IrMapping::new();
                for o in op.operands(b.ctx) {
                    let here = self.value(b, o, known);
                    map.map(o, here);
                }
                let copy = clone_op(b.ctx, op, &mut map);
                b.insert(copy);
                map.value(v)
            }
        };
        known.insert(v, here);
        here
    }
}

/// What is multiplied of a factor, from the element that was loaded.
pub fn factor(b: &mut Builder, x: &Contraction, f: &Factor, loaded: Value) -> Value {
    let mut known = FxHashMap::default();
    known.insert(f.loaded, loaded);
    let v = rematerialize(b, x.root, f.value, &mut known);
    if !f.negated {
        return v;
    }
    let ty = v.ty(b.ctx);
    b.value::<arith::NegFOp>(&[v], ty, &[])
}
