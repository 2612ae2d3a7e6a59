//! Functions of math over all floats: what terrace makes of them against the C library.
//!
//!     math_range cpu|gpu|emulator [--approximate] [--stride N] [--samples N] [--threads N] [NAME..]
//!
//! For each function of one argument all 2^32 values of `f32`, or every Nth, held
//! against the C library's `f64` function, which is right to far more than a float has; then
//! N samples (16 million) in `f64`, against the C library again, which is within a unit
//! itself. Functions of two arguments are sampled in both. Printed is a line for each
//! function and type: the values, how many are not the rounded true one (for `f64`: not
//! the C library's), the largest error in units in the last place and its arguments, and
//! how many NaNs, infinities and signs of zeros differ.
//!
//! `cpu` runs Cranelift's code of the expansion on all threads, `gpu` the PTX on the
//! first CUDA device, with the comparison on the host meanwhile, and `emulator` the PTX on
//! the emulator, which is slow: take a stride.
//!
//! With `--approximate`, on `gpu` and `emulator`, the approximations that `fastmath` flags allow
//! are held against what NVIDIA's manuals say of them (`claims.rs`): a line for each
//! statement, with the largest error and whether the statement holds. The exit status is 1
//! where one does not.
//!
//!     cargo build --release --example math_range
//!     target/release/examples/math_range cpu sin exp

mod approximate;
mod claims;
mod functions;
mod programs;

use functions::{FUNCTIONS, Function, Numbers, SPECIAL_SINGLES, Tally};
use programs::{Native, kernels};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use terrace::runtime::cuda::CudaDevice;
use terrace::runtime::device::{
    Device, DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, StreamId,
};
use terrace::runtime::emulator::{EmulatorDevice, Settings};
use terrace::targets::gpu_to_ptx::{GpuBinary, ParamKind};
use terrace::targets::machine;

struct Options {
    target: String,
    approximate: bool,
    stride: u64,
    samples: u64,
    threads: usize,
    names: Vec<String>,
}

const USAGE: &str = "usage: math_range cpu|gpu|emulator [--approximate] [--stride N] [--samples N] [--threads N] [NAME..]";

fn options() -> Result<Options, String> {
    let mut args = std::env::args().skip(1);
    let target = args.next().ok_or(USAGE)?;
    if !matches!(target.as_str(), "cpu" | "gpu" | "emulator") {
        return Err(format!("found `{target}`\n{USAGE}"));
    }
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut o = Options {
        target,
        approximate: false,
        stride: 1,
        samples: 1 << 24,
        threads,
        names: Vec::new(),
    };
    while let Some(arg) = args.next() {
        let mut number = || {
            let v = args.next().and_then(|v| v.parse::<u64>().ok());
            v.filter(|v| *v > 0)
                .ok_or(format!("`{arg}` wants a number above 0"))
        };
        match arg.as_str() {
            "--approximate" if o.target == "cpu" => {
                return Err("`--approximate` is of `gpu` and `emulator`".into());
            }
            "--approximate" => o.approximate = true,
            "--stride" => o.stride = number()?.min(1 << 31),
            "--samples" => o.samples = number()?,
            "--threads" => o.threads = number()? as usize,
            name if FUNCTIONS.iter().any(|f| f.name == name) => o.names.push(arg),
            _ => return Err(format!("`{arg}` is no function here\n{USAGE}")),
        }
    }
    Ok(o)
}

/// What evaluates functions: fills the results of a chunk.
trait Evaluator {
    /// Of the floats whose bits are `first + stride * i`.
    fn range(&mut self, first: u32, stride: u32, out: &mut [f32]) -> Result<(), DeviceError>;
    fn singles(&mut self, x: &[f32], y: &[f32], out: &mut [f32]) -> Result<(), DeviceError>;
    fn doubles(&mut self, x: &[f64], y: &[f64], out: &mut [f64]) -> Result<(), DeviceError>;
}

/// The function on the CPU, at both widths.
struct Cpu {
    single: Native,
    double: Native,
    x: Vec<f32>,
}

impl Cpu {
    fn new(f: &Function) -> Cpu {
        Cpu {
            single: Native::new(f, "f32"),
            double: Native::new(f, "f64"),
            x: Vec::new(),
        }
    }
}

impl Evaluator for Cpu {
    fn range(&mut self, first: u32, stride: u32, out: &mut [f32]) -> Result<(), DeviceError> {
        let bits = |i: usize| first.wrapping_add(stride.wrapping_mul(i as u32));
        self.x.clear();
        self.x
            .extend((0..out.len()).map(|i| f32::from_bits(bits(i))));
        self.single.run(&self.x, &self.x, out);
        Ok(())
    }

