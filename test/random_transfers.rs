//! Random programs of host code and kernels, through `xfer-insert` and `xfer-optimize`,
//! and `xfer-offload-fragments` before them, on the interpreter with two memories: no element may be read that is stale, the
//! results are those of one memory, and never more bytes move than by any of the plain
//! schemes.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on; with
//! `TERRACE_RANDOM_SHOW=1` a failure prints what became of the program.

#[path = "random/rng.rs"]
mod rng;
#[path = "random/seeds.rs"]
mod seeds;

use rng::Rng;
use seeds::{over_seeds, seeds};
use std::fmt::Write;
use terrace::run::executor::Program;
use terrace::targets::interp::{Config, Interpreter, Value};

/// Programs where the environment names no number.
const COUNT: u64 = 100;
const ARRAY: &str = "memref<4xf64>";

struct Generator {
    rng: Rng,
    text: String,
    indent: usize,
    next: usize,
    /// Arrays in scope: all of four elements.
    arrays: Vec<String>,
    /// Counters of the loops around.
    counters: Vec<String>,
    /// Statements that may still be made.
    budget: usize,
    /// Whether a function may be given an array twice.
    aliases: bool,
}

impl Generator {
    fn line(&mut self, s: &str) {
        let pad = "  ".repeat(self.indent);
        let _ = writeln!(self.text, "{pad}{s}");
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn array(&mut self) -> String {
        let arrays = self.arrays.clone();
        self.rng.pick(&arrays).clone()
    }

    fn constant(&mut self, text: &str, ty: &str) -> String {
        let v = self.name();
        self.line(&format!("{v} = arith.constant {text} : {ty}"));
        v
    }

    /// An index of an array.
    fn at(&mut self) -> String {
        let k = self.rng.below(4);
        self.constant(&k.to_string(), "index")
    }

    /// Something that changes from iteration to iteration, or an argument.
    fn condition(&mut self) -> String {
        if self.counters.is_empty() || self.rng.chance(30) {
            return "%c".into();
        }
        let counters = self.counters.clone();
        let counter = self.rng.pick(&counters).clone();
        let two = self.constant("2", "index");
        let (rest, test) = (self.name(), self.name());
        self.line(&format!("{rest} = arith.remui {counter}, {two} : index"));
        let zero = self.constant("0", "index");
        let predicate = *self.rng.pick(&["eq", "ne"]);
        self.line(&format!(
            "{test} = arith.cmpi {predicate}, {rest}, {zero} : index"
        ));
        test
    }

    fn load(&mut self, array: &str) -> String {
        let (at, v) = (self.at(), self.name());
        self.line(&format!("{v} = memref.load {array}[{at}] : {ARRAY}"));
        v
    }

    /// A change of one element, from one of the same or of another array.
    fn change(&mut self, from: &str, to: &str) {
        let v = self.load(from);
        let k = self.rng.between(1, 9);
        let (k, sum, at) = (
            self.constant(&format!("{k}.0"), "f64"),
            self.name(),
            self.at(),
        );
        self.line(&format!("{sum} = arith.addf {v}, {k} : f64"));
        self.line(&format!("memref.store {sum}, {to}[{at}] : {ARRAY}"));
    }

    fn launch(&mut self, body: impl FnOnce(&mut Generator)) {
        self.line("gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)");
        self.line("           threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {");
        self.indent += 1;
        body(self);
        self.line("gpu.terminator");
        self.indent -= 1;
        self.line("}");
    }

    /// One after the other is set, without a look at what was there.
    fn fill(&mut self, array: &str) {
        let k = self.rng.between(10, 99);
        let v = self.constant(&format!("{k}.0"), "f64");
        for k in 0..4 {
            let at = self.constant(&k.to_string(), "index");
            self.line(&format!("memref.store {v}, {array}[{at}] : {ARRAY}"));
        }
    }

    /// A first and a last index of a part: constants, `%few` (which is `%n` cut to an
    /// array's size), the counter of a loop that does not leave the array.
    fn range(&mut self) -> (String, String) {
        let counter = match self.rng.chance(30) {
            true => self.counters.last().cloned(),
            false => None,
        };
        if let Some(counter) = counter {
            let (four, k, end) = (self.constant("4", "index"), self.name(), self.name());
            self.line(&format!("{k} = arith.remui {counter}, {four} : index"));
            self.line(&format!("{end} = arith.addi {k}, %c1 : index"));
            return (k, end);
        }
        let low = self.rng.below(4);
        let high = low + self.rng.below(5 - low);
        let from = self.constant(&low.to_string(), "index");
        let to = match self.rng.chance(30) {
            true => "%few".into(),
            false => self.constant(&high.to_string(), "index"),
        };
        (from, to)
    }

    /// Part of an array from the same part of another, element by element.
    fn sweep(&mut self, from: &str, to: &str, on_device: bool) {
        let (low, high) = self.range();
        let (i, v, w) = (self.name(), self.name(), self.name());
        let two = self.constant("2.0", "f64");
        let change = |g: &mut Generator, i: &str| {
            g.line(&format!("{v} = memref.load {from}[{i}] : {ARRAY}"));
            g.line(&format!("{w} = arith.mulf {v}, {two} : f64"));
            g.line(&format!("memref.store {w}, {to}[{i}] : {ARRAY}"));
        };
        if on_device && self.rng.chance(60) {
            // A thread for each, and some that have nothing to do.
            let (trips, zero, most) = (self.name(), self.name(), self.name());
            self.line(&format!("{trips} = arith.subi {high}, {low} : index"));
            self.line(&format!("{zero} = arith.constant 0 : index"));
            self.line(&format!("{most} = arith.maxsi {trips}, {zero} : index"));
            let (at, test, c2) = (self.name(), self.name(), self.constant("2", "index"));
            self.line("gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)");
            self.line(&format!(
                "           threads(%tx, %ty, %tz) in (%sx = {c2}, %sy = %c1, %sz = %c1) {{"
            ));
            self.line(&format!("  {at} = arith.muli %bx, %sx : index"));
            let sum = self.name();
            self.line(&format!("  {sum} = arith.addi {at}, %tx : index"));
            self.line(&format!("  {test} = arith.cmpi slt, {sum}, {most} : index"));
            self.line(&format!("  scf.if {test} {{"));
            self.indent += 2;
            self.line(&format!("{i} = arith.addi {low}, {sum} : index"));
            change(self, &i);
            self.indent -= 2;
            self.line("  }");
            self.line("  gpu.terminator");
            self.line("}");
            return;
        }
        let sweep = |g: &mut Generator| {
            g.line(&format!("scf.for {i} = {low} to {high} step %c1 {{"));
            g.indent += 1;
            change(g, &i);
            g.indent -= 1;
            g.line("}");
        };
        match on_device {
            true => self.launch(sweep),
            false => sweep(self),
        }
    }

    fn body(&mut self, statements: usize) {
        self.indent += 1;
        let outer = self.arrays.clone();
        self.block(statements);
        self.arrays = outer;
        self.indent -= 1;
    }

    fn block(&mut self, statements: usize) {
        for _ in 0..statements {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        let inner = 1 + self.rng.below(3);
        match self.rng.below(30) {
            0..=3 => {
                let (from, to) = (self.array(), self.array());
                self.launch(|g| g.change(&from, &to));
            }
            4 => {
                let array = self.array();
                self.launch(|g| {
                    let v = g.load(&array);
                    let _ = v;
                });
            }
            5..=6 => {
                let (from, to) = (self.array(), self.array());
                self.change(&from, &to);
            }
            7 => {
                // What the host reads shows in an argument.
                let array = self.array();
                let v = self.load(&array);
                let (old, sum) = (self.name(), self.name());
                self.line(&format!("{old} = memref.load %log[%c0] : memref<1xf64>"));
                self.line(&format!("{sum} = arith.addf {old}, {v} : f64"));
                self.line(&format!("memref.store {sum}, %log[%c0] : memref<1xf64>"));
            }
            8 => {
                // All of it anew, by whoever.
                let array = self.array();
                self.line(&format!("xfer.discard {array} : {ARRAY}"));
                match self.rng.chance(50) {
                    true => self.launch(|g| g.fill(&array)),
                    false => self.fill(&array),
                }
            }
            9..=11 => {
                let (v, upper) = (self.name(), self.trips());
                self.line(&format!("scf.for {v} = %c0 to {upper} step %c1 {{"));
                self.counters.push(v);
                self.body(inner);
                self.counters.pop();
                self.line("}");
            }
            12..=13 => {
                let test = self.condition();
                self.line(&format!("scf.if {test} {{"));
                self.body(inner);
                if self.rng.chance(40) {
                    self.line("} else {");
                    self.body(1);
                }
                self.line("}");
            }
            14 => {
                let (counter, test, next) = (self.name(), self.name(), self.name());
                let upper = self.trips();
                let w = self.name();
                self.line(&format!(
                    "{w} = scf.while ({counter} = %c0) : (index) -> index {{"
                ));
                self.counters.push(counter.clone());
                if self.rng.chance(50) {
                    self.body(1);
                }
                self.counters.pop();
                self.line(&format!(
                    "  {test} = arith.cmpi ult, {counter}, {upper} : index"
                ));
                self.line(&format!("  scf.condition({test}) {counter} : index"));
                let inner_counter = self.name();
                self.line("} do {");
                self.line(&format!("^bb0({inner_counter}: index):"));
                self.counters.push(inner_counter.clone());
                self.body(inner);
                self.counters.pop();
                self.line(&format!(
                    "  {next} = arith.addi {inner_counter}, %c1 : index"
                ));
                self.line(&format!("  scf.yield {next} : index"));
                self.line("}");
            }
            15 => {
                // A part of an array, under a name of its own.
                let (array, part, v) = (self.array(), self.name(), self.name());
                let ty = "memref<2xf64, strided<[1], offset: 1>>";
                self.line(&format!(
                    "{part} = memref.subview {array}[1] [2] [1] : {ARRAY} to {ty}"
                ));
                let access = |g: &mut Generator| {
                    let sum = g.name();
                    g.line(&format!("{v} = memref.load {part}[%c0] : {ty}"));
                    g.line(&format!("{sum} = arith.addf {v}, {v} : f64"));
                    g.line(&format!("memref.store {sum}, {part}[%c1] : {ty}"));
                };
                match self.rng.chance(60) {
                    true => self.launch(access),
                    false => access(self),
                }
            }
            16 => {
                // One of two arrays.
                let (a, b, either) = (self.array(), self.array(), self.name());
                let test = self.condition();
                self.line(&format!(
                    "{either} = arith.select {test}, {a}, {b} : {ARRAY}"
                ));
                let other = self.array();
                match self.rng.chance(50) {
                    true => self.launch(|g| g.change(&either, &either)),
                    false => self.change(&other, &either),
                }
            }
            17 => {
                let array = self.array();
                let callee = *self
                    .rng
                    .pick(&["reads", "writes", "kernel", "twice", "to_table"]);
                // An argument is no global that the function knows by its name.
                let callee = match array == "%g" {
                    true => "kernel",
                    false => callee,
                };
                self.line(&format!(
                    "func.call @{callee}({array}, %log) : ({ARRAY}, memref<1xf64>) -> ()"
                ));
            }
            18..=21 => self.call_of_two(),
            22..=27 => {
                let (from, to) = (self.array(), self.array());
                let on_device = self.rng.chance(60);
                self.sweep(&from, &to, on_device);
            }
            _ => {
                let local = self.name();
                self.line(&format!("{local} = memref.alloc() : {ARRAY}"));
                match self.rng.chance(50) {
                    true => self.launch(|g| g.fill(&local)),
                    false => self.fill(&local),
                }
                let outer = self.arrays.clone();
                self.arrays.push(local.clone());
                self.block(inner);
                self.arrays = outer;
                self.line(&format!("memref.dealloc {local} : {ARRAY}"));
            }
        }
    }

    /// A call of a function that launches kernels on two arrays, or on one of them.
    fn call_of_two(&mut self) {
        let array = self.array();
        let others: Vec<String> = self
            .arrays
            .iter()
            .filter(|a| **a != array)
            .cloned()
            .collect();
        let other = match self.aliases && self.rng.chance(40) {
            true => array.clone(),
            false => self.rng.pick(&others).clone(),
        };
        let callees = [
            "pair",
            "both_ways",
            "loops",
            "perhaps",
            "early",
            "deep",
            "between",
            "partly",
        ];
        let callee = *self.rng.pick(&callees);
        let (n, c) = (self.trips(), self.condition());
        self.line(&format!(
            "func.call @{callee}({array}, {other}, %log, {n}, {c}) : ({ARRAY}, {ARRAY}, memref<1xf64>, index, i1) -> ()"
        ));
    }

    /// How often a loop runs: known, or not.
    fn trips(&mut self) -> String {
        let trips = ["%n", "%c0", "%c1", "%c3", "%n", "%c3"];
        (*self.rng.pick(&trips)).to_string()
    }
}

const CALLEES: &str = "
func.func private @reads(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xf64>
  memref.store %v, %log[%c0] : memref<1xf64>
  return
}
func.func private @writes(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 5.0 : f64
  memref.store %v, %m[%c0] : memref<4xf64>
  return
}
func.func private @kernel(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %m[%c1] : memref<4xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %m[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @to_table(%m: memref<4xf64>, %log: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.get_global @table : memref<4xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %m[%c1] : memref<4xf64>
    memref.store %v, %t[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @twice(%m: memref<4xf64>, %log: memref<1xf64>) {
  func.call @kernel(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  func.call @writes(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  return
}
";

/// Functions of two arrays.
const OF_TWO: &str = "
func.func private @pair(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  KERNEL {
    %v = memref.load %m[%c1] : memref<4xf64>
    %w = memref.load %p[%c0] : memref<4xf64>
    %s = arith.addf %v, %w : f64
    memref.store %s, %p[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
func.func private @both_ways(SIGNATURE) {
  func.call @pair(%m, %p, %log, %n, %c) : TYPES
  func.call @pair(%p, %m, %log, %n, %c) : TYPES
  func.call @reads(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  return
}
func.func private @loops(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @pair(%m, %p, %log, %n, %c) : TYPES
  }
  return
}
func.func private @perhaps(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3.0 : f64
  scf.if %c {
    func.call @pair(%m, %p, %log, %n, %c) : TYPES
  } else {
    memref.store %k, %m[%c1] : memref<4xf64>
  }
  return
}
func.func private @early(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.cond_br %c, ^kernel, ^host
^kernel:
  KERNEL {
    %v = memref.load %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c1] : memref<4xf64>
    gpu.terminator
  }
  return
^host:
  %w = memref.load %p[%c0] : memref<4xf64>
  memref.store %w, %m[%c1] : memref<4xf64>
  return
}
func.func private @deep(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @loops(%m, %p, %log, %n, %c) : TYPES
  func.call @perhaps(%p, %m, %log, %n, %c) : TYPES
  func.call @early(%p, %m, %log, %n, %c) : TYPES
  return
}
func.func private @partly(SIGNATURE) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %few = arith.minsi %n, %c4 : index
  scf.for %i = %c1 to %few step %c1 {
    KERNEL {
      %v = memref.load %m[%i] : memref<4xf64>
      memref.store %v, %p[%i] : memref<4xf64>
      gpu.terminator
    }
  }
  return
}
func.func private @between(SIGNATURE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  KERNEL {
    %v = memref.load %m[%c0] : memref<4xf64>
    memref.store %v, %m[%c1] : memref<4xf64>
    gpu.terminator
  }
  %w = memref.load %m[%c1] : memref<4xf64>
  memref.store %w, %log[%c0] : memref<1xf64>
  memref.store %w, %p[%c1] : memref<4xf64>
  func.call @pair(%m, %p, %log, %n, %c) : TYPES
  return
}
";

/// The functions that programs call, with what they have in common written out.
fn callees() -> String {
    let of_two = OF_TWO
        .replace(
            "SIGNATURE",
            "%m: memref<4xf64>, %p: memref<4xf64>, %log: memref<1xf64>, %n: index, %c: i1",
        )
        .replace(
            "TYPES",
            "(memref<4xf64>, memref<4xf64>, memref<1xf64>, index, i1) -> ()",
        )
        .replace(
            "KERNEL",
            "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)",
        );
    format!("{CALLEES}{of_two}")
}

/// Whether the functions of a program may be given an array twice.
fn has_aliases(seed: u64) -> bool {
    seed % 4 == 1
}

/// A program; every third leaves early.
fn generate(seed: u64) -> String {
    let mut g = Generator {
        rng: Rng::new(seed),
        text: String::new(),
        indent: 1,
        next: 0,
        arrays: vec!["%a".into(), "%b".into()],
        counters: Vec::new(),
        budget: 14,
        aliases: has_aliases(seed),
    };
    g.line(&format!(
        "func.func @main(%a: {ARRAY}, %b: {ARRAY}, %log: memref<1xf64>, %n: index, %c: i1) {{"
    ));
    for (name, k) in [("%c0", "0"), ("%c1", "1"), ("%c3", "3")] {
        g.line(&format!("{name} = arith.constant {k} : index"));
    }
    let size = g.constant("4", "index");
    g.line(&format!("%few = arith.minsi %n, {size} : index"));
    if g.rng.chance(20) {
        g.line(&format!("%g = memref.get_global @table : {ARRAY}"));
        g.arrays.push("%g".into());
    }
    let statements = 3 + g.rng.below(5);
    g.block(statements);
    if seed.is_multiple_of(3) {
        g.line("cf.cond_br %c, ^early, ^late");
        g.line("^early:");
        g.block(1);
        match g.rng.chance(50) {
            true => g.line("return"),
            false => g.line("cf.br ^end"),
        }
        g.line("^late:");
        g.block(2);
        g.line("cf.br ^end");
        g.line("^end:");
        g.block(2);
    }
    g.line("return");
    g.indent = 0;
    g.line("}");
    format!(
        "memref.global \"private\" @table : {ARRAY} = dense<[1.0, 2.0, 3.0, 4.0]>\n{}{}",
        g.text,
        callees()
    )
}

/// Copies and launches go on while the host does something else.
const OVERLAP: &str = "xfer-check,func.func(xfer-overlap),xfer-check";

/// Copies and launches in pieces, however short.
const CHUNK: &str = "func.func(xfer-chunk{chunks=2 min-bytes=0 short-kernels=true remarks=true})";

/// The runs that a program is tried with.
const RUNS: [(i64, bool); 5] = [(0, false), (0, true), (1, true), (2, false), (3, true)];

/// What is left in the arguments, and the bytes that moved.
fn run(p: &Program, n: i64, c: bool, unified: bool) -> Result<(Vec<Vec<u8>>, u64), String> {
    let config = Config {
        unified_memory: unified,
        max_steps: 10_000_000,
        ..Config::default()
    };
    let mut interp = Interpreter::with_config(&p.ctx, p.module, config);
    let f64s = |v: &[f64]| -> Vec<u8> { v.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let f64 = p.ctx.f64();
    let array = |n: i64| {
        p.ctx.ty(terrace::ir::TypeData::MemRef {
            shape: [n].as_slice().into(),
            elem: f64,
            layout: None,
            space: None,
        })
    };
    let mut args = Vec::new();
    for (size, content) in [
        (4, vec![1.0, 2.0, 3.0, 4.0]),
        (4, vec![5.0, 6.0, 7.0, 8.0]),
        (1, vec![0.0]),
    ] {
        let made = interp.array(array(size), &[size], &f64s(&content));
        args.push(made.map_err(|e| e.render(&p.ctx))?);
    }
    let memrefs = args.clone();
    args.push(Value::Index(n));
    args.push(Value::bool(c));
    interp.call("main", args).map_err(|e| e.render(&p.ctx))?;
    let mut out = Vec::new();
    for m in &memrefs {
        let array = interp.read_array(m).map_err(|e| e.render(&p.ctx))?;
        out.push(array.bytes);
    }
    let c = interp.counters();
    Ok((out, c.to_device.bytes + c.to_host.bytes))
}

fn words(e: Vec<terrace::ir::diag::Diagnostic>) -> String {
    e.into_iter()
        .map(|d| d.message)
        .collect::<Vec<_>>()
        .join("\n")
}

/// What a program is put through: each scheme, with and without `xfer-optimize`, one function
/// at a time and the whole module.
fn pipelines(seed: u64) -> Vec<String> {
    let aliases = has_aliases(seed);
    let mut out = Vec::new();
    for scheme in ["kernel", "host", "mixed"] {
        let insert = format!("xfer-insert{{scheme={scheme}}}");
        // With flags of the program's own in place of the interpreter's, and buffers that
        // outlive loops and serve for several arrays.
        let rest = match scheme {
            "mixed" => {
                format!("xfer-check,xfer-lower-mirrors,func.func(xfer-hoist-allocations),{OVERLAP}")
            }
            "host" => OVERLAP.to_string(),
            _ => "xfer-check".to_string(),
        };
        let narrow = "func.func(xfer-narrow)";
        let mut of_scheme = vec![
            format!("{insert},xfer-optimize,{rest}"),
            format!("{insert},xfer-optimize,{narrow},{rest}"),
        ];
        // One of the two: they take long.
        match scheme {
            "kernel" if seed.is_multiple_of(2) => {
                of_scheme.push(format!("{insert},{CHUNK},{OVERLAP}"))
            }
            "mixed" if !seed.is_multiple_of(2) => {
                of_scheme.push(format!("{insert},xfer-optimize,{narrow},{CHUNK},{rest}"));
            }
            _ => {}
        }
        // A mirror for one launch lies beside those of the host scheme, which copies them
        // back over what that launch left.
        of_scheme.push(match scheme {
            "host" => insert,
            "mixed" => {
                format!("{insert},{OVERLAP},xfer-lower-mirrors,func.func(xfer-hoist-allocations)")
            }
            _ => format!("{insert},{OVERLAP}"),
        });
        for passes in of_scheme {
            // A function by itself takes its arguments for different memory.
            if !aliases {
                let alone = passes.replace("func.func(", "").replace(')', "");
                out.push(format!("builtin.module(func.func({alone}))"));
            }
            out.push(format!("builtin.module({passes})"));
        }
    }
    out
}

/// How many launches were split.
fn pieces(p: &mut Program) -> u64 {
    let all = p.ctx.take_diagnostics();
    let split = |d: &&terrace::ir::diag::Diagnostic| d.message.starts_with("split into");
    all.iter().filter(split).count() as u64
}

/// The bytes that move without narrowing and with it, in all runs; launches that were split.
fn check(seed: u64) -> Result<[u64; 3], String> {
    let text = generate(seed);
    let parse = || Program::new("random.mlir", &text).map_err(words);
    let original = parse()?;
    let mut by_scheme = Vec::new();
    let mut sums = [0; 3];
    for pipeline in pipelines(seed) {
        let mut p = parse()?;
        let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => text.clone(),
            false => String::new(),
        };
        p.run_pipeline(&pipeline)
            .map_err(|e| format!("{pipeline}: {}\n{}", words(e), shown()))?;
        sums[2] += pieces(&mut p);
        by_scheme.push((pipeline, p));
    }
    // Statements of the host on the device: all that can go there, and what pays. The
    // bytes are no better for all of it.
    let mut moved = Vec::new();
    for passes in [
        "func.func(xfer-offload-fragments{all=true}),xfer-insert,xfer-optimize,xfer-check",
        "func.func(xfer-offload-fragments),xfer-insert,xfer-optimize,xfer-check,xfer-lower-mirrors",
    ] {
        let mut p = parse()?;
        let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => text.clone(),
            false => String::new(),
        };
        p.run_pipeline(&format!("builtin.module({passes})"))
            .map_err(|e| format!("{passes}: {}\n{}", words(e), shown()))?;
        moved.push((passes, p));
    }
    for (n, c) in RUNS {
        let (truth, _) = run(&original, n, c, true)?;
        for (passes, p) in &moved {
            let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                true => format!("{text}\nbecame\n{}", p.text()),
                false => String::new(),
            };
            let (found, _) = run(p, n, c, false)
                .map_err(|e| format!("{passes}, n = {n}, c = {c}: {e}\n{}", shown()))?;
            if found != truth {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: other results\n{}",
                    shown()
                ));
            }
        }
        let mut bytes = Vec::new();
        for (passes, p) in &by_scheme {
            let shown = || match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                true => format!("{text}\nbecame\n{}", p.text()),
                false => String::new(),
            };
            let (found, moved) = run(p, n, c, false)
                .map_err(|e| format!("{passes}, n = {n}, c = {c}: {e}\n{}", shown()))?;
            if found != truth {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: other results\n{}",
                    shown()
                ));
            }
            bytes.push((passes, moved));
            if passes.contains("optimize") {
                sums[usize::from(passes.contains("narrow"))] += moved;
            }
        }
        for ((passes, moved), (_, p)) in bytes.iter().zip(&by_scheme) {
            // One function at a time does no better than that, nor do copies of the whole
            // better than those of boxes.
            let alone = |p: &str| p.contains("builtin.module(func.func(xfer-insert");
            let like = bytes.iter().filter(|b| !b.0.contains("narrow"));
            let like = like.filter(|b| !alone(passes) || alone(b.0));
            let least = like.map(|b| b.1).min().unwrap_or(0);
            if passes.contains("optimize") && *moved > least {
                return Err(format!(
                    "{passes}, n = {n}, c = {c}: {moved} bytes, but {bytes:?}\n{}",
                    match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
                        true => format!("{text}\nbecame\n{}", p.text()),
                        false => String::new(),
                    }
                ));
            }
        }
    }
    Ok(sums)
}

/// The program without one of its waits, or with a token less that an op comes after.
fn planted(text: &str, rng: &mut Rng) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let waits = |l: &&str| l.trim_start().starts_with("xfer.wait ");
    let takes = |l: &&str| {
        let start = l.trim_start();
        start.starts_with('%') && start.contains(" async [")
    };
    let places: Vec<usize> = (0..lines.len())
        .filter(|k| waits(&lines[*k]) || takes(&lines[*k]))
        .collect();
    if places.is_empty() {
        return None;
    }
    let at = *rng.pick(&places);
    let mut out: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
    if waits(&lines[at]) {
        out.remove(at);
        return Some(out.join("\n"));
    }
    let (before, rest) = lines[at].split_once('[')?;
    let (list, behind) = rest.split_once(']')?;
    let mut tokens: Vec<&str> = list.split(", ").collect();
    tokens.remove(rng.below(tokens.len()));
    out[at] = match tokens.is_empty() {
        true => format!("{}{behind}", before.trim_end()),
        false => format!("{before}[{}]{behind}", tokens.join(", ")),
    };
    Some(out.join("\n"))
}

