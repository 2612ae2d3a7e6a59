//! `terrace cache`.

use terrace::cache::{Action, cache};
use terrace::opt::Outcome;

/// Exit codes: 0 ok, 1 the cache cannot be read or changed.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<What>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Show what is in it: size, architecture, kernels, age, last use
    List,
    /// Remove all entries
    Clear,
    /// Print where it is
    Path,
}

pub fn main(a: Args) -> Outcome {
    cache(match a.action {
        None | Some(What::List) => Action::List,
        Some(What::Clear) => Action::Clear,
        Some(What::Path) => Action::Path,
    })
}
