//! What somebody wants to know of the cost of kernels, and the sizes that this takes.

use crate::passes::gpu::model::Model;
use crate::passes::region::cost::note::KernelCost;
use crate::passes::region::notes::KernelNote;
use crate::run::formula::evaluate;
use crate::targets::machine::{Machine, by_name};
use std::collections::BTreeMap;
use terrace_c::hir::Unit;
use terrace_c::region::Region;
use terrace_c::types::{Extent, Type};

/// The question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostRequest {
    /// Descriptions to take in place of built-in ones, one of an architecture.
    pub machines: Vec<Machine>,
    /// What predicts the costs.
    pub model: Model,
    /// Values of variables (`n`) and of dimensions (`m.1`).
    pub sizes: Vec<(String, i64)>,
}

impl CostRequest {
    /// The machine of an architecture that code is made for.
    ///
    /// # Errors
    ///
    /// One that is not known.
    pub(crate) fn machine(&self, arch: &str) -> Result<Machine, String> {
        let built_in = by_name(arch)?;
        let mut given = self.machines.iter();
        let given = given.find(|m| m.arch.sm == built_in.arch.sm);
        Ok(*given.unwrap_or(built_in))
    }
}

/// The dimensions of a region's arrays, as `m.1`, whose sizes are expressions.
fn dimensions(unit: &Unit, region: &Region) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for c in region.captures.iter().filter(|c| c.array().is_some()) {
        let mut sizes: Vec<Option<&Extent>> = Vec::new();
        let mut ty = &c.ty;
        loop {
            ty = match ty {
                Type::Pointer(p) if sizes.is_empty() => {
                    sizes.push(p.declared.as_ref());
                    &p.to
                }
                Type::Array(a) => {
                    sizes.push(Some(&a.len));
                    &a.of
                }
                _ => break,
            };
        }
        for (d, size) in sizes.into_iter().enumerate() {
            if let Some(Extent::Expr(e)) = size {
                let text = unit.text(e.span).trim().to_string();
                out.push((format!("{}.{d}", c.text), text));
            }
        }
    }
    out
}

/// `sizes` with those of the dimensions of a region's arrays that follow from them.
pub(crate) fn with_dimensions(
    unit: &Unit,
    region: &Region,
    sizes: &[(String, i64)],
) -> Vec<(String, i64)> {
    let names: BTreeMap<String, f64> = (sizes.iter())
        .map(|(name, n)| (name.clone(), *n as f64))
        .collect();
    let mut out = Vec::new();
    for (dimension, text) in dimensions(unit, region) {
        if let Ok(n) = evaluate(&text, &names)
            && n.fract() == 0.0
            && (0.0..1e15).contains(&n)
        {
            out.push((dimension, n as i64));
        }
    }
    // What was said counts.
    out.extend_from_slice(sizes);
    out
}

/// Lets kernels want the variables from which dimensions follow.
pub(crate) fn in_variables(unit: &Unit, region: &Region, kernels: &mut [KernelNote]) {
    let known = dimensions(unit, region);
    for k in kernels {
        let KernelCost::Wants(wants) = &mut k.cost else {
            continue;
        };
        let mut all: Vec<String> = Vec::new();
        for w in std::mem::take(wants) {
            let of = known.iter().find(|(d, _)| *d == w);
            let names = match of {
                Some((_, text)) => variables(text),
                None => vec![w],
            };
            for n in names {
                if !all.contains(&n) {
                    all.push(n);
                }
            }
        }
        *wants = all;
    }
}

/// The names in an expression.
fn variables(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_name = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    words.filter(is_name).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_expressions() {
        assert_eq!(variables("n"), ["n"]);
        assert_eq!(variables("2*(n_0 + 3) - m"), ["n_0", "m"]);
    }

    #[test]
    fn a_given_description_stands_for_the_built_in_one() {
        let mut m = *by_name("sm_80").unwrap();
        m.sms = 7;
        let request = CostRequest {
            machines: vec![m],
            ..CostRequest::default()
        };
        assert_eq!(request.machine("sm_80").map(|m| m.sms), Ok(7));
        assert_eq!(request.machine("sm_90").map(|m| m.sms), Ok(132));
        assert!(request.machine("sm_1").is_err());
    }
}
