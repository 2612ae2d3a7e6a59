//! What a RUN line can call: a process, or a function of the test process.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What a command is given.
#[derive(Debug, Clone)]
pub struct Call {
    /// Arguments, without the name of the tool.
    pub args: Vec<String>,
    /// All of standard input.
    pub stdin: Vec<u8>,
    /// The folder the command runs in.
    pub folder: PathBuf,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// Whether standard error goes where standard output goes (`2>&1`).
    pub merge: bool,
    /// Longest time the command may take.
    pub timeout: Duration,
}

/// What a command leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Exit status; 128 plus the signal's number when a signal ended it.
    pub code: i32,
    /// Standard output; holds standard error too where the call merges them.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// A failure of the harness itself in running a command, as a shell says it.
    pub fn error(code: i32, message: impl Into<String>) -> Self {
        Output {
            code,
            stdout: Vec::new(),
            stderr: (message.into() + "\n").into_bytes(),
        }
    }
}

/// Something RUN lines can call. Many tests call one tool at the same time.
pub trait Tool: Send + Sync {
    /// Runs it to its end, or to the call's time limit.
    fn run(&self, call: &Call) -> Output;
}

/// A program in a file of its own.
#[derive(Debug, Clone)]
pub struct Process {
    /// The program.
    pub program: PathBuf,
    /// Arguments that stand before those of the RUN line.
    pub before: Vec<String>,
    /// Variables of the environment, where a call does not set them.
    pub env: Vec<(String, OsString)>,
}

impl Process {
    /// The program at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Process {
            program: path.into(),
            before: Vec::new(),
            env: Vec::new(),
        }
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.to_string(), value.into()));
        self
    }
}

/// More output than this ends a command: it is a runaway, not a test.
const OUTPUT_LIMIT: u64 = 256 << 20;

impl Tool for Process {
    fn run(&self, call: &Call) -> Output {
        match run_process(self, call) {
            Ok(output) => output,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Output::error(
                127,
                format!("{}: command not found", self.program.display()),
            ),
            Err(e) => Output::error(126, format!("{}: {e}", self.program.display())),
        }
    }
}

fn run_process(process: &Process, call: &Call) -> std::io::Result<Output> {
    let mut command = Command::new(&process.program);
    command
        .args(&process.before)
        .args(&call.args)
        .current_dir(&call.folder)
        .envs(process.env.iter().map(|(k, v)| (k, v)))
        .envs(
            call.env
                .iter()
                .map(|(k, v)| (OsString::from(k), OsString::from(v))),
        )
        .stdin(Stdio::piped());
    // A group of its own, so that a time-out ends the children too.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);

    let (out, out_writer) = std::io::pipe()?;
    let (err, err_writer) = std::io::pipe()?;
    if call.merge {
        command.stderr(out_writer.try_clone()?);
        drop(err_writer);
    } else {
        command.stderr(err_writer);
    }
    command.stdout(out_writer);
    let mut child = command.spawn()?;
    // The command keeps the writing ends open as long as it lives.
    drop(command);

    let input = child.stdin.take();
    let bytes = call.stdin.clone();
    std::thread::spawn(move || {
        if let Some(mut pipe) = input {
            // A command that does not read its input is no error of ours.
            let _ = pipe.write_all(&bytes);
        }
    });
    let deadline = Instant::now() + call.timeout;
    let out = collect(out);
    let err = collect(err);
    let (stdout, timed_out) = receive(&out, deadline);
    let (stderr, timed_out_err) = receive(&err, deadline);
    let mut status = None;
    while !timed_out && !timed_out_err && status.is_none() && Instant::now() < deadline {
        status = child.try_wait()?;
        if status.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let Some(status) = status else {
        kill_group(&mut child);
        return Ok(Output::error(
            124,
            format!(
                "{}: killed after {} s",
                process.program.display(),
                call.timeout.as_secs_f64()
            ),
        ));
    };
    if stdout.len() as u64 >= OUTPUT_LIMIT || stderr.len() as u64 >= OUTPUT_LIMIT {
        return Ok(Output::error(
            125,
            format!("{}: too much output", process.program.display()),
        ));
    }
    Ok(Output {
        code: exit_code(status),
        stdout,
        stderr,
    })
}

fn collect(pipe: std::io::PipeReader) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before a read error is still what the command wrote.
        let _ = pipe.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

fn receive(from: &mpsc::Receiver<Vec<u8>>, deadline: Instant) -> (Vec<u8>, bool) {
    match from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => (bytes, false),
        Err(RecvTimeoutError::Timeout) => (Vec::new(), true),
        Err(RecvTimeoutError::Disconnected) => (Vec::new(), false),
    }
}

fn kill_group(child: &mut std::process::Child) {
    #[cfg(unix)]
    let _ = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", child.id())])
        .stderr(Stdio::null())
        .status();
    // Already dead is what we want.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(not(unix))]
fn exit_code(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}

/// A tool that is a function of the test process: `(args, stdin)` to
/// `(exit status, stdout, stderr)`.
///
/// It runs in a thread of its own with the stack of a main thread, so that a
/// panic or a hang fails the one test and not the run. A function that hangs
/// keeps its thread. It does not see the call's folder and environment, so
/// RUN lines give it absolute paths, which `%s`, `%S` and `%t` are.
pub struct InProcess<F>(pub F);

/// What an in-process tool returns: exit status, standard output, standard error.
pub type InProcessResult = (i32, Vec<u8>, Vec<u8>);

impl<F> Tool for InProcess<F>
where
    F: Fn(&[String], &[u8]) -> InProcessResult + Clone + Send + Sync + 'static,
{
    fn run(&self, call: &Call) -> Output {
        let (sender, receiver) = mpsc::channel();
        let function = self.0.clone();
        let (args, stdin) = (call.args.clone(), call.stdin.clone());
        let thread = std::thread::Builder::new()
            .name("tool".to_string())
            .stack_size(8 << 20)
            .spawn(move || {
                let _ = sender.send(function(&args, &stdin));
            });
        if let Err(e) = thread {
            return Output::error(126, format!("no thread for the tool: {e}"));
        }
        match receiver.recv_timeout(call.timeout) {
            // A process writes its buffered output when it ends, after its errors.
            Ok((code, stdout, mut stderr)) if call.merge => {
                stderr.extend(stdout);
                Output {
                    code,
                    stdout: stderr,
                    stderr: Vec::new(),
                }
            }
            Ok((code, stdout, stderr)) => Output {
                code,
                stdout,
                stderr,
            },
            Err(RecvTimeoutError::Timeout) => Output::error(
                124,
                format!(
                    "the tool did not end within {} s",
                    call.timeout.as_secs_f64()
                ),
            ),
            Err(RecvTimeoutError::Disconnected) => {
                Output::error(134, "the tool panicked".to_string())
            }
        }
    }
}
