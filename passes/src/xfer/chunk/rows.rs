//! Which rows of an array the blocks of a grid touch, as sums of the block's number.

use super::find::Transfer;
use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use crate::xfer::arrays::{for_each_effect, roots};
use crate::xfer::narrow::bounds::Known;
use crate::xfer::narrow::footprint::element;
use crate::xfer::summary::Summaries;
use terrace_dialects::gpu::LaunchOp;
use terrace_ir::{Context, Op, OpKind, Value};

/// `factor * block + rest`, with a factor above 0.
#[derive(Debug, Clone)]
pub struct Edge {
    pub factor: i64,
    pub rest: Linear,
}

impl Edge {
    fn of(l: &Linear, block: Value) -> Option<Edge> {
        let factor = l.coefficient(block);
        let rest = l.plus_times(&Linear::value(block), factor.checked_neg()?)?;
        (factor > 0).then_some(Edge { factor, rest })
    }

    /// The lower or the higher of two, where a constant tells it.
    fn join(&mut self, other: &Edge, lower: bool) -> Option<()> {
        let distance = other.rest.distance(&self.rest)?;
        (self.factor == other.factor).then_some(())?;
        if (distance < 0) == lower {
            self.rest = other.rest.clone();
        }
        Some(())
    }

    /// Where it is for the block `at`.
    pub fn at(&self, at: &Linear) -> Option<Linear> {
        self.rest.plus_times(at, self.factor)
    }

    /// Whether it is surely not above another one.
    pub fn is_at_most(&self, other: &Edge) -> bool {
        let distance = self.rest.distance(&other.rest);
        self.factor == other.factor && distance.is_some_and(|d| d <= 0)
    }
}

/// Why rows do not follow the blocks.
pub type Why = &'static str;

/// Where the rows end that blocks below a number touch.
pub fn touched_below(
    ctx: &Context,
    function: Op,
    launch: LaunchOp,
    dim: usize,
    t: &Transfer,
) -> Result<Edge, Why> {
    edge(ctx, function, launch, dim, t.device, false)
}

/// Where the rows begin that blocks from a number on write.
pub fn written_from(
    ctx: &Context,
    function: Op,
    launch: LaunchOp,
    dim: usize,
    t: &Transfer,
) -> Result<Edge, Why> {
    edge(ctx, function, launch, dim, t.device, true)
}

fn edge(
    ctx: &Context,
    function: Op,
    launch: LaunchOp,
    dim: usize,
    buffer: Value,
    writes: bool,
) -> Result<Edge, Why> {
    const UNKNOWN: Why = "it uses an array otherwise than by loads and stores";
    const ELSEWHERE: Why = "the rows that it uses do not follow its blocks";
    let block = launch.block_ids(ctx)[dim];
    let allowed = |v: Value| v == block || !is_inside(ctx, launch.op(), v);
    let mut all: Option<Edge> = None;
    for op in launch.op().pre_order(ctx) {
        if op.num_regions(ctx) > 0 || !uses(ctx, op, buffer) {
            continue;
        }
        let (at, write) = element(ctx, op, buffer).ok_or(UNKNOWN)?;
        if writes && !write {
            continue;
        }
        let home = op.block(ctx).ok_or(UNKNOWN)?;
        // Conditions say more than is needed, and less closely.
        let ways = [
            Known::without_conditions(ctx, function, home),
            Known::in_block(ctx, function, home),
        ];
        let row = at.first().ok_or(UNKNOWN)?;
        let sign = if writes { -1 } else { 1 };
        let bound = || {
            let form = row.times(sign)?;
            let follows = |l: &Linear| {
                l.coefficient(block)
                    .checked_mul(sign)
                    .is_some_and(|f| f > 0)
            };
            let of = |known: &Known| known.upper_where(ctx, &form, &allowed, &follows);
            let bound = ways.iter().find_map(of)?;
            let bound = bound.times(sign)?;
            Edge::of(&bound, block)
        };
        let mut new = bound().ok_or(ELSEWHERE)?;
        if !writes {
            // Behind the last row of the block in front.
            let past = 1i64.checked_sub(new.factor).ok_or(ELSEWHERE)?;
            new.rest = new.rest.plus(past).ok_or(ELSEWHERE)?;
        }
        match &mut all {
            None => all = Some(new),
            Some(old) => old.join(&new, writes).ok_or(ELSEWHERE)?,
        }
    }
    all.ok_or(ELSEWHERE)
}

fn uses(ctx: &Context, op: Op, buffer: Value) -> bool {
    let mut found = false;
    for_each_effect(ctx, &mut Summaries::default(), op, &mut |_, on, _| {
        // What has no name is memory of the block.
        found |= on.is_some_and(|v| roots(ctx, v).contains(&buffer));
    });
    found
}
