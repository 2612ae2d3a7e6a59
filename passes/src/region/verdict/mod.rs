//! Which loops of a region may run their iterations in any order, and why not the
//! others: dependences (see [`crate::analysis::dependence`]) and directives together.
//!
//! A directive is obeyed. Where nothing is said, iterations may be reordered if
//! nothing goes from one to another: no element of memory, but in arrays of which each
//! iteration may have its own; no value, but accumulated ones.

mod values;

use std::cell::RefCell;
use std::rc::Rc;
use terrace_dialects::attributes::OFFLOAD_PARALLEL;
use terrace_dialects::memref;

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::AtomicRmwKind;
use terrace_ir::diag::Diagnostic;
use terrace_ir::{Context, Op, Value};

use super::collapse::clauses_of;
use super::explain;
use super::notes::{Because, Construct, DependenceNote, LoopNote, Reason, Verdict};
use super::parallelize::Reductions;
use super::private;
use crate::analysis::accumulate::Accumulation;
use crate::analysis::dependence::{self, Dependence, Dependences, allocated, dependences, words};
use crate::analysis::directive;
use crate::analysis::directive::{LoopClauses, Region};
use crate::analysis::loop_like::Loop;
use crate::analysis::source;

/// The most loops around one from which it is looked at again.
const MAX_VIEWS: usize = 6;

/// What decides beside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Rules {
    /// Sums and products of floats may be computed in another order without a
    /// reduction clause.
    pub reassociate: bool,
    /// Which loops that accumulate values may be parallel.
    pub reductions: Reductions,
    /// Elements whose place is read from memory may be updated by atomic operations where no
    /// directive says so.
    pub atomics: bool,
}

/// What becomes of one loop.
#[derive(Debug)]
pub(crate) struct Decision {
    pub l: Loop,
    pub parallel: bool,
    /// The accumulated values, by place among the carried ones, which all are here or
    /// in `dead`.
    pub accumulations: Vec<(usize, Accumulation)>,
    /// Carried values that nothing uses.
    pub dead: Vec<usize>,
    /// Arrays of which each iteration gets its own.
    pub private: Vec<Value>,
    /// Updates of memory that have to be atomic.
    pub atomic: Vec<Update>,
    pub note: LoopNote,
}

impl Decision {
    /// The accumulated values whose results have to be looked at, by place among the carried ones.
    pub fn checked(&self) -> impl Iterator<Item = usize> {
        self.accumulations
            .iter()
            .filter(|(_, a)| a.checked)
            .map(|(i, _)| *i)
    }
}

/// `A[s] = A[s] op e`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Update {
    pub kind: AtomicRmwKind,
    pub load: Op,
    pub store: Op,
}

/// What is asked for a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Iterations may run in any order: the author says so.
    Independent,
    /// One after another, because of this.
    Seq(&'static str),
    /// What the analysis finds.
    Auto,
}

/// What is found of a function, whatever the rules are.
pub(crate) struct Findings {
    function: Op,
    all: Dependences,
    private: Vec<dependence::Private>,
    dead: FxHashSet<(Op, usize)>,
    /// As seen from loops.
    closer: RefCell<FxHashMap<Op, Rc<Dependences>>>,
}

impl Findings {
    pub fn of(ctx: &Context, function: Op) -> Findings {
        let all = dependences(ctx, function, &dependence::Options::of_regions());
        Findings {
            function,
            private: all.privatizable(ctx),
            all,
            dead: dead_values(ctx, &Loop::all(ctx, function)),
            closer: RefCell::default(),
        }
    }
}

