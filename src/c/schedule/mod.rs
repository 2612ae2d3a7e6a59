//! `terrace schedule`: what the author wants done to the loops of a region.
//!
//! Steps in the directive become steps of the `schedule` dialect, one at a time: the
//! loops are looked up by their counters in what the steps before have made of the
//! region, and `apply-schedule`'s machinery does the step and proves it. What it says
//! of a step that it refuses is said at the word that asks for it.

mod file;
mod find;
mod messages;
mod step;

use crate::dialects::attributes::ACC_LOOP;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::{Context, Op};
use crate::passes::region::Schedule as Order;
use crate::passes::region::notes::{LoopNote, Reason, RegionNotes, Verdict};
use terrace_c::directive::DirectiveKind;
use terrace_c::directive::schedule::{Schedule, StepWord};
use terrace_c::hir::{Span, Unit};

use super::requests::Request;

/// A place, and how many bytes of its line are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub at: DiagLoc,
    pub underline: u32,
}

impl Spot {
    fn of(unit: &Unit, span: Span) -> Spot {
        let (at, underline) = unit.source.underlined(span);
        Spot { at, underline }
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let mut d = Diagnostic::error(self.at.clone(), message);
        d.underline = self.underline;
        d
    }
}

/// A schedule directive of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleInput {
    pub spot: Spot,
    /// Where the statement begins and ends that it is for; `None` for the whole region.
    pub scope: Option<(DiagLoc, DiagLoc)>,
    pub what: What,
}

/// What a directive asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Auto,
    None,
    Pluto(Option<i64>),
    /// The file's name, beside the file that the directive is in.
    File(String),
    Steps(Vec<StepInput>),
}

/// A step as the directive has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepInput {
    pub word: StepWord,
    pub spot: Spot,
    /// `tile(i, j: 32, 32)`.
    pub text: String,
    pub loops: Vec<LoopInput>,
    pub numbers: Vec<i64>,
}

/// A loop as a step names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopInput {
    pub name: String,
    /// Which of those of that name, from 1.
    pub number: Option<u32>,
    pub spot: Spot,
}

/// The directives of a region as the passes need them.
pub fn inputs(unit: &Unit, request: &Request) -> Vec<ScheduleInput> {
    let mut out = Vec::new();
    for s in &request.schedules {
        let d = unit.directive(s.directive);
        let DirectiveKind::Schedule(schedule) = &d.kind else {
            continue;
        };
        let what = match schedule {
            Schedule::Auto => What::Auto,
            Schedule::None => What::None,
            Schedule::Pluto(size) => What::Pluto(size.as_ref().and_then(|n| n.value)),
            Schedule::File(name) => What::File(name.text.clone()),
            Schedule::Steps(steps) => What::Steps(
                steps
                    .iter()
                    .map(|s| StepInput {
                        word: s.word,
                        spot: Spot::of(unit, s.span),
                        text: s.text.clone(),
                        loops: s
                            .loops
                            .iter()
                            .map(|l| LoopInput {
                                name: l.name.clone(),
                                number: l.number,
                                spot: Spot::of(unit, l.span),
                            })
                            .collect(),
                        numbers: s.numbers.iter().filter_map(|n| n.value).collect(),
                    })
                    .collect(),
            ),
        };
        out.push(ScheduleInput {
            spot: Spot::of(unit, d.span),
            scope: s.scope.map(|at| {
                let last = (at.end as usize).saturating_sub(1);
                (unit.source.loc(at.start as usize), unit.source.loc(last))
            }),
            what,
        });
    }
    out
}

/// What was done to a region.
#[derive(Debug, Default)]
pub struct Applied {
    /// What is left to the passes that make loops parallel; `None` for their choice.
    pub order: Option<Order>,
    /// What was done to each loop.
    pub steps: Vec<Reason>,
    /// What to say of the whole.
    pub note: Option<String>,
    /// The steps that want a loop to be parallel, by their numbers.
    parallel: Vec<(Spot, String)>,
}

/// Does what the directives ask to a region's `function`.
///
/// # Errors
///
/// The first step of each directive that cannot be done.
pub fn apply(
    ctx: &mut Context,
    function: Op,
    inputs: &[ScheduleInput],
) -> Result<Applied, Vec<Diagnostic>> {
    let mut applied = Applied::default();
    let mut errors = Vec::new();
    for input in inputs {
        let whole = match input.what {
            What::Auto => "auto",
            What::None => "none",
            What::Pluto(_) => "pluto",
            _ => "",
        };
        if !whole.is_empty() && input.scope.is_some() {
            let m = format!(
                "`{whole}` is for a whole region, and this is in one: write it before the region, \
                 or steps for these loops"
            );
            errors.push(input.spot.error(m));
            continue;
        }
        let result = match &input.what {
            What::Auto => Ok(()),
            What::None => {
                applied.order.get_or_insert(Order::None);
                let m = "the loops run as they are written, as the directive asks";
                applied.note = Some(m.to_string());
                Ok(())
            }
            What::Pluto(_) if inputs.len() > 1 => {
                let m = "`pluto` chooses the order of all loops, and another schedule of the \
                         region asks for one";
                let other = inputs.iter().find(|i| *i != input);
                let mut d = input.spot.error(m);
                d.notes
                    .extend(other.map(|o| (o.spot.at.clone(), "this one".to_string())));
                Err(vec![d])
            }
            What::Pluto(size) => pluto(ctx, function, input, *size).map(|order| {
                applied.order = Some(order);
            }),
            What::File(name) => {
                applied.order = Some(Order::None);
                file::apply(ctx, function, input, name, &mut applied)
            }
            What::Steps(steps) => {
                applied.order = Some(Order::None);
                step::apply(ctx, function, input, steps, &mut applied)
            }
        };
        if let Err(e) = result {
            errors.extend(e);
        }
    }
    match errors.is_empty() {
        true => Ok(applied),
        false => Err(errors),
    }
}

fn pluto(
    ctx: &Context,
    function: Op,
    input: &ScheduleInput,
    size: Option<i64>,
) -> Result<Order, Vec<Diagnostic>> {
    let mut directed = None;
    function.walk(ctx, &mut |op| {
        if directed.is_none() && op.attr(ctx, ACC_LOOP).is_some() {
            directed = Some(op);
        }
    });
    match directed {
        None => Ok(Order::Pluto(size)),
        Some(op) => {
            let m = "`pluto` chooses the order of all loops, and one of them has a directive of \
                     its own, which would no longer hold";
            let at = ctx.diag_loc(op.loc(ctx));
            Err(vec![input.spot.error(m).with_note(at, "this loop")])
        }
    }
}

impl Applied {
    /// Loops that were to be parallel and are not.
    pub fn unmet(&self, notes: &RegionNotes) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for (k, (spot, text)) in self.parallel.iter().enumerate() {
            let mine = |l: &&LoopNote| l.asked == i64::try_from(k).ok();
            let loops: Vec<&LoopNote> = notes.loops.iter().filter(mine).collect();
            if loops.is_empty() {
                let m = format!(
                    "the loop of `{text}` is no longer there after the steps behind it; write it \
                     behind them"
                );
                out.push(spot.error(m));
            }
            let not = loops
                .iter()
                .find(|l| !matches!(l.verdict, Verdict::Parallel(_)));
            out.extend(not.map(|l| messages::not_parallel(spot, text, l)));
        }
        out
    }

    /// Puts what was done into the notes of the region.
    pub fn tell(&mut self, notes: &mut RegionNotes) {
        notes.steps = std::mem::take(&mut self.steps);
        if notes.schedule.is_none() {
            notes.schedule = self.note.take();
        }
    }
}
