//! The steps: each is a file that asks a mechanic for what the op says, and a line in
//! the table here.

mod coalesce;
mod distribute;
mod expand;
mod fuse;
mod fuse_nests;
mod inline;
mod isolate;
mod map;
mod normalize;
mod outline;
mod parallel;
mod peel;
mod permute;
mod promote;
mod reschedule;
mod reverse;
mod scan;
mod shift;
mod skew;
mod split;
mod stage;
mod strip_mine;
mod tile;
mod unroll;
mod unroll_jam;
mod vectorize;

use crate::analysis::loop_names::loop_name;
use crate::loops::Refusal;
use crate::loops::nest::band_of;
use crate::schedule::legality::{Promise, Violation};
use terrace_dialects::affine::{Access, ForOp};
use terrace_dialects::schedule;
use terrace_ir::{Context, Op, OpKind, Value};

/// What is asked of a step.
pub(super) struct Request {
    /// The op of the schedule.
    pub(super) step: Op,
    /// The loops that its operands stand for.
    pub(super) loops: Vec<Op>,
}

/// One kind of step.
pub(super) struct StepInfo {
    /// The name of its op.
    name: &'static str,
    /// What it may do beyond changing the order of iterations.
    pub(super) promise: fn(&Context, Op) -> Promise,
    /// Does it. Where it refuses, the function may be half changed: the caller puts it
    /// back.
    pub(super) apply: fn(&mut Context, &Request) -> Result<Given, Refusal>,
}

/// A step that only changes the order of iterations.
fn order(_: &Context, _: Op) -> Promise {
    Promise::default()
}

static STEPS: &[StepInfo] = &[
    coalesce::STEP,
    distribute::STEP,
    expand::STEP,
    fuse::STEP,
    fuse_nests::STEP,
    inline::STEP,
    isolate::STEP,
    map::CONTRACTIONS,
    map::REDUCTIONS,
    map::STENCILS,
    map::TO_GPU,
    normalize::STEP,
    outline::STEP,
    parallel::STEP,
    peel::STEP,
    permute::STEP,
    reschedule::STEP,
    promote::STEP,
    reverse::STEP,
    scan::STEP,
    shift::STEP,
    skew::STEP,
    split::STEP,
    stage::STEP,
    strip_mine::STEP,
    tile::STEP,
    unroll::STEP,
    unroll_jam::STEP,
    vectorize::STEP,
];

/// What there is to know about a step.
pub(super) fn step_of(ctx: &Context, step: Op) -> Option<&'static StepInfo> {
    let name = step.name(ctx);
    STEPS.iter().find(|s| s.name == name)
}

/// How it is known that a step is legal.
#[derive(Clone, Copy)]
pub(super) enum Proof {
    /// From the program after it alone.
    After,
    /// From the program before it, and from the one after it.
    BeforeAndAfter(fn(&Context, &Request) -> Option<Violation>),
    /// From the program before it alone.
    Before(fn(&Context, &Request) -> Option<Violation>),
}

/// How it is known that a step is legal: of most, by what they have made.
pub(super) fn proof(info: &StepInfo) -> Proof {
    match info.name {
        schedule::ExpandOp::NAME => Proof::BeforeAndAfter(expand::forbidden),
        schedule::FuseNestsOp::NAME => Proof::Before(fuse_nests::forbidden),
        schedule::OutlineOp::NAME => Proof::Before(outline::forbidden),
        schedule::VectorizeOp::NAME => Proof::Before(vectorize::forbidden),
        _ => Proof::After,
    }
}

impl Request {
    /// Loop `i` of the operands, which must be sequential.
    fn for_loop(&self, ctx: &Context, i: usize) -> Result<ForOp, Refusal> {
        let Some(op) = self.loops.get(i).copied() else {
            return Err(Refusal::new(self.step.loc(ctx), "it has no such operand"));
        };
        op.cast::<ForOp>(ctx).ok_or_else(|| {
            let m =
                "it is parallel already, and this step is for sequential loops; do this step first";
            Refusal::new(op.loc(ctx), m)
        })
    }

    /// The band of `n` loops that begins with loop `i` of the operands.
    fn band(&self, ctx: &Context, i: usize, n: usize) -> Result<Vec<ForOp>, Refusal> {
        let mut band = band_of(ctx, self.for_loop(ctx, i)?);
        if band.len() >= n {
            band.truncate(n);
            return Ok(band);
        }
        let inner = band[band.len() - 1];
        let m = format!(
            "it takes {n} perfectly nested loops, but there {} {}: {} holds more than a loop",
            if band.len() == 1 { "is" } else { "are" },
            band.len(),
            loop_name(ctx, inner.op())
        );
        Err(Refusal::new(inner.op().loc(ctx), m))
    }

    /// A refusal at the step itself.
    fn refuse<T>(&self, ctx: &Context, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(self.step.loc(ctx), message))
    }
}

/// What stands where the loops of a step were.
#[derive(Default)]
pub(super) struct Given {
    /// The loops that the results of the op stand for.
    pub(super) loops: Vec<Op>,
    /// Other loops that were made anew: the old one, which may be gone, and the new
    /// one.
    pub(super) replaced: Vec<(Op, Op)>,
}

impl From<Vec<ForOp>> for Given {
    fn from(loops: Vec<ForOp>) -> Given {
        Given {
            loops: loops.iter().map(|l| l.op()).collect(),
            replaced: Vec::new(),
        }
    }
}

/// The array of this name that is touched in `l`.
fn array_in(ctx: &Context, l: ForOp, name: &str) -> Result<Value, Refusal> {
    let mut found: Vec<Value> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for a in Access::all(ctx, l.op()) {
        let Some(n) = a.memref.loc(ctx).name(ctx) else {
            continue;
        };
        if n == name && !found.contains(&a.memref) {
            found.push(a.memref);
        }
        if !names.iter().any(|have| have == n) {
            names.push(n.to_string());
        }
    }
    match found[..] {
        [only] => Ok(only),
        [] => {
            let names: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
            let there = match names.len() {
                0 => "none with a name".to_string(),
                _ => names.join(", "),
            };
            let m = format!("it touches no array '{name}', but {there}");
            Err(Refusal::new(l.op().loc(ctx), m))
        }
        _ => {
            let m = format!("it touches {} arrays called '{name}'", found.len());
            Err(Refusal::new(l.op().loc(ctx), m))
        }
    }
}
