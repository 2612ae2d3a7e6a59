//! `gpu-fuse-nests`: neighbouring parallel nests become one where the cost model says that
//! one kernel is faster than two.
//!
//! Two kernels that use the same array move it twice, and each is a launch. Where the second
//! uses what the first does only in the iteration of the same counters, one kernel can do both
//! bodies (K. Kennedy, K. McKinley, "Maximizing Loop Parallelism and Improving Data Locality
//! via Loop Fusion and Distribution", LCPC 1993).
//!
//! ```text
//! affine.parallel (%i) { T[%i] = f(A[%i]) }
//! affine.parallel (%i) { B[%i] = g(T[%i]) }  =>  affine.parallel (%i) { %t = f(A[%i])
//!                                                                       T[%i] = %t
//!                                                                       B[%i] = g(%t) }
//! ```
//!
//! The nests stand in one block, and the first can move behind all between them. Their
//! parallel loops have equal bounds, or bounds that are a known number apart: then the common
//! iterations are fused, and what is left over stays in nests of its own, that of the first
//! in front, that of the second behind.
//!
//! Legal where each dependence between the two bodies is between iterations of the same
//! counters, which is judged exactly on the fused nest. Values go from store to load in it,
//! and an array that only the fused body used goes.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which iterations two nests have in common |
//! | `order` | which of their loops go along the same subscripts |
//! | `between` | whether the first may move to the second |
//! | `build` | the fused nest, and what is left over |
//! | `legal` | whether iterations of different counters depend on one another |
//! | `profit` | what it gains |

mod between;
mod build;
mod find;
mod legal;
mod order;
mod profit;

use super::map::band::is_for_blocks;
use super::map::write::Script;
use super::map::{Taken, mapper_of, nests, taken};
use super::model::Options;
use super::model::choice::{ASSUME, MACHINE, MACHINE_FILE, MachineChoice, SIZES};
use super::model::pass::sizes_of;
use super::stencils::has_sizes;
use crate::analysis::directive::is_free;
use crate::analysis::loop_names::place_of;
use crate::analysis::loop_names::{line, loop_name};
use crate::transform::affine_scalrep::{
    forward_stores, merge_loads, remove_overwritten_stores, remove_unread,
};
use between::{Touched, commute, touched};
use build::{Fused, build, build_guarded};
use find::{Pair, Together, pair};
use profit::Policy;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref::{AllocOp, AtomicRmwOp, DeallocOp};
use terrace_dialects::schedule::FuseNestsOp;
use terrace_dialects::xfer;
use terrace_dialects::{affine, builtin};
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Context, Op, OpKind, Value};
use terrace_machine::Machine;

pub static INFO: PassInfo = PassInfo {
    name: "gpu-fuse-nests",
    title: "GpuFuseNests",
    summary: "Fuse neighbouring parallel nests where one kernel is faster than two",
    description: "Makes one affine.parallel nest of two in the same block, whose loops go over the same iterations or nearly so and of which no iteration needs what an iteration of other counters does, where it is faster by the cost model, launches counted.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[
        MACHINE,
        MACHINE_FILE,
        SIZES,
        ASSUME,
        OptionInfo::flag(
            "always",
            "Do it wherever it is legal, without a look at what it gains",
        ),
        OptionInfo::flag(
            "schedule",
            "Leave what was fused as a schedule behind each function",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each pair of nests that it was fused or why not, as remarks",
        ),
    ],
    statistics: &[
        StatisticInfo::new(
            "num-fused",
            "Number of nests that were fused into another one",
        ),
        StatisticInfo::new(
            "num-left-over",
            "Number of nests of iterations that only one of two had",
        ),
        StatisticInfo::new("num-arrays", "Number of arrays that went"),
    ],
    make: |o| {
        Ok(Box::new(FuseNests {
            machine: MachineChoice::of(o)?,
            read: Options {
                sizes: sizes_of(&o.strs("sizes"))?,
                as_written: false,
                assume: i64::try_from(o.uint("assume")).ok(),
                endless: false,
            },
            always: o.bool("always"),
            schedule: o.bool("schedule"),
            notes: o.bool("notes"),
        }))
    },
};

/// Nests behind a nest that are looked at, at most.
const MAX_AHEAD: usize = 8;

struct FuseNests {
    machine: MachineChoice,
    read: Options,
    always: bool,
    schedule: bool,
    notes: bool,
}

