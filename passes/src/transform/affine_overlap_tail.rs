//! `affine-overlap-tail`: the last vector of a row ends where the row does, over elements that the
//! one before has made already.
//!
//! ```text
//! affine.for %j = 0 to %n floordiv 8 * 8 step 8 {   affine.if (%n - 8 >= 0) {
//!   %v = vector.transfer_read %a[%j]                  %w = vector.transfer_read %a[%n - 8]
//!   vector.transfer_write %v, %b[%j]                  affine.for %j = 0 to %n - 8 step 8 {
//! }                                                     %v = vector.transfer_read %a[%j]
//! affine.for %j = %n floordiv 8 * 8 to %n {      =>     vector.transfer_write %v, %b[%j]
//!   %x = affine.load %a[%j]                           }
//!   affine.store %x, %b[%j]                           vector.transfer_write %w, %b[%n - 8]
//! } {loop.left_over}                                } else {
//!                                                     affine.for %j = 0 to %n { one by one }
//!                                                   }
//! ```
//!
//! What a vector loop leaves over takes as long, in a row of a few vectors, as the vectors, and the
//! end of a second loop is a branch that no processor foresees.
//!
//! Legal because the last iterations run twice on the same elements: the vector loads them before
//! the loop stores any, and stores what those iterations store in the loop. So every load of an
//! iteration has to come before a store to what may be the same array, and no iteration may load what
//! one before it stored, however long before: iterations that may run in lockstep do not.

use crate::analysis::bounds::both;
use crate::analysis::lockstep::run_in_lockstep;
use crate::analysis::memory::{base, may_coincide};
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{ApplyOp, ForOp, IfOp, YieldOp};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::vector::TransferWriteOp;
use terrace_dialects::{arith, func};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{is_pure, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-overlap-tail",
    title: "AffineOverlapTail",
    summary: "Let the last vector of a loop overlap the one before, in place of a loop over the rest",
    description: "Replaces what a loop in vectors leaves over by a vector of the last iterations, which may run twice.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that end in a whole vector",
    )],
    make: |_| Ok(Box::new(OverlapTail)),
    ..PassInfo::EMPTY
};

/// The most stores whose values wait for the end of the loop in registers.
const MOST_STORES: usize = 4;

/// Instructions in the time of a branch that goes another way than was foreseen.
const UNFORESEEN: f64 = 16.0;
/// Bits of a register for vectors, on the oldest machines.
const REGISTER: u64 = 128;

struct OverlapTail;

