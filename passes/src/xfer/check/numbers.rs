//! Values of type index as unknowns of a system of linear constraints, and whether such a
//! system has a solution.
//!
//! Arithmetic is looked through; what a value is made of otherwise is an unknown of its
//! own. The greater and the less of two values are unknowns with a choice of what they
//! equal. Numbers are taken not to overflow: an index that does is outside of every array.

use super::refute::Search;
use rustc_hash::FxHashMap;
use terrace_dialects::{arith, xfer};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, Value};

/// An unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Unknown {
    Value(Value),
    /// The size of a dimension of a memref.
    Size(Value, usize),
    /// A subscript that may be anything.
    Index(usize),
}

/// A constant and unknowns by number, in order, each with a factor other than 0: sums that are
/// the same for all values of the unknowns are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    pub(super) constant: i128,
    pub(super) terms: Vec<(usize, i128)>,
}

impl Sum {
    pub(crate) fn number(n: i64) -> Sum {
        Sum {
            constant: i128::from(n),
            terms: Vec::new(),
        }
    }

    fn of(unknown: usize) -> Sum {
        Sum {
            constant: 0,
            terms: vec![(unknown, 1)],
        }
    }

    /// `self + times * other`; beyond 127 bits nothing is known.
    pub(crate) fn plus(&self, other: &Sum, times: i64) -> Option<Sum> {
        let times = i128::from(times);
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .checked_add(other.constant.checked_mul(times)?)?;
        for (u, f) in &other.terms {
            let f = f.checked_mul(times)?;
            match sum.terms.binary_search_by_key(u, |t| t.0) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.checked_add(f)?,
                Err(at) => sum.terms.insert(at, (*u, f)),
            }
        }
        sum.terms.retain(|t| t.1 != 0);
        Some(sum)
    }

    pub(crate) fn as_number(&self) -> Option<i64> {
        let constant = self.terms.is_empty();
        constant.then(|| i64::try_from(self.constant).ok())?
    }
}

/// Sums that are at least 0, all at once.
pub(super) type Clause = Vec<Sum>;

/// Constraints on unknowns.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    unknowns: Vec<Unknown>,
    number: FxHashMap<Unknown, usize>,
    /// Values that are the greater or the less of two, and what stands for them.
    chosen: FxHashMap<Value, Sum>,
    /// The same by what they are of: whether it is the greater, and the two.
    choices: FxHashMap<(bool, Sum, Sum), Sum>,
    holds: Clause,
    /// Of each of these lists one clause holds.
    one_of: Vec<Vec<Clause>>,
    /// What arguments of a function are that is called.
    given: FxHashMap<Value, Sum>,
    given_memrefs: FxHashMap<Value, Value>,
}

/// Arithmetic that is looked through.
const DEPTH: usize = 32;

impl System {
    fn unknown(&mut self, u: Unknown) -> Sum {
        let next = self.unknowns.len();
        let n = *self.number.entry(u).or_insert(next);
        if n == next {
            self.unknowns.push(u);
        }
        Sum::of(n)
    }

    /// The subscript of dimension `d` of any element.
    pub(crate) fn index(&mut self, d: usize) -> Sum {
        self.unknown(Unknown::Index(d))
    }

