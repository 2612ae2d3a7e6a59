//! `terrace-opt`: read IR, run passes over it, print it. Other crates make tools of it
//! that know their own dialects and passes too: [`Tool`].

pub(crate) mod args;
mod pipeline;
mod roundtrip;

use crate::dialects::{ALL, attributes, upstream as foreign};
use crate::ir::diag::{
    DEFAULT_SPLIT_MARKER, Diagnostic, Diagnostics, Renderer, Severity, SourceFile, SourceMap,
    Verifier as DiagnosticVerifier, VerifyLevel, split_input,
};
use crate::ir::pass::{PassRegistry, write_atomically};
use crate::ir::text::parser::{Source, parse};
use crate::ir::text::printer::{PrintOptions, print};
use crate::ir::{Context, DialectDef, verify};
use crate::progress::step;
use crate::upstream::{self, Bridge, Input, Task};
use args::OptArgs;
pub use args::{FLAGS, Flag};
use pipeline::{OptPipeline, Phases};
use std::io::Read;
use std::time::Instant;

/// What a run of the tool left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code: 0 for success. What other codes mean is up to the tool; `terrace-opt`
    /// has 1 for errors in the input or the command line.
    pub code: i32,
    /// What goes to standard output: results.
    pub stdout: String,
    /// What goes to standard error: diagnostics, and what is shown of passes.
    pub stderr: String,
}

impl Outcome {
    /// Write both texts and end the process with the code.
    ///
    /// Where standard output takes not all of it (a full disk), that is said, and the code
    /// is not 0.
    pub fn write_and_exit(mut self) -> ! {
        use std::io::{ErrorKind, Write};
        let mut out = std::io::stdout();
        let written = out.write_all(self.stdout.as_bytes());
        match written.and_then(|()| out.flush()) {
            Ok(()) => {}
            // A reader that has seen enough is not our error.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {}
            Err(e) => {
                let text = e.to_string();
                let text = text.split(" (os error").next().unwrap_or(&text);
                let m = format!("error: cannot write to standard output: {text}\n");
                self.stderr.push_str(&m);
                self.code = self.code.max(1);
            }
        }
        // There is nowhere to tell that nobody listens.
        let _ = std::io::stderr().write_all(self.stderr.as_bytes());
        std::process::exit(self.code)
    }

    /// Put standard output into a file, whole or not at all.
    pub fn redirect(mut self, path: &str) -> Outcome {
        let text = std::mem::take(&mut self.stdout);
        if let Err(e) = write_atomically(path.as_ref(), &text) {
            self.code = 1;
            self.stderr
                .push_str(&format!("cannot open output file '{path}': {e}\n"));
        }
        self
    }
}

/// A tool like `terrace-opt`: its name, and what it knows.
///
/// ```no_run
/// # use terrace::ir::{DialectDef, pass::PassInfo};
/// # static DIALECT: DialectDef = DialectDef::EMPTY;
/// # fn main_with(pass: &'static PassInfo) {
/// let mut tool = terrace::opt::Tool::new("own-opt");
/// tool.dialects.push(&DIALECT);
/// tool.passes.add(pass);
/// tool.main()
/// # }
/// ```
#[derive(Clone)]
pub struct Tool {
    /// The name that messages begin with.
    pub name: &'static str,
    /// The dialects that the tool's input may use.
    pub dialects: Vec<&'static DialectDef>,
    /// The passes and pipelines that its command line may name.
    pub passes: PassRegistry,
}

impl Tool {
    /// A tool with the dialects and passes of terrace.
    pub fn new(name: &'static str) -> Tool {
        let mut passes = crate::pass_registry().clone();
        passes.add(&upstream::INFO);
        Tool {
            name,
            dialects: ALL.to_vec(),
            passes,
        }
    }

    /// An empty context that knows what the tool knows, for input as the arguments say.
    fn context(&self, a: &OptArgs) -> Context {
        let mut ctx = Context::new();
        for dialect in &self.dialects {
            ctx.register(dialect);
        }
        ctx.register_op_attrs(attributes::ALL);
        ctx.register_foreign(foreign::DIALECTS);
        ctx.config.allow_unregistered = a.allow_unregistered;
        ctx.config.first_error_only = a.verify_diagnostics.is_some();
        ctx
    }

