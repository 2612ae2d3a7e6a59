//! `terrace completions`.

use super::commands::Tool;
use clap_complete::Shell;
use terrace::opt::Outcome;

/// Exit codes: 0 ok, 2 the command line is wrong.
#[derive(clap::Args)]
#[command(after_help = "bash reads it by: source <(terrace completions bash)")]
pub struct Args {
    /// The shell
    shell: Shell,
    /// The tool
    #[arg(default_value = "terrace")]
    tool: Tool,
}

pub fn main(a: Args) -> Outcome {
    let mut command = a.tool.command();
    let name = command.get_name().to_string();
    let mut script = Vec::new();
    clap_complete::generate(a.shell, &mut command, name, &mut script);
    Outcome {
        stdout: String::from_utf8_lossy(&script).into_owned(),
        ..Outcome::default()
    }
}
