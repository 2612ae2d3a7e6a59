//! `terrace-lsp`: the language server, over standard input and output.

use std::process::ExitCode;

const USAGE: &str = "\
terrace-lsp: a language server for MLIR text (.mlir), models in formulas (.tf) and C with directives

It speaks the Language Server Protocol over standard input and output. An editor starts it, without
arguments. docs/language-server.md says how.
";

fn main() -> ExitCode {
    terrace_support::unfinished::install();
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
