//! Coalescing of `scf.for`: one loop over all iterations of loops perfectly nested in one
//! another.
//!
//! The order of iterations stays. Two loops neither of which runs may have numbers of
//! iterations whose product is positive: where more than one is not known to be at least
//! 0, those are cut off at 0.

use crate::analysis::captured::is_inside;
use crate::loops::splice::unwrap_body;
use terrace_dialects::affine::{ApplyOp, DelinearizeIndexOp, MaxOp, Size, compose::compose};
use terrace_dialects::arith;
use terrace_dialects::memref;
use terrace_dialects::scf::ForOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// `root` and the loops perfectly nested in it, the outermost first.
pub fn perfect_band(ctx: &Context, root: ForOp) -> Vec<ForOp> {
    let mut band = vec![root];
    let mut l = root;
    while let [only, _end] = l.body(ctx).ops(ctx)[..]
        && let Some(inner) = only.cast::<ForOp>(ctx)
    {
        band.push(inner);
        l = inner;
    }
    band
}

/// Put one loop in the place of a band: the outermost, changed. Returns whether it was
/// done: not where a bound depends on a loop of the band, is not of type index, or values
/// are carried other than through the whole band.
pub fn coalesce_scf(ctx: &mut Context, band: &[ForOp]) -> bool {
    let [outermost, .., innermost] = *band else {
        return false;
    };
    let Some(trips) = trip_counts(ctx, band) else {
        return false;
    };
    let uncertain = trips.iter().filter(|t| !t.is_natural).count();
    let mut b = Builder::before(ctx, outermost.op());
    let mut sizes = Vec::new();
    for t in &trips {
        sizes.push(t.emit(&mut b, uncertain > 1));
    }
    let (zero, one) = (
        as_value(&mut b, Size::Const(0)),
        as_value(&mut b, Size::Const(1)),
    );
    let mut product = (AffineExpr::constant(1), Vec::new());
    for s in &sizes {
        let (e, operands) = &mut product;
        *e = e.clone() * as_expr(s, operands);
    }
    let all = emit(&mut b, product.0, &product.1, false);
    let all = as_value(&mut b, all);
    let iv = outermost.induction_var(b.ctx);
    let users = iv.uses(b.ctx);
    b.at = InsertPoint::Start(innermost.body(b.ctx));
    let basis: Vec<Option<Size>> = sizes.iter().copied().map(Some).collect();
    let digits = DelinearizeIndexOp::build(&mut b, iv, &basis)
        .op()
        .results(b.ctx);
    for (i, (l, digit)) in band.iter().zip(&digits).enumerate().rev() {
        let mut operands = vec![*digit];
        let step = as_expr(&fold(b.ctx, l.step(b.ctx)), &mut operands);
        let scaled = AffineExpr::symbol(0) * step;
        let old = scaled + as_expr(&fold(b.ctx, l.lower_bound(b.ctx)), &mut operands);
        let new = if old == AffineExpr::symbol(0) {
            *digit
        } else {
            // The digit is a dimension: it changes from iteration to iteration.
            let n = operands.len() - 1;
            let symbols: Vec<AffineExpr> = (0..).map(AffineExpr::symbol).take(n).collect();
            let all = [&[AffineExpr::dim(0)], &symbols[..]].concat();
            let old = old.replace_symbols(&all);
            let map = AffineMap::new(1, u32::try_from(symbols.len()).unwrap_or(0), vec![old]);
            ApplyOp::build_composed(&mut b, &map, &operands)
        };
        if i == 0 {
            iv.replace_uses_if(b.ctx, new, |u| users.contains(&u));
        } else {
            let old = l.induction_var(b.ctx);
            old.replace_all_uses(b.ctx, new);
        }
    }
    let ctx = b.ctx;
    for (i, v) in [zero, all, one].into_iter().enumerate() {
        outermost.op().set_operand(ctx, i, v);
    }
    for l in band[1..].iter().rev() {
        let inits = l.init_args(ctx);
        unwrap_body(ctx, l.op(), &inits);
    }
    true
}

/// How often a loop runs.
struct Trips {
    expr: AffineExpr,
    /// The symbols of `expr`.
    operands: Vec<Value>,
    /// Whether it is known to be at least 0.
    is_natural: bool,
}

impl Trips {
    fn emit(&self, b: &mut Builder, cut: bool) -> Size {
        emit(
            b,
            self.expr.clone(),
            &self.operands,
            cut && !self.is_natural,
        )
    }
}

/// The number of iterations of each loop; `None` where the loops cannot be one.
fn trip_counts(ctx: &Context, band: &[ForOp]) -> Option<Vec<Trips>> {
    let outermost = band[0].op();
    for pair in band.windows(2) {
        let through = pair[1].init_args(ctx) == pair[0].iter_args(ctx)
            && pair[0].yielded(ctx) == pair[1].op().results(ctx);
        if !through {
            return None;
        }
    }
    let mut all = Vec::new();
    let mut known: i64 = 1;
    for l in band {
        let bounds = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
        let fits = |v: &Value| v.ty(ctx).is_index(ctx) && !is_inside(ctx, outermost, *v);
        if l.is_unsigned(ctx) || !bounds.iter().all(fits) {
            return None;
        }
        let mut operands = Vec::new();
        let [lower, upper, step] = bounds.map(|v| as_expr(&fold(ctx, v), &mut operands));
        let expr = (upper - lower).ceil_div(step);
        let trips = expr.as_constant();
        if trips.is_some_and(|n| n < 1) || ctx.constant_int(bounds[2]).is_some_and(|s| s < 1) {
            return None;
        }
        known = known.checked_mul(trips.unwrap_or(1))?;
        let is_size = bounds[1]
            .def_op()
            .is_some_and(|op| op.name(ctx) == memref::DimOp::NAME);
        let from_zero = ctx.constant_int(bounds[0]) == Some(0);
        all.push(Trips {
            is_natural: trips.is_some() || is_size && from_zero,
            expr,
            operands,
        });
    }
    Some(all)
}

/// A value, or the constant it is known to be.
fn fold(ctx: &Context, v: Value) -> Size {
    ctx.constant_int(v).map_or(Size::Value(v), Size::Const)
}

/// A size as an expression over symbols, which are `operands`; a new one is added.
fn as_expr(s: &Size, operands: &mut Vec<Value>) -> AffineExpr {
    match s {
        Size::Const(c) => AffineExpr::constant(*c),
        Size::Value(v) => {
            operands.push(*v);
            let last = operands.len() - 1;
            AffineExpr::symbol(u32::try_from(last).unwrap_or(u32::MAX))
        }
    }
}

fn as_value(b: &mut Builder, s: Size) -> Value {
    match s {
        Size::Const(c) => arith::constant_index(b, c),
        Size::Value(v) => v,
    }
}

/// Compute an expression of symbols, cut off at 0 if asked to.
fn emit(b: &mut Builder, expr: AffineExpr, symbols: &[Value], cut: bool) -> Size {
    let n = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
    let c = compose(b.ctx, &AffineMap::new(0, n, vec![expr]), symbols);
    if let Some(value) = c.map.single_constant() {
        return Size::Const(if cut { value.max(0) } else { value });
    }
    Size::Value(if cut {
        let results = [c.map.results(), &[AffineExpr::constant(0)]].concat();
        let map = AffineMap::new(c.map.num_dims(), c.map.num_symbols(), results);
        MaxOp::build(b, map, &c.operands)
    } else {
        ApplyOp::build_composed(b, &c.map, &c.operands)
    })
}
