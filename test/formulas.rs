//! Random models in formulas, on all targets and in several layouts, against what this file computes of
//! them by the rules of the language: right sides read old values, but along carried indices.
//!
//! `TERRACE_RANDOM_COUNT` models from the seed `TERRACE_RANDOM_SEED` on.

#[path = "formulas/callers.rs"]
mod callers;
#[allow(dead_code)]
#[path = "cc/folder.rs"]
mod folder;

use std::fmt::Write;
use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::options::{RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::runtime::dtype::{DType, Scalar};
use terrace_lit::random::Random;

/// Models where the environment names no number.
const COUNT: u64 = 24;
/// Arrays of each model.
const ARRAYS: usize = 3;

/// The indices `i` and `k` of all arrays of a model.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: i64,
    /// What the last index is more than the parameter.
    more: i64,
    by: i64,
    /// The parameter.
    size: i64,
}

impl Range {
    fn count(self) -> i64 {
        (self.size + self.more - self.low).div_euclid(self.by) + 1
    }
}

#[derive(Debug, Clone)]
enum Formula {
    Number(f64),
    Parameter,
    /// An element of an array, by distances in elements, of a statement's point.
    Read(usize, [i64; 2]),
    Op(char, Box<[Formula; 2]>),
    BySign(Box<[Formula; 4]>),
    Group(Box<Formula>),
}

#[derive(Debug, Clone)]
struct Statement {
    targets: Vec<usize>,
    skip: [[i64; 2]; 2],
    step: [i64; 2],
    down: [bool; 2],
    carried: Option<usize>,
    /// A place along `i` in elements, in place of the index.
    place: Option<i64>,
    values: Vec<Formula>,
    with: Option<Formula>,
}

#[derive(Debug, Clone)]
struct Model {
    ranges: [Range; 2],
    statements: Vec<Statement>,
}

fn formula(r: &mut Random, reach: [[i64; 2]; 2], depth: u32) -> Formula {
    let pick = if depth == 0 { r.below(4) } else { r.below(9) };
    let sub = |r: &mut Random| formula(r, reach, depth - 1);
    match pick {
        0 => Formula::Number((r.below(9) as f64 - 4.0) / 8.0),
        1 => Formula::Parameter,
        2 | 3 => {
            let at = reach.map(|[low, high]| low + r.below((high - low + 1) as usize) as i64);
            Formula::Read(r.below(ARRAYS), at)
        }
        4 => Formula::Group(Box::new(sub(r))),
        5 => Formula::BySign(Box::new([sub(r), sub(r), sub(r), sub(r)])),
        _ => {
            let op = ['+', '-', '*'][r.below(3)];
            Formula::Op(op, Box::new([sub(r), sub(r)]))
        }
    }
}

fn model(seed: u64) -> Model {
    let mut r = Random(seed);
    let range = |r: &mut Random| Range {
        low: r.below(3) as i64,
        more: r.below(3) as i64,
        by: if r.one_in(4) { 2 } else { 1 },
        size: 6 + r.below(6) as i64,
    };
    let ranges = [range(&mut r), range(&mut r)];
    let mut statements = Vec::new();
    for _ in 0..1 + r.below(3) {
        let skip = [0, 1].map(|_| [0, 1].map(|_| r.below(3) as i64));
        let last = ranges[0].count() - 1;
        let place = r.one_in(5).then(|| (r.below(3) as i64).min(last));
        let carried = r
            .one_in(2)
            .then(|| usize::from(place.is_some() || r.one_in(2)));
        let mut reach = skip.map(|[front, behind]| [-front, behind]);
        if let Some(p) = place {
            reach[0] = [-p, (last - p).min(2)];
        }
        let first = r.below(ARRAYS);
        let mut targets = vec![first];
        if r.one_in(3) {
            targets.push((first + 1) % ARRAYS);
        }
        statements.push(Statement {
            values: targets.iter().map(|_| formula(&mut r, reach, 3)).collect(),
            with: r.one_in(2).then(|| formula(&mut r, reach, 2)),
            targets,
            skip,
            step: [0, 1].map(|_| 1 + r.below(3_usize).saturating_sub(1) as i64),
            down: [0, 1].map(|_| r.one_in(2)),
            carried,
            place,
        });
    }
    Model { ranges, statements }
}

