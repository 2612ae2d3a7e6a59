//! What was chosen, in words.

use super::arrange::{Kind, Point};
use super::policy::{Costed, Ranking};

/// The mapping that was taken (of [`Ranking::better`], by its place; else the ordinary one),
/// its time and what binds, or the lines that the table says it reads, and the one that came
/// next.
pub(crate) fn of(found: &Ranking, taken: Option<usize>, names: &[String]) -> String {
    let mut better = found.better();
    let chosen = taken.and_then(|i| better.nth(i)).unwrap_or(&found.ordinary);
    let next = better.next();
    let mut out = with_time(chosen, names);
    if let (None, Some(t)) = (chosen.lines, chosen.cost.binding()) {
        out.push_str(&format!(", {} binds", t.kind.name()));
    }
    if let Some(second) = next {
        out.push_str(&format!("; then {}", with_time(second, names)));
    }
    if taken.is_some() {
        out.push_str(&format!(
            "; otherwise {}",
            with_time(&found.ordinary, names)
        ));
    }
    out
}

fn with_time(c: &Costed, names: &[String]) -> String {
    let what = match c.lines {
        Some(lines) => format!("{lines:.0} lines"),
        None => format!("{:.1} us", c.us()),
    };
    format!("{}: {what}", mapping(&c.point, names))
}

/// `j along x, i along y, blocks of 32x8x1, 4 of i a thread`.
pub(crate) fn mapping(point: &Point, names: &[String]) -> String {
    let name = |k: usize| names.get(k).map_or("?", String::as_str);
    let last = point.order.iter().rev().zip(["x", "y", "z"]);
    let mut parts: Vec<String> = last
        .map(|(k, axis)| format!("{} along {axis}", name(*k)))
        .collect();
    let [x, y, z] = point.block;
    parts.push(format!("blocks of {x}x{y}x{z}"));
    for (k, n) in point.tile.iter().enumerate().filter(|(_, n)| **n > 1) {
        let how = match point.kind {
            Kind::Blocked => "",
            Kind::Cyclic => " far apart",
            Kind::Inside => " inside the sequential loops",
        };
        parts.push(format!("{n} of {} a thread{how}", name(k)));
    }
    parts.join(", ")
}
