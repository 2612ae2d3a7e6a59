//! Loops of a program in another order.
//!
//! ```text
//! affine.for %i = 0 to %n {            affine.for %s = 0 to 2 * %n - 1 {
//!   affine.for %j = 0 to %n {     =>     affine.for %t = max(0, %s - %n + 1) to min(%n, %s + 1) {
//!     S(%i, %j)                            S(%t, %s - %t)
//! ```
//!
//! by the times `(i + j, i)`. That the new order is legal is not asked here.

use super::emit::emit;
use super::parameters;
use super::times::relation;
use super::{Options, ScanError, Scheduled, scan};
use crate::analysis::dependence::{self, Domain, Program};
use crate::loops::Refusal;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, ApplyOp};
use terrace_ir::affine::AffineMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{is_pure, is_trivially_dead};
use terrace_ir::{Block, Builder, Context, Op, Value};
use terrace_presburger::{Conjunct, Int, Row, Set, Space};

/// A statement of a program with its new times.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its ops, of one block, in order; what they use of that block or of loops around
    /// it is among them or in `ivs`.
    pub ops: Vec<Op>,
    /// The variables of the loops around it that are to be replaced, from the outside in.
    pub ivs: Vec<Value>,
    /// From these to the time.
    pub times: AffineMap,
    /// The results of `times` along which instances may run at once.
    pub parallel: Vec<usize>,
    /// Others that do the same, of which this one is to do the iterations.
    pub joined: Vec<Joined>,
}

/// A statement whose iterations another does.
#[derive(Debug, Clone)]
pub struct Joined {
    /// As of a [`Body`].
    pub ops: Vec<Op>,
    pub ivs: Vec<Value>,
    /// From its loop variables to those of the other.
    pub to: AffineMap,
}

/// Puts loops that run `bodies` in the order of their times in place of all that has
/// effects from `first` to `last`, two ops of one block. Every op with effects there
/// must be in one of the bodies. Gives the new loops around which there is no other.
///
/// `options.context` is replaced by what the program says of its sizes.
///
/// # Errors
///
/// If the iterations of a body are not known exactly, or [`ScanError`], or if a body and what
/// is joined to it are not the iterations of one nest; the program is then as it was.
pub fn reschedule(
    ctx: &mut Context,
    first: Op,
    last: Op,
    bodies: &[Body],
    options: &Options,
) -> Result<Vec<Op>, Refusal> {
    let (Some(root), Some(block)) = (first.parent(ctx), first.block(ctx)) else {
        return Err(Refusal::new(first.loc(ctx), "it is in no block of an op"));
    };
    let range = OpRange { block, first, last };
    let all: Vec<Vec<Op>> = bodies
        .iter()
        .map(|b| closed(ctx, b, range))
        .collect::<Result<_, _>>()?;
    let joined = bodies.iter().flat_map(|b| &b.joined);
    let kept: Vec<Vec<Op>> = (all.iter().cloned())
        .chain(joined.map(|j| j.ops.clone()))
        .collect();
    check_nothing_is_lost(ctx, &kept, range)?;
    let iterations = Iterations::of(ctx, root, first, bodies)?;
    let refuse = |e: String| Refusal::new(first.loc(ctx), e);
    let statements: Vec<Scheduled> = (0..bodies.len())
        .map(|at| iterations.scheduled(bodies, at).map_err(refuse))
        .collect::<Result<_, _>>()?;
    let options = Options {
        context: Some(iterations.context()),
        ..options.clone()
    };
    let nodes = scan(iterations.params(), &statements, &options)
        .map_err(|e| blame(ctx, first, bodies, e))?;
    let (program, outer) = (&iterations.program, &iterations.outer);
    let sources = parameters::sources(ctx, program, outer, &nodes, range)?;

    let mut builder = Builder::after(ctx, last);
    let values = parameters::values(&mut builder, &sources);
    let mut applies = Vec::new();
    let mut instance = |b: &mut Builder, at: usize, iterators: &[Value]| {
        let mut map = IrMapping::new();
        map.map_all(&bodies[at].ivs, iterators);
        copy(b, &all[at], map, &mut applies);
    };
    let loops = emit(&mut builder, &nodes, &values, &mut instance);
    for op in applies.into_iter().rev() {
        if is_trivially_dead(ctx, op) {
            op.erase(ctx);
        }
    }
    erase(ctx, range);
    Ok(loops)
}

