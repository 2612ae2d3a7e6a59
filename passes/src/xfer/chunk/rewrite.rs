//! The pieces of a launch and its copies.
//!
//! ```text
//! %n = number of blocks, %q = max(%n / 4, 1)
//! scf.if %n >= 4, bytes enough, rows within the arrays {
//!   in 0, launch 0, in 1, launch 1, out 0, in 2, launch 2, out 1, ...
//! } else {
//!   in, launch, out
//! }
//! ```
//!
//! The last piece has what is left. A copy out stands behind the next copy in: who copies
//! memory that is not pinned does so himself, and then finds the kernel done. Sums without
//! minima and maxima, for which the test in front stands, can be followed by `xfer-check`
//! and `xfer-overlap`.

use super::find::{Transfer, behind};
use super::policy::{Chunking, Split};
use super::rows::Why;
use super::strides::Need;
use crate::analysis::linear::Linear;
use crate::analysis::memory::base;
use crate::xfer::narrow::emit::{Maker, Number};
use crate::xfer::narrow::expand::expand;
use crate::xfer::narrow::footprint::number;
use terrace_dialects::arith::{self, AddIOp, CmpIOp, CmpIPredicate, DivSIOp, MaxSIOp, MulIOp};
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::memref::DimOp;
use terrace_dialects::offsets::{Mixed, Slice};
use terrace_dialects::scf;
use terrace_dialects::xfer::CopyOp;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// A launch in pieces, beside what it was.
pub struct Made {
    branch: Op,
    then: Block,
    other: Block,
    /// Whether the branch is always taken.
    surely: bool,
    /// What was made in front of it, in order.
    made: Vec<Op>,
}

impl Made {
    /// What was there before.
    pub fn undo(self, ctx: &mut Context) {
        take_out(ctx, self.other, self.branch);
        self.branch.erase(ctx);
        for op in self.made.into_iter().rev() {
            if !op.has_uses(ctx) {
                op.erase(ctx);
            }
        }
    }

    /// The pieces, where they are surely right without those in one.
    pub fn keep(self, ctx: &mut Context) {
        if self.surely {
            take_out(ctx, self.then, self.branch);
            self.branch.erase(ctx);
        }
    }
}

/// The ops of a block, but for the last, in front of `mark`.
fn take_out(ctx: &mut Context, block: Block, mark: Op) {
    let ops = block.ops(ctx);
    for op in ops.iter().take(ops.len().saturating_sub(1)) {
        op.move_before(ctx, mark);
    }
}

/// A copy with the rows that each piece goes up to.
struct Pieces {
    transfer: Transfer,
    /// The box: offsets and sizes of all dimensions.
    offsets: Vec<Mixed>,
    sizes: Vec<Mixed>,
    low: Linear,
    high: Linear,
    /// Between each piece and the next.
    edges: Vec<Linear>,
}

/// Makes the pieces.
///
/// # Errors
/// Where it is known that some would have no rows, or too few bytes; nothing is changed then.
pub fn split(
    ctx: &mut Context,
    plan: Chunking,
    conditions: Vec<Value>,
    needs: Vec<Need>,
) -> Result<Made, Why> {
    let launch = plan.launch;
    for out in &plan.outs {
        let made = behind(ctx, launch.op(), out.transfer.copy.op()).unwrap_or_default();
        made.iter().for_each(|op| op.move_before(ctx, launch.op()));
    }
    let mut m = Maker {
        ctx,
        before: launch.op(),
        made: Vec::new(),
    };
    let mut tests = Tests { conditions };
    let result = needs
        .iter()
        .try_for_each(|n| tests.at_least(&mut m, &n.more, &n.less, "its grid is too small"))
        .and_then(|()| pieces(&mut m, &plan, &mut tests));
    let made = std::mem::take(&mut m.made);
    let remove = |ctx: &mut Context, made: Vec<Op>| {
        for op in made.into_iter().rev() {
            op.erase(ctx);
        }
    };
    let (blocks, ins, outs) = match result {
        Ok(all) => all,
        Err(why) => {
            remove(ctx, made);
            return Err(why);
        }
    };
    let mut all = Maker {
        ctx,
        before: launch.op(),
        made,
    };
    let surely = tests.conditions.is_empty();
    let condition = tests.all(&mut all);
    let made = all.made;
    let mut b = Builder::before(ctx, launch.op());
    let (branch, then, other) = scf::IfOp::build(&mut b, condition, &[], true);
    let Some(other) = other else {
        return Err("it cannot be put in a branch");
    };
    for block in [then, other] {
        b.with_point(InsertPoint::End(block), |b| {
            scf::YieldOp::build(b, &[]);
        });
    }
    let Some(end) = then.terminator(ctx) else {
        return Err("it cannot be put in a branch");
    };
    emit(ctx, end, &plan, &blocks, &ins, &outs);
    if let Some(end) = other.terminator(ctx) {
        let ins = plan.ins.iter().map(|s| s.transfer.copy.op());
        let outs = plan.outs.iter().map(|s| s.transfer.copy.op());
        for op in ins.chain([launch.op()]).chain(outs) {
            op.move_before(ctx, end);
        }
    }
    Ok(Made {
        branch: branch.op(),
        then,
        other,
        surely,
        made,
    })
}

