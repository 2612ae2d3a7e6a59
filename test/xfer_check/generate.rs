//! Random functions on two arrays of two elements, each with a mirror.

use super::rng::Rng;
use std::fmt::Write;

/// The program so far.
struct Program {
    rng: Rng,
    text: String,
    /// Numbers the values.
    next: u32,
    /// Each use has an `ensure` before it and each write a mark behind it, but for those
    /// with these numbers: most mistakes show only where all else is right.
    forgotten: Vec<usize>,
    cared: usize,
    /// Counters of the loops around, which stay below 2.
    counters: Vec<String>,
    /// Only what has one path, and accesses to whole arrays.
    straight: bool,
}

const HEAD: &str = "!a = memref<2xi32>
!d = memref<2xi32, #xfer.device>
func.func private @reads(%X: !a) -> i32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %X[%c0] : !a
  return %v : i32
}
func.func private @updates(%X: !a) {
  %c0 = arith.constant 0 : index
  %v = memref.load %X[%c0] : !a
  memref.store %v, %X[%c0] : !a
  return
}
func.func private @launches(%x: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%c0] : !d
    memref.store %v, %x[%c0] : !d
    gpu.terminator
  }
  return
}
HANDED
func.func @f(%A: !a, %B: !a, %p0: i1, %p1: i1, %n0: index, %n1: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant 5 : i32
  %dA = xfer.create %A : !a to !d
  %dB = xfer.create %B : !a to !d
";

/// Functions that are handed an array and its mirror, and do what they say.
const HANDED: &str = r#"
func.func private @sets(%X: !a, %x: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid"}}) {
  func.call @launches(%x) : (!d) -> ()
  return
}
func.func private @gets(%X: !a, %x: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%c0] : !d
    %w = memref.load %x[%c1] : !d
    gpu.terminator
  }
  return
}
func.func private @uses_both(%X: !a, %x: !d {xfer.mirror = {of = 0 : index, needs = "both", host = "valid", device = "valid"}}) {
  func.call @gets(%X, %x) : (!a, !d) -> ()
  %v = func.call @reads(%X) : (!a) -> i32
  return
}
func.func private @flips(%X: !a, %x: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "valid", device = "stale"}}) {
  func.call @sets(%X, %x) : (!a, !d) -> ()
  xfer.copy %x to %X : !d to !a
  func.call @updates(%X) : (!a) -> ()
  return
}
func.func private @perhaps(%X: !a, %x: !d {xfer.mirror = {of = 0 : index, needs = "none", host = "unknown", device = "unknown", flags}}, %p: i1) {
  cf.cond_br %p, ^kernel, ^host
^kernel:
  xfer.ensure %X, %x on device : !a, !d
  func.call @sets(%X, %x) : (!a, !d) -> ()
  xfer.mark_written %X, %x on device : !a, !d
  return
^host:
  xfer.ensure %X, %x on host : !a, !d
  func.call @updates(%X) : (!a) -> ()
  xfer.mark_written %X, %x on host : !a, !d
  return
}
"#;

/// Ways to make one of them do something else than it says.
const LIES: [(&str, &str); 12] = [
    (
        "host = \"stale\", device = \"valid\"",
        "host = \"valid\", device = \"valid\"",
    ),
    (
        "host = \"stale\", device = \"valid\"",
        "host = \"kept\", device = \"valid\"",
    ),
    (
        "needs = \"device\", host = \"kept\"",
        "needs = \"none\", host = \"kept\"",
    ),
    (
        "needs = \"device\", host = \"kept\"",
        "needs = \"host\", host = \"kept\"",
    ),
    ("needs = \"both\"", "needs = \"host\""),
    (
        "host = \"valid\", device = \"stale\"",
        "host = \"valid\", device = \"valid\"",
    ),
    ("  xfer.copy %x to %X : !d to !a\n", ""),
    ("  xfer.ensure %X, %x on device : !a, !d\n", ""),
    ("  xfer.mark_written %X, %x on device : !a, !d\n", ""),
    ("  xfer.mark_written %X, %x on host : !a, !d\n", ""),
    (", flags}", "}"),
    ("host = \"unknown\", device", "host = \"kept\", device"),
];