/// What to do with each loop of `function`, in the order of the text.
pub(crate) fn decide(
    ctx: &Context,
    function: Op,
    region: Region,
    rules: Rules,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Decision> {
    decide_by(
        ctx,
        &Findings::of(ctx, function),
        region,
        rules,
        diagnostics,
    )
}

/// As [`decide`], of a function that is as it was when it was looked at.
pub(crate) fn decide_by(
    ctx: &Context,
    found: &Findings,
    region: Region,
    rules: Rules,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Decision> {
    let loops = Loop::all(ctx, found.function);
    let clauses = clauses_of(ctx, &loops, diagnostics);
    let judge = Judge {
        ctx,
        region,
        rules,
        found,
    };
    loops
        .iter()
        .map(|(l, depth)| {
            let c = clauses.get(&l.op());
            judge.one(*l, *depth, c, diagnostics)
        })
        .collect()
}

/// The carried values that only go round: nothing uses them but to carry them on.
fn dead_values(ctx: &Context, loops: &[(Loop, usize)]) -> FxHashSet<(Op, usize)> {
    let mut dead: FxHashSet<(Op, usize)> = FxHashSet::default();
    for (l, _) in loops {
        dead.extend((0..l.iter_args(ctx).len()).map(|i| (l.op(), i)));
    }
    loop {
        let is_live = |(op, i): &(Op, usize)| {
            let Some(l) = Loop::of(ctx, *op) else {
                return true;
            };
            let mut uses = op.result(ctx, *i).uses(ctx);
            uses.extend(l.iter_args(ctx)[*i].uses(ctx));
            uses.iter().any(|u| {
                // Handed on at the end of a body, or into an inner loop.
                if let Some(p) = u.op.parent(ctx).and_then(|p| Loop::of(ctx, p))
                    && p.body(ctx).last_op(ctx) == Some(u.op)
                {
                    return !dead.contains(&(p.op(), u.index));
                }
                match Loop::of(ctx, u.op) {
                    Some(p) if u.index >= p.init_operand(ctx, 0) => {
                        !dead.contains(&(u.op, u.index - p.init_operand(ctx, 0)))
                    }
                    _ => true,
                }
            })
        };
        let live: Vec<(Op, usize)> = dead.iter().filter(|d| is_live(d)).copied().collect();
        if live.is_empty() {
            return dead;
        }
        for l in live {
            dead.remove(&l);
        }
    }
}

struct Judge<'c> {
    ctx: &'c Context,
    region: Region,
    rules: Rules,
    found: &'c Findings,
}

/// What stands against another order of the iterations of a loop.
#[derive(Default)]
struct Against {
    /// Known dependences; whether each holds whatever the parameters are.
    known: Vec<(DependenceNote, bool)>,
    /// What is not known.
    doubts: Vec<Reason>,
    /// What goes from iteration to iteration and no directive helps with: values, and
    /// elements of arrays of which the directive promises copies (`acc.ordered`), or the
    /// region has one of its own that could not be given to each iteration.
    values: Vec<DependenceNote>,
    /// Sums of floats, where they must keep their order.
    rounding: Vec<DependenceNote>,
    /// Stores to elements that the same iteration has read, where another may do the same
    /// with the same element.
    lost: Vec<Op>,
}

impl Judge<'_> {
    fn asked(&self, c: Option<&LoopClauses>) -> Asked {
        match (self.region.construct, c) {
            (Construct::Serial, _) => Asked::Seq("the construct is serial"),
            (_, None) => Asked::Auto,
            (_, Some(c)) if c.seq => Asked::Seq("a seq clause"),
            (_, Some(c)) if c.independent => Asked::Independent,
            (_, Some(c)) if c.auto => Asked::Auto,
            (Construct::Parallel, Some(_)) => Asked::Independent,
            _ => Asked::Auto,
        }
    }

    fn one(
        &self,
        l: Loop,
        depth: usize,
        c: Option<&LoopClauses>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Decision {
        let ctx = self.ctx;
        let asked = self.asked(c);
        let mut d = Decision {
            l,
            parallel: false,
            accumulations: Vec::new(),
            dead: Vec::new(),
            private: Vec::new(),
            atomic: Vec::new(),
            note: LoopNote {
                place: ctx.diag_loc(l.op().loc(ctx)),
                variable: l.variable(ctx),
                depth,
                affine: matches!(l, Loop::Affine(_)),
                clauses: c.map(|c| c.words.clone()).unwrap_or_default(),
                asked: l
                    .op()
                    .attr(ctx, OFFLOAD_PARALLEL)
                    .and_then(|a| a.as_i64(ctx)),
                ..LoopNote::default()
            },
        };
        let Some(iv) = l.iv(ctx) else {
            self.uncounted(&mut d, asked, diagnostics);
            return d;
        };
        if let Asked::Seq(why) = asked {
            d.note.verdict = Verdict::Directive(why.to_string());
            return d;
        }
        let mut against = Against::default();
        if !self.found.all.program.counts(l.op()) {
            let text = "its counter is compared as an unsigned number, or an op around it is not \
                        understood";
            against.doubts.push(Reason::new(d.note.place.clone(), text));
        }
        self.memory(&mut d, iv, asked, &mut against);
        self.values(&mut d, asked, c.is_some_and(|c| c.reduction), &mut against);
        self.conclude(&mut d, asked, against, diagnostics);
        d
    }

    fn uncounted(&self, d: &mut Decision, asked: Asked, diagnostics: &mut Vec<Diagnostic>) {
        let text = "how often it runs is only known when it ends: its condition is no comparison \
                    of a counter with a bound that stays the same";
        if asked == Asked::Independent {
            let message = "the loop runs sequentially although a directive is on it: its \
                           condition is no comparison of a counter with a bound that stays the \
                           same";
            diagnostics.push(Diagnostic::warning(d.note.place.clone(), message));
        }
        d.note.verdict = match asked {
            Asked::Seq(why) => Verdict::Directive(why.to_string()),
            _ => Verdict::Unknown(vec![Reason::new(d.note.place.clone(), text)]),
        };
    }

    /// Dependences through memory that the loop carries.
    fn memory(&self, d: &mut Decision, iv: Value, asked: Asked, against: &mut Against) {
        let ctx = self.ctx;
        let mut seen = FxHashSet::default();
        let mut refused: Vec<Value> = Vec::new();
        let views = self.views(d.l, iv);
        let mut pairs: Vec<_> = self.found.all.carried_by(iv).map(pair_of).collect();
        pairs.retain(|p| {
            let there = |v: &Rc<Dependences>| v.carried_by(iv).any(|d| pair_of(d) == *p);
            seen.insert(*p) && views.iter().all(there)
        });
        for pair in pairs {
            // The view that knows most, the widest of those.
            let all_views = || std::iter::once(&self.found.all).chain(views.iter().map(Rc::as_ref));
            let of_view =
                |all: &Dependences| all.carried_by(iv).find(|d| pair_of(d) == pair).cloned();
            let of_exact = |all: &&Dependences| of_view(all).is_some_and(|d| d.is_exact());
            let all = all_views().find(of_exact).unwrap_or(&self.found.all);
            let Some(dep) = of_view(all) else { continue };
            let dep = &dep;
            // Which value an update finds depends on the order, and a directive says that
            // any will do.
            let free = |op: Op| {
                is_atomic(ctx, op)
                    && (asked == Asked::Independent || op.result(ctx, 0).uses(ctx).is_empty())
            };
            if free(dep.source_op) && free(dep.sink_op) {
                continue;
            }
            if let Some(m) = dep.memref
                && let Some(p) = self.private_of(iv, m)
            {
                if d.private.contains(&m) {
                    continue;
                }
                match private::refusal(ctx, d.l, p) {
                    None => {
                        d.private.push(m);
                        d.note.privatised.push(source::array(ctx, m));
                        continue;
                    }
                    // Said once, where values are read and own copies would help.
                    Some(r) if asked == Asked::Auto && self.is_read(iv, m) => {
                        if !refused.contains(&m) {
                            refused.push(m);
                            against.known.push((r, false));
                        }
                        continue;
                    }
                    Some(_) => {}
                }
            }
            if dep.reduction.is_some()
                && let Some(r) = self.update(all, dep)
                && (asked == Asked::Independent || self.is_scattered(all, dep, r))
            {
                if !d.atomic.contains(&r) {
                    d.atomic.push(r);
                }
                continue;
            }
            if let Some(m) = dep.memref
                && asked == Asked::Independent
                && (directive::is_ordered(ctx, m) || allocated(ctx, m) && dep.is_exact())
            {
                let note = explain::dependence(ctx, all, dep);
                if against.values.iter().all(|n| n.array != note.array) {
                    against.values.push(note);
                }
                continue;
            }
            // Of a sum in memory one of its three dependences says it all.
            let repeats = dep.reduction.is_some() && dep.kind != dependence::Kind::Flow;
            if repeats {
                continue;
            }
            if dep.is_exact() {
                let note = explain::dependence(ctx, all, dep);
                against.known.push((note, all.is_proven(dep)));
            } else {
                if asked == Asked::Independent
                    && let Some(store) = read_and_written(ctx, all, dep)
                    && !against.lost.contains(&store)
                {
                    against.lost.push(store);
                }
                let doubt = explain::doubt(ctx, all, dep);
                if !against.doubts.contains(&doubt) {
                    against.doubts.push(doubt);
                }
            }
        }
    }

    /// The dependences seen from each loop around `l` and from itself, where the view of
    /// the whole function does not know: what is computed further out does not change
    /// inside, and subscripts may be taken apart that elsewhere are others.
    fn views(&self, l: Loop, iv: Value) -> Vec<Rc<Dependences>> {
        let ctx = self.ctx;
        if self.found.all.carried_by(iv).all(Dependence::is_exact) {
            return Vec::new();
        }
        let mut roots = vec![l.op()];
        let mut at = l.op().parent(ctx);
        while let Some(op) = at.filter(|o| *o != self.found.all.program.root) {
            if Loop::of(ctx, op).is_some_and(|l| l.iv(ctx).is_some()) {
                roots.push(op);
            }
            at = op.parent(ctx);
        }
        let mut known = self.found.closer.borrow_mut();
        let view = |root: Op| {
            let found = known.entry(root).or_insert_with(|| {
                Rc::new(dependences(ctx, root, &dependence::Options::of_regions()))
            });
            found.clone()
        };
        roots.into_iter().rev().take(MAX_VIEWS).map(view).collect()
    }

    fn private_of(&self, iv: Value, m: Value) -> Option<&dependence::Private> {
        self.found
            .private
            .iter()
            .find(|p| p.of.iv == iv && p.memref == m)
    }

    /// Whether the loop carries dependences of reads of `m`.
    fn is_read(&self, iv: Value, m: Value) -> bool {
        let mut all = self.found.all.carried_by(iv);
        all.any(|d| d.memref == Some(m) && d.kind == dependence::Kind::Anti)
    }

    /// The update of memory that a dependence is part of.
    fn update(&self, all: &Dependences, dep: &Dependence) -> Option<Update> {
        let l = dep.carrying_loop()?;
        let sites = &all.program.sites;
        let r = all
            .reductions
            .iter()
            .find(|r| r.loops.contains(&l) && [r.load, r.store].contains(&dep.source))?;
        let update = Update {
            kind: r.kind,
            load: sites[r.load].op,
            store: sites[r.store].op,
        };
        let once =
            |op: Op| op.num_results(self.ctx) == 0 || op.result(self.ctx, 0).has_one_use(self.ctx);
        once(update.load).then_some(update)
    }

    /// Whether an update is of an element that another array names, so that only atomic
    /// operations can do several at once, and these may be and give the same.
    fn is_scattered(&self, all: &Dependences, dep: &Dependence, u: Update) -> bool {
        let ctx = self.ctx;
        let ty = u.load.result(ctx, 0).ty(ctx);
        let sizes = matches!(ty.bit_width(ctx), Some(32 | 64));
        let any_order = match ty.is_float(ctx) {
            true => self.rules.reassociate && u.kind == AtomicRmwKind::AddF,
            false => ty.is_int_or_index(ctx) && u.kind == AtomicRmwKind::AddI,
        };
        let (s, t) = (all.source(dep), all.sink(dep));
        self.rules.atomics && sizes && any_order && s.element.is_err() && t.element.is_err()
    }

    fn conclude(
        &self,
        d: &mut Decision,
        asked: Asked,
        against: Against,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let Against {
            known,
            doubts,
            values,
            rounding,
            lost,
        } = against;
        if asked == Asked::Independent {
            let proven = known.iter().filter(|(_, proven)| *proven);
            let proven: Vec<&DependenceNote> = proven.map(|(note, _)| note).collect();
            diagnostics.extend(explain::obeyed(&d.note.place, &proven));
            for note in proven {
                let text = format!("obeyed against a dependence: {}", note.meaning);
                if d.note.warnings.iter().all(|w| w.text != text) {
                    d.note
                        .warnings
                        .push(Reason::new(d.note.place.clone(), text));
                }
            }
            for u in &d.atomic {
                let element = source::element(self.ctx, u.store).unwrap_or_default();
                let place = self.ctx.diag_loc(u.store.loc(self.ctx));
                let operation = words::reduction(u.kind);
                let text = format!("the {operation} in {element} is updated atomically");
                d.note.warnings.push(Reason::new(place, text));
            }
            if values.is_empty() {
                let place = &d.note.place;
                diagnostics.extend(lost.iter().map(|s| explain::lost(self.ctx, place, *s)));
                d.parallel = true;
                d.note.verdict = Verdict::Parallel(Because::Directive);
                if known.is_empty() && doubts.is_empty() && d.atomic.is_empty() {
                    d.note.verdict = Verdict::Parallel(Because::Analysis);
                }
                return;
            }
            for note in &values {
                let message = format!(
                    "the loop stays sequential although a directive says that its iterations are \
                     independent: {}",
                    note.meaning
                );
                let at = Diagnostic::warning(d.note.place.clone(), message);
                diagnostics.push(explain::with_accesses(at, note));
            }
        }
        let mut notes: Vec<DependenceNote> = values;
        notes.extend(known.into_iter().map(|(n, _)| n));
        notes.extend(rounding);
        d.note.verdict = match (notes.is_empty(), doubts.is_empty()) {
            (true, true) => {
                d.parallel = true;
                Verdict::Parallel(Because::Analysis)
            }
            (true, false) => Verdict::Unknown(doubts),
            (false, _) => {
                notes.sort_by_key(|n| n.kind as u8);
                Verdict::Sequential(notes)
            }
        };
        if !d.parallel {
            d.private.clear();
            d.note.privatised.clear();
            d.note.reductions.clear();
            d.note.checked.clear();
            d.accumulations.clear();
            d.dead.clear();
            d.atomic.clear();
        }
    }
}

/// The store of a dependence between a load and a store of one element, of which nobody
/// knows whether other iterations touch it too.
fn read_and_written(ctx: &Context, all: &Dependences, d: &Dependence) -> Option<Op> {
    let (s, t) = (all.source(d), all.sink(d));
    let (load, store) = match (s.writes, t.writes) {
        (true, false) => (t, s),
        (false, true) => (s, t),
        _ => return None,
    };
    let unknown = load.element.is_err() && store.element.is_err();
    let one = unknown && dependence::same_element(ctx, &all.program, load.op, store.op);
    one.then_some(store.op)
}

/// The two accesses of a dependence and what they do.
fn pair_of(d: &Dependence) -> (Op, Op, dependence::Kind) {
    (d.source_op, d.sink_op, d.kind)
}

fn is_atomic(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        memref::AtomicRmwOp::NAME | memref::GenericAtomicRmwOp::NAME
    )
}