    fn singles(&mut self, x: &[f32], y: &[f32], out: &mut [f32]) -> Result<(), DeviceError> {
        self.single.run(x, y, out);
        Ok(())
    }

    fn doubles(&mut self, x: &[f64], y: &[f64], out: &mut [f64]) -> Result<(), DeviceError> {
        self.double.run(x, y, out);
        Ok(())
    }
}

/// Kernels of one width on a device.
struct Loaded {
    binary: GpuBinary,
    range: KernelId,
    arrays: KernelId,
}

struct Gpu<'a> {
    device: &'a dyn Device,
    single: Loaded,
    /// Not where functions are approximated.
    double: Option<Loaded>,
    /// Three arrays of a chunk.
    memory: [DevicePtr; 3],
}

/// Threads of a block.
const BLOCK: u32 = 256;

impl<'a> Gpu<'a> {
    fn new(
        device: &'a dyn Device,
        f: &Function,
        memory: [DevicePtr; 3],
        flags: Option<&str>,
    ) -> Result<Gpu<'a>, DeviceError> {
        let (major, minor) = device.info().compute_capability;
        let arch = machine::newest_for(major * 10 + minor).unwrap_or("sm_70".into());
        let load = |ty: &str| {
            let binary = kernels(f, ty, &arch, flags);
            let module = device.load_module(&binary.ptx)?;
            Ok(Loaded {
                range: device.kernel(module, "over_range")?,
                arrays: device.kernel(module, "over_arrays")?,
                binary,
            })
        };
        Ok(Gpu {
            device,
            single: load("f32")?,
            double: flags.is_none().then(|| load("f64")).transpose()?,
            memory,
        })
    }

    /// Launches a kernel on `n` elements; `words` are its arguments, with `n` as the
    /// size of arrays.
    fn launch(
        &self,
        loaded: &Loaded,
        name: &str,
        words: &[u64],
        n: usize,
    ) -> Result<(), DeviceError> {
        let info = loaded.binary.kernels.iter().find(|k| k.name == name);
        let params = info.map_or(&[][..], |k| &k.params);
        let args: Vec<KernelArg> = params
            .iter()
            .map(|p| match p {
                ParamKind::Pointer { arg } => KernelArg::of_word(words[*arg], 8),
                ParamKind::Offset { .. } => KernelArg::of_word(0, 8),
                ParamKind::Size { .. } => KernelArg::of_word(n as u64, 8),
                ParamKind::Stride { .. } => KernelArg::of_word(1, 8),
                ParamKind::Scalar { arg, ty } => {
                    KernelArg::of_word(words[*arg], ty.bytes() as usize)
                }
            })
            .collect();
        let kernel = match name {
            "over_range" => loaded.range,
            _ => loaded.arrays,
        };
        let config = LaunchConfig {
            grid: [(n as u32).div_ceil(BLOCK), 1, 1],
            block: [BLOCK, 1, 1],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        // SAFETY: the arguments are the kernel's, and arrays have room for whole blocks.
        unsafe { self.device.launch(kernel, &config, &args) }?;
        self.device.synchronize(StreamId::MAIN)
    }

    fn over_arrays<T: Copy>(
        &self,
        loaded: &Loaded,
        x: &[T],
        y: &[T],
        out: &mut [T],
    ) -> Result<(), DeviceError> {
        let [dx, dy, dr] = self.memory;
        self.device.copy_h2d(dx, bytes(x))?;
        self.device.copy_h2d(dy, bytes(y))?;
        self.launch(loaded, "over_arrays", &[dx.0, dy.0, dr.0], out.len())?;
        self.device.copy_d2h(bytes_mut(out), dr)
    }
}

/// The bytes of floats.
fn bytes<T: Copy>(v: &[T]) -> &[u8] {
    // SAFETY: the whole slice, whose elements are floats without padding.
    unsafe { std::slice::from_raw_parts(v.as_ptr().cast(), size_of_val(v)) }
}

fn bytes_mut<T: Copy>(v: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes are floats.
    unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast(), size_of_val(v)) }
}

impl Evaluator for Gpu<'_> {
    fn range(&mut self, first: u32, stride: u32, out: &mut [f32]) -> Result<(), DeviceError> {
        let r = self.memory[2];
        let words = [r.0, u64::from(first), u64::from(stride)];
        self.launch(&self.single, "over_range", &words, out.len())?;
        self.device.copy_d2h(bytes_mut(out), r)
    }

    fn singles(&mut self, x: &[f32], y: &[f32], out: &mut [f32]) -> Result<(), DeviceError> {
        self.over_arrays(&self.single, x, y, out)
    }

    fn doubles(&mut self, x: &[f64], y: &[f64], out: &mut [f64]) -> Result<(), DeviceError> {
        match &self.double {
            Some(double) => self.over_arrays(double, x, y, out),
            None => Ok(()),
        }
    }
}

