//! Bounds of a nest over one list of values: how far out they are, what they say of a counter,
//! and how wide what lies between them is.

use terrace_ir::Value;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, FlatForm, flatten};

/// The values that bounds of a nest are of, so that all can be said over one list.
#[derive(Default)]
pub(super) struct Names {
    pub(super) dims: Vec<Value>,
    pub(super) symbols: Vec<Value>,
}

pub(super) fn place(all: &mut Vec<Value>, v: Value) -> u32 {
    let found = all.iter().position(|x| *x == v);
    found.unwrap_or_else(|| {
        all.push(v);
        all.len() - 1
    }) as u32
}

impl Names {
    /// The results of a map over these values.
    pub(super) fn exprs(&mut self, map: &AffineMap, operands: &[Value]) -> Vec<AffineExpr> {
        let (dims, symbols) = operands.split_at((map.num_dims() as usize).min(operands.len()));
        let dim = |v: &Value| AffineExpr::dim(place(&mut self.dims, *v));
        let dims: Vec<AffineExpr> = dims.iter().map(dim).collect();
        let symbol = |v: &Value| AffineExpr::symbol(place(&mut self.symbols, *v));
        let symbols: Vec<AffineExpr> = symbols.iter().map(symbol).collect();
        let results = map.results().iter();
        results
            .map(|e| e.replace_dims_and_symbols(&dims, &symbols))
            .collect()
    }

    pub(super) fn map(&self, results: Vec<AffineExpr>) -> (AffineMap, Vec<Value>) {
        let (dims, symbols) = (self.dims.len() as u32, self.symbols.len() as u32);
        let map = AffineMap::new(dims, symbols, results);
        (map, [&self.dims[..], &self.symbols[..]].concat())
    }

    /// The linear form of an expression without divisions.
    fn linear(&self, e: &AffineExpr) -> Option<FlatForm> {
        let (dims, symbols) = (self.dims.len() as u32, self.symbols.len() as u32);
        let form = flatten(e, dims, symbols).ok()?;
        form.is_linear().then_some(form)
    }

    /// Whether a linear expression grows with what it is of, and falls with none of it; of a
    /// number whether it is not negative.
    fn is_large(&self, e: &AffineExpr) -> bool {
        let Some(form) = self.linear(e) else {
            return false;
        };
        let dims = (0..self.dims.len() as u32).map(|d| form.dim_coefficient(d));
        let symbols = (0..self.symbols.len() as u32).map(|s| form.symbol_coefficient(s));
        let all: Vec<i64> = dims.chain(symbols).collect();
        match all.iter().all(|c| *c == 0) {
            true => form.constant() >= 0,
            false => all.iter().all(|c| *c >= 0),
        }
    }

    /// The factor of a dimension; `None` where the expression is not linear, nor such a one
    /// divided.
    fn factor(&self, e: &AffineExpr, dim: u32) -> Option<i64> {
        let form = self.linear(&Quotient::of(e).of)?;
        Some(form.dim_coefficient(dim))
    }
}

/// A loop of a nest, with its bounds as they were.
pub(super) struct Loop {
    /// Its counter, among the dimensions.
    pub(super) dim: u32,
    pub(super) lower: Vec<AffineExpr>,
    pub(super) upper: Vec<AffineExpr>,
    pub(super) step: i64,
}

/// A bound, of whole numbers: an expression, or one divided by a positive number and rounded.
struct Quotient {
    of: AffineExpr,
    by: i64,
    /// Whether it is rounded up.
    up: bool,
}

impl Quotient {
    fn of(e: &AffineExpr) -> Quotient {
        let whole = || Quotient {
            of: e.clone(),
            by: 1,
            up: true,
        };
        let Some((op, a, b)) = e.as_binary() else {
            return whole();
        };
        match (op, b.as_constant()) {
            (AffineOp::FloorDiv | AffineOp::CeilDiv, Some(by)) if by > 0 => Quotient {
                of: a.clone(),
                by,
                up: op == AffineOp::CeilDiv,
            },
            // A number beside it may be divided with it.
            (AffineOp::Add, Some(beside)) => {
                let q = Quotient::of(a);
                match beside.checked_mul(q.by) {
                    Some(n) if q.by > 1 => Quotient { of: q.of + n, ..q },
                    _ => whole(),
                }
            }
            _ => whole(),
        }
    }
}