const INDICES: [&str; 2] = ["i", "k"];
const SIZES: [&str; 2] = ["N", "M"];

/// Where an array's elements lie: whether `k` is outside, and bands of each index.
#[derive(Debug, Clone, Copy)]
struct Layout {
    turned: bool,
    bands: [i64; 2],
}

impl Layout {
    fn random(r: &mut Random) -> Layout {
        Layout {
            turned: r.one_in(2),
            bands: [0, 1].map(|_| 1 + r.below(3) as i64),
        }
    }

    /// Sizes in memory, and the place of an element.
    fn places(self, counts: [i64; 2], at: [i64; 2]) -> (Vec<usize>, usize) {
        let order = if self.turned { [1, 0] } else { [0, 1] };
        let (mut shape, mut place) = (Vec::new(), 0);
        for d in order {
            let n = self.bands[d];
            let parts = match n {
                1 => vec![(counts[d], at[d])],
                n => vec![(n, at[d] % n), ((counts[d] + n - 1) / n, at[d] / n)],
            };
            for (size, x) in parts {
                place = place * size + x;
                shape.push(size as usize);
            }
        }
        (shape, place as usize)
    }
}

impl Model {
    fn text(&self, layouts: &[Layout; ARRAYS]) -> String {
        let mut t = String::from("model m(N, M: index; h: real) precision f64 strict\n");
        for (a, l) in layouts.iter().enumerate() {
            let dim = |d: usize| {
                let r = self.ranges[d];
                let by = if r.by > 1 {
                    format!(" by {}", r.by)
                } else {
                    String::new()
                };
                format!("{}: {}..{}+{}{by}", INDICES[d], r.low, SIZES[d], r.more)
            };
            let _ = write!(t, "array A{a}({}, {})", dim(0), dim(1));
            for (index, bands) in INDICES.iter().zip(l.bands) {
                if bands > 1 {
                    let _ = write!(t, " bands {index} {bands}");
                }
            }
            t += if l.turned {
                ", order k i\n"
            } else {
                ", order i k\n"
            };
        }
        for s in &self.statements {
            let names: Vec<String> = s.targets.iter().map(|a| format!("A{a}")).collect();
            let index = |d: usize| match (d, s.place) {
                (0, Some(p)) => format!("{}", self.ranges[0].low + p * self.ranges[0].by),
                _ => format!(
                    "{} skip {} {} step {} {}",
                    INDICES[d],
                    s.skip[d][0],
                    s.skip[d][1],
                    s.step[d],
                    if s.down[d] { "down" } else { "up" }
                ),
            };
            let word = if s.place.is_some() { "edge" } else { "compute" };
            let _ = write!(t, "{word} {}({}, {})", names.join(", "), index(0), index(1));
            if let Some(c) = s.carried {
                let _ = write!(t, " carried {}", INDICES[c]);
            }
            if let Some(w) = &s.with {
                let _ = write!(t, "\n  with t = {}", self.formula(s, w));
            }
            for (a, v) in s.targets.iter().zip(&s.values) {
                let more = if s.with.is_some() { " + 0.25*t" } else { "" };
                let _ = write!(t, "\n  A{a} = {}{more}", self.formula(s, v));
            }
            t += "\n";
        }
        t
    }

    fn formula(&self, s: &Statement, f: &Formula) -> String {
        match f {
            Formula::Number(n) => format!("({n:?})"),
            Formula::Parameter => "h".to_string(),
            Formula::Read(a, by) => {
                let index = |d: usize| {
                    let far = by[d] * self.ranges[d].by;
                    match (d, s.place) {
                        (0, Some(p)) => {
                            format!("{}", self.ranges[0].low + p * self.ranges[0].by + far)
                        }
                        _ => format!("{} + {far}", INDICES[d]).replace("+ -", "- "),
                    }
                };
                format!("A{a}[{}, {}]", index(0), index(1))
            }
            Formula::Op(op, both) => {
                format!(
                    "({} {op} {})",
                    self.formula(s, &both[0]),
                    self.formula(s, &both[1])
                )
            }
            Formula::BySign(all) => {
                let all: Vec<String> = all.iter().map(|x| self.formula(s, x)).collect();
                format!("ifsign({})", all.join(", "))
            }
            Formula::Group(x) => format!("_grp({})", self.formula(s, x)),
        }
    }

