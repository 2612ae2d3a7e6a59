//! The launches, and what the program chooses between.

use super::Wanted;
use super::chain;
use super::kernel::{Kernel, Piece};
use super::once;
use super::policy::{
    self, LANES, MAX_NARROW, MAX_OF_WARP, MIN_COLUMN, MIN_PARTS, MIN_ROW, NARROW, WARPS,
};
use super::shape::Scan;
use super::vectors::scatters;
use crate::analysis::overwritten::overwritten;
use crate::gpu::branches::either;
use crate::loops::build::index::*;
use crate::loops::iterations::Iterations;
use crate::lower::expand::expand_map;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::memref::{self, AllocOp, DeallocOp};
use terrace_dialects::{scf, xfer};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Type, Value};

/// What the host knows of a scan.
pub struct Frame<'s> {
    pub s: &'s Scan,
    /// Iterations, and the counter of the first.
    pub length: Value,
    pub first: Value,
    /// The same of the loops over rows, the outermost first.
    pub rows: Vec<(Value, Value)>,
    /// Rows in all.
    pub count: Value,
    /// An array of one element for the last running value, where the program uses it.
    pub last: Option<Value>,
}

/// Rows in parts.
pub struct Parts {
    /// Of a row.
    pub count: Value,
    /// Elements of each but the last.
    pub length: Value,
    /// For each row what it begins with, and what its parts come to: an array for each value of a
    /// state.
    pub sums: Vec<Value>,
}

/// Puts launches in the place of the loops, which stay for few elements.
pub fn emit(ctx: &mut Context, s: &Scan, wanted: Wanted) {
    let root = s.root().op();
    if wanted.marks {
        for array in overwritten(ctx, root) {
            let mut b = Builder::before(ctx, root);
            xfer::DiscardOp::build(&mut b, array);
        }
    }
    let mut b = Builder::before(ctx, root);
    b.loc = s.combiner.loc(b.ctx);
    let b = &mut b;
    let (length, first) = counted(b, s.l);
    let rows: Vec<(Value, Value)> = s.rows.iter().map(|l| counted(b, *l)).collect();
    let one = constant(b, 1);
    let count = rows
        .iter()
        .map(|r| r.0)
        .reduce(|x, y| mul(b, x, y))
        .unwrap_or(one);
    let elements = match rows.is_empty() {
        true => length,
        false => mul(b, length, count),
    };
    let least = constant(b, wanted.least.max(1));
    let mut pays = CmpIOp::build(b, CmpIPredicate::Sge, elements, least);
    if !rows.is_empty() {
        let shortest = if s.side_by_side { MIN_COLUMN } else { MIN_ROW };
        let shortest = constant(b, shortest.min(wanted.least.max(1)));
        let is_long = CmpIOp::build(b, CmpIPredicate::Sge, length, shortest);
        pays = and(b, pays, is_long);
    }
    if s.side_by_side {
        let many = constant(b, policy::many_columns(wanted.sm));
        let few = less(b, count, many);
        pays = and(b, pays, few);
    }
    let result = s.l.op().results(b.ctx).first().copied();
    let result = result.filter(|v| s.rows.is_empty() && v.has_uses(b.ctx));
    let types: Vec<Type> = result.iter().map(|_| s.ty).collect();
    let (choice, then, other) = scf::IfOp::build(b, pays, &types, true);
    b.with_point(InsertPoint::End(then), |b| {
        let last = result.map(|_| array(b, s.ty, &[], wanted.marks));
        let frame = Frame {
            s,
            length,
            first,
            rows,
            count,
            last,
        };
        frame.launches(b, wanted);
        let mut values = Vec::new();
        if let Some(last) = last {
            let zero = constant(b, 0);
            values.push(memref::LoadOp::build(b, last, &[zero]));
            DeallocOp::build(b, last);
        }
        scf::YieldOp::build(b, &values);
    });
    if let (Some(v), Some(new)) = (result, choice.op().results(b.ctx).first()) {
        v.replace_all_uses(b.ctx, *new);
    }
    if let Some(other) = other {
        root.move_to_end(b.ctx, other);
        b.with_point(InsertPoint::End(other), |b| {
            let values: Vec<Value> = result.into_iter().collect();
            scf::YieldOp::build(b, &values);
        });
    }
}

/// The iterations of a loop, and its counter in the first.
fn counted(b: &mut Builder, l: ForOp) -> (Value, Value) {
    let zero = constant(b, 0);
    // `find::check_rows` has seen that both can be computed.
    let count = match Iterations::of(b.ctx, l).map(|i| i.size(b)) {
        Ok(Ok(n)) => constant(b, n),
        Ok(Err(v)) => v,
        Err(_) => zero,
    };
    let map = l.lower_map(b.ctx).clone();
    let operands = l.lower_operands(b.ctx);
    let first = expand_map(b, &map, &operands).unwrap_or_default();
    (count, first.first().copied().unwrap_or(zero))
}

