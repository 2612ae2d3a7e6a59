//! `terrace explain` as a function.

use crate::dialects::func;
use std::ffi::OsString;

use terrace_c::hir::Unit;
use terrace_c::lower::{Options, lower_unit};
use terrace_c::read;
use terrace_c::region::Kept;

use super::graph::{Graph, calls, cfg, deps, dot, svg};
use super::{html, json, text};
use crate::c::archs::Archs;
use crate::c::costs::CostRequest;
use crate::c::driver::command_line::CommandLine;
use crate::c::driver::host::Host;
use crate::c::driver::translation::translation;
use crate::c::sources::render;
use crate::c::translate::{TranslateError, TranslateOptions, Translated, Unsaved, translate};
use crate::dialects;
use crate::ir::{Context, Op};
use crate::opt::Outcome;
use crate::run::options::{MachineChoice, Model};
use crate::targets::machine::Machine;

/// How an explanation is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    /// For a terminal: remarks under the lines of the source that they are about.
    Text,
    /// For other tools, by the schema in `docs/explain.md`.
    Json,
    /// A page of its own: the source, with remarks beside its lines.
    Html,
    /// Of graphs: Graphviz.
    Dot,
    /// Of graphs: a picture.
    Svg,
}

/// What a graph is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphKind {
    /// The accesses of each function and region, and the dependences between them.
    Deps,
    /// The functions of the file, and those that they call.
    Calls,
    /// The control flow of each function: its basic blocks, and the ways between them.
    Cfg,
}

impl Format {
    /// From the command line.
    ///
    /// # Errors
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<Format, String> {
        Ok(match s {
            "text" => Format::Text,
            "json" => Format::Json,
            "html" => Format::Html,
            "dot" => Format::Dot,
            "svg" => Format::Svg,
            _ => {
                return Err(format!(
                    "found `{s}`, expected text, json or html, or dot or svg for graphs"
                ));
            }
        })
    }

    fn is_for_graphs(self) -> bool {
        matches!(self, Format::Dot | Format::Svg)
    }
}

impl GraphKind {
    /// From the command line.
    ///
    /// # Errors
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<GraphKind, String> {
        Ok(match s {
            "deps" => GraphKind::Deps,
            "calls" => GraphKind::Calls,
            "cfg" => GraphKind::Cfg,
            _ => return Err(format!("found `{s}`, expected deps, calls or cfg")),
        })
    }
}

/// What to explain, and how.
#[derive(Debug, Clone, Default)]
pub struct ExplainOptions {
    /// A C file, or one that is preprocessed already if it ends in `.i`.
    pub file: String,
    /// Text, or dot of a graph, where it is not said.
    pub format: Option<Format>,
    /// The graph to draw in place of an explanation.
    pub graph: Option<GraphKind>,
    /// The function that a graph is of; all of the file if not said.
    pub function: Option<String>,
    /// For the preprocessor: `-I`, `-D`.
    pub flags: Vec<String>,
    /// The architectures that are explained for, as [`Archs::parse`] reads them.
    pub arch: String,
    /// Look for regions outside directives too.
    pub auto: bool,
    /// Among those also loops that are done before a region would have been called.
    pub short: bool,
    /// Values of variables (`n`) and of dimensions (`m.1`), for the cost model.
    pub sizes: Vec<(String, i64)>,
    /// The machine that the model tells times of.
    pub machine: MachineChoice,
    /// What predicts the times of kernels.
    pub model: Model,
}

/// Explains a file on standard output; warnings and errors go to standard error. The
/// code is 1 where something is wrong with the file.
pub fn explain(options: &ExplainOptions) -> Outcome {
    crate::with_stack(|| match run(options) {
        Ok(outcome) => outcome,
        Err(message) => Outcome {
            code: 1,
            stderr: message,
            ..Outcome::default()
        },
    })
}

fn run(options: &ExplainOptions) -> Result<Outcome, String> {
    let default = match options.graph {
        Some(_) => Format::Dot,
        None => Format::Text,
    };
    let format = options.format.unwrap_or(default);
    if format.is_for_graphs() != options.graph.is_some() {
        return Err(match options.graph {
            Some(_) => "a graph is shown as dot or svg\n".to_string(),
            None => "dot and svg show a graph; add --graph deps, calls or cfg\n".to_string(),
        });
    }
    let text = source_text(options)?;
    match options.graph {
        Some(kind) => graph(options, kind, format, text),
        None => notes(options, format, text),
    }
}

fn source_text(options: &ExplainOptions) -> Result<String, String> {
    let file = &options.file;
    if file.ends_with(".mlir") {
        return Err(format!(
            "{file}: error: found a file of MLIR text, expected a C file: `terrace explain` \
             says what becomes of C; `terrace compile {file} --emit mlir` shows what becomes of \
             this, and `terrace-opt {file} --affine-print-dependences` what its loops depend on\n"
        ));
    }
    if file.ends_with(".i") {
        return std::fs::read_to_string(file)
            .map_err(|e| format!("cannot open input file '{file}': {e}\n"));
    }
    let text = Host::find().preprocessed(file, &options.flags);
    text.map_err(|f| f.said())
}

