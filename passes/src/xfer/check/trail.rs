//! How a path came to be what it is: for the notes of errors.
//!
//! Each cell of a state carries the end of a list of steps: ops that changed it, and
//! branches and loops passed since. Of two paths that meet in the same cell one is kept.

use terrace_dialects::xfer::Side;
use terrace_dialects::{affine, cf, scf};
use terrace_ir::{Context, Loc, Op};

/// The end of a list of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trail(u32);

/// What happened at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The function is entered.
    Start,
    Wrote(Side),
    WroteElsewhere,
    /// An asynchronous op was started.
    Started,
    Copied,
    Discarded,
    /// An `xfer.ensure` that did nothing, because of the flags.
    Skipped(Side),
    Marked(Side),
    Made,
    FreedMirror,
    /// An array came to the device, or left it, by the table of present arrays.
    Entered,
    LeftDevice,
    /// It is held once more, or less.
    Counted,
    FreedArray,
    Allocated,
    /// Into a region of an op that chooses one.
    Into(usize),
    /// Past an op that chose none.
    Past,
    /// Past a loop that did not run.
    NoIterations,
    /// Back to the start of a loop.
    Again,
    /// To a successor of a terminator that has several.
    Branch(usize),
}

impl What {
    /// Whether it is about control flow and not about the array.
    fn is_control(self) -> bool {
        use What::*;
        matches!(
            self,
            Into(_) | Past | NoIterations | Again | Branch(_) | Skipped(_)
        )
    }
}

#[derive(Debug, Clone, Copy)]
struct Step {
    op: Op,
    what: What,
    before: Option<Trail>,
    /// The last step up to this one that is not about control flow.
    change: u32,
}

/// All steps of a function.
#[derive(Debug, Default)]
pub(super) struct Trails(Vec<Step>);

/// Control flow shown with an error; more would not be read.
const SHOWN: usize = 6;

impl Trails {
    pub(crate) fn start(&mut self, op: Op) -> Trail {
        self.push(op, What::Start, None)
    }

    pub(crate) fn add(&mut self, to: Trail, op: Op, what: What) -> Trail {
        self.push(op, what, Some(to))
    }

    fn push(&mut self, op: Op, what: What, before: Option<Trail>) -> Trail {
        let id = self.0.len() as u32;
        let change = match before {
            Some(b) if what.is_control() => self.0[b.0 as usize].change,
            _ => id,
        };
        self.0.push(Step {
            op,
            what,
            before,
            change,
        });
        Trail(id)
    }

    /// Whether nothing but control flow lies between two trails, one of which goes on
    /// from where the other was.
    pub(crate) fn same_history(&self, a: Trail, b: Trail) -> bool {
        self.0[a.0 as usize].change == self.0[b.0 as usize].change
    }

    /// The path from the last step that `is_cause` accepts, oldest step first; all that
    /// is known of control flow at the end where there is none.
    pub(crate) fn explain(
        &self,
        ctx: &Context,
        end: Trail,
        is_cause: impl Fn(What) -> bool,
    ) -> Vec<(Loc, String)> {
        let mut notes = Vec::new();
        let mut at = Some(end);
        while let Some(t) = at {
            let step = self.0[t.0 as usize];
            let cause = is_cause(step.what);
            if cause || step.what.is_control() && notes.len() < SHOWN {
                let note = (step.op.loc(ctx), words(ctx, step.op, step.what));
                // A loop can be gone around often.
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            if cause {
                notes.reverse();
                return notes;
            }
            at = step.before;
        }
        Vec::new()
    }
}

fn words(ctx: &Context, op: Op, what: What) -> String {
    let name = op.name(ctx);
    match what {
        What::Start => "the function is entered".into(),
        What::Wrote(side) => format!("written on the {} here", side.word()),
        What::WroteElsewhere => {
            "written here, on the device, through another mirror of what may be the same memory"
                .into()
        }
        What::Started => format!("the '{name}' that may still run is started here"),
        What::Copied => "copied here".into(),
        What::Discarded => "its content is given up here".into(),
        What::Skipped(side) => format!(
            "nothing is copied here: the flags say that the array is valid on the {}, because no 'xfer.mark_written' says otherwise",
            side.word()
        ),
        What::Marked(side) => format!("the flags are set to valid on the {} here", side.word()),
        What::Made => "the mirror is made here, with nothing in it".into(),
        What::FreedMirror => "the mirror is freed here".into(),
        What::Entered => "it comes to the device here".into(),
        What::LeftDevice => "it leaves the device here".into(),
        What::Counted => "it is held once more or less from here on".into(),
        What::FreedArray => "the array is freed here".into(),
        What::Allocated => "the array is allocated here".into(),
        What::Into(region) => match (name, region) {
            (scf::IfOp::NAME | affine::IfOp::NAME, 0) => {
                format!("through the then-branch of this '{name}'")
            }
            (scf::IfOp::NAME | affine::IfOp::NAME, _) => {
                format!("through the else-branch of this '{name}'")
            }
            (scf::IndexSwitchOp::NAME, 0) => {
                format!("through the default of this '{name}'")
            }
            (_, k) => format!("through case {} of this '{name}'", k - 1),
        },
        What::Past => format!("past this '{name}', where its condition does not hold"),
        What::NoIterations => "this loop may run zero times".into(),
        What::Again => "around this loop again".into(),
        What::Branch(k) => match (name, k) {
            (cf::CondBranchOp::NAME, 0) => "where the condition of this branch holds".into(),
            (cf::CondBranchOp::NAME, _) => {
                "where the condition of this branch does not hold".into()
            }
            (cf::SwitchOp::NAME, 0) => "to the default of this switch".into(),
            (cf::SwitchOp::NAME, k) => {
                format!("to case {} of this switch", k - 1)
            }
            (_, k) => format!("to successor {k} of this '{name}'"),
        },
    }
}
