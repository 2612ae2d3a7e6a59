//! Between rows and affine expressions.

use super::{Row, System};
use terrace_dialects::affine::compose::compose;
use terrace_ir::affine::{AffineExpr, AffineMap, Flattener, ValueMap};
use terrace_ir::{Context, Value};

/// A map composed with all `affine.apply` behind its operands, simplified.
pub(super) fn full(ctx: &Context, map: &AffineMap, operands: &[Value]) -> ValueMap<Value> {
    let c = compose(ctx, map, operands);
    compose(ctx, &c.map.simplify(), &c.operands)
}

/// The sum that the columns of a row make: dimensions, symbols, locals, constant, the
/// last in `row`. `columns` says what each stands for.
pub(super) fn sum(columns: &[Option<AffineExpr>], row: &[i128]) -> Option<AffineExpr> {
    let (constant, coefficients) = row.split_last()?;
    let mut e = AffineExpr::constant(0);
    for (c, column) in coefficients.iter().zip(columns) {
        if *c != 0 {
            e = e + column.clone()? * i64::try_from(*c).ok()?;
        }
    }
    if *constant != 0 {
        e = e + i64::try_from(*constant).ok()?;
    }
    Some(e)
}

impl System {
    /// The results of a map as rows over this system, whose columns the operands have
    /// to be; divisions become locals, put before those there are. `None` where the map
    /// is not affine.
    pub(super) fn rows_of(&mut self, map: &AffineMap, columns: &[usize]) -> Option<Vec<Row>> {
        let mut flattener = Flattener::new(map.num_dims(), map.num_symbols());
        let mut flat = Vec::new();
        for e in map.results() {
            flat.push(flattener.flatten(e).ok()?);
        }
        let locals = flattener.locals();
        if locals.iter().any(|l| l.division.is_none()) {
            return None;
        }
        self.insert_locals(locals.len());
        let (first, width) = (self.num_inputs(), self.num_columns());
        let spread = |coefficients: &[i64], constant: i64| -> Option<Row> {
            let mut row = vec![0; width + 1];
            for (i, c) in coefficients.iter().enumerate() {
                let column = match columns.get(i) {
                    Some(column) => *column,
                    None => first + (i - columns.len()),
                };
                // The same value may be several operands.
                *row.get_mut(column)? += i128::from(*c);
            }
            row[width] = i128::from(constant);
            Some(row)
        };
        for (i, local) in locals.iter().enumerate() {
            let division = local.division.as_ref()?;
            let dividend = &division.dividend;
            let divisor = i128::from(division.divisor);
            let mut lower = spread(&dividend.coefficients, dividend.constant)?;
            lower[first + i] -= divisor;
            let mut upper: Row = lower.iter().map(|c| -c).collect();
            upper[width] += divisor - 1;
            self.inequalities.push(lower);
            self.inequalities.push(upper);
        }
        flat.iter()
            .map(|r| spread(&r.coefficients, r.constant))
            .collect()
    }
}
