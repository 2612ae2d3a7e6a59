//! Mistakes that are planted in the order of what goes on at once.

use super::pipelines::{CHUNK, OVERLAP};
use super::programs::generate;
use super::{RUNS, run, words};
use crate::rng::Rng;
use terrace::run::executor::Program;

/// The program without one of its waits, or with a token less that an op comes after.
fn planted(text: &str, rng: &mut Rng) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let waits = |l: &&str| l.trim_start().starts_with("xfer.wait ");
    let takes = |l: &&str| {
        let start = l.trim_start();
        start.starts_with('%') && start.contains(" async [")
    };
    let places: Vec<usize> = (0..lines.len())
        .filter(|k| waits(&lines[*k]) || takes(&lines[*k]))
        .collect();
    if places.is_empty() {
        return None;
    }
    let at = *rng.pick(&places);
    let mut out: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
    if waits(&lines[at]) {
        out.remove(at);
        return Some(out.join("\n"));
    }
    let (before, rest) = lines[at].split_once('[')?;
    let (list, behind) = rest.split_once(']')?;
    let mut tokens: Vec<&str> = list.split(", ").collect();
    tokens.remove(rng.below(tokens.len()));
    out[at] = match tokens.is_empty() {
        true => format!("{}{behind}", before.trim_end()),
        false => format!("{before}[{}]{behind}", tokens.join(", ")),
    };
    Some(out.join("\n"))
}

/// A mistake in the order of what goes on at once: the interpreter finds it in a run, or
/// the results are right; and what it finds in any run `xfer-check` refuses. Whether
/// there was a fault, and whether the check refused.
pub fn check_planted(seed: u64) -> Result<Option<(bool, bool)>, String> {
    let text = generate(seed, seed.is_multiple_of(3));
    let original = Program::new("random.mlir", &text).map_err(words)?;
    let mut p = Program::new("random.mlir", &text).map_err(words)?;
    let passes = match seed % 3 {
        0 => format!("xfer-insert,{CHUNK},{OVERLAP}"),
        _ => format!("xfer-insert,xfer-optimize,{OVERLAP}"),
    };
    p.run_pipeline(&format!("builtin.module({passes})"))
        .map_err(|e| match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => format!("{passes}: {}\n{text}", words(e)),
            false => format!("{passes}: {}", words(e)),
        })?;
    let Some(broken) = planted(&p.text(), &mut Rng::new(seed ^ 0x5eed)) else {
        return Ok(None);
    };
    let parse =
        || Program::new("planted.mlir", &broken).map_err(|e| format!("{}\n{broken}", words(e)));
    let mut fault = None;
    let broken_program = parse()?;
    for (n, c) in RUNS {
        let (truth, _) = run(&original, n, c, true)?;
        match run(&broken_program, n, c, false) {
            Err(e) => fault = Some(e),
            Ok((found, _)) if found != truth => {
                return Err(format!("n = {n}, c = {c}: other results\n{broken}"));
            }
            Ok(_) => {}
        }
    }
    let refused = parse()?.run_pipeline("builtin.module(xfer-check)").is_err();
    match fault {
        Some(e) if !refused => Err(format!("accepted, but: {e}\n{broken}")),
        _ => Ok(Some((fault.is_some(), refused))),
    }
}
