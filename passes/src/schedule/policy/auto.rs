//! `auto-schedule`: a schedule for each function, from its dependences.
//!
//! The schedule is text in the module, behind the function: to be read, edited, and
//! done by `apply-schedule`; with `apply` it is done at once. Nests for which no
//! schedule is found, or whose dependences cannot be told, are left alone, with a
//! remark that says why. What it chooses is legal by construction and checked all the
//! same when it is done.
//!
//! ```text
//! affine.for %t = 0 to %T {             schedule.sequence @f_schedule on @f {
//!   affine.for %i = 1 to %N {      =>     %l = schedule.find_loop {nest = [0]} : !schedule.loop
//!     A[%i] = A[%i - 1] + A[%i + 1]       schedule.reschedule %l to [affine_map<(t, i) -> (t, t + i)>]
//!   }                                   }
//! }
//! ```

use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_dialects::schedule::{FindLoopOp, RescheduleOp, SequenceOp, loop_type};
use terrace_dialects::{affine, builtin};
use terrace_ir::affine::AffineExpr;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::diag::Severity;
use terrace_ir::effects::is_pure;
use terrace_ir::fingerprint::Fingerprint;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::symbols::lookup_in;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

use super::pluto::{
    Choices, Node, Problem, Times, for_kernels, most_threads, plan, problem_of, schedule,
};
use crate::analysis::loop_names::{is_loop, iv_names};
use crate::loops::Refusal;
use crate::loops::scop::Scop;
use crate::loops::take_over::become_as;
use crate::schedule::apply;

pub static INFO: PassInfo = PassInfo {
    name: "auto-schedule",
    title: "AutoSchedule",
    summary: "Find schedules for the loops of functions",
    description: "Finds hyperplanes in the manner of Pluto, tiles the bands that they make, and prints the \
                  result as a schedule behind each function.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[
        OptionInfo::new(
            "tile-size",
            OptionKind::UInt,
            "32",
            "Points of a tile along each loop of a band; 0 or 1 to tile nothing",
        ),
        OptionInfo::new(
            "wavefront",
            OptionKind::Bool,
            "true",
            "Let tiles of bands without a parallel loop run in wavefronts",
        ),
        OptionInfo::flag(
            "apply",
            "Apply the schedules that are found, and print none",
        ),
    ],
    statistics: &[
        StatisticInfo::new(
            "num-scheduled",
            "Number of nests for which a schedule was found",
        ),
        StatisticInfo::new("num-left", "Number of nests that were left alone"),
    ],
    make: |o| {
        let tile = match o.uint("tile-size") {
            0 | 1 => None,
            n => Some(i64::try_from(n).map_err(|_| "Invalid option: 'tile-size' is too large")?),
        };
        Ok(Box::new(AutoSchedule {
            choices: Choices {
                tile,
                wavefront: o.bool("wavefront"),
            },
            apply: o.bool("apply"),
            order: Order::Bands,
            in_order: |_, _| false,
        }))
    },
};

struct AutoSchedule {
    choices: Choices,
    apply: bool,
    order: Order,
    /// Loops that must not become parallel.
    in_order: fn(&Context, Op) -> bool,
}

/// Which orders of loops are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// With bands as deep as can be.
    Bands,
    /// The same, but nests are left alone that would not get an outermost parallel loop.
    OutermostParallel,
    /// With parallel loops around as many statements as can be.
    Kernels,
    /// With as many parallel loops as can be, inside loops in order if need be.
    Threads,
}

impl Pass for AutoSchedule {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let mut functions = Vec::new();
        module.walk(ctx, &mut |op| {
            let is_function = op.has_trait(ctx, traits::FUNCTION_LIKE);
            if is_function && op.num_regions(ctx) > 0 {
                functions.push(op);
            }
        });
        for f in functions {
            let found = self.plans(ctx, f);
            if self.apply {
                // The last first, so that the numbers of those before still hold.
                for one in found.iter().rev() {
                    apply_one(ctx, f, one);
                }
            } else if !found.is_empty() {
                write(ctx, f, &found);
            }
        }
        Ok(())
    }
}

