//! `terrace-mlir`: reads a module of MLIR, text or bytecode, and prints what terrace makes of it.
//! The exit code is 0, 1 where the module or a pass is wrong, or 2 where the command line is.

use std::io::Write;
use std::process::ExitCode;
use terrace_mlir::{Bridge, Form};

const HELP: &str =
    "terrace-mlir: read a module of MLIR, text or bytecode, by upstream's parser, and print it

USAGE: terrace-mlir [options] [FILE]

FILE is - for standard input, which is the default. The options are done in this order:
  --pipeline=<passes>  Run these of upstream's passes, as mlir-opt --pass-pipeline takes them
  --lower              Bring the module down to what terrace has
  --say-pipelines      Say on standard error which pipelines that took
  --generic            Print text in the generic form
  --plain              Print text without locations
  --bytecode           Print bytecode in place of text
  -o <file>            Write here [default: standard output]
  --version            Print the versions of terrace-mlir and MLIR
  --help               Print this
";

#[derive(Default)]
struct Arguments {
    file: Option<String>,
    pipeline: Option<String>,
    lower: bool,
    say: bool,
    generic: bool,
    plain: bool,
    bytecode: bool,
    output: Option<String>,
}

/// The arguments, or what to print instead and the exit code.
fn arguments() -> Result<Arguments, (String, u8)> {
    let mut a = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(w) = words.next() {
        match w.as_str() {
            "--lower" => a.lower = true,
            "--say-pipelines" => a.say = true,
            "--generic" => a.generic = true,
            "--plain" => a.plain = true,
            "--bytecode" => a.bytecode = true,
            "--help" | "-h" => return Err((HELP.into(), 0)),
            "--version" => {
                let version = env!("CARGO_PKG_VERSION");
                return Err((format!("terrace-mlir {version}, MLIR 22\n"), 0));
            }
            "-o" => match words.next() {
                Some(file) => a.output = Some(file),
                None => return Err(("error: -o needs the name of a file\n".into(), 2)),
            },
            w if w.starts_with("--pipeline=") => {
                a.pipeline = w.strip_prefix("--pipeline=").map(str::to_string);
            }
            w if w.starts_with('-') && w != "-" => {
                return Err((format!("error: unknown option '{w}'; see --help\n"), 2));
            }
            w if a.file.is_none() => a.file = Some(w.to_string()),
            w => return Err((format!("error: a second file, '{w}'; expected one\n"), 2)),
        }
    }
    Ok(a)
}

fn run(a: &Arguments) -> Result<(), String> {
    let bridge = Bridge::new();
    let said = |p: terrace_mlir::Problems| p.to_string();
    let file = a.file.as_deref().unwrap_or("-");
    let mut module = bridge.read_file(file).map_err(said)?;
    if let Some(p) = &a.pipeline {
        bridge.run(&mut module, p).map_err(said)?;
    }
    if a.lower {
        for taken in bridge.lower(&mut module).map_err(said)? {
            if a.say {
                eprintln!("note: ran '{taken}'");
            }
        }
    }
    let form = match (a.bytecode, a.plain) {
        (true, _) => Form::Bytecode,
        (_, true) => Form::Plain,
        _ if a.generic => Form::Generic,
        _ => Form::WithLocations,
    };
    let bytes = bridge.write(&module, form).map_err(said)?;
    let written = match a.output.as_deref() {
        Some(path) if path != "-" => std::fs::write(path, &bytes),
        _ => std::io::stdout().write_all(&bytes),
    };
    written.map_err(|e| format!("error: cannot write the module: {e}"))
}

fn main() -> ExitCode {
    match arguments() {
        Err((text, 0)) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err((text, code)) => {
            eprint!("{text}");
            ExitCode::from(code)
        }
        Ok(a) => match run(&a) {
            Ok(()) => ExitCode::SUCCESS,
            Err(m) => {
                eprintln!("{m}");
                ExitCode::from(1)
            }
        },
    }
}
