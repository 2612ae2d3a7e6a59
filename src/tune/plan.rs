//! The nests of a program, their candidates, and schedules that ask for some of them.

use crate::dialects::attributes::SCHEDULE_NOTE;
use crate::dialects::schedule::{FindLoopOp, MapToGpuOp, SequenceOp};
use crate::ir::OpKind;
use crate::ir::diag::DiagLoc;
use crate::passes::gpu::map::candidates::{self, Candidate};
use crate::run::executor::Program;
use crate::run::options::RunOptions;
use crate::run::{RunError, with_candidates};

/// A nest that is mapped to threads.
pub struct TunedNest {
    /// `i` in line 7.
    pub name: String,
    step: MapToGpuOp,
    /// What is chosen without measuring, then the others, the best by the model first.
    pub candidates: Vec<Candidate>,
}

/// See the [module](self).
pub struct TuningPlan {
    program: Program,
    pub nests: Vec<TunedNest>,
}

impl TuningPlan {
    /// The nests of a program for a device of that name and architecture, with at most so many
    /// candidates each.
    ///
    /// # Errors
    ///
    /// What the passes report.
    pub fn new(
        mut program: Program,
        o: &RunOptions,
        on: (&str, &str),
        candidates: usize,
    ) -> Result<TuningPlan, RunError> {
        let steps = with_candidates(&mut program, o, on, candidates)?;
        let ctx = &program.ctx;
        let mut nests = Vec::new();
        for step in steps {
            let target = step.op().operands(ctx).first().copied();
            let find = target.and_then(|v| v.def_op());
            let find = find.and_then(|o| o.cast::<FindLoopOp>(ctx));
            let iv = find.and_then(|f| f.iv(ctx)).unwrap_or("?").to_string();
            let name = match ctx.diag_loc(step.op().loc(ctx)) {
                DiagLoc::Pos { line, .. } => format!("{iv} at line {line}"),
                _ => iv,
            };
            let mut all = candidates::take(ctx, step);
            all.truncate(candidates.max(1));
            nests.push(TunedNest {
                name,
                step,
                candidates: all,
            });
        }
        // The text of the program says where a loop stands; names and lines may change.
        for f in program.module.find_all::<FindLoopOp>(ctx) {
            f.op().remove_attr(ctx, "iv");
            f.op().remove_attr(ctx, "line");
        }
        Ok(TuningPlan { program, nests })
    }

    /// The most candidates that a nest has.
    pub fn most(&self) -> usize {
        let counts = self.nests.iter().map(|n| n.candidates.len());
        counts.max().unwrap_or(0)
    }

    /// The schedule that asks for these candidates, one of each nest.
    pub fn schedule(&self, picks: &[usize]) -> String {
        let ctx = &self.program.ctx;
        for (nest, pick) in self.nests.iter().zip(picks) {
            if let Some(c) = nest.candidates.get(*pick) {
                candidates::choose(ctx, nest.step, c);
                let note = ctx.string_attr(&c.mapping);
                nest.step.op().set_attr(ctx, SCHEDULE_NOTE, note);
            }
        }
        let mut out = String::new();
        for s in self.program.module.find_all::<SequenceOp>(ctx) {
            if s.stage(ctx).is_some() {
                out.push_str(&ctx.op_text(s.op()));
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        out
    }
}