/// What [`reorder`] is asked.
#[derive(PartialEq, Eq, Hash)]
struct Asked {
    function: Fingerprint,
    order: Order,
    tile: Option<i64>,
    /// Which function says so, by its address.
    in_order: usize,
}

/// The problem that one of the runs of loops of a function poses, by its number: the same for
/// all orders.
#[derive(PartialEq, Eq, Hash)]
struct Posed(Fingerprint, usize);

/// The function as it is afterwards, and the number of nests.
struct Made {
    function: Op,
    nests: usize,
}

/// Puts the loops of `function`, which is in a module, in a better order where one is
/// found and can be proved, in tiles where a size is given; what is left alone is not
/// said. To prove an order may take long, so it is asked only for those that are wanted, and
/// once for all copies of a function that are the same.
/// Loops that `in_order` is true of do not become parallel. Gives the number of nests that
/// were put in order.
pub fn reorder(
    ctx: &mut Context,
    function: Op,
    order: Order,
    tile: Option<i64>,
    in_order: fn(&Context, Op) -> bool,
) -> usize {
    let asked = Fingerprint::of(ctx, function).map(|function| Asked {
        function,
        order,
        tile,
        in_order: in_order as usize,
    });
    if let Some(known) = asked.as_ref().and_then(|a| ctx.recalled::<Asked, Made>(a)) {
        let (then, nests) = (known.function, known.nests);
        become_as(ctx, function, then);
        return nests;
    }
    let nests = reorder_anew(ctx, function, order, tile, in_order);
    if let Some(asked) = asked {
        let function = clone_op(ctx, function, &mut IrMapping::new());
        ctx.remember(asked, Made { function, nests });
    }
    nests
}

fn reorder_anew(
    ctx: &mut Context,
    function: Op,
    order: Order,
    tile: Option<i64>,
    in_order: fn(&Context, Op) -> bool,
) -> usize {
    let pass = AutoSchedule {
        choices: Choices {
            tile: tile.filter(|n| *n > 1),
            wavefront: tile.is_some(),
        },
        apply: true,
        order,
        in_order,
    };
    let mut counts = vec![0; INFO.statistics.len()];
    let earlier = ctx.take_diagnostics();
    let mut inner = PassContext::new(ctx, &INFO, &mut counts);
    let found = pass.plans(&mut inner, function);
    let mut done = 0;
    for one in found.iter().rev() {
        done += usize::from(apply_known(&mut inner, function, one));
    }
    ctx.take_diagnostics();
    ctx.restore_diagnostics(earlier);
    done
}

/// A nest or several, by the numbers of the first loop and the last among those of the
/// function that no other is around.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Rescheduled {
    first: usize,
    last: usize,
    plan: Times,
}

impl AutoSchedule {
    fn plans(&self, ctx: &mut PassContext, function: Op) -> Vec<Rescheduled> {
        let mut found = Vec::new();
        let tops = top_loops(ctx, function);
        let number = |l| tops.iter().position(|t| *t == l);
        let fingerprint = Fingerprint::of(ctx, function);
        for (at, (first, last)) in runs(ctx, function).into_iter().enumerate() {
            let posed = fingerprint.clone().map(|f| Posed(f, at));
            match self.plan(ctx, (first, last), posed) {
                Ok(plan) => {
                    ctx.count("num-scheduled", 1);
                    if let (Some(first), Some(last)) = (number(first), number(last)) {
                        found.push(Rescheduled { first, last, plan });
                    }
                }
                Err(r) => {
                    ctx.count("num-left", 1);
                    first.remark(ctx, format!("left in its order: {}", r.message));
                    if r.loc != first.loc(ctx) {
                        ctx.note(r.loc, "this is in the way");
                    }
                    for (loc, m) in &r.notes {
                        ctx.note(*loc, m);
                    }
                }
            }
        }
        found
    }

