//! `raise-scf-to-affine`: loops and accesses become affine in scopes of their own.
//!
//! ```text
//! scf.while (%p = %p0) {                     scf.while (%p = %p0) {
//!   ...                                        ...
//!   %n = memref.load %sizes[%p]                %n = memref.load %sizes[%p]
//!   scf.for %i = %c0 to %n step %c1 {   =>     affine.scope {
//!     %k = arith.addi %p, %i                     affine.for %i = 0 to %n {
//!     %v = memref.load %a[%k]                      %v = affine.load %a[%i + %p]
//! ```
//!
//! What a loop around carries or has loaded is no symbol of the function, so that loops with
//! such bounds and subscripts are left to `scf` and `memref`. While the loop inside runs it does
//! not change, which an `affine.scope` around that loop says. The scope stands around the
//! outermost loop that gains by it.
//!
//! Legal because nothing is computed otherwise: sums, differences and multiples of indices are
//! the maps' now, and wrap around where they did. A counter that is compared as an unsigned
//! number, or a step that may be no positive constant, stays as it is.

use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use crate::lower::affine::copy_discardable;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::scope::{affine_scope, is_valid_dim};
use terrace_dialects::affine::{self, ScopeOp};
use terrace_dialects::{arith, func, memref, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "raise-scf-to-affine",
    title: "RaiseScfToAffine",
    summary: "Make loops and accesses affine in what does not change while a loop runs",
    description: "Turns scf.for, memref.load and memref.store ops into those of the affine dialect where bounds and subscripts are affine in counters and in values from around a loop, which gets an affine.scope.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[
        StatisticInfo::new("num-loops", "Number of loops made affine"),
        StatisticInfo::new("num-accesses", "Number of accesses made affine"),
        StatisticInfo::new("num-scopes", "Number of loops that got a scope"),
    ],
    options: &[OptionInfo::new(
        "scopes",
        OptionKind::Bool,
        "true",
        "Make affine, in a scope around a loop, what does not change while the loop runs; else only what is affine in the function",
    )],
    make: |o| {
        Ok(Box::new(Raise {
            scopes: o.bool("scopes"),
        }))
    },
};

struct Raise {
    scopes: bool,
}

impl Pass for Raise {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut done = Done {
            own_scopes: self.scopes,
            ..Done::default()
        };
        for block in function.blocks(ctx) {
            raise_in(ctx, block, &mut done);
        }
        ctx.count("num-loops", done.loops);
        ctx.count("num-accesses", done.accesses);
        ctx.count("num-scopes", done.scopes);
        Ok(())
    }
}

#[derive(Default)]
struct Done {
    /// Whether loops may get scopes.
    own_scopes: bool,
    loops: u64,
    accesses: u64,
    scopes: u64,
}

/// Maps with their operands.
type Form = (AffineMap, Vec<Value>);

/// What of a loop and of what is in it becomes affine in a scope around that loop.
struct Plan {
    root: Op,
    /// Whether the root may get a scope, in which all values from outside are affine.
    own_scope: bool,
    loops: Vec<(Op, Form, Form, i64)>,
    accesses: Vec<(Op, Form)>,
}

fn raise_in(ctx: &mut Context, block: Block, done: &mut Done) {
    for op in block.ops(ctx) {
        let is_loop = op.isa::<affine::ForOp>(ctx) || op.isa::<scf::ForOp>(ctx);
        let inside = match is_loop {
            true => raise(ctx, op, done),
            false => op,
        };
        for inner in inside.blocks(ctx) {
            raise_in(ctx, inner, done);
        }
    }
}

/// Raises what is in the loop `op` and affine there; gives that loop as it is now.
fn raise(ctx: &mut Context, op: Op, done: &mut Done) -> Op {
    let mut plan = Plan {
        root: op,
        own_scope: done.own_scopes,
        loops: Vec::new(),
        accesses: Vec::new(),
    };
    // Loops stand before what is in them, whose counters are dimensions then.
    for inner in op.pre_order(ctx) {
        plan.take(ctx, inner);
    }
    if plan.loops.is_empty() && plan.accesses.is_empty() {
        return op;
    }
    if plan.needs_scope(ctx) {
        let mut b = Builder::before(ctx, op);
        b.loc = op.loc(b.ctx);
        ScopeOp::around(&mut b, op);
        done.scopes += 1;
    }
    done.loops += plan.loops.len() as u64;
    done.accesses += plan.accesses.len() as u64;
    for (access, form) in plan.accesses {
        raise_access(ctx, access, &form);
    }
    // Those inside first: the root is the first of them.
    let mut root = op;
    for (l, lower, upper, step) in plan.loops.into_iter().rev() {
        let new = raise_loop(ctx, l, (&lower, &upper), step);
        if l == op {
            root = new;
        }
    }
    root
}

