//! Asynchronous ops that may still use a buffer of the table when that is copied or freed.
//!
//! The walk over mirrors orders what ops use by the names of memrefs (`pending`). A data op
//! names the array of the host; what it does to the buffer shows only in the table: whether
//! an `xfer.exit_data` is the last that lets go, which elements an `xfer.update` copies. So
//! the walk that follows an array through the table follows what may still run as well.

use super::super::origins::origins;
use super::super::pending::Tasks;
use super::super::uses::{DEVICE_READ, DEVICE_WRITE, FREED, Target, Use, memory_of};
use super::super::walk::{Known, Walk};
use super::content::Span;
use super::effects::{Effect, Focus};
use super::report::{Finding, message};
use super::state::{Act, State, Wrong};
use crate::analysis::memory::{base, is_root};
use std::rc::Rc;
use terrace_dialects::xfer::{ExitDataOp, PresentOp, Side, UpdateOp};
use terrace_ir::{Context, Op};

/// What a data op does to a buffer that was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Reads,
    Writes,
    Frees,
}

/// Elements of a buffer, and what is done to them.
#[derive(Debug, Clone)]
pub struct Touch {
    span: Span,
    does: Does,
    /// The act, to be named in messages, and its op.
    act: Act,
    op: Op,
}

/// Elements of a buffer that an asynchronous op uses.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    span: Span,
    reads: bool,
    writes: bool,
}

impl Used {
    fn clashes(&self, touch: &Touch) -> bool {
        let meets = !self.span.is_empty() && !touch.span.is_empty() && self.span.meets(touch.span);
        meets && (touch.does != Does::Reads || self.writes)
    }

    fn word(&self) -> &'static str {
        match (self.reads, self.writes) {
            (true, true) => "read and write",
            (_, true) => "write",
            (_, false) => "read",
        }
    }
}

/// What the act of a data op did to buffers.
fn touches(op: Op, act: &Act, before: &State, after: &State) -> Vec<Touch> {
    let State::Known(before) = before else {
        return Vec::new();
    };
    let touch = |span: Span, does: Does| Touch {
        span,
        does,
        act: act.clone(),
        op,
    };
    let spans = before.entries.iter().map(|e| e.span);
    match act {
        Act::Exit { .. } => {
            let State::Known(after) = after else {
                return Vec::new();
            };
            let left = |s: &Span| !after.entries.iter().any(|e| e.span == *s);
            spans.filter(left).map(|s| touch(s, Does::Frees)).collect()
        }
        Act::Update { to, span, .. } => {
            let does = match to {
                Side::Host => Does::Reads,
                Side::Device => Does::Writes,
            };
            let there = spans.filter(|s| span.is_none_or(|u| u.meets(*s)));
            there.map(|s| touch(span.unwrap_or(s), does)).collect()
        }
        _ => Vec::new(),
    }
}

impl Focus {
    /// The elements of the array's buffers that a task uses, of which the effects tell and
    /// the accesses.
    fn used_by(&self, ctx: &Context, tasks: &Tasks, site: usize, effects: &[Effect]) -> Vec<Used> {
        let mut all = Vec::new();
        let mut add = |span: Span, reads: bool, writes: bool| {
            all.push(Used {
                span,
                reads,
                writes,
            })
        };
        for d in effects {
            let Effect::Act { act, .. } = d else { continue };
            match *act {
                Act::Read {
                    side: Side::Device,
                    span,
                    ..
                } => add(span, true, false),
                Act::Write {
                    side: Side::Device,
                    span,
                    ..
                } => add(span, false, true),
                Act::Update { to, span, .. } => {
                    let writes = to == Side::Device;
                    add(span.unwrap_or(self.whole), !writes, writes);
                }
                _ => {}
            }
        }
        for u in tasks.uses(site) {
            let writes = u.ways & (DEVICE_WRITE | FREED) != 0;
            let reads = u.ways & DEVICE_READ != 0;
            if (reads || writes) && self.may_be_used(ctx, tasks, u) {
                add(self.whole, reads, writes);
            }
        }
        all
    }

