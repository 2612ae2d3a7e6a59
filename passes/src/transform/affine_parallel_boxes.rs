//! `affine-parallel-boxes`: nests of parallel loops whose bounds name one another become
//! boxes, with a condition around what they run.
//!
//! ```text
//! affine.parallel (%i) = (0) to (%n) {      affine.parallel (%i) = (0) to (%n) {
//!   affine.parallel (%j) = (%i) to (%n) {     affine.parallel (%j) = (0) to (%n) {
//!     body(%i, %j)                      =>      affine.if %j - %i >= 0 {
//!   }                                             body(%i, %j)
//! }                                             }
//!                                             }
//!                                           }
//! ```
//!
//! A grid of threads is a box. Without this an inner loop of a triangle is one thread's, one
//! iteration after the other; with it half of the threads have nothing to do, which they find
//! out at once.
//!
//! Legal since the loops are parallel and the condition says what the bounds said. Done where
//! one of a loop's two bounds moves, so that a box of two loops has about twice as many
//! iterations as the triangle had; where both move, as along a diagonal, it could have any
//! number of them. A nest that runs in a thread of another stays.

use terrace_dialects::affine::compose::{compose, compose_set};
use terrace_dialects::affine::{IfOp, ParallelOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet, flatten};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-parallel-boxes",
    title: "AffineParallelBoxesPass",
    summary: "Make boxes of nests of affine.parallel loops whose bounds name one another",
    description: "Lets each loop of a perfect nest of affine.parallel ops go over all that it goes over in any iteration of those around it, with an affine.if in the innermost body for the bounds that it had. Loops of which both bounds name others stay.",
    anchor: Some("func.func"),
    statistics: &[StatisticInfo {
        name: "num-loops",
        doc: "Number of loops whose bounds were made those of a box",
    }],
    make: |_| Ok(Box::new(Boxes)),
    ..PassInfo::EMPTY
};

struct Boxes;

impl Pass for Boxes {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut made = 0;
        for p in op.find_all::<ParallelOp>(ctx) {
            if !in_a_thread(ctx, p) {
                let nest = perfect_nest(ctx, p);
                made += box_nest(ctx, &nest);
            }
        }
        ctx.count("num-loops", made);
        Ok(())
    }
}

/// Whether iterations of other parallel loops run it, each by itself.
fn in_a_thread(ctx: &Context, p: ParallelOp) -> bool {
    let mut around = p.op().parent(ctx);
    while let Some(op) = around {
        if op.isa::<ParallelOp>(ctx)
            || op.isa::<scf::ParallelOp>(ctx)
            || op.isa::<gpu::LaunchOp>(ctx)
        {
            return true;
        }
        around = op.parent(ctx);
    }
    false
}

/// The ops of a perfect nest without reductions, from the outside in.
fn perfect_nest(ctx: &Context, outermost: ParallelOp) -> Vec<ParallelOp> {
    let reduces = |p: &ParallelOp| p.op().num_results(ctx) > 0;
    let mut all = Vec::new();
    let mut next = Some(outermost);
    while let Some(p) = next.filter(|p| !reduces(p)) {
        all.push(p);
        next = match p.body(ctx).ops(ctx)[..] {
            [inner, _] => inner.cast(ctx),
            _ => None,
        };
    }
    all
}

/// The values that bounds of a nest are of, so that all can be said over one list.
#[derive(Default)]
struct Names {
    dims: Vec<Value>,
    symbols: Vec<Value>,
}

fn place(all: &mut Vec<Value>, v: Value) -> u32 {
    let found = all.iter().position(|x| *x == v);
    found.unwrap_or_else(|| {
        all.push(v);
        all.len() - 1
    }) as u32
}

