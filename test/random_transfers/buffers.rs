//! Random programs that copy buffers of the device to each other, for `xfer-forward-copies`.

use crate::rng::Rng;
use std::fmt::Write;

const HOST: &str = "memref<4xf64>";
const DEVICE: &str = "memref<4xf64, #xfer.device>";

struct Generator {
    rng: Rng,
    text: String,
    next: usize,
    budget: usize,
}

impl Generator {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// A buffer; the view of it that kernels may have in its place.
    fn buffer(&mut self) -> usize {
        self.rng.below(4)
    }

    fn line(&mut self, s: &str) {
        let _ = writeln!(self.text, "  {s}");
    }

    fn launch(&mut self) {
        let (from, to) = (self.buffer(), self.buffer());
        let (read, write) = (self.rng.below(4), self.rng.below(4));
        let (v, w, x, y) = (self.name(), self.name(), self.name(), self.name());
        let seen = self.rng.chance(60);
        let of = |k: usize| match seen {
            true => (format!("%s{k}"), HOST),
            false => (format!("%d{k}"), DEVICE),
        };
        let ((from, ty), (to, _)) = (of(from), of(to));
        self.line("gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {");
        self.line(&format!("{x} = arith.constant {read} : index"));
        self.line(&format!("{y} = arith.constant {write} : index"));
        self.line(&format!("{v} = memref.load {from}[{x}] : {ty}"));
        // All that is computed shows: no two values are the same.
        self.line(&format!("{w} = arith.addf {v}, %step : f64"));
        if self.rng.chance(70) {
            self.line(&format!("memref.store {w}, {to}[{y}] : {ty}"));
        }
        self.line("gpu.terminator");
        self.line("}");
    }

    /// What is in a buffer goes into the sum that is a result.
    fn show(&mut self) {
        let k = self.buffer();
        let (at, v, old, sum, more) = (
            self.name(),
            self.name(),
            self.name(),
            self.name(),
            self.name(),
        );
        let number = self.rng.below(4);
        self.line(&format!("xfer.copy %d{k} to %h : {DEVICE} to {HOST}"));
        self.line(&format!("{at} = arith.constant {number} : index"));
        self.line(&format!("{v} = memref.load %h[{at}] : {HOST}"));
        self.line(&format!("{old} = memref.load %log[%c0] : memref<1xf64>"));
        self.line(&format!("{more} = arith.mulf {old}, %factor : f64"));
        self.line(&format!("{sum} = arith.addf {more}, {v} : f64"));
        self.line(&format!("memref.store {sum}, %log[%c0] : memref<1xf64>"));
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..n {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let inner = 1 + self.rng.below(2);
            match self.rng.below(12) {
                0..=3 => self.launch(),
                4..=7 => {
                    let (from, to) = (self.buffer(), self.buffer());
                    self.line(&format!(
                        "xfer.copy %d{from} to %d{to} : {DEVICE} to {DEVICE}"
                    ));
                }
                8 => self.show(),
                9 => {
                    let to = self.buffer();
                    self.line(&format!("xfer.copy %a to %d{to} : {HOST} to {DEVICE}"));
                }
                10 => {
                    let v = self.name();
                    self.line(&format!("scf.for {v} = %c0 to %n step %c1 {{"));
                    self.statements(inner);
                    self.line("}");
                }
                _ => {
                    self.line("scf.if %c {");
                    self.statements(inner);
                    self.line("}");
                }
            }
        }
    }
}

/// A program of four buffers.
pub fn buffers(seed: u64) -> String {
    let mut g = Generator {
        rng: Rng::new(seed),
        text: String::new(),
        next: 0,
        budget: 12,
    };
    let _ = writeln!(
        g.text,
        "func.func @main(%a: {HOST}, %b: {HOST}, %log: memref<1xf64>, %n: index, %c: i1) {{"
    );
    g.line("%c0 = arith.constant 0 : index");
    g.line("%c1 = arith.constant 1 : index");
    g.line("%step = arith.constant 0.3 : f64");
    g.line("%factor = arith.constant 1.7 : f64");
    g.line(&format!("%h = memref.alloc() : {HOST}"));
    for k in 0..4 {
        let source = if k % 2 == 0 { "%a" } else { "%b" };
        g.line(&format!("%d{k} = xfer.alloc() : {DEVICE}"));
        g.line(&format!(
            "%s{k} = memref.memory_space_cast %d{k} : {DEVICE} to {HOST}"
        ));
        g.line(&format!("xfer.copy {source} to %d{k} : {HOST} to {DEVICE}"));
    }
    let n = 4 + g.rng.below(6);
    g.statements(n);
    g.show();
    let out = g.buffer();
    g.line(&format!("xfer.copy %d{out} to %b : {DEVICE} to {HOST}"));
    for k in 0..4 {
        g.line(&format!("xfer.free %d{k} : {DEVICE}"));
    }
    g.line(&format!("memref.dealloc %h : {HOST}"));
    g.line("return");
    g.text.push_str("}\n");
    g.text
}
