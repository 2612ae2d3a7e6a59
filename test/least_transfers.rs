//! Programs that move each array at most once in and once out, as placed for the GPU: every
//! PolyBench kernel, Himeno, conjugate gradients and N-body, at small sizes on the
//! emulator, held against what [`least`] finds by the interpreter.

#[path = "transfers/least.rs"]
mod least;

use std::path::{Path, PathBuf};
use terrace::run::bind::bind;
use terrace::run::executor::Program;
use terrace::run::make;
use terrace::run::options::{RunOptions, Target};

/// Programs that no kernel is made of: nothing moves.
const ON_THE_HOST: &[&str] = &["trisolv"];

fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|e| e.expect("can be listed").path());
    let mut found: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "mlir"))
        .collect();
    found.sort();
    found
}

/// Copies and bytes of a run at small sizes.
fn moved(file: &str, text: &str) -> (usize, u64) {
    let program = Program::new(file, text).expect("the example is right");
    let entry = program.entry(None).expect("it has an entry");
    let sizes = least::small_sizes(&entry);
    let mut args = bind(&entry, &[], &sizes).expect("it has values");
    let options = RunOptions {
        target: Target::Emulator,
        ..RunOptions::default()
    };
    let mut run = make(program, &entry, &options).expect("it compiles");
    run.call(&mut args).expect("it runs");
    let copies = run.take_profile().copies();
    let count: usize = copies.iter().map(|c| c.times.count).sum();
    (count, copies.iter().map(|c| c.bytes).sum())
}

#[test]
fn each_array_once_in_and_once_out() {
    let mut files = examples("polybench");
    files.extend(examples("solvers"));
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/himeno.mlir"));
    // Halves side by side: a program takes seconds.
    let (even, odd): (Vec<_>, Vec<_>) = files.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let mut wrong = std::thread::scope(|s| {
        let other = s.spawn(|| moves_more(&odd));
        let mut wrong = moves_more(&even);
        wrong.extend(other.join().expect("the other half ends"));
        wrong
    });
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Which of the programs move more than they have to, or other than is known.
fn moves_more(files: &[(usize, &PathBuf)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (_, path) in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("the example can be read");
        let arrays = least::arrays(&name, &text, &[]).expect("the example runs");
        let copies: usize = arrays.iter().map(least::Array::copies).sum();
        let bytes = |a: &least::Array| a.copies() * a.small_bytes;
        let bytes: usize = arrays.iter().map(bytes).sum();
        let (count, total) = moved(&name, &text);
        // Of an array of which parts are used less may move.
        let as_expected = match ON_THE_HOST.contains(&&*name) {
            true => count == 0,
            false => count > 0 && total <= bytes as u64,
        };
        if !as_expected {
            wrong.push(format!(
                "{name}: {count} copies of {total} bytes, where {copies} of {bytes} are the least: {arrays:?}"
            ));
        }
    }
    wrong
}
