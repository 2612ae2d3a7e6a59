//! `affine-parallel-boxes`: bands of parallel loops whose bounds name one another become
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
//! iteration after the other, along rows that other threads are not in; with it half of the
//! threads have nothing to do, which blocks find out at once.
//!
//! Legal since the loops are parallel and the condition says what the bounds said. Done where
//! one of a loop's two bounds moves, so that the box has about twice as many iterations as
//! the loops had; where both move, as along a diagonal, it could have any number of them.

use terrace_dialects::affine::{IfOp, ParallelOp, compose};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet, flatten};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-parallel-boxes",
    title: "AffineParallelBoxesPass",
    summary: "Make boxes of bands of affine.parallel loops whose bounds name one another",
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
            let first = around(ctx, p).is_none();
            if first {
                made += box_band(ctx, &band(ctx, p));
            }
        }
        ctx.count("num-loops", made);
        Ok(())
    }
}

/// The op that `p` is all of the body of, where that is a band without reductions, as `p`.
fn around(ctx: &Context, p: ParallelOp) -> Option<ParallelOp> {
    let outer = p.op().parent(ctx)?.cast::<ParallelOp>(ctx)?;
    let alone = outer.body(ctx).ops(ctx).len() == 2;
    let plain = |p: ParallelOp| p.op().num_results(ctx) == 0;
    (alone && plain(outer) && plain(p)).then_some(outer)
}

/// A perfect nest, the outermost band first.
fn band(ctx: &Context, outermost: ParallelOp) -> Vec<ParallelOp> {
    let mut all = vec![outermost];
    while let Some(last) = all.last()
        && let Some(inner) = last.body(ctx).first_op(ctx)
        && let Some(inner) = inner.cast::<ParallelOp>(ctx)
        && around(ctx, inner).is_some()
    {
        all.push(inner);
    }
    all
}

/// A bound: one affine expression of values.
#[derive(Clone)]
struct Bound {
    map: AffineMap,
    operands: Vec<Value>,
}

/// A loop of a band, and its bounds as they were.
struct Loop {
    iv: Value,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    step: i64,
}

fn bounds(map: &AffineMap, operands: &[Value]) -> Vec<Bound> {
    let one = |e: &AffineExpr| Bound {
        map: AffineMap::new(map.num_dims(), map.num_symbols(), vec![e.clone()]),
        operands: operands.to_vec(),
    };
    map.results().iter().map(one).collect()
}

fn loops(ctx: &Context, p: ParallelOp) -> Vec<Loop> {
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let ivs = p.ivs(ctx).into_iter().zip(p.steps(ctx)).enumerate();
    ivs.map(|(i, (iv, step))| Loop {
        iv,
        lower: bounds(&p.lower_map_of(ctx, i), &lower),
        upper: bounds(&p.upper_map_of(ctx, i), &upper),
        step,
    })
    .collect()
}

/// Makes a box of a nest, as far as that is wise; of how many loops.
fn box_band(ctx: &mut Context, band: &[ParallelOp]) -> u64 {
    let mut known: Vec<Loop> = Vec::new();
    let mut conditions: Vec<Bound> = Vec::new();
    let mut made = 0;
    for p in band {
        let inside = loops(ctx, *p);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let before = made;
        for l in &inside {
            let names = |b: &Bound| b.operands.iter().any(|v| named(&known, *v));
            let moves = [&l.lower, &l.upper].map(|all| all.iter().any(|b| used(b, &names)));
            let box_of = match moves {
                [true, false] if l.step == 1 => boxed(ctx, &known, &l.lower, false),
                [false, true] => boxed(ctx, &known, &l.upper, true),
                _ => None,
            };
            let [mut low, mut high] = [l.lower.clone(), l.upper.clone()];
            if let Some(widest) = box_of {
                made += 1;
                match moves[0] {
                    true => {
                        conditions.extend(l.lower.iter().map(|b| at_least(l.iv, b)));
                        low = widest;
                    }
                    false => {
                        conditions.extend(l.upper.iter().map(|b| less(l.iv, b)));
                        high = widest;
                    }
                }
            }
            lower.extend(low);
            upper.extend(high);
        }
        if made > before {
            let (map, operands) = joined(&lower);
            let lower = compose(ctx, &map, &operands);
            let (map, operands) = joined(&upper);
            let upper = compose(ctx, &map, &operands);
            p.set_lower(ctx, lower.map, &lower.operands);
            p.set_upper(ctx, upper.map, &upper.operands);
        }
        known.extend(inside);
    }
    if let (true, Some(innermost)) = (made > 0, band.last()) {
        guard(ctx, *innermost, &conditions);
    }
    made
}

fn named(known: &[Loop], v: Value) -> bool {
    known.iter().any(|l| l.iv == v)
}

/// Whether a bound has a variable of which `names` holds, and not just as an operand.
fn used(b: &Bound, names: &impl Fn(&Bound) -> bool) -> bool {
    names(b)
        && (b.operands.iter().enumerate()).any(|(d, v)| {
            let one = Bound {
                map: b.map.clone(),
                operands: vec![*v],
            };
            names(&one) && coefficient(b, d).is_none_or(|c| c != 0)
        })
}

/// The factor of dimension `d`; `None` where the expression is not linear.
fn coefficient(b: &Bound, d: usize) -> Option<i64> {
    let (dims, symbols) = (b.map.num_dims(), b.map.num_symbols());
    let form = flatten(b.map.result(0)?, dims, symbols).ok()?;
    if !form.is_linear() {
        return None;
    }
    let d = u32::try_from(d).ok()?;
    Some(match d < dims {
        true => form.dim_coefficient(d),
        false => form.symbol_coefficient(d - dims),
    })
}

