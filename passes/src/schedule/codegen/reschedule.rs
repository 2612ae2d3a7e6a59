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
use super::times::relation;
use super::tree::Node;
use super::{Options, ScanError, Scheduled, scan};
use crate::analysis::dependence::{self, Param, Program};
use crate::schedule::mechanics::Refusal;
use terrace_dialects::affine::{Access, ApplyOp};
use terrace_dialects::arith::constant_index;
use terrace_dialects::memref::DimOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{is_pure, is_trivially_dead};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};
use terrace_presburger::Set;

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
}

/// Puts loops that run `bodies` in the order of their times in place of all that has
/// effects from `first` to `last`, two ops of one block. Every op with effects there
/// must be in one of the bodies. Gives the new loops around which there is no other.
///
/// # Errors
///
/// If the iterations of a body are not known exactly, or [`ScanError`]; the program is
/// then as it was.
pub fn reschedule(
    ctx: &mut Context,
    first: Op,
    last: Op,
    bodies: &[Body],
    options: &Options,
) -> Result<Vec<Op>, Refusal> {
    let refuse = |message: String| Refusal::new(first.loc(ctx), message);
    let (Some(root), Some(block)) = (first.parent(ctx), first.block(ctx)) else {
        return Err(refuse("it is in no block of an op".to_string()));
    };
    let mut program = Program::of(ctx, root, &dependence::Options::default());
    let mut statements = Vec::new();
    let mut outer: Vec<Value> = Vec::new();
    let mut domains = Vec::new();
    for b in bodies {
        let Some(op) = b.ops.first() else {
            return Err(refuse("a statement has no ops".to_string()));
        };
        let d = program.domain_of(ctx, *op);
        if let Some(reason) = &d.inexact {
            let m = format!("the iterations to put in order are not known: {}", reason.message);
            return Err(Refusal::new(reason.loc, m));
        }
        let around = d.ivs();
        let rest = around.len().checked_sub(b.ivs.len());
        let Some(rest) = rest.filter(|r| around[*r..] == b.ivs[..]) else {
            let m = "the loops around the statement are not those to be replaced";
            return Err(Refusal::new(op.loc(ctx), m));
        };
        outer = around[..rest].to_vec();
        domains.push(d);
    }
    // All parameters are known only now.
    let params = program.params.len() + outer.len();
    for (at, (b, d)) in bodies.iter().zip(&domains).enumerate() {
        let own = program.params.len();
        let space = terrace_presburger::Space::set(own, d.depth());
        let domain = Set::from_pieces(space, d.conjuncts(&program.params));
        let schedule = relation(params, at, &b.times);
        statements.push(Scheduled {
            domain: domain.dims_before_to_params(own + outer.len()),
            schedule: schedule.map_err(|e| refuse(e.to_string()))?,
            parallel: b.parallel.clone(),
        });
    }
    let nodes = scan(params, &statements, options).map_err(|e| blame(ctx, first, bodies, e))?;
    let sources = sources(ctx, &program, &outer, &nodes, (block, first, last))?;

    let mut builder = Builder::after(ctx, last);
    let values = values(&mut builder, &sources);
    let mut instance = |b: &mut Builder, at: usize, iterators: &[Value]| {
        let mut map = IrMapping::new();
        map.map_all(&bodies[at].ivs, iterators);
        for op in &bodies[at].ops {
            let copy = clone_op(b.ctx, *op, &mut map);
            b.insert(copy);
            for a in Access::all(b.ctx, copy) {
                let composed = a.composed(b.ctx);
                Access::set_subscripts(b.ctx, a.op, composed.map, &composed.operands);
            }
        }
    };
    let loops = emit(&mut builder, &nodes, &values, &mut instance);
    for l in &loops {
        for op in l.post_order(ctx).into_iter().rev() {
            if op.isa::<ApplyOp>(ctx) && is_trivially_dead(ctx, op) {
                op.erase(ctx);
            }
        }
    }
    erase(ctx, block, first, last);
    Ok(loops)
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

/// Where the value of a parameter comes from.
enum Source {
    /// It is never asked for.
    Unused,
    Value(Value),
    Size(Value, u32),
    /// A product of other parameters.
    Product(Vec<usize>),
}

/// How each parameter is got behind `last`.
fn sources(
    ctx: &Context,
    program: &Program,
    outer: &[Value],
    nodes: &[Node],
    (block, first, last): (Block, Op, Op),
) -> Result<Vec<Source>, Refusal> {
    let list = program.params.list();
    let total = list.len() + outer.len();
    let mut wanted: Vec<bool> = (0..total)
        .map(|p| nodes.iter().any(|n| n.mentions(p as u32)))
        .collect();
    // Factors come before the products that they are in, or behind: until all are found.
    loop {
        let before = wanted.clone();
        for (p, param) in list.iter().enumerate() {
            if let Param::Product(factors) = param
                && wanted[p]
            {
                factors.iter().for_each(|f| wanted[*f as usize] = true);
            }
        }
        if before == wanted {
            break;
        }
    }
    let is_there = |v: Value| {
        let Some(op) = v.def_op() else { return true };
        let replaced = op.ancestor_in(ctx, block).is_some_and(|top| {
            (top == first || first.is_before(ctx, top)) && !last.is_before(ctx, top)
        });
        !replaced || (op.block(ctx) == Some(block) && is_pure(ctx, op))
    };
    let gone = |v: Value| {
        let m = "a bound depends on a value computed between the loops";
        Refusal::new(v.loc(ctx), m)
    };
    let source = |(p, param): (usize, &Param)| match param {
        _ if !wanted[p] => Ok(Source::Unused),
        Param::Value(v) if is_there(*v) => Ok(Source::Value(*v)),
        Param::Size(m, i) if is_there(*m) => Ok(Source::Size(*m, *i)),
        Param::Value(v) | Param::Size(v, _) => Err(gone(*v)),
        Param::Product(f) => Ok(Source::Product(f.iter().map(|f| *f as usize).collect())),
        Param::Quotient(..) => {
            let m = "a bound depends on a quotient of parameters";
            Err(Refusal::new(first.loc(ctx), m))
        }
    };
    let mut all: Vec<Source> = list
        .iter()
        .enumerate()
        .map(source)
        .collect::<Result<_, _>>()?;
    all.extend(outer.iter().map(|v| Source::Value(*v)));
    Ok(all)
}

/// The values of the parameters; those that are not asked for are some value.
fn values(b: &mut Builder, sources: &[Source]) -> Vec<Value> {
    let mut values: Vec<Option<Value>> = sources
        .iter()
        .map(|s| match s {
            Source::Value(v) => Some(*v),
            Source::Size(memref, i) => {
                let index = constant_index(b, i64::from(*i));
                Some(DimOp::build(b, *memref, index))
            }
            Source::Unused | Source::Product(_) => None,
        })
        .collect();
    for (p, s) in sources.iter().enumerate() {
        let Source::Product(factors) = s else { continue };
        let operands: Vec<Value> = factors.iter().filter_map(|f| values[*f]).collect();
        let symbols = (0..operands.len()).map(|k| AffineExpr::symbol(k as u32));
        let product = symbols.reduce(|a, b| AffineExpr::binary(terrace_ir::affine::AffineOp::Mul, a, b));
        let product = product.unwrap_or(AffineExpr::constant(1));
        let map = AffineMap::new(0, operands.len() as u32, vec![product]);
        values[p] = Some(ApplyOp::build(b, map, &operands));
    }
    let any = values.iter().flatten().next().copied();
    let some = any.unwrap_or_else(|| constant_index(b, 0));
    values.into_iter().map(|v| v.unwrap_or(some)).collect()
}

/// Erases what the new loops stand for.
fn erase(ctx: &mut Context, block: Block, first: Op, last: Op) {
    let ops = block.ops(ctx);
    let at = |op: Op| ops.iter().position(|o| *o == op);
    let (Some(a), Some(b)) = (at(first), at(last)) else {
        return;
    };
    for op in ops[a..=b].iter().rev() {
        if !is_pure(ctx, *op) || is_trivially_dead(ctx, *op) {
            op.erase(ctx);
        }
    }
}
