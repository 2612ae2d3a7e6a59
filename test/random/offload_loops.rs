//! Loops made parallel as for offloading must not change what a program computes, in
//! whatever order their iterations run.
//!
//! As [`super::schedules`], with the loops as affine loops and as loops of scf.

use super::backwards::run_backwards;
use super::check::{interpret, same, truth, words};
use super::nests::nests;
use super::over_seeds;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use terrace::ir::pass::PassManager;
use terrace::ir::text::parser::{Source, parse};
use terrace::ir::verify::verify;
use terrace::run::executor::Program;

/// Programs where the environment names no number.
const COUNT: u64 = 60;

const PIPELINES: [&str; 2] = [
    "builtin.module(func.func(offload-parallelize))",
    "builtin.module(func.func(lower-affine,offload-parallelize))",
];

/// The program with its loops parallel and running backwards, and how many there are.
fn apply(text: &str, pipeline: &str) -> (String, u64) {
    let mut ctx = terrace::dialects::context();
    ctx.config.keep_names = true;
    let module = parse(&mut ctx, &Source::new("random.mlir", text));
    let Some(module) = module.filter(|m| verify(&ctx, *m)) else {
        panic!("no program: {}\n{text}", words(&ctx.take_diagnostics()));
    };
    let mut p = Program::of(ctx, module);
    let registry = terrace::pass_registry();
    let mut pm = PassManager::parse(registry, pipeline).expect("a pipeline");
    let done = pm.run(&mut p.ctx, p.module, &mut super::check::Silent);
    assert!(
        done.is_ok() && verify(&p.ctx, p.module),
        "what is left does not verify: {}\n{}",
        words(&p.ctx.take_diagnostics()),
        p.text()
    );
    let after = p.text();
    let parallel = after.matches(".parallel (").count() as u64;
    run_backwards(&mut p.ctx, p.module);
    assert!(verify(&p.ctx, p.module), "backwards: {}", p.text());
    (p.text(), parallel)
}

fn one(seed: u64, loops: &AtomicU64) -> Vec<String> {
    let text = nests(seed).program.text();
    let report =
        |what: &str, after: &str| format!("=== seed {seed}: {what}\n{text}--- after\n{after}");
    let expected = match truth(&text) {
        Ok(t) => t,
        Err(f) => return vec![report(&f.message, "")],
    };
    let mut failures = Vec::new();
    for pipeline in PIPELINES {
        let after = catch_unwind(AssertUnwindSafe(|| apply(&text, pipeline)));
        let (after, parallel) = match after {
            Ok(a) => a,
            Err(p) => {
                let m = p.downcast_ref::<String>().cloned();
                failures.push(report(
                    &format!("panic: {}", m.unwrap_or_default()),
                    pipeline,
                ));
                continue;
            }
        };
        loops.fetch_add(parallel, Ordering::Relaxed);
        let wrong = match interpret(&text, &after) {
            Ok(outcome) => same(&outcome, &expected).err(),
            Err(f) => Some(f.message),
        };
        if let Some(m) = wrong {
            failures.push(report(&format!("{pipeline}: {m}"), &after));
        }
    }
    failures
}

#[test]
fn loops_made_parallel_change_no_outcome() {
    let loops = AtomicU64::new(0);
    let count = over_seeds(COUNT, |seed| one(seed, &loops));
    let loops = loops.load(Ordering::Relaxed);
    println!("{loops} parallel loops in {count} programs");
    // Or the test would say little.
    assert!(count < 50 || loops > count);
}