/// What is at least 0 where a counter is not below a bound.
pub(super) fn at_least(dim: u32, bound: &AffineExpr) -> AffineExpr {
    let q = Quotient::of(bound);
    let iv = AffineExpr::dim(dim);
    match (q.by, q.up) {
        (1, _) => iv - q.of,
        (by, true) => iv * by - q.of,
        (by, false) => iv * by - q.of + (by - 1),
    }
}

/// What is at least 0 where a counter is below a bound.
pub(super) fn below(dim: u32, bound: &AffineExpr) -> AffineExpr {
    let q = Quotient::of(bound);
    let iv = AffineExpr::dim(dim);
    match (q.by, q.up) {
        (1, _) => q.of - iv - 1,
        (by, true) => q.of - iv * by - 1,
        (by, false) => q.of - iv * by - by,
    }
}

/// How many times as wide as what lies between moving bounds a box may be.
const MAX: i64 = 4;

/// Whether what lies between each pair of `moving` bounds is, for large sizes, not much less
/// than what lies between two of those that stay. What values are is not known; that sizes are
/// not negative is assumed, since nothing but time depends on it.
pub(super) fn is_wide(
    names: &Names,
    [lower, upper]: [&[AffineExpr]; 2],
    [least, most]: [&[AffineExpr]; 2],
) -> bool {
    let wide = |least: &AffineExpr, most: &AffineExpr| {
        let all = [lower, upper].map(|m| m.iter().map(Quotient::of).collect::<Vec<_>>());
        let [lower, upper] = &all;
        let is_wide = |l: &Quotient, u: &Quotient| -> Option<bool> {
            let (times_u, times_l) = (l.by.checked_mul(MAX)?, u.by.checked_mul(MAX)?);
            let between = u.of.clone() * times_u - l.of.clone() * times_l;
            let whole = (most.clone() - least.clone()) * l.by.checked_mul(u.by)?;
            Some(names.is_large(&(between - whole)))
        };
        (lower.iter()).all(|l| upper.iter().all(|u| is_wide(l, u).unwrap_or(false)))
    };
    least.iter().any(|l| most.iter().any(|m| wide(l, m)))
}

/// Bounds as far out as they are in any iteration of the loops around, from the innermost of
/// these on; `None` where that is not known.
pub(super) fn extremes(
    names: &Names,
    around: &[Loop],
    bounds: &[AffineExpr],
    greatest: bool,
) -> Option<Vec<AffineExpr>> {
    let mut out = Vec::new();
    for e in bounds {
        let mut e = e.clone();
        for l in around.iter().rev() {
            if !e.is_function_of_dim(l.dim) {
                continue;
            }
            let last = (names.factor(&e, l.dim)? > 0) == greatest;
            let end = match if last { &l.upper[..] } else { &l.lower[..] } {
                [one] if last => one.clone() - 1,
                [one] => one.clone(),
                // None of several alone is the end.
                _ => return None,
            };
            e = with(names, &e, l.dim, end);
        }
        out.push(e);
    }
    Some(out)
}

/// An expression with `value` in the place of a dimension.
fn with(names: &Names, e: &AffineExpr, dim: u32, value: AffineExpr) -> AffineExpr {
    let mut dims: Vec<AffineExpr> = (0..names.dims.len() as u32).map(AffineExpr::dim).collect();
    dims[dim as usize] = value;
    let symbols: Vec<AffineExpr> = (0..names.symbols.len() as u32)
        .map(AffineExpr::symbol)
        .collect();
    e.replace_dims_and_symbols(&dims, &symbols)
}
