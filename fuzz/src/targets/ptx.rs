//! PTX text: read, checked, printed, optimised, decoded and run.

use terrace_emulator::{Checks, Config, Kernel, Launch, Memory, Module, launch};
use terrace_ptx::optimize::{self, Options};
use terrace_ptx::parse::parse;
use terrace_ptx::{Severity, check as findings, print};

/// Memory of the device that kernels run on.
const MEMORY: u64 = 1 << 20;

/// Instructions of warps, after which a kernel is stopped.
const STEPS: u64 = 2_000;

/// # Panics
///
/// Where printed text is not read back to the same, the checker judges it otherwise, or
/// the optimiser makes of a right module one that is wrong.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(data);
    // What the checker refuses the emulator must refuse too, or run.
    run(&text);
    let parsed = match parse(&text) {
        Ok(p) => p,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without an error");
            return;
        }
    };
    let mut module = parsed.module;
    let printed = print(&module);
    let again = match parse(&printed) {
        Ok(p) => p.module,
        Err(errors) => panic!("printed text is not read: {errors:?}\n{printed}"),
    };
    // Blocks that nothing branches to are not blocks any more, and labels have their numbers.
    let printed = print(&again);
    match parse(&printed) {
        Ok(p) => assert_eq!(print(&p.module), printed, "not a fixed point"),
        Err(errors) => panic!("printed text is not read: {errors:?}\n{printed}"),
    }
    // Code of others is not all in our form: what ends blocks there may stand within them.
    if !errors(&module).is_empty() {
        return;
    }
    let wrong = errors(&again);
    assert!(wrong.is_empty(), "read back: {wrong:?}\n{printed}");
    optimize::run(&mut module, &Options::default(), None);
    let wrong = errors(&module);
    assert!(
        wrong.is_empty(),
        "after optimising: {wrong:?}\n{}",
        print(&module)
    );
    run(&print(&module));
}

/// The rules that a module breaks, and where.
fn errors(module: &terrace_ptx::Module) -> Vec<String> {
    let all = findings(module).into_iter();
    let wrong = all.filter(|f| f.severity == Severity::Error);
    wrong
        .map(|f| format!("{} in {}: {}", f.rule.name(), f.func_name, f.found))
        .collect()
}

/// Loads a module and launches each of its kernels on zeros.
fn run(text: &str) {
    let memory = Memory::new(MEMORY);
    let Ok(module) = Module::load(&memory, text) else {
        return;
    };
    for kernel in &module.kernels {
        launched(&memory, kernel);
    }
}

fn launched(memory: &Memory, kernel: &Kernel) {
    let params = vec![0; kernel.parameter_bytes as usize];
    let config = Config {
        grid: [2, 1, 1],
        block: [33, 1, 1],
        shared_bytes: 64,
    };
    let checks = Checks {
        steps: STEPS,
        threads: 1,
        ..Checks::default()
    };
    let launch_of = Launch {
        kernel,
        config,
        params: &params,
    };
    // Most of them do something wrong, and are told so.
    let _ = launch(memory, &launch_of, &checks);
}
