//! PTX texts with something changed in them: whatever comes out is an error with a place
//! or a kernel, which runs to its end or to a finding. Nothing panics, hangs or takes
//! memory without bound. And what the checker lets through and the emulator runs without
//! a finding, the optimiser does not change.
//!
//! `TERRACE_RANDOM_COUNT` mutations of each text from the seed `TERRACE_RANDOM_SEED` on;
//! a failure prints its text and its seed, which with a count of 1 repeats it.

mod common;
#[path = "mutations/mutate.rs"]
mod mutate;

use common::listing;
use mutate::mutated;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use terrace_emulator::{Checks, Config, Kernel, Launch, Memory, Module, Outcome, launch};
use terrace_lit::random::Random;
use terrace_ptx::check::{Finding, Rule, Severity, check, errors};
use terrace_ptx::optimize::{self, Level, Options};
use terrace_ptx::{parse, print};

/// Mutations of each text where the environment names no number.
const COUNT: u64 = 6;

/// Longer takes nothing here, even on a busy machine without the compiler's optimiser.
const MAX_LENGTH: Duration = Duration::from_secs(60);

/// Memory of the device: a module that asks for more is refused.
const MEMORY: u64 = 1 << 26;

/// Texts of more bytes have their turn less often.
const LONG: usize = 12_000;

/// Bytes behind each pointer.
const BUFFER: usize = 1 << 14;

const TEXTS: &[(&str, &str)] = &[
    ("calls", include_str!("Inputs/calls.ptx")),
    ("clang", include_str!("Inputs/clang.ptx")),
    ("counts", include_str!("Inputs/counts.ptx")),
    ("gemm", include_str!("Inputs/gemm.ptx")),
    ("corpus", include_str!("Inputs/cuda/corpus-O3.ptx")),
    ("corpus-G", include_str!("Inputs/cuda/corpus-G.ptx")),
    (
        "jacobi2d",
        include_str!("Inputs/executed/jacobi2d.nvcc.ptx"),
    ),
    (
        "jacobi2d-lowered",
        include_str!("Inputs/executed/jacobi2d.lowered.ptx"),
    ),
    ("nbody", include_str!("Inputs/executed/nbody.nvcc.ptx")),
    (
        "nbody-lowered",
        include_str!("Inputs/executed/nbody.lowered.ptx"),
    ),
    ("gemv", include_str!("Inputs/executed/gemv.nvcc.ptx")),
    (
        "gemv-lowered",
        include_str!("Inputs/executed/gemv.lowered.ptx"),
    ),
    (
        "gemm_tiled",
        include_str!("Inputs/executed/gemm_tiled.nvcc.ptx"),
    ),
    (
        "gemm_tiled-lowered",
        include_str!("Inputs/executed/gemm_tiled.lowered.ptx"),
    ),
    (
        "gemm_block-lowered",
        include_str!("Inputs/executed/gemm_block.lowered.ptx"),
    ),
    ("small", SMALL),
];

/// What the others lack: local and constant memory, loops by every kind of test, a
/// switch, warps that diverge, copies, votes.
const SMALL: &str = include_str!("mutations/small.ptx");

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v
            .parse()
            .unwrap_or_else(|_| panic!("{name}={v} is not a number")),
        Err(_) => otherwise,
    }
}

/// The launch of a kernel, and what is in the buffers afterwards: pointers for
/// parameters of eight bytes, or all the same one, small numbers for others.
fn ran(text: &str, kernel: &str, same_buffer: bool) -> Option<(Outcome, Vec<Vec<u8>>)> {
    let memory = Memory::new(MEMORY);
    let module = Module::load(&memory, text).ok()?;
    let kernel = module.kernel(kernel)?;
    let mut buffers = Vec::new();
    let params = parameters(kernel, |first| {
        if same_buffer && !first {
            return buffers[0];
        }
        let at = memory.alloc(BUFFER as u64).expect("there is memory");
        // Small numbers, also as indices and floats.
        let bytes: Vec<u8> = (0..BUFFER as u32 / 4)
            .flat_map(|i| (i * 7 % 61).to_le_bytes())
            .collect();
        memory.write(at, &bytes).expect("it is allocated");
        buffers.push(at);
        at
    });
    let checks = Checks {
        steps: 30_000,
        threads: 1,
        ..Checks::default()
    };
    let config = Config {
        grid: [2, 1, 1],
        block: [32, 2, 1],
        shared_bytes: 1024,
    };
    let run = Launch {
        kernel,
        config,
        params: &params,
    };
    let outcome = launch(&memory, &run, &checks).ok()?;
    let read = |at: &u64| {
        let mut out = vec![0; BUFFER];
        memory.read(*at, &mut out).expect("it is allocated");
        out
    };
    Some((outcome, buffers.iter().map(read).collect()))
}

fn parameters(kernel: &Kernel, mut pointer: impl FnMut(bool) -> u64) -> Vec<u8> {
    let mut params = vec![0; kernel.parameter_bytes as usize];
    let mut first = true;
    for p in &kernel.parameters {
        let at = p.offset as usize;
        match p.bytes {
            8 => {
                params[at..at + 8].copy_from_slice(&pointer(first).to_le_bytes());
                first = false;
            }
            n => params[at..at + n as usize]
                .iter_mut()
                .step_by(4)
                .for_each(|b| *b = 20),
        }
    }
    params
}

