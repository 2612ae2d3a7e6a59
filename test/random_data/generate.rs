//! Random programs of data regions, `enter_data`, `exit_data` and updates around kernels
//! and code of the host; and the same programs without them, for one memory.

use crate::rng::Rng;

pub const HOST: &str = "memref<4xf64>";
const DEVICE: &str = "memref<4xf64, #xfer.device>";

/// Which side has elements that the other, if there is one, has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newer {
    Neither,
    Host,
    Device,
}

#[derive(Clone)]
struct Array {
    name: String,
    newer: Newer,
    /// Its buffer in the data region that this is written in, and the clause.
    buffer: Option<String>,
}

pub struct Generator {
    rng: Rng,
    /// With data ops and without.
    data: String,
    plain: String,
    next: usize,
    arrays: Vec<Array>,
    counters: Vec<String>,
    budget: usize,
    /// Whether arrays may be entered outside of regions.
    enters: bool,
    calls: bool,
    /// Whether some updates are of halves.
    halves: bool,
    /// In a hundred updates this many are forgotten.
    forgets: usize,
}

impl Generator {
    fn line(&mut self, s: &str) {
        self.both(s, s);
    }

    fn both(&mut self, data: &str, plain: &str) {
        self.data.push_str(data);
        self.data.push('\n');
        self.plain.push_str(plain);
        self.plain.push('\n');
    }

