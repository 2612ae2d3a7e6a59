//! Random programs must mean the same however they are run: in the interpreter as
//! they stand, after every pass and after short pipelines of passes, as machine code,
//! and as kernels with transfers around them.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on; a failure
//! prints its seed, so `TERRACE_RANDOM_SEED=N TERRACE_RANDOM_COUNT=1` repeats it, with
//! `TERRACE_RANDOM_SHOW=1` also what the passes made of the program.
//! `TERRACE_RANDOM_PASS=NAME` tries one pass alone, with each of its options.

#[path = "random/access.rs"]
mod access;
#[path = "random/affine.rs"]
mod affine;
#[path = "random/backwards.rs"]
mod backwards;
#[path = "random/check.rs"]
mod check;
#[path = "random/control.rs"]
mod control;
#[path = "random/delay.rs"]
mod delay;
#[path = "random/fused.rs"]
mod fused;
#[path = "random/generate.rs"]
mod generate;
#[path = "random/nests.rs"]
mod nests;
#[path = "random/offload.rs"]
mod offload;
#[path = "random/offload_loops.rs"]
mod offload_loops;
#[path = "random/operation.rs"]
mod operation;
#[path = "random/program.rs"]
mod program;
#[path = "random/rng.rs"]
mod rng;
#[path = "random/schedules.rs"]
mod schedules;
#[path = "random/seeds.rs"]
mod seeds;
#[path = "random/steps.rs"]
mod steps;
#[path = "random/tiles.rs"]
mod tiles;
#[path = "random/unite.rs"]
mod unite;
#[path = "random/upstream.rs"]
mod upstream;

use check::{Failure, Way, check, truth, ways};
use program::Program;

/// Programs where the environment names no number.
const COUNT: u64 = 30;

/// Failures shown in full; more tell little.
const SHOWN: usize = 4;

/// The smallest program found by taking statements out that still fails this way.
fn reduce(mut p: Program, way: Option<&Way>, kind: check::Kind) -> Program {
    let still_fails = |p: &Program| {
        let text = p.text();
        match (truth(&text), way) {
            (Ok(t), Some(way)) => check(&text, way, &t).is_err_and(|f| f.kind == kind),
            _ => false,
        }
    };
    if way.is_none() {
        return p;
    }
    loop {
        let mut smaller = false;
        for n in (0..p.len()).rev() {
            if n >= p.len() {
                continue;
            }
            let candidate = p.without(n);
            if still_fails(&candidate) {
                p = candidate;
                smaller = true;
            }
        }
        if !smaller {
            return p;
        }
    }
}

/// The report of a failure, on the program made as small as possible.
fn report(seed: u64, p: Program, way: Option<&Way>, f: &Failure) -> String {
    let kind = f.kind;
    let small = reduce(p, way, kind).text();
    let again = way.and_then(|w| truth(&small).ok().and_then(|t| check(&small, w, &t).err()));
    let f = again.unwrap_or_else(|| f.clone());
    let show = std::env::var_os("TERRACE_RANDOM_SHOW").is_some();
    let lowered = f
        .lowered
        .filter(|_| show)
        .map(|l| format!("--- after\n{l}"));
    let lowered = lowered.unwrap_or_default();
    let way = way.map_or("as it stands".to_string(), |w| format!("{w:?}"));
    format!(
        "=== seed {seed}: {way}\n{kind:?}: {}\n--- program, reduced\n{small}{lowered}",
        f.message
    )
}

fn one(seed: u64) -> Vec<String> {
    let p = generate::Generator::new(seed).program();
    let text = p.text();
    let expected = match truth(&text) {
        Ok(t) => t,
        Err(f) => return vec![report(seed, p, None, &f)],
    };
    let failed = |w: &Way| check(&text, w, &expected).err().map(|f| (w.clone(), f));
    let failures: Vec<(Way, Failure)> = ways(seed).iter().filter_map(failed).collect();
    failures
        .iter()
        .map(|(w, f)| report(seed, p.clone(), Some(w), f))
        .collect()
}

/// Tries as many seeds as are asked for: `one` gives the reports of what fails. How many
/// that were.
fn over_seeds(count: u64, one: impl Fn(u64) -> Vec<String> + Sync) -> u64 {
    let tried = seeds::over_seeds(seeds::seeds(count), SHOWN, |seed| match one(seed) {
        reports if reports.is_empty() => Ok(()),
        reports => Err(reports),
    });
    tried.len() as u64
}

#[test]
fn every_way_gives_what_the_interpreter_gives() {
    over_seeds(COUNT, one);
}

