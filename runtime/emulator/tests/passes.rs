//! Integer passes of the machine form keep what kernels compute: random
//! kernels of loops, branches, guards and arithmetic at both widths run before
//! and after, and every register must end with the same bits.

mod common;

use common::Device;
use std::fmt::Write;
use terrace_lit::random::Random;
use terrace_ptx::module::Func;
use terrace_ptx::optimize::{coalesce, divide, isolate, known, narrow, split};
use terrace_ptx::{check, cleanup, parse, print};

const REGS: usize = 8;
const THREADS: u32 = 64;
const KERNELS: u64 = 60;

struct Writer {
    random: Random,
    text: String,
    labels: u32,
    depth: u32,
    /// Counters of the loops around, which may be read but not written.
    counters: Vec<String>,
}

const SMALL: &[i64] = &[
    0, 1, 2, 3, 5, 7, 8, 15, 31, 64, 100, 255, 1000, -1, -2, -7, -100,
];
const DIVISORS: &[i64] = &[
    2, 3, 5, 7, 8, 10, 12, 16, 60, 641, 1000, 4096, 65537, -2, -3, -8, -10,
];
const WIDE: &[i64] = &[
    1 << 31,
    (1 << 31) - 1,
    1 << 32,
    -(1 << 31),
    (1 << 32) - 1,
    i64::MAX,
    i64::MIN,
];

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn reg(&mut self, wide: bool) -> String {
        let n = self.random.below(REGS as u64);
        format!("%{}{n}", if wide { "d" } else { "r" })
    }

    /// A register that is read: a counter now and then.
    fn source(&mut self, wide: bool) -> String {
        let prefix = if wide { "%cd" } else { "%c" };
        let fits: Vec<String> = self
            .counters
            .iter()
            .filter(|c| c.starts_with("%cd") == wide && c.starts_with(prefix))
            .cloned()
            .collect();
        match fits.is_empty() || self.random.below(3) > 0 {
            true => self.reg(wide),
            false => fits[self.random.below(fits.len() as u64) as usize].clone(),
        }
    }

    fn constant(&mut self, wide: bool) -> i64 {
        if wide && self.random.below(6) == 0 {
            *self.random.pick(WIDE)
        } else {
            *self.random.pick(SMALL)
        }
    }

    fn source_or_constant(&mut self, wide: bool) -> String {
        match self.random.below(2) {
            0 => self.source(wide),
            _ => self.constant(wide).to_string(),
        }
    }

    fn arithmetic(&mut self, guard: &str) {
        let wide = self.random.below(3) > 0;
        let w = if wide { 64 } else { 32 };
        let sign = *self.random.pick(&["s", "u"]);
        let (d, a) = (self.reg(wide), self.source(wide));
        let b = self.source_or_constant(wide);
        let text = match self.random.below(16) {
            0..=2 => format!("add.{sign}{w} {d}, {a}, {b}"),
            3 => format!("sub.{sign}{w} {d}, {a}, {b}"),
            4 => format!("mul.lo.{sign}{w} {d}, {a}, {b}"),
            5 => format!("mad.lo.{sign}{w} {d}, {a}, {b}, {a}"),
            6 => {
                let k = self.random.below(w + 3);
                format!("shr.{sign}{w} {d}, {a}, {k}")
            }
            7 => {
                let k = self.random.below(12);
                format!("shl.b{w} {d}, {a}, {k}")
            }
            8 => {
                let op = *self.random.pick(&["and", "or", "xor"]);
                format!("{op}.b{w} {d}, {a}, {b}")
            }
            9 => {
                let op = *self.random.pick(&["min", "max"]);
                format!("{op}.{sign}{w} {d}, {a}, {b}")
            }
            10 | 11 => {
                let op = *self.random.pick(&["div", "rem"]);
                let by = *self.random.pick(DIVISORS);
                // A negative number is a large one for unsigned types.
                let by = if sign == "u" && w == 32 {
                    i64::from(by as u32)
                } else {
                    by
                };
                format!("{op}.{sign}{w} {d}, {a}, {by}")
            }
            12 => {
                let mask = self
                    .random
                    .pick(&[1, 3, 7, 31, 255, 1023, 65535, 0x7fff_ffff]);
                format!("and.b{w} {d}, {a}, {mask}")
            }
            13 => {
                let (to, from) = (self.reg(true), self.source(false));
                format!("cvt.{sign}64.{sign}32 {to}, {from}")
            }
            14 => {
                let (to, from) = (self.reg(false), self.source(true));
                format!("cvt.u32.u64 {to}, {from}")
            }
            _ => {
                let (to, x, y) = (self.reg(true), self.source(false), self.source(false));
                let z = self.source(true);
                match self.random.below(2) {
                    0 => format!("mul.wide.{sign}32 {to}, {x}, {y}"),
                    _ => format!("mad.wide.{sign}32 {to}, {x}, {y}, {z}"),
                }
            }
        };
        self.line(&format!("{guard}{text};"));
    }

    fn condition(&mut self, p: &str) {
        let wide = self.random.below(2) > 0;
        let w = if wide { 64 } else { 32 };
        let sign = *self.random.pick(&["s", "u"]);
        let cmp = *self.random.pick(&["lt", "le", "gt", "ge", "eq", "ne"]);
        let (a, b) = (self.source(wide), self.source_or_constant(wide));
        let with = match self.random.below(5) {
            0 => (".and", ", %p7"),
            1 => (".or", ", !%p7"),
            _ => ("", ""),
        };
        self.line(&format!(
            "setp.{cmp}{}.{sign}{w} {p}, {a}, {b}{};",
            with.0, with.1
        ));
    }

    fn statement(&mut self) {
        match self.random.below(12) {
            0..=5 => self.arithmetic(""),
            6 => {
                self.condition("%p7");
                let guard = *self.random.pick(&["@%p7 ", "@!%p7 "]);
                self.arithmetic(guard);
            }
            7 => {
                self.condition("%p7");
                let wide = self.random.below(2) > 0;
                let w = if wide { 64 } else { 32 };
                let (d, a) = (self.reg(wide), self.source(wide));
                let b = self.source_or_constant(wide);
                self.line(&format!("selp.b{w} {d}, {a}, {b}, %p7;"));
            }
            8 | 9 => self.branch(),
            _ => self.count(),
        }
    }

    fn statements(&mut self, n: u64) {
        for _ in 0..n {
            self.statement();
        }
    }

    fn branch(&mut self) {
        if self.depth >= 3 {
            return self.arithmetic("");
        }
        let l = self.labels;
        self.labels += 1;
        self.depth += 1;
        self.condition("%p7");
        self.line(&format!("@!%p7 bra else{l};"));
        let n = 1 + self.random.below(4);
        self.statements(n);
        self.line(&format!("bra end{l};"));
        self.line(&format!("else{l}:"));
        let n = self.random.below(3);
        self.statements(n);
        self.line(&format!("end{l}:"));
        self.depth -= 1;
    }

    /// A loop of few rounds, tested at its start or its end.
    fn count(&mut self) {
        if self.depth >= 2 {
            return self.arithmetic("");
        }
        let l = self.labels;
        self.labels += 1;
        self.depth += 1;
        let wide = self.random.below(3) > 0;
        let w = if wide { 64 } else { 32 };
        let c = format!("%{}{l}", if wide { "cd" } else { "c" });
        let first = *self.random.pick(&[0, 0, 0, 1, -3, 2_147_483_640]);
        let step = *self.random.pick(&[1, 1, 2, 5]);
        let last = first + step * (1 + self.random.below(5) as i64);
        // A bound that only a mask keeps small.
        let bound = match self.random.below(3) {
            0 if first == 0 => {
                let from = self.reg(wide);
                self.line(&format!(
                    "and.b{w} %{}b{l}, {from}, 7;",
                    if wide { "d" } else { "" }
                ));
                format!("%{}b{l}", if wide { "d" } else { "" })
            }
            _ if wide => last.to_string(),
            _ => (last as i32).to_string(),
        };
        self.line(&format!("mov.b{w} {c}, {first};"));
        let at_end = self.random.below(2) == 0;
        self.line(&format!("loop{l}:"));
        if !at_end {
            self.line(&format!(
                "setp.ge.s{w} %q{l}, {c}, {bound};\n@%q{l} bra out{l};"
            ));
        }
        self.counters.push(c.clone());
        let n = 1 + self.random.below(4);
        self.statements(n);
        self.counters.pop();
        self.line(&format!("add.s{w} {c}, {c}, {step};"));
        if at_end {
            self.line(&format!(
                "setp.lt.s{w} %q{l}, {c}, {bound};\n@%q{l} bra loop{l};"
            ));
        } else {
            self.line(&format!("bra loop{l};\nout{l}:"));
        }
        self.depth -= 1;
    }
}