fn program(seed: u64, straight: bool) -> Program {
    let mut rng = Rng::new(seed);
    let mut handed = HANDED.to_string();
    if !straight && rng.chance(20) {
        let (from, to) = *rng.pick(&LIES);
        handed = handed.replacen(from, to, 1);
    }
    let forgotten = (0..rng.below(4)).map(|_| rng.below(16)).collect();
    Program {
        rng,
        text: HEAD.replace("HANDED", &handed),
        next: 0,
        forgotten,
        cared: 0,
        counters: Vec::new(),
        straight,
    }
}

/// Branches, loops, early exits, other names, calls, parts.
pub fn any(seed: u64) -> String {
    let mut p = program(seed, false);
    for part in 0..3 {
        let n = 1 + p.rng.below(3);
        p.statements(n, 2);
        if part < 2 && p.rng.chance(25) {
            let c = p.condition();
            let l = p.fresh();
            p.line(&format!("cf.cond_br {c}, ^out{l}, ^on{l}"));
            p.line(&format!("^out{l}:"));
            p.leave();
            p.line(&format!("^on{l}:"));
        }
    }
    p.leave();
    p.text.push_str("}\n");
    p.text
}

/// One path, and accesses to whole arrays.
pub fn straight(seed: u64) -> String {
    let mut p = program(seed, true);
    let n = 2 + p.rng.below(7);
    p.statements(n, 0);
    p.leave();
    p.text.push_str("}\n");
    p.text
}

impl Program {
    fn line(&mut self, l: &str) {
        let _ = writeln!(self.text, "  {l}");
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn array(&mut self) -> &'static str {
        if self.rng.chance(65) { "A" } else { "B" }
    }

