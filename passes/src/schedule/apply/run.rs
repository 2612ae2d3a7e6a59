//! Doing a schedule, step by step.

use super::backup::Backup;
use super::find::find;
use super::handles::Handles;
use super::numbers::{MAX, too_large};
use super::steps::{Proof, Request, proof, step_of};
use crate::analysis::loop_names::loop_name;
use crate::loops::Refusal;
use crate::schedule::legality::Before;
use terrace_dialects::schedule::{FORCE, FindLoopOp, SequenceOp};
use terrace_ir::diag::Severity;
use terrace_ir::{Context, Loc, Op};

/// How to apply a schedule.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Refuse steps that are not known to be legal.
    pub check: bool,
    /// Do such steps all the same, with a warning.
    pub force: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check: true,
            force: false,
        }
    }
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Steps done, those that only find loops not counted.
    pub steps: u64,
    /// Steps among them that are not known to be legal.
    pub forced: u64,
}

/// A step was not done; why is among the context's diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotApplied;

/// Do the steps of `sequence` to `function`.
///
/// # Errors
///
/// Reported in the context: the first step that cannot be done or is not known to be
/// legal. The function is as the steps before that one made it.
pub fn apply(
    ctx: &mut Context,
    sequence: SequenceOp,
    function: Op,
    options: &Options,
) -> Result<Done, NotApplied> {
    let mut run = Run {
        handles: Handles::default(),
        function,
        options: *options,
        done: Done::default(),
    };
    for step in sequence.steps(ctx) {
        run.step(ctx, step)?;
    }
    Ok(run.done)
}

struct Run {
    handles: Handles,
    function: Op,
    options: Options,
    done: Done,
}

impl Run {
    fn step(&mut self, ctx: &mut Context, step: Op) -> Result<(), NotApplied> {
        let loops = self.loops(ctx, step)?;
        if let Some(f) = step.cast::<FindLoopOp>(ctx) {
            let scope = loops.first().copied().unwrap_or(self.function);
            return match find(ctx, f, scope) {
                Ok(l) => {
                    self.handles.bind(ctx, step.result(ctx, 0), l);
                    Ok(())
                }
                Err(r) => Err(report(ctx, step, &r.message, &r, None)),
            };
        }
        let Some(info) = step_of(ctx, step) else {
            step.error(ctx, "is no step that can be applied");
            return Err(NotApplied);
        };
        if let Some(n) = too_large(ctx, step) {
            let m = format!("has the number {n}, but numbers of steps are from -{MAX} to {MAX}");
            step.error(ctx, m);
            return Err(NotApplied);
        }
        // Now: afterwards the loops may be gone.
        let names: Vec<String> = loops.iter().map(|l| loop_name(ctx, *l)).collect();
        let places: Vec<_> = loops.iter().map(|l| l.loc(ctx)).collect();
        let request = Request { step, loops };
        let backup = Backup::of(ctx, self.function);
        let promise = (info.promise)(ctx, step);
        let check = self.options.check;
        let (ahead, after) = match proof(info) {
            Proof::After => (None, check),
            Proof::BeforeAndAfter(f) => (check.then(|| f(ctx, &request)).flatten(), check),
            Proof::Before(f) => (check.then(|| f(ctx, &request)).flatten(), false),
        };
        let before = after.then(|| Before::of(ctx, self.function));
        let result = (info.apply)(ctx, &request);
        let result = result.and_then(|new| {
            let (have, want) = (new.loops.len(), step.num_results(ctx));
            if have == want {
                return Ok(new);
            }
            let m = format!("gives {want} loops, but {have} are there afterwards");
            Err(Refusal::new(step.loc(ctx), m))
        });
        let new = match result {
            Ok(new) => new,
            Err(r) => {
                backup.restore(ctx);
                let m = format!("cannot be done to {}: {}", joined(&names), r.message);
                return Err(report(ctx, step, &m, &r, Some(&places)));
            }
        };
        let forbidden = before.and_then(|b| b.check(ctx, promise).err());
        let forbidden = ahead.or(forbidden);
        if let Some(v) = forbidden {
            if !self.is_forced(ctx, step) {
                backup.restore(ctx);
                let m = format!("is not legal for {}: {}", joined(&names), v.message);
                step.error(ctx, m);
                notes(ctx, &places, &v.notes);
                return Err(NotApplied);
            }
            let m = format!(
                "'{}' op is forced, at your own risk: it is not known to be legal for {}: {}",
                step.name(ctx),
                joined(&names),
                v.message
            );
            ctx.emit_at(Severity::Warning, step.loc(ctx), m);
            notes(ctx, &places, &v.notes);
            self.done.forced += 1;
        }
        backup.discard(ctx);
        for (old, now) in &new.replaced {
            self.handles.replace(*old, *now);
        }
        self.handles.sweep(ctx, self.function, step);
        for (v, l) in step.results(ctx).into_iter().zip(new.loops) {
            self.handles.bind(ctx, v, l);
        }
        self.done.steps += 1;
        Ok(())
    }

    /// The loops that the operands of a step stand for.
    fn loops(&self, ctx: &Context, step: Op) -> Result<Vec<Op>, NotApplied> {
        let mut loops = Vec::new();
        for v in step.operands(ctx) {
            match self.handles.get(v) {
                Ok(l) => loops.push(l),
                Err(gone) => {
                    step.error(
                        ctx,
                        format!("is for {}, which is no longer there", gone.name),
                    );
                    if let Some(by) = gone.by {
                        ctx.note(by.loc(ctx), "it went in this step");
                    }
                    return Err(NotApplied);
                }
            }
        }
        Ok(loops)
    }

    /// Whether a step is to be done even where it is not known to be legal.
    fn is_forced(&self, ctx: &Context, step: Op) -> bool {
        self.options.force || step.attr(ctx, FORCE).is_some()
    }
}

/// Report what a step met with: at the step, with notes at its loops and at what is in
/// the way.
fn report(
    ctx: &Context,
    step: Op,
    message: &str,
    r: &Refusal,
    loops: Option<&[Loc]>,
) -> NotApplied {
    step.error(ctx, message);
    let loops = loops.unwrap_or_default();
    let mut all = Vec::new();
    if r.loc != step.loc(ctx) && !loops.contains(&r.loc) {
        all.push((r.loc, "this is in the way".to_string()));
    }
    all.extend(r.notes.iter().cloned());
    notes(ctx, loops, &all);
    NotApplied
}

/// Notes at the loops of a step, and others.
fn notes(ctx: &Context, loops: &[Loc], others: &[(Loc, String)]) {
    for l in loops {
        ctx.note(*l, "this loop");
    }
    for (loc, m) in others {
        ctx.note(*loc, m);
    }
}

fn joined(names: &[String]) -> String {
    match names {
        [] => "the function".to_string(),
        names => names.join(" and "),
    }
}