/// One piece of the work on a function.
#[derive(Clone, Copy)]
enum Piece {
    /// So many floats of the range, from number `first` on.
    Range {
        first: u64,
        count: usize,
    },
    /// So many samples, with a seed.
    Singles {
        seed: u64,
        count: usize,
    },
    Doubles {
        seed: u64,
        count: usize,
    },
}

/// The pieces of a function, of at most `most` elements each.
fn pieces(f: &Function, o: &Options, most: usize) -> Vec<Piece> {
    let mut all = Vec::new();
    let cut = |total: u64| {
        let n = total.div_ceil(most as u64);
        // Whole blocks only.
        let whole = |count: u64| count.next_multiple_of(u64::from(BLOCK)) as usize;
        (0..n).map(move |i| {
            let first = i * most as u64;
            (first, whole((total - first).min(most as u64)))
        })
    };
    if f.is_binary() {
        all.extend(cut(o.samples).map(|(seed, count)| Piece::Singles { seed, count }));
    } else {
        let total = (1u64 << 32).div_ceil(o.stride);
        all.extend(cut(total).map(|(first, count)| Piece::Range { first, count }));
    }
    all.extend(cut(o.samples).map(|(seed, count)| Piece::Doubles { seed, count }));
    all
}

/// The arrays of a piece.
#[derive(Default)]
struct Buffers {
    x32: Vec<f32>,
    y32: Vec<f32>,
    r32: Vec<f32>,
    x64: Vec<f64>,
    y64: Vec<f64>,
    r64: Vec<f64>,
}

/// Evaluates a piece.
fn evaluate(
    e: &mut dyn Evaluator,
    f: &Function,
    o: &Options,
    piece: Piece,
    b: &mut Buffers,
) -> Result<(), DeviceError> {
    let [xs, ys] = f.ranges;
    match piece {
        Piece::Range { first, count } => {
            b.r32.resize(count, 0.0);
            let bits = first.wrapping_mul(o.stride) as u32;
            e.range(bits, o.stride as u32, &mut b.r32)
        }
        Piece::Singles { seed, count } => {
            let mut g = Numbers(seed);
            let pairs = (0..count).map(|_| (g.argument(xs) as f32, g.argument(ys) as f32));
            (b.x32, b.y32) = pairs.unzip();
            if seed == 0 {
                let special = SPECIAL_SINGLES
                    .iter()
                    .flat_map(|x| SPECIAL_SINGLES.map(|y| (*x, y)));
                for (i, (x, y)) in special.take(count).enumerate() {
                    (b.x32[i], b.y32[i]) = (x, y);
                }
            }
            b.r32.resize(count, 0.0);
            e.singles(&b.x32, &b.y32, &mut b.r32)
        }
        Piece::Doubles { seed, count } => {
            let mut g = Numbers(!seed);
            (b.x64, b.y64) = (0..count).map(|_| (g.argument(xs), g.argument(ys))).unzip();
            b.r64.resize(count, 0.0);
            e.doubles(&b.x64, &b.y64, &mut b.r64)
        }
    }
}

/// An element's arguments, of a piece in `f32`; twice the same where there is one.
fn argument(o: &Options, piece: Piece, b: &Buffers, i: usize) -> (f64, f64) {
    match piece {
        Piece::Range { first, .. } => {
            let bits = (first + i as u64).wrapping_mul(o.stride) as u32;
            let x = f64::from(f32::from_bits(bits));
            (x, x)
        }
        _ => (f64::from(b.x32[i]), f64::from(b.y32[i])),
    }
}

/// Holds elements of a piece against the reference; in `f32`, in `f64`.
fn compare(
    f: &Function,
    o: &Options,
    piece: Piece,
    b: &Buffers,
    part: std::ops::Range<usize>,
) -> [Tally; 2] {
    let mut tally = [Tally::default(); 2];
    match piece {
        Piece::Range { .. } | Piece::Singles { .. } => {
            for i in part {
                let (x, y) = argument(o, piece, b, i);
                tally[0].single((x, y), b.r32[i], f.of(x, y));
            }
        }
        Piece::Doubles { .. } => {
            for i in part {
                let (x, y) = (b.x64[i], b.y64[i]);
                tally[1].double((x, y), b.r64[i], f.of(x, y));
            }
        }
    }
    tally
}

