//! Points of integer sets in the words of the program.

use super::units::{Unit, array};
use crate::analysis::dependence::{Param, Params};
use terrace_ir::Context;
use terrace_presburger::Int;

/// The names of parameters, by number; those without a name are not spoken of.
#[derive(Default)]
pub(super) struct Words(Vec<Option<String>>);

impl Words {
    /// Learns the names of the parameters that were added. A step may take away the ops
    /// that gave the others, so they are to be learnt before it.
    pub(super) fn learn(&mut self, ctx: &Context, params: &Params) {
        let name = |p: &Param| match p {
            Param::Value(v) => v.loc(ctx).name(ctx).map(str::to_string),
            Param::Size(m, i) => Some(format!("size {i} of {}", array(ctx, *m))),
            _ => None,
        };
        let new = params.list().iter().skip(self.0.len());
        self.0.extend(new.map(name));
    }

    /// How many parameters there are.
    pub(super) fn params(&self) -> usize {
        self.0.len()
    }

    /// `(i = 1, j = 2)`: the old iteration of a unit that begins in column `at` of a
    /// point.
    pub(super) fn iteration(&self, unit: &Unit, point: &[Int], at: usize) -> String {
        let values = point.get(at..).unwrap_or_default();
        let parts = unit
            .names
            .iter()
            .zip(values)
            .map(|(n, v)| format!("{n} = {v}"));
        format!("({})", parts.collect::<Vec<_>>().join(", "))
    }

    /// `, with n = 4`: the parameters of a point; nothing where none has a name.
    pub(super) fn given(&self, point: &[Int]) -> String {
        let named = self.0.iter().zip(point);
        let parts: Vec<String> = named
            .filter_map(|(n, v)| Some(format!("{} = {v}", n.as_ref()?)))
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!(", with {}", parts.join(", "))
        }
    }
}
