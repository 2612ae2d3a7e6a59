//! The call graph of a unit.

use std::collections::BTreeMap;

use terrace_c::hir::{ExprKind, Function, Unit};

use super::Graph;
use crate::c::visit;

/// Functions that are defined in the file and those they call. What is only declared is
/// dashed. An arrow says how often it is called, if more than once.
pub fn calls(unit: &Unit, file: &str) -> Graph {
    let mut graph = Graph::new(format!("calls in {file}"));
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    let in_file = |f: &&Function| unit.source.is_main(f.span.start as usize);
    for f in unit.functions.iter().filter(in_file) {
        let line = unit.source.locate(f.name_span.start as usize).line;
        let node = graph.node(vec![f.name.clone(), format!("line {line}")], false);
        index.insert(&f.name, node);
    }
    for f in unit.functions.iter().filter(in_file) {
        let mut called: BTreeMap<&str, usize> = BTreeMap::new();
        visit::expressions(&f.body, |e| match &e.kind {
            ExprKind::Call { function, .. } => *called.entry(function).or_default() += 1,
            // Its address: it may be called.
            ExprKind::Function(name) => {
                called.entry(name).or_default();
            }
            _ => {}
        });
        for (name, times) in called {
            let to = *index
                .entry(name)
                .or_insert_with(|| graph.node(vec![name.to_string()], true));
            let label = match times {
                0 => "address taken".to_string(),
                1 => String::new(),
                n => format!("{n} calls"),
            };
            graph.edge(index[f.name.as_str()], to, &label);
        }
    }
    graph
}
