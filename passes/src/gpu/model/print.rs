//! A cost as text.

use super::ahead::Tiles;
use super::cost::Cost;
use super::nest::{Mapping, Nest};
use super::product::{Note, Product};
use super::requests::Counts;
use std::fmt::Write;
use terrace_machine::Machine;

/// A number as a person writes it: a whole one below 10^15 has no point, and any other two
/// digits behind it.
pub fn number(x: f64) -> String {
    match x.fract() == 0.0 && x.abs() < 1e15 {
        true => format!("{x:.0}"),
        false => format!("{x:.2}"),
    }
}

/// Lines that say what a nest costs: the mapping, what each access asks for, the terms.
pub fn print(nest: &Nest, mapping: &Mapping, machine: &Machine, cost: &Cost) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_all(&mut out, nest, mapping, machine, cost);
    out
}

/// The same of a nest whose tiles are copied ahead.
pub(super) fn of_tiles(nest: &Nest, tiles: &Tiles, machine: &Machine, cost: &Cost) -> String {
    let mut out = String::new();
    let name = nest.parallel.first().map_or("", |l| &nest.loops[*l].name);
    let _ = writeln!(
        out,
        "on {} ({}): {name} along x; blocks {} of {} threads, tiles of {} iterations, {} ahead",
        machine.arch,
        machine.part,
        cost.grid[0],
        cost.block[0],
        tiles.columns,
        tiles.stages - 1
    );
    let _ = resident(&mut out, cost);
    for (r, c) in nest.references.iter().zip(&cost.references) {
        let _ = global(&mut out, r.writes, &r.text, r.bytes, c);
    }
    let _ = terms(&mut out, cost, &nest.notes);
    out
}

/// The same of a matrix product.
pub(super) fn of_product(note: &Note, p: &Product, machine: &Machine, cost: &Cost) -> String {
    let mut out = String::new();
    let ([rows, cols, depth], [m, n], tiles) = (&note.names, p.tile, p.tiles());
    let _ = writeln!(
        out,
        "on {} ({}): tiles of {m}x{n} of {rows} and {cols}, {}x{} of them, by {} threads each; {} of {depth} at a time, {} slabs",
        machine.arch, machine.part, tiles[0], tiles[1], cost.block[0], p.depth, p.stages
    );
    let _ = resident(&mut out, cost);
    let r = &p.result;
    for (f, c) in p.factors.iter().zip(&cost.references) {
        let _ = global(&mut out, false, &f.text, f.bytes, c);
    }
    let of_result = cost.references.iter().skip(p.factors.len());
    let count = cost.references.len().saturating_sub(p.factors.len());
    for (i, c) in of_result.enumerate() {
        let _ = global(&mut out, i + 1 == count, &r.text, r.bytes, c);
    }
    let not_run = p.other.filter(|o| !o.is_run).map(|o| {
        let [m, n] = o.tile;
        format!("not run at these sizes: blocks of {m} x {n} take less time")
    });
    let _ = terms(&mut out, cost, &[]);
    if let Some(text) = not_run {
        let _ = writeln!(out, "  {text}");
    }
    out
}

fn write_all(
    out: &mut String,
    nest: &Nest,
    mapping: &Mapping,
    machine: &Machine,
    cost: &Cost,
) -> std::fmt::Result {
    let axes: Vec<String> = (mapping.axes.iter().zip(["x", "y", "z"]))
        .map(|(l, axis)| format!("{} along {axis}", nest.loops[*l].name))
        .collect();
    let text = |n: [String; 3]| n.join("x");
    writeln!(
        out,
        "on {} ({}): {}; blocks {} of {} threads",
        machine.arch,
        machine.part,
        axes.join(", "),
        text(cost.grid.map(|n| n.to_string())),
        text(cost.block.map(|n| n.to_string())),
    )?;
    resident(out, cost)?;
    for (r, c) in nest.references.iter().zip(&cost.references) {
        let a = &nest.arrays[r.array];
        let what = verb(r.writes);
        let kind = kind(c);
        match a.space {
            super::Space::Global => global(out, r.writes, &r.text, r.bytes, c)?,
            super::Space::Shared => writeln!(
                out,
                "  {what} {}: {} requests, {} passes, {} of them conflicts ({kind})",
                r.text,
                number(c.requests),
                number(c.wavefronts),
                number(c.conflicts)
            )?,
        }
    }
    terms(out, cost, &nest.notes)
}

fn verb(writes: bool) -> &'static str {
    if writes { "store" } else { "load " }
}

fn kind(c: &Counts) -> &'static str {
    if c.exact { "exact" } else { "estimate" }
}

/// How much of the machine is in use.
fn resident(out: &mut String, cost: &Cost) -> std::fmt::Result {
    writeln!(
        out,
        "  {} registers a thread (a guess), {} blocks and {} warps an SM, {:.0} % of its warps; {:.2} waves",
        cost.registers,
        cost.occupancy.blocks_per_sm,
        cost.occupancy.warps_per_sm,
        cost.occupancy.fraction * 100.0,
        cost.waves
    )
}

/// An access of memory.
fn global(out: &mut String, writes: bool, text: &str, bytes: i64, c: &Counts) -> std::fmt::Result {
    writeln!(
        out,
        "  {} {text}: {} requests, {} sectors, {} lines, {} bytes ({}); {:.2} sectors a request",
        verb(writes),
        number(c.requests),
        number(c.sectors),
        number(c.lines),
        number(c.lanes * bytes as f64),
        kind(c),
        c.sectors / c.requests.max(1.0)
    )
}

/// The terms, and what makes them estimates.
fn terms(out: &mut String, cost: &Cost, notes: &[String]) -> std::fmt::Result {
    let binding = cost.binding().map(|t| t.kind);
    for t in &cost.terms {
        let mark = if Some(t.kind) == binding {
            " <- binds"
        } else {
            ""
        };
        writeln!(
            out,
            "  {:<13} {:>12.3} us  {}{mark}",
            t.kind.name(),
            t.us,
            t.what
        )?;
    }
    let launches = match cost.launches > 1.0 {
        true => format!(", {} launches", number(cost.launches)),
        false => String::new(),
    };
    writeln!(out, "  time          {:>12.3} us{launches}", cost.us())?;
    for n in notes {
        writeln!(out, "  estimate: {n}")?;
    }
    Ok(())
}
