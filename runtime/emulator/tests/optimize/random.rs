//! Random programs of loops, branches and memory, before and after.

use super::{Case, Change, changes, floats, same};
use std::fmt::Write;
use terrace_lit::random::Random;

/// Registers that programs compute with: integers, floats.
const INTS: u64 = 5;
const FLOATS: u64 = 4;

struct Program {
    rng: Random,
    text: String,
    labels: u32,
    /// Registers for counters and predicates, each used once.
    counters: u32,
    depth: u32,
    /// Innermost loop that a `break` would leave.
    ends: Vec<String>,
    left: u32,
}

impl Program {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn int(&mut self) -> String {
        format!("%i{}", self.rng.below(INTS))
    }

    fn float(&mut self) -> String {
        format!("%f{}", self.rng.below(FLOATS))
    }

    fn source(&mut self) -> String {
        match self.rng.below(3) {
            0 => (self.rng.below(41) as i64 - 20).to_string(),
            _ => self.int(),
        }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.counters += 1;
        let (n, ty) = match prefix {
            "p" => (self.counters, "pred"),
            "w" => (self.counters, "b64"),
            _ => (self.counters, "b32"),
        };
        let _ = writeln!(self.text, ".reg .{ty} %{prefix}x{n};");
        format!("%{prefix}x{n}")
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn statements(&mut self, n: u64) {
        for _ in 0..n {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.rng.below(16) {
            0..=2 => self.integer(),
            3 | 4 => self.floating(),
            5 => {
                let (f, i) = (self.float(), self.int());
                self.line(&format!("cvt.rn.f32.s32 {f}, {i};"));
            }
            6 | 7 => self.memory(),
            8 => self.local(),
            9 if !self.ends.is_empty() => {
                let p = self.predicate();
                let end = self.rng.below(self.ends.len() as u64) as usize;
                let end = self.ends[end].clone();
                if self.rng.below(4) == 0 {
                    self.line(&format!("@{p} bra {end};"));
                }
            }
            9..=11 => self.branch(),
            _ if self.depth < 3 => self.counted(),
            _ => self.integer(),
        }
    }

    fn integer(&mut self) {
        let (d, a, b) = (self.int(), self.int(), self.source());
        let op = *self.rng.pick(&[
            "add.s32",
            "sub.s32",
            "mul.lo.s32",
            "and.b32",
            "or.b32",
            "xor.b32",
            "min.s32",
            "max.s32",
            "div.s32",
            "shl.b32",
            "shr.s32",
        ]);
        self.line(&format!("{op} {d}, {a}, {b};"));
    }

    fn floating(&mut self) {
        let (d, a, b, c) = (self.float(), self.float(), self.float(), self.float());
        match self.rng.below(3) {
            0 => self.line(&format!("add.rn.f32 {d}, {a}, {b};")),
            1 => self.line(&format!("mul.rn.f32 {d}, {a}, {b};")),
            _ => self.line(&format!("fma.rn.f32 {d}, {a}, {b}, {c};")),
        }
    }

    /// `%wx` as base plus four times an integer below `words`.
    fn address(&mut self, base: &str, words: u32) -> String {
        let (i, r, w) = (self.int(), self.fresh("r"), self.fresh("w"));
        self.line(&format!("and.b32 {r}, {i}, {};", words - 1));
        self.line(&format!("mul.wide.u32 {w}, {r}, 4;"));
        self.line(&format!("add.s64 {w}, {w}, {base};"));
        w
    }

    fn memory(&mut self) {
        match self.rng.below(7) {
            // A place that loops come back to.
            5 | 6 => {
                let (k, i, j) = (4 * self.rng.below(4), self.int(), self.int());
                let at = *self.rng.pick(&["global.u32", "shared.u32"]);
                let at = match at {
                    "shared.u32" => "shared.u32 [%mine]".to_string(),
                    _ => format!("global.u32 [%out+{k}]"),
                };
                let (op, place) = at.split_once(' ').expect("a place");
                self.line(&format!("ld.{op} {i}, {place};"));
                self.line(&format!("add.s32 {i}, {i}, {j};"));
                self.line(&format!("st.{op} {place}, {i};"));
            }
            // What all threads read.
            0 | 1 => {
                let (w, f) = (self.address("%in", 64), self.float());
                self.line(&format!("ld.global.f32 {f}, [{w}];"));
            }
            // What a thread has to itself.
            2 => {
                let (w, i) = (self.address("%out", 16), self.int());
                self.line(&format!("st.global.u32 [{w}], {i};"));
            }
            3 => {
                let (w, i) = (self.address("%out", 16), self.int());
                self.line(&format!("ld.global.u32 {i}, [{w}];"));
            }
            _ => {
                let i = self.int();
                self.line(&format!("st.shared.u32 [%mine], {i};"));
                let i = self.int();
                self.line(&format!("ld.shared.u32 {i}, [%mine];"));
            }
        }
    }

    fn local(&mut self) {
        let i = self.int();
        let at = match self.rng.below(4) {
            0 => self.address("%array", 8),
            _ => format!("array+{}", 4 * self.rng.below(8)),
        };
        match self.rng.below(2) {
            0 => self.line(&format!("st.local.u32 [{at}], {i};")),
            _ => self.line(&format!("ld.local.u32 {i}, [{at}];")),
        }
    }

    fn predicate(&mut self) -> String {
        let (p, a, b) = (self.fresh("p"), self.int(), self.source());
        let cmp = self
            .rng
            .pick(&["eq.s32", "lt.s32", "ge.s32", "lt.u32", "ne.s32"]);
        self.line(&format!("setp.{cmp} {p}, {a}, {b};"));
        p
    }

    fn branch(&mut self) {
        let p = self.predicate();
        let (other, join) = (self.label(), self.label());
        self.line(&format!("@!{p} bra {other};"));
        let n = 1 + self.rng.below(3);
        self.statements(n);
        if self.rng.below(2) == 0 {
            self.line(&format!("bra {join};\n{other}:"));
            let n = 1 + self.rng.below(3);
            self.statements(n);
            self.line(&format!("{join}:"));
        } else {
            self.line(&format!("{other}:"));
        }
    }

    fn counted(&mut self) {
        self.depth += 1;
        let (i, bound) = (self.fresh("i"), self.fresh("b"));
        let signed = self.rng.below(2) == 0;
        let ty = if signed { "s32" } else { "u32" };
        let step = *self.rng.pick(&[1, 1, 1, 2, 3]);
        let down = signed && self.rng.below(3) == 0;
        // The ends of the range: numbers, or small values of the thread's own.
        let n = self.rng.below(9);
        let (first, last) = (self.rng.below(4), n * step);
        let low = match self.rng.below(2) {
            0 => first.to_string(),
            _ => {
                let (r, v) = (self.fresh("r"), self.int());
                self.line(&format!("and.b32 {r}, {v}, 3;"));
                r
            }
        };
        let high = match self.rng.below(2) {
            0 => (first + last).to_string(),
            _ => {
                let (r, v) = (self.fresh("r"), self.int());
                self.line(&format!("and.b32 {r}, {v}, 15;"));
                r
            }
        };
        let (start, end) = if down { (high, low) } else { (low, high) };
        self.line(&format!("mov.u32 {i}, {start};\nmov.u32 {bound}, {end};"));
        let cmp = match (down, self.rng.below(2)) {
            (false, 0) => "lt",
            (false, _) => "le",
            (true, 0) => "gt",
            (true, _) => "ge",
        };
        let (p, head, exit) = (self.fresh("p"), self.label(), self.label());
        let test = format!("setp.{cmp}.{ty} {p}, {i}, {bound};");
        let bottom = self.rng.below(2) == 0;
        self.line(&format!("{head}:"));
        if !bottom {
            self.line(&format!("{test}\n@!{p} bra {exit};"));
        }
        self.ends.push(exit.clone());
        let n = 1 + self.rng.below(4);
        let d = self.int();
        self.line(&format!("add.s32 {d}, {d}, {i};"));
        self.statements(n);
        self.ends.pop();
        let op = if down { "sub" } else { "add" };
        self.line(&format!("{op}.{ty} {i}, {i}, {step};"));
        match bottom {
            true => self.line(&format!("{test}\n@{p} bra {head};")),
            false => self.line(&format!("bra {head};")),
        }
        self.line(&format!("{exit}:"));
        self.depth -= 1;
    }
}

fn program(seed: u64) -> String {
    let mut p = Program {
        rng: Random(seed),
        text: String::new(),
        labels: 0,
        counters: 0,
        depth: 0,
        ends: Vec::new(),
        left: 40,
    };
    p.line(
        ".version 8.0\n.target sm_80\n.address_size 64\n
.visible .entry k(.param .u64 p0, .param .u64 p1)\n{
.reg .b64 %in, %out, %array, %t;
.reg .b32 %mine, %tid;
.shared .align 4 .b8 words[128];
.local .align 4 .b8 array[32];
ld.param.u64 %in, [p0];
ld.param.u64 %out, [p1];
mov.u64 %array, array;
mov.u32 %tid, %tid.x;
mul.wide.u32 %t, %tid, 256;
add.s64 %out, %out, %t;
shl.b32 %mine, %tid, 2;
.reg .b32 %base;
mov.u32 %base, words;
add.s32 %mine, %mine, %base;
st.shared.u32 [%mine], %tid;",
    );
    let _ = writeln!(p.text, ".reg .b32 %i<{INTS}>;\n.reg .f32 %f<{FLOATS}>;");
    for n in 0..INTS {
        let k = p.rng.below(19);
        let _ = writeln!(p.text, "mad.lo.s32 %i{n}, %tid, {k}, {n};");
    }
    for n in 0..FLOATS {
        let _ = writeln!(p.text, "ld.global.f32 %f{n}, [%in+{}];", 4 * n);
    }
    for n in 0..8 {
        let _ = writeln!(p.text, "st.local.u32 [array+{}], {n};", 4 * n);
    }
    p.statements(12);
    for n in 0..INTS {
        let _ = writeln!(p.text, "st.global.u32 [%out+{}], %i{n};", 64 + 4 * n);
    }
    for n in 0..FLOATS {
        let _ = writeln!(p.text, "st.global.f32 [%out+{}], %f{n};", 96 + 4 * n);
    }
    for n in 0..8 {
        let _ = writeln!(
            p.text,
            "ld.local.u32 %i0, [array+{}];\nst.global.u32 [%out+{}], %i0;",
            4 * n,
            128 + 4 * n
        );
    }
    p.line("ret;\n}");
    p.text
}

fn case() -> Case<'static> {
    Case {
        name: "k",
        grid: [1, 1, 1],
        block: [32, 1, 1],
        buffers: vec![floats(64, 3), vec![0; 256 * 32]],
        numbers: vec![],
    }
}

#[test]
fn random_programs_after_each_pass() {
    for seed in 0..5 {
        same(&program(seed), &[case()], &changes());
    }
}

#[test]
fn random_programs_after_all_passes() {
    for seed in 1000..1050 {
        same(&program(seed), &[case()], &[Change::All]);
    }
}
