//! A cost as text.

use super::cost::Cost;
use super::nest::{Mapping, Nest};
use std::fmt::Write;
use terrace_machine::Machine;

/// A number as a person writes it.
fn number(x: f64) -> String {
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
    writeln!(
        out,
        "  {} registers a thread (a guess), {} blocks and {} warps an SM, {:.0} % of its warps; {:.2} waves",
        cost.registers,
        cost.occupancy.blocks_per_sm,
        cost.occupancy.warps_per_sm,
        cost.occupancy.fraction * 100.0,
        cost.waves
    )?;
    for (r, c) in nest.references.iter().zip(&cost.references) {
        let a = &nest.arrays[r.array];
        let what = match r.writes {
            true => "store",
            false => "load ",
        };
        let kind = if c.exact { "exact" } else { "estimate" };
        match a.space {
            super::Space::Global => writeln!(
                out,
                "  {what} {}: {} requests, {} sectors, {} lines, {} bytes ({kind}); {:.2} sectors a request",
                r.text,
                number(c.requests),
                number(c.sectors),
                number(c.lines),
                number(c.lanes * r.bytes as f64),
                c.sectors / c.requests.max(1.0)
            )?,
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
    for n in &nest.notes {
        writeln!(out, "  estimate: {n}")?;
    }
    Ok(())
}
