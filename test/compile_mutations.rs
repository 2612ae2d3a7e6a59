//! Programs with something changed in them, on the way to PTX: whatever comes in, what
//! comes out is an error with a place or a module that the emulator loads. Nothing panics
//! or takes for ever.
//!
//! `TERRACE_MUTATIONS_COUNT` programs from the seed `TERRACE_MUTATIONS_SEED` on.

#[path = "compile_mutations/mutate.rs"]
mod mutate;
#[path = "random/rng.rs"]
#[expect(dead_code)]
mod rng;
#[path = "c_mutations/watch.rs"]
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use terrace::run::emit;
use terrace::run::options::{Emit, RunOptions};
use terrace::run::source::ProgramText;
use terrace_emulator::{Memory, Module};
use watch::{environment, set_current, watch};

/// Programs where the environment names no number.
const COUNT: u64 = 120;
/// No program here is worth more, even unoptimised on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(90);
/// Longer ones take long to say little.
const MAX_BYTES: usize = 12_000;

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for p in paths {
        if p.is_dir() {
            files_below(&p, out);
        } else if p.extension().is_some_and(|e| e == "mlir") {
            out.push(p);
        }
    }
}

/// Programs that become PTX, and tests of what does not.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in [
        "examples",
        "benches/gpu/nvcc",
        "test/passes/gpu",
        "test/tools/terrace",
    ] {
        files_below(&root.join(folder), &mut paths);
    }
    let texts = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok());
    // Of a file with several programs, each.
    let parts: Vec<String> = texts
        .flat_map(|t| {
            t.split("// -----\n")
                .map(str::to_string)
                .collect::<Vec<_>>()
        })
        .filter(|t| t.contains("func") && t.len() < MAX_BYTES)
        .collect();
    assert!(parts.len() > 40, "where are the files?");
    parts
}

/// Whether it became PTX; what is wrong.
fn check(text: &str, seed: u64) -> Result<bool, String> {
    let options = RunOptions {
        arch: ["sm_90", "sm_70", "sm_120"][seed as usize % 3].to_string(),
        ..RunOptions::default()
    };
    let source = ProgramText::mlir("mutated.mlir", text);
    let made = catch_unwind(AssertUnwindSafe(|| emit(&source, Emit::Ptx, &options)));
    let outcome = made.map_err(|p| {
        let what = p.downcast_ref::<String>().cloned();
        let what = what.or(p.downcast_ref::<&str>().map(|s| (*s).to_string()));
        format!("panic: {}", what.unwrap_or_default())
    })?;
    if outcome.stderr.contains("panicked") {
        return Err(outcome.stderr);
    }
    match outcome.code {
        0 => {}
        1 if outcome.stderr.contains("mutated.mlir:") => return Ok(false),
        1 => return Err(format!("no place: {}", outcome.stderr)),
        // There is nothing to be compiled.
        2 if outcome.stderr.starts_with("error: ") => return Ok(false),
        code => return Err(format!("exit code {code}: {}", outcome.stderr)),
    }
    let memory = Memory::new(1 << 30);
    match Module::load(&memory, &outcome.stdout) {
        Ok(_) => Ok(true),
        Err(e) => Err(format!("the emulator says {e} of\n{}", outcome.stdout)),
    }
}

#[test]
fn mutated_programs_become_ptx_or_errors() {
    let first = environment("TERRACE_MUTATIONS_SEED", 1);
    let count = environment("TERRACE_MUTATIONS_COUNT", COUNT);
    let programs = programs();
    watch(MAX_LENGTH);
    let mut failures = Vec::new();
    let mut compiled = 0;
    for seed in first..first + count {
        let text = mutate::program(&programs, seed);
        set_current(Some((seed, text.clone(), Instant::now())));
        let result = check(&text, seed);
        set_current(None);
        match result {
            Ok(one) => compiled += u64::from(one),
            Err(why) => {
                eprintln!("=== seed {seed}: {why}\n{text}");
                failures.push(format!(
                    "seed {seed}: {}",
                    why.lines().next().unwrap_or_default()
                ));
            }
        }
    }
    println!("{compiled} of {count} became PTX");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Or the test would say little.
    assert!(
        count < 100 || compiled * 20 > count,
        "{compiled} of {count} became PTX"
    );
}
