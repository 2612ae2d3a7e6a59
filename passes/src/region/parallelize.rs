//! `offload-parallelize`: the loops of a region whose iterations may run in any order
//! become parallel loops, because nothing goes from one iteration to another or
//! because a directive says so.
//!
//! The function carries `acc.region`, its loops `acc.loop` where they have directives.
//! `affine.for` becomes `affine.parallel`, `scf.for` becomes `scf.parallel`; what
//! iterations accumulate becomes a reduction; arrays that every iteration writes before
//! it reads them become the iteration's own. What was decided and why is
//! [`RegionNotes`].
//!
//! ```text
//! affine.for %i = 0 to %n {              affine.parallel (%i) = (0) to (symbol(%n)) {
//!   %0 = affine.load %a[%i]                %0 = affine.load %a[%i]
//!   affine.store %0, %b[%i]         =>     affine.store %0, %b[%i]
//! }                                      }
//! ```

use std::fmt;
use terrace_dialects::affine::{LoadOp, ParallelOp, VectorLoadOp};
use terrace_dialects::attributes::ACC_ANYWHERE;
use terrace_dialects::{func, memref};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::diag::{Diagnostic, Severity};
use terrace_ir::fingerprint::Fingerprint;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, Value};

use super::coincide::may_coincide;
use super::notes::{Because, LoopNote, RegionNotes, Verdict};
use super::verdict::{Decision, Findings, Rules, decide, decide_by};
use super::{flags, presume, reorder, report, rewrite};
use crate::analysis::directive::Region;
use crate::analysis::loop_names::iv_names;
use crate::analysis::memory::{argument_has, base};
use crate::analysis::source;
use crate::loops::take_over::become_as;

/// `offload-parallelize`.
pub static INFO: PassInfo = PassInfo {
    name: "offload-parallelize",
    title: "OffloadParallelize",
    summary: "Make the loops of a region parallel where dependences or directives allow",
    description: "Decides for each affine.for and scf.for of a region whether its iterations may run in any order, and turns those into affine.parallel and scf.parallel with their reductions.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "reassociate",
            OptionKind::Bool,
            "true",
            "Compute sums and products of floats in another order than written also outside OpenACC constructs and reduction clauses",
        ),
        OptionInfo::new(
            "reductions",
            OptionKind::Str,
            "all",
            "Which loops become parallel that accumulate a value: all, outermost (not those in a parallel loop), none",
        ),
        OptionInfo::flag(
            "atomics",
            "Make loops parallel that add to elements whose place is read from memory, by atomic operations",
        ),
        OptionInfo::new(
            "schedule",
            OptionKind::Str,
            "auto",
            "Whether loops of regions without directives may change their order: auto (where that makes more of them parallel), none, pluto or pluto:SIZE (the order that the scheduler finds, with tiles of this size)",
        ),
        OptionInfo::flag(
            "notes",
            "Say about each loop what was decided and why, as remarks",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-loops", "Number of loops looked at"),
        StatisticInfo::new("num-parallel", "Number of loops made parallel"),
    ],
    make: |o| {
        Ok(Box::new(OffloadParallelize {
            options: Options {
                reassociate: o.bool("reassociate"),
                reductions: Reductions::parse(o.str("reductions"))?,
                atomics: o.bool("atomics"),
                schedule: Schedule::parse(o.str("schedule"))?,
            },
            notes: o.bool("notes"),
        }))
    },
};

/// Whether loops may change their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Schedule {
    /// They stay as they are.
    None,
    /// In regions without directives on loops another order is tried where not all runs
    /// in an outermost parallel loop.
    #[default]
    Auto,
    /// The order that the automatic scheduler finds, whatever it is good for, with tiles
    /// of this size.
    Pluto(Option<i64>),
}

impl Schedule {
    fn parse(text: &str) -> Result<Schedule, String> {
        let size = |text: &str| text.parse().ok().filter(|n| *n > 0);
        match text.split_once(':') {
            None if text == "auto" => Ok(Schedule::Auto),
            None if text == "none" => Ok(Schedule::None),
            None if text == "pluto" => Ok(Schedule::Pluto(None)),
            Some(("pluto", n)) if size(n).is_some() => Ok(Schedule::Pluto(size(n))),
            _ => Err(format!(
                "found the schedule '{text}', expected one of auto, none, pluto, pluto:SIZE"
            )),
        }
    }
}

