//! Whether IR that is printed and read again is the same.

use super::Tool;
use super::args::OptArgs;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::text::parser::{Source, parse};
use crate::ir::text::printer::{PrintOptions, print};
use crate::ir::{Context, Op};

/// Prints a module in its own form and in the generic one, reads both into new contexts, and
/// compares what they hold. The generic form has all locations, which are compared too; forms of
/// ops leave some out, such as that of a loop's counter. What differs is an error at the module.
pub(super) fn verify(tool: &Tool, a: &OptArgs, ctx: &mut Context, module: Op) -> bool {
    let form_of = |generic, debug_info| PrintOptions {
        generic,
        debug_info,
        ..PrintOptions::default()
    };
    for (form, generic) in [("custom", false), ("generic", true)] {
        let reference = print(ctx, module, &form_of(true, generic));
        let text = print(ctx, module, &form_of(generic, true));
        let mut again = tool.context(a);
        let Some(read) = parse(&mut again, &Source::new("round-trip", &text)) else {
            module.error(
                ctx,
                format!("failed to parse {form} text back, cannot verify round-trip"),
            );
            for mut d in again.take_diagnostics() {
                let line = line_of(&text, &d);
                d.message = format!("of the text that was printed: {}{line}", d.message);
                d.loc = DiagLoc::Unknown;
                ctx.emit(d);
            }
            return false;
        };
        let found = print(&again, read, &form_of(true, generic));
        if found != reference {
            module.error(
                ctx,
                format!(
                    "roundTrip testing roundtripped module differs from reference:\n\
                     <<<<<<Reference\n{reference}\n=====\n{found}\n>>>>>roundtripped"
                ),
            );
            return false;
        }
    }
    true
}

/// The line of a text that a diagnostic is about.
fn line_of(text: &str, d: &Diagnostic) -> String {
    let DiagLoc::Pos { line, .. } = &d.loc else {
        return String::new();
    };
    let found = text.lines().nth((*line as usize).saturating_sub(1));
    found.map_or(String::new(), |l| format!(" in '{}'", l.trim()))
}