    fn counts(&self) -> [i64; 2] {
        self.ranges.map(Range::count)
    }

    /// The points of an index, by their elements, in the order of the statement.
    fn points(&self, s: &Statement, d: usize) -> Vec<i64> {
        if let (0, Some(p)) = (d, s.place) {
            return vec![p];
        }
        let (first, end) = (s.skip[d][0], self.counts()[d] - s.skip[d][1]);
        let mut all: Vec<i64> = (first..end).step_by(s.step[d] as usize).collect();
        if s.down[d] {
            all.reverse();
        }
        all
    }

    fn run(&self, arrays: &mut [Vec<f64>], h: f64) {
        let counts = self.counts();
        let place = |at: [i64; 2]| (at[0] * counts[1] + at[1]) as usize;
        for s in &self.statements {
            let [is, ks] = [0, 1].map(|d| self.points(s, d));
            let all = || is.iter().flat_map(|i| ks.iter().map(|k| [*i, *k]));
            let slices: Vec<Vec<[i64; 2]>> = match s.carried {
                None => vec![all().collect()],
                Some(c) => {
                    let along = if c == 0 { &is } else { &ks };
                    let slice = |x: &i64| all().filter(|p| p[c] == *x).collect();
                    along.iter().map(slice).collect()
                }
            };
            for slice in slices {
                let mut made = Vec::new();
                for at in slice {
                    let t = s.with.as_ref().map(|w| self.value(w, arrays, at, h));
                    for (a, v) in s.targets.iter().zip(&s.values) {
                        let v = self.value(v, arrays, at, h);
                        made.push((*a, place(at), t.map_or(v, |t| v + 0.25 * t)));
                    }
                }
                for (a, place, v) in made {
                    arrays[a][place] = v;
                }
            }
        }
    }

    fn value(&self, f: &Formula, arrays: &[Vec<f64>], at: [i64; 2], h: f64) -> f64 {
        let of = |f: &Formula| self.value(f, arrays, at, h);
        match f {
            Formula::Number(n) => *n,
            Formula::Parameter => h,
            Formula::Read(a, by) => {
                arrays[*a][((at[0] + by[0]) * self.counts()[1] + at[1] + by[1]) as usize]
            }
            Formula::Op('+', both) => of(&both[0]) + of(&both[1]),
            Formula::Op('-', both) => of(&both[0]) - of(&both[1]),
            Formula::Op(_, both) => of(&both[0]) * of(&both[1]),
            Formula::BySign(all) => {
                let x = of(&all[0]);
                let k = if x < 0.0 {
                    1
                } else if x > 0.0 {
                    3
                } else {
                    2
                };
                of(&all[k])
            }
            Formula::Group(x) => of(x),
        }
    }
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |v| v.parse().expect("a whole number"))
}

/// Runs a model's text, its arrays laid out, and gives them back by their indices.
fn ran(
    m: &Model,
    text: &str,
    layouts: &[Layout; ARRAYS],
    arrays: &[Vec<f64>],
    target: Target,
) -> Vec<Vec<f64>> {
    let counts = m.counts();
    let source = ProgramText::formulas("random.tf", text);
    let program = source
        .program()
        .unwrap_or_else(|d| panic!("{text}\n{}", source.render(&d)));
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    let mut executor = compile(program, &options).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let index = |n: i64| Value::Scalar(Scalar::from_bits(DType::Index, n as u64));
    let mut args = vec![
        index(m.ranges[0].size),
        index(m.ranges[1].size),
        Value::from(0.375),
    ];
    let elements = || (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |k| [i, k]));
    for (l, a) in layouts.iter().zip(arrays) {
        let (shape, _) = l.places(counts, [0, 0]);
        let mut laid = vec![0.0f64; shape.iter().product()];
        for (at, v) in elements().zip(a) {
            laid[l.places(counts, at).1] = *v;
        }
        args.push(Value::array(&shape, &laid).expect("a shape of its elements"));
    }
    if let Err(d) = executor.call(&mut args) {
        panic!("{text}\n{}", source.render(&d));
    }
    let mut out = Vec::new();
    for (l, v) in layouts.iter().zip(&args[3..]) {
        let Value::Array(buffer) = v else {
            panic!("an array stays one")
        };
        let laid = buffer.as_slice::<f64>().expect("numbers of 64 bits");
        out.push(elements().map(|at| laid[l.places(counts, at).1]).collect());
    }
    out
}