impl Pass for OverlapTail {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        // Those that are left over go.
        loops.retain(|l| l.step(ctx) > 1);
        for main in loops {
            if let Some(tail) = Tail::of(ctx, main)
                && tail.in_lockstep(ctx)
            {
                tail.replace(ctx);
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

/// A loop in vectors, and the loop over what it leaves over.
struct Tail {
    main: ForOp,
    rest: ForOp,
    lanes: i64,
    /// Where the iterations begin, and where they end, over these operands.
    first: AffineExpr,
    end: AffineExpr,
    space: (u32, u32),
    operands: Vec<Value>,
}

impl Tail {
    fn of(ctx: &Context, main: ForOp) -> Option<Tail> {
        let lanes = main.step(ctx);
        let rest = following(ctx, main.op())?.cast::<ForOp>(ctx)?;
        let is_pair = lanes > 1
            && rest.step(ctx) == 1
            && rest.op().attr(ctx, LOOP_LEFT_OVER).is_some()
            && main.op().num_results(ctx) + rest.op().num_results(ctx) == 0;
        let one = [
            main.lower_map(ctx),
            main.upper_map(ctx),
            rest.upper_map(ctx),
        ];
        if !is_pair || one.iter().any(|m| m.num_results() != 1) {
            return None;
        }
        // All bounds over the same operands.
        let maps = [
            (main.lower_map(ctx).clone(), main.lower_operands(ctx)),
            (rest.upper_map(ctx).clone(), rest.upper_operands(ctx)),
            (main.upper_map(ctx).clone(), main.upper_operands(ctx)),
            (rest.lower_map(ctx).clone(), rest.lower_operands(ctx)),
        ];
        let [first, others @ ..] = maps;
        let mut all = first;
        for (map, operands) in &others {
            let sum = both(ctx, (&all.0, &all.1), (map, operands));
            all = (sum.map, sum.operands);
        }
        let (map, operands) = all;
        let space = (map.num_dims(), map.num_symbols());
        let [first, end, middle, begins @ ..] = map.results() else {
            return None;
        };
        let plain = |e: AffineExpr| AffineMap::new(space.0, space.1, vec![e]).simplify();
        let is_same = |a: &AffineExpr, b: &AffineExpr| {
            plain(a.clone() - b.clone()).results()[0].as_constant() == Some(0)
        };
        let whole = (end.clone() - first.clone()).floor_div(lanes) * lanes;
        let begins_behind = begins.iter().any(|b| is_same(b, middle))
            && begins
                .iter()
                .all(|b| is_same(b, middle) || is_same(b, first));
        if !is_same(middle, &(first.clone() + whole)) || !begins_behind {
            return None;
        }
        let found = Tail {
            main,
            rest,
            lanes,
            first: first.clone(),
            end: end.clone(),
            space,
            operands,
        };
        (may_run_ahead(ctx, main) && found.pays(ctx)).then_some(found)
    }

    /// The number of iterations, where it is a constant.
    fn trips(&self) -> Option<i64> {
        let span = self.map(self.end.clone() - self.first.clone());
        span.results()[0].as_constant()
    }

    /// Whether all iterations, one by one, may run in lockstep.
    fn in_lockstep(&self, ctx: &mut Context) -> bool {
        let all = clone_op(ctx, self.rest.op(), &mut IrMapping::new());
        all.insert_before(ctx, self.rest.op());
        let l = ForOp::wrap(all);
        self.begin(ctx, l);
        let may = run_in_lockstep(ctx, l);
        all.erase(ctx);
        may
    }

    /// Lets a loop over what is left over be one over all iterations.
    fn begin(&self, ctx: &Context, rest: ForOp) {
        let begin = compose(ctx, &self.map(self.first.clone()), &self.operands);
        rest.set_lower(ctx, begin.map, &begin.operands);
    }

    /// Whether the number of iterations changes with a loop around.
    fn varies(&self, ctx: &Context) -> bool {
        let span = self.map(self.end.clone() - self.first.clone());
        let span = compose(ctx, &span, &self.operands);
        let counts = |v: &Value| {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|op| !op.isa::<func::FuncOp>(ctx))
        };
        span.operands.iter().any(counts)
    }

    fn map(&self, e: AffineExpr) -> AffineMap {
        AffineMap::new(self.space.0, self.space.1, vec![e]).simplify()
    }

    /// Whether one more vector takes no longer than what is left over, which is half a vector where
    /// that is not known. Where each row has another length, nobody foresees how often its loop runs.
    fn pays(&self, ctx: &Context) -> bool {
        let (left, branch) = match self.trips() {
            Some(n) if n < self.lanes || n % self.lanes == 0 => return false,
            Some(n) => ((n % self.lanes) as f64, 0.0),
            None => (
                (self.lanes - 1) as f64 / 2.0,
                if self.varies(ctx) { UNFORESEEN } else { 0.0 },
            ),
        };
        let cost = |l: ForOp| {
            let ops = l.body(ctx).ops(ctx).into_iter();
            let free = |op: &Op| {
                op.isa::<ApplyOp>(ctx) || op.isa::<arith::ConstantOp>(ctx) || op.isa::<YieldOp>(ctx)
            };
            ops.filter(|op| !free(op))
                .map(|op| instructions(ctx, op))
                .sum()
        };
        let (main, rest): (f64, f64) = (cost(self.main), cost(self.rest));
        main <= left * rest + branch
    }

    fn replace(self, ctx: &mut Context) {
        if self.trips().is_some() {
            let at = InsertPoint::Before(self.main.op());
            self.overlapping(ctx, at);
            self.rest.op().erase(ctx);
            return;
        }
        let enough = self.map(self.end.clone() - self.first.clone() - self.lanes);
        let condition = Constraint {
            expr: enough.results()[0].clone(),
            is_eq: false,
        };
        let set = IntegerSet::new(self.space.0, self.space.1, vec![condition]);
        let loc = self.main.op().loc(ctx);
        let mut b = Builder::new(ctx, InsertPoint::Before(self.main.op()), loc);
        let nothing = |_: &mut Builder| Vec::new();
        let i = IfOp::build(
            &mut b,
            set,
            &self.operands,
            &[],
            nothing,
            Some(&mut |_| Vec::new()),
        );
        let (Some(then), Some(otherwise)) = (
            i.then_block(ctx).terminator(ctx),
            i.else_block(ctx).and_then(|e| e.terminator(ctx)),
        ) else {
            return;
        };
        self.main.op().move_before(ctx, then);
        self.rest.op().move_before(ctx, otherwise);
        self.begin(ctx, self.rest);
        self.overlapping(ctx, InsertPoint::Before(self.main.op()));
    }

    /// The loop up to the last vector, with what that one loads and computes in front of it, and
    /// its stores behind.
    fn overlapping(&self, ctx: &mut Context, at: InsertPoint) {
        let last = self.map(self.end.clone() - self.lanes);
        let last = compose(ctx, &last, &self.operands);
        self.main.set_upper(ctx, last.map.clone(), &last.operands);
        let (body, iv) = (self.main.body(ctx), self.main.iv(ctx));
        let loc = self.main.op().loc(ctx);
        let mut b = Builder::new(ctx, at, loc);
        let mut map = IrMapping::new();
        map.map(iv, ApplyOp::build(&mut b, last.map, &last.operands));
        let mut behind = self.main.op();
        for op in body.ops(ctx) {
            if op.isa::<YieldOp>(ctx) {
                continue;
            }
            let copy = clone_op(ctx, op, &mut map);
            match op.isa::<TransferWriteOp>(ctx) {
                true => {
                    copy.insert_after(ctx, behind);
                    behind = copy;
                }
                false => copy.insert_before(ctx, self.main.op()),
            }
        }
    }
}

/// The next op that does something.
fn following(ctx: &Context, op: Op) -> Option<Op> {
    let mut next = op.next(ctx)?;
    while is_pure(ctx, next) && next.num_regions(ctx) == 0 {
        next = next.next(ctx)?;
    }
    Some(next)
}

/// Whether the loads of an iteration in vectors, and what is computed from them, can come before
/// all stores of the loop, which are a few vectors.
fn may_run_ahead(ctx: &Context, l: ForOp) -> bool {
    let mut stored: Vec<Value> = Vec::new();
    for op in l.body(ctx).ops(ctx) {
        if op.isa::<YieldOp>(ctx) {
            continue;
        }
        if op.num_regions(ctx) > 0 {
            return false;
        }
        let Some(effects) = own_effects(ctx, op) else {
            return false;
        };
        for e in effects {
            let Some(on) = e.on.map(|v| base(ctx, v)) else {
                return false;
            };
            match e.kind {
                EffectKind::Read if stored.iter().any(|s| may_coincide(ctx, *s, on)) => {
                    return false;
                }
                EffectKind::Read => {}
                EffectKind::Write if op.isa::<TransferWriteOp>(ctx) => stored.push(on),
                _ => return false,
            }
        }
    }
    (1..=MOST_STORES).contains(&stored.len())
}

/// The instructions of an op: one for each register of a vector.
fn instructions(ctx: &Context, op: Op) -> f64 {
    let values = op.results(ctx).into_iter().chain(op.operands(ctx));
    let registers = values.filter_map(|v| {
        let lanes = v
            .ty(ctx)
            .num_elements(ctx)
            .filter(|_| v.ty(ctx).is_vector(ctx))?;
        let bits = u64::from(v.ty(ctx).element(ctx)?.bit_width(ctx)?);
        Some((lanes.unsigned_abs() * bits).div_ceil(REGISTER))
    });
    registers.max().unwrap_or(1) as f64
}
