//! `affine-print-dependences`: shows the dependences of each function.
//!
//! As a table, a line each: what kind, of which array, the two accesses with line and
//! column, how far apart their iterations are along each loop around both, and which
//! loop carries it:
//!
//! ```text
//! affine.for %i = 1 to 64 {
//!   %0 = affine.load %a[%i - 1]
//!   affine.store %0, %a[%i]
//! }
//!
//! dependences of @f:
//!   kind  array  from       to        distance  direction  carried by
//!   flow  a      store 4:3  load 3:8  (1)       (<)        loop 'i' at line 2
//! ```
//!
//! As `dot`, a graph of the accesses. As `json`, everything, each relation of
//! iterations as a set of integers in text too.

use terrace_ir::opdef::traits;
use terrace_ir::pass::{OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op};

use super::report;
use crate::analysis::dependence::{Dependences, Options, dependences};

pub static INFO: PassInfo = PassInfo {
    name: "affine-print-dependences",
    title: "AffinePrintDependences",
    summary: "Print the data dependences of affine programs",
    description: "For each function: every dependence between two accesses, with its kind, the array, line and column of both, the distance along each common loop and the loop that carries it; what is not known exactly, and why; reductions; values that loops carry; arrays of which each iteration may have a copy of its own.",
    anchor: None,
    options: &[
        OptionInfo::new(
            "format",
            OptionKind::Str,
            "table",
            "What to print: table, dot, json, or systems (one line of integer sets a question, for other solvers)",
        ),
        OptionInfo::flag("input", "Dependences between two reads too"),
        OptionInfo::flag(
            "value-based",
            "Only dependences without a write to the same element between the two accesses",
        ),
        OptionInfo::flag(
            "arguments-alias",
            "Memref arguments of a function may be the same memory",
        ),
    ],
    statistics: &[],
    make: |o| {
        let show = match o.str("format") {
            "table" => report::table,
            "dot" => report::dot,
            "json" => super::json::json,
            "systems" => report::systems,
            other => {
                return Err(format!(
                    "unknown format '{other}': one of table, dot, json, systems"
                ));
            }
        };
        Ok(Box::new(Print {
            show,
            value_based: o.bool("value-based"),
            options: Options {
                input: o.bool("input"),
                frees: false,
                arguments_alias: o.bool("arguments-alias"),
                trust_unregistered: true,
                ..Options::default()
            },
        }))
    },
};

struct Print {
    show: fn(&Context, Op, &Dependences) -> String,
    value_based: bool,
    options: Options,
}

impl Pass for Print {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut functions = Vec::new();
        op.walk(ctx, &mut |o| {
            let with_body = o.num_regions(ctx) > 0 && !o.region(ctx, 0).is_empty(ctx);
            if with_body && o.has_trait(ctx, traits::FUNCTION_LIKE) {
                functions.push(o);
            }
        });
        for f in functions {
            let mut found = dependences(ctx, f, &self.options);
            if self.value_based {
                found.all = found.value_based(ctx);
            }
            let text = (self.show)(ctx, f, &found);
            ctx.show(&text);
        }
        Ok(())
    }
}
