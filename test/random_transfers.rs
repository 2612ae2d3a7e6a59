//! Random programs of host code and kernels, through `xfer-insert` and `xfer-optimize`,
//! and `xfer-offload-fragments` before them, on the interpreter with two memories: no element may be read that is stale, the
//! results are those of one memory, and never more bytes move than by any of the plain
//! schemes.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on; with
//! `TERRACE_RANDOM_SHOW=1` a failure prints what became of the program.

#[path = "random_transfers/buffers.rs"]
mod buffers;
#[path = "random_transfers/callees.rs"]
mod callees;
#[path = "random_transfers/pipelines.rs"]
mod pipelines;
#[path = "random_transfers/programs.rs"]
mod programs;
#[path = "random_transfers/races.rs"]
mod races;
#[path = "random/rng.rs"]
mod rng;
#[path = "random/seeds.rs"]
mod seeds;

use buffers::buffers;
use pipelines::pipelines;
use programs::generate;
use races::check_planted;
use seeds::{over_seeds, seeds};
use terrace::dialects::xfer::{CopyOp, Direction};
use terrace::run::executor::Program;
use terrace::targets::interp::{Config, Interpreter, Value};

/// Programs where the environment names no number.
const COUNT: u64 = 100;
/// The runs that a program is tried with.
const RUNS: [(i64, bool); 5] = [(0, false), (0, true), (1, true), (2, false), (3, true)];

/// What is left in the arguments, and the bytes that moved.
fn run(p: &Program, n: i64, c: bool, unified: bool) -> Result<(Vec<Vec<u8>>, u64), String> {
    let config = Config {
        unified_memory: unified,
        max_steps: 10_000_000,
        ..Config::default()
    };
    let mut interp = Interpreter::with_config(&p.ctx, p.module, config);
    let f64s = |v: &[f64]| -> Vec<u8> { v.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let f64 = p.ctx.f64();
    let array = |n: i64| p.ctx.memref(&[n], f64);
    let mut args = Vec::new();
    for (size, content) in [
        (4, vec![1.0, 2.0, 3.0, 4.0]),
        (4, vec![5.0, 6.0, 7.0, 8.0]),
        (1, vec![0.0]),
    ] {
        let made = interp.array(array(size), &[size], &f64s(&content));
        args.push(made.map_err(|e| e.render(&p.ctx))?);
    }
    let memrefs = args.clone();
    args.push(Value::Index(n));
    args.push(Value::bool(c));
    interp.call("main", args).map_err(|e| e.render(&p.ctx))?;
    let mut out = Vec::new();
    for m in &memrefs {
        let array = interp.read_array(m).map_err(|e| e.render(&p.ctx))?;
        out.push(array.bytes);
    }
    let c = interp.counters();
    Ok((out, c.to_device.bytes + c.to_host.bytes))
}

fn words(e: Vec<terrace::ir::diag::Diagnostic>) -> String {
    e.into_iter()
        .map(|d| d.message)
        .collect::<Vec<_>>()
        .join("\n")
}

/// How many copies are between buffers of the device.
fn on_device(p: &Program) -> u64 {
    let copies = p.module.find_all::<CopyOp>(&p.ctx).into_iter();
    let ways = copies.filter_map(|c| c.direction(&p.ctx));
    let inside = ways.filter(|w| matches!(w, Direction::DeviceToDevice { .. }));
    inside.count() as u64
}

/// How many launches were split.
fn pieces(p: &mut Program) -> u64 {
    let all = p.ctx.take_diagnostics();
    let split = |d: &&terrace::ir::diag::Diagnostic| d.message.starts_with("split into");
    all.iter().filter(split).count() as u64
}

/// The bytes that move without narrowing and with it, in all runs; launches that were split. With
/// `copies` in a program in which arrays are copied as a whole.
fn check(seed: u64, copies: bool) -> Result<[u64; 3], String> {
    let text = generate(seed, copies);
    let parse = || Program::new("random.mlir", &text).map_err(words);
    let original = parse()?;
    let mut by_scheme = Vec::new();
    let mut sums = [0; 3];
    for pipeline in pipelines(seed) {
        let mut p = parse()?;
        let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => text.clone(),
            false => String::new(),
        };
        p.run_pipeline(&pipeline)
            .map_err(|e| format!("{pipeline}: {}\n{}", words(e), shown()))?;
        sums[2] += pieces(&mut p);
        by_scheme.push((pipeline, p));
    }
    // Statements of the host on the device: all that can go there, and what pays. The
    // bytes are no better for all of it.
    let mut moved = Vec::new();
    for passes in [
        "func.func(xfer-offload-fragments{all=true}),xfer-insert,xfer-optimize,xfer-check",
        "func.func(xfer-offload-fragments),xfer-insert,xfer-optimize,xfer-check,xfer-lower-mirrors",
    ] {
        let mut p = parse()?;
        let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => text.clone(),
            false => String::new(),
        };
        p.run_pipeline(&format!("builtin.module({passes})"))
            .map_err(|e| format!("{passes}: {}\n{}", words(e), shown()))?;
        moved.push((passes, p));
    }
    for (n, c) in RUNS {
        let (truth, _) = run(&original, n, c, true)?;
        for (passes, p) in &moved {
            let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                true => format!("{text}\nbecame\n{}", p.text()),
                false => String::new(),
            };
            let (found, _) = run(p, n, c, false)
                .map_err(|e| format!("{passes}, n = {n}, c = {c}: {e}\n{}", shown()))?;
            if found != truth {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: other results\n{}",
                    shown()
                ));
            }
        }
        let mut bytes = Vec::new();
        for (passes, p) in &by_scheme {
            let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                true => format!("{text}\nbecame\n{}", p.text()),
                false => String::new(),
            };
            let (found, moved) = run(p, n, c, false)
                .map_err(|e| format!("{passes}, n = {n}, c = {c}: {e}\n{}", shown()))?;
            if found != truth {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: other results\n{}",
                    shown()
                ));
            }
            bytes.push((passes, moved));
            if passes.contains("optimize") {
                sums[usize::from(passes.contains("narrow"))] += moved;
            }
        }
        for ((passes, moved), (_, p)) in bytes.iter().zip(&by_scheme) {
            // One function at a time does no better than that, nor do copies of the whole
            // better than those of boxes.
            let alone = |p: &str| p.contains("builtin.module(func.func(xfer-insert");
            let like = bytes.iter().filter(|b| !b.0.contains("narrow"));
            let like = like.filter(|b| !alone(passes) || alone(b.0));
            let least = like.map(|b| b.1).min().unwrap_or(0);
            if passes.contains("optimize") && *moved > least {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: {moved} bytes, but {bytes:?}\n{}",
                    match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                        true => format!("{text}\nbecame\n{}", p.text()),
                        false => String::new(),
                    }
                ));
            }
        }
    }
    Ok(sums)
}