/// What must hold for the pieces to be right, and worth it.
struct Tests {
    conditions: Vec<Value>,
}

impl Tests {
    /// `a >= b`; an error where that is known to be wrong.
    fn at_least(&mut self, m: &mut Maker, a: &Linear, b: &Linear, why: Why) -> Result<(), Why> {
        if let Some(distance) = a.distance(b) {
            return if distance >= 0 { Ok(()) } else { Err(why) };
        }
        let (a, b) = (m.linear(a), m.linear(b));
        self.compare(m, a, b);
        Ok(())
    }

    fn compare(&mut self, m: &mut Maker, a: Number, b: Number) {
        let (a, b) = (m.as_value(a), m.as_value(b));
        let mut builder = Builder::before(m.ctx, m.before);
        let c = CmpIOp::build(&mut builder, CmpIPredicate::Sge, a, b);
        m.made.extend(c.def_op());
        self.conditions.push(c);
    }

    fn all(self, m: &mut Maker) -> Value {
        let mut all: Option<Value> = None;
        for c in self.conditions {
            all = Some(match all {
                None => c,
                Some(a) => {
                    let ty = m.ctx.i1();
                    let mut b = Builder::before(m.ctx, m.before);
                    let v = b.value::<arith::AndIOp>(&[a, c], ty, &[]);
                    m.made.extend(v.def_op());
                    v
                }
            });
        }
        all.unwrap_or_else(|| {
            let mut b = Builder::before(m.ctx, m.before);
            let v = arith::constant_bool(&mut b, true);
            m.made.extend(v.def_op());
            v
        })
    }
}

/// The blocks that each piece begins with, and how many it has.
type Blocks = Vec<(Linear, Linear)>;

fn pieces(
    m: &mut Maker,
    plan: &Chunking,
    tests: &mut Tests,
) -> Result<(Blocks, Vec<Pieces>, Vec<Pieces>), Why> {
    const FEW: Why = "it has fewer blocks than pieces";
    const LARGE: Why = "its numbers are too large";
    let chunks = plan.policy.chunks;
    let count = plan.launch.grid_size(m.ctx)[plan.dim];
    let all = expand(m.ctx, count);
    // All but the last have as many.
    let each = match all.as_constant() {
        Some(n) => Linear::constant(n / chunks),
        None => {
            let q = m.two::<DivSIOp>(Number::Value(count), Number::Known(chunks));
            let some = m.two::<MaxSIOp>(q, Number::Known(1));
            Linear::value(m.as_value(some))
        }
    };
    tests.at_least(m, &all, &Linear::constant(chunks), FEW)?;
    let starts: Option<Vec<Linear>> = (0..chunks).map(|c| each.times(c)).collect();
    let starts = starts.ok_or(LARGE)?;
    let mut blocks: Blocks = starts.iter().map(|s| (s.clone(), each.clone())).collect();
    if let Some((first, left)) = blocks.last_mut() {
        let all = all
            .as_constant()
            .map_or(Linear::value(count), Linear::constant);
        *left = all.plus_times(first, -1).ok_or(LARGE)?;
    }
    let of = |m: &mut Maker, list: &[Split], tests: &mut Tests| {
        list.iter()
            .map(|s| rows(m, s, &starts[1..], tests))
            .collect::<Result<Vec<Pieces>, Why>>()
    };
    let ins = of(m, &plan.ins, tests)?;
    let outs = of(m, &plan.outs, tests)?;
    let least = plan.policy.min_bytes;
    enough(m, ins.iter().chain(&outs), least, tests)?;
    Ok((blocks, ins, outs))
}