fn kernel(seed: u64) -> String {
    let mut w = Writer {
        random: Random(seed),
        text: String::new(),
        labels: 0,
        depth: 0,
        counters: Vec::new(),
    };
    w.line("ld.param.u64 %base, [p0];\nld.param.u64 %d0, [p1];\nmov.u32 %r0, %tid.x;");
    w.line("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;");
    w.line("mov.u32 %r4, 77;\nneg.s32 %r5, %r0;\ncvt.u32.u64 %r6, %d0;\nmov.u32 %r7, %laneid;");
    w.line("cvt.u64.u32 %d1, %r0;\ncvt.s64.s32 %d2, %r5;\nmad.wide.u32 %d3, %r1, %r2, %d1;");
    w.line("mov.u64 %d4, 12;\nmov.u64 %d5, -1;\nshr.s64 %d6, %d0, 7;\nand.b64 %d7, %d0, 4095;");
    w.line("mul.wide.u32 %at, %r3, 96;\nadd.s64 %at, %at, %base;\nsetp.lt.s32 %p7, %r0, 20;");
    let n = 6 + w.random.below(14);
    w.statements(n);
    for i in 0..REGS {
        w.line(&format!("st.global.u64 [%at+{}], %d{i};", 8 * i));
        w.line(&format!("st.global.u32 [%at+{}], %r{i};", 64 + 4 * i));
    }
    let labels = w.labels.max(1);
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p0, .param .u64 p1)\n.maxntid 64, 1, 1\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .b64 %base;\n.reg .b64 %at;\n\
         .reg .pred %q<{labels}>;\n.reg .b32 %c<{labels}>;\n.reg .b64 %cd<{labels}>;\n\
         .reg .b32 %b<{labels}>;\n.reg .b64 %db<{labels}>;\n{}ret;\n}}\n",
        w.text
    )
}

