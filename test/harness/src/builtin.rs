//! Commands that are the harness's own: they need no program on the machine.

use crate::filecheck;
use crate::shell::Session;
use crate::split_file;
use crate::tool::{Call, InProcess, Output, Tool};

/// Runs the built-in of that name, if there is one.
pub(crate) fn run(session: &Session<'_>, name: &str, call: &Call) -> Option<Output> {
    Some(match name {
        "not" => not(session, call),
        "env" => env(session, call),
        "FileCheck" => {
            let folder = call.folder.clone();
            // In a thread of its own: a panic or a hang there fails one test.
            InProcess(move |args: &[String], stdin: &[u8]| filecheck::main(args, stdin, &folder))
                .run(call)
        }
        "cat" => cat(call),
        "echo" => Output {
            stdout: (call.args.join(" ") + "\n").into_bytes(),
            ..Output::default()
        },
        "count" => count(call),
        "split-file" => match call.args.as_slice() {
            [input, folder] => {
                match split_file::split(&call.folder.join(input), &call.folder.join(folder)) {
                    Ok(()) => Output::default(),
                    Err(m) => Output::error(1, format!("split-file: {m}")),
                }
            }
            _ => Output::error(1, "split-file: expected an input file and a folder"),
        },
        _ => return None,
    })
}

/// `not [--crash] COMMAND`: success where the command fails. A command that is
/// not there, hangs or crashes has not failed in the way a test means, unless
/// `--crash` asks for a crash.
fn not(session: &Session<'_>, call: &Call) -> Output {
    let crash = call.args.first().is_some_and(|a| a == "--crash");
    let rest = &call.args[usize::from(crash)..];
    let Some((name, args)) = rest.split_first() else {
        return Output::error(1, "not: expected a command");
    };
    let mut output = session.dispatch(
        name,
        &Call {
            args: args.to_vec(),
            ..call.clone()
        },
    );
    let crashed = output.code > 128;
    let refused = (124..=127).contains(&output.code);
    let holds = if crash {
        crashed
    } else {
        output.code != 0 && !crashed && !refused
    };
    if !holds {
        let said = format!("not: the command ended with status {}\n", output.code);
        output.stderr.extend(said.into_bytes());
    }
    output.code = i32::from(!holds);
    output
}

/// `env NAME=VALUE... COMMAND`.
fn env(session: &Session<'_>, call: &Call) -> Output {
    let mut inner = call.clone();
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        match arg.split_once('=') {
            Some((name, value)) => inner.env.push((name.to_string(), value.to_string())),
            None => {
                inner.args = args.cloned().collect();
                return session.dispatch(arg, &inner);
            }
        }
    }
    Output::error(1, "env: expected a command")
}

fn cat(call: &Call) -> Output {
    let mut stdout = Vec::new();
    let from: &[String] = if call.args.is_empty() {
        &["-".to_string()]
    } else {
        &call.args
    };
    for name in from {
        if name == "-" {
            stdout.extend(&call.stdin);
            continue;
        }
        match std::fs::read(call.folder.join(name)) {
            Ok(bytes) => stdout.extend(bytes),
            Err(e) => {
                let stderr = format!("cat: {name}: {e}\n").into_bytes();
                return Output {
                    code: 1,
                    stdout,
                    stderr,
                };
            }
        }
    }
    Output {
        stdout,
        ..Output::default()
    }
}

/// `count N`: success where the input has N lines.
fn count(call: &Call) -> Output {
    let wanted = match call.args.as_slice() {
        [n] => n.parse::<usize>().ok(),
        _ => None,
    };
    let Some(wanted) = wanted else {
        return Output::error(2, "count: expected one number");
    };
    let newlines = call.stdin.iter().filter(|b| **b == b'\n').count();
    let unfinished = call.stdin.last().is_some_and(|b| *b != b'\n');
    let lines = newlines + usize::from(unfinished);
    if lines == wanted {
        return Output::default();
    }
    Output::error(1, format!("count: expected {wanted} lines and got {lines}"))
}
