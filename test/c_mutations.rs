//! Broken C with directives: whatever comes in, terrace says something with a place in
//! the file or makes C that is as good as what came in. No panic is caught for it here.
//!
//! `TERRACE_MUTATIONS_COUNT` files from the seed `TERRACE_MUTATIONS_SEED` on;
//! `TERRACE_MUTATIONS_CC=1` has each looked at by the system's compiler too, not only
//! each tenth.

#[path = "c_mutations/check.rs"]
mod check;
#[path = "c_mutations/mutate.rs"]
mod mutate;
#[path = "random/rng.rs"]
#[expect(dead_code)]
mod rng;
#[path = "c_mutations/watch.rs"]
mod watch;

use std::time::{Duration, Instant};
use watch::{environment, set_current, watch};

/// Files where the environment names no number.
const COUNT: u64 = 1000;
/// No file here is worth more, even unoptimised on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(60);

#[test]
fn mutated_files() {
    let first = environment("TERRACE_MUTATIONS_SEED", 1);
    let count = environment("TERRACE_MUTATIONS_COUNT", COUNT);
    let all = environment("TERRACE_MUTATIONS_CC", 0) != 0;
    let bases = mutate::bases();
    watch(MAX_LENGTH);
    let mut failures = Vec::new();
    for seed in first..first + count {
        let text = mutate::file(&bases, seed);
        set_current(Some((seed, text.clone(), Instant::now())));
        let wrong = check::check(&text, all || seed % 10 == 0);
        set_current(None);
        if let Err(why) = wrong {
            eprintln!("seed {seed}: {why}\n{text}");
            failures.push(format!("seed {seed}: {why}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The files themselves are right: there is something to break.
#[test]
fn files_as_they_are() {
    for text in mutate::bases() {
        check::check(&text, true).unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}
