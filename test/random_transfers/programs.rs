//! Random programs of host code and kernels over arrays of four elements.

use super::callees::callees;
use crate::rng::Rng;
use std::fmt::Write;

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
    /// Whether arrays are copied to others as a whole.
    copies: bool,
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
        if self.copies && self.rng.chance(30) {
            return self.whole_copy();
        }
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

    /// An array to another, where there are two.
    fn whole_copy(&mut self) {
        let from = self.array();
        let others: Vec<String> = (self.arrays.iter())
            .filter(|a| **a != from)
            .cloned()
            .collect();
        let to = self.rng.pick(&others).clone();
        self.line(&format!("memref.copy {from}, {to} : {ARRAY} to {ARRAY}"));
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

/// Whether the functions of a program may be given an array twice.
pub fn has_aliases(seed: u64) -> bool {
    seed % 4 == 1
}

/// A program; every third leaves early. With `copies` it is another, in which arrays are copied
/// to others as a whole.
pub fn generate(seed: u64, copies: bool) -> String {
    let mut g = Generator {
        rng: Rng::new(seed),
        text: String::new(),
        indent: 1,
        next: 0,
        arrays: vec!["%a".into(), "%b".into()],
        counters: Vec::new(),
        budget: 14,
        aliases: has_aliases(seed),
        copies,
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
