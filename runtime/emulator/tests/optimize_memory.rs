//! The passes on memory keep what kernels compute: made-up kernels with loops,
//! branches, guards, vectors and barriers run before and after each of them,
//! and all memory is compared bit for bit.

mod common;

use common::{Device, clean};
use std::fmt::Write;
use terrace_lit::random::Random;
use terrace_ptx::module::Func;
use terrace_ptx::optimize::{
    coalesce, derive, isolate, loads, loops, readonly, split, strength, vectorize,
};
use terrace_ptx::{Module, cleanup};

/// Bytes of each array that one thread has for itself.
const REGION: u32 = 1024;
const THREADS: u32 = 40;

/// Writes a kernel. `%rd1-3` are the thread's regions of three arrays, `%rd4`
/// that of the shared array, `%r10-17` data, `%rd10-13` loop counters, `%rd5`
/// is 3, as the kernel does not know.
struct Writer {
    random: Random,
    text: String,
    temps: u32,
    labels: u32,
    counters: Vec<u32>,
    reads_third: bool,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).unwrap();
        self.text.push('\n');
    }

    fn data(&mut self) -> u32 {
        10 + self.random.below(8)
    }

    fn temp(&mut self) -> u32 {
        self.temps += 1;
        100 + self.temps
    }

    /// An address register and an offset, both multiples of 4; the sum stays
    /// in the region.
    fn address(&mut self, base: u32) -> (u32, u32) {
        let mut at = base;
        let mut room = REGION - 64;
        for counter in self.counters.clone() {
            // Counters stay below 8.
            let scale = [0, 4, 8, 16, 24][self.random.below(5) as usize];
            if scale == 0 || scale * 10 * 3 > room {
                continue;
            }
            let (index, scaled, sum) = (self.temp(), self.temp(), self.temp());
            let shift = self.random.below(3);
            room -= scale * (8 + shift) * 3;
            self.line(format_args!("add.s64 %rd{index}, %rd{counter}, {shift};"));
            match self.random.below(4) {
                0 => self.line(format_args!(
                    "mul.lo.s64 %rd{scaled}, %rd{index}, {scale}; add.s64 %rd{sum}, %rd{at}, %rd{scaled};"
                )),
                1 => self.line(format_args!(
                    "mul.lo.s64 %rd{scaled}, %rd{index}, %rd5; mad.lo.s64 %rd{sum}, %rd{scaled}, {scale}, %rd{at};"
                )),
                2 => {
                    let narrow = 20 + self.random.below(4);
                    self.line(format_args!(
                        "cvt.u32.u64 %r{narrow}, %rd{index}; mad.wide.u32 %rd{sum}, %r{narrow}, {scale}, %rd{at};"
                    ));
                }
                _ => self.line(format_args!(
                    "shl.b64 %rd{scaled}, %rd{index}, 2; mad.lo.s64 %rd{sum}, %rd{scaled}, {}, %rd{at};",
                    scale / 4
                )),
            }
            at = sum;
        }
        (at, 4 * self.random.below(16))
    }

    fn access(&mut self) {
        let array = 1 + self.random.below(4);
        let space = if array == 4 { "shared" } else { "global" };
        let guard = match self.random.below(6) {
            0 => "@%p9 ",
            _ => "",
        };
        let (base, offset) = self.address(array);
        // Neighbours, often enough to be merged.
        for k in 0..[1, 1, 2, 4][self.random.below(4) as usize] {
            let (data, at) = (self.data(), offset + 4 * k);
            let at = if at >= 60 { at - 32 } else { at };
            // The third array is only read, in every other kernel.
            let only_read = array == 3 && self.reads_third;
            match self.random.below(2) {
                _ if only_read => self.line(format_args!(
                    "{guard}ld.{space}.u32 %r{data}, [%rd{base}+{at}];"
                )),
                0 => self.line(format_args!(
                    "{guard}ld.{space}.u32 %r{data}, [%rd{base}+{at}];"
                )),
                _ => self.line(format_args!(
                    "{guard}st.{space}.u32 [%rd{base}+{at}], %r{data};"
                )),
            }
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(10) {
            0 | 1 => {
                let (a, b, c) = (self.data(), self.data(), self.data());
                let op = ["add.u32", "xor.b32", "mul.lo.u32"][self.random.below(3) as usize];
                self.line(format_args!("{op} %r{a}, %r{b}, %r{c};"));
            }
            2 if depth < 3 => {
                let (label, data) = (self.label(), self.data());
                self.line(format_args!(
                    "and.b32 %r9, %r{data}, 1; setp.eq.u32 %p1, %r9, 0; @%p1 bra else{label};"
                ));
                self.block(depth + 1);
                self.line(format_args!("bra join{label};\nelse{label}:"));
                if self.random.below(2) == 0 {
                    self.block(depth + 1);
                }
                self.line(format_args!("join{label}:"));
            }
            3 | 4 if depth < 3 && self.counters.len() < 3 => self.a_loop(depth),
            5 if depth == 0 => self.line(format_args!("bar.sync 0;")),
            6 => {
                let data = self.data();
                self.line(format_args!("setp.lt.u32 %p9, %r{data}, 1000000000;"));
            }
            _ => self.access(),
        }
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn a_loop(&mut self, depth: u32) {
        let label = self.label();
        let counter = 10 + self.counters.len() as u32;
        let rounds = 1 + self.random.below(7);
        let step = 1 + self.random.below(2);
        let at_header = self.random.below(2) == 0;
        self.line(format_args!("mov.u64 %rd{counter}, 0;\nloop{label}:"));
        if at_header {
            self.line(format_args!(
                "setp.ge.s64 %p2, %rd{counter}, {rounds}; @%p2 bra end{label};"
            ));
        }
        self.counters.push(counter);
        self.block(depth + 1);
        self.counters.pop();
        self.line(format_args!("add.s64 %rd{counter}, %rd{counter}, {step};"));
        match at_header {
            true => self.line(format_args!("bra loop{label};\nend{label}:")),
            false => self.line(format_args!(
                "setp.lt.s64 %p2, %rd{counter}, {rounds}; @%p2 bra loop{label};"
            )),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..2 + self.random.below(5) {
            self.statement(depth);
        }
    }

    fn kernel(seed: u64) -> String {
        let mut w = Writer {
            random: Random(seed),
            text: String::new(),
            temps: 0,
            labels: 0,
            counters: Vec::new(),
            reads_third: seed % 2 == 1,
        };
        for _ in 0..3 {
            w.block(0);
        }
        let stores: String = (10..18)
            .map(|r| format!("st.global.u32 [%rd1+{}], %r{r};\n", 4 * (r - 10)))
            .collect();
        let data: String = (10..18)
            .map(|r| format!("mad.lo.u32 %r{r}, %r1, {}, {r};\n", r * 77))
            .collect();
        let pointer = ".param .u64 .ptr .global .align 16";
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k({pointer} p0, {pointer} p1, {pointer} p2, .param .u64 p3)\n{{\n\
             .reg .pred %p<16>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<{}>;\n\
             .shared .align 16 .b8 tile[{}];\n\
             ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];\n\
             ld.param.u64 %rd5, [p3]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd6, %r1, {REGION};\n\
             add.u64 %rd1, %rd1, %rd6; add.u64 %rd2, %rd2, %rd6; add.u64 %rd3, %rd3, %rd6;\n\
             mov.u64 %rd4, tile; add.u64 %rd4, %rd4, %rd6; setp.lt.u32 %p9, %r1, 20;\n\
             mov.u64 %rd10, 0; mov.u64 %rd11, 0; mov.u64 %rd12, 0;\n\
             mov.u64 %rd14, %rd4; mov.u32 %r2, 0;\n\
             fill: st.shared.u32 [%rd14], %r2; add.u64 %rd14, %rd14, 4; add.u32 %r2, %r2, 1;\n\
             setp.lt.u32 %p3, %r2, {}; @%p3 bra fill;\n\
             {data}{}{stores}ret;\n}}\n",
            101 + w.temps,
            THREADS * REGION,
            REGION / 4,
            w.text
        )
    }
}