/// A nest, and what becomes of it if it is one that was fused.
#[derive(Debug, Clone)]
struct Entry {
    nest: ParallelOp,
    taken: Option<Taken>,
}

/// What is asked about the nests of a function.
struct Asked<'a> {
    function: Op,
    policy: Policy<'a>,
    script: Option<Script>,
    /// The nests as they were at first.
    nests: Vec<Op>,
    /// What becomes of them: asked once two of them can be one, which takes longer to tell.
    taken: Option<Vec<Taken>>,
}

impl Asked<'_> {
    /// What becomes of a nest.
    fn taken(&self, e: &Entry) -> Taken {
        let at = self.nests.iter().position(|n| *n == e.nest.op());
        let known = at.and_then(|at| self.taken.as_ref()?.get(at).cloned());
        e.taken.clone().or(known).unwrap_or(Taken::Gone)
    }

    /// A fused nest that is faster than the two, what has it then, and what there is to say of it.
    ///
    /// # Errors
    ///
    /// Why the two are better, in words; nothing is left of the fused nest.
    fn weigh(
        &self,
        ctx: &mut Context,
        of: [(ParallelOp, &Taken); 2],
        trial: Trial,
    ) -> Result<(Trial, Taken, String), String> {
        match self.policy.weigh(ctx, self.function, of, &trial.fused) {
            Ok(gain) => Ok((trial, gain.taken, gain.words)),
            Err(why) => {
                trial.fused.erase(ctx);
                Err(why)
            }
        }
    }
}

impl Pass for FuseNests {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let machine = self.machine.machine(ctx, module)?;
        for f in module.find_all::<FuncOp>(ctx) {
            if !f.is_declaration(ctx) {
                self.function(ctx, f.op(), &machine);
            }
        }
        Ok(())
    }
}