/// The text that the pass's option takes.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Auto => f.write_str("auto"),
            Schedule::None => f.write_str("none"),
            Schedule::Pluto(None) => f.write_str("pluto"),
            Schedule::Pluto(Some(n)) => write!(f, "pluto:{n}"),
        }
    }
}

/// Which loops that accumulate values become parallel ones with reductions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reductions {
    /// None does.
    None,
    /// Those that are in no parallel loop, or in one that accumulates the same: within a
    /// thread a sum is a loop.
    Outermost,
    /// All do.
    All,
}

impl Reductions {
    fn parse(text: &str) -> Result<Reductions, String> {
        match text {
            "all" => Ok(Reductions::All),
            "outermost" => Ok(Reductions::Outermost),
            "none" => Ok(Reductions::None),
            _ => Err(format!(
                "found '{text}' for reductions, expected one of all, outermost, none"
            )),
        }
    }
}

/// What the author of the program can choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Options {
    /// Sums and products of floats may be computed in another order without a
    /// reduction clause. In OpenACC constructs they always may.
    pub reassociate: bool,
    /// Which loops that accumulate values may become parallel ones.
    pub reductions: Reductions,
    /// Loops may become parallel that add to elements whose place is read from memory.
    pub atomics: bool,
    /// Who chooses the order of iterations.
    pub schedule: Schedule,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reassociate: true,
            reductions: Reductions::All,
            atomics: false,
            schedule: Schedule::Auto,
        }
    }
}

struct OffloadParallelize {
    options: Options,
    notes: bool,
}

impl Pass for OffloadParallelize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let (notes, diagnostics) = parallelize(ctx.ctx, op, &self.options);
        let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
        for d in diagnostics {
            ctx.emit(d);
        }
        if failed {
            return Err(PassFailed);
        }
        if self.notes {
            for d in report::remarks(&notes) {
                ctx.emit(d);
            }
        }
        ctx.count("num-loops", notes.loops.len() as u64);
        ctx.count("num-parallel", notes.num_parallel() as u64);
        Ok(())
    }
}

/// What [`parallelize`] is asked.
#[derive(PartialEq, Eq, Hash)]
struct Asked {
    function: Fingerprint,
    options: Options,
}

/// What came of it.
struct Made {
    /// The function as it is afterwards.
    function: Op,
    notes: RegionNotes,
    diagnostics: Vec<Diagnostic>,
}

/// Makes the loops of the region `function` parallel that may be. Returns what was
/// decided about each loop, and what the author should be told: errors in directives,
/// after which nothing has changed, and warnings where a directive contradicts a
/// dependence.
///
/// A region is asked about for each of its forms. What is the same question has the same answer.
pub fn parallelize(
    ctx: &mut Context,
    function: Op,
    options: &Options,
) -> (RegionNotes, Vec<Diagnostic>) {
    let asked = Fingerprint::of(ctx, function).map(|function| Asked {
        function,
        options: options.clone(),
    });
    if let Some(known) = (asked.as_ref()).and_then(|a| ctx.recalled::<Asked, Made>(a)) {
        let told = (known.notes.clone(), known.diagnostics.clone());
        become_as(ctx, function, known.function);
        return told;
    }
    let (notes, diagnostics) = parallelize_anew(ctx, function, options);
    if let Some(asked) = asked {
        let made = Made {
            function: clone_op(ctx, function, &mut IrMapping::new()),
            notes: notes.clone(),
            diagnostics: diagnostics.clone(),
        };
        ctx.remember(asked, made);
    }
    (notes, diagnostics)
}