    /// Whether a use may be of a buffer of the array without a effect that tells of it.
    fn may_be_used(&self, ctx: &Context, tasks: &Tasks, u: &Use) -> bool {
        let Target::Memory(v) = u.target else {
            return u.target == Target::Everything && self.shared;
        };
        let may_be = |b| {
            if let Some(p) = origin(ctx, b) {
                let array = base(ctx, p.array(ctx));
                return !self.root.is(ctx, array) && self.may_be(ctx, array);
            }
            // The caller may have looked it up.
            let handed = b.arg_block().is_some_and(|block| block.is_entry(ctx));
            match handed {
                true => self.shared && tasks.is_called(),
                false => !is_root(ctx, b),
            }
        };
        memory_of(ctx, v) == Side::Device && origins(ctx, v).into_iter().any(may_be)
    }
}

/// The lookup that gave a buffer.
fn origin(ctx: &Context, buffer: terrace_ir::Value) -> Option<PresentOp> {
    buffer.def_op()?.cast::<PresentOp>(ctx)
}

impl Walk<'_> {
    /// Holds what an op does to buffers of the array that is followed against what may
    /// still run.
    pub(super) fn done_meanwhile(
        &mut self,
        op: Op,
        act: &Act,
        (before, after): (&State, &State),
        known: &mut Known,
    ) {
        let data = op.isa::<ExitDataOp>(self.ctx) || op.isa::<UpdateOp>(self.ctx);
        if !data {
            return;
        }
        for t in touches(op, act, before, after) {
            self.clash_of_table(op, &t, known);
            self.note_touch(t);
        }
    }

    /// The same of a call of a function that was found to touch them.
    pub(super) fn called_meanwhile(
        &mut self,
        op: Op,
        theirs: &[Touch],
        before: &State,
        known: &mut Known,
    ) {
        let State::Known(before) = before else { return };
        for t in theirs {
            if before.entries.iter().any(|e| e.span.meets(t.span)) {
                self.clash_of_table(op, t, known);
                self.note_touch(t.clone());
            }
        }
    }

    fn note_touch(&mut self, t: Touch) {
        let is = |o: &Touch| (o.op, o.span, o.does) == (t.op, t.span, t.does);
        if !self.table_touches.iter().any(is) {
            self.table_touches.push(t);
        }
    }

    fn clash_of_table(&mut self, op: Op, touch: &Touch, known: &mut Known) {
        for (site, trail) in known.pending.running() {
            let used = self.task_uses(site);
            let Some(u) = used.iter().find(|u| u.clashes(touch)) else {
                continue;
            };
            // The mistake is reported; it counts as done from then on.
            known.pending.end(site);
            if self.table_found.iter().any(|f| f.op == op) {
                continue;
            }
            let task = self.tasks().op(site).name(self.ctx);
            let why = Wrong::UnderWay;
            let how = format!(
                ", which an '{task}' may still {} there; wait for its token or its queue before",
                u.word()
            );
            let words = message(&touch.act, why).and(&how);
            let mut path = self.path_from_start(trail);
            let words = match touch.op == op {
                true => words,
                false => {
                    let inside = format!("this '{}' of the function", touch.op.name(self.ctx));
                    path.push((touch.op.loc(self.ctx), inside));
                    words.by_function()
                }
            };
            self.table_found.push(Finding {
                op,
                why,
                words,
                path,
            });
        }
    }

    /// What a task uses of the array's buffers.
    fn task_uses(&mut self, site: usize) -> Rc<Vec<Used>> {
        if let Some(known) = self.table_used.get(&site) {
            return known.clone();
        }
        let effects = self.of_table(self.tasks().op(site));
        let focus = self.focus.as_ref();
        let used = focus.map(|f| f.used_by(self.ctx, self.tasks(), site, &effects));
        let used = Rc::new(used.unwrap_or_default());
        self.table_used.insert(site, used.clone());
        used
    }
}
