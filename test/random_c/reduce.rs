//! The smallest program that still fails, by steps that each leave a valid one.

use super::edits::edited;
use super::file::File;
use super::run::{Bench, Failure};
use std::time::{Duration, Instant};

fn reduce(bench: &Bench, mut file: File, failure: &Failure, longest: Duration) -> File {
    let start = Instant::now();
    loop {
        let (mut number, mut smaller) = (0, false);
        while let Some(candidate) = edited(&file, number) {
            if start.elapsed() > longest {
                return file;
            }
            if bench.still(&candidate, failure) {
                file = candidate;
                smaller = true;
            } else {
                number += 1;
            }
        }
        if !smaller {
            return file;
        }
    }
}

/// What is said of a failure, after at most so much time, at the end of a step, has gone into
/// making it small.
pub fn report(
    bench: &Bench,
    file: &File,
    seed: u64,
    failure: &Failure,
    longest: Duration,
) -> String {
    let mut alone = file.clone();
    alone.functions.retain(|(n, _)| *n == failure.function);
    let front = format!(
        "=== seed {seed}, f{}, {}{}: {}\n{}\n",
        failure.function,
        failure.at,
        if file.auto { " (--auto)" } else { "" },
        failure.kind,
        failure.detail
    );
    if longest.is_zero() {
        return format!("{front}--- the function\n{}", alone.text());
    }
    if alone.functions.is_empty() || !bench.still(&alone, failure) {
        return format!(
            "{front}--- the function alone does not fail\n{}",
            alone.text()
        );
    }
    let small = reduce(bench, alone, failure, longest);
    let auto = if small.auto { " (with --auto)" } else { "" };
    format!("{front}--- reduced{auto}\n{}", small.text())
}