fn parallelize_anew(
    ctx: &mut Context,
    function: Op,
    options: &Options,
) -> (RegionNotes, Vec<Diagnostic>) {
    let region = Region::of(ctx, function);
    flags::run(ctx, function);
    let rules = Rules {
        reassociate: options.reassociate || region.reassociates,
        reductions: options.reductions,
        atomics: options.atomics,
    };
    let mut diagnostics = Vec::new();
    let given = given_parallel(ctx, function);
    let without_sums = Rules {
        reductions: Reductions::None,
        ..rules
    };
    let found = Findings::of(ctx, function);
    let decisions = decide_by(ctx, &found, region, rules, &mut diagnostics);
    let named = distinct(ctx, function);
    let safe = |(a, b): &&(Value, Value)| may_coincide(ctx, function, *a, *b);
    let coincident: Vec<_> = named.iter().filter(safe).copied().collect();
    let pairs = |of: &[(Value, Value)]| -> Vec<(String, String)> {
        let name = |v| source::array(ctx, v);
        of.iter().map(|(a, b)| (name(*a), name(*b))).collect()
    };
    let mut notes = RegionNotes {
        name: function.symbol_name(ctx).unwrap_or_default().to_string(),
        construct: region.construct,
        place: ctx.diag_loc(function.loc(ctx)),
        assumed_distinct: pairs(&named),
        may_coincide: pairs(&coincident),
        presumed: presume::conditions(ctx, function),
        ..RegionNotes::default()
    };
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    if !failed {
        let better = match options.schedule {
            Schedule::Auto => {
                // A reduction in each iteration of a loop in order is several launches that do
                // little, where another order may have one that does more.
                let summed = sums_in_order(ctx, &decisions).then(|| {
                    let before = decide_by(ctx, &found, region, without_sums, &mut Vec::new());
                    reorder::try_another_order(ctx, function, region, without_sums, &before)
                });
                if let Some(words) = summed.flatten() {
                    let rest = decide(ctx, function, region, rules, &mut Vec::new());
                    rewrite::apply(ctx, &rest, rules.reductions);
                    Some(words)
                } else {
                    reorder::try_another_order(ctx, function, region, rules, &decisions)
                }
            }
            Schedule::Pluto(tile) => {
                let found = reorder::take_any_order(ctx, function, region, rules, tile);
                if found.is_none() {
                    let m = "the automatic scheduler finds no order for these loops";
                    notes.schedule = Some(m.to_string());
                }
                found
            }
            Schedule::None => None,
        };
        match better {
            Some(words) => notes.schedule = Some(words),
            None => rewrite::apply(ctx, &decisions, rules.reductions),
        }
    }
    notes.loops = decisions.into_iter().map(|d| d.note).collect();
    notes.loops.extend(given);
    (notes, diagnostics)
}

/// Whether a loop in order has one in it that is parallel only as a sum, and no loop around them
/// is parallel.
fn sums_in_order(ctx: &Context, decisions: &[Decision]) -> bool {
    let holds = |o: &Decision, d: &Decision| {
        let (outer, inner) = (o.l.op(), d.l.op());
        outer != inner && outer.is_ancestor_of(ctx, inner)
    };
    decisions.iter().any(|d| {
        let mut around = decisions.iter().filter(|o| holds(o, d)).peekable();
        d.parallel
            && !d.accumulations.is_empty()
            && around.peek().is_some()
            && around.all(|o| !o.parallel)
    })
}

/// Loops that a schedule has made parallel before.
fn given_parallel(ctx: &Context, function: Op) -> Vec<LoopNote> {
    let mut notes = Vec::new();
    function.walk(ctx, &mut |op| {
        if op.isa::<ParallelOp>(ctx) {
            notes.push(LoopNote {
                place: ctx.diag_loc(op.loc(ctx)),
                variable: iv_names(ctx, op).join(", "),
                affine: true,
                verdict: Verdict::Parallel(Because::Analysis),
                ..LoopNote::default()
            });
        }
    });
    notes
}

/// The pairs of arrays of which one is written, which have to be different memory for
/// the decisions to hold.
fn distinct(ctx: &Context, function: Op) -> Vec<(Value, Value)> {
    let Some(entry) = function.region(ctx, 0).entry(ctx) else {
        return Vec::new();
    };
    let arrays: Vec<Value> = entry
        .args(ctx)
        .into_iter()
        .filter(|v| v.ty(ctx).is_memref(ctx))
        .collect();
    let mut used = vec![(false, false); arrays.len()];
    function.walk(ctx, &mut |op| {
        let Some((m, _)) = source::indices(ctx, op) else {
            return;
        };
        if let Some(i) = arrays.iter().position(|a| *a == base(ctx, m)) {
            let writes = !matches!(
                op.name(ctx),
                LoadOp::NAME | memref::LoadOp::NAME | VectorLoadOp::NAME
            );
            used[i].0 = true;
            used[i].1 |= writes;
        }
    });
    let mut pairs = Vec::new();
    for i in 0..arrays.len() {
        for j in i + 1..arrays.len() {
            // Of these it is not presumed.
            let anywhere = [i, j]
                .iter()
                .any(|k| argument_has(ctx, arrays[*k], ACC_ANYWHERE));
            if !anywhere && used[i].0 && used[j].0 && (used[i].1 || used[j].1) {
                pairs.push((arrays[i], arrays[j]));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
