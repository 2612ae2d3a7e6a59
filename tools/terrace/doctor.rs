//! `terrace doctor`.

use terrace::doctor::{Form, doctor};
use terrace::opt::Outcome;

/// Exit codes: as its help says.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 what is there works, though things may lack; 1 something is there, \
                        or was asked for, and does not work."
)]
pub struct Args {
    /// Print JSON: version, and findings with name, state (found, lacking or wrong), found and cost
    #[arg(long)]
    json: bool,
}

pub fn main(a: Args) -> Outcome {
    let form = if a.json { Form::Json } else { Form::Text };
    doctor(super::cc::runtime().as_ref(), form)
}
