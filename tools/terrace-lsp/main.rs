//! `terrace-lsp`: the language server, over standard input and output.

mod usage;

use std::process::ExitCode;
use usage::USAGE;

/// Keeps memory that was freed. Each change of a text makes a tree of it anew, in as much memory as the one
/// before. Given back to the system, that would be cleared and mapped again page by page, which takes an
/// eighth of the time of an answer.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_memory() {
    use std::ffi::c_int;
    unsafe extern "C" {
        safe fn mallopt(what: c_int, value: c_int) -> c_int;
    }
    const TRIM_THRESHOLD: c_int = -1;
    const MMAP_THRESHOLD: c_int = -3;
    for what in [TRIM_THRESHOLD, MMAP_THRESHOLD] {
        // A C library that takes no advice is only slower.
        mallopt(what, 1 << 30);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_memory() {}

fn main() -> ExitCode {
    terrace_support::unfinished::install();
    keep_memory();
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        // Editors name the transport; there is one.
        None | Some("--stdio") => {}
        Some("--help" | "-h") => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Some("--version" | "-V") => {
            println!("terrace-lsp {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Some(word) => {
            eprintln!("error: found `{word}`, expected no argument, or --stdio\n\n{USAGE}");
            return ExitCode::from(2);
        }
    }
    match terrace::lsp::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
