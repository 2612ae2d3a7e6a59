//! Which elements of its arguments a function touches, by sums of its other arguments.
//!
//! A summary is made once for an argument and read at each call with what the call hands
//! over in place of the arguments. Functions that call themselves have none, nor do
//! arguments that are used other than by loads, stores, copies and calls.
//!
//! ```text
//! func @rows(%m, %from, %to)  { for %i = %from to %to { ... %m[%i] ... } }
//!   argument 0: read and written from %from to below %to
//! call @rows(%A, %c4, %n)
//!   %A: from 4 to below %n
//! ```

use super::bounds::Known;
use super::expand::expand;
use super::footprint::{element, number, region, slice_of, translated};
use super::region::{Region, Side};
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, is_view};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_dialects::func::CallOp;
use terrace_dialects::xfer::CopyOp;
use terrace_dialects::xfer::handed::handed;
use terrace_dialects::{memref, xfer};
use terrace_ir::{Context, Op, OpKind, Value};

/// Elements that a function touches.
#[derive(Debug, Clone)]
pub struct Part {
    pub region: Region,
    pub write: bool,
}

/// What is known of functions, by function and argument; `None` where they may touch
/// anything, and while they are looked at.
#[derive(Debug, Default)]
pub struct Called {
    known: FxHashMap<(Op, usize), Option<Rc<Vec<Part>>>>,
}

impl Called {
    /// What a call touches of the memref that is its operand number `operand`, by sums of
    /// values of the caller; `None` where that may be anything.
    pub fn by(&mut self, ctx: &Context, call: Op, operand: usize) -> Option<Vec<Part>> {
        let callee = call.cast::<CallOp>(ctx)?.function(ctx)?.op();
        if callee.region(ctx, 0).is_empty(ctx) {
            return None;
        }
        let args = callee.body(ctx, 0).args(ctx);
        let given = call.operands(ctx);
        let parts = self.of(ctx, callee, operand)?;
        let there = |l: &Linear| {
            let mut sum = Linear::constant(l.constant);
            for (v, factor) in &l.terms {
                let at = args.iter().position(|a| a == v)?;
                sum = sum.plus_times(&expand(ctx, *given.get(at)?), *factor)?;
            }
            Some(sum)
        };
        let part = |p: &Part| Part {
            region: replaced(&p.region, &there).unwrap_or(Region::All),
            write: p.write,
        };
        Some(parts.iter().map(part).collect())
    }

    fn of(&mut self, ctx: &Context, function: Op, argument: usize) -> Option<Rc<Vec<Part>>> {
        let key = (function, argument);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        // One that is met again while it is looked at calls itself.
        self.known.insert(key, None);
        let made = self.summary(ctx, function, argument).map(Rc::new);
        self.known.insert(key, made.clone());
        made
    }

    fn summary(&mut self, ctx: &Context, function: Op, argument: usize) -> Option<Vec<Part>> {
        let entry = function.body(ctx, 0);
        let root = *entry.args(ctx).get(argument)?;
        let allowed = |v: Value| v.ty(ctx) == ctx.index() && v.arg_block() == Some(entry);
        let (mut read, mut written) = (Region::Nothing, Region::Nothing);
        let mut add = |r: Region, write: bool| match write {
            true => written.join(&r),
            false => read.join(&r),
        };
        let mut work = vec![root];
        while let Some(v) = work.pop() {
            for u in v.uses(ctx) {
                let op = u.op;
                if is_view(ctx, op) && u.index == 0 {
                    work.push(op.result(ctx, 0));
                    continue;
                }
                let known = Known::in_block(ctx, function, op.block(ctx)?);
                match op.name(ctx) {
                    // A mirror of its own gets what copies bring there.
                    memref::DimOp::NAME | xfer::CreateOp::NAME => {}
                    memref::LoadOp::NAME | memref::StoreOp::NAME => {
                        let write = op.name(ctx) == memref::StoreOp::NAME;
                        if write && u.index == 0 {
                            // Who loads it knows it by another name.
                            return None;
                        }
                        let touched = match element(ctx, op, root) {
                            Some((at, _)) => region(ctx, &known, &at, &allowed),
                            None => Region::All,
                        };
                        add(touched, write);
                    }
                    CopyOp::NAME => {
                        let copied = copied(ctx, v, root);
                        let touched = translated(ctx, &known, &copied, &allowed);
                        let copy = CopyOp::wrap(op);
                        let write = copy.dst(ctx) == v && !is_of_a_pair(ctx, function, copy);
                        add(touched, write);
                    }
                    CallOp::NAME if v == root => {
                        for p in self.by(ctx, op, u.index)? {
                            add(translated(ctx, &known, &p.region, &allowed), p.write);
                        }
                    }
                    _ => return None,
                }
            }
        }
        let part = |(region, write)| Part { region, write };
        let all = [(read, false), (written, true)].map(part);
        let some = |p: &Part| !matches!(p.region, Region::Nothing);
        Some(all.into_iter().filter(some).collect())
    }
}

/// A region with other sums in the places of its own.
fn replaced(region: &Region, there: &dyn Fn(&Linear) -> Option<Linear>) -> Option<Region> {
    let Region::Box(sides) = region else {
        return Some(region.clone());
    };
    let all = |list: &[Linear]| list.iter().map(there).collect::<Option<Vec<Linear>>>();
    let side = |s: &Side| {
        let (low, high) = (all(&s.low)?, all(&s.high)?);
        Some(Side { low, high })
    };
    let sides: Option<Vec<Side>> = sides.iter().map(side).collect();
    sides.map(Region::Box)
}

/// What a copy moves of `root`, of which it has the view `v`.
fn copied(ctx: &Context, v: Value, root: Value) -> Region {
    let Some(slice) = slice_of(ctx, v, root) else {
        return Region::All;
    };
    let ends = slice
        .offsets
        .iter()
        .zip(&slice.sizes)
        .map(|(offset, size)| {
            let low = number(ctx, *offset);
            let high = low.plus_times(&number(ctx, *size), 1)?;
            Some(Side {
                low: vec![low],
                high: vec![high],
            })
        });
    let sides: Option<Vec<Side>> = ends.collect();
    sides.map_or(Region::All, Region::Box)
}

/// Whether a copy is between an array and its mirror that the function is handed: it makes
/// nothing stale.
fn is_of_a_pair(ctx: &Context, function: Op, copy: CopyOp) -> bool {
    let args = function.body(ctx, 0).args(ctx);
    let ends = [base(ctx, copy.src(ctx)), base(ctx, copy.dst(ctx))];
    let pairs = handed(ctx, function).unwrap_or_default();
    pairs
        .iter()
        .map(|h| [args[h.array], args[h.mirror]])
        .any(|[array, mirror]| ends == [array, mirror] || ends == [mirror, array])
}
