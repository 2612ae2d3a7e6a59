//! Runs every test file below `test/` by its RUN lines, each as one test.
//!
//! `cargo test --test lit -- NAME` runs those whose path holds NAME. Files in
//! folders named `Inputs` belong to other tests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use terrace_lit::feature::{Features, find_program};
use terrace_lit::tool::Process;
use terrace_lit::{Outcome, Suite};

/// Where distributions put MLIR 22's programs, none of which terrace needs.
const MLIR_FOLDERS: [&str; 1] = ["/usr/lib/llvm-22/bin"];

fn suite() -> &'static Suite {
    static SUITE: OnceLock<Suite> = OnceLock::new();
    SUITE.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mlir = find_program("mlir-opt", &MLIR_FOLDERS.map(PathBuf::from));
        // `.ci/run` sets the variable after it has fetched NVIDIA's assembler.
        let ptxas = match std::env::var_os("TERRACE_PTXAS") {
            Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
            None => find_program("ptxas", &[PathBuf::from("/usr/local/cuda/bin")]),
        };
        // The bridge to MLIR, which is built apart from terrace.
        let bridge = match std::env::var_os("TERRACE_MLIR") {
            Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
            None => find_program("terrace-mlir", &[]),
        };
        let features = Features::new()
            .with("ptxas", ptxas.is_some())
            .with("mlir-opt", mlir.is_some())
            .with("terrace-mlir", bridge.is_some())
            .with("gcc", find_program("gcc", &[]).is_some())
            .with("gpu", Path::new("/dev/nvidiactl").exists());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lit");
        // What calibrate has kept of this machine is none of a test's business.
        let cache = folder.join("cache");
        let ours = |path: &str| Arc::new(Process::new(path).with("TERRACE_CACHE_DIR", &cache));
        let mut suite = Suite::new(folder, features)
            .tool("terrace-opt", ours(env!("CARGO_BIN_EXE_terrace-opt")))
            .tool("terrace", ours(env!("CARGO_BIN_EXE_terrace")))
            .tool("terrace-reduce", Arc::new(reduce()));
        for (name, path) in [
            ("mlir-opt", mlir),
            ("ptxas", ptxas),
            ("terrace-mlir", bridge),
        ] {
            if let Some(path) = path {
                suite = suite.tool(name, Arc::new(Process::new(path)));
            }
        }
        suite.substitutions.push((
            "examples".to_string(),
            root.join("examples").display().to_string(),
        ));
        suite
    })
}

/// The commands that it runs find our other tools.
fn reduce() -> Process {
    let program = Path::new(env!("CARGO_BIN_EXE_terrace-reduce"));
    let folder = program.parent().map(Path::to_path_buf);
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().chain(std::env::split_paths(&before));
    let path = std::env::join_paths(folders).unwrap_or(before);
    Process::new(program).with("PATH", path)
}

fn run(path: &Path) -> datatest_stable::Result<()> {
    if let Outcome::Skipped(reason) = suite().run_file(path)? {
        eprintln!("SKIPPED {}: {reason}", path.display());
    }
    Ok(())
}

datatest_stable::harness! {
    { test = run, root = "test", pattern = r"^(?!harness/)(?!(.*/)?Inputs/).*\.(mlir|c)$" },
}
