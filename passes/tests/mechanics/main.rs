//! Loop mechanics against enumeration: programs are run before and after by a small
//! executor that lists what happens, and the two lists are compared.

mod execute;
mod pieces;
mod programs;
mod reorder;

use terrace_dialects::affine::ForOp;
use terrace_ir::text::parser::{Source, parse};
use terrace_ir::text::printer;
use terrace_ir::verify::verify;
use terrace_ir::{Context, Op, OpKind};
use terrace_passes::analysis::loop_names::iv_names;

/// A program in a context of its own.
pub struct Program {
    pub ctx: Context,
    pub module: Op,
}

impl Program {
    pub fn new(text: &str) -> Program {
        let mut ctx = Context::new();
        terrace_dialects::register_all(&mut ctx);
        ctx.config.allow_unregistered = true;
        ctx.config.keep_names = true;
        let module = parse(&mut ctx, &Source::new("test.mlir", text));
        let Some(module) = module else {
            panic!("{:#?}\n{text}", ctx.take_diagnostics());
        };
        Program { ctx, module }
    }

    /// The loops, outer before inner, in the order of the text.
    pub fn loops(&self) -> Vec<ForOp> {
        self.module.find_all::<ForOp>(&self.ctx)
    }

    /// The names of the induction variables of all loops.
    pub fn names(&self) -> Vec<String> {
        let loops = self.loops().into_iter();
        loops.flat_map(|l| iv_names(&self.ctx, l.op())).collect()
    }

    pub fn text(&self) -> String {
        printer::print(&self.ctx, self.module, &Default::default())
    }

    /// Nothing that was left is invalid.
    pub fn check(&self) {
        let ok = verify(&self.ctx, self.module);
        assert!(ok, "{:#?}\n{}", self.ctx.take_diagnostics(), self.text());
    }

    /// What runs, with these parameters; see [`execute::run`].
    pub fn run(&self, parameters: &[i64]) -> Vec<execute::Event> {
        execute::run(&self.ctx, self.module, parameters)
    }
}
