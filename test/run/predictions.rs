//! What the cost model predicts of whole programs against what was measured: the table of
//! `docs/performance.md` says what the model says now, within a factor of what was measured.

use super::tools::{Run, root};
use std::process::Command;

/// A program, its options, and its sizes; the row of the table has the same title.
struct Case {
    title: &'static str,
    file: &'static str,
    tf32: bool,
    sizes: &'static [(&'static str, i64)],
}

const fn case(
    title: &'static str,
    file: &'static str,
    sizes: &'static [(&'static str, i64)],
) -> Case {
    Case {
        title,
        file,
        tf32: false,
        sizes,
    }
}

const GEMM: &[(&str, i64)] = &[("M", 4096), ("N", 4096), ("K", 4096)];
const SQUARE: &[(&str, i64)] = &[("M", 4096), ("N", 4096)];
const LONG: &[(&str, i64)] = &[("M", 16384), ("N", 16384)];

const CASES: &[Case] = &[
    case("gemm 4096", "gemm", GEMM),
    case(
        "gemm 8192",
        "gemm",
        &[("M", 8192), ("N", 8192), ("K", 8192)],
    ),
    case("gemm f32 4096", "f32/gemm", GEMM),
    Case {
        tf32: true,
        ..case("gemm tf32 4096", "f32/gemm", GEMM)
    },
    case("gemm f16 4096", "f16/gemm", GEMM),
    case(
        "2mm 4096",
        "polybench/2mm",
        &[("NI", 4096), ("NJ", 4096), ("NK", 4096), ("NL", 4096)],
    ),
    case("syrk 4096", "polybench/syrk", SQUARE),
    case("syr2k 4096", "polybench/syr2k", SQUARE),
    case("symm 4096", "polybench/symm", SQUARE),
    case("trmm 4096", "polybench/trmm", SQUARE),
    case(
        "doitgen 220x250x270",
        "polybench/doitgen",
        &[("NR", 220), ("NQ", 250), ("NP", 270)],
    ),
    case("atax 16384", "polybench/atax", LONG),
    case("bicg 16384", "polybench/bicg", LONG),
    case("mvt 16384", "polybench/mvt", LONG),
    case("gesummv 16384", "polybench/gesummv", LONG),
];

/// How far a prediction may be below what was measured, and above it.
const MIN: f64 = 0.6;
const MAX: f64 = 1.05;

/// Programs whose times differ by more than this are in the order that was measured.
const APART: f64 = 1.6;

/// `M:4096`, and the same for the dimensions of arrays that the program says are so long.
fn sizes(c: &Case, text: &str) -> String {
    let mut all: Vec<String> = c.sizes.iter().map(|(n, v)| format!("{n}:{v}")).collect();
    for argument in text.split("\n    %").skip(1) {
        let Some((name, rest)) = argument.split_once(": memref<") else {
            continue;
        };
        let Some((_, dims)) = rest.split_once("terrace.dims = [") else {
            continue;
        };
        let dims = dims.split(']').next().unwrap_or_default();
        for (d, dim) in dims.split(',').enumerate() {
            let dim = dim.trim().trim_matches('"');
            if let Some((_, v)) = c.sizes.iter().find(|s| s.0 == dim) {
                all.push(format!("{name}.{d}:{v}"));
            }
        }
    }
    all.join(",")
}

/// Milliseconds of all launches that are made, one after another.
fn predicted(c: &Case) -> f64 {
    let file = root().join("examples").join(format!("{}.mlir", c.file));
    let text = std::fs::read_to_string(&file).expect("the example is there");
    let pipeline = format!(
        "builtin.module(terrace-gpu-pipeline{{arch=sm_90 tf32={} last=loops}},\
         print-gpu-cost{{machine=sm_90 ahead=true sizes={}}})",
        c.tf32,
        sizes(c, &text)
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrace-opt"));
    let command = command.arg(&file).arg(format!("-pass-pipeline={pipeline}"));
    let out = command.args(["-o", "/dev/null"]).output();
    let run = Run::of(out.expect("terrace-opt starts")).exits(0);
    let mut sum = 0.0;
    for nest in run.stderr.split("\non ") {
        if nest.contains("not run at these sizes") {
            continue;
        }
        let time = nest.lines().find_map(|l| l.trim().strip_prefix("time "));
        let time = time.and_then(|t| t.trim().strip_suffix(" us")?.parse::<f64>().ok());
        sum += time.unwrap_or_else(|| panic!("{}: no time in {nest}", c.title));
    }
    sum / 1e3
}

/// Measured and predicted milliseconds of the rows of the table.
fn table() -> Vec<(String, f64, f64)> {
    let text = std::fs::read_to_string(root().join("docs/performance.md"));
    let text = text.expect("the page is there");
    let head = "| program | measured, ms | predicted, ms |";
    let rows = text.lines().skip_while(|l| !l.starts_with(head)).skip(2);
    let rows = rows.take_while(|l| l.starts_with('|'));
    rows.map(|l| {
        let cells: Vec<&str> = l.split('|').map(str::trim).collect();
        let number = |i: usize| cells[i].parse::<f64>().expect("a number of the table");
        (cells[1].to_string(), number(2), number(3))
    })
    .collect()
}

#[test]
fn predictions_are_as_the_page_says_and_near_what_was_measured() {
    let table = table();
    assert_eq!(table.len(), CASES.len());
    let mut now = Vec::new();
    for c in CASES {
        let row = table.iter().find(|r| r.0 == c.title);
        let (_, measured, said) = row.unwrap_or_else(|| panic!("no row for {}", c.title));
        let ms = predicted(c);
        assert!(
            (ms - said).abs() <= 0.0015,
            "{}: {ms:.3}, not {said}",
            c.title
        );
        let ratio = ms / measured;
        assert!((MIN..=MAX).contains(&ratio), "{}: {ratio:.2}", c.title);
        now.push((c.title, *measured, ms));
    }
    for (a, a_measured, a_ms) in &now {
        for (b, b_measured, b_ms) in &now {
            let apart = a_measured > &(APART * b_measured);
            assert!(!apart || a_ms > b_ms, "{a} {a_ms:.3} and {b} {b_ms:.3}");
        }
    }
}
