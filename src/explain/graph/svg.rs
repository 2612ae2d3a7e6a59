//! Graphs as pictures, without any other program.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::layout::{CHAR, LINE, Layout, NodeBox, PADDING, layout};
use super::{Colour, Edge, Graph};
use crate::explain::html::escape;

const STYLE: &str = "text { font: 12px ui-monospace, monospace; fill: #1c1e21; } \
.t { font-weight: bold; } .b { fill: #f6f7f9; stroke: #6a7078; } .l { font-size: 11px; } .r { text-anchor: end; } \
.e { fill: none; stroke: #1c1e21; } .red { stroke: #c62828; } .blue { stroke: #1e5fbf; } \
.grey { stroke: #8a9099; } .d { stroke-dasharray: 5 4; } .h { stroke: none; fill: #1c1e21; } \
.h.red { fill: #c62828; } .h.blue { fill: #1e5fbf; } .h.grey { fill: #8a9099; } \
@media (prefers-color-scheme: dark) { text { fill: #e4e6e9; } .b { fill: #1d2024; } \
.e { stroke: #e4e6e9; } .h { fill: #e4e6e9; } .e.red { stroke: #ef6a6a; } \
.h.red { fill: #ef6a6a; } .e.blue { stroke: #6aa5f5; } .h.blue { fill: #6aa5f5; } }";

/// Height of a title.
const TITLE: f64 = 30.0;

/// All graphs, one below the other, in one picture.
pub fn svg(graphs: &[Graph]) -> String {
    let mut body = String::new();
    let (mut width, mut y) = (200.0f64, 0.0f64);
    for g in graphs {
        let l = layout(g);
        let labels = extra_width(g, &l);
        let title = g.title.chars().count() as f64 * (CHAR + 1.0) + 2.0 * PADDING;
        width = width.max(l.width.max(labels).max(title));
        let _ = writeln!(body, "<g transform=\"translate(0 {y:.1})\">");
        let _ = writeln!(
            body,
            "<text class=\"t\" x=\"{PADDING}\" y=\"20\">{}</text>",
            escape(&g.title)
        );
        let _ = writeln!(body, "<g transform=\"translate(0 {TITLE})\">");
        let beside = beside(g);
        for (i, (e, bends)) in g.edges.iter().zip(&l.bends).enumerate() {
            edge(e, beside[i], &l.nodes, bends, &mut body);
        }
        for (node, p) in g.nodes.iter().zip(&l.nodes) {
            let class = if node.dashed { "b d" } else { "b" };
            let (left, top) = (p.x - p.width / 2.0, p.y - p.height / 2.0);
            let _ = writeln!(
                body,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\" rx=\"3\"/>",
                p.width, p.height
            );
            lines(&node.lines, "", left + PADDING, top + PADDING, &mut body);
        }
        body.push_str("</g>\n</g>\n");
        y += TITLE + l.height;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" \
         viewBox=\"0 0 {width:.0} {y:.0}\">\n<style>{STYLE}</style>\n{body}</svg>\n"
    )
}

fn lines(all: &[String], class: &str, x: f64, top: f64, out: &mut String) {
    for (i, line) in all.iter().enumerate() {
        let y = top + LINE * (i as f64 + 0.8);
        let class = match class {
            "" => String::new(),
            c => format!(" class=\"{c}\""),
        };
        let _ = writeln!(
            out,
            "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape(line)
        );
    }
}

/// Between arrows that connect the same boxes.
const APART: f64 = 18.0;

/// How far each arrow is moved aside because others connect the same two boxes.
fn beside(g: &Graph) -> Vec<f64> {
    let key = |e: &Edge| (e.from.min(e.to), e.from.max(e.to));
    let mut seen: HashMap<(usize, usize), f64> = HashMap::new();
    let places: Vec<f64> = g
        .edges
        .iter()
        .map(|e| {
            let n = seen.entry(key(e)).or_insert(0.0);
            *n += 1.0;
            *n - 1.0
        })
        .collect();
    let middle = |e: &Edge| (seen[&key(e)] - 1.0) / 2.0;
    let all = g.edges.iter().zip(places);
    all.map(|(e, k)| (k - middle(e)) * APART).collect()
}

