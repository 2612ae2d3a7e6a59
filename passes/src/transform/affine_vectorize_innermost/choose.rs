//! How many iterations a vector has, and whether vectors pay.

use super::forms::{Cost, cost_of, has_long_form, lane_bits};
use crate::analysis::bounds::{constant_trip_count, trip_count_divisor};
use crate::analysis::captured::is_inside;
use crate::analysis::chains;
use crate::analysis::ranges::Ranges;
use crate::analysis::reduction;
use crate::analysis::subscript::Subscript;
use crate::loops::vectorize::gathers::{computes_index, index_step, is_cast, is_row};
use crate::loops::vectorize::lanes::growth;
use crate::loops::vectorize::turns::{InTurn, Turns, goes_back, instructions_to_reverse};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp, YieldOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::scf::{self, IfOp};
use terrace_dialects::{arith, memref};
use terrace_ir::{Context, Op, OpKind, Value};

/// How an access moves from one iteration to the next.
#[derive(Debug, Clone, Copy)]
enum Moves {
    /// Not at all; a load.
    Not,
    /// To the next element.
    Next,
    /// To the element before.
    Back,
    /// By a few elements; others load the rest.
    InTurn(InTurn),
    /// To another element, for each lane one by one.
    Far,
}

/// What the body of a loop is made of, as vectors see it.
struct Body {
    /// Bits of the narrowest and of the widest lanes.
    narrowest: u32,
    widest: u32,
    /// Instructions of an iteration on scalars.
    scalar: f64,
    /// Instructions on vectors, with the bits of their lanes.
    registers: Vec<(u32, f64)>,
    /// Instructions that each lane needs.
    by_lane: f64,
    /// Instructions that all lanes share.
    shared: f64,
    /// How often what is looked at runs in an iteration: more than once in a loop inside.
    times: f64,
    /// Values that are the same in all lanes, though they are made in the loop.
    uniform: FxHashSet<Value>,
    /// Indices that each lane computes for itself.
    own: FxHashSet<Value>,
    /// Ops that add up the lanes one after the other.
    in_order: FxHashSet<Op>,
    turns: Turns,
    /// Whether what is looked at runs in some lanes only.
    conditional: bool,
    /// Whether something has a form on registers of 16 bytes only.
    short: bool,
    /// Values that are in registers at once, at most.
    held: u32,
    /// Registers for each value that loops inside have enough to do with, whose iterations wait
    /// for the one before.
    chains: u64,
    moves: bool,
}

/// Vectors of more registers than this for each value hide no more latency.
const MOST_REGISTERS: u64 = 4;
/// Lanes of a vector longer than a register; more would leave too many iterations over.
const MOST_LANES: u64 = 8;
/// The part of a scalar iteration's instructions that a vector's may take.
const MUST_GAIN: f64 = 0.8;
/// Bytes of registers that all ops have forms on.
const SHORT: u64 = 16;
/// Instructions that an iteration of a loop costs by itself.
const LOOP: f64 = 2.0;
/// Instructions of a branch that goes either way.
const BRANCH: f64 = 2.0;
/// How often a loop inside is taken to run where that is not known.
const TIMES_UNKNOWN: f64 = 16.0;

/// The registers for vectors that a core has.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// The bytes of one.
    pub bytes: u64,
    /// How many there are.
    pub count: u64,
}

/// The number of iterations for vectors of such registers; nothing where an op
/// or access of the loop has no form on them or where they do not pay.
pub fn lanes(ctx: &Context, l: ForOp, has: Registers, in_order: bool) -> Option<u64> {
    let body = Body::of(ctx, l, in_order)?;
    let has = body.registers_for(constant_trip_count(ctx, l), has);
    let per_register = |bits: u32| 8 * has.bytes / u64::from(bits);
    let least = per_register(body.narrowest);
    if least < 2 || !body.moves {
        return None;
    }
    let trips = constant_trip_count(ctx, l);
    if trips.is_some_and(|n| n < least) {
        return None;
    }
    let cost = body.cost(least, per_register);
    if cost > MUST_GAIN * body.scalar {
        return None;
    }
    // Several registers for each value share what a loop costs, and hide latencies.
    // Where nothing is left over, that is not given up for it in a short loop.
    let divisor = trip_count_divisor(ctx, l);
    // A chunk may end before its last iteration, and have no more of them for sure.
    let at_most = match body.chains {
        0 => None,
        _ => Ranges::default().most_trips(ctx, l),
    };
    let mut lanes = least;
    loop {
        let next = 2 * lanes;
        let registers = next / per_register(body.widest);
        // Where a loop inside waits, all lanes of a chunk may be one vector, and a value that is in
        // memory for a while costs less than to wait.
        let waits = registers <= body.chains;
        let (vectors, most_held) = if waits { (1, 2) } else { (2, 1) };
        let few = registers <= MOST_REGISTERS && next <= MOST_LANES.max(least);
        let fits = registers * u64::from(body.held) <= most_held * has.count
            && (waits || few)
            && trips.is_none_or(|n| n >= vectors * next)
            && at_most.is_none_or(|n| n >= next)
            && (!divisor.is_multiple_of(lanes)
                || divisor.is_multiple_of(next)
                || trips.is_none_or(|n| n >= 8 * next));
        if !fits {
            return Some(lanes);
        }
        lanes = next;
    }
}