    /// Run with the arguments of the process, and end it.
    pub fn main(&self) -> ! {
        terrace_support::unfinished::install();
        crate::progress::on_terminal();
        let args: Vec<String> = std::env::args().skip(1).collect();
        self.run(&args, &mut std::io::stdin()).write_and_exit()
    }

    /// Run with these arguments (without the program's name). Reads the input file or
    /// `stdin`, writes only the file that `-o` names.
    pub fn run(&self, args: &[String], stdin: &mut (dyn Read + Send)) -> Outcome {
        // IR nests, and so do the walks over it; the limit on nesting is chosen for a
        // stack of this size, which a caller's thread may not have.
        crate::with_stack(|| Driver::new(self).run(args, stdin))
    }
}

struct Driver<'t> {
    tool: &'t Tool,
    out: Outcome,
    phases: Phases,
    /// What options of passes name, read before the passes run.
    inputs: Vec<std::sync::Arc<SourceFile>>,
}

impl<'t> Driver<'t> {
    fn new(tool: &'t Tool) -> Self {
        Driver {
            tool,
            out: Outcome::default(),
            phases: Phases::default(),
            inputs: Vec::new(),
        }
    }

    fn run(mut self, args: &[String], stdin: &mut (dyn Read + Send)) -> Outcome {
        let registry = &self.tool.passes;
        let is_pass = |n: &str| registry.pass(n).is_some() || registry.pipeline(n).is_some();
        let parsed = match args::parse(args, &is_pass) {
            Ok(a) => a,
            Err(m) => {
                self.fail_usage(&m);
                return self.out;
            }
        };
        if parsed.help {
            self.help();
            return self.out;
        }
        if parsed.version {
            let name = self.tool.name;
            self.out.stdout = format!("{name} {}\n", env!("CARGO_PKG_VERSION"));
            return self.out;
        }
        if parsed.show_dialects {
            self.show_dialects();
            return self.out;
        }
        if parsed.list_passes {
            self.out.stdout = pass_list(registry);
            return self.out;
        }
        let mut pipeline = match OptPipeline::new(self.tool, &parsed) {
            Ok(p) => p,
            Err(m) => {
                self.out.code = 1;
                self.out.stderr.push_str(&m);
                return self.out;
            }
        };
        if parsed.dump_pipeline {
            self.out.stderr.push_str(&pipeline.text());
        }
        for path in pipeline.files() {
            let read = read_input(&path, &mut std::io::empty());
            let file = read.and_then(|bytes| {
                SourceFile::from_bytes(path.as_str(), bytes).map_err(|e| format!("{path}:{e}\n"))
            });
            match file {
                Ok(f) => self.inputs.push(std::sync::Arc::new(f)),
                Err(e) => {
                    self.out.code = 1;
                    self.out.stderr = e;
                    return self.out;
                }
            }
        }
        match pipeline.machine_at_hand() {
            Ok(file) => self.inputs.extend(file.map(std::sync::Arc::new)),
            Err(m) => {
                self.out.code = 1;
                self.out.stderr = m + "\n";
                return self.out;
            }
        }
        let start = Instant::now();
        let bytes = match read_input(&parsed.input, stdin) {
            Ok(b) => b,
            Err(e) => {
                self.out.code = 1;
                self.out.stderr = e;
                return self.out;
            }
        };
        // Not before: a person may be typing the input.
        let _step = step(|| format!("{} {}", self.tool.name, parsed.input));
        let name = if parsed.input == "-" {
            "<stdin>"
        } else {
            &parsed.input
        };
        if parsed.load_mlir.is_none() && upstream::is_bytecode(&bytes) {
            self.out.code = 1;
            self.out.stderr =
                format!("{name}: error: found MLIR's bytecode, which --load-mlir reads\n");
            return self.out;
        }
        let task = parsed.load_mlir.map(|lower| match lower {
            true => Task::Lower,
            false if parsed.allow_unregistered => Task::ReadGeneric,
            false => Task::Read,
        });
        let imported = task.map(|t| import(&parsed.input, &bytes, t));
        let (name, bytes) = match imported {
            None => (name, bytes),
            // Places in it are those of the input; the text itself is nobody's file.
            Some(Ok(text)) => ("imported", text.into_bytes()),
            Some(Err(e)) => {
                self.out.code = 1;
                self.out.stderr = e;
                return self.out;
            }
        };
        let file = match SourceFile::from_bytes(name, bytes) {
            Ok(f) => std::sync::Arc::new(f),
            Err(e) => {
                self.out.code = 1;
                self.out.stderr = format!("{name}:{e}\n");
                return self.out;
            }
        };
        self.process(&parsed, &file, &mut pipeline);
        self.out
            .stderr
            .push_str(&pipeline.reports(&parsed, &self.phases, start.elapsed()));
        if let Some(path) = parsed.output.as_deref().filter(|p| *p != "-")
            && self.out.code == 0
        {
            let text = std::mem::take(&mut self.out.stdout);
            if let Err(e) = write_atomically(path.as_ref(), &text) {
                self.out.code = 1;
                self.out
                    .stderr
                    .push_str(&format!("cannot open output file '{path}': {e}\n"));
            }
        }
        self.out
    }