/// A mistake in the order of what goes on at once: the interpreter finds it in a run, or
/// the results are right; and what it finds in any run `xfer-check` refuses. Whether
/// there was a fault, and whether the check refused.
fn check_planted(seed: u64) -> Result<Option<(bool, bool)>, String> {
    let text = generate(seed);
    let original = Program::new("random.mlir", &text).map_err(words)?;
    let mut p = Program::new("random.mlir", &text).map_err(words)?;
    let passes = match seed % 3 {
        0 => format!("xfer-insert,{CHUNK},{OVERLAP}"),
        _ => format!("xfer-insert,xfer-optimize,{OVERLAP}"),
    };
    p.run_pipeline(&format!("builtin.module({passes})"))
        .map_err(|e| match std::env::var("TERRACE_RANDOM_SHOW").is_ok() {
            true => format!("{passes}: {}\n{text}", words(e)),
            false => format!("{passes}: {}", words(e)),
        })?;
    let Some(broken) = planted(&p.text(), &mut Rng::new(seed ^ 0x5eed)) else {
        return Ok(None);
    };
    let parse =
        || Program::new("planted.mlir", &broken).map_err(|e| format!("{}\n{broken}", words(e)));
    let mut fault = None;
    let broken_program = parse()?;
    for (n, c) in RUNS {
        let (truth, _) = run(&original, n, c, true)?;
        match run(&broken_program, n, c, false) {
            Err(e) => fault = Some(e),
            Ok((found, _)) if found != truth => {
                return Err(format!("n = {n}, c = {c}: other results\n{broken}"));
            }
            Ok(_) => {}
        }
    }
    let refused = parse()?.run_pipeline("builtin.module(xfer-check)").is_err();
    match fault {
        Some(e) if !refused => Err(format!("accepted, but: {e}\n{broken}")),
        _ => Ok(Some((fault.is_some(), refused))),
    }
}

#[test]
fn planted_races_are_found() {
    let seeds = seeds(COUNT / 2);
    let count = seeds.end - seeds.start;
    let found = over_seeds(seeds, 3, |seed| {
        check_planted(seed).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
    let faults = found.iter().flatten().filter(|f| f.0).count() as u64;
    let refusals = found.iter().flatten().filter(|f| f.1).count();
    eprintln!("{count} programs: {faults} with a fault, {refusals} refused");
    if count >= 100 {
        assert!(faults > count / 10);
    }
}

#[test]
fn no_stale_reads_and_no_copy_too_many() {
    let seeds = seeds(COUNT);
    let count = seeds.end - seeds.start;
    let found = over_seeds(seeds, 12, |seed| {
        check(seed).map_err(|e| vec![format!("seed {seed}: {e}")])
    });
    let sum = |i: usize| found.iter().map(|of_one| of_one[i]).sum::<u64>();
    let [whole, boxes, pieces] = [sum(0), sum(1), sum(2)];
    eprintln!(
        "{count} programs: {whole} bytes, {boxes} with copies of boxes; {pieces} launches in pieces"
    );
    if count >= 100 {
        assert!(boxes < whole / 10 * 9);
        assert!(pieces > count / 10);
    }
}