    /// The plan of the loops from `first` to `last`, which pose the problem `posed`.
    fn plan(
        &self,
        ctx: &mut Context,
        (first, last): (Op, Op),
        posed: Option<Posed>,
    ) -> Result<Times, Refusal> {
        let scop = Scop::between(ctx, first, last)?;
        let known = posed.as_ref().and_then(|p| ctx.recalled::<_, Problem>(p));
        let problem = match known.cloned() {
            Some(problem) => problem,
            None => {
                let problem = problem_of(ctx, &scop)?;
                if let Some(posed) = posed {
                    ctx.remember(posed, problem.clone());
                }
                problem
            }
        };
        let nothing = |m: &str| Refusal::new(first.loc(ctx), m);
        if problem.statements.is_empty() {
            return Err(nothing("there is nothing in it to be put in order"));
        }
        let tree = match self.order {
            Order::Bands | Order::OutermostParallel => schedule(&problem),
            Order::Kernels => most_parallel(&problem),
            Order::Threads => most_threads(&problem),
        };
        let tree = tree.ok_or_else(|| nothing("no better order was found within the budget"))?;
        if self.order == Order::OutermostParallel && !tree.has_outermost_parallel() {
            return Err(nothing("no order has an outermost loop that is parallel"));
        }
        let dims: Vec<usize> = scop.statements.iter().map(|s| s.ivs.len()).collect();
        let plan = plan(&tree, &dims, &self.choices)
            .ok_or_else(|| nothing("the order found has coefficients past 64 bits"))?;
        match self.keeps_in_order(ctx, &scop, &plan) {
            true => Ok(plan),
            false => Err(nothing("a loop that has to run in order would be parallel")),
        }
    }

    /// Whether no parallel loop of the plan goes along one that has to run in order.
    fn keeps_in_order(&self, ctx: &Context, scop: &Scop, plan: &Times) -> bool {
        let mut all = scop.statements.iter().zip(&plan.times).zip(&plan.parallel);
        all.all(|((s, times), parallel)| {
            let runs_in_order = |v: &Value| {
                let l = v.arg_block().and_then(|b| b.parent_op(ctx));
                l.is_some_and(|l| (self.in_order)(ctx, l))
            };
            let ordered = s.ivs.iter().map(runs_in_order).collect::<Vec<_>>();
            let mut along = parallel.iter().filter_map(|r| times.result(*r));
            !along.any(|e| (0u32..).zip(&ordered).any(|(d, o)| *o && mentions(e, d)))
        })
    }
}

fn mentions(e: &AffineExpr, dim: u32) -> bool {
    match e.as_binary() {
        Some((_, a, b)) => mentions(a, dim) || mentions(b, dim),
        None => *e == AffineExpr::dim(dim),
    }
}

/// The order of deep bands, unless the one for kernels has more parallel loops.
fn most_parallel(problem: &Problem) -> Option<Node> {
    let bands = schedule(problem);
    let points = bands.as_ref().map(Node::points);
    if points == Some(2 * problem.statements.len()) {
        return bands;
    }
    match for_kernels(problem) {
        Some(other) if points.is_none_or(|p| other.points() > p) => Some(other),
        _ => bands,
    }
}

/// As [`apply_one`], once for functions that are the same: two orders that are looked for may be
/// one. Nobody is told the remarks.
fn apply_known(ctx: &mut PassContext, function: Op, found: &Rescheduled) -> bool {
    let planned = Fingerprint::of(ctx, function).map(|f| Planned(f, found.clone()));
    let known = planned.as_ref().and_then(|p| ctx.recalled::<_, Made>(p));
    if let Some((then, nests)) = known.map(|k| (k.function, k.nests)) {
        become_as(ctx, function, then);
        return nests > 0;
    }
    let done = apply_one(ctx, function, found);
    if let Some(planned) = planned {
        let function = clone_op(ctx, function, &mut IrMapping::new());
        let nests = usize::from(done);
        ctx.remember(planned, Made { function, nests });
    }
    done
}

/// A function, and what is to be done to it.
#[derive(PartialEq, Eq, Hash)]
struct Planned(Fingerprint, Rescheduled);

