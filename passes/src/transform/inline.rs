//! `inline`: calls of functions are replaced by the functions' bodies.
//!
//! Functions are taken callees first; before and between rounds of inlining each one
//! is simplified by a pipeline. A call is inlined where the place of the call may
//! hold every op of the body, and the callee is not part of a recursion with the
//! caller. Private functions that nothing refers to any more are erased. `no_inline`
//! on the call or the function keeps it. Locations of inlined ops say where the call
//! was.
//!
//! ```text
//! func.func private @twice(%a: f32) -> f32 {
//!   %0 = arith.addf %a, %a : f32
//!   return %0 : f32
//! }                                                func.func @f(%x: f32) -> f32 {
//! func.func @f(%x: f32) -> f32 {             =>      %0 = arith.addf %x, %x : f32
//!   %0 = call @twice(%x) : (f32) -> f32              return %0 : f32
//!   return %0 : f32                                }
//! }
//! ```

mod driver;
mod legality;
mod uses;

use driver::{Inliner, Pipelines};
use terrace_ir::Op;
use terrace_ir::pass::{
    OptionInfo, OptionKind, ParsedOptions, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::symbols::is_symbol_table;

pub static INFO: PassInfo = PassInfo {
    name: "inline",
    title: "Inliner",
    summary: "Inline function calls",
    description: "Replaces calls by the bodies of the functions called, callees before callers, and erases private functions that become unused.",
    options: &[
        OptionInfo::new(
            "default-pipeline",
            OptionKind::Str,
            "canonicalize",
            "The pipeline that simplifies functions which no pipeline of op-pipelines is for; empty for none",
        ),
        OptionInfo::new(
            "op-pipelines",
            OptionKind::StrList,
            "",
            "Pipelines that simplify functions, each of the form op-name(passes)",
        ),
        OptionInfo::new(
            "max-iterations",
            OptionKind::UInt,
            "4",
            "Rounds of simplifying and inlining in functions that call one another",
        ),
        OptionInfo::new(
            "inlining-threshold",
            OptionKind::UInt,
            "4294967295",
            "Inline no function with more ops than this percentage of the caller's; 4294967295 for any",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-inlined", "Number of calls inlined"),
        StatisticInfo::new("num-erased", "Number of functions erased"),
    ],
    make: |o| Ok(Box::new(Inline::new(o)?)),
    ..PassInfo::EMPTY
};

struct Inline {
    pipelines: Pipelines,
    max_iterations: u64,
    /// The most ops of a callee in percent of the caller's; `None` for no limit.
    threshold: Option<u64>,
}

impl Inline {
    fn new(o: &ParsedOptions) -> Result<Self, String> {
        let threshold = o.uint("inlining-threshold");
        Ok(Inline {
            pipelines: Pipelines::new(o.str("default-pipeline"), &o.strs("op-pipelines"))?,
            max_iterations: o.uint("max-iterations"),
            threshold: (threshold != u64::from(u32::MAX)).then_some(threshold),
        })
    }
}

impl Pass for Inline {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if !is_symbol_table(ctx, op) {
            return ctx.fail(
                op,
                "was scheduled to run under the inliner, but does not define a symbol table",
            );
        }
        let mut inliner = Inliner::new(ctx.ctx, op, self.threshold);
        inliner.run(ctx.ctx, &mut self.pipelines, self.max_iterations)?;
        let inlined = inliner.inlined;
        let erased = inliner.erase_dead(ctx.ctx);
        ctx.count("num-inlined", inlined);
        ctx.count("num-erased", erased);
        Ok(())
    }
}
