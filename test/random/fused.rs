//! Neighbouring nests of parallel loops at random: `gpu-fuse-nests` must fuse them where no
//! iteration of one touches what an iteration of other counters of the other writes, which is tried
//! here element by element, and nowhere else but where that is so in another order of the loops.

use super::check::{Way, check, truth, words};
use super::rng::Rng;
use std::fmt::Write;

/// Elements along each dimension of an array.
const EXTENT: i64 = 12;
/// For this many iterations, about, everything shows that can be.
const LARGE: i64 = 7;
const ARRAYS: usize = 4;
const FUSE: &str = "builtin.module(gpu-fuse-nests{always=true notes=true})";

/// A subscript: a counter and a shift, or a number.
#[derive(Clone, Copy, PartialEq)]
enum Subscript {
    Counter(usize, i64),
    Number(i64),
}

#[derive(Clone, PartialEq)]
struct Access {
    array: usize,
    at: Vec<Subscript>,
    writes: bool,
}

#[derive(Clone)]
struct Nest {
    /// First number of each loop, and what is added to `n` for its end.
    lower: Vec<i64>,
    upper: Vec<i64>,
    step: i64,
    /// The body runs where this counter is at least this.
    guard: Option<(usize, i64)>,
    /// One affine.parallel for all loops.
    together: bool,
    loads: Vec<Access>,
    stores: Vec<Access>,
}

pub struct Nests {
    pub text: String,
    n: i64,
    nests: Vec<Nest>,
}

fn nest(rng: &mut Rng, depth: usize, step: i64) -> Nest {
    let mut lower = Vec::new();
    let mut upper = Vec::new();
    for _ in 0..depth {
        lower.push(2 + *rng.pick(&[0, 0, 0, 1]));
        upper.push(2 + *rng.pick(&[0, 0, 0, -1, 1]));
    }
    let mut order: Vec<usize> = (0..depth).collect();
    if rng.chance(8) {
        order.reverse();
    }
    let mut stores: Vec<Access> = Vec::new();
    for _ in 0..*rng.pick(&[1, 1, 2]) {
        let array = rng.below(ARRAYS);
        let shifted =
            |k: &usize, rng: &mut Rng| Subscript::Counter(*k, *rng.pick(&[0, 0, 0, 0, 0, 1, -1]));
        let at = order.iter().map(|k| shifted(k, rng)).collect();
        if stores.iter().all(|s| s.array != array) {
            stores.push(Access {
                array,
                at,
                writes: true,
            });
        }
    }
    let mut loads = Vec::new();
    for _ in 0..rng.below(3) + 1 {
        let array = rng.below(ARRAYS);
        // What a nest stores it may read only where it does, or its loops were not parallel.
        let own = stores.iter().find(|s| s.array == array);
        let at = match own {
            Some(s) => s.at.clone(),
            None => (0..depth)
                .map(|k| match rng.below(24) {
                    0 => Subscript::Number(rng.between(3, 6)),
                    1 => Subscript::Counter(depth - 1 - k, 0),
                    2 | 3 => Subscript::Counter(k, rng.between(-2, 2)),
                    _ => Subscript::Counter(k, 0),
                })
                .collect(),
        };
        loads.push(Access {
            array,
            at,
            writes: false,
        });
    }
    Nest {
        lower,
        upper,
        step,
        guard: rng
            .chance(15)
            .then(|| (rng.below(depth), rng.between(3, 5))),
        together: rng.chance(50),
        loads,
        stores,
    }
}

impl Nests {
    pub fn new(seed: u64) -> Nests {
        let mut rng = Rng::new(seed);
        let depth = *rng.pick(&[1, 2, 2]);
        let step = *rng.pick(&[1, 1, 1, 1, 1, 2]);
        let count = *rng.pick(&[2, 2, 2, 3]);
        let nests: Vec<Nest> = (0..count).map(|_| nest(&mut rng, depth, step)).collect();
        let n = match rng.chance(85) {
            true => rng.between(3, LARGE),
            false => rng.between(0, 2),
        };
        let mut made = Nests {
            text: String::new(),
            n,
            nests,
        };
        made.text = made.print(depth);
        made
    }

