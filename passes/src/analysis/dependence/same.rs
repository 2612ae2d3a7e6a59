//! Whether two accesses surely touch one element, whatever it is: `h[d[i]]` and `h[d[i]]`.
//! Subscripts that are no linear functions of counters are compared as computations.

use terrace_dialects::affine::{self, Access};
use terrace_dialects::attributes::ACC_ANYWHERE;
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, Value};

use super::Program;
use crate::analysis::alike::alike;
use crate::analysis::memory::argument_has;

/// How deep the computations of subscripts are compared.
const MAX_DEPTH: u32 = 32;

/// Whether two ops touch the same element in one iteration of the loops around both.
pub(crate) fn same_element(ctx: &Context, program: &Program, a: Op, b: Op) -> bool {
    let site = |op| program.sites.iter().find(|s| s.op == op);
    let (Some(x), Some(y)) = (site(a), site(b)) else {
        return false;
    };
    if x.memref.is_none() || x.memref != y.memref {
        return false;
    }
    // Where rows are is read from pointers, and a directive is the program's word that they
    // are different.
    let rows = x.memref.is_some_and(|m| argument_has(ctx, m, ACC_ANYWHERE));
    match (&x.element, &y.element) {
        (Ok(x), Ok(y)) => x.subscripts == y.subscripts && x.same_quotients(y),
        (Err(_), Err(_)) if !rows => same_subscripts(ctx, program, a, b, MAX_DEPTH),
        _ => false,
    }
}

/// Whether two accesses have the same subscripts.
fn same_subscripts(ctx: &Context, program: &Program, a: Op, b: Op, depth: u32) -> bool {
    let pairs = |a: &[Value], b: &[Value]| {
        let mut both = a.iter().zip(b);
        a.len() == b.len() && both.all(|(a, b)| same_value(ctx, program, *a, *b, depth))
    };
    match (Access::of(ctx, a), Access::of(ctx, b)) {
        (Some(a), Some(b)) => {
            a.memref == b.memref && a.map == b.map && pairs(&a.operands, &b.operands)
        }
        (None, None) => {
            let indices = |op: Op| {
                let at = match (op.isa::<LoadOp>(ctx), op.isa::<StoreOp>(ctx)) {
                    (true, _) => 0,
                    (_, true) => 1,
                    _ => return None,
                };
                let operands = op.operands(ctx);
                Some((*operands.get(at)?, operands.get(at + 1..)?.to_vec()))
            };
            match (indices(a), indices(b)) {
                (Some((m, a)), Some((n, b))) => m == n && pairs(&a, &b),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether two values of one iteration are the same: one value, or the same ops on the
/// same values, of memory that nothing writes.
fn same_value(ctx: &Context, program: &Program, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def_op(), b.def_op()) else {
        return false;
    };
    let Some(operands) = alike(ctx, a, b).filter(|_| depth > 0) else {
        return false;
    };
    if x.isa::<affine::LoadOp>(ctx) || x.isa::<LoadOp>(ctx) {
        return is_only_read(program, x) && same_subscripts(ctx, program, x, y, depth - 1);
    }
    let mut both = operands.into_iter();
    is_pure(ctx, x) && both.all(|(p, q)| same_value(ctx, program, p, q, depth - 1))
}

/// Whether nothing in the program writes the memory that an op loads from.
fn is_only_read(program: &Program, load: Op) -> bool {
    let site = program.sites.iter().find(|s| s.op == load);
    let Some(memref) = site.and_then(|s| s.memref) else {
        return false;
    };
    let changes = |m: Option<Value>| m.is_none_or(|m| m == memref);
    !program.sites.iter().any(|s| s.writes && changes(s.memref))
}