    fn process(
        &mut self,
        a: &OptArgs,
        file: &std::sync::Arc<SourceFile>,
        pipeline: &mut OptPipeline,
    ) {
        let mut sources = SourceMap::new();
        sources.add(file.clone());
        for f in &self.inputs {
            sources.add(f.clone());
        }
        let whole = 0..file.text().len();
        let split = a.split.as_ref().map(|m| split_input(file, m));
        let mut verifier = a.verify_diagnostics.map(|only| {
            let level = if only {
                VerifyLevel::OnlyExpected
            } else {
                VerifyLevel::All
            };
            DiagnosticVerifier::new(file, &sources, level)
        });
        let limit = a.error_limit.unwrap_or(20);
        let mut sink = Diagnostics::with_limit(if verifier.is_some() { 0 } else { limit });
        let ranges: Vec<(std::ops::Range<usize>, u32)> = match &split {
            Some(s) => s
                .chunks
                .iter()
                .map(|c| (c.range.clone(), c.first_line))
                .collect(),
            None => vec![(whole, 1)],
        };
        if let Some(s) = &split {
            for w in &s.warnings {
                sink.emit(w.clone());
            }
        }
        let between = a.output_split.clone().unwrap_or_else(|| match a.split {
            Some(_) => DEFAULT_SPLIT_MARKER.to_string(),
            None => String::new(),
        });
        let mut failed = false;
        for (i, (range, first_line)) in ranges.into_iter().enumerate() {
            if i > 0 {
                self.out.stdout.push_str(&between);
                self.out.stdout.push('\n');
            }
            let source = Source {
                file_name: file.name(),
                text: &file.text()[range],
                first_line,
            };
            let (diagnostics, ok) = self.chunk(a, &source, pipeline);
            failed |= !ok;
            for d in diagnostics {
                match &mut verifier {
                    Some(v) => v.process(&d),
                    None => {
                        sink.emit(d);
                    }
                }
            }
        }
        if let Some(v) = verifier {
            let reports = v.finish();
            self.out.code = i32::from(!reports.is_empty());
            self.render(&sources, &reports);
            return;
        }
        self.out.code = i32::from(failed);
        self.render(&sources, &sink.take());
    }

    fn render(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        let text = Renderer::new(sources).render_all(diagnostics);
        self.out.stderr.push_str(&text);
    }

    /// One part of the input: parse, verify, run, print.
    fn chunk(
        &mut self,
        a: &OptArgs,
        source: &Source,
        pipeline: &mut OptPipeline,
    ) -> (Vec<Diagnostic>, bool) {
        let mut ctx = self.tool.context(a);
        // For messages and schedules; printed locations stay as upstream's.
        ctx.config.keep_names = !a.debug_info && !a.names_from_locations && !pipeline.is_empty();
        for f in &self.inputs {
            ctx.set_input_file(f.name(), f.text());
        }
        let ok = self.chunk_in(a, source, pipeline, &mut ctx);
        let diagnostics = ctx.take_diagnostics();
        let no_errors = !diagnostics.iter().any(|d| d.severity == Severity::Error);
        (diagnostics, ok && no_errors)
    }

    fn chunk_in(
        &mut self,
        a: &OptArgs,
        source: &Source,
        pipeline: &mut OptPipeline,
        ctx: &mut Context,
    ) -> bool {
        let start = Instant::now();
        let module = parse(ctx, source);
        self.phases.parse += start.elapsed();
        let Some(module) = module else { return false };
        let start = Instant::now();
        let valid = verify::verify(ctx, module);
        self.phases.verify += start.elapsed();
        if valid && a.verify_roundtrip && !roundtrip::verify(self.tool, a, ctx, module) {
            return false;
        }
        if !valid || !pipeline.run(ctx, module, &mut self.out.stderr) {
            return false;
        }
        let start = Instant::now();
        let text = print(ctx, module, &print_options(a));
        self.phases.print += start.elapsed();
        if self.out.stdout.is_empty() {
            self.out.stdout = text;
        } else {
            self.out.stdout.push_str(&text);
        }
        true
    }

