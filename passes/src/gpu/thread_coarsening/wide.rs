//! Loads of neighbours in iterations that follow one another, as one load.
//!
//! A loop that goes along rows by steps of one, several iterations at a time, loads as many
//! neighbours of each row. Where rows begin at multiples of 16 bytes, one load has them
//! all; whether they do is seen when the program runs.

use crate::gpu::aligned::{promise, rows_aligned};
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::memref;
use terrace_dialects::{scf, vector};
use terrace_ir::{Builder, Context, Op, OpKind, TypeData, Value};

/// Bytes that a load of a thread moves at most.
const MAX: i64 = 16;

/// Loads of a loop that may be done for several iterations at once.
pub(super) struct Wide {
    loads: Vec<Op>,
    /// Iterations that a load is for, and bytes of an element.
    pub lanes: i64,
    pub bytes: i64,
    /// Where they load from instead.
    tile: Option<Tile>,
}

/// Rows of the arrays, as far as they were brought into memory of the block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    /// A row for each that there is of [`Wide::rows`], at multiples of a load.
    pub memory: Value,
    /// The counter at the begin of the rows.
    pub begin: Value,
}

impl Wide {
    /// Those of `l`, `unroll` iterations of which are done at a time: of rows that its
    /// counter is the last subscript of, all with elements of one size.
    pub fn of(ctx: &Context, l: scf::ForOp, unroll: i64) -> Option<Wide> {
        let iv = l.induction_var(ctx);
        let mut loads = Vec::new();
        let mut bytes = None;
        for op in l.body(ctx).ops(ctx) {
            if op.name(ctx) != memref::LoadOp::NAME {
                continue;
            }
            let operands = op.operands(ctx);
            let (array, rest) = operands.split_first()?;
            let (last, others) = rest.split_last()?;
            let outside = |v: &Value| v.def_op().is_none_or(|d| !l.op().is_ancestor_of(ctx, d));
            if *last != iv || others.contains(&iv) || !others.iter().all(outside) {
                continue;
            }
            let plain = matches!(
                array.ty(ctx).data(ctx),
                TypeData::MemRef { layout: None, .. }
            );
            let ty = op.result(ctx, 0).ty(ctx);
            let size = ty
                .bit_width(ctx)
                .filter(|_| ty.is_float(ctx))
                .map(i64::from);
            match size {
                Some(n @ (32 | 64)) if plain && bytes.is_none_or(|b| b == n / 8) => {
                    bytes = Some(n / 8);
                    loads.push(op);
                }
                _ => {}
            }
        }
        let bytes = bytes?;
        let lanes = MAX / bytes;
        (unroll % lanes == 0).then_some(Wide {
            loads,
            lanes,
            bytes,
            tile: None,
        })
    }

    /// A load of each row that there is: several may load the same.
    pub fn rows(&self, ctx: &Context) -> Vec<Op> {
        let mut rows: Vec<Op> = Vec::new();
        for op in &self.loads {
            if !rows.iter().any(|r| same(ctx, *r, *op)) {
                rows.push(*op);
            }
        }
        rows
    }

    /// The same loads of what is in memory of the block.
    pub fn in_tile(&self, tile: Tile) -> Wide {
        Wide {
            loads: self.loads.clone(),
            tile: Some(tile),
            ..*self
        }
    }

    /// The counter at the begin of the tile.
    pub fn begin(&self) -> Option<Value> {
        self.tile.map(|t| t.begin)
    }

    pub fn has(&self, op: Op) -> bool {
        self.loads.contains(&op)
    }

    /// Whether the rows begin at multiples of a load, and the loop too.
    pub fn fits(&self, b: &mut Builder, lower: Value, value: impl Fn(Value) -> Value) -> Value {
        let lanes = constant(b, self.lanes);
        let odd = rem(b, lower, lanes);
        let zero = constant(b, 0);
        let mut all = CmpIOp::build(b, CmpIPredicate::Eq, odd, zero);
        let mut seen = Vec::new();
        for op in &self.loads {
            let array = value(op.operand(b.ctx, 0));
            if !seen.contains(&array) {
                seen.push(array);
                let one = rows_aligned(b, array, self.lanes, self.bytes, false);
                all = and(b, all, one);
            }
        }
        all
    }

    /// What a load has of iterations from `first` on, which in a tile counts from its begin.
    pub fn load(
        &self,
        b: &mut Builder,
        op: Op,
        first: Value,
        value: impl Fn(Value) -> Value,
    ) -> Vec<Value> {
        let (array, at) = match self.tile {
            Some(tile) => {
                let rows = self.rows(b.ctx);
                let row = rows.iter().position(|r| same(b.ctx, *r, op));
                let row = constant(b, row.map_or(0, |n| n as i64));
                (tile.memory, vec![row, first])
            }
            None => {
                let mut at: Vec<Value> = op.operands(b.ctx).into_iter().map(value).collect();
                let array = at.remove(0);
                at.pop();
                at.push(first);
                (array, at)
            }
        };
        let element = op.result(b.ctx, 0).ty(b.ctx);
        let ty = b.ctx.vector(&[self.lanes], element);
        let all = vector::LoadOp::build(b, ty, array, &at);
        if let Some(load) = all.def_op() {
            promise(b, load, self.lanes * self.bytes);
        }
        (0..self.lanes)
            .map(|n| vector::ExtractOp::build(b, all, &[n]))
            .collect()
    }
}

/// Whether two loads are of the same element.
fn same(ctx: &Context, x: Op, y: Op) -> bool {
    x.operands(ctx) == y.operands(ctx)
}
