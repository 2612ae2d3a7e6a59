//! Options about the cost model.

use terrace::run::options::{MachineChoice, Model, RunOptions};

#[derive(clap::Args)]
#[command(next_help_heading = "Cost model")]
pub struct ModelFlags {
    /// A description of the machine, as calibrate writes it, or built-in; by default the one
    /// that calibrate kept, if there is one
    #[arg(long, value_name = "FILE")]
    machine: Option<String>,
    /// What mappings are compared by: exact (times, from the addresses of threads) or table
    /// (cache lines, from classes of coefficients)
    #[arg(long, value_name = "MODEL", value_parser = Model::parse)]
    cost_model: Option<Model>,
}

impl ModelFlags {
    pub fn machine(&self) -> MachineChoice {
        MachineChoice::parse(self.machine.as_deref())
    }

    pub fn model(&self) -> Model {
        self.cost_model.unwrap_or_default()
    }

    /// Puts what is asked for into the options of a run.
    pub fn tell(&self, options: &mut RunOptions) {
        options.machine = self.machine();
        options.cost_model = self.cost_model;
    }
}