/// Copies the ops of a statement; its `affine.apply` ops go into `applies`, which the
/// accesses no longer use.
fn copy(b: &mut Builder, ops: &[Op], mut map: IrMapping, applies: &mut Vec<Op>) {
    for op in ops {
        let copy = clone_op(b.ctx, *op, &mut map);
        b.insert(copy);
        if copy.isa::<ApplyOp>(b.ctx) {
            applies.push(copy);
        }
        for a in Access::all(b.ctx, copy) {
            let composed = a.composed(b.ctx);
            Access::set_subscripts(b.ctx, a.op, composed.map, &composed.operands);
        }
    }
}

/// The iterations of bodies.
struct Iterations {
    program: Program,
    /// The variables of the loops around all that are not replaced, from the outside in;
    /// parameters behind those of the program.
    outer: Vec<Value>,
    /// What is known of these.
    around: Domain,
    /// For each body its own, then those of what is joined to it.
    domains: Vec<Vec<Domain>>,
}

impl Iterations {
    fn of(ctx: &Context, root: Op, first: Op, bodies: &[Body]) -> Result<Iterations, Refusal> {
        let mut program = Program::of(ctx, root, &dependence::Options::default());
        let mut outer: Vec<Value> = Vec::new();
        let mut domains = Vec::new();
        for b in bodies {
            let mut own = Vec::new();
            let parts = b.joined.iter().map(|j| (&j.ops, &j.ivs));
            for (ops, ivs) in std::iter::once((&b.ops, &b.ivs)).chain(parts) {
                let Some(op) = ops.first() else {
                    return Err(Refusal::new(first.loc(ctx), "a statement has no ops"));
                };
                let d = program.point(ctx, *op, &[]).domain;
                if let Some(reason) = &d.inexact {
                    let m = format!(
                        "the iterations to put in order are not known: {}",
                        reason.message
                    );
                    return Err(Refusal::new(reason.loc, m));
                }
                let around = d.ivs();
                let rest = around.len().checked_sub(ivs.len());
                let Some(rest) = rest.filter(|r| around[*r..] == ivs[..]) else {
                    let m = "the loops around the statement are not those to be replaced";
                    return Err(Refusal::new(op.loc(ctx), m));
                };
                outer = around[..rest].to_vec();
                own.push(d);
            }
            domains.push(own);
        }
        let around = program.point(ctx, first, &[]).domain;
        if around.ivs() != outer {
            let m = "no statement is to be put in order";
            return Err(Refusal::new(first.loc(ctx), m));
        }
        Ok(Iterations {
            program,
            outer,
            around,
            domains,
        })
    }

    /// The number of parameters.
    fn params(&self) -> usize {
        self.program.params.len() + self.outer.len()
    }

    /// A domain over the parameters.
    fn set(&self, d: &Domain) -> Set {
        let own = self.program.params.len();
        let space = Space::set(own, d.depth());
        let set = Set::from_pieces(space, d.conjuncts(&self.program.params));
        set.dims_before_to_params(own + self.outer.len())
    }

    /// The `at`-th body with all that it does, and its times.
    fn scheduled(&self, bodies: &[Body], at: usize) -> Result<Scheduled, String> {
        let b = &bodies[at];
        let relation = |map| relation(self.params(), at, map).map_err(|e| e.to_string());
        let mut domain = self.set(&self.domains[at][0]);
        for (j, d) in b.joined.iter().zip(&self.domains[at][1..]) {
            domain = domain.union(&self.set(d).apply(&relation(&j.to)?));
        }
        if !b.joined.is_empty() {
            domain = domain.coalesce();
            if domain.pieces().len() != 1 {
                return Err("both together are not the iterations of one nest".to_string());
            }
        }
        Ok(Scheduled {
            domain,
            schedule: relation(&b.times)?,
            parallel: b.parallel.clone(),
        })
    }

    /// What is known where the loops stand: of sizes, and of the loops around.
    fn context(&self) -> Conjunct {
        let params = self.params();
        let mut c = Conjunct::universe(Space::set(params, 0));
        let around = self.around.conjuncts(&self.program.params);
        // With alternatives nothing is certain that a conjunction could say.
        let [all] = &around[..] else { return c };
        debug_assert!(all.space() == Space::set(self.program.params.len(), self.outer.len()));
        let plain = |row: &&Row| row[params..row.len() - 1].iter().all(Int::is_zero);
        for row in all.equalities().iter().filter(plain) {
            c.add_equality(&row[..params], row[row.len() - 1].clone());
        }
        for row in all.inequalities().iter().filter(plain) {
            c.add_inequality(&row[..params], row[row.len() - 1].clone());
        }
        c
    }
}

