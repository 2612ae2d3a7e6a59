//! What fuzzing begins with: the project's own tests and examples, in pieces.

use std::path::{Path, PathBuf};

use terrace::dialects::ALL;
use terrace::runtime::buffer::{Fill, HostBuffer};
use terrace::runtime::dtype::DType;
use terrace::runtime::npy::header_bytes;
use terrace_ptx::machine::{MACHINES, write};

#[path = "../../test/c_mutations/mutate.rs"]
#[expect(dead_code)]
mod c;
#[path = "../../test/random/rng.rs"]
#[expect(dead_code)]
mod rng;

/// Larger files are slow to look at and change little.
const MAX_BYTES: usize = 4_000;

/// Inputs of a target to begin with.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let texts = match target {
        "arguments" => lines(ARGUMENTS, 4),
        "c" | "c_regions" => c_files(),
        "directives" => directives(),
        "machines" => MACHINES.iter().map(write).collect(),
        "mlir" => mlir(),
        "npy" => return arrays(),
        "pipelines" => pipelines(),
        "ptx" => ptx(),
        "schedules" => schedules(),
        "sets" => sets(),
        _ => Vec::new(),
    };
    texts.into_iter().map(String::into_bytes).collect()
}

/// Names that inputs of a target may hold, beside those in its seeds.
pub fn names(target: &str) -> Vec<String> {
    let ops = ALL.iter().flat_map(|d| d.ops);
    match target {
        "mlir" => ops.map(|op| op.name.to_string()).collect(),
        "schedules" => ops
            .map(|op| op.name.to_string())
            .filter(|n| n.starts_with("schedule."))
            .collect(),
        "pipelines" => {
            let passes = terrace::pass_registry().passes();
            let options = passes.flat_map(|p| p.options).map(|o| o.name.to_string());
            options.chain(["true".into(), "=".into()]).collect()
        }
        "c" | "c_regions" | "directives" => {
            let words = c::TYPES.iter().chain(&c::CLAUSES).chain(&c::STATEMENTS);
            words.chain(&c::PRAGMAS).map(|w| (*w).to_string()).collect()
        }
        _ => Vec::new(),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of every file below a folder whose name ends so.
fn files(folder: &str, extension: &str) -> Vec<String> {
    fn below(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|e| e.path()) {
            if path.is_dir() {
                below(&path, extension, out);
            } else if path.extension().is_some_and(|e| e == extension) {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    below(&root().join(folder), extension, &mut paths);
    paths.sort();
    let read = |p: &PathBuf| std::fs::read_to_string(p).ok();
    paths.iter().filter_map(read).collect()
}

/// So many lines each.
fn lines(text: &str, each: usize) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    all.chunks(each).map(|c| c.join("\n")).collect()
}

/// Without lines that are comments of a test.
fn bare(text: &str) -> String {
    let kept = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    kept.map(|l| format!("{l}\n")).collect()
}

fn parts_of_mlir(folder: &str) -> Vec<String> {
    let files = files(folder, "mlir").into_iter();
    let parts = files.flat_map(|f| f.split("// -----").map(bare).collect::<Vec<_>>());
    let right = |p: &String| !p.trim().is_empty() && p.len() < MAX_BYTES;
    parts.filter(right).collect()
}

fn mlir() -> Vec<String> {
    let mut all = parts_of_mlir("examples");
    for folder in ["dialects", "passes", "text"] {
        all.extend(parts_of_mlir(&format!("test/{folder}")));
    }
    all
}

/// The preprocessor is not run: files that need it are left out.
fn c_files() -> Vec<String> {
    let inputs = files("test/c_mutations/Inputs", "c");
    let mut all: Vec<String> = inputs.iter().map(|f| c::preprocessed(f)).collect();
    all.extend(files("test", "c").iter().map(|f| bare(f)));
    all.retain(|f| f.len() < MAX_BYTES && !f.contains("#include") && !f.contains("#define"));
    all
}

fn directives() -> Vec<String> {
    let mut all = String::new();
    for file in files("test", "c").iter().chain(&files("examples", "c")) {
        for line in file.lines() {
            if let Some(d) = line.trim_start().strip_prefix("#pragma ") {
                all.push_str(d.trim_end_matches('\\'));
                all.push('\n');
            }
        }
    }
    lines(&all, 6)
}

fn ptx() -> Vec<String> {
    let mut all = files("runtime/emulator/tests", "ptx");
    all.extend(files("test", "ptx"));
    all.retain(|f| f.len() < 2 * MAX_BYTES);
    all
}

/// Schedules of the tests, each for every one of the programs.
fn schedules() -> Vec<String> {
    let mut all = Vec::new();
    for text in parts_of_mlir("test/passes/schedule") {
        for at in text.match_indices("schedule.sequence").map(|(at, _)| at) {
            let Some(end) = text[at..].find("\n}") else {
                continue;
            };
            let one = &text[at..at + end + 3];
            let Some(body) = one.find('{') else { continue };
            for name in super::targets::programs::NAMES {
                all.push(format!("schedule.sequence @s on @{name} {}", &one[body..]));
            }
        }
    }
    all.extend(STEPS.split("\n\n").map(str::to_string));
    all
}

/// Each pass by itself, and what tests run one after another.
fn pipelines() -> Vec<String> {
    let passes = terrace::pass_registry().passes();
    let mut all: Vec<String> = passes
        .map(|p| match p.anchor {
            Some(a) if a != "builtin.module" => format!("builtin.module({a}({}))", p.name),
            _ => format!("builtin.module({})", p.name),
        })
        .collect();
    for text in files("test", "mlir") {
        for (at, _) in text.match_indices("builtin.module(") {
            let line = text[at..].lines().next().unwrap_or_default();
            let end = line.find(['"', '\'']).unwrap_or(line.len());
            all.push(line[..end].to_string());
        }
    }
    all
}

/// Texts of sets that stand in the tests.
fn sets() -> Vec<String> {
    let mut all = Vec::new();
    for text in files("presburger", "rs") {
        for word in text.split('"') {
            if word.contains("{ [") && word.len() < 256 && !word.contains('\\') {
                all.push(word.to_string());
            }
        }
    }
    all
}

/// An array of each type and of several shapes.
fn arrays() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for dtype in [
        DType::I1,
        DType::I8,
        DType::U16,
        DType::I32,
        DType::U64,
        DType::F16,
        DType::F32,
        DType::F64,
    ] {
        for shape in [&[][..], &[0], &[3], &[2, 3], &[2, 1, 2]] {
            if let Ok(array) = HostBuffer::filled(dtype, shape, Fill::Iota) {
                let mut file = header_bytes(&array);
                file.extend_from_slice(array.bytes());
                all.push(file);
            }
        }
    }
    all
}

const ARGUMENTS: &str = "\
A=random:4x8:1
0=zeros
n=-17
x=1.5e-3
b=@file.npy
m=iota:3
d=dominant:4x4:7
c=0x1f
A=dominant
t=true
f=nan
g=-inf
h=random:18446744073709551615x2
i=18446744073709551615";

/// Steps for the programs that the tests have none like.
const STEPS: &str = include_str!("steps.mlir");
