//! Whether two nests do the same.

use rustc_hash::FxHashSet;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, IfOp, ParallelOp};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, Value};

/// How deep expressions are compared, which are trees for that.
const MAX_DEPTH: usize = 32;
/// How many ops a body may have.
const MAX_OPS: usize = 64;

/// A perfect nest of parallel loops and conditions around one store.
#[derive(Debug)]
pub(super) struct StoreNest {
    pub root: Op,
    /// The variables of the loops, from the outside in.
    pub ivs: Vec<Value>,
    /// What the innermost block runs, the store last.
    pub body: Vec<Op>,
}

impl StoreNest {
    pub fn of(ctx: &Context, root: Op) -> Option<StoreNest> {
        root.cast::<ParallelOp>(ctx)?;
        let mut ivs = Vec::new();
        let mut next = Some(root);
        let mut body = Vec::new();
        while let Some(op) = next {
            let block = inside(ctx, op)?;
            if let Some(p) = op.cast::<ParallelOp>(ctx) {
                ivs.extend(p.ivs(ctx));
            }
            body = block.ops(ctx);
            body.pop();
            next = match body[..] {
                [inner] if inner.num_regions(ctx) > 0 => Some(inner),
                _ => None,
            };
        }
        let (store, rest) = body.split_last()?;
        let computes = |o: &Op| {
            o.num_regions(ctx) == 0
                && o.num_results(ctx) == 1
                && (is_pure(ctx, *o) || o.name(ctx) == affine::LoadOp::NAME)
        };
        let plain = store.name(ctx) == affine::StoreOp::NAME && rest.iter().all(computes);
        (plain && body.len() <= MAX_OPS).then_some(StoreNest { root, ivs, body })
    }

    fn store(&self, ctx: &Context) -> Option<Access> {
        Access::of(ctx, *self.body.last()?)
    }
}

/// The one block of a parallel loop without results, or of a condition without another way;
/// `None` of other ops, and where the op says more than that.
fn inside(ctx: &Context, op: Op) -> Option<Block> {
    if op.num_results(ctx) > 0 {
        return None;
    }
    if let Some(p) = op.cast::<ParallelOp>(ctx) {
        let own = op.def(ctx)?.attrs;
        let is_own = |name: &str| own.iter().any(|a| a.name == name);
        let plain = op.attrs(ctx).iter().all(|(n, _)| is_own(ctx.str(*n)));
        return plain.then(|| p.body(ctx));
    }
    let condition = op.cast::<IfOp>(ctx)?;
    condition
        .else_block(ctx)
        .is_none()
        .then(|| condition.then_block(ctx))
}

/// The variables of `a` as functions of those of `b`, if with them `a` does what `b` does.
pub(super) fn same(ctx: &Context, a: &StoreNest, b: &StoreNest) -> Option<AffineMap> {
    let [x, y] = [a.store(ctx)?, b.store(ctx)?];
    let (at, other) = (x.composed(ctx), y.composed(ctx));
    // The element that is stored says which iteration is which.
    let mut to = Vec::new();
    let (dims, symbols) = (at.map.num_dims(), at.map.num_symbols());
    for iv in &a.ivs {
        let own = at.operands.get(..dims as usize)?;
        let place = own.iter().position(|v| v == iv)?;
        let dim = AffineExpr::dim(place as u32);
        // The subscript that is the variable but for a constant.
        let ahead = |e: &AffineExpr| {
            simplify_affine_expr(&(e.clone() - dim.clone()), dims, symbols).as_constant()
        };
        let mut all = at.map.results().iter().map(ahead).enumerate();
        let (subscript, ahead) = all.find_map(|(k, c)| Some((k, c?)))?;
        let e = other.map.result(subscript)?.clone() - ahead;
        let e = simplify_affine_expr(&e, other.map.num_dims(), other.map.num_symbols());
        to.push(over(&e, &other.map, &other.operands, &b.ivs)?);
    }
    let mut c = Compared {
        ctx,
        a,
        b,
        to,
        names: b.ivs.clone(),
        alike: FxHashSet::default(),
    };
    let same = c.accesses(&x, &y) && c.values(x.stored(ctx)?, y.stored(ctx)?, MAX_DEPTH);
    same.then(|| AffineMap::new(b.ivs.len() as u32, 0, c.to))
}

