//! Kernels in a few lines, and their runs.

#![allow(dead_code)]

use terrace_emulator::{
    Checks, Config, Finding, FindingKind, Launch, Memory, Module, Outcome, launch,
};

/// A device with a module in it.
pub struct Device {
    pub memory: Memory,
    pub module: Module,
}

/// A kernel `k` with parameters `p0`, `p1`, .. of the types given, and registers
/// `%p<16>`, `%r<32>`, `%rd<32>`, `%f<16>`, `%fd<16>`, `%h<16>`.
pub fn kernel(params: &str, body: &str) -> String {
    kernel_with("", params, body)
}

/// The same after declarations of the module.
pub fn kernel_with(before: &str, params: &str, body: &str) -> String {
    let params: Vec<String> = params
        .split_whitespace()
        .enumerate()
        .map(|(i, ty)| format!(".param {ty} p{i}"))
        .collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{before}\n.visible .entry k({})\n{{\n\
         .reg .pred %p<16>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<16>;\n\
         .reg .f64 %fd<16>;\n.reg .b16 %h<16>;\n{body}\n}}\n",
        params.join(", ")
    )
}

impl Device {
    pub fn new(ptx: &str) -> Device {
        let memory = Memory::new(1 << 30);
        let module = Module::load(&memory, ptx).unwrap_or_else(|e| panic!("{e}\n{ptx}"));
        Device { memory, module }
    }

    /// An allocation with these contents.
    pub fn u32s(&self, values: &[u32]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let at = self.memory.alloc(bytes.len() as u64).unwrap();
        self.memory.write(at, &bytes).unwrap();
        at
    }

    pub fn read_u32s(&self, at: u64, n: usize) -> Vec<u32> {
        let mut bytes = vec![0; n * 4];
        self.memory.read(at, &mut bytes).unwrap();
        bytes
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    /// Runs `k` with 8-byte parameters.
    pub fn run(&self, grid: u32, block: u32, params: &[u64]) -> Outcome {
        self.run_with(grid, block, params, Checks::default())
    }

    pub fn run_with(&self, grid: u32, block: u32, params: &[u64], checks: Checks) -> Outcome {
        let kernel = self.module.kernel("k").unwrap();
        let params: Vec<u8> = params.iter().flat_map(|v| v.to_le_bytes()).collect();
        let config = Config {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared_bytes: 0,
        };
        let run = Launch {
            kernel,
            config,
            params: &params,
        };
        launch(&self.memory, &run, &checks).unwrap()
    }
}

/// The findings of an outcome as text.
pub fn listing(outcome: &Outcome) -> String {
    let lines: Vec<String> = outcome.findings.iter().map(Finding::to_string).collect();
    lines.join("\n")
}

/// Asserts that a run is clean.
pub fn clean(outcome: &Outcome) {
    assert!(
        outcome.completed && outcome.findings.is_empty(),
        "{}",
        listing(outcome)
    );
}

/// Asserts that there is exactly one finding, of a kind.
pub fn only(outcome: &Outcome, kind: FindingKind) -> &Finding {
    assert_eq!(outcome.findings.len(), 1, "{}", listing(outcome));
    assert_eq!(outcome.findings[0].kind, kind, "{}", listing(outcome));
    &outcome.findings[0]
}
