//! Passes over one form of a region, and what is shown of them.

use super::CompileOptions;
use crate::instruments::Instruments;
use crate::ir::diag::Diagnostic;
use crate::ir::pass::PassInfo;
use crate::ir::{Context, Op};
use crate::passes::pipeline::Pipeline;
use crate::passes::region::notes::RegionNotes;
use crate::passes::region::parallelize::{self, Options};
use std::convert::Infallible;

/// Runs passes over a form.
#[derive(Default)]
pub(super) struct Passes {
    instruments: Instruments,
    region: String,
    /// The region, and which form of it.
    of: String,
}

impl Passes {
    /// Those over all forms of a region. The default shows nothing.
    pub fn over(function: &str, options: &CompileOptions) -> Passes {
        let region = format!("region {function} of {}", options.source);
        Passes {
            instruments: options.instruments.clone(),
            of: format!("{region}, all forms"),
            region,
        }
    }

    /// Those over one form, or over a function that is made for the region.
    pub fn of(&self, form: impl std::fmt::Display) -> Passes {
        Passes {
            instruments: self.instruments.clone(),
            region: self.region.clone(),
            of: format!("{}, {form}", self.region),
        }
    }

    /// What shows them, and what they are said to be of.
    pub fn shown(self) -> (Instruments, String) {
        (self.instruments, self.of)
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