fn on_cpu(f: &Function, o: &Options) -> [Tally; 2] {
    let all = pieces(f, o, 1 << 16);
    let next = AtomicU64::new(0);
    let total = Mutex::new([Tally::default(); 2]);
    std::thread::scope(|s| {
        for _ in 0..o.threads {
            s.spawn(|| {
                let mut cpu = Cpu::new(f);
                let mut b = Buffers::default();
                let mut sum = [Tally::default(); 2];
                while let Some(piece) = all.get(next.fetch_add(1, Relaxed) as usize) {
                    // The CPU does not refuse.
                    if evaluate(&mut cpu, f, o, *piece, &mut b).is_ok() {
                        let n = b_len(*piece);
                        let part = compare(f, o, *piece, &b, 0..n);
                        (0..2).for_each(|i| sum[i].add(&part[i]));
                    }
                }
                if let Ok(mut total) = total.lock() {
                    (0..2).for_each(|i| total[i].add(&sum[i]));
                }
            });
        }
    });
    total.into_inner().unwrap_or_default()
}

fn b_len(piece: Piece) -> usize {
    match piece {
        Piece::Range { count, .. }
        | Piece::Singles { count, .. }
        | Piece::Doubles { count, .. } => count,
    }
}

/// Elements of a chunk on a device.
const CHUNK: usize = 1 << 25;

/// While the device computes one piece, the host compares the one before.
fn on_device(
    device: &dyn Device,
    memory: [DevicePtr; 3],
    f: &Function,
    o: &Options,
) -> Result<[Tally; 2], DeviceError> {
    let mut gpu = Gpu::new(device, f, memory, None)?;
    let mut total = [Tally::default(); 2];
    let (mut now, mut before) = (Buffers::default(), Buffers::default());
    let mut last: Option<Piece> = None;
    let all = pieces(f, o, CHUNK);
    for piece in all.iter().map(Some).chain([None]) {
        let result = std::thread::scope(|s| {
            let mut running = Vec::new();
            if let Some(last) = last {
                let n = b_len(last);
                let step = n.div_ceil(o.threads);
                for t in 0..o.threads {
                    let part = (t * step).min(n)..((t + 1) * step).min(n);
                    let before = &before;
                    running.push(s.spawn(move || compare(f, o, last, before, part)));
                }
            }
            let done = match piece {
                Some(piece) => evaluate(&mut gpu, f, o, *piece, &mut now),
                None => Ok(()),
            };
            for thread in running {
                if let Ok(part) = thread.join() {
                    (0..2).for_each(|i| total[i].add(&part[i]));
                }
            }
            done
        });
        result?;
        last = piece.copied();
        std::mem::swap(&mut now, &mut before);
    }
    Ok(total)
}

fn print(f: &Function, ty: &str, t: &Tally, seconds: f64) {
    let args = |(x, y): (f64, f64)| match f.is_binary() {
        true => format!("{x:e}, {y:e}"),
        false => format!("{x:e}"),
    };
    let mut line = format!(
        "{:14} {ty} {:>11} values {:>9} not rounded, at most {:.7} ulp",
        f.name, t.values, t.not_rounded, t.worst
    );
    if t.worst > 0.0 {
        line.push_str(&format!(" at {}", args(t.at)));
    }
    line.push_str(&format!("; {} special", t.special));
    if t.special > 0 {
        line.push_str(&format!(", first at {}", args(t.special_at)));
    }
    println!("{line}; {seconds:.1} s");
}

fn open(target: &str) -> Result<Box<dyn Device>, String> {
    let device: Box<dyn Device> = match target {
        "gpu" => Box::new(CudaDevice::open(0).map_err(|e| e.to_string())?),
        _ => Box::new(EmulatorDevice::new(Settings::default())),
    };
    Ok(device)
}

fn main() {
    let o = options().unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2);
    });
    let chosen: Vec<&Function> = FUNCTIONS
        .iter()
        .filter(|f| o.names.is_empty() || o.names.iter().any(|n| n == f.name))
        .collect();
    let failed = |e: String| -> ! {
        eprintln!("{e}");
        std::process::exit(1);
    };
    let device = match o.target.as_str() {
        "cpu" => None,
        target => Some(open(target).unwrap_or_else(|e| failed(e))),
    };
    let memory = device.as_ref().map(|device| {
        let one = || {
            let memory = device.alloc(8 * CHUNK);
            memory.unwrap_or_else(|e| failed(e.to_string()))
        };
        [one(), one(), one()]
    });
    if o.approximate
        && let (Some(device), Some(memory)) = (&device, memory)
    {
        match approximate::run(&**device, memory, &o) {
            Ok(true) => return,
            Ok(false) => std::process::exit(1),
            Err(e) => failed(e.to_string()),
        }
    }
    for f in chosen {
        let start = Instant::now();
        let tally = match (&device, memory) {
            (Some(device), Some(memory)) => on_device(&**device, memory, f, &o),
            _ => Ok(on_cpu(f, &o)),
        };
        let tally = tally.unwrap_or_else(|e| failed(e.to_string()));
        let seconds = start.elapsed().as_secs_f64();
        print(f, "f32", &tally[0], seconds);
        print(f, "f64", &tally[1], seconds);
    }
}
