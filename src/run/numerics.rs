//! How exactly GPU code computes with floats, as command lines say it.

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
    /// # Errors
    ///
    /// What the words are.
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

/// What may be less exact than IEEE 754 and the libraries' functions. Each is about
/// GPU code only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numerics {
    pub contract: Contract,
    /// Functions on `f32` may be the machine's approximations.
    pub functions: bool,
    /// So may division.
    pub division: bool,
    /// So may the square root.
    pub sqrt: bool,
    /// Subnormal singles are zero.
    pub flush: bool,
}

impl Numerics {
    /// All of it, as nvcc's `-use_fast_math`.
    pub const FAST: Numerics = Numerics {
        contract: Contract::Fast,
        functions: true,
        division: true,
        sqrt: true,
        flush: true,
    };

    /// Whether results may be off by more than the order of operations explains.
    pub fn approximates(&self) -> bool {
        self.functions || self.division || self.sqrt || self.flush
    }

    /// The pass that puts what is allowed into the program; none if nothing is.
    pub fn pass(&self) -> Option<String> {
        let words = [
            ("contract", self.contract == Contract::Fast),
            ("functions", self.functions),
            ("division", self.division),
            ("sqrt", self.sqrt),
        ];
        let on: Vec<String> = (words.iter())
            .filter(|w| w.1)
            .map(|w| format!("{}=true", w.0))
            .collect();
        (!on.is_empty()).then(|| format!("arith-set-fastmath{{{}}}", on.join(" ")))
    }

    /// What the code generator must know.
    pub fn tell(&self, options: &mut GpuOptions) {
        options.contract = self.contract != Contract::Off;
        options.flush = self.flush;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_not_allowed() {
        assert_eq!(Numerics::default().pass(), None);
        let fast = Numerics {
            contract: Contract::Fast,
            ..Numerics::default()
        };
        assert_eq!(
            fast.pass().as_deref(),
            Some("arith-set-fastmath{contract=true}")
        );
        assert!(!fast.approximates() && Numerics::FAST.approximates());
        assert!(Contract::parse("sometimes").is_err());
    }
}
