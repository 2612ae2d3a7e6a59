//! Random small affine programs: nests of one to three loops, perfect or not, with
//! steps, several bounds, conditions, divisions and remainders in subscripts.

use std::fmt::Write;
use terrace_lit::random::Random;

/// The text of one program: a function of two sizes and two arrays.
pub struct Program {
    pub text: String,
    /// The values of the two sizes when it runs.
    pub sizes: [i64; 2],
}

pub fn generate(seed: u64) -> Program {
    let mut g = Generator {
        rng: Random(seed),
        out: String::new(),
        ivs: Vec::new(),
        names: 0,
        accesses: 0,
        wanted: 0,
        symbolic: false,
        arrays: vec![
            ("%A".into(), 1, TYPE_A.into()),
            ("%B".into(), 2, TYPE_B.into()),
        ],
    };
    g.wanted = g.rng.between(2, 4);
    g.symbolic = g.rng.chance(30);
    let sizes = [g.rng.between(0, 4), g.rng.between(1, 4)];
    g.out.push_str(HEAD);
    if g.rng.chance(15) {
        let (name, from, step) = (g.name(), g.rng.between(0, 3), g.rng.between(1, 2));
        let ty = format!("memref<8xf32, strided<[{step}], offset: {from}>>");
        let _ = writeln!(
            g.out,
            "  {name} = memref.subview %A[{from}] [8] [{step}] : {TYPE_A} to {ty}"
        );
        g.arrays.push((name, 1, ty));
    }
    while g.accesses < g.wanted {
        g.item(0, 1);
    }
    g.out.push_str("  return\n}\n");
    Program { text: g.out, sizes }
}

const TYPE_A: &str = "memref<64xf32>";
const TYPE_B: &str = "memref<16x16xf32>";
const HEAD: &str = "func.func @f(%n: index, %m: index, %A: memref<64xf32>, %B: memref<16x16xf32>) {\n  %x = arith.constant 1.0 : f32\n  %v = arith.constant dense<1.0> : vector<2xf32>\n  %c2 = arith.constant 2 : index\n";

struct Generator {
    rng: Random,
    out: String,
    ivs: Vec<String>,
    names: usize,
    accesses: i64,
    wanted: i64,
    /// Whether the sizes are used.
    symbolic: bool,
    /// Name, rank and type.
    arrays: Vec<(String, usize, String)>,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn indent(&mut self, depth: usize) {
        self.out.push_str(&"  ".repeat(depth));
    }

    fn items(&mut self, loops: usize, depth: usize) {
        let kept = self.arrays.len();
        if self.rng.chance(6) {
            let name = self.name();
            self.indent(depth);
            let _ = writeln!(self.out, "{name} = memref.alloc() : memref<8xf32>");
            self.arrays.push((name, 1, "memref<8xf32>".into()));
        }
        for _ in 0..self.rng.between(1, 2) {
            self.item(loops, depth);
        }
        self.arrays.truncate(kept);
    }

    fn item(&mut self, loops: usize, depth: usize) {
        match self.rng.between(0, 99) {
            0..=44 if loops < 3 => self.for_loop(loops, depth),
            45..=49 if loops < 2 => self.parallel(loops, depth),
            50..=59 if loops > 0 && depth < 6 => self.condition(loops, depth),
            _ if loops == 0 && self.rng.chance(80) => self.for_loop(loops, depth),
            _ => self.access(depth),
        }
    }

    /// A bound that is one expression, over the loops around.
    fn bound(&mut self, low: i64, high: i64) -> String {
        let c = self.rng.between(low, high);
        if self.symbolic && self.rng.chance(40) {
            let s = if self.rng.chance(50) { "s0" } else { "s1" };
            return format!("{s} + {}", self.rng.between(-1, 1));
        }
        if self.ivs.is_empty() || self.rng.chance(60) {
            return c.to_string();
        }
        let d = self.rng.between(0, self.ivs.len() as i64 - 1);
        match self.rng.between(0, 5) {
            0 => format!("d{d} floordiv 2 + {}", c.clamp(-1, 2)),
            1 => format!("d{d} mod 3 + {}", c.clamp(-1, 2)),
            2 => format!("{c} - d{d}"),
            _ => format!("d{d} + {}", c.clamp(-2, 3)),
        }
    }

    fn bounds(&mut self, low: i64, high: i64, keyword: &str) -> String {
        let dims: Vec<String> = (0..self.ivs.len()).map(|i| format!("d{i}")).collect();
        let several = self.rng.chance(15);
        let mut list = vec![self.bound(low, high)];
        if several {
            list.push(self.bound(low, high));
        }
        format!(
            "{}affine_map<({})[s0, s1] -> ({})>({})[%n, %m]",
            if several { keyword } else { "" },
            dims.join(", "),
            list.join(", "),
            self.ivs.join(", ")
        )
    }

    fn for_loop(&mut self, loops: usize, depth: usize) {
        let lower = self.bounds(-1, 2, "max ");
        let upper = self.bounds(2, 5, "min ");
        let step = if self.rng.chance(25) {
            format!(" step {}", self.rng.between(2, 3))
        } else {
            String::new()
        };
        let iv = self.name();
        self.indent(depth);
        let _ = writeln!(self.out, "affine.for {iv} = {lower} to {upper}{step} {{");
        self.ivs.push(iv);
        self.items(loops + 1, depth + 1);
        self.ivs.pop();
        self.indent(depth);
        self.out.push_str("}\n");
    }