/// Does one schedule. Where the check cannot follow it the nest is left alone, with what
/// the check said as a remark.
/// Whether it was done.
fn apply_one(ctx: &mut PassContext, function: Op, found: &Rescheduled) -> bool {
    let sequence = write(ctx, function, std::slice::from_ref(found));
    let earlier = ctx.take_diagnostics();
    let done = apply::apply(ctx, sequence, function, &apply::Options::default());
    let said = ctx.take_diagnostics();
    ctx.restore_diagnostics(earlier);
    let failed = done.is_err();
    for mut d in said {
        if failed && d.severity == Severity::Error {
            d.severity = Severity::Remark;
            d.message = format!("left in its order: {}", d.message);
        }
        ctx.emit(d);
    }
    if failed {
        ctx.count("num-left", 1);
    }
    sequence.op().erase(ctx);
    !failed
}

/// The loops of a function that no loop is around, in textual order.
fn top_loops(ctx: &Context, function: Op) -> Vec<Op> {
    let mut tops = Vec::new();
    for op in function.pre_order(ctx) {
        if is_loop(ctx, op) && !tops.iter().any(|t: &Op| t.is_ancestor_of(ctx, op)) {
            tops.push(op);
        }
    }
    tops
}

/// The longest runs of ops in the blocks of the function that can be put in order,
/// each by its first loop and its last.
fn runs(ctx: &Context, function: Op) -> Vec<(Op, Op)> {
    let mut runs = Vec::new();
    for block in function.region(ctx, 0).blocks(ctx) {
        let mut run: Option<(Op, Op)> = None;
        for op in block.ops(ctx) {
            if is_loop(ctx, op) && op.num_results(ctx) == 0 {
                run = Some((run.map_or(op, |r| r.0), op));
            } else if !is_quiet(ctx, op) {
                runs.extend(run.take());
            }
        }
        runs.extend(run);
    }
    runs
}

/// Whether an op between loops may be part of what is put in order.
fn is_quiet(ctx: &Context, op: Op) -> bool {
    is_pure(ctx, op)
        || op.isa::<IfOp>(ctx)
        || op.isa::<ForOp>(ctx)
        || op.isa::<ParallelOp>(ctx)
        || matches!(op.name(ctx), affine::LoadOp::NAME | affine::StoreOp::NAME)
}

/// The schedule as text behind the function. The last nests come first, so that the
/// numbers of those before still hold.
fn write(ctx: &mut Context, function: Op, found: &[Rescheduled]) -> SequenceOp {
    let tops = top_loops(ctx, function);
    let target = function.symbol_name(ctx).unwrap_or_default().to_string();
    let mut name = format!("{target}_schedule");
    let table = function.parent(ctx);
    while table.is_some_and(|t| lookup_in(ctx, t, &name).is_some()) {
        name.push('_');
    }
    let mut b = Builder::after(ctx, function);
    let (sequence, body) = SequenceOp::build(&mut b, &name, Some(&target));
    let loc = function.loc(ctx);
    let Some(end) = body.last_op(ctx) else {
        return sequence;
    };
    let mut b = Builder::before(ctx, end);
    b.loc = loc;
    for f in found.iter().rev() {
        let mut ends = vec![f.first];
        if f.last != f.first {
            ends.push(f.last);
        }
        let mut handles = Vec::new();
        for number in ends {
            let place = b.ctx.i64_attr(number as i64);
            let mut attrs = vec![("nest", b.ctx.array_attr(vec![place]))];
            if let [name] = &iv_names(b.ctx, tops[number])[..] {
                attrs.insert(0, ("iv", b.ctx.string_attr(name)));
            }
            let ty = loop_type(b.ctx);
            let find = b.op::<FindLoopOp>(&[], &[ty], &attrs);
            handles.push(find.result(b.ctx, 0));
        }
        RescheduleOp::build(&mut b, &handles, &f.plan.times, &f.plan.parallel);
    }
    sequence
}
