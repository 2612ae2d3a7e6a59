//! Which iterations two nests have in common.
//!
//! Loops are compared one by one, from the outside in. Those with equal bounds have all
//! iterations in common; those whose bounds are a known number apart have the part in
//! between, and what only one of them has is left over.

use super::order::same_order;
use crate::analysis::captured::is_inside;
use crate::gpu::map::band;
use crate::loops::frame::Frame;
use crate::loops::inequalities::Inequalities;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::affine::compose::compose;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// How deep values are compared that are computed alike.
const MAX_DEPTH: usize = 8;

/// One of the loops of a nest that run in parallel.
#[derive(Debug, Clone)]
pub struct Loop {
    pub iv: Value,
    /// Of which the greatest counts.
    pub lower: Vec<AffineExpr>,
    /// Of which the least does; exclusive.
    pub upper: Vec<AffineExpr>,
    pub step: i64,
}

/// The loops of one nest.
#[derive(Debug, Clone)]
pub struct ParallelNest {
    pub root: ParallelOp,
    /// Their ops, from the outside in.
    pub band: Vec<ParallelOp>,
    /// Themselves: of a first nest from the outside in, of a second each in the place of the loop
    /// of the first that it runs together with.
    pub loops: Vec<Loop>,
    /// Where in `loops` they are, from the outside in.
    pub places: Vec<usize>,
}

impl ParallelNest {
    /// Puts loop `order[k]` in place `k`.
    fn arrange(&mut self, order: &[usize]) {
        self.loops = order.iter().map(|i| self.loops[*i].clone()).collect();
        for (place, i) in order.iter().enumerate() {
            self.places[*i] = place;
        }
    }
}

/// Two nests, and what they have in common.
#[derive(Debug, Clone)]
pub struct Pair {
    pub nests: [ParallelNest; 2],
    pub frame: Frame,
    /// For each loop the bounds of the common iterations.
    pub common: Vec<[Vec<AffineExpr>; 2]>,
    /// For each loop the bounds of the iterations that either has.
    pub either: Vec<[Vec<AffineExpr>; 2]>,
    /// All iterations are common.
    pub equal: bool,
}

/// Which loops of two nests run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Those that stand in the same place, from the outside in.
    AsWritten,
    /// Those that go along the same subscripts; any order of parallel loops is as good as another.
    BySubscripts,
}

/// Looks at two nests.
///
/// # Errors
///
/// Why their common iterations are no box.
pub fn pair(
    ctx: &Context,
    first: ParallelOp,
    second: ParallelOp,
    together: Together,
) -> Result<Pair, String> {
    let mut values = Values::default();
    let mut frame = Frame::default();
    let mut nests = [first, second].map(|root| nest(ctx, &mut frame, &mut values, root));
    let [a, b] = &mut nests;
    if a.loops.len() != b.loops.len() {
        return Err(format!(
            "one has {} parallel loops around its body and the other {}",
            a.loops.len(),
            b.loops.len()
        ));
    }
    if together == Together::BySubscripts {
        b.arrange(&same_order(ctx, a, b));
    }
    let (mut common, mut either) = (Vec::new(), Vec::new());
    let mut equal = true;
    for (x, y) in a.loops.iter().zip(&b.loops) {
        if x.step != y.step {
            return Err(format!(
                "the loops '{}' and '{}' go in steps of {} and {}",
                name(ctx, x.iv),
                name(ctx, y.iv),
                x.step,
                y.step
            ));
        }
        let lower = sides(&frame, &x.lower, &y.lower, true);
        let upper = sides(&frame, &x.upper, &y.upper, false);
        let (Some(lower), Some(upper)) = (lower, upper) else {
            return Err(format!(
                "how far the bounds of the loops '{}' and '{}' are apart is not known",
                name(ctx, x.iv),
                name(ctx, y.iv)
            ));
        };
        let same = !lower.differ && !upper.differ;
        if !same && x.step != 1 {
            return Err(format!(
                "the loops '{}' and '{}' go over different numbers in steps of {}",
                name(ctx, x.iv),
                name(ctx, y.iv),
                x.step
            ));
        }
        equal &= same;
        common.push([lower.inner, upper.inner]);
        either.push([lower.outer, upper.outer]);
    }
    let pair = Pair {
        nests,
        frame,
        common,
        either,
        equal,
    };
    match pair.equal || pair.sees_bounds_outside(ctx) {
        true => Ok(pair),
        false => Err("bounds that differ are computed in a nest".into()),
    }
}

