//! `upstream`: passes of upstream's in the middle of a pipeline.
//!
//! The module is printed, read and changed by upstream, and read again in its place. Ops that upstream
//! does not know go through it as they are. Locations come back as they were.

use super::{Bridge, Input, Task};
use crate::dialects::builtin;
use crate::ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult,
};
use crate::ir::text::parser::{Source, parse};
use crate::ir::text::printer::{PrintOptions, print};
use crate::ir::{Context, Op};

/// The pass.
pub static INFO: PassInfo = PassInfo {
    name: "upstream",
    title: "Upstream",
    summary: "Run passes of upstream's, by the program terrace-mlir",
    description: "Prints the module, has the program terrace-mlir run a pipeline of MLIR's own passes over it, and reads what comes back.",
    anchor: Some(builtin::ModuleOp::NAME),
    options: &[OptionInfo::new(
        "pipeline",
        OptionKind::Str,
        "",
        "The passes, as mlir-opt --pass-pipeline takes them; without it those that bring a module down to what terrace has",
    )],
    make: |o| {
        Ok(Box::new(Upstream {
            pipeline: o.str("pipeline").to_string(),
        }))
    },
    ..PassInfo::EMPTY
};

struct Upstream {
    pipeline: String,
}

impl Pass for Upstream {
    fn run(&mut self, ctx: &mut PassContext, module: Op) -> PassResult {
        let options = PrintOptions {
            debug_info: true,
            ..PrintOptions::default()
        };
        let text = print(ctx, module, &options);
        let task = match self.pipeline.as_str() {
            "" => Task::Lower,
            pipeline => Task::Run(pipeline),
        };
        let made = Bridge::find().and_then(|b| b.text(Input::Bytes(text.as_bytes()), task));
        let made = made.map_err(|m| {
            let m = format!("is not taken by upstream: {m}");
            module.error(ctx, m);
            PassFailed
        })?;
        replace(ctx, module, &made)
    }
}

/// Gives a module the body and the attributes of what a text says.
fn replace(ctx: &mut Context, module: Op, text: &str) -> PassResult {
    let Some(new) = parse(ctx, &Source::new("upstream", text)) else {
        module.error(ctx, "what upstream made of it is not to be read here");
        return Err(PassFailed);
    };
    // Users before what they use.
    for op in module.body(ctx, 0).ops(ctx).into_iter().rev() {
        op.erase(ctx);
    }
    let body = module.body(ctx, 0);
    for op in new.body(ctx, 0).ops(ctx) {
        op.move_to_end(ctx, body);
    }
    for (name, _) in module.attrs(ctx) {
        let name = ctx.str(name).to_string();
        module.remove_attr(ctx, &name);
    }
    for (name, value) in new.attrs(ctx) {
        let name = ctx.str(name).to_string();
        module.set_attr(ctx, &name, value);
    }
    new.erase(ctx);
    Ok(())
}
