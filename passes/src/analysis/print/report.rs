//! Dependences as a table, as a graph, and as questions for integer-set solvers.

use std::collections::BTreeMap;
use std::fmt::Write;

use terrace_ir::{Context, Op};

use crate::analysis::dependence::{Dependence, Dependences, words};

/// The head line of a function.
fn title(ctx: &Context, function: Op) -> String {
    match function.symbol_name(ctx) {
        Some(n) => format!("@{n}"),
        None => format!("'{}'", function.name(ctx)),
    }
}

/// Columns as wide as their widest cell, two spaces between.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|r| r.get(c));
        cells.map(|s| s.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for r in rows {
        let mut line = String::from(" ");
        for (cell, w) in r.iter().zip(&widths) {
            let _ = write!(line, " {cell:<w$} ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

pub fn table(ctx: &Context, function: Op, found: &Dependences) -> String {
    let mut text = format!("dependences of {}:\n", title(ctx, function));
    if found.all.is_empty() {
        text.push_str("  none through memory\n");
    } else {
        let head = [
            "kind",
            "array",
            "from",
            "to",
            "distance",
            "direction",
            "carried by",
            "",
        ];
        let mut rows = vec![head.map(str::to_string).to_vec()];
        rows.extend(found.all.iter().map(|d| row(ctx, found, d)));
        text.push_str(&align(&rows));
    }
    text.push_str(&carried(ctx, found));
    text.push_str(&reductions(ctx, found));
    text.push_str(&private(ctx, found));
    text
}

fn row(ctx: &Context, found: &Dependences, d: &Dependence) -> Vec<String> {
    let access = |op: Op| {
        format!(
            "{} {}",
            words::access(ctx, op),
            words::place(ctx, op.loc(ctx))
        )
    };
    let mut remark = Vec::new();
    if let Some(k) = d.reduction {
        remark.push(words::reduction(k).to_string());
    }
    if let Some(r) = &d.doubt {
        remark.push(format!(
            "maybe: {} ({})",
            r.message,
            words::place(ctx, r.loc)
        ));
    }
    vec![
        d.kind.name().to_string(),
        words::array(ctx, d.memref),
        access(found.source(d).op),
        access(found.sink(d).op),
        words::distances(d),
        words::directions(d),
        words::carrier(ctx, d),
        remark.join("; "),
    ]
}

fn carried(ctx: &Context, found: &Dependences) -> String {
    let mut text = String::new();
    for c in &found.carried {
        let Some(l) = c.carrying_loop() else { continue };
        let name = match c.value.loc(ctx).name(ctx) {
            Some(n) => format!("'{n}'"),
            None => format!("value {}", c.index),
        };
        let what = c.reduction.map_or(String::new(), |r| {
            format!(": a {}", words::reduction(r.kind))
        });
        let _ = writeln!(
            text,
            "  {} carries {name} from {} to {}{what}",
            words::loop_name(ctx, &l),
            words::place(ctx, c.source.loc(ctx)),
            words::place(ctx, c.sink.loc(ctx)),
        );
    }
    text
}

fn reductions(ctx: &Context, found: &Dependences) -> String {
    let mut text = String::new();
    for r in &found.reductions {
        if r.loops.is_empty() && r.disturbed.is_empty() {
            continue;
        }
        let store = &found.program.sites[r.store];
        let _ = write!(
            text,
            "  the update of '{}' at {} is a {}",
            words::array(ctx, Some(r.memref)),
            words::place(ctx, store.op.loc(ctx)),
            words::reduction(r.kind)
        );
        let loops: Vec<String> = r.loops.iter().map(|l| words::loop_name(ctx, l)).collect();
        if !loops.is_empty() {
            let _ = write!(text, " over {}", loops.join(", "));
        }
        for (l, site) in &r.disturbed {
            let other = &found.program.sites[*site];
            let _ = write!(
                text,
                "; not over {}, because of the {} at {}",
                words::loop_name(ctx, l),
                words::access(ctx, other.op),
                words::place(ctx, other.op.loc(ctx))
            );
        }
        text.push('\n');
    }
    text
}

fn private(ctx: &Context, found: &Dependences) -> String {
    let mut text = String::new();
    for p in found.privatizable(ctx) {
        let _ = writeln!(
            text,
            "  {} may have a copy of '{}' for each iteration{}",
            words::loop_name(ctx, &p.of),
            words::array(ctx, Some(p.memref)),
            if p.live_out {
                "; what the last ones write is used afterwards"
            } else {
                ""
            }
        );
    }
    text
}

/// The accesses as nodes, in clusters of loops; the dependences as arrows.
pub fn dot(ctx: &Context, function: Op, found: &Dependences) -> String {
    let mut text = format!(
        "digraph \"{}\" {{\n  node [shape=box];\n",
        escape(&title(ctx, function))
    );
    for s in &found.program.sites {
        let _ = writeln!(
            text,
            "  a{} [label=\"{} {}\\n{}\"];",
            s.position,
            escape(words::access(ctx, s.op)),
            escape(&words::array(ctx, s.memref)),
            words::place(ctx, s.op.loc(ctx))
        );
    }
    // Of one pair and kind one arrow, a line of its label for each carrier.
    let mut arrows: BTreeMap<(usize, usize, &str), Vec<&Dependence>> = BTreeMap::new();
    for d in &found.all {
        let key = (d.source, d.sink, d.kind.name());
        arrows.entry(key).or_default().push(d);
    }
    for ((from, to, kind), list) in arrows {
        let lines: Vec<String> = list
            .iter()
            .map(|d| {
                let line = format!("{} {}", words::distances(d), words::carrier(ctx, d));
                escape(&line)
            })
            .collect();
        let colour = match kind {
            "flow" => "black",
            "anti" => "red",
            "output" => "blue",
            _ => "grey",
        };
        let style = if list.iter().all(|d| d.is_exact()) {
            "solid"
        } else {
            "dashed"
        };
        let _ = writeln!(
            text,
            "  a{from} -> a{to} [label=\"{kind}\\n{}\", color={colour}, style={style}];",
            lines.join("\\n")
        );
    }
    text.push_str("}\n");
    text
}

pub fn escape(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// The relations, one a line, in the notation of integer-set libraries.
pub fn systems(ctx: &Context, _: Op, found: &Dependences) -> String {
    found.program.questions(ctx)
}
