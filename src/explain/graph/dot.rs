//! Graphs in the language of Graphviz.

use std::fmt::Write as _;

use super::Graph;

/// One `digraph` for each.
pub fn dot(graphs: &[Graph]) -> String {
    let mut out = String::new();
    for g in graphs {
        let _ = writeln!(out, "digraph {} {{", quoted(&g.title));
        let _ = writeln!(out, "  label={};", quoted(&g.title));
        out.push_str("  node [shape=box, fontname=\"monospace\"];\n");
        for (i, n) in g.nodes.iter().enumerate() {
            let style = if n.dashed { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  n{i} [label={}{style}];", left(&n.lines));
        }
        for e in &g.edges {
            let mut attributes = vec![];
            if !e.lines.is_empty() {
                attributes.push(format!("label={}", quoted(&e.lines.join("\n"))));
            }
            if e.colour != super::Colour::Plain {
                attributes.push(format!("color={}", e.colour.name()));
            }
            if e.dashed {
                attributes.push("style=dashed".to_string());
            }
            let attributes = match attributes.is_empty() {
                true => String::new(),
                false => format!(" [{}]", attributes.join(", ")),
            };
            let _ = writeln!(out, "  n{} -> n{}{attributes};", e.from, e.to);
        }
        out.push_str("}\n");
    }
    out
}

fn quoted(s: &str) -> String {
    format!("\"{}\"", escape(s))
}

/// Lines that begin at the left: `\l` ends each.
fn left(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|l| format!("{}\\l", escape(l))).collect();
    format!("\"{}\"", lines.concat())
}

fn escape(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
