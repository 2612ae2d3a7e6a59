//! Random functions with asynchronous copies and launches, on two arrays of two elements
//! and buffers on the device: only their order can be wrong.

use super::rng::Rng;
use std::fmt::Write;

const HEAD: &str = "!a = memref<2xi32>
!d = memref<2xi32, #xfer.device>
!t = !gpu.async.token
func.func private @reads(%X: !a) -> i32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %X[%c0] : !a
  return %v : i32
}
func.func private @both(%X: !a, %Y: !a, %x: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = xfer.copy async %X to %x : !a to !d
  %v = memref.load %Y[%c0] : !a
  xfer.wait [%t]
  memref.store %v, %Y[%c1] : !a
  return
}
func.func @f(%A: !a, %B: !a, %p0: i1, %p1: i1, %n0: index, %n1: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant 5 : i32
  %dA = xfer.alloc() : !d
  %dB = xfer.alloc() : !d
  xfer.copy %A to %dA : !a to !d
  xfer.copy %B to %dB : !a to !d
";

struct Program {
    rng: Rng,
    text: String,
    next: u32,
    /// Tokens in scope.
    tokens: Vec<String>,
    /// How often, in a hundred, an op takes all of them or the host waits.
    care: usize,
    straight: bool,
}

/// With branches and loops through which tokens go, or of one path.
pub fn asynchronous(seed: u64, straight: bool) -> String {
    let mut rng = Rng::new(seed);
    let care = [20, 60, 90][rng.below(3)];
    let mut p = Program {
        rng,
        text: HEAD.to_string(),
        next: 0,
        tokens: Vec::new(),
        care,
        straight,
    };
    let n = 2 + p.rng.below(5);
    p.statements(n, if straight { 0 } else { 2 });
    // What only the device has may run on where the program ends, which the checker refuses.
    if straight || !p.rng.chance(8) {
        p.line("xfer.wait all");
    }
    p.line("return");
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
        ["A", "B"][self.rng.below(2)]
    }

    fn queue(&mut self) -> &'static str {
        ["%c0", "%c1", "%c2"][self.rng.below(3)]
    }

    /// Some of the tokens, mostly all.
    fn some(&mut self) -> Vec<String> {
        let all = self.rng.chance(self.care);
        let tokens = self.tokens.clone();
        let mut out = Vec::new();
        for t in tokens {
            if all || self.rng.chance(40) {
                out.push(t);
            }
        }
        out
    }

    fn list(tokens: &[String]) -> String {
        match tokens.is_empty() {
            true => String::new(),
            false => format!("[{}]", tokens.join(", ")),
        }
    }

    fn start(&mut self) -> String {
        let t = format!("%t{}", self.fresh());
        self.tokens.push(t.clone());
        t
    }

    fn statements(&mut self, n: usize, depth: usize) {
        for _ in 0..n {
            match depth > 0 && self.rng.chance(40) {
                true => self.control(depth - 1),
                false => self.one(),
            }
        }
    }

    fn one(&mut self) {
        let x = self.array();
        match self.rng.below(12) {
            0..4 => {
                let after = Self::list(&self.some());
                let (from, to) = match self.rng.chance(50) {
                    true => (format!("%{x} to %d{x}"), "!a to !d"),
                    false => (format!("%d{x} to %{x}"), "!d to !a"),
                };
                let on = match self.rng.chance(50) {
                    true => format!(" on queue({})", self.queue()),
                    false => String::new(),
                };
                let t = self.start();
                self.line(&format!("{t} = xfer.copy async {after} {from}{on} : {to}"));
            }
            4..6 => {
                let after = Self::list(&self.some());
                let write = self.rng.chance(60);
                let l = self.fresh();
                let t = self.start();
                self.line(&format!("{t} = gpu.launch async {after} blocks(%bx{l}, %by{l}, %bz{l}) in (%gx{l} = %c1, %gy{l} = %c1, %gz{l} = %c1) threads(%tx{l}, %ty{l}, %tz{l}) in (%sx{l} = %c2, %sy{l} = %c1, %sz{l} = %c1) {{"));
                self.line(&format!("%v{l} = memref.load %d{x}[%tx{l}] : !d"));
                if write {
                    self.line(&format!("memref.store %v{l}, %d{x}[%tx{l}] : !d"));
                }
                self.line("gpu.terminator");
                self.line("}");
            }
            6..8 => {
                if self.rng.chance(self.care) {
                    self.wait();
                }
                let l = self.fresh();
                let write = self.rng.chance(50);
                for e in ["%c0", "%c1"] {
                    match write {
                        true => self.line(&format!("memref.store %k, %{x}[{e}] : !a")),
                        false => {
                            let e2 = e.trim_start_matches('%');
                            self.line(&format!("%h{l}{e2} = memref.load %{x}[{e}] : !a"));
                        }
                    }
                }
            }
            8 => {
                let after = Self::list(&self.some());
                let of = match self.rng.chance(50) {
                    true => format!(" queue({})", self.queue()),
                    false => String::new(),
                };
                let on = match self.rng.chance(60) {
                    true => format!(" on queue({})", self.queue()),
                    false => String::new(),
                };
                let t = self.start();
                self.line(&format!("{t} = xfer.wait async {after}{of}{on}"));
            }
            9 => {
                // Not asynchronous: it waits for what it takes.
                let after = Self::list(&self.some());
                self.line(&format!("xfer.copy {after} %{x} to %d{x} : !a to !d"));
            }
            10 if !self.straight => {
                if self.rng.chance(self.care) {
                    self.wait();
                }
                let l = self.fresh();
                let y = self.array();
                match self.rng.chance(50) {
                    true => self.line(&format!("%r{l} = func.call @reads(%{x}) : (!a) -> i32")),
                    false if x != y => {
                        self.line(&format!(
                            "func.call @both(%{x}, %{y}, %d{x}) : (!a, !a, !d) -> ()"
                        ));
                    }
                    false => {}
                }
            }
            _ => self.wait(),
        }
    }

    fn wait(&mut self) {
        match self.rng.below(4) {
            0 => self.line("xfer.wait all"),
            1 => {
                let q = self.queue();
                self.line(&format!("xfer.wait queue({q})"));
            }
            _ => {
                let of = self.some();
                if !of.is_empty() {
                    self.line(&format!("xfer.wait {}", Self::list(&of)));
                }
            }
        }
    }

    /// A token to hand on, one of those in scope or of nothing.
    fn token(&mut self) -> String {
        match self.tokens.last().cloned() {
            Some(last) if self.rng.chance(70) => last,
            Some(_) => {
                let tokens = self.tokens.clone();
                self.rng.pick(&tokens).clone()
            }
            None => {
                let t = self.start();
                self.line(&format!("{t} = xfer.wait async"));
                t
            }
        }
    }

    /// Statements with a scope of their own; the token handed on.
    fn inside(&mut self, depth: usize) -> String {
        let outer = self.tokens.clone();
        let n = 1 + self.rng.below(3);
        self.statements(n, depth);
        let t = self.token();
        self.tokens = outer;
        t
    }

    fn control(&mut self, depth: usize) {
        let l = self.fresh();
        let n = ["%n0", "%n1", "%c2"][self.rng.below(3)];
        let c = ["%p0", "%p1"][self.rng.below(2)];
        match self.rng.below(4) {
            0 => {
                self.line(&format!("scf.if {c} {{"));
                self.inside(depth);
                self.line("}");
            }
            1 => {
                self.line(&format!("%y{l} = scf.if {c} -> (!t) {{"));
                let t = self.inside(depth);
                self.line(&format!("scf.yield {t} : !t"));
                self.line("} else {");
                let t = self.inside(depth);
                self.line(&format!("scf.yield {t} : !t"));
                self.line("}");
                self.tokens.push(format!("%y{l}"));
            }
            2 => {
                let init = self.token();
                self.line(&format!("%y{l} = scf.for %i{l} = %c0 to {n} step %c1 iter_args(%z{l} = {init}) -> (!t) {{"));
                let outer = self.tokens.clone();
                self.tokens.push(format!("%z{l}"));
                let t = self.inside(depth);
                self.tokens = outer;
                self.line(&format!("scf.yield {t} : !t"));
                self.line("}");
                self.tokens.push(format!("%y{l}"));
            }
            _ => {
                let init = self.token();
                self.line(&format!("%w{l}:2 = scf.while (%i{l} = %c0, %z{l} = {init}) : (index, !t) -> (index, !t) {{"));
                let outer = self.tokens.clone();
                self.tokens.push(format!("%z{l}"));
                let t = self.inside(depth);
                self.line(&format!("%m{l} = arith.cmpi slt, %i{l}, {n} : index"));
                self.line(&format!("scf.condition(%m{l}) %i{l}, {t} : index, !t"));
                self.line(&format!("}} do {{\n  ^bb0(%j{l}: index, %x{l}: !t):"));
                self.tokens = outer.clone();
                self.tokens.push(format!("%x{l}"));
                let t = self.inside(depth);
                self.tokens = outer;
                self.line(&format!("%s{l} = arith.addi %j{l}, %c1 : index"));
                self.line(&format!("scf.yield %s{l}, {t} : index, !t"));
                self.line("}");
                self.tokens.push(format!("%w{l}#1"));
            }
        }
    }
}