fn run(text: &str, number: u64) -> Vec<u32> {
    let device = Device::new(text);
    let words = 24 * 2 * THREADS as usize;
    let at = device.u32s(&vec![0; words]);
    let outcome = device.run(2, THREADS, &[at, number]);
    assert!(
        outcome.findings.is_empty(),
        "{:?}\n{text}",
        outcome.findings
    );
    device.read_u32s(at, words)
}

fn optimised(text: &str, pass: &dyn Fn(&mut Func) -> usize) -> (String, usize) {
    let mut module = parse::parse(text)
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        .module;
    let mut changes = 0;
    for (_, func) in module.funcs.iter_mut() {
        split::split(func);
        changes += pass(func);
    }
    assert_eq!(check::errors(&module), None, "{text}");
    (print(&module), changes)
}

fn compare(name: &str, seeds: std::ops::Range<u64>, pass: &dyn Fn(&mut Func) -> usize) -> usize {
    let mut changes = 0;
    for seed in seeds {
        let text = kernel(seed);
        let (new, n) = optimised(&text, pass);
        changes += n;
        for number in [3, 0x8000_0005, u64::MAX - 9] {
            let (a, b) = (run(&text, number), run(&new, number));
            if a != b {
                let at = a.iter().zip(&b).position(|(a, b)| a != b).unwrap_or(0);
                panic!(
                    "{name}, seed {seed}, number {number}: word {at} is {:#x}, was {:#x}\n{text}\n{new}",
                    b[at], a[at]
                );
            }
        }
    }
    changes
}

#[test]
fn known_results_are_right() {
    let pass = |f: &mut Func| {
        let n = known::simplify(f);
        cleanup::run(f);
        n
    };
    assert!(compare("known", 0..KERNELS, &pass) > 100);
}

#[test]
fn divisions_by_constants_are_right() {
    let pass = |f: &mut Func| {
        let n = divide::expand(f);
        cleanup::run(f);
        n
    };
    assert!(compare("divide", 0..KERNELS, &pass) > 100);
}

#[test]
fn narrow_arithmetic_is_right() {
    let pass = |f: &mut Func| {
        let n = narrow::narrow(f);
        cleanup::run(f);
        n
    };
    assert!(compare("narrow", 0..KERNELS, &pass) > 100);
}

#[test]
fn all_together_are_right_in_single_assignment() {
    let pass = |f: &mut Func| {
        cleanup::run(f);
        isolate::isolate(f);
        cleanup::run(f);
        let n = known::simplify(f);
        cleanup::run(f);
        let n = n + divide::expand(f) + narrow::narrow(f);
        cleanup::run(f);
        coalesce::coalesce(f);
        cleanup::run(f);
        n
    };
    assert!(compare("all", KERNELS..2 * KERNELS, &pass) > 100);
}
