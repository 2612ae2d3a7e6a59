//! Options about floats and indices in GPU code.

use terrace::passes::pipeline::Algebra;
use terrace::run::options::{Contract, IndexBits, Numerics, RunOptions};

#[derive(clap::Args)]
#[command(next_help_heading = "GPU code")]
pub struct GpuFlags {
    /// Round a product and a sum once: off, on (where the flags of both ops say so) or
    /// fast (everywhere)
    #[arg(long, value_name = "MODE", value_parser = Contract::parse)]
    fp_contract: Option<Contract>,
    /// All of --fp-contract=fast --approx-func --prec-div=false --prec-sqrt=false --ftz=true
    #[arg(long, visible_alias = "use_fast_math")]
    use_fast_math: bool,
    /// Approximate functions on f32
    #[arg(long)]
    approx_func: bool,
    /// Round divisions of f32 exactly
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
    prec_div: Option<bool>,
    /// Round square roots of f32 exactly
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
    prec_sqrt: Option<bool>,
    /// Take subnormal f32 numbers for zero
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
    ftz: Option<bool>,
    /// Round factors of matrix products of f32 to tf32 (11 significant bits), which the
    /// matrix units of sm_80 and later multiply
    #[arg(long)]
    allow_tf32: bool,
    /// Compute sums, products and quotients as any that are equal for real numbers, on the CPU too
    #[arg(long)]
    algebra: bool,
    /// Compute sums of matrix products in any order: those of few blocks and many products each
    /// in parts, which are added
    #[arg(long)]
    reassociate: bool,
    /// The bits of index arithmetic: 64, or 32 where sizes, strides and indices fit, which
    /// every launch checks
    #[arg(long, value_name = "BITS", default_value = "64", value_parser = IndexBits::parse)]
    index_bitwidth: IndexBits,
}

impl GpuFlags {
    /// Puts what is asked for into the options of a run.
    pub fn tell(&self, options: &mut RunOptions) {
        let mut n = match self.use_fast_math {
            true => Numerics::FAST,
            false => Numerics::default(),
        };
        n.contract = self.fp_contract.unwrap_or(n.contract);
        n.functions |= self.approx_func;
        n.division = self.prec_div.map_or(n.division, |exact| !exact);
        n.sqrt = self.prec_sqrt.map_or(n.sqrt, |exact| !exact);
        n.flush = self.ftz.unwrap_or(n.flush);
        n.tf32 = self.allow_tf32;
        n.reassociate = self.reassociate;
        if self.algebra {
            n.algebra = Algebra::REAL;
        }
        options.numerics = n;
        options.index_bitwidth = self.index_bitwidth.number();
    }
}
