//! Arrays with an entry for each iteration of a loop.
//!
//! Entry `k` belongs to iteration `k`, counted from 0: `(%i - lower) floordiv step`.

use super::{Refusal, names};
use crate::analysis::bounds::trip_count_map;
use terrace_dialects::affine::{ForOp, LoadOp, MaxOp, MinOp, StoreOp, compose::compose};
use terrace_dialects::arith::{self, MaxSIOp};
use terrace_dialects::memref::AllocOp;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, Type, Value};

/// The iterations of a loop, counted.
#[derive(Debug, Clone)]
pub struct Iterations {
    /// How many there are: the least of the results; none where that is not positive.
    pub count: ValueMap<Value>,
    /// The number of the iteration over the loop's variable, which is dimension 0, and the
    /// operands of its lower bound, which are the other dimensions.
    number: AffineExpr,
    lower_operands: Vec<Value>,
}

/// The part of a memref type that is not its shape.
#[derive(Debug, Clone, Copy)]
pub struct Elements {
    pub ty: Type,
    pub space: Option<Attr>,
}

impl Iterations {
    /// # Errors
    ///
    /// The loop has several lower bounds, or its step is not positive.
    pub fn of(ctx: &Context, l: ForOp) -> Result<Iterations, Refusal> {
        let lower = l.lower_map(ctx);
        let (Some(count), [first]) = (trip_count_map(ctx, l), lower.results()) else {
            let m = format!(
                "the iterations of {} cannot be numbered: it has several lower bounds, of which \
                 the greatest counts",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(l.op().loc(ctx), m));
        };
        let dims: Vec<AffineExpr> = (0..lower.num_dims())
            .map(|i| AffineExpr::dim(i + 1))
            .collect();
        let symbols: Vec<AffineExpr> = (0..lower.num_symbols())
            .map(|i| AffineExpr::dim(lower.num_dims() + i + 1))
            .collect();
        let first = first.replace_dims_and_symbols(&dims, &symbols);
        let span = AffineExpr::dim(0) - first;
        Ok(Iterations {
            count,
            number: span.floor_div(l.step(ctx)),
            lower_operands: l.lower_operands(ctx),
        })
    }

    /// The number of the iteration in which the loop's variable is `iv`, as an expression
    /// of dimensions, which stand for the values.
    pub fn number(&self, iv: Value) -> (AffineExpr, Vec<Value>) {
        let operands = [&[iv], &self.lower_operands[..]].concat();
        (self.number.clone(), operands)
    }

    /// The number of iterations, as a size: a constant, or a value that is computed here.
    pub fn size(&self, b: &mut Builder) -> Result<i64, Value> {
        if let Some(counts) = self.count.map.constant_results() {
            return Ok(counts.into_iter().min().unwrap_or(0).max(0));
        }
        let operands = &self.count.operands;
        if let [count] = self.count.map.results() {
            let results = vec![count.clone(), AffineExpr::constant(0)];
            let (dims, symbols) = (self.count.map.num_dims(), self.count.map.num_symbols());
            let map = AffineMap::new(dims, symbols, results);
            return Err(MaxOp::build(b, map, operands));
        }
        let count = MinOp::build(b, self.count.map.clone(), operands);
        let zero = arith::constant_index(b, 0);
        let index = b.ctx.index();
        Err(b.value::<MaxSIOp>(&[count, zero], index, &[]))
    }

    /// Allocates a memref with an entry of `shape` for each iteration. `sizes` are the
    /// dynamic ones of the shape.
    pub fn allocate(&self, b: &mut Builder, of: Elements, shape: &[i64], sizes: &[Value]) -> Value {
        let (first, mut dynamic) = match self.size(b) {
            Ok(n) => (n, Vec::new()),
            Err(v) => (DYNAMIC, vec![v]),
        };
        dynamic.extend(sizes);
        let ty = b
            .ctx
            .memref_in(&[&[first], shape].concat(), of.ty, of.space);
        AllocOp::build(b, ty, &dynamic)
    }

    /// The entry of iteration `iv` in a memref of one value for each.
    fn entry(&self, ctx: &Context, iv: Value) -> ValueMap<Value> {
        let (number, operands) = self.number(iv);
        let dims = u32::try_from(operands.len()).unwrap_or(u32::MAX);
        let map = compose(ctx, &AffineMap::new(dims, 0, vec![number]), &operands);
        compose(ctx, &map.map.simplify(), &map.operands)
    }

    /// Loads the value that iteration `iv` has in `from`.
    pub fn load(&self, b: &mut Builder, from: Value, iv: Value) -> Value {
        let at = self.entry(b.ctx, iv);
        LoadOp::build(b, from, at.map, &at.operands)
    }

    /// Stores the value of iteration `iv` in `to`.
    pub fn store(&self, b: &mut Builder, value: Value, to: Value, iv: Value) -> Op {
        let at = self.entry(b.ctx, iv);
        StoreOp::build(b, value, to, at.map, &at.operands).op()
    }
}

/// Whether a memref can hold values of a type.
pub fn can_be_kept(ctx: &Context, ty: Type) -> bool {
    let element = match ty.is_vector(ctx) {
        true => ty.element_or_self(ctx),
        false => ty,
    };
    element.is_int_or_index(ctx) || element.is_float(ctx)
}