/// The points of an arrow from border to border.
fn points(e: &Edge, aside: f64, nodes: &[NodeBox], bends: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (a, b) = (nodes[e.from], nodes[e.to]);
    if e.from == e.to {
        let (right, up) = (a.x + a.width / 2.0, a.height / 4.0);
        let out = right + 24.0;
        return vec![
            (right, a.y - up),
            (out, a.y - up),
            (out, a.y + up),
            (right, a.y + up),
        ];
    }
    let start = bends.first().copied().unwrap_or((b.x, b.y));
    let end = bends.last().copied().unwrap_or((a.x, a.y));
    let border = |p: NodeBox, towards: (f64, f64)| {
        let side = if towards.1 >= p.y { 1.0 } else { -1.0 };
        // Arrows do not all touch the same point.
        let lean = (towards.0 - p.x).clamp(-p.width / 3.0, p.width / 3.0) / 2.0;
        let most = p.width / 2.0 - 2.0;
        let x = p.x + (lean + aside).clamp(-most, most);
        (x, p.y + side * p.height / 2.0)
    };
    let mut all = vec![border(a, start)];
    all.extend_from_slice(bends);
    all.push(border(b, end));
    all
}

fn edge(e: &Edge, aside: f64, nodes: &[NodeBox], bends: &[(f64, f64)], out: &mut String) {
    let points = points(e, aside, nodes, bends);
    let colour = match e.colour {
        Colour::Plain => "",
        c => c.name(),
    };
    let dashed = if e.dashed { " d" } else { "" };
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = match i {
            0 => write!(path, "M{x:.1} {y:.1}"),
            // Curves that leave and arrive upright.
            _ => {
                let (px, py) = points[i - 1];
                let middle = (py + y) / 2.0;
                match e.from == e.to {
                    true => write!(path, " L{x:.1} {y:.1}"),
                    false => write!(
                        path,
                        " C{px:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}"
                    ),
                }
            }
        };
    }
    let _ = writeln!(out, "<path class=\"e {colour}{dashed}\" d=\"{path}\"/>");
    // The head: upright unless it is a loop's.
    let (x, y) = points[points.len() - 1];
    let before = points[points.len() - 2];
    let (dx, dy) = match e.from == e.to {
        true => (-1.0, 0.0),
        false => (0.0, if before.1 <= y { 1.0 } else { -1.0 }),
    };
    let corner = |side: f64| {
        let (bx, by) = (x - dx * 8.0, y - dy * 8.0);
        (bx + dy * side, by + dx * side)
    };
    let ((ax, ay), (bx, by)) = (corner(4.0), corner(-4.0));
    let _ = writeln!(
        out,
        "<path class=\"h {colour}\" d=\"M{x:.1} {y:.1} L{ax:.1} {ay:.1} L{bx:.1} {by:.1} Z\"/>"
    );
    if let Some((lx, ly)) = label_place(e, &points) {
        match aside < 0.0 && e.from != e.to {
            // To the left of it, where its neighbour's label is not.
            true => lines(&e.lines, "l r", lx - 10.0, ly, out),
            false => lines(&e.lines, "l", lx, ly, out),
        }
    }
}

fn label_place(e: &Edge, points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if e.lines.is_empty() {
        return None;
    }
    let k = (points.len() - 1) / 2;
    let (a, b) = (points[k], points[k + 1]);
    let height = e.lines.len() as f64 * LINE;
    Some(((a.0 + b.0) / 2.0 + 5.0, (a.1 + b.1) / 2.0 - height / 2.0))
}

/// How far labels reach to the right.
fn extra_width(g: &Graph, l: &Layout) -> f64 {
    let reach = g.edges.iter().zip(&l.bends).filter_map(|(e, bends)| {
        let (x, _) = label_place(e, &points(e, APART, &l.nodes, bends))?;
        let widest = e.lines.iter().map(|s| s.chars().count()).max()?;
        Some(x + widest as f64 * CHAR + PADDING)
    });
    reach.fold(0.0, f64::max)
}
