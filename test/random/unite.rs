//! Nests that are parts of one: `affine-unite-nests` puts them together where that is right.

use terrace::run::executor::Program;

use super::backwards::run_backwards;
use super::check::{Failure, interpret, same, truth, words};
use super::rng::Rng;

/// `a * i + b * j + c >= 0`.
type Side = [i64; 3];

/// A function of nests over the parts of a polygon that a line cuts it into, or the line and
/// what is on one side of it. Some are a step too large or too small, or done twice.
pub fn program(seed: u64) -> String {
    let mut r = Rng::new(seed);
    let (low, high) = ([r.between(0, 4), r.between(0, 4)], [9, r.between(6, 11)]);
    let mut polygon: Vec<Side> = Vec::new();
    if r.chance(50) {
        let c = r.between(0, 2);
        polygon.push(*r.pick(&[[1, -1, c], [-1, 1, c], [1, 1, -4 - c], [-1, -1, 12 + c]]));
    }
    let cut = match r.below(5) {
        0 => [1, 0, -r.between(3, 7)],
        1 => [0, 1, -r.between(3, 7)],
        2 => [1, 1, -r.between(7, 12)],
        3 => [2, -1, -4],
        _ => *r.pick(&[[1, -1, 0], [-1, 1, 0]]),
    };
    let miss = if r.chance(20) { *r.pick(&[-1, 1]) } else { 0 };
    // What one part reads of the other, where none reads what it writes itself.
    let back = match (cut, miss) {
        ([1, 0, -5], 0) => 5,
        _ => 20,
    };
    let (row, column) = (r.between(0, 3), r.between(0, 3));
    let body = |j: &str, indent: &str| {
        format!(
            "{indent}%x = affine.load %A[%i + 20, {j}] : memref<40x20xf64>\n\
             {indent}%y = affine.load %A[%i + 20 - {back}, {j}] : memref<40x20xf64>\n\
             {indent}%z = affine.load %B[%i, {column}] : memref<20x20xf64>\n\
             {indent}%w = affine.load %B[{row}, {j}] : memref<20x20xf64>\n\
             {indent}%0 = arith.mulf %z, %w : f64\n\
             {indent}%1 = arith.subf %x, %0 : f64\n\
             {indent}%2 = arith.addf %1, %y : f64\n\
             {indent}affine.store %2, %A[%i + 20, {j}] : memref<40x20xf64>\n"
        )
    };
    let part = |side: Side| {
        let sides: Vec<String> = (polygon.iter().chain([&side]))
            .map(|[a, b, c]| format!("{a} * d0 + {b} * d1 + {c} >= 0"))
            .collect();
        format!(
            "  affine.parallel (%i) = ({}) to ({}) {{\n  affine.parallel (%j) = ({}) to ({}) {{\n    \
             affine.if affine_set<(d0, d1) : ({})>(%i, %j) {{\n{}    }}\n  }}\n  }}\n",
            low[0],
            high[0],
            low[1],
            high[1],
            sides.join(", "),
            body("%j", "      ")
        )
    };
    let [a, b, c] = cut;
    let mut parts = if c == 0 && r.chance(70) {
        let first = low[0].max(low[1]);
        let last = high[0].min(high[1]) + miss;
        let line = format!(
            "  affine.parallel (%i) = ({first}) to ({last}) {{\n{}  }}\n",
            body("%i", "    ")
        );
        vec![part([a, b, -1]), line]
    } else {
        vec![part(cut), part([-a, -b, -c - 1 + miss])]
    };
    if r.chance(50) {
        parts.reverse();
    }
    if r.chance(20) {
        parts.push(parts[0].clone());
    }
    format!(
        "func.func @main(%A: memref<40x20xf64> {{terrace.name = \"A\", terrace.init = \
         \"random:40x20:1\"}}, %B: memref<20x20xf64> {{terrace.name = \"B\", terrace.init = \
         \"random:20x20:2\"}}) {{\n{}  return\n}}\n",
        parts.concat()
    )
}

/// How many nests the pass took in, where what it made does what the program did, also
/// with the iterations of parallel loops in another order.
///
/// # Errors
///
/// What differs, with the text of the program that was made.
pub fn united(seed: u64) -> Result<usize, String> {
    let text = program(seed);
    let say =
        |made: &str, f: Failure| format!("seed {seed}: {}\n{text}--- after\n{made}", f.message);
    let expected = truth(&text).map_err(|f| say("", f))?;
    let problem = |e| format!("seed {seed}: {e}\n{text}");
    let mut p = Program::new("random.mlir", &text).map_err(|d| problem(words(&d)))?;
    p.run_pipeline("builtin.module(func.func(affine-unite-nests))")
        .map_err(|d| problem(words(&d)))?;
    let forwards = p.text();
    run_backwards(&mut p.ctx, p.module);
    for made in [&forwards, &p.text()] {
        let outcome = interpret(&text, made).map_err(|f| say(made, f))?;
        same(&outcome, &expected).map_err(|m| problem(format!("{m}\n--- after\n{made}")))?;
    }
    let nests = |t: &str| t.matches("affine.store").count();
    Ok(nests(&text) - nests(&forwards))
}
