//! The command line of `terrace-reduce`. `terrace` makes its manual and completions.

use clap::Parser;
use std::time::Duration;

/// Make an MLIR module smaller, as long as a command says yes to it.
///
/// The command is a line for the shell. The path of a module stands in it wherever it says
/// `{}`, or at its end where it does not. Exit status 0 says yes, that what is looked for
/// is still there; anything else says no. What the command prints goes nowhere.
///
///     terrace-reduce big.mlir --test "terrace-opt -cse {} 2>&1 | grep 'does not dominate'"
///
/// Every module that the command sees parses and verifies. The result is the same however
/// many jobs there are, if the command always says the same of one module.
#[derive(Parser)]
#[command(
    name = "terrace-reduce",
    version,
    max_term_width = 100,
    verbatim_doc_comment
)]
pub struct Args {
    /// The module; - for standard input
    pub file: String,
    /// The command that says whether a module still shows what is looked for
    #[arg(long, value_name = "CMD")]
    pub test: String,
    /// Where the smallest module goes, also while it is looked for; else to standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<String>,
    /// How many commands run at a time; as many as there are cores by default
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<usize>,
    /// How long one command may take: then it is ended, and has said no
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Stop after as many commands, with what there is
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_tests: Option<usize>,
    /// A line on standard error whenever the module has become smaller
    #[arg(long)]
    pub progress: bool,
    /// Accept operations of dialects that are not registered
    #[arg(long)]
    pub allow_unregistered_dialect: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_string()),
        Ok(n) => Ok(n),
        Err(_) => Err("must be a whole number".to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|s| *s > 0.0);
    number
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "must be a number of seconds above 0".to_string())
}
