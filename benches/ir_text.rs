//! IR text in, verified, and out: terrace-opt beside mlir-opt, in one run.
//!
//! Makes a module of 1,000 functions of 1,000 `arith.addi` (39.9 MB), then runs
//! `terrace-opt` and, where it is installed, `mlir-opt`, in turn, each as a whole
//! process writing to a file. Prints the median wall time and the peak memory of each.
//!
//! ```text
//! cargo bench --bench ir_text [-- RUNS]
//! ```
//!
//! `MLIR_OPT` names another mlir-opt than the first on the path or in
//! /usr/lib/llvm-22/bin.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const FUNCTIONS: usize = 1000;
const OPS: usize = 1000;

fn module() -> String {
    let mut s = String::with_capacity(38_000_000);
    s.push_str("module {\n");
    for f in 0..FUNCTIONS {
        let _ = writeln!(s, "  func.func @f{f}(%arg0: i32, %arg1: i32) -> i32 {{");
        let _ = writeln!(s, "    %0 = arith.addi %arg0, %arg1 : i32");
        for i in 1..OPS {
            let _ = writeln!(s, "    %{i} = arith.addi %{}, %arg1 : i32", i - 1);
        }
        let _ = writeln!(s, "    return %{} : i32", OPS - 1);
        s.push_str("  }\n");
    }
    s.push_str("}\n");
    s
}

fn find_mlir_opt() -> Option<PathBuf> {
    let named = std::env::var_os("MLIR_OPT").map(PathBuf::from);
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|p| {
        std::env::split_paths(&p)
            .map(|d| d.join("mlir-opt"))
            .collect::<Vec<_>>()
    });
    let debian = PathBuf::from("/usr/lib/llvm-22/bin/mlir-opt");
    named
        .into_iter()
        .chain(on_path)
        .chain([debian])
        .find(|p| p.is_file())
}

/// Seconds and peak resident bytes of one run.
fn run(tool: &Path, input: &Path, output: &Path) -> Result<(f64, u64), String> {
    let start = Instant::now();
    let mut child = Command::new(tool)
        .arg(input)
        .arg("-o")
        .arg(output)
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", tool.display()))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        // The high-water mark survives until the process is reaped.
        if let Some(kb) = std::fs::read_to_string(&status)
            .ok()
            .and_then(|s| high_water(&s))
        {
            peak = peak.max(kb * 1024);
        }
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(code) => break code,
            None => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if code.success() {
        Ok((seconds, peak))
    } else {
        Err(format!("{} failed: {code}", tool.display()))
    }
}

fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn median(v: &mut [f64]) -> f64 {
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

fn main() -> Result<(), String> {
    let runs = std::env::args()
        .filter_map(|a| a.parse::<usize>().ok())
        .next()
        .unwrap_or(5)
        .max(1);
    let dir = std::env::temp_dir().join(format!("terrace-ir-text-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let input = dir.join("in.mlir");
    let text = module();
    std::fs::write(&input, &text).map_err(|e| e.to_string())?;
    println!("{:.1} MB, {} ops", text.len() as f64 / 1e6, FUNCTIONS * OPS);
    let mut tools = vec![(
        "terrace-opt",
        PathBuf::from(env!("CARGO_BIN_EXE_terrace-opt")),
    )];
    match find_mlir_opt() {
        Some(p) => tools.push(("mlir-opt", p)),
        None => println!("mlir-opt: not installed, skipped"),
    }
    let mut results = vec![(Vec::new(), 0u64); tools.len()];
    for _ in 0..runs {
        for ((name, tool), r) in tools.iter().zip(&mut results) {
            let (s, m) = run(tool, &input, &dir.join(format!("{name}.out")))?;
            r.0.push(s);
            r.1 = r.1.max(m);
        }
    }
    println!("{:<12} {:>10} {:>12}", "tool", "median s", "peak MB");
    for ((name, _), (times, peak)) in tools.iter().zip(&mut results) {
        println!(
            "{name:<12} {:>10.2} {:>12.0}",
            median(times),
            *peak as f64 / 1e6
        );
    }
    // Both print the canonical form, so the texts must be the input.
    for (name, _) in &tools {
        let out = std::fs::read_to_string(dir.join(format!("{name}.out"))).unwrap_or_default();
        let same = out.trim_end() == text.trim_end();
        println!(
            "{name}: output {} the input",
            if same { "equals" } else { "DIFFERS from" }
        );
    }
    std::fs::remove_dir_all(&dir).map_err(|e| e.to_string())
}