impl Body {
    fn of(ctx: &Context, l: ForOp, in_order: bool) -> Option<Body> {
        let mut body = Body {
            narrowest: u32::MAX,
            widest: 0,
            scalar: 0.0,
            registers: Vec::new(),
            by_lane: 0.0,
            shared: 0.0,
            times: 1.0,
            uniform: FxHashSet::default(),
            own: FxHashSet::default(),
            in_order: reduction::all_of(ctx, l)
                .unwrap_or_default()
                .into_iter()
                .filter(|r| in_order && r.is_ordered(ctx))
                .map(|r| r.combiner)
                .collect(),
            turns: Turns::of(ctx, l),
            conditional: false,
            short: false,
            held: 1,
            chains: 0,
            moves: false,
        };
        for op in l.body(ctx).ops(ctx) {
            body.take(ctx, l, op)?;
        }
        body.held += l.op().num_results(ctx) as u32;
        (body.widest > 0).then_some(body)
    }

    fn take(&mut self, ctx: &Context, l: ForOp, op: Op) -> Option<()> {
        let ends = op.isa::<YieldOp>(ctx) || op.isa::<scf::YieldOp>(ctx);
        if ends || op.isa::<ApplyOp>(ctx) || op.isa::<arith::ConstantOp>(ctx) {
            return Some(());
        }
        if let Some(inner) = op.cast::<ForOp>(ctx) {
            return self.take_loop(ctx, l, inner);
        }
        if let Some(i) = op.cast::<IfOp>(ctx) {
            return self.take_condition(ctx, l, i);
        }
        if let Some(access) = Access::of(ctx, op) {
            return self.take_access(ctx, l, &access);
        }
        if self.is_uniform(ctx, l, op) {
            self.uniform.extend(op.results(ctx));
            self.scalar += self.times;
            self.shared += self.times;
            return Some(());
        }
        if self.in_order.contains(&op) {
            let bits = lane_bits(ctx, op.result(ctx, 0).ty(ctx))?;
            self.width(bits);
            self.short = true;
            self.scalar += 1.0;
            self.by_lane += 2.0;
            return Some(());
        }
        if computes_index(ctx, op) {
            return self.take_index(ctx, l, op);
        }
        if op.isa::<memref::LoadOp>(ctx) {
            return self.take_gather(ctx, l, op);
        }
        let (cost, scalar) = cost_of(ctx, l, op)?;
        self.short |= !has_long_form(ctx, op);
        self.scalar += f64::from(scalar) * self.times;
        let types = op.operands(ctx).into_iter().chain(op.results(ctx));
        let widths: Vec<u32> = types.filter_map(|v| lane_bits(ctx, v.ty(ctx))).collect();
        widths.iter().for_each(|bits| self.width(*bits));
        // Masks are as wide as what was compared.
        let widest = widths.into_iter().max().unwrap_or(self.widest);
        match cost {
            Cost::Register => self.registers.push((widest, self.times)),
            Cost::Registers(n) => self.registers.push((widest, f64::from(n) * self.times)),
            Cost::Lane(n) => self.by_lane += f64::from(n) * self.times,
        }
        Some(())
    }

    /// A loop inside, which all lanes run together.
    fn take_loop(&mut self, ctx: &Context, l: ForOp, inner: ForOp) -> Option<()> {
        let bounds = [inner.lower_operands(ctx), inner.upper_operands(ctx)].concat();
        let outside = |v: &Value| self.uniform.contains(v) || !is_inside(ctx, l.op(), *v);
        if !bounds.iter().all(outside) {
            // Lanes would leave it one after the other.
            return None;
        }
        let around = self.times;
        let times = constant_trip_count(ctx, inner).map_or(TIMES_UNKNOWN, |n| n as f64);
        self.times *= times;
        self.uniform.insert(inner.iv(ctx));
        for op in inner.body(ctx).ops(ctx) {
            self.take(ctx, l, op)?;
        }
        self.scalar += LOOP * self.times;
        self.shared += LOOP * self.times;
        // A value that is loaded for the first iteration is in the same register.
        let loaded = |v: &Value| {
            let load = v.def_op().and_then(|op| Access::of(ctx, op));
            load.is_some_and(|a| is_inside(ctx, l.op(), *v) && a.op.num_results(ctx) == 1)
                && v.uses(ctx).len() == 1
        };
        let carried = inner.iter_args(ctx).into_iter();
        let carried = carried.filter(|v| v.has_uses(ctx)).count();
        let loaded = inner.inits(ctx).iter().filter(|v| loaded(v)).count();
        self.held += carried.saturating_sub(loaded) as u32;
        self.chains = self.chains.max(chains::wanted(ctx, inner));
        self.times = around;
        Some(())
    }