/// MLIR's own passes mean the same, and ours make of most programs what these make.
#[test]
fn passes_of_upstream_mean_the_same() {
    let Some(opt) = upstream::program() else {
        return terrace_lit::feature::skip("mlir-opt", "passes_of_upstream_mean_the_same");
    };
    let all = std::sync::Mutex::new(upstream::Found::default());
    let read = std::sync::atomic::AtomicU64::new(0);
    let tried = over_seeds(COUNT, |seed| match upstream::one(&opt, seed) {
        Ok(found) => {
            read.fetch_add(found.read.into(), std::sync::atomic::Ordering::Relaxed);
            all.lock().expect("no thread panics").add(&found);
            Vec::new()
        }
        Err(report) => vec![report],
    });
    let (all, read) = (
        all.into_inner().expect("no thread panics"),
        read.into_inner(),
    );
    println!(
        "{read} of {tried} programs read by mlir-opt; of its passes {} results that it refuses, and \
         {} that compute something else",
        all.faults, all.wrong
    );
    for (passes, (compared, alike)) in upstream::PIPELINES.iter().zip(all.forms) {
        println!("{}: {alike} of {compared} forms alike", passes.join(", "));
        assert!(
            alike == compared || !upstream::one_form(passes),
            "{}: {alike} of {compared} forms alike; TERRACE_RANDOM_SHOW=1 shows the others",
            passes.join(", ")
        );
    }
    assert!(
        tried < 20 || read > tried / 2,
        "{read} of {tried} programs are read by mlir-opt"
    );
}

/// Updates of a matrix in steps, of which many may wait for the end of a tile and many may not.
#[test]
fn updates_of_steps_are_delayed() {
    let delayed = std::sync::atomic::AtomicU64::new(0);
    let tried = over_seeds(4 * COUNT, |seed| match delay::delayed(seed) {
        Ok(done) => {
            delayed.fetch_add(done.into(), std::sync::atomic::Ordering::Relaxed);
            Vec::new()
        }
        Err(problem) => vec![problem],
    });
    let delayed = delayed.into_inner();
    assert!(
        tried < 40 || (delayed > tried / 8 && delayed < tried),
        "{delayed} delayed in {tried} programs"
    );
}

/// Parts of one nest, of which many fit together and some do not.
#[test]
fn parts_of_nests_are_united() {
    let nests = std::sync::atomic::AtomicUsize::new(0);
    let tried = over_seeds(4 * COUNT, |seed| match unite::united(seed) {
        Ok(n) => {
            nests.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
            Vec::new()
        }
        Err(problem) => vec![problem],
    });
    let nests = nests.into_inner() as u64;
    assert!(
        tried < 40 || nests > tried / 2,
        "{nests} nests in {tried} programs"
    );
    assert!(
        tried < 40 || nests < tried,
        "those that do not fit together are refused"
    );
}

/// Programs of tiles, which together have all that tiles can do.
#[test]
fn tiles_mean_what_their_loops_mean() {
    let texts = std::sync::Mutex::new(String::new());
    let native = std::sync::atomic::AtomicU64::new(0);
    let tried = over_seeds(10 * COUNT, |seed| match tiles::one(seed) {
        Ok(done) => {
            native.fetch_add(done.native.into(), std::sync::atomic::Ordering::Relaxed);
            texts.lock().expect("no thread panics").push_str(&done.text);
            Vec::new()
        }
        Err(report) => vec![report],
    });
    let texts = texts.into_inner().expect("no thread panics");
    let wanted = [
        "tile.load",
        "tile.store",
        "tile.reduce",
        "tile.mask",
        "tile.convert",
        "limits",
        " mask %",
        " to _",
        "iter_args",
        "scf.if",
        "affine.if",
        "scf.parallel",
        "affine.parallel",
        "vector.transpose",
        "vector.shape_cast",
        "vector.broadcast",
        "vector.step",
        "strided_slice",
        "floordiv",
    ];
    for word in wanted {
        let n = texts.matches(word).count() as u64;
        assert!(
            tried < 100 || n > tried / 20,
            "{n} times {word} in {tried} programs"
        );
    }
    let native = native.into_inner();
    assert!(
        tried < 100 || native > tried / 5,
        "{native} of {tried} ran as machine code"
    );
}

/// Nests are fused where that is legal and nowhere else, and what they are then means the same.
/// Enough of them are for that to say something.
#[test]
fn neighbouring_nests_are_fused_where_that_is_legal() {
    let fused = std::sync::atomic::AtomicU64::new(0);
    let tried = over_seeds(4 * COUNT, |seed| match fused::one(seed) {
        Ok(is_fused) => {
            fused.fetch_add(u64::from(is_fused), std::sync::atomic::Ordering::Relaxed);
            Vec::new()
        }
        Err(report) => vec![report],
    });
    let fused = fused.into_inner();
    assert!(
        5 * fused >= tried,
        "of {tried} programs {fused} have nests that were fused"
    );
}

/// Most programs must do something, or the test above would say little.
#[test]
fn programs_have_kernels() {
    let with_kernel = terrace::with_stack(|| {
        let text = |seed| generate::Generator::new(seed).program().text();
        (0..60)
            .filter(|seed| check::has_kernel(&text(*seed)))
            .count()
    });
    assert!(
        with_kernel >= 20,
        "{with_kernel} of 60 programs have a kernel"
    );
}
