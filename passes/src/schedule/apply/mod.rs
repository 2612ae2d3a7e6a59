//! `apply-schedule`: what a schedule says is done to the loops of a function.
//!
//! Steps are done one after another. A step that cannot be done, or that is not known
//! to be legal, is an error at the step, with the loop and what is in the way; the
//! function is then as it was before that step, and the steps behind it are not done.
//! As a failed pass it ends the pipeline, so that tools print no program
//! (`--mlir-print-ir-after-failure` shows how far it came).
//!
//! ```text
//! schedule.sequence @s on @f {                 affine.for %i = 0 to 64 step 8 {
//!   %i = schedule.find_loop {iv = "i"}    =>     affine.for %k = #id(%i) to #plus8(%i) {
//!   %t:2 = schedule.tile %i sizes [8]              use(%k)
//! }                                              }
//! affine.for %i = 0 to 64 { use(%i) }          }
//! ```

mod backup;
mod find;
mod handles;
mod numbers;
mod run;
mod steps;
mod target;

pub use run::{Options, apply};
use terrace_dialects::builtin;

use target::{sequences_of, target_of};
use terrace_dialects::schedule::{STAGES, SequenceOp};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::text::parser::{Source, parse};
use terrace_ir::{Op, OpKind, verify};

/// `apply-schedule`.
pub static INFO: PassInfo = PassInfo {
    name: "apply-schedule",
    title: "ApplySchedule",
    summary: "Transform loops as schedules say",
    description: "Does the steps of the schedules in a file, or of those in the module, which are then \
                  taken out of it. Each step is checked against the dependences of the program.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[
        OptionInfo::new(
            "file",
            OptionKind::File,
            "",
            "The file that holds the schedules; none for those in the module",
        ),
        OptionInfo::new(
            "sequence",
            OptionKind::Str,
            "",
            "The name of the only schedule to apply",
        ),
        OptionInfo::new(
            "stage",
            OptionKind::Str,
            "",
            "Apply only schedules for this stage, source (also where none is said) or parallel; all by default",
        ),
        OptionInfo::new(
            "check",
            OptionKind::Bool,
            "true",
            "Refuse steps that are not known to be legal",
        ),
        OptionInfo::flag(
            "force",
            "Do all steps, warning of those that are not known to be legal",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-steps", "Number of steps done"),
        StatisticInfo::new(
            "num-forced",
            "Number of steps done that are not known to be legal",
        ),
    ],
    make: |o| {
        Ok(Box::new(ApplySchedule {
            file: Some(o.str("file").to_string()).filter(|f| !f.is_empty()),
            sequence: Some(o.str("sequence").to_string()).filter(|s| !s.is_empty()),
            stage: match o.str("stage") {
                "" => None,
                s if STAGES.contains(&s) => Some(s.to_string()),
                s => return Err(format!("unknown stage '{s}': one of source, parallel")),
            },
            options: Options {
                check: o.bool("check"),
                force: o.bool("force"),
            },
        }))
    },
};

struct ApplySchedule {
    file: Option<String>,
    sequence: Option<String>,
    stage: Option<String>,
    options: Options,
}

impl Pass for ApplySchedule {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let Some(path) = &self.file else {
            return self.all_of(ctx, module, module);
        };
        let Some(text) = ctx.input_file(path) else {
            return ctx.fail(module, format!("was not given the file '{path}'"));
        };
        let holder = parse(ctx, &Source::new(path, &text)).ok_or(PassFailed)?;
        let result = if verify::verify(ctx, holder) {
            self.all_of(ctx, module, holder)
        } else {
            Err(PassFailed)
        };
        holder.erase(ctx);
        result
    }
}

impl ApplySchedule {
    /// Apply the schedules in `holder` to the functions of `module`.
    fn all_of(&self, ctx: &mut PassContext, module: Op, holder: Op) -> PassResult {
        for s in sequences_of(ctx, holder, self.sequence.as_deref())? {
            let stage = s.stage(ctx).unwrap_or(STAGES[0]);
            if self.stage.as_deref().is_some_and(|wanted| wanted != stage) {
                continue;
            }
            self.one(ctx, module, s)?;
            if holder == module {
                s.op().erase(ctx);
            }
        }
        Ok(())
    }

    fn one(&self, ctx: &mut PassContext, module: Op, s: SequenceOp) -> PassResult {
        let function = target_of(ctx, module, s)?;
        let done = apply(ctx, s, function, &self.options).map_err(|_| PassFailed)?;
        ctx.count("num-steps", done.steps);
        ctx.count("num-forced", done.forced);
        Ok(())
    }
}