    /// A condition, whose ways run where one lane takes them.
    fn take_condition(&mut self, ctx: &Context, l: ForOp, i: IfOp) -> Option<()> {
        let condition = i.condition(ctx);
        let shared = self.uniform.contains(&condition) || !is_inside(ctx, l.op(), condition);
        if i.op().num_results(ctx) > 0 && !shared {
            return None;
        }
        self.held += i.op().num_results(ctx) as u32;
        let around = self.conditional;
        self.conditional |= !shared;
        self.short |= !shared;
        self.scalar += BRANCH * self.times;
        self.shared += if shared { BRANCH } else { BRANCH + 1.0 } * self.times;
        for block in [Some(i.then_block(ctx)), i.else_block(ctx)]
            .into_iter()
            .flatten()
        {
            for op in block.ops(ctx) {
                self.take(ctx, l, op)?;
            }
        }
        self.conditional = around;
        Some(())
    }

    fn take_access(&mut self, ctx: &Context, l: ForOp, access: &Access) -> Option<()> {
        let bits = lane_bits(ctx, access.memref.ty(ctx).element(ctx)?)?;
        self.width(bits);
        self.scalar += self.times;
        match moves(ctx, &self.turns, access, l)? {
            Moves::Not => {
                // Loaded once, and put into all lanes.
                self.uniform.extend(access.op.results(ctx));
                self.shared += self.times;
                self.registers.push((bits, self.times));
            }
            how @ (Moves::Next | Moves::Back | Moves::InTurn(_)) => {
                self.moves = true;
                self.short |= !matches!(how, Moves::Next);
                let order = match how {
                    Moves::Back => instructions_to_reverse(bits),
                    Moves::InTurn(turn) => turn.instructions(bits),
                    _ => 0.0,
                };
                // Where some lanes store, the others store what is there.
                let blends = self.conditional && access.stored(ctx).is_some();
                let n = if blends {
                    4.0 + 2.0 * order
                } else {
                    1.0 + order
                };
                self.registers.push((bits, n * self.times));
                self.held += u32::from(access.stored(ctx).is_none());
            }
            Moves::Far => {
                self.moves = true;
                self.short = true;
                self.by_lane += f64::from(1 + insertion(bits)) * self.times;
                self.held += 1;
            }
        }
        Some(())
    }

    /// An index that lanes compute for themselves, of others or, if it is a cast, of a number.
    fn take_index(&mut self, ctx: &Context, l: ForOp, op: Op) -> Option<()> {
        let operands = op.operands(ctx);
        let of_number = is_cast(ctx, op);
        if !of_number && !operands.iter().all(|v| self.is_index(ctx, l, *v)) {
            return None;
        }
        self.own.extend(op.results(ctx));
        self.scalar += self.times;
        let v = op.result(ctx, 0);
        if index_step(ctx, v, &|v| self.step_of_lane(ctx, l, v)).is_some() {
            // Loads along a row want that of the first lane.
            self.shared += self.times;
            return Some(());
        }
        // The number is taken out of its register.
        self.by_lane += self.times * if of_number { 2.0 } else { 1.0 };
        Some(())
    }

    /// A load whose subscripts are computed from values.
    fn take_gather(&mut self, ctx: &Context, l: ForOp, op: Op) -> Option<()> {
        let operands = op.operands(ctx);
        let (memref, indices) = operands.split_first()?;
        let there = !is_inside(ctx, l.op(), *memref) && !self.conditional;
        if !there || !indices.iter().all(|v| self.is_index(ctx, l, *v)) {
            return None;
        }
        let bits = lane_bits(ctx, op.result(ctx, 0).ty(ctx))?;
        self.width(bits);
        self.scalar += self.times;
        let is_same = |v: &Value| self.uniform.contains(v) || !is_inside(ctx, l.op(), *v);
        if indices.iter().all(is_same) {
            self.uniform.extend(op.results(ctx));
            self.shared += self.times;
            self.registers.push((bits, self.times));
        } else if is_row(ctx, indices, &|v| self.step_of_lane(ctx, l, v)) {
            self.registers.push((bits, self.times));
        } else {
            self.moves = true;
            self.short = true;
            self.by_lane += f64::from(1 + insertion(bits)) * self.times;
            self.held += 1;
        }
        Some(())
    }