    fn print(&self, depth: usize) -> String {
        let shape = vec![EXTENT.to_string(); depth].join("x");
        let ty = format!("memref<{shape}xf64>");
        let mut s = format!(
            "func.func @main(%n: index {{terrace.init = \"{}\"}}",
            self.n
        );
        for a in 0..ARRAYS {
            let _ = write!(
                s,
                ",\n    %A{a}: {ty} {{terrace.init = \"random:{shape}:{a}\"}}"
            );
        }
        s.push_str(") {\n  %half = arith.constant 0.5 : f64\n");
        for (i, nest) in self.nests.iter().enumerate() {
            nest.print(i, &ty, &mut s);
        }
        s.push_str("  return\n}\n");
        s
    }

    /// Whether the first two can be one, tried on all their common iterations.
    fn legal(&self, n: i64) -> bool {
        let [a, b] = [&self.nests[0], &self.nests[1]];
        let common = a.iterations(n).filter(|x| b.runs(x, n)).collect::<Vec<_>>();
        let touches = |nest: &Nest, x: &[i64]| -> Vec<(usize, Vec<i64>, bool)> {
            if nest.guard.is_some_and(|(k, least)| x[k] < least) {
                return Vec::new();
            }
            let all = nest.loads.iter().chain(&nest.stores);
            all.map(|t| (t.array, t.element(x), t.writes)).collect()
        };
        for x in &common {
            for y in common.iter().filter(|y| *y != x) {
                for (array, element, writes) in touches(a, x) {
                    let meets = |t: &(usize, Vec<i64>, bool)| {
                        t.0 == array && t.1 == element && (t.2 || writes)
                    };
                    if touches(b, y).iter().any(meets) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The same with the loops of the second one in another order.
    fn turned(&self) -> Nests {
        let mut nests = self.nests.clone();
        let second = &mut nests[1];
        let last = second.lower.len() - 1;
        second.lower.reverse();
        second.upper.reverse();
        if let Some((k, _)) = &mut second.guard {
            *k = last - *k;
        }
        let accesses = second.loads.iter_mut().chain(&mut second.stores);
        for s in accesses.flat_map(|a| &mut a.at) {
            if let Subscript::Counter(k, _) = s {
                *k = last - *k;
            }
        }
        Nests {
            text: String::new(),
            n: self.n,
            nests,
        }
    }

    /// Whether the first two can be one with their loops in this order.
    fn can_be_one(&self) -> bool {
        self.fits() && self.legal(LARGE)
    }

    /// Whether their common iterations are a box.
    fn fits(&self) -> bool {
        let [a, b] = [&self.nests[0], &self.nests[1]];
        a.step == 1 || (&a.lower, &a.upper) == (&b.lower, &b.upper)
    }
}

impl Access {
    fn element(&self, x: &[i64]) -> Vec<i64> {
        let one = |s: &Subscript| match s {
            Subscript::Counter(k, shift) => x[*k] + shift,
            Subscript::Number(n) => *n,
        };
        self.at.iter().map(one).collect()
    }

    fn print(&self, nest: usize) -> String {
        let one = |s: &Subscript| match s {
            Subscript::Counter(k, 0) => format!("%i{nest}_{k}"),
            Subscript::Counter(k, shift) if *shift < 0 => format!("%i{nest}_{k} - {}", -shift),
            Subscript::Counter(k, shift) => format!("%i{nest}_{k} + {shift}"),
            Subscript::Number(n) => n.to_string(),
        };
        let at: Vec<String> = self.at.iter().map(one).collect();
        format!("%A{}[{}]", self.array, at.join(", "))
    }
}

impl Nest {
    fn runs(&self, x: &[i64], n: i64) -> bool {
        let in_range = |(k, i): (usize, &i64)| {
            let first = self.lower[k];
            *i >= first && *i < n + self.upper[k] && (i - first) % self.step == 0
        };
        x.iter().enumerate().all(in_range)
    }

    fn iterations(&self, n: i64) -> impl Iterator<Item = Vec<i64>> {
        let depth = self.lower.len() as u32;
        let all = (0..EXTENT.pow(depth))
            .map(move |i| -> Vec<i64> { (0..depth).map(|k| i / EXTENT.pow(k) % EXTENT).collect() });
        all.filter(move |x| self.runs(x, n))
    }

    fn print(&self, i: usize, ty: &str, s: &mut String) {
        let depth = self.lower.len();
        let bound = |k: usize| {
            let to = match self.upper[k] {
                u if u < 0 => format!("symbol(%n) - {}", -u),
                u => format!("symbol(%n) + {u}"),
            };
            (self.lower[k].to_string(), to)
        };
        let groups: Vec<Vec<usize>> = match self.together {
            true => vec![(0..depth).collect()],
            false => (0..depth).map(|k| vec![k]).collect(),
        };
        for group in &groups {
            let list = |f: &dyn Fn(usize) -> String| {
                let all: Vec<String> = group.iter().map(|k| f(*k)).collect();
                all.join(", ")
            };
            let _ = writeln!(
                s,
                "  affine.parallel ({}) = ({}) to ({}) step ({}) {{",
                list(&|k| format!("%i{i}_{k}")),
                list(&|k| bound(k).0),
                list(&|k| bound(k).1),
                list(&|_| self.step.to_string())
            );
        }
        if let Some((k, least)) = self.guard {
            let _ = writeln!(
                s,
                "    affine.if affine_set<(i) : (i - {least} >= 0)>(%i{i}_{k}) {{"
            );
        }
        let mut sum = "%half".to_string();
        for (l, load) in self.loads.iter().enumerate() {
            let _ = writeln!(s, "    %v{i}_{l} = affine.load {} : {ty}", load.print(i));
            let _ = writeln!(s, "    %p{i}_{l} = arith.mulf %v{i}_{l}, %half : f64");
            let _ = writeln!(s, "    %s{i}_{l} = arith.addf {sum}, %p{i}_{l} : f64");
            sum = format!("%s{i}_{l}");
        }
        for (k, store) in self.stores.iter().enumerate() {
            let value = if k == 0 { sum.as_str() } else { "%half" };
            let _ = writeln!(s, "    affine.store {value}, {} : {ty}", store.print(i));
        }
        if self.guard.is_some() {
            s.push_str("    }\n");
        }
        for _ in &groups {
            s.push_str("  }\n");
        }
    }
}

/// Fuses the nests of a seed and runs them: what went wrong, and whether any were fused.
///
/// # Errors
///
/// The report.
pub fn one(seed: u64) -> Result<bool, String> {
    let nests = Nests::new(seed);
    let text = &nests.text;
    let wrong = |what: String, now: &str| {
        Err(format!(
            "=== seed {seed}: {what}\n--- program\n{text}--- after\n{now}"
        ))
    };
    let expected = match truth(text) {
        Ok(t) => t,
        Err(f) => return wrong(f.message, ""),
    };
    let mut program = match terrace::run::executor::Program::new("fused.mlir", text) {
        Ok(p) => p,
        Err(d) => return wrong(words(&d), ""),
    };
    if let Err(d) = program.run_pipeline(FUSE) {
        return wrong(words(&d), "");
    }
    let now = program.text();
    let notes = program.ctx.take_diagnostics();
    let is_fused = notes.iter().any(|d| d.message.starts_with("fused with"));
    if nests.nests.len() == 2 {
        let as_written = nests.can_be_one();
        let right = match is_fused {
            true => as_written || nests.turned().can_be_one(),
            // Which loops belong together otherwise is told by subscripts alone.
            false => !as_written,
        };
        if !right {
            let said = words(&notes);
            return wrong(format!("fused is {is_fused}; {said}"), &now);
        }
    }
    for way in [Way::Passes(Vec::new()), Way::Emulator] {
        if let Err(f) = check(&now, &way, &expected) {
            return wrong(format!("{way:?}: {}", f.message), &now);
        }
    }
    Ok(is_fused)
}