    fn only(&mut self, data: &str) {
        self.data.push_str(data);
        self.data.push('\n');
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn array(&mut self) -> usize {
        self.rng.below(self.arrays.len())
    }

    fn constant(&mut self, text: &str, ty: &str) -> String {
        let v = self.name();
        self.line(&format!("{v} = arith.constant {text} : {ty}"));
        v
    }

    fn at(&mut self) -> String {
        let k = self.rng.below(4);
        self.constant(&k.to_string(), "index")
    }

    // ---- what keeps both sides alike ----

    fn update(&mut self, side: &str, k: usize) {
        if self.rng.chance(self.forgets) {
            return;
        }
        let name = self.arrays[k].name.clone();
        if self.halves && self.rng.chance(40) {
            return self.update_halves(side, &name);
        }
        match self.rng.chance(20) && self.enters {
            true => {
                let is = self.name();
                self.only(&format!("{is} = xfer.is_present {name} : {HOST}"));
                self.only(&format!("scf.if {is} {{"));
                self.only(&format!("xfer.update {side}({name} : {HOST})"));
                self.only("}");
            }
            false => self.only(&format!("xfer.update {side}({name} : {HOST}) if_present")),
        }
    }

    /// An update of each half, of which one may be forgotten.
    fn update_halves(&mut self, side: &str, name: &str) {
        for (at, layout) in [(0, "strided<[1]>"), (2, "strided<[1], offset: 2>")] {
            if self.rng.chance(self.forgets / 2) {
                continue;
            }
            let (half, ty) = (self.name(), format!("memref<2xf64, {layout}>"));
            self.only(&format!(
                "{half} = memref.subview {name}[{at}] [2] [1] : {HOST} to {ty}"
            ));
            self.only(&format!("xfer.update {side}({half} : {ty}) if_present"));
        }
    }

    /// Makes what the host has of an array whole.
    fn bring_to_host(&mut self, k: usize) {
        if self.arrays[k].newer == Newer::Device {
            self.update("host", k);
            self.arrays[k].newer = Newer::Neither;
        }
    }

    fn bring_to_device(&mut self, k: usize) {
        if self.arrays[k].newer == Newer::Host {
            self.update("device", k);
            self.arrays[k].newer = Newer::Neither;
        }
    }

    fn both_sides(&mut self) {
        for k in 0..self.arrays.len() {
            self.bring_to_host(k);
            self.bring_to_device(k);
        }
    }

    // ---- statements ----

    /// A change of one element, from one of the same or of another array, by the host.
    fn host_change(&mut self, from: usize, to: usize) {
        self.bring_to_host(from);
        self.bring_to_host(to);
        let (from, name) = (self.arrays[from].name.clone(), self.arrays[to].name.clone());
        self.change((&from, HOST), (&name, HOST), (&from, &name));
        self.arrays[to].newer = Newer::Host;
    }

    /// `data`: what the text with data ops calls them, and of which type.
    fn change(&mut self, from: (&str, &str), to: (&str, &str), plain: (&str, &str)) {
        let (i, j, v, sum) = (self.at(), self.at(), self.name(), self.name());
        let k = self.rng.between(1, 9);
        let k = self.constant(&format!("{k}.0"), "f64");
        self.both(
            &format!("{v} = memref.load {}[{i}] : {}", from.0, from.1),
            &format!("{v} = memref.load {}[{i}] : {HOST}", plain.0),
        );
        self.line(&format!("{sum} = arith.addf {v}, {k} : f64"));
        self.both(
            &format!("memref.store {sum}, {}[{j}] : {}", to.0, to.1),
            &format!("memref.store {sum}, {}[{j}] : {HOST}", plain.1),
        );
    }

    fn open_launch(&mut self) {
        self.line("gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)");
        self.line("           threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {");
    }

    fn close_launch(&mut self) {
        self.line("gpu.terminator");
        self.line("}");
    }

    /// What a kernel calls an array: the host's, or the buffer of a region.
    fn in_kernel(&mut self, k: usize) -> (String, &'static str) {
        let a = &self.arrays[k];
        match &a.buffer {
            Some(b) if self.rng.chance(60) => (b.clone(), DEVICE),
            _ => (a.name.clone(), HOST),
        }
    }

    fn launch(&mut self) {
        let (from, to) = (self.array(), self.array());
        self.bring_to_device(from);
        self.bring_to_device(to);
        let plain = (self.arrays[from].name.clone(), self.arrays[to].name.clone());
        let (f, t) = (self.in_kernel(from), self.in_kernel(to));
        self.open_launch();
        self.change((&f.0, f.1), (&t.0, t.1), (&plain.0, &plain.1));
        self.close_launch();
        self.arrays[to].newer = Newer::Device;
    }

    /// All of an array anew, by a kernel.
    fn fill(&mut self, k: usize) {
        let n = self.rng.between(10, 99);
        let v = self.constant(&format!("{n}.0"), "f64");
        let plain = self.arrays[k].name.clone();
        let (name, ty) = self.in_kernel(k);
        self.open_launch();
        for i in 0..4 {
            let at = self.constant(&i.to_string(), "index");
            self.both(
                &format!("memref.store {v}, {name}[{at}] : {ty}"),
                &format!("memref.store {v}, {plain}[{at}] : {HOST}"),
            );
        }
        self.close_launch();
        self.arrays[k].newer = Newer::Device;
    }

    /// What the host reads shows in an argument.
    fn log(&mut self) {
        let k = self.array();
        self.bring_to_host(k);
        let (at, v, old, sum) = (self.at(), self.name(), self.name(), self.name());
        let name = self.arrays[k].name.clone();
        self.line(&format!("{v} = memref.load {name}[{at}] : {HOST}"));
        self.line(&format!("{old} = memref.load %log[%c0] : memref<1xf64>"));
        self.line(&format!("{sum} = arith.addf {old}, {v} : f64"));
        self.line(&format!("memref.store {sum}, %log[%c0] : memref<1xf64>"));
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

    /// A body that begins and ends with both sides alike.
    fn body(&mut self, statements: usize) {
        let count = self.arrays.len();
        self.block(statements);
        self.both_sides();
        self.arrays.truncate(count);
    }

    fn region(&mut self) {
        let first = self.array();
        let mut clauses = Vec::new();
        for k in 0..self.arrays.len() {
            if k == first || self.rng.chance(30) {
                let there = self.arrays[k].buffer.is_some();
                let words: &[&str] = match there {
                    true => &[
                        "present",
                        "copy",
                        "copyin",
                        "create",
                        "no_create",
                        "copyout",
                    ],
                    false => &["copy", "copy", "copyin", "copyout", "create"],
                };
                clauses.push((k, *self.rng.pick(words), self.name()));
            }
        }
        let list: Vec<String> = clauses
            .iter()
            .map(|(k, word, buffer)| {
                let name = &self.arrays[*k].name;
                format!("{word}({name} as {buffer} : {HOST} to {DEVICE})")
            })
            .collect();
        for (k, _, _) in &clauses {
            self.bring_to_host(*k);
        }
        self.only(&format!("xfer.data {} {{", list.join(" ")));
        let before = self.arrays.clone();
        for (k, word, buffer) in &clauses {
            let absent = self.is_absent(*k);
            let a = &mut self.arrays[*k];
            a.buffer = Some(buffer.clone());
            match *word {
                "copy" | "copyin" if absent => a.newer = Newer::Neither,
                // The device has nothing, if it was absent.
                "copyout" | "create" if before[*k].buffer.is_none() => a.newer = Newer::Host,
                _ => {}
            }
        }
        let count = self.arrays.len();
        // Often all of an array is written first.
        for (k, word, _) in &clauses {
            if *word == "copyout" && self.rng.chance(60) && self.arrays[*k].newer == Newer::Host {
                self.fill(*k);
            }
        }
        let statements = 1 + self.rng.below(3);
        self.block(statements);
        for (k, word, _) in &clauses {
            match *word {
                "copy" | "copyout" => self.bring_to_device(*k),
                _ => self.bring_to_host(*k),
            }
        }
        for k in count..self.arrays.len() {
            self.bring_to_host(k);
        }
        self.arrays.truncate(count);
        self.only("}");
        for (k, _, _) in &clauses {
            self.arrays[*k].buffer = before[*k].buffer.clone();
            match self.is_absent(*k) {
                // The host has all of it.
                true => self.arrays[*k].newer = Newer::Neither,
                false => self.bring_to_host(*k),
            }
        }
    }

    /// Whether an array is sure to be absent.
    fn is_absent(&self, k: usize) -> bool {
        !self.enters && self.arrays[k].buffer.is_none()
    }

    /// An array that is entered, and exited behind the statements.
    fn entered(&mut self) {
        let k = self.array();
        let name = self.arrays[k].name.clone();
        let word = *self.rng.pick(&["copyin", "copyin", "create"]);
        self.bring_to_host(k);
        self.only(&format!("xfer.enter_data {word}({name} : {HOST})"));
        if word == "create" && self.arrays[k].newer == Newer::Neither {
            self.arrays[k].newer = Newer::Host;
        }
        let (twice, count) = (self.rng.chance(20), self.arrays.len());
        if twice {
            self.only(&format!("xfer.enter_data create({name} : {HOST})"));
        }
        let statements = 1 + self.rng.below(3);
        self.block(statements);
        for j in count..self.arrays.len() {
            self.bring_to_host(j);
        }
        self.arrays.truncate(count);
        self.exit(k, twice);
        if twice && self.rng.chance(50) {
            self.exit(k, false);
        }
    }

    fn exit(&mut self, k: usize, all: bool) {
        let word = *self.rng.pick(&["copyout", "delete"]);
        match word {
            "copyout" => self.bring_to_device(k),
            _ => self.bring_to_host(k),
        }
        let name = self.arrays[k].name.clone();
        let finalize = match all || self.rng.chance(20) {
            true => " finalize",
            false => "",
        };
        self.only(&format!("xfer.exit_data {word}({name} : {HOST}){finalize}"));
        self.bring_to_host(k);
    }

    fn statement(&mut self) {
        let inner = 1 + self.rng.below(3);
        match self.rng.below(22) {
            0..=4 => self.launch(),
            5..=6 => {
                let (from, to) = (self.array(), self.array());
                self.host_change(from, to);
            }
            7 => self.log(),
            8 => {
                let k = self.array();
                self.bring_to_device(k);
                self.fill(k);
            }
            9..=13 => self.region(),
            14..=15 if self.enters => self.entered(),
            14..=16 => {
                self.both_sides();
                let (v, upper) = (self.name(), self.trips());
                self.line(&format!("scf.for {v} = %c0 to {upper} step %c1 {{"));
                self.counters.push(v);
                self.body(inner);
                self.counters.pop();
                self.line("}");
            }
            17 => {
                self.both_sides();
                let test = self.condition();
                self.line(&format!("scf.if {test} {{"));
                self.body(inner);
                if self.rng.chance(40) {
                    self.line("} else {");
                    self.body(1);
                }
                self.line("}");
            }
            18 if self.enters => {
                // One too many.
                let k = self.array();
                self.exit(k, false);
            }
            18..=19 if self.calls => {
                let k = self.array();
                self.bring_to_host(k);
                self.bring_to_device(k);
                let callee = *self
                    .rng
                    .pick(&["reads", "writes", "kernel", "region", "nested"]);
                let name = self.arrays[k].name.clone();
                self.line(&format!(
                    "func.call @{callee}({name}, %log) : ({HOST}, memref<1xf64>) -> ()"
                ));
            }
            20 => {
                // A part of an array, by a kernel.
                let k = self.array();
                self.bring_to_device(k);
                let (part, v, sum) = (self.name(), self.name(), self.name());
                let ty = "memref<2xf64, strided<[1], offset: 1>>";
                let name = self.arrays[k].name.clone();
                self.line(&format!(
                    "{part} = memref.subview {name}[1] [2] [1] : {HOST} to {ty}"
                ));
                self.open_launch();
                self.line(&format!("{v} = memref.load {part}[%c0] : {ty}"));
                self.line(&format!("{sum} = arith.addf {v}, {v} : f64"));
                self.line(&format!("memref.store {sum}, {part}[%c1] : {ty}"));
                self.close_launch();
                self.arrays[k].newer = Newer::Device;
            }
            _ => {
                let local = self.name();
                self.line(&format!("{local} = memref.alloc() : {HOST}"));
                let v = self.constant("7.0", "f64");
                for i in 0..4 {
                    let at = self.constant(&i.to_string(), "index");
                    self.line(&format!("memref.store {v}, {local}[{at}] : {HOST}"));
                }
                self.arrays.push(Array {
                    name: local,
                    newer: Newer::Host,
                    buffer: None,
                });
                self.block(inner);
            }
        }
    }

    fn condition(&mut self) -> String {
        if self.counters.is_empty() || self.rng.chance(30) {
            return "%c".into();
        }
        let counters = self.counters.clone();
        let counter = self.rng.pick(&counters).clone();
        let two = self.constant("2", "index");
        let (rest, test) = (self.name(), self.name());
        self.line(&format!("{rest} = arith.remui {counter}, {two} : index"));
        self.line(&format!("{test} = arith.cmpi eq, {rest}, %c0 : index"));
        test
    }

    fn trips(&mut self) -> String {
        let trips = ["%n", "%c0", "%c1", "%c3", "%n"];
        (*self.rng.pick(&trips)).to_string()
    }
}

/// The functions that are called, each with both sides alike before and after.
fn callees(data: bool) -> String {
    let launch = |name: &str, ty: &str| {
        format!(
            "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    %v = memref.load {name}[%c1] : {ty}
    %w = arith.addf %v, %v : f64
    memref.store %w, {name}[%c0] : {ty}
    gpu.terminator
  }}"
        )
    };
    let only = |text: &str| match data {
        true => text.to_string(),
        false => String::new(),
    };
    let to_host = only("xfer.update host(%m : memref<4xf64>) if_present");
    let to_device = only("xfer.update device(%m : memref<4xf64>) if_present");
    let by_region = match data {
        true => launch("%d", DEVICE),
        false => launch("%m", HOST),
    };
    let (open, close) = (
        only("xfer.data copy(%m as %d : memref<4xf64> to memref<4xf64, #xfer.device>) {"),
        only("}"),
    );
    let head = |name: &str| {
        format!(
            "func.func private @{name}(%m: memref<4xf64>, %log: memref<1xf64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"
        )
    };
    let kernel = launch("%m", HOST);
    [
        head("reads"),
        "%v = memref.load %m[%c0] : memref<4xf64>
  memref.store %v, %log[%c0] : memref<1xf64>\n  return\n}\n"
            .into(),
        head("writes"),
        format!(
            "%v = arith.constant 5.0 : f64
  memref.store %v, %m[%c0] : memref<4xf64>\n{to_device}\n  return\n}}\n"
        ),
        head("kernel"),
        format!("{kernel}\n{to_host}\n  return\n}}\n"),
        head("region"),
        format!("{open}\n{by_region}\n{close}\n{to_host}\n  return\n}}\n"),
        head("nested"),
        format!(
            "{open}\nfunc.call @kernel(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()
  func.call @region(%m, %log) : (memref<4xf64>, memref<1xf64>) -> ()\n{close}\n{to_host}\n  return\n}}\n"
        ),
    ]
    .concat()
}

