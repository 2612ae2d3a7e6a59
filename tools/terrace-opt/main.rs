//! `terrace-opt`: mlir-opt's habits over terrace's dialects and passes.

use std::io::Write;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = terrace::opt::run(&args, &mut std::io::stdin());
    // A reader that went away is not our error, and there is no one to tell.
    let _ = std::io::stdout().write_all(outcome.stdout.as_bytes());
    let _ = std::io::stderr().write_all(outcome.stderr.as_bytes());
    std::process::exit(outcome.code);
}