/// An error at the statement that it is about.
fn blame(ctx: &Context, first: Op, bodies: &[Body], e: ScanError) -> Refusal {
    let at = match e {
        ScanError::Shape { statement, .. }
        | ScanError::Unbounded { statement, .. }
        | ScanError::Twice { statement, .. }
        | ScanError::Quantifier { statement }
        | ScanError::Times { statement } => bodies.get(statement).and_then(|b| b.ops.last()),
        _ => None,
    };
    Refusal::new(at.copied().unwrap_or(first).loc(ctx), e.to_string())
}

/// The ops of a block from `first` to `last`, they included.
#[derive(Clone, Copy)]
pub(super) struct OpRange {
    pub block: Block,
    pub first: Op,
    pub last: Op,
}

impl OpRange {
    pub fn contains(self, ctx: &Context, op: Op) -> bool {
        (op == self.first || self.first.is_before(ctx, op)) && !self.last.is_before(ctx, op)
    }

    /// Whether an op is one of these or in one.
    pub fn encloses(self, ctx: &Context, op: Op) -> bool {
        let top = op.ancestor_in(ctx, self.block);
        top.is_some_and(|t| self.contains(ctx, t))
    }
}

/// The ops of a body behind those further out in the loops that compute what they use.
fn closed(ctx: &Context, body: &Body, range: OpRange) -> Result<Vec<Op>, Refusal> {
    let mut found: Vec<Op> = Vec::new();
    // The last in the text comes first: what an op uses stands before it.
    let mut open: Vec<Op> = body.ops.clone();
    let within = |op: Op| body.ops.iter().any(|o| o.is_ancestor_of(ctx, op));
    while let Some(user) = open.pop() {
        let mut used = Vec::new();
        user.walk(ctx, &mut |o| used.extend(o.operands(ctx)));
        for v in used {
            let at = v.block(ctx).and_then(|b| b.parent_op(ctx));
            let replaced = at.is_some_and(|p| range.encloses(ctx, p));
            if !replaced || body.ivs.contains(&v) {
                continue;
            }
            match v.def_op() {
                Some(op) if within(op) || found.contains(&op) => {}
                Some(op) if is_pure(ctx, op) => {
                    found.push(op);
                    open.push(op);
                }
                _ if at.is_some_and(within) => {}
                _ => {
                    let m = "a statement uses a value that is computed outside of it in the loops";
                    return Err(Refusal::new(v.loc(ctx), m).note(user.loc(ctx), "used here"));
                }
            }
        }
    }
    let root = range.first.parent(ctx);
    let order = root.map_or_else(Vec::new, |p| p.pre_order(ctx));
    found.sort_by_key(|op| order.iter().position(|o| o == op));
    Ok([found, body.ops.clone()].concat())
}

/// Whether all that has effects is in some body, and is used in none behind.
fn check_nothing_is_lost(ctx: &Context, bodies: &[Vec<Op>], range: OpRange) -> Result<(), Refusal> {
    let mut lost = None;
    for top in range.block.ops(ctx) {
        if !range.contains(ctx, top) {
            continue;
        }
        top.walk(ctx, &mut |op| {
            let is_frame = matches!(
                op.name(ctx),
                affine::ForOp::NAME
                    | affine::ParallelOp::NAME
                    | affine::IfOp::NAME
                    | affine::YieldOp::NAME
            ) && op.num_results(ctx) == 0;
            let kept = bodies.iter().flatten().any(|o| o.is_ancestor_of(ctx, op));
            if !is_frame && !kept && !is_pure(ctx, op) && !is_trivially_dead(ctx, op) {
                lost.get_or_insert(op);
            }
            let users = op.results(ctx).into_iter().flat_map(|r| r.users(ctx));
            for user in users.filter(|_| !is_pure(ctx, op)) {
                if !range.encloses(ctx, user) {
                    lost.get_or_insert(op);
                }
            }
        });
    }
    match lost {
        None => Ok(()),
        Some(op) => {
            let m = format!(
                "'{}' is part of no statement, or is used behind the loops",
                op.name(ctx)
            );
            Err(Refusal::new(op.loc(ctx), m))
        }
    }
}

/// Erases what the new loops stand for.
fn erase(ctx: &mut Context, range: OpRange) {
    let ops = range.block.ops(ctx);
    let at = |op: Op| ops.iter().position(|o| *o == op);
    let (Some(a), Some(b)) = (at(range.first), at(range.last)) else {
        return;
    };
    for op in ops[a..=b].iter().rev() {
        if !is_pure(ctx, *op) || is_trivially_dead(ctx, *op) {
            op.erase(ctx);
        }
    }
}