#[test]
fn random_models_agree_in_all_layouts_and_on_all_targets() {
    let first = from_environment("TERRACE_RANDOM_SEED", 1);
    for seed in first..first + from_environment("TERRACE_RANDOM_COUNT", COUNT) {
        let m = model(seed);
        let mut r = Random(seed ^ 0x1234);
        let counts = m.counts();
        let arrays: Vec<Vec<f64>> = (0..ARRAYS)
            .map(|_| {
                (0..counts[0] * counts[1])
                    .map(|_| (r.below(17) as f64 - 8.0) / 8.0)
                    .collect()
            })
            .collect();
        let mut expected = arrays.clone();
        m.run(&mut expected, 0.375);
        for (n, target) in [
            Target::Interp,
            Target::Interp,
            Target::Cpu,
            Target::Cpu,
            Target::Emulator,
        ]
        .into_iter()
        .enumerate()
        {
            let layouts = [0; ARRAYS].map(|_| Layout::random(&mut r));
            let text = m.text(&layouts);
            let got = ran(&m, &text, &layouts, &arrays, target);
            for (a, (got, expected)) in got.iter().zip(&expected).enumerate() {
                for (k, (x, y)) in got.iter().zip(expected).enumerate() {
                    let (i, k) = (k as i64 / counts[1], k as i64 % counts[1]);
                    assert!(
                        x == y || x.is_nan() && y.is_nan(),
                        "seed {seed}, run {n} on {target:?}: element {i}, {k} of A{a} is {x}, expected {y}\n{text}"
                    );
                }
            }
        }
    }
}

/// What a run of a model stops with.
fn stopped(text: &str, sizes: &[i64], shapes: &[&[usize]], target: Target) -> String {
    let source = ProgramText::formulas("m.tf", text);
    let program = source
        .program()
        .unwrap_or_else(|d| panic!("{}", source.render(&d)));
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    let mut executor = compile(program, &options).unwrap_or_else(|e| panic!("{e}"));
    let index = |n: &i64| Value::Scalar(Scalar::from_bits(DType::Index, *n as u64));
    let mut args: Vec<Value> = sizes.iter().map(index).collect();
    for shape in shapes {
        let zeros = vec![0.0f64; shape.iter().product()];
        args.push(Value::array(shape, &zeros).expect("a shape of its elements"));
    }
    match executor.call(&mut args) {
        Ok(_) => String::new(),
        Err(d) => source
            .render(&d)
            .lines()
            .next()
            .unwrap_or_default()
            .to_string(),
    }
}

#[test]
fn what_is_not_sure_is_checked_at_run_time() {
    let text = "model m(N: index) precision f64\narray U(i: 1..N)\narray D(i: 1..N by 2)\ncompute U(i) = U[3] + 1\nedge D(N) = 2\n";
    for target in [Target::Interp, Target::Cpu, Target::Emulator] {
        let run = |n: i64, u: usize, d: usize| stopped(text, &[n], &[&[u], &[d]], target);
        assert_eq!(run(5, 5, 3), "", "{target:?}");
        let said = run(2, 2, 1);
        assert!(said.starts_with("m.tf:4:16: error: "), "{target:?}: {said}");
        assert!(
            said.ends_with("an index i of the array U is not there"),
            "{target:?}: {said}"
        );
        assert!(
            run(4, 4, 2).contains("an index i of the array D is not there"),
            "{target:?}"
        );
        assert!(
            run(5, 6, 3)
                .contains("dimension 0 of the array U has another size than the model says, N"),
            "{target:?}"
        );
        assert!(
            run(-1, 0, 0).contains("the parameter N is negative"),
            "{target:?}"
        );
    }
}