    fn parallel(&mut self, loops: usize, depth: usize) {
        let (i, j) = (self.name(), self.name());
        let (a, b) = (self.rng.between(1, 3), self.rng.between(2, 4));
        let step = self.rng.between(1, 2);
        self.indent(depth);
        let _ = writeln!(
            self.out,
            "affine.parallel ({i}, {j}) = (0, 1) to ({a}, {b}) step (1, {step}) {{"
        );
        self.ivs.extend([i, j]);
        self.items(loops + 2, depth + 1);
        self.ivs.truncate(self.ivs.len() - 2);
        self.indent(depth);
        self.out.push_str("}\n");
    }

    fn condition(&mut self, loops: usize, depth: usize) {
        let n = self.ivs.len();
        let dims: Vec<String> = (0..n).map(|i| format!("d{i}")).collect();
        let mut list = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let e = self.linear();
            let e = match self.rng.between(0, 3) {
                0 => format!("({e}) mod {}", self.rng.between(2, 3)),
                1 => format!("({e}) floordiv 2"),
                _ => e,
            };
            let relation = if self.rng.chance(30) { "==" } else { ">=" };
            list.push(format!("{e} {relation} 0"));
        }
        self.indent(depth);
        let _ = writeln!(
            self.out,
            "affine.if affine_set<({})[s0, s1] : ({})>({})[%n, %m] {{",
            dims.join(", "),
            list.join(", "),
            self.ivs.join(", ")
        );
        self.items(loops, depth + 1);
        self.indent(depth);
        self.out.push('}');
        if self.rng.chance(50) {
            self.out.push_str(" else {\n");
            self.items(loops, depth + 1);
            self.indent(depth);
            self.out.push('}');
        }
        self.out.push('\n');
    }

    /// A linear expression over the loops around.
    fn linear(&mut self) -> String {
        let mut e = self.rng.between(-2, 3).to_string();
        for d in 0..self.ivs.len() {
            if self.rng.chance(60) {
                let c = [1, 1, 1, 2, -1, -2][self.rng.between(0, 5) as usize];
                e = format!("{e} + d{d} * {c}");
            }
        }
        if self.symbolic && self.rng.chance(20) {
            e = format!("{e} + s0");
        }
        e
    }

    fn subscript(&mut self) -> String {
        let e = self.linear();
        match self.rng.between(0, 9) {
            0 => format!("({e}) mod {}", self.rng.between(2, 4)),
            1 => format!("({e}) floordiv {}", self.rng.between(2, 3)),
            2 => format!("({e}) ceildiv {}", self.rng.between(2, 3)),
            3 if self.symbolic && !self.ivs.is_empty() => {
                let d = self.rng.between(0, self.ivs.len() as i64 - 1);
                format!("d{d} * s1 + {e}")
            }
            _ => e,
        }
    }

    fn access(&mut self, depth: usize) {
        self.accesses += 1;
        if self.accesses > 6 {
            // Too many pairs to enumerate; the text must not be empty though.
            self.indent(depth);
            let name = self.name();
            let _ = writeln!(self.out, "{name} = arith.constant 0 : i32");
            return;
        }
        let at = self.rng.between(0, self.arrays.len() as i64 - 1) as usize;
        let (array, rank, ty) = self.arrays[at].clone();
        let dims: Vec<String> = (0..self.ivs.len()).map(|i| format!("d{i}")).collect();
        let mut indices = Vec::new();
        for _ in 0..rank {
            let s = self.subscript();
            let name = self.name();
            self.indent(depth);
            let _ = writeln!(
                self.out,
                "{name} = affine.apply affine_map<({})[s0, s1] -> ({s})>({})[%n, %m]",
                dims.join(", "),
                self.ivs.join(", ")
            );
            indices.push(name);
        }
        let computed = self.rng.chance(15);
        if computed {
            let name = self.name();
            let op = if self.rng.chance(50) { "muli" } else { "subi" };
            self.indent(depth);
            let _ = writeln!(self.out, "{name} = arith.{op} {}, %c2 : index", indices[0]);
            indices[0] = name;
        }
        let store = self.rng.chance(55);
        let vector = !computed && !ty.contains("strided") && self.rng.chance(8);
        let list = indices.join(", ");
        self.indent(depth);
        let result = self.name();
        let _ = match (computed, store, vector) {
            (true, true, _) => writeln!(self.out, "memref.store %x, {array}[{list}] : {ty}"),
            (true, false, _) => writeln!(self.out, "{result} = memref.load {array}[{list}] : {ty}"),
            (_, true, true) => {
                writeln!(
                    self.out,
                    "affine.vector_store %v, {array}[{list}] : {ty}, vector<2xf32>"
                )
            }
            (_, false, true) => writeln!(
                self.out,
                "{result} = affine.vector_load {array}[{list}] : {ty}, vector<2xf32>"
            ),
            (_, true, false) => writeln!(self.out, "affine.store %x, {array}[{list}] : {ty}"),
            (_, false, false) => {
                writeln!(self.out, "{result} = affine.load {array}[{list}] : {ty}")
            }
        };
    }
}