impl Pair {
    /// Whether all values of the bounds are there outside the nests.
    fn sees_bounds_outside(&self, ctx: &Context) -> bool {
        let inside = |v: Value| {
            let mut nests = self.nests.iter();
            nests.any(|n| is_inside(ctx, n.root.op(), v))
        };
        !self.frame.operands().into_iter().any(inside)
    }
}

fn nest(ctx: &Context, frame: &mut Frame, values: &mut Values, root: ParallelOp) -> ParallelNest {
    let band = band::band_of(ctx, root);
    let mut loops = Vec::new();
    for p in &band {
        let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
        for (i, (iv, step)) in p.ivs(ctx).into_iter().zip(p.steps(ctx)).enumerate() {
            let mut exprs = |map: &AffineMap, operands: &[Value]| {
                let found = compose(ctx, map, operands);
                let operands: Vec<Value> =
                    (found.operands.iter().map(|v| values.of(ctx, *v))).collect();
                frame.exprs(ctx, &found.map, &operands)
            };
            loops.push(Loop {
                iv,
                lower: exprs(&p.lower_map_of(ctx, i), &lower),
                upper: exprs(&p.upper_map_of(ctx, i), &upper),
                step,
            });
        }
    }
    let places = (0..loops.len()).collect();
    ParallelNest {
        root,
        band,
        loops,
        places,
    }
}

/// What a loop's variable is called.
pub fn name(ctx: &Context, iv: Value) -> String {
    iv.loc(ctx).name(ctx).unwrap_or("?").to_string()
}

/// Those of two loops' bounds that lie further inside, and those that lie further outside.
struct Sides {
    inner: Vec<AffineExpr>,
    outer: Vec<AffineExpr>,
    differ: bool,
}

fn sides(frame: &Frame, x: &[AffineExpr], y: &[AffineExpr], lower: bool) -> Option<Sides> {
    let all_in = |a: &[AffineExpr], b: &[AffineExpr]| {
        let in_b = |e| b.iter().any(|o| apart(frame, e, o) == Some(0));
        a.iter().all(in_b)
    };
    if all_in(x, y) && all_in(y, x) {
        return Some(Sides {
            inner: x.to_vec(),
            outer: x.to_vec(),
            differ: false,
        });
    }
    let ([a], [b]) = (x, y) else { return None };
    let a_is_inner = (apart(frame, a, b)? > 0) == lower;
    let (inner, outer) = if a_is_inner { (a, b) } else { (b, a) };
    Some(Sides {
        inner: vec![inner.clone()],
        outer: vec![outer.clone()],
        differ: true,
    })
}

/// How much greater `a` is than `b`, where that is one number.
pub fn apart(frame: &Frame, a: &AffineExpr, b: &AffineExpr) -> Option<i64> {
    if a == b {
        return Some(0);
    }
    let found = Inequalities::of(frame, &[a.clone() - b.clone()]);
    let row = found.rows.first()?.as_ref()?;
    row.coefficients
        .iter()
        .all(|c| *c == 0)
        .then_some(row.constant)
}

/// Values, of which those that are computed alike stand for one another.
#[derive(Debug, Default)]
struct Values(Vec<Value>);

impl Values {
    fn of(&mut self, ctx: &Context, v: Value) -> Value {
        let found = self.0.iter().find(|o| same(ctx, **o, v, 0)).copied();
        found.unwrap_or_else(|| {
            self.0.push(v);
            v
        })
    }
}

/// Whether two values are the same: one value, or results of the same pure op of the same
/// values.
fn same(ctx: &Context, a: Value, b: Value, depth: usize) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def_op(), b.def_op()) else {
        return false;
    };
    let plain = |o: Op| o.num_regions(ctx) == 0 && is_pure(ctx, o);
    let attrs = |o: Op| {
        let mut all = o.attrs(ctx);
        all.sort_by_key(|(k, _)| ctx.str(*k).to_string());
        all
    };
    depth < MAX_DEPTH
        && x.name(ctx) == y.name(ctx)
        && a.index(ctx) == b.index(ctx)
        && x.result_types(ctx) == y.result_types(ctx)
        && plain(x)
        && plain(y)
        && attrs(x) == attrs(y)
        && x.num_operands(ctx) == y.num_operands(ctx)
        && (x.operands(ctx).into_iter().zip(y.operands(ctx)))
            .all(|(a, b)| same(ctx, a, b, depth + 1))
}
