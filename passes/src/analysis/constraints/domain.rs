//! What loops, conditions and maps say of their values.

use super::expr::full;
use super::{Bound, Row, SliceBound, System};
use terrace_dialects::affine::{ForOp, IfOp, ParallelOp, scope};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::{Context, Value};

impl System {
    /// Make sure that a value has a column: an induction variable becomes a dimension
    /// bounded by its loop, any other symbol a symbol. `None` for what is neither, and
    /// where a loop's bounds are not affine.
    pub fn add_value(&mut self, ctx: &Context, v: Value) -> Option<()> {
        if self.find(v).is_some() {
            return Some(());
        }
        if let Some(l) = scope::for_of_iv(ctx, v) {
            self.append_dim(Some(v));
            return self.add_loop(ctx, l);
        }
        if let Some(p) = parallel_of(ctx, v) {
            self.append_dim(Some(v));
            return self.add_parallel(ctx, p);
        }
        if !scope::is_symbol(ctx, v) {
            return None;
        }
        self.append_symbol(v);
        self.add_constant_value(ctx, v);
        Some(())
    }

    /// Say what a value is if it is a constant.
    pub fn add_constant_value(&mut self, ctx: &Context, v: Value) {
        if let (Some(c), Some(column)) = (ctx.constant_int(v), self.find(v)) {
            self.add_constant(Bound::Equal, column, c);
        }
    }

    /// The bounds and the stride of a loop whose variable has a column.
    pub fn add_loop(&mut self, ctx: &Context, l: ForOp) -> Option<()> {
        let column = self.find(l.iv(ctx))?;
        self.add_loop_at(ctx, l, column)
    }

    fn add_loop_at(&mut self, ctx: &Context, l: ForOp, column: usize) -> Option<()> {
        let step = l.step(ctx);
        if let (Some(lower), true) = (l.constant_lower(ctx), step > 1) {
            // q = (iv - lower) floordiv step, and iv - lower = step * q.
            let (lower, step) = (i128::from(lower), i128::from(step));
            self.append_locals(1);
            let width = self.num_columns();
            let mut row: Row = vec![0; width + 1];
            row[column] = 1;
            row[width - 1] = -step;
            row[width] = -lower;
            let mut upper: Row = row.iter().map(|c| -c).collect();
            upper[width] += step - 1;
            self.inequalities.push(row.clone());
            self.inequalities.push(upper);
            self.equalities.push(row);
        }
        match l.constant_lower(ctx) {
            Some(c) => self.add_constant(Bound::Lower, column, c),
            None => {
                let operands = l.lower_operands(ctx);
                self.add_map(ctx, Bound::Lower, l.iv(ctx), l.lower_map(ctx), &operands)?;
            }
        }
        match l.constant_upper(ctx) {
            Some(c) => {
                let column = self.find(l.iv(ctx))?;
                self.add_constant(Bound::Upper, column, c.checked_sub(1)?);
                Some(())
            }
            None => {
                let operands = l.upper_operands(ctx);
                self.add_map(ctx, Bound::Upper, l.iv(ctx), l.upper_map(ctx), &operands)
            }
        }
    }

    /// The bounds of a parallel loop, all of whose variables get columns.
    pub fn add_parallel(&mut self, ctx: &Context, p: ParallelOp) -> Option<()> {
        for v in p.ivs(ctx) {
            if self.find(v).is_none() {
                self.append_dim(Some(v));
            }
        }
        for (i, v) in p.ivs(ctx).into_iter().enumerate() {
            let (lower, upper) = (p.lower_map_of(ctx, i), p.upper_map_of(ctx, i));
            let operands = p.lower_operands(ctx);
            self.add_map(ctx, Bound::Lower, v, &lower, &operands)?;
            let operands = p.upper_operands(ctx);
            self.add_map(ctx, Bound::Upper, v, &upper, &operands)?;
        }
        Some(())
    }

    /// The condition of an `affine.if`.
    pub fn add_condition(&mut self, ctx: &Context, i: IfOp) -> Option<()> {
        let (set, operands) = i.composed(ctx);
        let exprs = set.constraints().iter().map(|c| c.expr.clone()).collect();
        let map = AffineMap::new(set.num_dims(), set.num_symbols(), exprs);
        for v in &operands {
            self.add_value(ctx, *v)?;
        }
        let columns = self.columns_of(&operands)?;
        let rows = self.rows_of(&map, &columns)?;
        for (row, c) in rows.into_iter().zip(set.constraints()) {
            match c.is_eq {
                true => self.equalities.push(row),
                false => self.inequalities.push(row),
            }
        }
        Some(())
    }

    pub(super) fn columns_of(&self, operands: &[Value]) -> Option<Vec<usize>> {
        operands.iter().map(|v| self.find(*v)).collect()
    }

    /// Bound a value by each result of a map; an upper bound is exclusive.
    pub fn add_map(
        &mut self,
        ctx: &Context,
        kind: Bound,
        of: Value,
        map: &AffineMap,
        operands: &[Value],
    ) -> Option<()> {
        let c = full(ctx, map, operands);
        for v in &c.operands {
            self.add_value(ctx, *v)?;
        }
        let column = self.find(of)?;
        self.add_map_at(kind, column, &c)
    }

