//! Random nests as text.

use terrace_lit::random::Random;

/// The numbers below `n` in some order.
pub fn shuffled(rng: &mut Random, n: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut numbers);
    numbers
}

/// An affine expression over the first `depth` variables and the parameters `s0` and
/// `s1`.
fn expr(rng: &mut Random, depth: usize, base: i64, divisions: bool) -> String {
    let mut e = base.to_string();
    for k in 0..depth {
        if rng.chance(45) {
            let c = *[1, 1, 1, -1, -1, 2, -2, 3].get(rng.below(8)).unwrap_or(&1);
            e.push_str(&format!(" + d{k} * {c}"));
        }
    }
    if rng.chance(25) {
        e.push_str(&format!(" + s{}", rng.below(2)));
    }
    if divisions && rng.chance(30) {
        let c = rng.between(2, 4);
        let op = ["floordiv", "ceildiv", "mod"][rng.below(3)];
        e = format!("({e}) {op} {c}");
        if rng.chance(40) && depth > 0 {
            e.push_str(&format!(" + d{}", rng.below(depth)));
        }
    }
    e
}

/// The bound of a loop: a map of one or two results at the variables around it.
fn bound(rng: &mut Random, depth: usize, base: i64, lower: bool, divisions: bool) -> String {
    let dims: Vec<String> = (0..depth).map(|k| format!("d{k}")).collect();
    let ivs: Vec<String> = (0..depth).map(|k| format!("%i{k}")).collect();
    let n = 1 + usize::from(rng.chance(25));
    let results: Vec<String> = (0..n)
        .map(|_| {
            let at = base + rng.between(-1, 1);
            expr(rng, depth, at, divisions)
        })
        .collect();
    format!(
        "{} affine_map<({})[s0, s1] -> ({})>({})[%n, %m]",
        if lower { "max" } else { "min" },
        dims.join(", "),
        results.join(", "),
        ivs.join(", ")
    )
}

/// What a random nest may have.
#[derive(Clone, Copy)]
pub struct Shape {
    pub depth: usize,
    pub divisions: bool,
    pub steps: bool,
}

/// `affine.for %iK = ... {`, for loop `k` of a nest.
pub fn head(rng: &mut Random, k: usize, shape: Shape) -> String {
    let lower = match rng.chance(40) {
        true => rng.between(-2, 2).to_string(),
        false => bound(rng, k, 0, true, shape.divisions),
    };
    let upper = match rng.chance(25) {
        true => rng.between(1, 6).to_string(),
        false => bound(rng, k, 4, false, shape.divisions),
    };
    let step = match shape.steps && rng.chance(30) {
        true => format!(" step {}", rng.between(2, 3)),
        false => String::new(),
    };
    format!("affine.for %i{k} = {lower} to {upper}{step} {{\n")
}

/// A function of two parameters around `body`.
pub fn function(body: &str) -> String {
    format!("func.func @f(%n: index, %m: index) {{\n{body}return\n}}\n")
}

/// A perfect nest around a statement that shows its variables.
pub fn nest(rng: &mut Random, shape: Shape) -> String {
    let mut text = String::new();
    for k in 0..shape.depth {
        text.push_str(&head(rng, k, shape));
    }
    let ivs: Vec<String> = (0..shape.depth).map(|k| format!("%i{k}")).collect();
    let types = vec!["index"; shape.depth].join(", ");
    text.push_str(&format!("\"s\"({}) : ({types}) -> ()\n", ivs.join(", ")));
    for _ in 0..shape.depth {
        text.push_str("}\n");
    }
    function(&text)
}

/// Values of the parameters to try.
pub const PARAMETERS: [[i64; 2]; 5] = [[0, 0], [3, 1], [-2, 4], [5, 5], [1, -3]];

/// The seeds of the programs to try: `n`, or as many as `TERRACE_RANDOM_COUNT` says.
pub fn seeds(n: u64) -> std::ops::Range<u64> {
    let count = std::env::var("TERRACE_RANDOM_COUNT").ok();
    0..count.and_then(|v| v.parse().ok()).unwrap_or(n)
}
