//! What `fastmath` makes of functions.

use super::claims::CLAIMS;
use super::functions::{FUNCTIONS, Numbers, SPECIAL_SINGLES};
use super::programs::kernels;
use super::run::emulated;

/// Each approximation is the instruction that docs/math.md has a bound of, which holds on
/// the emulator.
#[test]
fn approximations_are_as_stated() {
    let page = include_str!("../../docs/math.md");
    for claim in CLAIMS {
        let name = claim.function;
        let f = FUNCTIONS.iter().find(|f| f.name == name);
        let f = f.unwrap_or_else(|| panic!("{name} is no function"));
        let binary = kernels(f, "f32", "sm_90", Some(claim.flags));
        assert!(
            binary.ptx.contains(claim.ptx),
            "{name} becomes {}",
            binary.ptx
        );
        let short = claim.ptx.trim_end_matches(".f32");
        let op = format!("`{}`", name.trim_start_matches("arith."));
        assert!(
            page.lines()
                .any(|l| l.starts_with('|') && l.contains(&op) && l.contains(short)),
            "docs/math.md does not say that {op} becomes {short}"
        );
        if claim.instead.is_some() {
            continue;
        }
        let mut g = Numbers(7);
        let [x, y] = f.ranges;
        let args = (0..4000).map(|_| (g.argument(x) as f32, g.argument(y) as f32));
        let mut pairs: Vec<_> = args.map(|(x, y)| (f64::from(x), f64::from(y))).collect();
        let special = SPECIAL_SINGLES.map(f64::from);
        pairs.extend(special.iter().flat_map(|x| special.map(|y| (*x, y))));
        pairs.retain(|p| (claim.holds)(p.0, p.1));
        assert!(pairs.len() > 20, "{name}, {}: {}", claim.range, pairs.len());
        let op = format!("{} fastmath<{}>", f.op(), claim.flags);
        for ((x, y), got) in pairs.iter().zip(emulated(&op, "f32", &pairs)) {
            let want = f.of(*x, *y);
            let error = claim.error(got as f32, want);
            let bound = claim.bound.map_or(f64::INFINITY, |b| b(*x, *y));
            assert!(
                // The bound of a NaN is one.
                error.is_some_and(|e| e <= bound || e == 0.0),
                "{name} of {x:e}, {y:e} is {got:e} instead of {want:e}: {error:?}, not {bound}"
            );
        }
    }
}
