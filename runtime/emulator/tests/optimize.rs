//! What the optimiser of the machine form makes of kernels computes what they
//! computed, bit for bit, and is as clean: each pass alone and all in their
//! order.

mod common;
#[path = "optimize/corpus.rs"]
mod corpus;
#[path = "optimize/executed.rs"]
mod executed;
#[path = "optimize/nvcc.rs"]
mod nvcc;
#[path = "optimize/random.rs"]
mod random;
#[path = "optimize/unrolled.rs"]
mod unrolled;

use terrace_emulator::{Config, Counts, Launch, Memory, Module, launch};
use terrace_lit::random::Random;
use terrace_ptx::check::errors;
use terrace_ptx::optimize::passes;
use terrace_ptx::optimize::{self, Level, Pass};
use terrace_ptx::{Func, parse, print};

/// What is done to a kernel before it runs.
#[derive(Clone, Copy)]
pub enum Change {
    Nothing,
    /// One pass, by name, with what it needs around it.
    Alone(&'static str),
    All,
}

/// Every pass alone, then all together.
pub fn changes() -> Vec<Change> {
    let mut names: Vec<&'static str> = passes(Level::Default).iter().map(|p| p.name).collect();
    names.sort_unstable();
    names.dedup();
    let alone = names.into_iter().map(Change::Alone);
    alone.chain([Change::All]).collect()
}

fn pass(name: &str) -> &'static Pass {
    let mut all = passes(Level::Default).iter();
    all.find(|p| p.name == name)
        .unwrap_or_else(|| panic!("no pass {name}"))
}

/// The text after a change; correct by the checker.
pub fn changed(text: &str, change: Change) -> String {
    let mut module = match parse::parse(text) {
        Ok(parsed) => parsed.module,
        Err(errors) => panic!("{errors:?}\n{text}"),
    };
    let one = |module: &mut terrace_ptx::Module, name: &str| {
        let ids: Vec<_> = module.funcs.iter().map(|(id, _)| id).collect();
        for id in ids {
            let empty = Func::new("", module.funcs[id].kind);
            let mut func = std::mem::replace(&mut module.funcs[id], empty);
            (pass(name).run)(module, &mut func);
            module.funcs[id] = func;
        }
        assert_eq!(errors(module), None, "after {name}:\n{}", print(module));
    };
    match change {
        Change::Nothing => return text.to_string(),
        Change::Alone(name) => {
            for before in ["split", "cleanup", "isolate", "cleanup"] {
                one(&mut module, before);
            }
            // Unrolling wants loops that test at the bottom.
            if name.starts_with("unroll") {
                for before in ["rotate", "isolate", "cleanup"] {
                    one(&mut module, before);
                }
            }
            one(&mut module, name);
            for after in ["isolate", "cleanup", "coalesce", "cleanup"] {
                one(&mut module, after);
            }
        }
        Change::All => {
            optimize::run(&mut module, &optimize::Options::default(), None);
            assert_eq!(errors(&module), None, "{}", print(&module));
        }
    }
    module.fit_version();
    print(&module)
}

/// A launch of the kernel `name`: buffers with their first contents, numbers
/// behind their addresses as further parameters.
pub struct Case<'a> {
    pub name: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub buffers: Vec<Vec<u8>>,
    pub numbers: Vec<u64>,
}

/// The buffers and counts after a clean run.
pub fn run(text: &str, case: &Case<'_>) -> (Vec<Vec<u8>>, Counts) {
    let memory = Memory::new(1 << 30);
    let module = Module::load(&memory, text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = module.kernel(case.name).expect("a kernel");
    let at: Vec<u64> = case
        .buffers
        .iter()
        .map(|bytes| {
            let at = memory.alloc(bytes.len() as u64).unwrap();
            memory.write(at, bytes).unwrap();
            at
        })
        .collect();
    let params = at.iter().chain(&case.numbers);
    let params: Vec<u8> = params.flat_map(|p| p.to_le_bytes()).collect();
    let run = Launch {
        kernel,
        config: Config {
            grid: case.grid,
            block: case.block,
            shared_bytes: 0,
        },
        params: &params,
    };
    let outcome = launch(&memory, &run, &Default::default()).unwrap();
    assert!(
        outcome.completed && outcome.findings.is_empty(),
        "{}\n{text}",
        common::listing(&outcome)
    );
    let read = |(at, bytes): (&u64, &Vec<u8>)| {
        let mut out = vec![0; bytes.len()];
        memory.read(*at, &mut out).unwrap();
        out
    };
    let buffers = at.iter().zip(&case.buffers).map(read).collect();
    (buffers, outcome.counts)
}

/// Asserts that no change of a text changes what cases compute.
pub fn same(text: &str, cases: &[Case<'_>], changes: &[Change]) {
    let expected: Vec<_> = cases.iter().map(|case| run(text, case).0).collect();
    for change in changes {
        let new = changed(text, *change);
        for (case, expected) in cases.iter().zip(&expected) {
            let what = match change {
                Change::Nothing => "nothing",
                Change::Alone(name) => name,
                Change::All => "all",
            };
            let now = run(&new, case).0;
            for (n, (now, expected)) in now.iter().zip(expected).enumerate() {
                let differ = now.iter().zip(expected).position(|(a, b)| a != b);
                assert_eq!(
                    differ, None,
                    "{what}, {}, buffer {n}, numbers {:?}:\n{text}\nbecame\n{new}",
                    case.name, case.numbers
                );
            }
        }
    }
}

/// Floats between -1 and 1.
pub fn floats(n: usize, seed: u64) -> Vec<u8> {
    let mut rng = Random(seed);
    (0..n)
        .flat_map(|_| ((rng.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0).to_le_bytes())
        .collect()
}