/// All memory of the three arrays after a run.
fn result(text: &str) -> Vec<u32> {
    let device = Device::new(text);
    let words = (THREADS * REGION / 4) as usize;
    let arrays: Vec<u64> = (0..3u32)
        .map(|a| {
            let values: Vec<u32> = (0..words as u32)
                .map(|i| i.wrapping_mul(2_654_435_761).rotate_left(a * 7))
                .collect();
            device.u32s(&values)
        })
        .collect();
    let outcome = device.run(1, THREADS, &[arrays[0], arrays[1], arrays[2], 3]);
    clean(&outcome);
    let read = |at: &u64| device.read_u32s(*at, words);
    arrays.iter().flat_map(read).collect()
}

type Step = (&'static str, fn(&Module, &mut Func) -> usize);

const STEPS: &[Step] = &[
    ("loads", |_, f| loads::forward(f)),
    ("readonly", |_, f| readonly::mark(f)),
    ("vectorize", vectorize::vectorize),
    ("strength", |_, f| strength::reduce(f)),
    ("derive", |_, f| derive::derive(f)),
];

/// The kernel after some of the steps, in the form that the optimiser gives
/// them, and how often each changed something.
fn optimized(text: &str, steps: &[Step], noalias: bool, changes: &mut [usize]) -> String {
    let mut module = terrace_ptx::parse::parse(text).expect("a kernel").module;
    let id = module.funcs.iter().next().expect("a kernel").0;
    let empty = Func::new("k", module.funcs[id].kind);
    let mut func = std::mem::replace(&mut module.funcs[id], empty);
    for param in &mut func.params[..3] {
        param.noalias = noalias;
    }
    split::split(&mut func);
    cleanup::run(&mut func);
    loops::make_preheaders(&mut func);
    isolate::isolate(&mut func);
    cleanup::run(&mut func);
    for ((_, step), count) in steps.iter().zip(changes) {
        *count += step(&module, &mut func);
        cleanup::run(&mut func);
    }
    coalesce::coalesce(&mut func);
    cleanup::run(&mut func);
    module.funcs[id] = func;
    assert_eq!(terrace_ptx::check::errors(&module), None);
    terrace_ptx::print(&module)
}

#[test]
fn made_up_kernels_compute_the_same() {
    let mut all = [0; 5];
    for seed in 0..40 {
        let text = Writer::kernel(seed);
        let expected = result(&text);
        for noalias in [false, true] {
            let new = optimized(&text, STEPS, noalias, &mut all);
            assert!(result(&new) == expected, "seed {seed}:\n{text}\n{new}");
        }
        for step in STEPS.iter().filter(|_| seed < 12) {
            let new = optimized(&text, &[*step], true, &mut [0]);
            assert!(
                result(&new) == expected,
                "seed {seed}, {}:\n{text}\n{new}",
                step.0
            );
        }
    }
    // Each had something to do, so that the test says something of it.
    for ((name, _), changes) in STEPS.iter().zip(all) {
        assert!(changes > 10, "{name} changed {changes} things");
    }
}