impl FuseNests {
    fn function(&self, ctx: &mut PassContext, function: Op, machine: &Machine) {
        let mut all = nests(ctx, function);
        // Those that a schedule or a directive has spoken of are as it wants them.
        all.retain(|p| mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op()));
        all.retain(|p| !is_for_blocks(ctx, *p));
        let siblings = |p: &ParallelOp| {
            let block = p.op().block(ctx);
            let beside = |o: &&ParallelOp| o.op().block(ctx) == block;
            all.iter().filter(beside).count() > 1
        };
        let all: Vec<ParallelOp> = all.iter().copied().filter(siblings).collect();
        if all.is_empty() || has_sizes(ctx, function) {
            return;
        }
        let ops: Vec<Op> = all.iter().map(|p| p.op()).collect();
        let mut blocks: Vec<(Block, Vec<Entry>)> = Vec::new();
        for nest in all {
            let Some(block) = nest.op().block(ctx) else {
                continue;
            };
            let entry = Entry { nest, taken: None };
            match blocks.iter_mut().find(|(b, _)| *b == block) {
                Some((_, entries)) => entries.push(entry),
                None => blocks.push((block, vec![entry])),
            }
        }
        let read = &self.read;
        let mut asked = Asked {
            function,
            policy: Policy { machine, read },
            script: match self.schedule {
                true => Script::new(ctx, function, "parallel", "fusion"),
                false => None,
            },
            nests: ops,
            taken: None,
        };
        for (_, mut entries) in blocks {
            let mut k = 0;
            while k < entries.len() {
                match self.with_one_behind(ctx, &mut asked, &entries, k) {
                    Some((at, fused)) => {
                        entries[at] = fused;
                        entries.remove(k);
                    }
                    None => k += 1,
                }
            }
        }
        if let Some(s) = asked.script {
            s.finish(ctx);
        }
    }

    /// Fuses nest `k` with one behind it, if it can be: which one, and what they are now.
    fn with_one_behind(
        &self,
        ctx: &mut PassContext,
        asked: &mut Asked,
        entries: &[Entry],
        k: usize,
    ) -> Option<(usize, Entry)> {
        let first = &entries[k];
        let mut own: Option<Touched> = None;
        let mut ahead = 0;
        let mut next = first.nest.op().next(ctx);
        while let Some(op) = next {
            next = op.next(ctx);
            let at = entries.iter().position(|e| e.nest.op() == op);
            if let Some(at) = at {
                let behind = loop_name(ctx, op);
                match self.attempt(ctx, asked, [first, &entries[at]]) {
                    Ok((fused, words)) => {
                        let colon = if words.is_empty() { "" } else { ": " };
                        self.say(
                            ctx,
                            fused.nest,
                            &format!("fused with {behind}{colon}{words}"),
                        );
                        return Some((at, fused));
                    }
                    Err(why) => {
                        self.say(ctx, first.nest, &format!("not fused with {behind}: {why}"));
                    }
                }
                ahead += 1;
            }
            if at.is_some_and(|at| at + 1 == entries.len()) || ahead == MAX_AHEAD {
                return None;
            }
            // It would have to move behind this.
            if own.is_none() {
                own = Some(touched(ctx, first.nest.op())?);
            }
            let passes = own.as_ref().zip(touched(ctx, op));
            if !passes.is_some_and(|(own, other)| commute(ctx, own, &other)) {
                if at.is_none()
                    && entries[k + 1..]
                        .iter()
                        .any(|e| op.is_before(ctx, e.nest.op()))
                {
                    let words =
                        format!("not fused with what is behind: {}", stands_between(ctx, op));
                    self.say(ctx, first.nest, &words);
                }
                return None;
            }
        }
        None
    }

    /// Fuses two nests; what they are then, and what there is to say of it.
    ///
    /// # Errors
    ///
    /// Why they stay, in words.
    fn attempt(
        &self,
        ctx: &mut PassContext,
        asked: &mut Asked,
        [first, second]: [&Entry; 2],
    ) -> Result<(Entry, String), String> {
        let both = [first.nest, second.nest];
        if !self.always {
            for p in both {
                if let Some(why) = scatters(ctx, p) {
                    return Err(format!("{} {why}", loop_name(ctx, p.op())));
                }
            }
        }
        let places = both.map(|p| place_of(ctx, asked.function, p.op()).unwrap_or_default());
        let (pair, mut trial) = Trial::in_some_order(ctx, both)?;
        let (trial, taken, words) = if self.always {
            (trial, Taken::No, String::new())
        } else {
            if asked.taken.is_none() {
                trial.fused.erase(ctx);
                asked.taken = Some(taken(ctx, asked.function, &asked.nests));
                let built = build(ctx, &pair);
                trial = Trial::of(ctx, built)?;
            }
            let taken = [first, second].map(|e| asked.taken(e));
            for (p, taken) in both.iter().zip(&taken) {
                if let Some(why) = other_mapper(taken) {
                    trial.fused.erase(ctx);
                    return Err(format!("{} {why}", loop_name(ctx, p.op())));
                }
            }
            let of = [(both[0], &taken[0]), (both[1], &taken[1])];
            match asked.weigh(ctx, of, trial) {
                Ok(found) => found,
                // What is left over may cost more than it gains, and conditions less. A schedule
                // has no words for them.
                Err(_) if !pair.equal && asked.script.is_none() => {
                    let built = build_guarded(ctx, &pair);
                    let trial = Trial::of(ctx, built)?;
                    asked.weigh(ctx, of, trial)?
                }
                Err(why) => return Err(why),
            }
        };
        if let Some(s) = &asked.script {
            let [a, b] = places;
            let loops = [(first.nest.op(), a), (second.nest.op(), b)];
            s.add_at(ctx, &loops, &words, |b, l| {
                FuseNestsOp::build(b, l[0], l[1])
            });
        }
        let left = trial.fused.before.len() + trial.fused.after.len();
        let nest = trial.fused.fused;
        let gone = trial.take(ctx, both);
        ctx.count("num-fused", 1);
        ctx.count("num-left-over", left as u64);
        ctx.count("num-arrays", gone);
        let taken = Some(taken);
        Ok((Entry { nest, taken }, words))
    }

    fn say(&self, ctx: &Context, nest: ParallelOp, words: &str) {
        if self.notes {
            nest.op().remark(ctx, words);
        }
    }
}

/// A fused nest beside the two that it is of.
struct Trial {
    fused: Fused,
    /// Arrays of which loads in it became what was stored.
    forwarded: Vec<Value>,
}