    /// How much larger an index is in each lane than in the one before, if it is no sum of others.
    fn step_of_lane(&self, ctx: &Context, l: ForOp, v: Value) -> Option<i64> {
        let is_same = self.uniform.contains(&v) || !is_inside(ctx, l.op(), v);
        let applied = v.def_op().is_none_or(|o| o.isa::<ApplyOp>(ctx));
        match (is_same, applied) {
            (true, _) => Some(0),
            (_, true) => growth(ctx, v, l),
            _ => None,
        }
    }

    /// Whether lanes can have an index: the variable of a loop, one of their own or the same in all.
    fn is_index(&self, ctx: &Context, l: ForOp, v: Value) -> bool {
        let applied = v.def_op().is_some_and(|o| o.isa::<ApplyOp>(ctx));
        let known = self.own.contains(&v) || self.uniform.contains(&v) || v == l.iv(ctx);
        let constant = v.def_op().is_some_and(|o| o.isa::<arith::ConstantOp>(ctx));
        known || applied || constant || !is_inside(ctx, l.op(), v)
    }

    /// Whether all lanes compute the same. In a loop without one inside such an op was moved in
    /// front of it.
    fn is_uniform(&self, ctx: &Context, l: ForOp, op: Op) -> bool {
        let outside = |v: &Value| self.uniform.contains(v) || !is_inside(ctx, l.op(), *v);
        op.regions(ctx).is_empty() && op.operands(ctx).iter().all(outside)
    }

    /// The longest registers of those that there are that the loop can use, and that leave it the
    /// least work where it is known how often it runs.
    fn registers_for(&self, trips: Option<u64>, has: Registers) -> Registers {
        let short = self.short || self.narrowest != self.widest;
        let mut bytes = if short {
            SHORT.min(has.bytes)
        } else {
            has.bytes
        };
        if let Some(n) = trips {
            let work = |bytes: u64| {
                let lanes = 8 * bytes / u64::from(self.widest);
                n / lanes + n % lanes
            };
            while bytes > SHORT && work(bytes / 2) < work(bytes) {
                bytes /= 2;
            }
        }
        // The names of long registers are not those of short ones.
        let count = match bytes < has.bytes {
            true => has.count.min(SHORT),
            false => has.count,
        };
        Registers { bytes, count }
    }

    fn width(&mut self, bits: u32) {
        self.narrowest = self.narrowest.min(bits);
        self.widest = self.widest.max(bits);
    }

    /// Instructions of an iteration where vectors have so many.
    fn cost(&self, lanes: u64, per_register: impl Fn(u32) -> u64) -> f64 {
        let of = |(bits, n): &(u32, f64)| {
            let registers = lanes.div_ceil(per_register(*bits).max(1));
            registers as f64 * n / lanes as f64
        };
        let vectors = self.registers.iter().map(of).sum::<f64>();
        vectors + self.by_lane + self.shared / lanes as f64
    }
}

/// Instructions that put one lane into a register, or take it out, on the oldest machines.
fn insertion(bits: u32) -> u32 {
    match bits {
        8 => 10,
        16 => 2,
        32 => 3,
        _ => 1,
    }
}

/// How an access moves from one iteration to the next; nothing where it is no access of a
/// number, or all iterations store to one element.
fn moves(ctx: &Context, turns: &Turns, access: &Access, l: ForOp) -> Option<Moves> {
    if access.vector.is_some() || access.kind == AccessKind::Prefetch {
        return None;
    }
    let subscripts = Subscript::all_of(ctx, access);
    let iv = l.iv(ctx);
    if subscripts.iter().all(|s| s.growth(iv) == Some(0)) {
        return access.stored(ctx).is_none().then_some(Moves::Not);
    }
    let (last, others) = subscripts.split_last()?;
    let layout = strides_and_offset(ctx, access.memref.ty(ctx))?;
    let next = others.iter().all(|s| s.growth(iv) == Some(0))
        && last.growth(iv) == Some(1)
        && layout.strides.last() == Some(&1);
    Some(match (next, turns.in_turn(access.op)) {
        (true, _) => Moves::Next,
        (_, Some(turn)) => Moves::InTurn(turn),
        _ if goes_back(ctx, access, l) => Moves::Back,
        _ => Moves::Far,
    })
}
