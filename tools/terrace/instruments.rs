//! Options about what is shown of passes.

use terrace::instruments::InstrumentOptions;
use terrace::run::options::{Instruments, RunOptions};

#[derive(clap::Args)]
#[command(next_help_heading = "Passes")]
pub struct InstrumentFlags {
    /// Print the IR on standard error after these passes; terrace-opt --list-passes lists all
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass_name)]
    print_ir_after: Vec<String>,
    /// Print the IR on standard error before these passes
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass_name)]
    print_ir_before: Vec<String>,
    /// Print the IR on standard error after every pass
    #[arg(long)]
    print_ir_after_all: bool,
    /// Print the IR on standard error before every pass
    #[arg(long)]
    print_ir_before_all: bool,
    /// Report the time of each pass on standard error
    #[arg(long)]
    timing: bool,
    /// Leave these passes out, to see what a program becomes without them
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass_name)]
    without_pass: Vec<String>,
}

impl InstrumentFlags {
    /// Puts what is asked for into the options of a run.
    pub fn tell(self, options: &mut RunOptions) {
        options.instruments = Instruments::new(InstrumentOptions {
            before: self.print_ir_before,
            after: self.print_ir_after,
            before_all: self.print_ir_before_all,
            after_all: self.print_ir_after_all,
            timing: self.timing,
            left_out: self.without_pass,
            ..InstrumentOptions::default()
        });
    }
}

/// A pass of terrace.
fn pass_name(name: &str) -> Result<String, String> {
    terrace::instruments::pass_name(terrace::pass_registry(), name)
}