    fn condition(&mut self) -> &'static str {
        ["%p0", "%p1"][self.rng.below(2)]
    }

    fn side(&mut self) -> &'static str {
        ["host", "device"][self.rng.below(2)]
    }

    /// A return, mostly after what makes it right.
    fn leave(&mut self) {
        for x in ["A", "B"] {
            self.ensure(x, "host");
        }
        self.line("return");
    }

    fn forgets(&mut self) -> bool {
        self.cared += 1;
        self.forgotten.contains(&self.cared)
    }

    fn ensure(&mut self, x: &str, side: &str) {
        if !self.forgets() {
            self.line(&format!("xfer.ensure %{x}, %d{x} on {side} : !a, !d"));
        }
    }

    fn mark(&mut self, x: &str, side: &str) {
        if !self.forgets() {
            self.line(&format!("xfer.mark_written %{x}, %d{x} on {side} : !a, !d"));
        }
    }

    fn statements(&mut self, n: usize, depth: usize) {
        for _ in 0..n {
            if depth > 0 && self.rng.chance(45) {
                self.control(depth - 1);
            } else if self.straight || self.rng.chance(80) {
                self.whole();
            } else {
                self.other();
            }
        }
    }

    /// Loads and stores of a memref: `elements` of it, reads before writes.
    fn access(&mut self, memref: &str, ty: &str, elements: &[&str], read: bool, write: bool) {
        let v = self.fresh();
        for (i, e) in elements.iter().enumerate() {
            if read {
                self.line(&format!("%v{v}_{i} = memref.load {memref}[{e}] : {ty}"));
            }
        }
        for (i, e) in elements.iter().enumerate() {
            let value = if read {
                format!("%v{v}_{i}")
            } else {
                "%k".to_string()
            };
            if write {
                self.line(&format!("memref.store {value}, {memref}[{e}] : {ty}"));
            }
        }
    }

    /// The same, on a side.
    fn on(&mut self, x: &str, side: &str, elements: &[&str], read: bool, write: bool) {
        if side == "host" {
            return self.access(&format!("%{x}"), "!a", elements, read, write);
        }
        let b = self.fresh();
        self.line(&format!("gpu.launch blocks(%bx{b}, %by{b}, %bz{b}) in (%gx{b} = %c1, %gy{b} = %c1, %gz{b} = %c1) threads(%tx{b}, %ty{b}, %tz{b}) in (%sx{b} = %c1, %sy{b} = %c1, %sz{b} = %c1) {{"));
        self.access(&format!("%d{x}"), "!d", elements, read, write);
        self.line("gpu.terminator");
        self.line("}");
    }

    /// A statement on a whole array.
    fn whole(&mut self) {
        const ALL: &[&str] = &["%c0", "%c1"];
        let (x, side) = (self.array(), self.side());
        // Copies that nothing asks for are seldom right where there are many paths.
        let kinds = match self.straight || self.rng.chance(30) {
            true => 20,
            false => 13,
        };
        match self.rng.below(kinds) {
            0..5 => {
                self.ensure(x, side);
                self.on(x, side, ALL, true, false);
            }
            5..11 => {
                self.ensure(x, side);
                self.on(x, side, ALL, true, true);
                self.mark(x, side);
            }
            11..13 => {
                self.line(&format!("xfer.discard %{x} : !a"));
                self.on(x, side, ALL, false, true);
                self.mark(x, side);
            }
            13..15 => self.line(&format!("xfer.copy %{x} to %d{x} : !a to !d")),
            15..17 => self.line(&format!("xfer.copy %d{x} to %{x} : !d to !a")),
            17 => self.line(&format!("xfer.ensure %{x}, %d{x} on {side} : !a, !d")),
            18 => self.line(&format!("xfer.assert_valid %{x}, %d{x} on {side} : !a, !d")),
            _ => match self.rng.below(3) {
                0 => self.line(&format!("xfer.free %d{x} : !d")),
                _ => self.line(&format!("xfer.mark_written %{x}, %d{x} on {side} : !a, !d")),
            },
        }
    }

    /// Parts, other names, calls, loops that count as one step.
    fn other(&mut self) {
        let (x, side) = (self.array(), self.side());
        let l = self.fresh();
        match self.rng.below(22) {
            8 => self.hands("sets", x, "device", "device"),
            9 => self.hands("gets", x, "device", ""),
            10 => {
                self.ensure(x, "host");
                self.hands("uses_both", x, "device", "");
            }
            11 => self.hands("flips", x, "device", "host"),
            12..14 => {
                let c = self.condition();
                self.line(&format!(
                    "func.call @perhaps(%{x}, %d{x}, {c}) : (!a, !d, i1) -> ()"
                ));
            }
            14.. => self.boxes(x, side),
            0 => {
                self.ensure(x, side);
                let e = ["%c0", "%c1"][self.rng.below(2)];
                let read = self.rng.chance(50);
                self.on(x, side, &[e], read, true);
                self.mark(x, side);
            }
            1 => {
                self.ensure("A", "host");
                self.ensure("B", "host");
                let c = self.condition();
                self.line(&format!("%C{l} = arith.select {c}, %A, %B : !a"));
                let write = self.rng.chance(50);
                self.access(&format!("%C{l}"), "!a", &["%c1"], true, write);
                if write {
                    self.mark("A", "host");
                    self.mark("B", "host");
                }
            }
            2 => {
                self.ensure(x, "host");
                self.line(&format!("%r{l} = func.call @reads(%{x}) : (!a) -> i32"));
            }
            3 => {
                self.ensure(x, "host");
                self.line(&format!("func.call @updates(%{x}) : (!a) -> ()"));
                self.mark(x, "host");
            }
            4 => {
                self.ensure(x, "device");
                self.line(&format!("func.call @launches(%d{x}) : (!d) -> ()"));
                self.mark(x, "device");
            }
            5 => {
                self.ensure("A", "host");
                self.ensure("B", "host");
                self.line("memref.copy %A, %B : !a to !a");
                self.mark("B", "host");
            }
            6 => {
                self.ensure(x, side);
                const HOST: &str = "memref<1xi32, strided<[1]>>";
                const DEVICE: &str = "memref<1xi32, strided<[1]>, #xfer.device>";
                self.line(&format!(
                    "%h{l} = memref.subview %{x}[0] [1] [1] : !a to {HOST}"
                ));
                self.line(&format!(
                    "%e{l} = memref.subview %d{x}[0] [1] [1] : !d to {DEVICE}"
                ));
                self.line(&match side {
                    "host" => format!("xfer.copy %h{l} to %e{l} : {HOST} to {DEVICE}"),
                    _ => format!("xfer.copy %e{l} to %h{l} : {DEVICE} to {HOST}"),
                });
            }
            _ => {
                self.ensure(x, "host");
                self.line(&format!(
                    "scf.parallel (%i{l}) = (%c0) to (%n0) step (%c1) {{"
                ));
                self.access(&format!("%{x}"), "!a", &["%c0"], true, false);
                self.line("scf.reduce");
                self.line("}");
            }
        }
    }

    /// A call with an array and its mirror, that needs it on a side and writes it on one.
    fn hands(&mut self, callee: &str, x: &str, needs: &str, writes: &str) {
        self.ensure(x, needs);
        self.line(&format!(
            "func.call @{callee}(%{x}, %d{x}) : (!a, !d) -> ()"
        ));
        if !writes.is_empty() {
            self.mark(x, writes);
        }
    }

    /// An index, which may change from one iteration to the next.
    fn index(&mut self) -> String {
        let l = self.fresh();
        match self.rng.below(6) {
            0 => "%c0".into(),
            1 => "%c1".into(),
            2 => {
                let c = self.condition();
                self.line(&format!("%x{l} = arith.select {c}, %c0, %c1 : index"));
                format!("%x{l}")
            }
            3 => {
                self.line(&format!("%x{l} = arith.minsi %n0, %c1 : index"));
                format!("%x{l}")
            }
            _ => match self.counters.last() {
                Some(c) => c.clone(),
                None => "%c1".into(),
            },
        }
    }

    /// Copies of a box of one element at an index, and accesses there or elsewhere.
    fn boxes(&mut self, x: &str, side: &str) {
        const HOST: &str = "memref<1xi32, strided<[1], offset: ?>>";
        const DEVICE: &str = "memref<1xi32, strided<[1], offset: ?>, #xfer.device>";
        let other = if side == "host" { "device" } else { "host" };
        let at = self.index();
        if !self.rng.chance(20) {
            self.line(&format!("xfer.ensure %{x}, %d{x} on {other} : !a, !d"));
        }
        if self.rng.chance(70) {
            let read = self.rng.chance(50);
            self.on(x, other, &[&at], read, true);
        }
        let l = self.fresh();
        self.line(&format!(
            "%h{l} = memref.subview %{x}[{at}] [1] [1] : !a to {HOST}"
        ));
        self.line(&format!(
            "%e{l} = memref.subview %d{x}[{at}] [1] [1] : !d to {DEVICE}"
        ));
        let kind = self.rng.below(8);
        self.line(&match kind {
            0 => format!("xfer.discard %h{l} : {HOST}"),
            _ if side == "device" => format!("xfer.copy %h{l} to %e{l} : {HOST} to {DEVICE}"),
            _ => format!("xfer.copy %e{l} to %h{l} : {DEVICE} to {HOST}"),
        });
        if kind == 0 {
            self.on(x, side, &[&at], false, true);
        }
        for _ in 0..self.rng.below(3) {
            let place = match self.rng.chance(75) {
                true => at.clone(),
                false => self.index(),
            };
            let on = if self.rng.chance(70) { side } else { other };
            let write = self.rng.chance(40);
            match self.rng.chance(25) {
                false => self.on(x, on, &[&place], true, write),
                // Those up to the place, by a loop.
                true => self.up_to(x, on, &place, write),
            }
        }
        match self.rng.below(4) {
            0 => {}
            1 => self.line(&format!(
                "xfer.mark_written %{x}, %d{x} on {other} : !a, !d"
            )),
            _ => {
                let (from, to) = match other {
                    "device" => ("d", ""),
                    _ => ("", "d"),
                };
                let (a, b) = if from == "d" {
                    ("!d", "!a")
                } else {
                    ("!a", "!d")
                };
                self.line(&format!("xfer.copy %{from}{x} to %{to}{x} : {a} to {b}"));
            }
        }
    }

    /// The elements up to one, that included.
    fn up_to(&mut self, x: &str, side: &str, last: &str, write: bool) {
        let l = self.fresh();
        self.line(&format!("%u{l} = arith.addi {last}, %c1 : index"));
        let device = side == "device";
        if device {
            self.line(&format!("gpu.launch blocks(%bx{l}, %by{l}, %bz{l}) in (%gx{l} = %c2, %gy{l} = %c1, %gz{l} = %c1) threads(%tx{l}, %ty{l}, %tz{l}) in (%sx{l} = %c1, %sy{l} = %c1, %sz{l} = %c1) {{"));
            self.line(&format!("%q{l} = arith.cmpi slt, %bx{l}, %u{l} : index"));
            self.line(&format!("scf.if %q{l} {{"));
            self.access(&format!("%d{x}"), "!d", &[&format!("%bx{l}")], true, write);
            self.line("}");
            self.line("gpu.terminator");
        } else {
            self.line(&format!("scf.for %q{l} = %c0 to %u{l} step %c1 {{"));
            self.access(&format!("%{x}"), "!a", &[&format!("%q{l}")], true, write);
        }
        self.line("}");
    }

    fn control(&mut self, depth: usize) {
        let l = self.fresh();
        let n = ["%n0", "%n1"][self.rng.below(2)];
        let inside = |p: &mut Self| {
            let count = 1 + p.rng.below(2);
            p.statements(count, depth);
        };
        match self.rng.below(6) {
            0 => {
                let c = self.condition();
                self.line(&format!("scf.if {c} {{"));
                inside(self);
                self.line("}");
            }
            1 => {
                let c = self.condition();
                self.line(&format!("scf.if {c} {{"));
                inside(self);
                self.line("} else {");
                inside(self);
                self.line("}");
            }
            2 => {
                self.line(&format!("scf.for %i{l} = %c0 to {n} step %c1 {{"));
                self.counters.push(format!("%i{l}"));
                inside(self);
                self.counters.pop();
                self.line("}");
            }
            3 => {
                self.line(&format!("%g{l} = arith.cmpi sgt, {n}, %c0 : index"));
                self.line(&format!("scf.if %g{l} {{"));
                inside(self);
                self.line(&format!("affine.for %i{l} = 0 to {n} {{"));
                inside(self);
                self.line("}");
                inside(self);
                self.line("}");
            }
            4 => {
                self.line(&format!("scf.for %i{l} = %c0 to %c2 step %c1 {{"));
                self.counters.push(format!("%i{l}"));
                inside(self);
                self.counters.pop();
                self.line("}");
            }
            _ => {
                self.line(&format!(
                    "%w{l} = scf.while (%i{l} = %c0) : (index) -> index {{"
                ));
                inside(self);
                self.line(&format!("%m{l} = arith.cmpi slt, %i{l}, {n} : index"));
                self.line(&format!("scf.condition(%m{l}) %i{l} : index"));
                self.line(&format!("}} do {{\n  ^bb0(%j{l}: index):"));
                self.counters.push(format!("%j{l}"));
                inside(self);
                self.counters.pop();
                self.line(&format!("%s{l} = arith.addi %j{l}, %c1 : index"));
                self.line(&format!("scf.yield %s{l} : index"));
                self.line("}");
            }
        }
    }
}
