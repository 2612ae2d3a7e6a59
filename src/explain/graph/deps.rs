//! The dependence graph of a function: accesses, and what has to come before what.

use std::collections::BTreeMap;

use terrace_ir::{Context, Op};
use terrace_passes::analysis::dependence::{Carrier, Dependence, Kind, Options, dependences};
use terrace_passes::analysis::source;

use super::{Colour, Edge, Graph};
use crate::explain::line_of;

/// Accesses as nodes with their lines; arrows from the access that comes first. What is
/// not known exactly is dashed. Values that loops carry in variables are no accesses.
pub fn deps(ctx: &Context, function: Op) -> Graph {
    let options = Options {
        frees: false,
        scf_loops: true,
        ..Options::default()
    };
    let found = dependences(ctx, function, &options);
    let name = function.symbol_name(ctx).unwrap_or_default();
    let mut graph = Graph::new(name.to_string());
    for s in &found.program.sites {
        let r = source::access(ctx, s.op, s.writes);
        let text = r.text.trim_start_matches("the ").to_string();
        let line = line_of(&r.place);
        graph.node(vec![text, format!("line {line}")], s.element.is_err());
    }
    let mut arrows: BTreeMap<(usize, usize, &str), Vec<&Dependence>> = BTreeMap::new();
    for d in &found.all {
        let key = (d.source, d.sink, d.kind.name());
        arrows.entry(key).or_default().push(d);
    }
    for ((from, to, kind), list) in arrows {
        let mut lines = vec![kind.to_string()];
        lines.extend(list.iter().map(|d| carried(ctx, d)));
        lines.dedup();
        graph.edges.push(Edge {
            from,
            to,
            lines,
            colour: match list.first().map(|d| d.kind) {
                Some(Kind::Anti) => Colour::Red,
                Some(Kind::Output) => Colour::Blue,
                Some(Kind::Input) => Colour::Grey,
                _ => Colour::Plain,
            },
            dashed: !list.iter().all(|d| d.is_exact()),
        });
    }
    graph
}

/// Which loop carries a dependence, and how far.
fn carried(ctx: &Context, d: &Dependence) -> String {
    let Carrier::Loop(i) = d.carrier else {
        return match d.carrier {
            Carrier::Independent => "in one iteration".to_string(),
            _ => "not counted".to_string(),
        };
    };
    let l = d.loops[i];
    let name = source::value(ctx, l.iv);
    let far = match d.distance.get(i).and_then(|e| e.constant()) {
        Some(n) => format!(" by {n}"),
        None => String::new(),
    };
    format!("over {name}{far}")
}
