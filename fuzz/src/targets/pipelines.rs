//! Pipelines of passes as text, and what they make of programs.

use super::programs::{self, Function};
use terrace::ir::pass::PassManager;
use terrace::ir::verify::verify;
use terrace::with_stack;

/// Parts of names of passes that go with others, in an order: alone they leave what is not
/// meant to run.
const STEPS_TO_A_GPU: [&str; 4] = ["gpu", "xfer", "offload", "test-"];

/// # Panics
///
/// Where a pipeline's text is not read back to the same, or passes leave what does not
/// verify or, those that any program may go through, computes something else.
pub fn check(data: &[u8]) {
    if data.len() > 512 {
        return;
    }
    let text = String::from_utf8_lossy(data);
    let registry = terrace::pass_registry();
    let pm = match PassManager::parse(registry, &text) {
        Ok(pm) => pm,
        Err(e) => {
            assert!(!e.is_empty(), "refused without an error");
            return;
        }
    };
    let written = pm.root.text();
    let again = |text: &str| match PassManager::parse(registry, text) {
        Ok(again) => again,
        Err(e) => panic!("not read back: {e}\n{text}"),
    };
    assert_eq!(again(&written).root.text(), pm.root.text());
    // Which files there are is not the text's doing.
    if !pm.root.files().is_empty() || pm.root.anchor() != "builtin.module" {
        return;
    }
    with_stack(|| {
        let mut pm = again(&written);
        let mut p = programs::program();
        let done = pm.run(&mut p.ctx, p.module, &mut programs::Silent);
        if done.is_err() {
            assert!(
                !p.ctx.take_diagnostics().is_empty(),
                "refused without an error"
            );
            return;
        }
        if !verify(&p.ctx, p.module) {
            panic!("{:?}\n{}", p.ctx.take_diagnostics(), p.text());
        }
        if !STEPS_TO_A_GPU.iter().any(|w| written.contains(w)) {
            programs::same_results(&p.text(), Function::all());
        }
    });
}