    /// As [`System::add_map`] for a column and a map all of whose operands have
    /// columns.
    pub(super) fn add_map_at(
        &mut self,
        kind: Bound,
        column: usize,
        map: &ValueMap<Value>,
    ) -> Option<()> {
        let columns = self.columns_of(&map.operands)?;
        let rows = self.rows_of(&map.map, &columns)?;
        let width = self.num_columns();
        for mut row in rows {
            if kind != Bound::Upper {
                row.iter_mut().for_each(|c| *c = -*c);
            }
            if row[column] != 0 {
                // A bound by the bounded value itself says nothing.
                continue;
            }
            row[column] = if kind == Bound::Upper { -1 } else { 1 };
            if kind == Bound::Upper {
                row[width] -= 1;
            }
            match kind {
                Bound::Equal => self.equalities.push(row),
                _ => self.inequalities.push(row),
            }
        }
        Some(())
    }

    /// New dimensions before all others, equal to the results of a map whose operands
    /// have columns.
    pub fn add_results(&mut self, map: &ValueMap<Value>) -> Option<()> {
        let columns = self.columns_of(&map.operands)?;
        let rows = self.rows_of(&map.map, &columns)?;
        let count = rows.len();
        for _ in 0..count {
            self.insert_dim(0, None);
        }
        for (i, row) in rows.into_iter().enumerate() {
            let mut wide: Row = vec![0; count];
            wide[i] = 1;
            wide.extend(row.into_iter().map(|c| -c));
            self.equalities.push(wide);
        }
        Some(())
    }

    /// Give both systems the same dimensions and symbols in the same order: those of
    /// this first, then those that only the other has. Every dimension and symbol has
    /// to stand for a value.
    pub fn align(&mut self, other: &mut System) -> Option<()> {
        for d in 0..self.dims {
            let v = self.values[d]?;
            match other.find_from(v, d).filter(|c| *c < other.dims) {
                Some(at) => other.swap(d, at),
                None => other.insert_dim(d, Some(v)),
            }
        }
        for d in self.dims..other.dims {
            self.append_dim(Some(other.values[d]?));
        }
        self.align_symbols(other)
    }

    /// As [`System::align`] for the symbols alone.
    pub fn align_symbols(&mut self, other: &mut System) -> Option<()> {
        for s in 0..self.num_symbols() {
            let v = self.values[self.dims + s]?;
            match other.find_from(v, other.dims + s) {
                Some(at) => other.swap(other.dims + s, at),
                None => other.insert_symbol(s, v),
            }
        }
        for s in self.num_symbols()..other.num_symbols() {
            let v = other.values[other.dims + s]?;
            self.append_symbol(v);
        }
        Some(())
    }

    /// Make sure that a symbol has a column; `None` for what is no symbol.
    pub fn add_symbol(&mut self, ctx: &Context, v: Value) -> Option<()> {
        if self.find_symbol(v).is_some() {
            return Some(());
        }
        if !scope::is_symbol(ctx, v) {
            return None;
        }
        self.append_symbol(v);
        if let (Some(c), Some(column)) = (ctx.constant_int(v), self.find_symbol(v)) {
            self.add_constant(Bound::Equal, column, c);
        }
        Some(())
    }

    /// The results of a map over columns given one for each operand.
    pub fn rows(&mut self, map: &AffineMap, columns: &[usize]) -> Option<Vec<Row>> {
        self.rows_of(map, columns)
    }

    /// The constraints of both over the dimensions of this and then those of the other,
    /// the symbols of both, and the locals of both.
    pub fn product(&self, other: &System) -> Option<System> {
        let mut a = self.clone();
        let mut b = other.clone();
        a.align_symbols(&mut b)?;
        let (n, m) = (a.dims, b.dims);
        for d in 0..m {
            a.insert_dim(n + d, b.values[d]);
        }
        for d in 0..n {
            b.insert_dim(d, a.values[d]);
        }
        let (mine, theirs) = (a.locals, b.locals);
        a.append_locals(theirs);
        b.insert_locals(mine);
        a.equalities.append(&mut b.equalities);
        a.inequalities.append(&mut b.inequalities);
        a.overflow |= b.overflow;
        Some(a)
    }

    /// Bound values by the bounds of slices, a map for each over `operands`; a value
    /// whose loop is not sliced has the bounds of its loop.
    pub fn add_slice(
        &mut self,
        ctx: &Context,
        ivs: &[Value],
        bounds: &[SliceBound],
        operands: &[Value],
    ) -> Option<()> {
        for (v, bound) in ivs.iter().zip(bounds) {
            if self.find(*v).is_none() {
                continue;
            }
            match bound.both() {
                None => self.add_loop(ctx, scope::for_of_iv(ctx, *v)?)?,
                Some((lower, _)) if bound.single().is_some() => {
                    self.add_map(ctx, Bound::Equal, *v, lower, operands)?;
                }
                Some((lower, upper)) => {
                    self.add_map(ctx, Bound::Lower, *v, lower, operands)?;
                    self.add_map(ctx, Bound::Upper, *v, upper, operands)?;
                }
            }
        }
        Some(())
    }

    /// Let every symbol that is an induction variable of an `affine.for` be a
    /// dimension, after those there are.
    pub fn loop_symbols_to_dims(&mut self, ctx: &Context) {
        let ivs: Vec<Value> = self.values[self.dims..]
            .iter()
            .flatten()
            .copied()
            .filter(|v| scope::for_of_iv(ctx, *v).is_some())
            .collect();
        for v in ivs {
            if let Some(at) = self.find_from(v, self.dims) {
                self.swap(at, self.dims);
                self.dims += 1;
            }
        }
    }
}

/// The parallel loop one of whose variables `v` is.
fn parallel_of(ctx: &Context, v: Value) -> Option<ParallelOp> {
    scope::parallel_of_iv(ctx, v)?.cast::<ParallelOp>(ctx)
}