impl Plan {
    fn take(&mut self, ctx: &Context, op: Op) {
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            if let Some((lower, upper, step)) = self.bounds(ctx, l) {
                self.loops.push((op, lower, upper, step));
            }
            return;
        }
        let first = match op.name(ctx) {
            memref::LoadOp::NAME => 1,
            memref::StoreOp::NAME => 2,
            _ => return,
        };
        // What else is said of an access has no place on an affine one.
        if !op.attrs(ctx).is_empty() {
            return;
        }
        if let Some(form) = self.form(ctx, &op.operands(ctx)[first..]) {
            self.accesses.push((op, form));
        }
    }

    fn bounds(&self, ctx: &Context, l: scf::ForOp) -> Option<(Form, Form, i64)> {
        let step = ctx.constant_int(l.step(ctx)).filter(|s| *s > 0)?;
        let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
        if l.is_unsigned(ctx) || !lower.ty(ctx).is_index(ctx) {
            return None;
        }
        let lower = self.form(ctx, &extremes(ctx, lower, arith::MaxSIOp::NAME))?;
        let upper = self.form(ctx, &extremes(ctx, upper, arith::MinSIOp::NAME))?;
        Some((lower, upper, step))
    }

    /// A map with these values as its results, where they are affine in a scope around the root.
    fn form(&self, ctx: &Context, values: &[Value]) -> Option<Form> {
        let linear = |v: &Value| Linear::of_value(ctx, *v);
        let all: Vec<Linear> = values.iter().map(linear).collect::<Option<_>>()?;
        let mut terms = all.iter().flat_map(|l| &l.terms);
        if !terms.all(|(v, _)| self.is_affine(ctx, *v)) {
            return None;
        }
        let (mut map, mut operands) = Linear::map_of(&all);
        if !self.own_scope {
            // Sizes are symbols here, as in what the front end makes.
            let canonical = compose(ctx, &map, &operands);
            (map, operands) = (canonical.map, canonical.operands);
        }
        map.results()
            .iter()
            .all(AffineExpr::within_limits)
            .then_some((map, operands))
    }

    /// Whether a value may be a dimension where the root is, or in a scope around it.
    fn is_affine(&self, ctx: &Context, v: Value) -> bool {
        if !is_inside(ctx, self.root, v) {
            return self.own_scope || is_valid_dim(ctx, v, affine_scope(ctx, self.root));
        }
        let Some(op) = v.def_op() else {
            return self.is_counter(ctx, v);
        };
        let is_apply = op.isa::<affine::ApplyOp>(ctx);
        is_apply && op.operands(ctx).iter().all(|v| self.is_affine(ctx, *v))
    }

    /// Whether `v`, an argument of a block, counts a loop that is affine, or will be.
    fn is_counter(&self, ctx: &Context, v: Value) -> bool {
        let Some(l) = v.arg_block().and_then(|b| b.parent_op(ctx)) else {
            return false;
        };
        let raised = self.loops.iter().any(|(op, ..)| *op == l);
        match l.name(ctx) {
            affine::ForOp::NAME => v.index(ctx) == 0,
            affine::ParallelOp::NAME => true,
            _ => raised && v.index(ctx) == 0,
        }
    }

    /// Whether something is affine only in a scope around the root.
    fn needs_scope(&self, ctx: &Context) -> bool {
        let scope = affine_scope(ctx, self.root);
        let raised = |v: Value| {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|l| self.loops.iter().any(|(op, ..)| *op == l))
        };
        let loops = self.loops.iter().flat_map(|(_, l, u, _)| [l, u]);
        let forms = loops.chain(self.accesses.iter().map(|a| &a.1));
        let mut operands = forms.flat_map(|f| &f.1);
        operands.any(|v| !raised(*v) && !is_valid_dim(ctx, *v, scope))
    }
}

/// The values whose greatest or least `v` is, as the op called `name` makes it.
fn extremes(ctx: &Context, v: Value, name: &str) -> Vec<Value> {
    match v.def_op().filter(|op| op.name(ctx) == name) {
        Some(op) => {
            let both = op.operands(ctx).into_iter();
            both.flat_map(|v| extremes(ctx, v, name)).collect()
        }
        None => vec![v],
    }
}

fn raise_access(ctx: &mut Context, op: Op, (map, subscripts): &Form) {
    let operands = op.operands(ctx);
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    if op.isa::<memref::LoadOp>(b.ctx) {
        let v = affine::LoadOp::build(&mut b, operands[0], map.clone(), subscripts);
        op.replace(ctx, &[v]);
    } else {
        affine::StoreOp::build(&mut b, operands[0], operands[1], map.clone(), subscripts);
        op.erase(ctx);
    }
}

fn raise_loop(ctx: &mut Context, op: Op, (lower, upper): (&Form, &Form), step: i64) -> Op {
    let l = scf::ForOp::wrap(op);
    let (inits, block) = (l.init_args(ctx), l.body(ctx));
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let (lower, upper) = (
        (lower.0.clone(), &lower.1[..]),
        (upper.0.clone(), &upper.1[..]),
    );
    let new = affine::ForOp::build_open(&mut b, lower, upper, step, &inits);
    let body = new.body(ctx);
    for (i, (old, arg)) in block.args(ctx).into_iter().zip(body.args(ctx)).enumerate() {
        body.set_arg_loc(ctx, i, old.loc(ctx));
        old.replace_all_uses(ctx, arg);
    }
    for inner in block.ops(ctx) {
        if !inner.isa::<scf::YieldOp>(ctx) {
            inner.move_to_end(ctx, body);
            continue;
        }
        let values = inner.operands(ctx);
        let loc = inner.loc(ctx);
        Builder::at_end(ctx, body, loc).op::<affine::YieldOp>(&values, &[], &[]);
        inner.erase(ctx);
    }
    copy_discardable(ctx, op, new.op());
    let results = new.op().results(ctx);
    op.replace(ctx, &results);
    new.op()
}
