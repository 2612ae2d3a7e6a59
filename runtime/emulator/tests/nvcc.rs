//! Kernels as nvcc writes them (`Inputs/cuda/corpus.cu`): optimised, with lines, and
//! as for a debugger, where everything lies in local memory and every small function
//! is called. All checks are on; each must compute what the same does here.

mod common;
#[path = "nvcc/corpus.rs"]
mod corpus;

use common::{Device, clean};
use corpus::KERNELS;
use terrace_emulator::{Checks, Config, Launch, Outcome, launch};

/// A kernel on a device, with its arguments so far.
struct Call<'a> {
    device: &'a Device,
    kernel: &'a str,
    params: Vec<u8>,
}

impl<'a> Call<'a> {
    fn new(device: &'a Device, kernel: &'a str) -> Call<'a> {
        Call {
            device,
            kernel,
            params: Vec::new(),
        }
    }

    fn bytes(mut self, bytes: &[u8], align: usize) -> Self {
        self.params
            .resize(self.params.len().next_multiple_of(align), 0);
        self.params.extend(bytes);
        self
    }

    fn int(self, v: u32) -> Self {
        self.bytes(&v.to_le_bytes(), 4)
    }

    fn float(self, v: f32) -> Self {
        self.bytes(&v.to_le_bytes(), 4)
    }

    fn array(self, at: u64) -> Self {
        self.bytes(&at.to_le_bytes(), 8)
    }

    fn run(self, grid: [u32; 3], block: [u32; 3]) -> Outcome {
        self.run_with(grid, block, 0)
    }

    fn run_with(self, grid: [u32; 3], block: [u32; 3], shared_bytes: u32) -> Outcome {
        let Some(kernel) = self.device.module.kernel(self.kernel) else {
            panic!("no kernel {}", self.kernel);
        };
        let mut params = self.params;
        // A structure ends at a multiple of its alignment.
        params.resize(kernel.parameter_bytes as usize, 0);
        let run = Launch {
            kernel,
            config: Config {
                grid,
                block,
                shared_bytes,
            },
            params: &params,
        };
        let outcome = launch(&self.device.memory, &run, &Checks::default());
        let outcome = outcome.unwrap_or_else(|e| panic!("{}: {e}", self.kernel));
        clean(&outcome);
        outcome
    }
}

#[track_caller]
fn all(text: &str) {
    let device = Device::new(text);
    for (name, check) in KERNELS {
        println!("{name}");
        check(&device);
    }
    let names: Vec<&str> = device
        .module
        .kernels
        .iter()
        .map(|k| k.name.as_str())
        .collect();
    for name in &names {
        assert!(KERNELS.iter().any(|k| k.0 == *name), "{name} is not run");
    }
}

#[test]
fn optimised() {
    all(include_str!("Inputs/cuda/corpus-O3.ptx"));
}

#[test]
fn for_a_debugger() {
    all(include_str!("Inputs/cuda/corpus-G.ptx"));
}

/// In the manner of clang: blocks in comments, weak functions after their use, jump
/// tables, local memory through a generic pointer.
#[test]
fn as_clang_writes() {
    let d = Device::new(include_str!("Inputs/clang.ptx"));
    let x: Vec<f32> = (0..200).map(|i| i as f32 * 0.25).collect();
    let at = d.f32s(&x);
    let outcome = Call::new(&d, "_Z5scalePfi")
        .array(at)
        .int(190)
        .run([2, 1, 1], [128, 1, 1]);
    let want = |i: usize| match i {
        190.. => x[i],
        _ => (x[i] * (i % 4 + 1) as f32).clamp(1.0, 100.0),
    };
    assert_eq!(d.read_f32s(at, 200), (0..200).map(want).collect::<Vec<_>>());
    assert_eq!(outcome.counts.divergences, 1);

    let out = d.fresh(4 * 6);
    Call::new(&d, "switcher")
        .array(out)
        .run([1, 1, 1], [6, 1, 1]);
    assert_eq!(d.read_u32s(out, 6), [10, 20, 30, 60, 100, 100]);

    let out = d.fresh(4 * 64);
    let call = Call::new(&d, "loops").array(out).int(20);
    call.run_with([1, 1, 1], [64, 1, 1], 64 * 4);
    let want = |t: u32| ((0..20).sum::<u32>() + 20 * (t ^ 1)) / 2 * 16 + 7 + u32::from(b'c');
    assert_eq!(d.read_u32s(out, 64), (0..64).map(want).collect::<Vec<_>>());
}

/// What is beyond the emulator is refused before anything runs: each construct at its
/// line, all of them at once.
#[test]
fn what_is_not_supported_is_named_with_its_line() {
    let text = ".version 8.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 p0, .param .b64 p1);
.global .texref image;
.global .u64 table[1] = {image};
.visible .entry k(.param .u64 p0) {
 .reg .b32 %r<9>;
 .reg .b64 %rd<9>;
 .reg .f32 %f<9>;
 .reg .pred %p<3>;
 tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
 wgmma.fence.sync.aligned;
 suld.b.1d.b32.trap %r1, [image, {%r2}];
 brx.idx %r1, nowhere;
 cp.async.bulk.wait_group 0;
 ld.global.u32 %r1, [missing];
 ret;
}
";
    let memory = terrace_emulator::Memory::new(1 << 20);
    let Err(error) = terrace_emulator::Module::load(&memory, text) else {
        panic!("it is supported")
    };
    let said = error.to_string();
    for (line, word) in [
        (5, ".texref"),
        (6, "image"),
        (12, "tex.2d"),
        (13, "wgmma"),
        (14, "suld"),
        (15, "nowhere"),
        (16, "cp.async.bulk"),
        (17, "missing"),
    ] {
        let at = format!("line {line},");
        let found = said.lines().find(|l| l.starts_with(&at));
        assert!(
            found.is_some_and(|l| l.contains(word)),
            "line {line}, {word}: {found:?}\n{said}"
        );
    }
    assert_eq!(said.lines().count(), 8, "each once: {said}");
    // A function that is called and stands elsewhere.
    let text = ".version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 p0, .param .b64 p1);
.visible .entry k() {
 .reg .b64 %rd<3>; .reg .b32 %r<2>;
 mov.u64 %rd1, 0;
 {
 .param .b64 param0; st.param.b64 [param0+0], %rd1;
 .param .b64 param1; st.param.b64 [param1+0], %rd1;
 .param .b32 retval0;
 call.uni (retval0), vprintf, (param0, param1);
 ld.param.b32 %r1, [retval0+0];
 }
 ret;
}
";
    let Err(error) = terrace_emulator::Module::load(&memory, text) else {
        panic!("it is supported")
    };
    let said = error.to_string();
    assert_eq!(said, "line 12: `vprintf` is called and has no body here");
}