impl Trial {
    /// # Errors
    ///
    /// Why the two cannot be one with their loops as they are written, where they cannot in another
    /// order either.
    fn in_some_order(
        ctx: &mut Context,
        [first, second]: [ParallelOp; 2],
    ) -> Result<(Pair, Trial), String> {
        let mut of = |together| {
            let pair = pair(ctx, first, second, together)?;
            let built = build(ctx, &pair);
            Ok((pair, Trial::of(ctx, built)?))
        };
        let as_written = of(Together::AsWritten);
        as_written.or_else(|why| of(Together::BySubscripts).map_err(|_: String| why))
    }

    /// # Errors
    ///
    /// Why the two cannot be one.
    fn of(ctx: &mut Context, built: Option<Fused>) -> Result<Trial, String> {
        let fused = built.ok_or("there is nothing in it")?;
        if let Err(why) = legal::check(ctx, &fused) {
            fused.erase(ctx);
            return Err(why);
        }
        let root = fused.fused.op();
        let (_, forwarded) = forward_stores(ctx, root);
        remove_overwritten_stores(ctx, root);
        merge_loads(ctx, root);
        Ok(Trial { fused, forwarded })
    }

    /// Lets it stand in the place of the two; how many arrays nobody needs any more.
    fn take(self, ctx: &mut Context, both: [ParallelOp; 2]) -> u64 {
        for p in both {
            p.op().erase(ctx);
        }
        let gone = self.forwarded.into_iter().filter(|m| remove(ctx, *m));
        gone.count() as u64
    }
}

/// Fuses two nests of parallel loops, if they can be one, whatever it gains.
///
/// # Errors
///
/// Why they cannot.
pub fn fuse(
    ctx: &mut Context,
    first: ParallelOp,
    second: ParallelOp,
) -> Result<ParallelOp, String> {
    let behind =
        first.op().block(ctx) == second.op().block(ctx) && first.op().is_before(ctx, second.op());
    if !behind {
        return Err("the second does not stand behind the first in the same body".into());
    }
    for p in [first, second] {
        if p.op().num_results(ctx) > 0 {
            return Err(format!(
                "{} is a reduction across its iterations",
                loop_name(ctx, p.op())
            ));
        }
    }
    let own = touched(ctx, first.op());
    let mut next = first.op().next(ctx);
    while let Some(op) = next.filter(|op| *op != second.op()) {
        let passes = own.as_ref().zip(touched(ctx, op));
        if !passes.is_some_and(|(own, other)| commute(ctx, own, &other)) {
            return Err(stands_between(ctx, op));
        }
        next = op.next(ctx);
    }
    let (_, trial) = Trial::in_some_order(ctx, [first, second])?;
    let fused = trial.fused.fused;
    trial.take(ctx, [first, second]);
    Ok(fused)
}

fn stands_between(ctx: &Context, op: Op) -> String {
    let place = line(ctx, op).map_or(String::new(), |l| format!(" at line {l}"));
    format!(
        "'{}'{place} stands between, which may touch the same memory",
        op.name(ctx)
    )
}

/// What a nest is that another mapper than the ordinary one and that of stencils has.
fn other_mapper(taken: &Taken) -> Option<&'static str> {
    match taken {
        Taken::No | Taken::Stencil { .. } => None,
        Taken::Reduction => Some("is a reduction with a kernel of its own"),
        Taken::Gone => Some("stays on the host, or has a kernel of its own"),
    }
}

/// Whether iterations add to elements that data choose: threads of their own number do that, with
/// copies of the elements.
fn scatters(ctx: &Context, nest: ParallelOp) -> Option<&'static str> {
    let updates = nest.op().find_all::<AtomicRmwOp>(ctx);
    (!updates.is_empty()).then_some("adds to elements that data choose")
}

/// Removes an array that was only stored to, and what says that its content is not needed.
fn remove(ctx: &mut Context, memref: Value) -> bool {
    let allocated = (memref.def_op()).is_some_and(|o| o.name(ctx) == AllocOp::NAME);
    let discards = |o: &Op| o.isa::<xfer::DiscardOp>(ctx);
    let (discards, rest): (Vec<Op>, Vec<Op>) = memref.users(ctx).into_iter().partition(discards);
    let unread = |o: &Op| matches!(o.name(ctx), affine::StoreOp::NAME | DeallocOp::NAME);
    if !allocated || !rest.iter().all(unread) {
        return false;
    }
    for op in discards {
        op.erase(ctx);
    }
    remove_unread(ctx, memref)
}
