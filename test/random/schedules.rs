//! Random schedules applied to random programs: what is not refused must not change
//! what the program computes.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on. Of what is
//! refused it is counted how much does change the program when it is forced;
//! `TERRACE_RANDOM_SHOW=1` says what became of each.

use super::backwards::run_backwards;
use super::check::{Outcome, interpret, same, truth, words};
use super::nests::nests;
use super::over_seeds;
use super::steps::schedule;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use terrace::ir::pass::{ParsedOptions, PassManager};
use terrace::ir::text::parser::{Source, parse};
use terrace::ir::verify::verify;
use terrace::run::executor::Program;

/// Programs where the environment names no number.
const COUNT: u64 = 300;

/// What became of the requests.
#[derive(Default)]
struct Tally {
    done: AtomicU64,
    /// Refused, and forced it does change the outcome.
    rightly: AtomicU64,
    /// Refused, and forced it does not, for this input.
    perhaps: AtomicU64,
    /// Refused, and cannot be forced: the loops have not the shape.
    impossible: AtomicU64,
}

/// The program after its schedule, parallel loops running backwards, and the error
/// where a step was refused.
fn apply(text: &str, options: &str) -> (String, Option<String>) {
    let mut ctx = terrace::dialects::context();
    ctx.config.keep_names = true;
    let module = parse(&mut ctx, &Source::new("random.mlir", text));
    let Some(module) = module.filter(|m| verify(&ctx, *m)) else {
        panic!("no program: {}\n{text}", words(&ctx.take_diagnostics()));
    };
    let mut p = Program::of(ctx, module);
    let mut pm = PassManager::new("builtin.module");
    let info = terrace::pass_registry()
        .pass("apply-schedule")
        .expect("the pass");
    let options = ParsedOptions::parse(info.options, options).expect("its options");
    pm.root
        .add_nesting(info, options)
        .expect("a pass of modules");
    let result = pm.run(&mut p.ctx, p.module, &mut super::check::Silent);
    let error = result.is_err().then(|| words(&p.ctx.take_diagnostics()));
    assert!(
        verify(&p.ctx, p.module),
        "what is left does not verify: {}\n{}",
        words(&p.ctx.take_diagnostics()),
        p.text()
    );
    run_backwards(&mut p.ctx, p.module);
    (p.text(), error)
}

/// How the program after differs from the program before.
fn difference(before: &str, after: &str, expected: &Outcome) -> Option<String> {
    match interpret(before, after) {
        Ok(outcome) => same(&outcome, expected).err(),
        Err(f) => Some(f.message),
    }
}

/// Try the request of a seed. Gives what went wrong.
fn one(seed: u64, tally: &Tally) -> Result<(), String> {
    let start = std::time::Instant::now();
    let n = nests(seed);
    let text = schedule(seed, &n.loops) + &n.program.text();
    let report =
        |what: &str, after: &str| format!("=== seed {seed}: {what}\n{text}--- after\n{after}");
    let expected = truth(&text).map_err(|f| report(&f.message, ""))?;
    let guarded = |options: &str| {
        catch_unwind(AssertUnwindSafe(|| apply(&text, options))).map_err(|p| {
            let m = p.downcast_ref::<String>().cloned();
            let m = m.or(p.downcast_ref::<&str>().map(|s| (*s).to_string()));
            report(&format!("panic: {}", m.unwrap_or_default()), "")
        })
    };
    let (after, error) = guarded("")?;
    // Also after a refusal: the steps before it were done.
    if let Some(m) = difference(&text, &after, &expected) {
        return Err(report(&m, &after));
    }
    let (counter, what) = match &error {
        None => (&tally.done, "done"),
        Some(_) => match guarded("force")? {
            (_, Some(_)) => (&tally.impossible, "impossible"),
            (forced, None) if difference(&text, &forced, &expected).is_some() => {
                (&tally.rightly, "changes the outcome")
            }
            _ => (&tally.perhaps, "changes no outcome"),
        },
    };
    counter.fetch_add(1, Ordering::Relaxed);
    if std::env::var_os("TERRACE_RANDOM_SHOW").is_some() {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "seed {seed}: {seconds:.2} s: {what}: {}",
            error.unwrap_or_default()
        );
    }
    Ok(())
}

#[test]
fn schedules_that_are_not_refused_change_no_outcome() {
    let tally = Tally::default();
    let count = over_seeds(COUNT, |seed| one(seed, &tally).err().into_iter().collect());
    let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
    let (done, rightly) = (get(&tally.done), get(&tally.rightly));
    println!(
        "{done} done, {rightly} refused that change the outcome, {} refused that do not, {} impossible",
        get(&tally.perhaps),
        get(&tally.impossible)
    );
    // Or the test would say little.
    assert!(count < 200 || (done * 5 > count && rightly * 60 > count));
}
