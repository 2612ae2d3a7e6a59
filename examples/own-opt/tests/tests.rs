//! What the tool does, and that the pages about it say so.

use std::path::Path;
use std::sync::Arc;
use terrace_lit::Suite;
use terrace_lit::feature::Features;
use terrace_lit::tool::Process;

#[path = "../../../test/docs/page.rs"]
mod page;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The test files, by their RUN lines.
#[test]
fn lit() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lit");
    let tool = Arc::new(Process::new(env!("CARGO_BIN_EXE_own-opt")));
    let suite = Suite::new(scratch, Features::new()).tool("own-opt", tool);
    let files = std::fs::read_dir(here().join("test")).expect("the tests can be listed");
    let mut count = 0;
    for file in files {
        let file = file.expect("a test").path();
        if let Err(failure) = suite.run_file(&file) {
            panic!("{failure}");
        }
        count += 1;
    }
    assert!(count >= 3, "only {count} tests");
}

/// A page of `docs/`: its commands print what it shows, and the files in it are those of
/// this crate.
fn check(name: &str) {
    let page = here().join("../../docs").join(name);
    let binary = |tool: &str| match tool {
        "own-opt" => env!("CARGO_BIN_EXE_own-opt").into(),
        other => panic!("the page runs '{other}', which is none of its tools"),
    };
    page::Page {
        path: &page,
        files: here(),
        scratch: Path::new(env!("CARGO_TARGET_TMPDIR")),
        binary: &binary,
    }
    .check();
}

#[test]
fn add_a_pass() {
    check("add-a-pass.md");
}

#[test]
fn add_an_op() {
    check("add-an-op.md");
}
