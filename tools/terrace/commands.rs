//! The command lines of all our tools, described in one way: the manual and the completions are made of them.
//!
//! `terrace` and `terrace-reduce` are read by these descriptions too. `terrace-opt` keeps mlir-opt's habits, and
//! its description is made of its own table of flags and of the passes.

use clap::{Arg, ArgAction, Command, CommandFactory, ValueHint};
use terrace::opt::{FLAGS, Tool as Opt};

#[path = "../terrace-reduce/args.rs"]
mod reduce;
#[path = "../terrace-lsp/usage.rs"]
mod usage;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum Tool {
    Terrace,
    TerraceOpt,
    TerraceReduce,
    TerraceLsp,
}

pub const TOOLS: [Tool; 4] = [
    Tool::Terrace,
    Tool::TerraceOpt,
    Tool::TerraceReduce,
    Tool::TerraceLsp,
];

impl Tool {
    /// Its command line.
    pub fn command(self) -> Command {
        match self {
            Tool::Terrace => super::Cli::command(),
            Tool::TerraceOpt => opt(),
            Tool::TerraceReduce => reduce::Args::command(),
            Tool::TerraceLsp => lsp(),
        }
    }
}

/// A flag of `terrace-opt`.
fn flag(name: &'static str, doc: String) -> Arg {
    let arg = Arg::new(name).help(doc);
    match name.chars().next() {
        Some(short) if name.len() == 1 => arg.short(short),
        _ => arg.long(name),
    }
}

fn opt() -> Command {
    let tool = Opt::new("terrace-opt");
    let mut command = Command::new(tool.name)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Read MLIR text, run passes over it, print it")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(
            Arg::new("input")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("The module; - for standard input"),
        );
    for f in FLAGS {
        let doc = match f.default {
            "" => f.doc.to_string(),
            d => format!("{} [default: {d}]", f.doc),
        };
        let arg = flag(f.name, doc);
        command = command.arg(match f.value {
            "" => arg.action(ArgAction::SetTrue),
            v => match v.strip_prefix("[=") {
                Some(v) => arg
                    .value_name(v.trim_end_matches(']'))
                    .num_args(0..=1)
                    .require_equals(true),
                None => arg.value_name(v).value_hint(match v {
                    "file" => ValueHint::FilePath,
                    "folder" => ValueHint::DirPath,
                    _ => ValueHint::Other,
                }),
            },
        });
    }
    let passes = tool.passes.passes().map(|p| (p.name, p.summary));
    let pipelines = tool.passes.pipelines().map(|p| (p.name, p.summary));
    for (name, summary) in passes.chain(pipelines) {
        command = command.arg(
            flag(name, summary.to_string())
                .value_name("OPTIONS")
                .num_args(0..=1)
                .require_equals(true)
                .help_heading("Passes"),
        );
    }
    command
}

fn lsp() -> Command {
    let (about, more) = usage::USAGE
        .split_once("\n\n")
        .unwrap_or((usage::USAGE, ""));
    let (_, about) = about.split_once(": ").unwrap_or(("", about));
    Command::new("terrace-lsp")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .after_help(more.trim())
        .arg(
            Arg::new("stdio")
                .long("stdio")
                .action(ArgAction::SetTrue)
                .help("Nothing: standard input and output are all there is"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_descriptions_hold_together() {
        for tool in TOOLS {
            // What `debug_assert` of clap finds is a panic.
            tool.command().debug_assert();
        }
    }
}
