//! Schedules, for a few small programs: what is not refused must not change what the
//! programs compute.

#[path = "../../../test/random/backwards.rs"]
mod backwards;

use super::programs::{self, Function};
use terrace::dialects::schedule::SequenceOp;
use terrace::ir::Op;
use terrace::ir::diag::Severity;
use terrace::ir::pass::PassManager;
use terrace::ir::text::parser::{Source, parse};
use terrace::ir::verify::verify;
use terrace::run::executor::Program;
use terrace::with_stack;

/// # Panics
///
/// Where a step is refused without an error, or what is left after steps does not verify
/// or computes something else.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES / 4 {
        return;
    }
    let text = String::from_utf8_lossy(data);
    // Who forces a step asks for other results.
    if text.contains("force") {
        return;
    }
    with_stack(|| {
        let mut p = programs::program();
        if take_in(&mut p, &text) {
            apply(&mut p);
        }
    });
}

/// Puts the schedules of a text, if it holds nothing else, into the program.
fn take_in(p: &mut Program, text: &str) -> bool {
    let ctx = &mut p.ctx;
    let Some(holder) = parse(ctx, &Source::new("schedule.mlir", text)) else {
        assert!(
            !ctx.take_diagnostics().is_empty(),
            "refused without an error"
        );
        return false;
    };
    if !verify(ctx, holder) {
        assert!(
            !ctx.take_diagnostics().is_empty(),
            "refused without an error"
        );
        return false;
    }
    let all: Vec<Op> = holder.body(ctx, 0).ops(ctx);
    if all.is_empty() || !all.iter().all(|op| op.isa::<SequenceOp>(ctx)) {
        return false;
    }
    let body = p.module.body(ctx, 0);
    for op in all {
        op.move_to_end(ctx, body);
    }
    holder.erase(ctx);
    // Two of one name, or one named as a function.
    let valid = verify(ctx, p.module);
    ctx.take_diagnostics();
    valid
}

fn apply(p: &mut Program) {
    let before = programs::texts(p);
    let registry = terrace::pass_registry();
    let mut pm = PassManager::parse(registry, "builtin.module(apply-schedule)")
        .unwrap_or_else(|e| panic!("{e}"));
    let done = pm.run(&mut p.ctx, p.module, &mut programs::Silent);
    let said = p.ctx.take_diagnostics();
    if done.is_err() {
        let error = said.iter().any(|d| d.severity == Severity::Error);
        assert!(error, "refused without an error");
    }
    if !verify(&p.ctx, p.module) {
        panic!("{:?}\n{}", p.ctx.take_diagnostics(), p.text());
    }
    // Also after a refusal: the steps before it were done.
    let after = programs::texts(p);
    let changed = |f: &Function| before.get(f.name) != after.get(f.name);
    let changed: Vec<Function> = Function::all().into_iter().filter(changed).collect();
    if changed.is_empty() {
        return;
    }
    programs::same_results(&p.text(), changed.clone());
    backwards::run_backwards(&mut p.ctx, p.module);
    programs::same_results(&p.text(), changed);
}