/// Whether a run of the same threads in another order may give something else.
fn depends_on_order(text: &str) -> bool {
    [
        "atom",
        "red.",
        "clock",
        "volatile",
        "globaltimer",
        "shfl",
        "activemask",
        "vote",
        "match",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// Whether the kernel was judged against itself optimised.
fn judge(text: &str) -> bool {
    let mut parsed = match parse::parse(text) {
        Ok(parsed) => parsed,
        Err(errors) => {
            let lines = text.lines().count() as u32;
            assert!(!errors.is_empty(), "refused without an error");
            for e in errors {
                assert!(
                    (1..=lines + 1).contains(&e.line) && e.column >= 1,
                    "no place: {e}"
                );
                assert!(
                    !e.message.is_empty() && e.message.len() < 1000,
                    "{}",
                    e.message
                );
            }
            return false;
        }
    };
    // Blocks of other compilers' texts end in the middle, which the checker takes for wrong.
    for (_, func) in parsed.module.funcs.iter_mut() {
        optimize::split::split(func);
    }
    let memory = Memory::new(MEMORY);
    let module = match Module::load(&memory, text) {
        Ok(module) => module,
        Err(e) => {
            assert!(
                !e.errors.is_empty() && e.errors.iter().all(|e| e.0 >= 1),
                "no place: {e}"
            );
            return false;
        }
    };
    let names: Vec<String> = module.kernels.iter().map(|k| k.name.clone()).collect();
    let before: Vec<_> = names.iter().map(|name| ran(text, name, false)).collect();
    for finding in check(&parsed.module) {
        assert!(
            !finding.found.is_empty() && !finding.expected.is_empty(),
            "{finding}"
        );
    }
    let printed = print(&parsed.module);
    let again = parse::parse(&printed);
    assert!(
        again.is_ok(),
        "printed text is not read: {:?}\n{printed}",
        again.err()
    );
    if errors(&parsed.module).is_some() {
        return false;
    }
    for level in [Level::Less, Level::Default] {
        let mut optimized = parsed.module.clone();
        let options = Options {
            level,
            ..Options::default()
        };
        optimize::run(&mut optimized, &options, None);
        optimized.fit_version();
        let new = print(&optimized);
        // What is misaligned can be seen when loops are gone.
        let wrong = |f: &&Finding| f.severity == Severity::Error && f.rule != Rule::Alignment;
        let found = check(&optimized);
        if let Some(wrong) = found.iter().find(wrong) {
            panic!("after {level:?}: {wrong}\n{new}");
        }
        for (name, before) in names.iter().zip(&before) {
            compare(text, &new, name, before.as_ref(), false);
            compare(text, &new, name, ran(text, name, true).as_ref(), true);
        }
    }
    true
}

/// A kernel that ran to its end without a finding does so optimised, and computes the same.
fn compare(text: &str, new: &str, name: &str, before: Option<&(Outcome, Vec<Vec<u8>>)>, one: bool) {
    let Some((outcome, buffers)) = before else {
        return;
    };
    if !outcome.completed || !outcome.findings.is_empty() || depends_on_order(text) {
        return;
    }
    let Some((after, now)) = ran(new, name, one) else {
        panic!("{name} does not load any more:\n{new}");
    };
    assert!(
        after.completed && after.findings.is_empty(),
        "{name}, optimised: {}\n{new}",
        listing(&after)
    );
    for (n, (now, then)) in now.iter().zip(buffers).enumerate() {
        let differ = now.iter().zip(then).position(|(a, b)| a != b);
        assert_eq!(differ, None, "{name}, buffer {n}, became\n{new}");
    }
}

/// Products and sums that stay apart, so that there is one answer.
fn unfused(text: &str) -> String {
    let mut out = text.to_string();
    for op in ["mul", "add", "sub"] {
        for ty in ["f32", "f64"] {
            out = out.replace(&format!("{op}.{ty}"), &format!("{op}.rn.{ty}"));
        }
    }
    out
}

#[test]
fn mutated_texts() {
    let first = number("TERRACE_RANDOM_SEED", 0);
    let count = number("TERRACE_RANDOM_COUNT", COUNT);
    let only = std::env::var("TERRACE_RANDOM_TEXT").ok();
    let texts: Vec<(&str, String)> = TEXTS
        .iter()
        .map(|(name, text)| (*name, unfused(text)))
        .collect();
    let mut judged = 0;
    let mut failures = Vec::new();
    for (name, text) in &texts {
        if only.as_ref().is_some_and(|o| o != name) {
            continue;
        }
        for seed in first..first + count {
            // Long ones take their time.
            if text.len() > LONG && seed % 4 != 3 {
                continue;
            }
            let donor = &texts[seed as usize % texts.len()].1;
            // The first is as it stands.
            let new = match seed {
                0 => text.clone(),
                _ => mutated(text, donor, &mut Random(seed)),
            };
            let start = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| judge(&new))) {
                Ok(one) => judged += u64::from(one),
                Err(p) => {
                    let what = p.downcast_ref::<String>().cloned();
                    let what = what.or(p.downcast_ref::<&str>().map(|s| (*s).to_string()));
                    let difference = mutate::difference(text, &new);
                    failures.push(format!(
                        "=== {name}, seed {seed}: {}\n--- mutation\n{difference}",
                        what.unwrap_or_default()
                    ));
                }
            }
            let took = start.elapsed();
            if took > MAX_LENGTH {
                failures.push(format!("=== {name}, seed {seed}: took {took:?}"));
            }
        }
    }
    println!("{judged} texts were optimised");
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures[..failures.len().min(4)].join("\n")
    );
    // Or the test would say little.
    assert!(
        count < 5 || only.is_some() || judged > count,
        "{judged} texts were optimised"
    );
}
