//! `terrace explain`.

use crate::model::ModelFlags;
use crate::run;
use terrace::explain::command::{ExplainOptions, Format, GraphKind, explain};
use terrace::opt::Outcome;

/// Exit codes: 0 ok, 1 something is wrong with the file, 2 the command line is wrong.
#[derive(clap::Args)]
pub struct Args {
    /// A C file; .i if it is preprocessed already
    file: String,
    /// How to show it: text, json or html; dot or svg for graphs
    #[arg(long, value_parser = Format::parse)]
    format: Option<Format>,
    /// Show a graph instead: deps (what depends on what), calls or cfg (control flow)
    #[arg(long, value_name = "KIND", value_parser = GraphKind::parse)]
    graph: Option<GraphKind>,
    /// The function whose graph is shown; all by default
    #[arg(long, value_name = "NAME", requires = "graph")]
    function: Option<String>,
    /// Look for regions outside directives too
    #[arg(long)]
    auto: bool,
    /// The GPU architectures that are explained for
    #[arg(
        long = "target-arch",
        visible_alias = "arch",
        value_name = "sm_NN,...",
        default_value = "sm_90"
    )]
    arch: String,
    /// The value of a variable, or of a dimension of an array as m.1, for the cost of kernels
    #[arg(long = "size", value_name = "NAME=N", value_parser = size)]
    sizes: Vec<(String, i64)>,
    #[command(flatten)]
    model: ModelFlags,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// For the preprocessor, behind --: -Iinclude -DN=100
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

fn size(s: &str) -> Result<(String, i64), String> {
    let (name, n) = run::size(s)?;
    let n = i64::try_from(n).map_err(|_| format!("found `{n}` as a size, which is too large"))?;
    Ok((name, n))
}

pub fn main(a: Args) -> Outcome {
    let outcome = explain(&ExplainOptions {
        file: a.file,
        format: a.format,
        graph: a.graph,
        function: a.function,
        flags: a.flags,
        arch: a.arch,
        auto: a.auto,
        short: false,
        sizes: a.sizes,
        machine: a.model.machine(),
        model: a.model.model(),
    });
    match a.output {
        Some(path) => outcome.redirect(&path),
        None => outcome,
    }
}
