//! From programs to a table: the compiler, then the assembler, on all cores.

use super::table::{Cell, Table};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use terrace::run::options::{Emit, RunOptions, Target};
use terrace::run::source::{ProgramText, read_program};
use terrace::targets::ptx::ptxas::Ptxas;

/// Folders whose programs are compiled, with the ending of their names.
const PROGRAMS: [(&str, &str); 11] = [
    ("examples", "mlir"),
    ("examples/batch", "mlir"),
    ("examples/scans", "mlir"),
    ("examples/f32", "mlir"),
    ("examples/static", "mlir"),
    ("examples/polybench", "mlir"),
    ("examples/c", "c"),
    ("examples/c/polybench", "c"),
    ("examples/gpu", "mlir"),
    ("benches/gpu/nvcc/kernels", "mlir"),
    ("test/ptx/Inputs", "mlir"),
];

/// What the compiler says of a program of which it makes no kernel.
const NO_KERNEL: [&str; 2] = [
    "to make a kernel of",
    "there is no loop whose iterations may run in any order",
];

/// One program for one architecture.
struct Job<'a> {
    program: &'a ProgramText,
    arch: &'a str,
}

/// What a program needs that an architecture does not have.
const TOO_OLD: &str = " or later, compiling for sm_";

/// What came of a job.
enum Found {
    /// Kernels with their cells.
    Kernels(Vec<(String, Cell)>),
    NoKernel,
    /// The program is for newer architectures.
    TooOld,
    Wrong(String),
}

/// Compiles and assembles every program for every architecture.
///
/// # Panics
///
/// With all messages, if a program does not compile or its text is refused.
pub fn collect(ptxas: &Ptxas, version: &str, archs: &[&str]) -> Table {
    let programs: Vec<ProgramText> = PROGRAMS
        .iter()
        .flat_map(|(folder, ending)| files(folder, ending))
        .map(|path| read(&path))
        .collect();
    let jobs: Vec<Job> = programs
        .iter()
        .flat_map(|program| archs.iter().map(move |arch| Job { program, arch }))
        .collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Found)>> = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let found = assemble(ptxas, job);
                    done.lock().expect("no thread panics").push((at, found));
                }
            });
        }
    });
    let mut table = Table::new(version, archs);
    let mut errors = Vec::new();
    for (at, found) in done.into_inner().expect("no thread panics") {
        let Job { program, arch } = jobs[at];
        match found {
            Found::NoKernel => table.note(&program.name, "no kernel"),
            Found::TooOld => {}
            Found::Kernels(kernels) => {
                for (kernel, cell) in kernels {
                    table.set(&format!("{} {kernel}", program.name), arch, cell);
                }
            }
            Found::Wrong(e) => errors.push(format!("{} for {arch}: {e}", program.name)),
        }
    }
    errors.sort();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    table
}

/// The programs of a folder, in order, by their paths from the root.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(root.join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut all: Vec<PathBuf> = entries
        .map(|e| e.expect("the folder can be read").file_name())
        .map(|name| Path::new(folder).join(name))
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    all.sort();
    assert!(!all.is_empty(), "{folder} has no .{ending} files");
    all
}

/// Tests run in the root of the package, so that names in the table are relative.
fn read(path: &Path) -> ProgramText {
    let name = path.display().to_string();
    let mut program = read_program(&name, &mut std::io::empty(), &[])
        .unwrap_or_else(|outcome| panic!("{name}: {}", outcome.stderr));
    program.text = with_sizes(&program.text);
    program
}

/// A text with its sizes: a line `// @N@ = 4096, small 64` says what `@N@` stands for.
fn with_sizes(text: &str) -> String {
    let mut out = text.to_string();
    for line in text.lines() {
        if let Some((name, rest)) = line
            .strip_prefix("// ")
            .and_then(|line| line.split_once(" = "))
            && name.starts_with('@')
            && let Some((size, _)) = rest.split_once(", small ")
        {
            out = out.replace(name, size);
        }
    }
    out
}

fn assemble(ptxas: &Ptxas, job: &Job<'_>) -> Found {
    let options = RunOptions {
        target: Target::Gpu,
        arch: job.arch.to_string(),
        ..RunOptions::default()
    };
    let outcome = terrace::run::compiled(job.program, Emit::Ptx, &options);
    if outcome.code != 0 {
        let says = |m: &str| outcome.stderr.contains(m);
        return match NO_KERNEL.iter().any(|m| says(m)) {
            true => Found::NoKernel,
            // Every error of it must be one of these.
            false
                if outcome.stderr.matches("error: ").count()
                    == outcome.stderr.matches(TOO_OLD).count() =>
            {
                Found::TooOld
            }
            false => Found::Wrong(outcome.stderr),
        };
    }
    match ptxas.assemble(&outcome.stdout, job.arch) {
        Ok(all) => Found::Kernels(
            all.iter()
                .map(|r| (r.kernel.clone(), Cell::of(r)))
                .collect(),
        ),
        Err(e) => Found::Wrong(e.to_string()),
    }
}