impl Names {
    /// The results of a map over these values.
    fn exprs(&mut self, map: &AffineMap, operands: &[Value]) -> Vec<AffineExpr> {
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

    fn map(&self, results: Vec<AffineExpr>) -> (AffineMap, Vec<Value>) {
        let (dims, symbols) = (self.dims.len() as u32, self.symbols.len() as u32);
        let map = AffineMap::new(dims, symbols, results);
        (map, [&self.dims[..], &self.symbols[..]].concat())
    }

    /// The factor of a dimension; `None` where the expression is not linear.
    fn factor(&self, e: &AffineExpr, dim: u32) -> Option<i64> {
        let (dims, symbols) = (self.dims.len() as u32, self.symbols.len() as u32);
        let form = flatten(e, dims, symbols).ok()?;
        form.is_linear().then(|| form.dim_coefficient(dim))
    }
}

/// A loop of a nest, with its bounds as they were.
struct Loop {
    /// Its counter, among the dimensions.
    dim: u32,
    lower: Vec<AffineExpr>,
    upper: Vec<AffineExpr>,
    step: i64,
}

fn loops(ctx: &Context, names: &mut Names, p: ParallelOp) -> Vec<Loop> {
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let ivs = p.ivs(ctx).into_iter().zip(p.steps(ctx)).enumerate();
    let one = |(i, (iv, step))| Loop {
        dim: place(&mut names.dims, iv),
        lower: names.exprs(&p.lower_map_of(ctx, i), &lower),
        upper: names.exprs(&p.upper_map_of(ctx, i), &upper),
        step,
    };
    ivs.map(one).collect()
}

/// Makes a box of a nest as far as that is wise; of how many loops.
fn box_nest(ctx: &mut Context, nest: &[ParallelOp]) -> u64 {
    let mut names = Names::default();
    let mut around: Vec<Loop> = Vec::new();
    // What is to be at least 0 in an iteration.
    let mut conditions: Vec<AffineExpr> = Vec::new();
    let mut made = 0;
    for p in nest {
        let inside = loops(ctx, &mut names, *p);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let before = made;
        for l in &inside {
            let moves = |e: &&AffineExpr| around.iter().any(|a| e.is_function_of_dim(a.dim));
            let iv = || AffineExpr::dim(l.dim);
            let mut bounds = (l.lower.clone(), l.upper.clone());
            match (
                l.lower.iter().any(|e| moves(&e)),
                l.upper.iter().any(|e| moves(&e)),
            ) {
                // With steps the box would begin beside the iterations.
                (true, false) if l.step == 1 => {
                    if let Some(least) = extremes(&names, &around, &l.lower, false) {
                        bounds.0 = least;
                        made += 1;
                        conditions.extend(l.lower.iter().filter(moves).map(|e| iv() - e.clone()));
                    }
                }
                (false, true) => {
                    if let Some(greatest) = extremes(&names, &around, &l.upper, true) {
                        bounds.1 = greatest;
                        made += 1;
                        let inside = |e: &AffineExpr| e.clone() - iv() - 1;
                        conditions.extend(l.upper.iter().filter(moves).map(inside));
                    }
                }
                _ => {}
            }
            lower.extend(bounds.0);
            upper.extend(bounds.1);
        }
        if made > before {
            let (map, operands) = names.map(lower);
            let lower = compose(ctx, &map, &operands);
            p.set_lower(ctx, lower.map, &lower.operands);
            let (map, operands) = names.map(upper);
            let upper = compose(ctx, &map, &operands);
            p.set_upper(ctx, upper.map, &upper.operands);
        }
        around.extend(inside);
    }
    if let (true, Some(innermost)) = (made > 0, nest.last()) {
        guard(ctx, *innermost, &names, conditions);
    }
    made
}

/// Bounds as far out as they are in any iteration of the loops around, from the innermost of
/// these on; `None` where that is not known.
fn extremes(
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

/// Runs the body only where all of `conditions` are at least 0.
fn guard(ctx: &mut Context, p: ParallelOp, names: &Names, conditions: Vec<AffineExpr>) {
    let mut body = p.body(ctx).ops(ctx);
    let Some(end) = body.pop() else { return };
    let (dims, symbols) = (names.dims.len() as u32, names.symbols.len() as u32);
    let constraint = |expr| Constraint { expr, is_eq: false };
    let set = IntegerSet::new(
        dims,
        symbols,
        conditions.into_iter().map(constraint).collect(),
    );
    let operands = [&names.dims[..], &names.symbols[..]].concat();
    let (set, operands) = compose_set(ctx, &set, &operands);
    let mut b = Builder::before(ctx, end);
    b.loc = p.op().loc(b.ctx);
    let guard = IfOp::build(&mut b, set, &operands, &[], |_| Vec::new(), None);
    if let Some(last) = guard.then_block(ctx).last_op(ctx) {
        for op in body {
            op.move_before(ctx, last);
        }
    }
}
