//! How far results may be off, by docs/math.md, and how far they are.

use super::functions::{Function, Tally};

/// The bounds of a function in docs/math.md: in `f64` and in `f32`.
pub(super) fn bounds(name: &str) -> (f64, f64) {
    let page = include_str!("../../docs/math.md");
    let quoted = format!("`{name}`");
    let rows = page.lines().map(|l| l.split('|').map(str::trim).collect());
    let row = rows
        .filter(|r: &Vec<&str>| r.len() == 5)
        .find(|r| r[1].split(", ").any(|n| n == quoted));
    let numbers = row.and_then(|r| Some((r[2].parse().ok()?, r[3].parse().ok()?)));
    numbers.unwrap_or_else(|| panic!("docs/math.md has no bounds for {name}"))
}

pub(super) fn within(f: &Function, ty: &str, t: &Tally, bound: f64) {
    let name = f.name;
    println!("{name} in {ty}: at most {} ulp, at {:?}", t.worst, t.at);
    assert!(
        t.worst <= bound,
        "{name} of {:?} in {ty} is {} ulp off",
        t.at,
        t.worst
    );
    assert_eq!(t.special, 0, "{name} of {:?} in {ty}", t.special_at);
}

/// Distance in units in the last place; NaNs are equal.
pub(super) fn ulps(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => order(a).abs_diff(order(b)),
        _ => u64::MAX,
    }
}
