//! How exactly GPU code computes with floats, as command lines say it.

use crate::passes::pipeline::{Algebra, FastMath};
use crate::targets::gpu_to_ptx::GpuOptions;

/// Whether a product and a sum may be rounded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contract {
    /// Never.
    Off,
    /// Where the flags of both ops say so.
    #[default]
    On,
    /// Everywhere.
    Fast,
}

impl Contract {
    /// From the command line.
    ///
    /// # Errors
    ///
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<Contract, String> {
        match s {
            "off" => Ok(Contract::Off),
            // Clang's third spelling: on, unless a pragma says otherwise.
            "on" | "fast-honor-pragmas" => Ok(Contract::On),
            "fast" => Ok(Contract::Fast),
            _ => Err(format!("found `{s}`, expected off, on or fast")),
        }
    }
}

/// What may be less exact than IEEE 754 and the libraries' functions. Each but the algebra is
/// about GPU code only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numerics {
    /// Whether a product and a sum may be rounded once.
    pub contract: Contract,
    /// Functions on `f32` may be the machine's approximations.
    pub functions: bool,
    /// So may division.
    pub division: bool,
    /// So may the square root.
    pub sqrt: bool,
    /// Subnormal singles are zero.
    pub flush: bool,
    /// Factors of matrix products of `f32` may be rounded to `tf32`. Fast math is not
    /// enough: it keeps most of a single's digits, this a third of them.
    pub tf32: bool,
    /// Sums of matrix products may be computed in any order. Fast math is not enough: it says
    /// how exactly single operations are done, as nvcc's.
    pub reassociate: bool,
    /// What may be done to sums and products as a whole; of code for cores too.
    pub algebra: Algebra,
}

impl Numerics {
    /// As nvcc's `-use_fast_math`.
    pub const FAST: Numerics = Numerics {
        contract: Contract::Fast,
        functions: true,
        division: true,
        sqrt: true,
        flush: true,
        tf32: false,
        reassociate: false,
        algebra: Algebra::AS_WRITTEN,
    };

    /// Whether results may be off by more than the order of operations explains.
    pub(crate) fn approximates(&self) -> bool {
        self.functions || self.division || self.sqrt || self.flush || self.tf32
    }

    /// What operations are marked with.
    pub(crate) fn fast_math(&self) -> FastMath {
        FastMath {
            contract: self.contract == Contract::Fast,
            functions: self.functions,
            division: self.division,
            sqrt: self.sqrt,
        }
    }

    /// What the code generator must know.
    pub(crate) fn tell(&self, options: &mut GpuOptions) {
        options.contract = self.contract != Contract::Off;
        options.flush = self.flush;
    }
}

/// The bits of index arithmetic in kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexBits {
    /// 32 bits. Every launch checks that sizes, strides and indices fit.
    Narrow,
    /// 64 bits.
    #[default]
    Wide,
}

impl IndexBits {
    /// From the command line: `32` or `64`.
    ///
    /// # Errors
    ///
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<IndexBits, String> {
        match s {
            "32" => Ok(IndexBits::Narrow),
            "64" => Ok(IndexBits::Wide),
            _ => Err(format!("found `{s}`, expected 32 or 64")),
        }
    }

    /// How many bits these are: 32 or 64.
    pub fn number(self) -> u32 {
        match self {
            IndexBits::Narrow => 32,
            IndexBits::Wide => 64,
        }
    }
}

/// Words of command lines about floats and indices in GPU code, in the order in which they
/// stand: the last one that speaks of a thing counts.
impl Numerics {
    /// Take one of nvcc's options: `--use_fast_math`, `--fmad=false`, `--ftz=true`,
    /// `--prec-div=false`, `--prec-sqrt=false`, and `--fp-contract=fast`, `--approx-func`,
    /// `--allow-tf32`.
    /// False for another word.
    ///
    /// # Errors
    ///
    /// What is wrong with the value.
    pub(crate) fn take(&mut self, name: &str, value: Option<&str>) -> Result<bool, String> {
        let said = |e| format!("{name}: {e}");
        let given = value.unwrap_or_default();
        match (name, value) {
            ("--use-fast-math" | "--use_fast_math" | "-use_fast_math", None) => {
                *self = Numerics::FAST;
            }
            ("--approx-func", None) => self.functions = true,
            ("--allow-tf32", None) => self.tf32 = true,
            ("--fp-contract", _) => self.contract = Contract::parse(given).map_err(said)?,
            ("--fmad", _) => {
                self.contract = match boolean(given).map_err(said)? {
                    true => Contract::Fast,
                    false => Contract::Off,
                };
            }
            ("--ftz", _) => self.flush = boolean(given).map_err(said)?,
            ("--prec-div", _) => self.division = !boolean(given).map_err(said)?,
            ("--prec-sqrt", _) => self.sqrt = !boolean(given).map_err(said)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn boolean(s: &str) -> Result<bool, String> {
    s.parse()
        .map_err(|_| format!("found `{s}`, expected true or false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_not_allowed() {
        assert_eq!(Numerics::default().fast_math(), FastMath::default());
        let fast = Numerics {
            contract: Contract::Fast,
            ..Numerics::default()
        };
        let contract = FastMath {
            contract: true,
            ..FastMath::default()
        };
        assert_eq!(fast.fast_math(), contract);
        assert!(!fast.approximates() && Numerics::FAST.approximates());
        assert!(Contract::parse("sometimes").is_err());
    }

    #[test]
    fn words_of_command_lines() {
        let taken = |words: &[&str]| -> Result<Numerics, String> {
            let mut n = Numerics::default();
            for w in words {
                let (name, value) = match w.split_once('=') {
                    Some((n, v)) => (n, Some(v)),
                    None => (*w, None),
                };
                assert!(n.take(name, value)?, "{w}");
            }
            Ok(n)
        };
        assert_eq!(taken(&["--use_fast_math"]), Ok(Numerics::FAST));
        let exact = taken(&["--use-fast-math", "--prec-div=true", "--ftz=false"]).unwrap();
        assert!(!exact.division && !exact.flush && exact.sqrt && exact.functions);
        let rounded = taken(&["--allow-tf32", "--use-fast-math"]).unwrap();
        assert!(!rounded.tf32, "fast math is said last, and is without it");
        let rounded = taken(&["--use-fast-math", "--allow-tf32"]).unwrap();
        assert!(rounded.tf32 && rounded.approximates() && rounded.division);
        assert_eq!(taken(&["--fmad=false"]).unwrap().contract, Contract::Off);
        for (word, what) in [
            (
                "--ftz=maybe",
                "--ftz: found `maybe`, expected true or false",
            ),
            ("--ftz", "--ftz: found ``, expected true or false"),
            (
                "--fp-contract=x",
                "--fp-contract: found `x`, expected off, on or fast",
            ),
        ] {
            assert_eq!(taken(&[word]).unwrap_err(), what);
        }
        assert_eq!(Numerics::default().take("-O2", None), Ok(false));
        assert!(IndexBits::parse("16").is_err());
    }
}
