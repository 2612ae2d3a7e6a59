//! Passes over a part of a program, such as one form of a region, and what is shown of them.

use crate::instruments::Instruments;
use crate::ir::diag::Diagnostic;
use crate::ir::pass::PassInfo;
use crate::ir::{Context, Op};
use crate::passes::pipeline::Pipeline;
use crate::passes::region::notes::RegionNotes;
use crate::passes::region::parallelize::{self, Options};
use std::convert::Infallible;

/// Runs passes over a part of a program.
#[derive(Clone, Default)]
pub(crate) struct Passes {
    instruments: Instruments,
    /// What all parts are of, for the reader.
    whole: String,
    /// That, and which part of it.
    of: String,
}

impl Passes {
    /// Those over all forms of what is said. The default shows nothing.
    pub fn over(instruments: &Instruments, whole: String) -> Passes {
        Passes {
            instruments: instruments.clone(),
            of: format!("{whole}, all forms"),
            whole,
        }
    }

    /// Those over one form, or over a function that is made for it.
    pub fn of(&self, form: impl std::fmt::Display) -> Passes {
        Passes {
            of: format!("{}, {form}", self.whole),
            ..self.clone()
        }
    }

    /// Run a pipeline over a module.
    ///
    /// # Errors
    ///
    /// What the passes report.
    pub fn run(
        &self,
        ctx: &mut Context,
        module: Op,
        pipeline: &Pipeline,
    ) -> Result<(), Vec<Diagnostic>> {
        // Passes check what they made where they are tested; here time counts.
        let verify = cfg!(debug_assertions);
        (self.instruments).run(&self.of, ctx, module, &pipeline.to_string(), verify)
    }

    /// Do what a pass does by a call, which tells more.
    ///
    /// # Errors
    ///
    /// Those of the call.
    pub fn call<T, E>(
        &self,
        ctx: &mut Context,
        pass: (&'static PassInfo, Op),
        call: impl FnOnce(&mut Context) -> Result<T, E>,
    ) -> Result<T, E> {
        self.instruments.call(&self.of, ctx, pass, call)
    }

    /// Make the loops of a region's function parallel.
    pub fn parallelize(
        &self,
        ctx: &mut Context,
        function: Op,
        rules: &Options,
    ) -> (RegionNotes, Vec<Diagnostic>) {
        let pass = (&parallelize::INFO, function);
        let Ok(told) = self.call(ctx, pass, |ctx| {
            Ok::<_, Infallible>(parallelize::parallelize(ctx, function, rules))
        });
        told
    }

    /// Time a step that is no pass.
    pub fn time<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        self.instruments.time(name, step)
    }
}