/// The rows of the pieces of a copy: those between the edges for the first blocks of each.
fn rows(m: &mut Maker, s: &Split, starts: &[Linear], tests: &mut Tests) -> Result<Pieces, Why> {
    const OUTSIDE: Why = "a piece would have rows that are not copied";
    let t = &s.transfer;
    let (offsets, sizes) = match &t.slice {
        Some(s) => (s.offsets.clone(), s.sizes.clone()),
        None => {
            let shape = t.host.ty(m.ctx).shape(m.ctx).unwrap_or(&[]).to_vec();
            let sizes = (0..shape.len()).map(|d| extent(m, t.host, d, shape[d]));
            (vec![Mixed::Static(0); shape.len()], sizes.collect())
        }
    };
    let (Some(first), Some(size)) = (offsets.first(), sizes.first()) else {
        return Err(OUTSIDE);
    };
    let low = number(m.ctx, *first);
    let high = low.plus_times(&number(m.ctx, *size), 1).ok_or(OUTSIDE)?;
    let edges: Option<Vec<Linear>> = starts.iter().map(|b| s.edge.at(b)).collect();
    let edges = edges.ok_or(OUTSIDE)?;
    // A view that begins where the array ends is none that can be written down.
    let extent = t
        .host
        .ty(m.ctx)
        .shape(m.ctx)
        .and_then(|s| s.first().copied());
    let ends = |e: &Linear| e.as_constant() >= extent && extent != Some(DYNAMIC);
    if edges.iter().any(|e| e.as_constant().is_some() && ends(e)) {
        return Err(OUTSIDE);
    }
    if let (Some(first), Some(last)) = (edges.first(), edges.last()) {
        tests.at_least(m, first, &low, OUTSIDE)?;
        tests.at_least(m, &high, last, OUTSIDE)?;
    }
    Ok(Pieces {
        transfer: t.clone(),
        offsets,
        sizes,
        low,
        high,
        edges,
    })
}

fn extent(m: &mut Maker, array: Value, d: usize, size: i64) -> Mixed {
    if size != DYNAMIC {
        return Mixed::Static(size);
    }
    let d = m.as_value(Number::Known(d as i64));
    let v = DimOp::build(&mut Builder::before(m.ctx, m.before), array, d);
    m.made.extend(v.def_op());
    Mixed::Value(v)
}

/// Asks for bytes enough.
fn enough<'a>(
    m: &mut Maker,
    list: impl Iterator<Item = &'a Pieces>,
    least: i64,
    tests: &mut Tests,
) -> Result<(), Why> {
    const LITTLE: Why = "its copies are too short";
    if least <= 0 {
        return Ok(());
    }
    let mut known = 0i64;
    let mut sum: Option<Number> = None;
    for p in list {
        let element = p.transfer.host.ty(m.ctx).element(m.ctx);
        let bits = element.and_then(|e| e.bit_width(m.ctx)).unwrap_or(8);
        let mut bytes = i64::from(bits.div_ceil(8));
        let mut values = Vec::new();
        for s in &p.sizes {
            match s.constant(m.ctx) {
                Some(n) => bytes = bytes.saturating_mul(n),
                None => values.extend(match s {
                    Mixed::Value(v) => Some(*v),
                    Mixed::Static(_) => None,
                }),
            }
        }
        if values.is_empty() {
            known = known.saturating_add(bytes);
            continue;
        }
        let mut product = Number::Known(bytes);
        for v in values {
            product = m.two::<MulIOp>(product, Number::Value(v));
        }
        sum = Some(match sum {
            None => product,
            Some(s) => m.two::<AddIOp>(s, product),
        });
    }
    let rest = least.saturating_sub(known);
    match sum {
        _ if rest <= 0 => Ok(()),
        None => Err(LITTLE),
        Some(s) => {
            tests.compare(m, s, Number::Known(rest));
            Ok(())
        }
    }
}

