//! A program made ready for one target.

use super::bind::Value;
use super::entry::Entry;
use super::foreign::{self, LeftOut};
use crate::dialects;
use crate::instruments::Instruments;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use crate::passes::pipeline::Pipeline;
use crate::runtime::profile::Profile;

/// What calls an entry function on some target.
pub trait Executor {
    /// Call the entry function, and give what it returns. Arrays among the arguments are changed in
    /// place; those that it returns are copies.
    ///
    /// # Errors
    ///
    /// Arguments that do not fit the function's type: all of them. Else what went wrong
    /// while the program ran, with its place in the source.
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Value>, Vec<Diagnostic>>;

    /// What happened in the last call, and the steps before it since this was last asked.
    fn take_profile(&mut self) -> Profile;

    /// Where it runs, for the report: `cpu, 2 threads`.
    fn place(&self) -> String;

    /// What else there is to say before it runs.
    fn note(&self) -> Option<&str> {
        None
    }
}

/// A parsed and verified program.
pub struct Program {
    /// The context that `module` is in.
    pub ctx: Context,
    /// The outermost op, a `builtin.module`.
    pub module: Op,
    instruments: Instruments,
    /// What dumps are of: the file, and the target it is made for.
    about: String,
    /// Parameters are called as the source calls them.
    named_as_written: bool,
    /// What was taken out, since it is of other dialects.
    pub(super) left_out: LeftOut,
}

impl Program {
    /// A module that was verified, for passes of which nothing is shown.
    pub fn of(ctx: Context, module: Op) -> Program {
        Program {
            ctx,
            module,
            instruments: Instruments::default(),
            about: String::new(),
            named_as_written: false,
            left_out: LeftOut::default(),
        }
    }

    /// The same, whose parameters have the names of the source where they have no others.
    #[must_use]
    pub fn named_as_written(self) -> Program {
        Program {
            named_as_written: true,
            ..self
        }
    }

    /// Show the passes that run from now on; `about` says in dumps what they are of.
    pub(crate) fn show(&mut self, instruments: &Instruments, about: String) {
        self.instruments = instruments.clone();
        self.about = about;
    }

    /// What shows its passes, and what they are said to be of.
    pub(crate) fn shown(&self) -> (Instruments, String) {
        (self.instruments.clone(), self.about.clone())
    }

    /// What shows its passes, for other steps to be timed too.
    pub(crate) fn instruments(&self) -> Instruments {
        self.instruments.clone()
    }

    /// Parse and verify. What is of other dialects is left out, with the functions that reach it.
    ///
    /// # Errors
    ///
    /// Every error of the text.
    pub fn new(file_name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
        let mut ctx = dialects::context();
        // Registers of kernels are called what values are.
        ctx.config.keep_names = true;
        // What nothing here knows does not matter where the function that is called does not reach it.
        ctx.config.allow_unregistered = true;
        let module = parse(&mut ctx, &Source::new(file_name, text));
        let Some(module) = module.filter(|m| verify(&ctx, *m)) else {
            return Err(ctx.take_diagnostics());
        };
        ctx.config.allow_unregistered = false;
        ctx.config.allow_unregistered_attrs = true;
        let left_out = foreign::leave_out(&mut ctx, module)?;
        foreign::bring_in_data(&mut ctx, module)?;
        foreign::name_c_functions(&ctx, module);
        Ok(Program {
            left_out,
            ..Program::of(ctx, module)
        })
    }

    /// Run a pipeline over the program.
    ///
    /// # Errors
    ///
    /// What the passes report.
    pub fn run(&mut self, pipeline: &Pipeline) -> Result<(), Vec<Diagnostic>> {
        // Passes check what they made where they are tested. Here time counts: what all of them
        // have made is checked once.
        let each = cfg!(debug_assertions);
        let (ctx, module) = (&mut self.ctx, self.module);
        (self.instruments).run(&self.about, ctx, module, &pipeline.to_string(), each)?;
        match each || verify(ctx, module) {
            true => Ok(()),
            false => Err(ctx.take_diagnostics()),
        }
    }

    /// Run a pipeline over the program, given as the text that `--pass-pipeline` takes.
    ///
    /// # Errors
    ///
    /// What the passes report; an unknown pipeline is an error too.
    pub fn run_pipeline(&mut self, pipeline: &str) -> Result<(), Vec<Diagnostic>> {
        let (ctx, module) = (&mut self.ctx, self.module);
        self.instruments
            .run(&self.about, ctx, module, pipeline, true)
    }

    /// The function called `name`, or the first public one.
    ///
    /// # Errors
    ///
    /// As [`Entry::find`].
    pub fn entry(&self, name: Option<&str>) -> Result<Entry, String> {
        let mut entry = Entry::find(&self.ctx, self.module, name)?;
        if self.named_as_written {
            entry.name_as_written(&self.ctx, self.module);
        }
        Ok(entry)
    }

    /// The program as text.
    pub fn text(&self) -> String {
        self.ctx.op_text(self.module)
    }
}
