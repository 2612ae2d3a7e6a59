//! C functions mean the same lowered to MLIR and run by the interpreter as compiled by
//! the system compiler: written snippets, and random functions.
//!
//! `TERRACE_RANDOM_COUNT` functions from the seed `TERRACE_RANDOM_SEED` on.

#[path = "c_lowering/compare.rs"]
mod compare;
#[path = "c_lowering/generate.rs"]
mod generate;
#[path = "c_lowering/inputs.rs"]
mod inputs;
#[path = "random/rng.rs"]
mod rng;

use compare::compare;

/// Random functions where the environment names no number.
const COUNT: u64 = 200;

fn environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v.parse().expect("a number in the environment"),
        Err(_) => default,
    }
}

fn snippet(name: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("test/c_lowering/Inputs")
        .join(name);
    let text = std::fs::read_to_string(path).expect("the snippet is there");
    compare(name, &text, 16);
}

#[test]
fn integers() {
    snippet("integers.c");
}

#[test]
fn floats() {
    snippet("floats.c");
}

#[test]
fn loops() {
    snippet("loops.c");
}

#[test]
fn arrays() {
    snippet("arrays.c");
}

#[test]
fn random_functions() {
    let first = environment("TERRACE_RANDOM_SEED", 1);
    let count = environment("TERRACE_RANDOM_COUNT", COUNT);
    let text: String = (first..first + count).map(generate::function).collect();
    compare(&format!("random-{first}"), &text, 4);
}