/// The pieces in front of `end`.
fn emit(
    ctx: &mut Context,
    end: Op,
    plan: &Chunking,
    blocks: &Blocks,
    ins: &[Pieces],
    outs: &[Pieces],
) {
    let m = Maker {
        ctx,
        before: end,
        made: Vec::new(),
    };
    let mut m = Numbers {
        m,
        known: Vec::new(),
    };
    for (c, (first, count)) in blocks.iter().enumerate() {
        ins.iter().for_each(|p| copy(&mut m, p, c));
        launch(&mut m, plan, first, count);
        if c > 0 {
            outs.iter().for_each(|p| copy(&mut m, p, c - 1));
        }
    }
    let last = blocks.len().saturating_sub(1);
    outs.iter().for_each(|p| copy(&mut m, p, last));
}

/// Makes each number once: boxes are told to be the same by the values.
struct Numbers<'a> {
    m: Maker<'a>,
    known: Vec<(Linear, Number)>,
}

impl Numbers<'_> {
    fn linear(&mut self, l: &Linear) -> Number {
        let same = |k: &&(Linear, Number)| k.0.distance(l) == Some(0);
        if let Some((_, n)) = self.known.iter().find(same) {
            return *n;
        }
        let n = match self.m.linear(l) {
            Number::Known(n) => Number::Known(n),
            n => Number::Value(self.m.as_value(n)),
        };
        self.known.push((l.clone(), n));
        n
    }

    fn mixed(&mut self, l: &Linear) -> Mixed {
        match self.linear(l) {
            Number::Known(n) => Mixed::Static(n),
            Number::Value(v) => Mixed::Value(v),
        }
    }
}

/// Piece `c` of a copy.
fn copy(m: &mut Numbers, p: &Pieces, c: usize) {
    let low = match c.checked_sub(1) {
        None => &p.low,
        Some(before) => &p.edges[before],
    };
    let high = p.edges.get(c).unwrap_or(&p.high);
    let size = high.plus_times(low, -1);
    let Some(size) = size.filter(|s| s.as_constant() != Some(0)) else {
        return;
    };
    let mut slice = Slice {
        offsets: p.offsets.clone(),
        sizes: p.sizes.clone(),
        strides: vec![Mixed::Static(1); p.sizes.len()],
    };
    slice.offsets[0] = m.mixed(low);
    slice.sizes[0] = m.mixed(&size);
    let (m, t) = (&mut m.m, &p.transfer);
    let to_device = base(m.ctx, t.copy.dst(m.ctx)) == t.device;
    let (host, device) = (m.view(t.host, &slice), m.view(t.device, &slice));
    if let (Some(host), Some(device)) = (host, device) {
        let (src, dst) = match to_device {
            true => (host, device),
            false => (device, host),
        };
        let (at, loc) = (InsertPoint::Before(m.before), t.copy.op().loc(m.ctx));
        let mut b = Builder::new(m.ctx, at, loc);
        CopyOp::build(&mut b, src, dst);
    }
}

/// The launch of `count` blocks from `first` on.
fn launch(m: &mut Numbers, plan: &Chunking, first: &Linear, count: &Linear) {
    let (first, count) = (m.linear(first), m.linear(count));
    let m = &mut m.m;
    let count = m.as_value(count);
    let offset = match first {
        Number::Known(0) => None,
        n => Some(m.as_value(n)),
    };
    let all = plan.launch.grid_size(m.ctx)[plan.dim];
    let new = clone_op(m.ctx, plan.kernel.op(), &mut IrMapping::new());
    new.insert_before(m.ctx, m.before);
    // There are no tokens in front of the sizes.
    new.set_operand(m.ctx, plan.dim, count);
    let new = LaunchOp::wrap(new);
    let inside = new.grid_size_args(m.ctx)[plan.dim];
    inside.replace_all_uses(m.ctx, all);
    if let Some(offset) = offset {
        let (body, block) = (new.body(m.ctx), new.block_ids(m.ctx)[plan.dim]);
        let (loc, ty) = (new.op().loc(m.ctx), m.ctx.index());
        let mut b = Builder::at_start(m.ctx, body, loc);
        let shifted = b.value::<AddIOp>(&[block, offset], ty, &[]);
        let own = shifted.def_op();
        block.replace_uses_if(m.ctx, shifted, |u| Some(u.op) != own);
    }
}