/// An array of one element, or of so many. Nothing in it is needed.
pub fn array(b: &mut Builder, elem: Type, size: &[Value], marks: bool) -> Value {
    let shape = if size.is_empty() { 1 } else { DYNAMIC };
    let ty = b.ctx.memref(&[shape], elem);
    let array = AllocOp::build(b, ty, size);
    if marks {
        xfer::DiscardOp::build(b, array);
    }
    array
}

impl Frame<'_> {
    /// Blocks of a launch, of which each has a part of a row, or a row.
    pub fn blocks(&self, b: &mut Builder, parts: Option<&Parts>) -> Value {
        match parts {
            Some(p) if self.rows.is_empty() => p.count,
            Some(p) => mul(b, p.count, self.count),
            None => self.count,
        }
    }

    /// What such a block does.
    pub fn piece(
        &self,
        parts: Option<&Parts>,
    ) -> impl Fn(&mut Builder, Value, Value, &[Value]) -> Piece {
        let (one_row, end) = (self.rows.is_empty(), self.length);
        let parts = parts.map(|p| (p.count, p.length));
        move |b, block, _, _| {
            let zero = constant(b, 0);
            let (row, part) = match parts {
                Some(_) if one_row => (zero, block),
                Some((count, _)) => (div(b, block, count), rem(b, block, count)),
                None => (block, zero),
            };
            let (start, end) = match parts {
                Some((_, length)) => {
                    let start = mul(b, part, length);
                    let behind = add(b, start, length);
                    (start, min(b, behind, end))
                }
                None => (zero, end),
            };
            Piece {
                group: row,
                row,
                part,
                start,
                end,
                column: None,
            }
        }
    }

    fn launch(&self, b: &mut Builder, parts: Option<&Parts>, warps: i64) {
        match self.s.only_last {
            true => Kernel::last(b, self, parts, warps),
            false => Kernel::scan(b, self, parts, warps),
        }
    }

    fn launches(&self, b: &mut Builder, wanted: Wanted) {
        if self.s.side_by_side {
            return self.columns(b, wanted);
        }
        let one = constant(b, 1);
        let fill = constant(b, policy::blocks(wanted.sm));
        let wanted_parts = match self.rows.is_empty() {
            true => fill,
            false => div(b, fill, self.count),
        };
        let tile = WARPS * LANES * self.s.items(b.ctx);
        let (most, _) = split(b, self.length, tile);
        let parts = min(b, wanted_parts, most);
        let fewest = constant(b, MIN_PARTS);
        let divides = CmpIOp::build(b, CmpIPredicate::Sge, parts, fewest);
        either(
            b,
            divides,
            |b| {
                if !self.s.only_last && !scatters(b.ctx, self.s) {
                    return once::emit(b, self, (wanted.sm, wanted.marks));
                }
                let more = add_constant(b, self.length, tile - 1);
                let (tiles, _) = split(b, more, tile);
                let each = ceiling(b, tiles, parts);
                let count = ceiling(b, tiles, each);
                let length = times(b, each, tile);
                let entries = add(b, count, one);
                let entries = match self.rows.is_empty() {
                    true => entries,
                    false => mul(b, entries, self.count),
                };
                let sums: Vec<Value> = (self.s.types(b.ctx).into_iter())
                    .map(|t| array(b, t, &[entries], wanted.marks))
                    .collect();
                let parts = Parts {
                    count,
                    length,
                    sums,
                };
                Kernel::sums(b, self, &parts);
                self.launch(b, Some(&parts), WARPS);
                for array in parts.sums {
                    DeallocOp::build(b, array);
                }
            },
            |b| {
                if self.rows.is_empty() {
                    return self.launch(b, None, WARPS);
                }
                let longest = constant(b, MAX_OF_WARP);
                let is_short = CmpIOp::build(b, CmpIPredicate::Sle, self.length, longest);
                either(
                    b,
                    is_short,
                    |b| self.launch(b, None, 1),
                    |b| self.launch(b, None, WARPS),
                );
            },
        );
    }

    /// Rows that lie side by side.
    fn columns(&self, b: &mut Builder, wanted: Wanted) {
        let Some((columns, _)) = self.rows.last() else {
            return;
        };
        let narrow = constant(b, MAX_NARROW);
        let is_narrow = CmpIOp::build(b, CmpIPredicate::Sle, *columns, narrow);
        either(
            b,
            is_narrow,
            |b| chain::emit(b, self, NARROW, wanted.marks),
            |b| chain::emit(b, self, LANES, wanted.marks),
        );
    }
}
