//! Random C programs must print the same however they are compiled: by the system's compiler
//! without directives, and by `terrace cc` on the host, on its cores and on the emulator of a
//! GPU, which looks for races and accesses beyond arrays. Once more on the cores its code takes turns
//! with the C statement, some iterations of a loop at a time.
//!
//! `TERRACE_RANDOM_C_COUNT` files from the seed `TERRACE_RANDOM_C_SEED` on, each of
//! `TERRACE_RANDOM_C_FUNCTIONS` functions. `TERRACE` names another `terrace` than the one built
//! with the test, as an optimised one. With `TERRACE_RANDOM_C_LOG` each file leaves a line in
//! that file, and those with a line there are not tried again, so that a long run can be
//! continued; failures are then written there, too, and do not end the run.
//! `TERRACE_RANDOM_C_SHOW=1` prints the files alone. A failure prints its seed and the smallest
//! program that was found to fail in the same way in the seconds of `TERRACE_RANDOM_C_REDUCE` (0: as it was made).
//! `TERRACE_RANDOM_C_KINDS=auto,scop,offload,kernels,serial,parallel,data` are the kinds of
//! functions. `TERRACE_RANDOM_C_TARGETS=cpu,turns,gpu` tries these targets and no others.

#[path = "random_c/data.rs"]
mod data;
#[path = "random_c/edits.rs"]
mod edits;
#[path = "random_c/expr.rs"]
mod expr;
#[path = "random_c/file.rs"]
mod file;
#[path = "random_c/floats.rs"]
mod floats;
#[path = "cc/folder.rs"]
#[expect(dead_code)]
mod folder;
#[path = "random_c/function.rs"]
mod function;
#[path = "random_c/log.rs"]
mod log;
#[path = "random_c/loops.rs"]
mod loops;
#[path = "random_c/own.rs"]
mod own;
#[path = "random_c/reduce.rs"]
mod reduce;
#[path = "random_c/reductions.rs"]
mod reductions;
#[path = "random_c/regions.rs"]
mod regions;
#[path = "random/rng.rs"]
mod rng;
#[path = "random_c/run.rs"]
mod run;
#[path = "random_c/scope.rs"]
mod scope;
#[path = "random_c/statements.rs"]
mod statements;
#[path = "random_c/stmt.rs"]
mod stmt;
#[path = "random_c/subscripts.rs"]
mod subscripts;
#[path = "random_c/tables.rs"]
mod tables;
#[path = "random_c/types.rs"]
mod types;
#[path = "random_c/values.rs"]
mod values;

use function::{KINDS, Kind};
use log::Log;
use run::Bench;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Files where the environment names no number, and functions of each.
const COUNT: u64 = 12;
const FUNCTIONS: u64 = 20;

/// Seconds that go into making one failing program smaller.
const REDUCE: u64 = 300;

/// Failures shown; more tell little.
const SHOWN: usize = 4;

/// The kinds of functions where the environment names none.
const WANTED: &str = "auto,scop,offload,kernels,serial,parallel,data";

fn kinds() -> Vec<Kind> {
    let wanted = std::env::var("TERRACE_RANDOM_C_KINDS").unwrap_or(WANTED.into());
    let kind = |w: &str| {
        let found = KINDS.iter().find(|(_, name, _)| *name == w);
        let (k, ..) =
            found.unwrap_or_else(|| panic!("TERRACE_RANDOM_C_KINDS: no kind is called {w}"));
        *k
    };
    wanted.split(',').map(kind).collect()
}

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v
            .parse()
            .unwrap_or_else(|_| panic!("{name}={v} is not a number")),
        Err(_) => otherwise,
    }
}

#[test]
fn programs_print_what_they_print_without_directives() {
    let first = number("TERRACE_RANDOM_C_SEED", 0);
    let count = number("TERRACE_RANDOM_C_COUNT", COUNT);
    let functions = number("TERRACE_RANDOM_C_FUNCTIONS", FUNCTIONS) as usize;
    let kinds = kinds();
    if number("TERRACE_RANDOM_C_SHOW", 0) != 0 {
        for seed in first..first + count {
            print!(
                "// seed {seed}\n{}",
                file::file(seed, functions, &kinds).text()
            );
        }
        return;
    }
    let log = Log::from_environment();
    let longest = Duration::from_secs(number("TERRACE_RANDOM_C_REDUCE", REDUCE));
    let next = AtomicU64::new(first);
    let (run, invalid, launched) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let reports = Mutex::new(Vec::new());
    let work = || {
        let bench = Bench::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let enough = log.is_none() && reports.lock().expect("no panic").len() >= SHOWN;
            if seed >= first + count || enough {
                return;
            }
            if log.as_ref().is_some_and(|l| l.has(seed)) {
                continue;
            }
            let made = file::file(seed, functions, &kinds);
            let tried = bench.file(&made);
            run.fetch_add(tried.run, Ordering::Relaxed);
            invalid.fetch_add(tried.invalid, Ordering::Relaxed);
            launched.fetch_add(tried.launched, Ordering::Relaxed);
            let mut said = Vec::new();
            for f in &tried.failures {
                said.push(reduce::report(&bench, &made, seed, f, longest));
            }
            if let Some(l) = &log {
                l.add(seed, &tried, &said);
            }
            reports.lock().expect("no panic").extend(said);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(work);
        }
    });
    let (run, invalid) = (run.into_inner(), invalid.into_inner());
    let launched = launched.into_inner();
    println!("{run} functions run, {launched} with kernels, {invalid} invalid");
    let reports = reports.into_inner().expect("no panic");
    assert!(
        reports.is_empty(),
        "{} failures\n{}",
        reports.len(),
        reports[..reports.len().min(SHOWN)].join("\n")
    );
    // Otherwise the test would say little.
    assert!(
        run < 40 || (invalid * 10 < run && launched * 5 > run),
        "{invalid} of {run} functions are not valid, {launched} launch kernels"
    );
}
