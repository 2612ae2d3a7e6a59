//! What the fuzz targets of `fuzz/` look at, on the inputs that are kept below
//! `test/fuzz_corpus`: a folder for each target, with what its fuzzer has found. Files
//! that are named in words are those that something once went wrong with.
//!
//! `TERRACE_FUZZ_INPUTS=FOLDER` names another folder with a folder for each target.

#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use targets::TARGETS;

/// No input here is worth more, even unoptimised on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(60);

fn inputs() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/fuzz_corpus");
    std::env::var_os("TERRACE_FUZZ_INPUTS").map_or(own, PathBuf::from)
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    paths
}

/// Looks at every input of a target; all failures are told.
fn replay(target: &str) {
    let (_, check) = TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .expect("a target");
    let files = entries(&inputs().join(target));
    assert!(!files.is_empty(), "where are the inputs?");
    let mut failed = Vec::new();
    for file in files {
        let data = std::fs::read(&file).expect("a readable file");
        let (done, end) = channel();
        // What takes for ever goes on while its failure is told.
        let looking = std::thread::spawn(move || {
            check(&data);
            // Nobody waits any more for what took too long.
            let _ = done.send(());
        });
        match end.recv_timeout(MAX_LENGTH) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => {
                failed.push(format!("{} takes more than {MAX_LENGTH:?}", file.display()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                assert!(looking.join().is_err(), "it ended without an answer");
                failed.push(file.display().to_string());
            }
        }
    }
    assert!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        /// A target that is not replayed would be forgotten.
        #[test]
        fn every_target_is_replayed() {
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($target)),*]);
            for folder in entries(&inputs()) {
                let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                assert!(names.contains(&name), "a folder without a target: {name}");
            }
        }
    };
}

replays! { arguments c c_regions directives machines mlir npy pipelines ptx schedules sets }