    fn fail_usage(&mut self, message: &str) {
        let Tool { name, passes, .. } = self.tool;
        self.out.code = 1;
        let mut m = format!("{name}: {message}");
        if let Some(flag) = message.strip_prefix("Unknown command line argument '") {
            m.push_str(&format!(".  Try: '{name} --help'"));
            let flag = flag.trim_end_matches('\'').split('=').next().unwrap_or("");
            let passes = passes.passes().map(|p| p.name);
            let names = args::FLAGS.iter().map(|f| f.name).chain(passes);
            if let Some(c) = args::closest(flag, names) {
                m.push_str(&format!("\n{name}: Did you mean '--{c}'?"));
            }
        }
        m.push('\n');
        self.out.stderr = m;
    }

    fn show_dialects(&mut self) {
        let mut names: Vec<&str> = self.tool.dialects.iter().map(|d| d.name).collect();
        names.sort_unstable();
        self.out.stdout = format!("Available Dialects: {}\n", names.join(","));
    }

    fn help(&mut self) {
        let Tool { name, passes, .. } = self.tool;
        let s = &mut self.out.stdout;
        s.push_str(&format!(
            "{name}: read MLIR text, run passes over it, print it\n\n\
             USAGE: {name} [options] <input file>\n\nOPTIONS:\n"
        ));
        for f in FLAGS {
            let dashes = if f.name.len() == 1 { "-" } else { "--" };
            let value = match f.value {
                "" => String::new(),
                // What stands in brackets itself may be left out.
                v if v.starts_with('[') => v.to_string(),
                v => format!("=<{v}>"),
            };
            let left = format!("{dashes}{}{value}", f.name);
            s.push_str(&help_line(2, &left, f.doc, f.default));
        }
        s.push_str("\nPASSES, each a flag of its own, --pass or --pass=\"option=value ...\":\n");
        s.push_str(&pass_list(passes));
    }
}

/// The text of a module that upstream's parser reads.
fn import(path: &str, bytes: &[u8], task: Task<'_>) -> Result<String, String> {
    let input = match path {
        "-" => Input::Bytes(bytes),
        path => Input::File(path),
    };
    let made = Bridge::find().and_then(|b| b.text(input, task));
    made.map_err(|m| {
        let error = if m.contains("error: ") { "" } else { "error: " };
        format!("{error}{m}\n")
    })
}

/// What stands on the left of the help, what it does, and the default in brackets.
fn help_line(indent: usize, left: &str, doc: &str, default: &str) -> String {
    let width = 48 - indent;
    let default = match default {
        "" => String::new(),
        d => format!(" [default: {d}]"),
    };
    format!("{:indent$}{left:<width$} {doc}{default}\n", "")
}

/// A line for each pass and each of its options.
fn pass_list(registry: &PassRegistry) -> String {
    let mut s = String::new();
    for p in registry.passes() {
        s.push_str(&format!("  --{:<44} {}\n", p.name, p.summary));
        for o in p.options {
            let left = format!("{}=<{}>", o.name, o.kind.values());
            s.push_str(&help_line(6, &left, o.doc, o.default));
        }
    }
    for p in registry.pipelines() {
        s.push_str(&format!("  --{:<44} {}\n", p.name, p.summary));
    }
    s
}

fn print_options(a: &OptArgs) -> PrintOptions {
    PrintOptions {
        generic: a.generic,
        debug_info: a.debug_info,
        local_scope: a.local_scope,
        elide_elements_over: a.elide_over,
        skip_regions: a.skip_regions,
        names_from_locations: a.names_from_locations,
    }
}

pub(crate) fn read_input(path: &str, stdin: &mut (dyn Read + Send)) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let r = match path {
        "-" => stdin.read_to_end(&mut bytes).map(|_| ()),
        _ => std::fs::File::open(path)
            .and_then(|mut f| f.read_to_end(&mut bytes))
            .map(|_| ()),
    };
    r.map(|()| bytes).map_err(|e| {
        let text = e.to_string();
        let text = text.split(" (os error").next().unwrap_or("").to_string();
        format!("cannot open input file '{path}': {text}\n")
    })
}