/// A program with data ops, and the same without.
pub fn generate(seed: u64, forgets: usize) -> (String, String) {
    let mut rng = Rng::new(seed);
    let enters = rng.chance(50);
    let calls = rng.chance(70);
    let halves = rng.chance(30);
    let array = |name: &str| Array {
        name: name.into(),
        newer: Newer::Neither,
        buffer: None,
    };
    let mut g = Generator {
        rng,
        data: String::new(),
        plain: String::new(),
        next: 0,
        arrays: vec![array("%a"), array("%b")],
        counters: Vec::new(),
        budget: 14,
        enters,
        calls,
        halves,
        forgets,
    };
    g.line(&format!(
        "func.func @main(%a: {HOST}, %b: {HOST}, %log: memref<1xf64>, %n: index, %k: index) {{"
    ));
    for (name, k) in [("%c0", "0"), ("%c1", "1"), ("%c3", "3")] {
        g.line(&format!("{name} = arith.constant {k} : index"));
    }
    g.line("%c = arith.cmpi ne, %k, %c0 : index");
    if g.rng.chance(20) {
        g.line(&format!("%g = memref.get_global @table : {HOST}"));
        g.arrays.push(array("%g"));
    }
    let statements = 3 + g.rng.below(4);
    g.block(statements);
    for k in 0..g.arrays.len() {
        g.bring_to_host(k);
    }
    g.line("return");
    g.line("}");
    let with = |text: &str, data: bool| {
        let callees = match calls {
            true => callees(data),
            false => String::new(),
        };
        format!(
            "memref.global \"private\" @table : {HOST} = dense<[1.0, 2.0, 3.0, 4.0]>\n{text}{callees}"
        )
    };
    (with(&g.data, true), with(&g.plain, false))
}