#[test]
fn planted_races_are_found() {
    let seeds = seeds(COUNT / 2);
    let count = seeds.end - seeds.start;
    let found = over_seeds(seeds, 3, |seed| {
        check_planted(seed).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
    let faults = found.iter().flatten().filter(|f| f.0).count() as u64;
    let refusals = found.iter().flatten().filter(|f| f.1).count();
    eprintln!("{count} programs: {faults} with a fault, {refusals} refused");
    if count >= 100 {
        assert!(faults > count / 10);
    }
}

#[test]
fn no_stale_reads_and_no_copy_too_many() {
    let seeds = seeds(COUNT);
    let count = seeds.end - seeds.start;
    let found = over_seeds(seeds, 12, |seed| {
        check(seed, false).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
    let sum = |i: usize| found.iter().map(|of_one| of_one[i]).sum::<u64>();
    let [whole, boxes, pieces] = [sum(0), sum(1), sum(2)];
    eprintln!(
        "{count} programs: {whole} bytes, {boxes} with copies of boxes; {pieces} launches in pieces"
    );
    if count >= 100 {
        assert!(boxes < whole / 10 * 9);
        assert!(pieces > count / 10);
    }
}

#[test]
fn copies_of_whole_arrays() {
    over_seeds(seeds(COUNT), 12, |seed| {
        check(seed, true).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
}

/// Copies between buffers, and how many of them `xfer-forward-copies` leaves.
fn check_forwarded(seed: u64) -> Result<[u64; 2], String> {
    let text = buffers(seed);
    let parse = || Program::new("random.mlir", &text).map_err(words);
    let (original, mut forwarded) = (parse()?, parse()?);
    let passes = "builtin.module(func.func(xfer-forward-copies),xfer-check)";
    forwarded
        .run_pipeline(passes)
        .map_err(|e| format!("{}\n{text}", words(e)))?;
    for (n, c) in RUNS {
        let (truth, _) = run(&original, n, c, false).map_err(|e| format!("{e}\n{text}"))?;
        let shown = || format!("n = {n}, c = {c}\n{text}\nbecame\n{}", forwarded.text());
        let (found, _) = run(&forwarded, n, c, false).map_err(|e| format!("{e}, {}", shown()))?;
        if found != truth {
            return Err(format!("other results, {}", shown()));
        }
    }
    Ok([on_device(&original), on_device(&forwarded)])
}

#[test]
fn one_buffer_serves_for_two() {
    let seeds = seeds(5 * COUNT);
    let count = seeds.end - seeds.start;
    let found = over_seeds(seeds, 3, |seed| {
        check_forwarded(seed).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
    let sum = |i: usize| found.iter().map(|of_one| of_one[i]).sum::<u64>();
    let [before, after] = [sum(0), sum(1)];
    eprintln!("{count} programs: {before} copies on the device, {after} are left");
    if count >= 100 {
        assert!(after < before * 9 / 10 && after > before / 10);
    }
}