    /// The unknowns that are no choice between others.
    pub(crate) fn free(&self) -> impl Iterator<Item = Unknown> + '_ {
        let free = |u: &Unknown| match u {
            Unknown::Value(v) => !self.chosen.contains_key(v),
            Unknown::Size(..) | Unknown::Index(_) => true,
        };
        self.unknowns.iter().copied().filter(free)
    }

    pub(crate) fn at_least_zero(&mut self, s: Option<Sum>) {
        self.holds.extend(s);
    }

    pub(crate) fn one_of(&mut self, clauses: Vec<Clause>) {
        self.one_of.push(clauses);
    }

    /// An argument of a function that is called is what the call gives for it.
    pub(crate) fn give(&mut self, ctx: &Context, argument: Value, given: Value) {
        if given.ty(ctx).is_memref(ctx) {
            self.given_memrefs.insert(argument, given);
        } else {
            let sum = self.value(ctx, given);
            self.given.insert(argument, sum);
        }
    }

    /// A value as a sum of unknowns.
    pub(crate) fn value(&mut self, ctx: &Context, v: Value) -> Sum {
        self.look(ctx, v, DEPTH)
    }

    fn look(&mut self, ctx: &Context, v: Value, depth: usize) -> Sum {
        if let Some(n) = ctx.constant_int(v) {
            return Sum::number(n);
        }
        if let Some(given) = self.given.get(&v) {
            return given.clone();
        }
        if depth > 0
            && v.ty(ctx) == ctx.index()
            && let Some(s) = self.through(ctx, v, depth - 1)
        {
            return s;
        }
        self.unknown(Unknown::Value(v))
    }

    fn through(&mut self, ctx: &Context, v: Value, depth: usize) -> Option<Sum> {
        let Some(op) = v.def_op() else {
            let outside = size_of_launch(ctx, v)?;
            return Some(self.look(ctx, outside, depth));
        };
        match op.name(ctx) {
            arith::AddIOp::NAME | arith::SubIOp::NAME => {
                let a = self.look(ctx, op.operand(ctx, 0), depth);
                let b = self.look(ctx, op.operand(ctx, 1), depth);
                a.plus(
                    &b,
                    if op.name(ctx) == arith::AddIOp::NAME {
                        1
                    } else {
                        -1
                    },
                )
            }
            arith::MulIOp::NAME => {
                let a = self.look(ctx, op.operand(ctx, 0), depth);
                let b = self.look(ctx, op.operand(ctx, 1), depth);
                match (a.as_number(), b.as_number()) {
                    (_, Some(n)) => Sum::default().plus(&a, n),
                    (Some(n), _) => Sum::default().plus(&b, n),
                    _ => None,
                }
            }
            arith::MaxSIOp::NAME | arith::MinSIOp::NAME => {
                if let Some(known) = self.chosen.get(&v) {
                    return Some(known.clone());
                }
                let a = self.look(ctx, op.operand(ctx, 0), depth);
                let b = self.look(ctx, op.operand(ctx, 1), depth);
                let max = op.name(ctx) == arith::MaxSIOp::NAME;
                if let Some(distance) = a.plus(&b, -1).filter(|d| d.terms.is_empty()) {
                    return Some(if (distance.constant >= 0) == max {
                        a
                    } else {
                        b
                    });
                }
                let choice = match a.terms <= b.terms {
                    true => (max, a.clone(), b.clone()),
                    false => (max, b.clone(), a.clone()),
                };
                if let Some(same) = self.choices.get(&choice).cloned() {
                    self.chosen.insert(v, same.clone());
                    return Some(same);
                }
                let this = self.unknown(Unknown::Value(v));
                self.chosen.insert(v, this.clone());
                self.choices.insert(choice, this.clone());
                // Of the greater, how far it is above each; of the less, below.
                let sign = if max { 1 } else { -1 };
                let above = |x: &Sum| Sum::default().plus(&this.plus(x, -1)?, sign);
                let (over_a, over_b) = (above(&a)?, above(&b)?);
                let is = |x: &Sum| Sum::default().plus(x, -1);
                self.holds.push(over_a.clone());
                self.holds.push(over_b.clone());
                self.one_of
                    .push(vec![vec![is(&over_a)?], vec![is(&over_b)?]]);
                Some(this)
            }
            arith::CeilDivSIOp::NAME | arith::CeilDivUIOp::NAME => {
                let a = self.look(ctx, op.operand(ctx, 0), depth).as_number()?;
                let b = self.look(ctx, op.operand(ctx, 1), depth).as_number()?;
                let all = a.checked_add(b)?.checked_sub(1)?;
                (a >= 0 && b > 0).then(|| Sum::number(all / b))
            }
            memref::DimOp::NAME => {
                let d = ctx.constant_int(op.operand(ctx, 1))?;
                self.size(ctx, op.operand(ctx, 0), usize::try_from(d).ok()?)
            }
            _ => None,
        }
    }

    /// The size of a dimension.
    pub(crate) fn size(&mut self, ctx: &Context, memref: Value, d: usize) -> Option<Sum> {
        let mut v = memref;
        loop {
            let cast = v.def_op().filter(|o| {
                matches!(
                    o.name(ctx),
                    memref::CastOp::NAME | memref::MemorySpaceCastOp::NAME | xfer::CreateOp::NAME
                )
            });
            v = match (cast, self.given_memrefs.get(&v)) {
                (Some(op), _) => op.operand(ctx, 0),
                (None, Some(given)) => *given,
                (None, None) => break,
            };
        }
        for m in [memref, v] {
            let size = *m.ty(ctx).shape(ctx)?.get(d)?;
            if size != DYNAMIC {
                return Some(Sum::number(size));
            }
        }
        Some(self.unknown(Unknown::Size(v, d)))
    }

    // ---- what holds at a place ----

    /// Adds what holds in a block: bounds of loops, sizes of launches, conditions.
    pub(crate) fn place(&mut self, ctx: &Context, block: Block) {
        let mut at = Some(block);
        while let Some(block) = at {
            let Some(op) = block.parent_op(ctx) else {
                return;
            };
            self.around(ctx, op, block);
            at = op.block(ctx);
        }
    }

    fn around(&mut self, ctx: &Context, op: Op, block: Block) {
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            let counter = l.induction_var(ctx);
            if !l.is_unsigned(ctx) && counter.ty(ctx) == ctx.index() {
                let counter = self.value(ctx, counter);
                let lower = self.value(ctx, l.lower_bound(ctx));
                let upper = self.value(ctx, l.upper_bound(ctx));
                self.at_least_zero(counter.plus(&lower, -1));
                self.less(&counter, &upper);
            }
        } else if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
            let ids = [
                (l.block_ids(ctx), l.grid_size(ctx)),
                (l.thread_ids(ctx), l.block_size(ctx)),
            ];
            for (ids, sizes) in ids {
                for (id, size) in ids.into_iter().zip(sizes) {
                    let id = self.value(ctx, id);
                    let size = self.value(ctx, size);
                    self.at_least_zero(Some(id.clone()));
                    self.less(&id, &size);
                }
            }
        } else if let Some(branch) = op.cast::<scf::IfOp>(ctx) {
            let holds = block == branch.then_block(ctx);
            self.condition(ctx, branch.condition(ctx), holds, DEPTH);
        }
    }

    fn less(&mut self, a: &Sum, b: &Sum) {
        let distance = b.plus(a, -1);
        self.at_least_zero(distance.and_then(|d| d.plus(&Sum::number(1), -1)));
    }

    fn condition(&mut self, ctx: &Context, v: Value, holds: bool, depth: usize) {
        use terrace_dialects::arith::{CmpIOp, CmpIPredicate::*};
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            return;
        };
        if op.name(ctx) == arith::AndIOp::NAME && holds {
            for v in op.operands(ctx) {
                self.condition(ctx, v, true, depth - 1);
            }
        }
        let Some(compare) = op.cast::<CmpIOp>(ctx) else {
            return;
        };
        let [a, b] = [op.operand(ctx, 0), op.operand(ctx, 1)];
        if a.ty(ctx) != ctx.index() {
            return;
        }
        let (a, b) = (self.value(ctx, a), self.value(ctx, b));
        match (compare.predicate(ctx), holds) {
            (Some(Slt), true) | (Some(Sge), false) => self.less(&a, &b),
            (Some(Sgt), true) | (Some(Sle), false) => self.less(&b, &a),
            (Some(Sle), true) | (Some(Sgt), false) => self.at_least_zero(b.plus(&a, -1)),
            (Some(Sge), true) | (Some(Slt), false) => self.at_least_zero(a.plus(&b, -1)),
            (Some(Eq), true) | (Some(Ne), false) => {
                self.at_least_zero(a.plus(&b, -1));
                self.at_least_zero(b.plus(&a, -1));
            }
            _ => {}
        }
    }

    // ---- solutions ----

    /// Whether there surely is no solution; at most `effort` systems are solved for it.
    pub(crate) fn is_contradiction(&self, effort: usize) -> bool {
        Search::new(self.unknowns.len(), effort).refutes(&self.holds, &self.one_of)
    }

    /// Whether what holds is a contradiction whatever is chosen: one system is solved.
    pub(crate) fn is_plain_contradiction(&self) -> bool {
        Search::new(self.unknowns.len(), 1).refutes(&self.holds, &[])
    }
}

/// The value that a size has outside, for an argument that is one in a launch.
fn size_of_launch(ctx: &Context, v: Value) -> Option<Value> {
    let launch = v.arg_block()?.parent_op(ctx)?.cast::<gpu::LaunchOp>(ctx)?;
    let of = |args: [Value; 3], sizes: [Value; 3]| {
        let at = args.iter().position(|a| *a == v)?;
        Some(sizes[at])
    };
    of(launch.grid_size_args(ctx), launch.grid_size(ctx))
        .or_else(|| of(launch.block_size_args(ctx), launch.block_size(ctx)))
}

/// The memref and the subscripts of a load or a store of one element.
pub(super) fn element(ctx: &Context, op: Op) -> Option<(Value, Vec<Value>)> {
    let operands = op.operands(ctx);
    let rest = if op.isa::<memref::LoadOp>(ctx) {
        &operands[..]
    } else if op.isa::<memref::StoreOp>(ctx) {
        &operands[1..]
    } else {
        return None;
    };
    let (memref, subscripts) = rest.split_first()?;
    Some((*memref, subscripts.to_vec()))
}