/// The bounds with the greatest values, or the least, that they have in any iteration of the
/// loops around, from the innermost of these on.
fn boxed(ctx: &Context, known: &[Loop], bounds: &[Bound], greatest: bool) -> Option<Vec<Bound>> {
    let mut out = Vec::new();
    for b in bounds {
        let mut b = b.clone();
        for l in known.iter().rev() {
            while let Some(d) = b.operands.iter().position(|v| *v == l.iv) {
                let factor = coefficient(&b, d)?;
                // An iteration beyond the last is as good; where a loop has several bounds, none of
                // them alone is its end.
                let extreme = match (factor > 0) == greatest {
                    true => match l.upper.as_slice() {
                        [one] => minus_one(one),
                        _ => return None,
                    },
                    false => match l.lower.as_slice() {
                        [one] => one.clone(),
                        _ => return None,
                    },
                };
                b = substituted(&b, d, &extreme)?;
            }
        }
        let simple = compose(ctx, &b.map, &b.operands);
        out.push(Bound {
            map: simple.map,
            operands: simple.operands,
        });
    }
    Some(out)
}

fn minus_one(b: &Bound) -> Bound {
    let results = b.map.results().iter().map(|e| e.clone() - 1);
    Bound {
        map: AffineMap::new(b.map.num_dims(), b.map.num_symbols(), results.collect()),
        operands: b.operands.clone(),
    }
}

/// `b` with `by` in the place of operand `d`, a dimension.
fn substituted(b: &Bound, d: usize, by: &Bound) -> Option<Bound> {
    let dims = b.map.num_dims();
    if d >= dims as usize {
        return None;
    }
    let (map, operands) = joined(&[b.clone(), by.clone()]);
    let (value, other) = (map.result(0)?, map.result(1)?);
    let replaced = |n: u32| match n as usize == d {
        true => other.clone(),
        false => AffineExpr::dim(n),
    };
    let all: Vec<AffineExpr> = (0..map.num_dims()).map(replaced).collect();
    let symbols: Vec<AffineExpr> = (0..map.num_symbols()).map(AffineExpr::symbol).collect();
    let value = value.replace_dims_and_symbols(&all, &symbols);
    // The dimension stays as an operand that nothing uses: another that is used stands there.
    let mut operands = operands;
    let spare = operands.iter().enumerate().find(|(n, _)| *n != d);
    let spare = spare.map(|(_, v)| *v);
    let (dims, symbols) = (map.num_dims(), map.num_symbols());
    match spare {
        Some(v) => {
            operands[d] = v;
            Some(Bound {
                map: AffineMap::new(dims, symbols, vec![value]),
                operands,
            })
        }
        None => Some(Bound {
            map: AffineMap::new(0, 0, vec![value]),
            operands: Vec::new(),
        }),
    }
}

/// The expressions of several bounds over one list of operands: all dimensions, all symbols.
fn joined(bounds: &[Bound]) -> (AffineMap, Vec<Value>) {
    let (mut dims, mut symbols, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for b in bounds {
        let (nd, ns) = (dims.len() as u32, symbols.len() as u32);
        let of_dims: Vec<AffineExpr> = (0..b.map.num_dims())
            .map(|d| AffineExpr::dim(nd + d))
            .collect();
        let of_symbols: Vec<AffineExpr> = (0..b.map.num_symbols())
            .map(|s| AffineExpr::symbol(ns + s))
            .collect();
        let moved = |e: &AffineExpr| e.replace_dims_and_symbols(&of_dims, &of_symbols);
        results.extend(b.map.results().iter().map(moved));
        let (d, s) = b.operands.split_at(b.map.num_dims() as usize);
        dims.extend_from_slice(d);
        symbols.extend_from_slice(s);
    }
    let map = AffineMap::new(dims.len() as u32, symbols.len() as u32, results);
    (map, [dims, symbols].concat())
}

/// What is at least 0 where `iv` is at least a bound.
fn at_least(iv: Value, b: &Bound) -> Bound {
    beside(iv, b, |iv, b| iv - b)
}

/// What is at least 0 where `iv` is less than a bound.
fn less(iv: Value, b: &Bound) -> Bound {
    beside(iv, b, |iv, b| b - iv - 1)
}

fn beside(iv: Value, b: &Bound, f: impl Fn(AffineExpr, AffineExpr) -> AffineExpr) -> Bound {
    let (nd, ns) = (b.map.num_dims(), b.map.num_symbols());
    let results = (b.map.results().iter()).map(|e| f(AffineExpr::dim(nd), e.clone()));
    let map = AffineMap::new(nd + 1, ns, results.collect());
    let mut operands = b.operands.clone();
    operands.insert(nd as usize, iv);
    Bound { map, operands }
}

/// Runs the body only where all of `conditions` are at least 0.
fn guard(ctx: &mut Context, p: ParallelOp, conditions: &[Bound]) {
    let mut body = p.body(ctx).ops(ctx);
    let Some(end) = body.pop() else { return };
    let (map, operands) = joined(conditions);
    let simple = compose(ctx, &map, &operands);
    let at_least_zero = |e: &AffineExpr| Constraint {
        expr: e.clone(),
        is_eq: false,
    };
    let set = IntegerSet::new(
        simple.map.num_dims(),
        simple.map.num_symbols(),
        simple.map.results().iter().map(at_least_zero).collect(),
    );
    let mut b = Builder::before(ctx, end);
    let guard = IfOp::build(&mut b, set, &simple.operands, &[], |_| Vec::new(), None);
    let Some(last) = guard.then_block(ctx).last_op(ctx) else {
        return;
    };
    for op in body {
        op.move_before(ctx, last);
    }
}
