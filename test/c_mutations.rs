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

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Files where the environment names no number.
const COUNT: u64 = 1000;
/// No file here is worth more, even unoptimised on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

fn environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v.parse().expect("a number in the environment"),
        Err(_) => default,
    }
}

/// What is looked at now: its seed, text and start.
static CURRENT: Mutex<Option<(u64, String, Instant)>> = Mutex::new(None);

fn set_current(now: Option<(u64, String, Instant)>) {
    *CURRENT.lock().expect("no panic holds it") = now;
}

/// Ends the process where a file takes for ever: a thread cannot be stopped.
fn watch() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = CURRENT.lock().expect("no panic holds it");
            if let Some((seed, text, start)) = &*now
                && start.elapsed() > LONGEST
            {
                eprintln!("seed {seed} takes more than {LONGEST:?}:\n{text}");
                std::process::exit(1);
            }
        }
    });
}

#[test]
fn mutated_files() {
    let first = environment("TERRACE_MUTATIONS_SEED", 1);
    let count = environment("TERRACE_MUTATIONS_COUNT", COUNT);
    let all = environment("TERRACE_MUTATIONS_CC", 0) != 0;
    let bases = mutate::bases();
    watch();
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
