//! Arrays of arrays as one row of elements, for pointers that move past a row's end.

use terrace_dialects::{memref, rows};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, InsertPoint, Value};

use super::form::Form;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result};
use crate::hir::Span;

impl Lowerer<'_> {
    /// An element of an array of arrays as one of all its elements in a row, so that a
    /// pointer to it may move past the end of its row.
    pub fn flattened(&mut self, p: LValue, span: Span) -> Result<LValue> {
        if p.subscripts.len() < 2 {
            return Ok(p);
        }
        let memref = self.memory(&p, span)?;
        let ty = memref.ty(self.ctx);
        let shape = ty.shape(self.ctx).unwrap_or(&[]).to_vec();
        if rows::distances(self.ctx, ty).is_some() {
            let message = "a pointer into one of several rows that lie where pointers say";
            return Err(Refusal::new(span, message));
        }
        let plain = matches!(ty.memref_parts(self.ctx), Some((None, None)));
        if shape.len() != p.subscripts.len() || !plain {
            return Err(Refusal::new(
                span,
                "a pointer to a field of an array of records",
            ));
        }
        let mut flat = p.subscripts[0].clone();
        for (d, s) in p.subscripts.iter().enumerate().skip(1) {
            let size = match shape[d] {
                DYNAMIC => {
                    let v = self.size_of(memref, d);
                    Form::leaf(v, true, true, true)
                }
                n => Form::constant(n),
            };
            flat = flat.mul(&size).add(s);
        }
        let whole = self.in_a_row(memref);
        if let Object::Outer(id) = p.object {
            self.row_of.insert(whole, id);
        }
        Ok(LValue {
            object: Object::Memory(whole),
            subscripts: vec![flat],
            ty: p.ty,
            null: p.null,
        })
    }

    /// The object outside the region that a place is in, also where it is seen as one row.
    pub fn outer_of(&self, p: &LValue) -> Option<usize> {
        match &p.object {
            Object::Outer(id) => Some(*id),
            Object::Memory(m) => self.row_of.get(m).copied(),
            _ => None,
        }
    }

    /// The memref of all elements of an array of arrays.
    fn in_a_row(&mut self, memref: Value) -> Value {
        if let Some(v) = self.rows.get(&memref) {
            return *v;
        }
        let ty = memref.ty(self.ctx);
        let shape = ty.shape(self.ctx).unwrap_or(&[]).to_vec();
        let mut n = 1i64;
        for d in &shape {
            n = match (*d, n) {
                (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
                (d, n) => n.checked_mul(d).unwrap_or(DYNAMIC),
            };
        }
        let elem = ty.element_or_self(self.ctx);
        let to = self.ctx.memref(&[n], elem);
        let groups: Vec<Vec<usize>> = vec![(0..shape.len()).collect()];
        let (at, loc) = self.behind(memref);
        let mut b = Builder::new(self.ctx, at, loc);
        let v = memref::CollapseShapeOp::build(&mut b, to, memref, &groups);
        self.rows.insert(memref, v);
        v
    }

    /// The size of a dimension of a memref, as an index made where the memref is.
    pub fn size_of(&mut self, memref: Value, dim: usize) -> Value {
        if let Some(v) = self.sizes.get(&(memref, dim)) {
            return *v;
        }
        let d = self.index_constant(dim as i64);
        let (at, loc) = self.behind(memref);
        // Constants stand at the start of the function: before an argument's size.
        let at = match memref.def_op() {
            Some(_) => at,
            None => d.def_op().map_or(at, InsertPoint::After),
        };
        let mut b = Builder::new(self.ctx, at, loc);
        let v = memref::DimOp::build(&mut b, memref, d);
        self.sizes.insert((memref, dim), v);
        v
    }
}