fn notes(options: &ExplainOptions, format: Format, text: String) -> Result<Outcome, String> {
    let translated = explained(options, text, Unsaved::default()).map_err(|e| e.text)?;
    let Some(translated) = translated else {
        return Ok(Outcome::default());
    };
    let shown = translated.explanation.as_ref().map(|e| match format {
        Format::Json => json::json(e),
        Format::Html => html::html(e),
        _ => text::text(e),
    });
    Ok(Outcome {
        code: i32::from(translated.wrong),
        stdout: shown.unwrap_or_default(),
        stderr: translated.messages,
    })
}

/// What is found out of a file whose preprocessed text is given; `None` where it has nothing to explain.
///
/// # Errors
///
/// What is wrong with the file, or with what was asked.
pub(crate) fn explained(
    options: &ExplainOptions,
    text: String,
    unsaved: Unsaved,
) -> Result<Option<Translated>, TranslateError> {
    let asked = |text: String| TranslateError {
        language: false,
        text,
        diagnostics: Vec::new(),
    };
    let archs = Archs::parse(&options.arch).map_err(|m| asked(format!("--target-arch: {m}\n")))?;
    let costs = costs(options, &archs).map_err(|m| asked(format!("{m}\n")))?;
    let words: Vec<OsString> = options.flags.iter().map(OsString::from).collect();
    let command = CommandLine::parse(&words).unwrap_or_default();
    let wanted = TranslateOptions {
        archs,
        gpu: true,
        auto: options.auto,
        short: options.short,
        notes: false,
        explain: true,
        costs: Some(costs),
        unsaved,
        ..translation(&command, &options.file, &text)
    };
    translate(text, &wanted)
}

/// What is asked of the cost model. A description in a file is of one of the architectures.
fn costs(options: &ExplainOptions, archs: &Archs) -> Result<CostRequest, String> {
    let found: Vec<Result<Option<Machine>, String>> = (archs.names().iter())
        .map(|arch| options.machine.find(None, arch))
        .collect();
    let machines: Vec<Machine> = found.iter().flatten().flatten().copied().collect();
    let named = matches!(options.machine, MachineChoice::File(_)) && !machines.is_empty();
    let wrong = found.into_iter().find_map(Result::err);
    match wrong.filter(|_| !named) {
        Some(m) => Err(m),
        None => Ok(CostRequest {
            machines,
            model: options.model,
            sizes: options.sizes.clone(),
        }),
    }
}

fn graph(
    options: &ExplainOptions,
    kind: GraphKind,
    format: Format,
    text: String,
) -> Result<Outcome, String> {
    let (unit, said) = read(text).map_err(|e| render(&e.diagnostics))?;
    let mut messages = render(&said);
    let chosen = |name: &str| options.function.as_deref().is_none_or(|f| f == name);
    if let Some(f) = &options.function
        && unit.function(f).is_none()
    {
        return Err(format!(
            "{}: there is no function `{f}` with a body\n",
            options.file
        ));
    }
    let graphs: Vec<Graph> = match kind {
        GraphKind::Calls => vec![calls::calls(&unit, &options.file)],
        GraphKind::Cfg => unit
            .functions
            .iter()
            .filter(|f| unit.source.is_main(f.span.start as usize) && chosen(&f.name))
            .map(|f| cfg::cfg(&unit, f))
            .collect(),
        GraphKind::Deps => dependences(&unit, &chosen, &mut messages),
    };
    Ok(Outcome {
        stdout: match format {
            Format::Svg => svg::svg(&graphs),
            _ => dot::dot(&graphs),
        },
        stderr: messages,
        ..Outcome::default()
    })
}

/// The dependences of each function, and of each region apart from the function that
/// it is in.
fn dependences(unit: &Unit, chosen: &dyn Fn(&str) -> bool, messages: &mut String) -> Vec<Graph> {
    let mut ctx = dialects::context();
    let lowered = lower_unit(&mut ctx, unit, &Options::default());
    for k in &lowered.kept {
        messages.push_str(&stays(unit, k));
    }
    let mut graphs = Vec::new();
    for op in functions(&ctx, lowered.module) {
        let name = op.symbol_name(&ctx).unwrap_or_default();
        let of = name.split_once(".region").map_or(name, |(f, _)| f);
        let in_file = unit
            .function(of)
            .is_some_and(|f| unit.source.is_main(f.span.start as usize));
        if !in_file || !chosen(of) {
            continue;
        }
        let graph = deps::deps(&ctx, op);
        if !graph.nodes.is_empty() {
            graphs.push(graph);
        }
    }
    graphs
}

fn stays(unit: &Unit, k: &Kept) -> String {
    let place = unit.source.locate(k.span.start as usize);
    format!(
        "{}:{}:{}: note: '{}' has no graph: {}\n",
        place.file, place.line, place.column, k.function, k.reason
    )
}

/// Functions with a body, in the order of the module.
fn functions(ctx: &Context, module: Op) -> Vec<Op> {
    let mut found = Vec::new();
    module.walk(ctx, &mut |op| {
        let body = op.num_regions(ctx) > 0 && !op.region(ctx, 0).is_empty(ctx);
        if op.name(ctx) == func::FuncOp::NAME && body {
            found.push(op);
        }
    });
    found
}