/// A result of a map as an expression of loop variables alone; `None` if it is of more.
fn over(e: &AffineExpr, map: &AffineMap, operands: &[Value], ivs: &[Value]) -> Option<AffineExpr> {
    let dims = map.num_dims();
    let mut all = Vec::new();
    for (at, v) in operands.iter().enumerate() {
        let used = match (at as u32).checked_sub(dims) {
            Some(s) => e.is_function_of_symbol(s),
            None => e.is_function_of_dim(at as u32),
        };
        let place = ivs.iter().position(|iv| iv == v);
        all.push(match place {
            Some(p) => AffineExpr::dim(p as u32),
            None if used => return None,
            None => AffineExpr::constant(0),
        });
    }
    let (dims, symbols) = all.split_at((dims as usize).min(all.len()));
    Some(e.replace_dims_and_symbols(dims, symbols))
}

struct Compared<'c> {
    ctx: &'c Context,
    a: &'c StoreNest,
    b: &'c StoreNest,
    /// The variables of `a`, over `names`.
    to: Vec<AffineExpr>,
    /// What subscripts are over: the variables of `b`, and what is the same for both.
    names: Vec<Value>,
    /// Pairs of values that are computed alike.
    alike: FxHashSet<(Value, Value)>,
}

impl Compared<'_> {
    /// Whether two accesses are of the same element.
    fn accesses(&mut self, x: &Access, y: &Access) -> bool {
        let ctx = self.ctx;
        // What else an op says (its alignment) is true of its own elements alone.
        let says_more = |a: &Access| a.op.attrs(ctx).iter().any(|(n, _)| ctx.str(*n) != "map");
        if x.memref != y.memref
            || [x, y]
                .into_iter()
                .any(|a| a.vector.is_some() || says_more(a))
        {
            return false;
        }
        let (x, y) = (x.composed(ctx), y.composed(ctx));
        let of_a = self.exprs(&x.map, &x.operands);
        let of_b = self.exprs(&y.map, &y.operands);
        let names = self.names.len() as u32;
        let equal = |(a, b): (&AffineExpr, &AffineExpr)| {
            let apart = simplify_affine_expr(&(a.clone() - b.clone()), names, 0);
            apart.as_constant() == Some(0)
        };
        of_a.len() == of_b.len() && of_a.iter().zip(&of_b).all(equal)
    }

    /// The results of a map over `names`.
    fn exprs(&mut self, map: &AffineMap, operands: &[Value]) -> Vec<AffineExpr> {
        let one = |v: &Value| {
            if let Some(p) = self.a.ivs.iter().position(|iv| iv == v) {
                return self.to[p].clone();
            }
            let found = self.names.iter().position(|n| n == v);
            let place = found.unwrap_or_else(|| {
                self.names.push(*v);
                self.names.len() - 1
            });
            AffineExpr::dim(place as u32)
        };
        let all: Vec<AffineExpr> = operands.iter().map(one).collect();
        let (dims, symbols) = all.split_at((map.num_dims() as usize).min(all.len()));
        let results = map.results().iter();
        results
            .map(|e| e.replace_dims_and_symbols(dims, symbols))
            .collect()
    }

    /// Whether two values are computed alike.
    fn values(&mut self, x: Value, y: Value, depth: usize) -> bool {
        let alike = self.alike.contains(&(x, y)) || self.compare(x, y, depth);
        if alike {
            self.alike.insert((x, y));
        }
        alike
    }

    fn compare(&mut self, x: Value, y: Value, depth: usize) -> bool {
        let ctx = self.ctx;
        let within = |n: &StoreNest, v: Value| v.def_op().filter(|o| n.body.contains(o));
        let (x_op, y_op) = match (within(self.a, x), within(self.b, y)) {
            (Some(x), Some(y)) => (x, y),
            // Variables of the loops are used in subscripts alone.
            (None, None) => return x == y && !self.a.ivs.contains(&x),
            _ => return false,
        };
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if x_op.name(ctx) != y_op.name(ctx) || x.ty(ctx) != y.ty(ctx) {
            return false;
        }
        match (Access::of(ctx, x_op), Access::of(ctx, y_op)) {
            (Some(x), Some(y)) => self.accesses(&x, &y),
            (None, None) => {
                let (xs, ys) = (x_op.operands(ctx), y_op.operands(ctx));
                x_op.attrs(ctx) == y_op.attrs(ctx)
                    && xs.len() == ys.len()
                    && xs.iter().zip(&ys).all(|(x, y)| self.values(*x, *y, depth))
            }
            _ => false,
        }
    }
}
