//! What profiles and traces cost on CUDA device 0:
//! `cargo run --release -p terrace-runtime --example overhead [short|long]`.
//!
//! Kernels of nothing, and of about 20, 100 and 500 us (a block that waits by the device's
//! clock), launched by what compiled programs call: all by one region that is waited for at
//! its end, and a region for each that is waited for. Each without a report, with
//! `TERRACE_PROFILE`, with `TERRACE_TRACE`, with both, and with both and `TERRACE_TIMES=all`,
//! in turns; the least and the middle of seven, in us for each launch, and per cent more than
//! without. The last column is what the profile says that one takes, of the runs with both.
//!
//! Exits with 77 (the customary code of a skipped test) where there is no device.

use std::error::Error;
use std::ffi::CStr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use terrace_runtime::cuda::CudaDevice;
use terrace_runtime::device::{Device, DeviceBuffer, DeviceError};
use terrace_runtime::program::Runtime;
use terrace_runtime::program::abi::{ABI, Image, Kernel, Param, Region, Site};
use terrace_runtime::program::region::terrace_gpu_launch;
use terrace_runtime::program::report::Report;
use terrace_runtime::program::settings::Settings;

const REPETITIONS: usize = 7;

/// Waits for so many nanoseconds.
const PTX: &CStr = c"\
.version 7.0
.target sm_70
.address_size 64
.visible .entry waits(.param .u64 a, .param .u32 n)
{
    .reg .pred %p;
    .reg .u32 %n;
    .reg .u64 %r<5>;
    ld.param.u32 %n, [n];
    setp.eq.u32 %p, %n, 0;
    @%p ret;
    cvt.u64.u32 %r1, %n;
    mov.u64 %r2, %globaltimer;
again:
    mov.u64 %r3, %globaltimer;
    sub.u64 %r4, %r3, %r2;
    setp.lt.u64 %p, %r4, %r1;
    @%p bra again;
    ret;
}
";

/// What the native code of the region does: words are an address, the nanoseconds, and how
/// often.
unsafe extern "C" fn launches(words: *mut u64) -> i32 {
    let (grid, block) = ([1u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: the region is run with three words.
    let (args, count) = unsafe { ([*words, *words.add(1)], *words.add(2)) };
    for _ in 0..count {
        // SAFETY: two arguments, as the kernel has.
        let status =
            unsafe { terrace_gpu_launch(0, grid.as_ptr(), block.as_ptr(), 0, args.as_ptr(), 2, 0) };
        if status != 0 {
            return 1;
        }
    }
    0
}

/// A runtime with these settings, and the region that it runs.
struct Program {
    runtime: &'static Runtime,
    region: &'static Region,
    at: u64,
}

impl Program {
    fn new(device: &Arc<dyn Device>, at: u64, settings: &Settings) -> Program {
        let runtime = Runtime::new(Arc::clone(device), 0, Report::new(settings));
        let param = |name: &'static CStr, bytes| Param {
            name: name.as_ptr(),
            bytes,
            align: 1,
            fallback_align: 1,
            pad: 0,
        };
        // The region stays until the process ends, as those of programs do.
        let params = Box::leak(Box::new([param(c"a", 8), param(c"n", 4)]));
        let kernels = Box::leak(Box::new([Kernel {
            name: c"waits".as_ptr(),
            params: params.as_ptr(),
            num_params: 2,
            flags: 0,
            fallback: std::ptr::null(),
            indices: std::ptr::null(),
            num_indices: 0,
        }]));
        let image = Box::leak(Box::new(Image {
            ptx: PTX.as_ptr(),
            ptx_bytes: PTX.to_bytes_with_nul().len() as u64,
            kernels: kernels.as_ptr(),
            num_kernels: 1,
            pad: 0,
            loaded: std::ptr::null_mut(),
        }));
        let sites = Box::leak(Box::new([Site {
            file: c"overhead.rs".as_ptr(),
            line: 1,
            column: 1,
        }]));
        let region = Box::leak(Box::new(Region {
            abi: ABI,
            flags: 0,
            name: c"waits".as_ptr(),
            file: c"overhead.rs".as_ptr(),
            line: 1,
            column: 1,
            cpu: None,
            cpu_v3: None,
            gpu: Some(launches),
            image: &raw mut *image,
            sites: sites.as_ptr(),
            num_sites: 1,
            versions: std::ptr::null(),
            num_versions: 0,
        }));
        Program {
            runtime: Box::leak(Box::new(runtime)),
            region,
            at,
        }
    }

    /// Microseconds of each of so many launches; `each` has a region of its own.
    fn run(&self, ns: u64, count: u64, each: bool) -> Result<f64, String> {
        let (runs, launched) = if each { (count, 1) } else { (1, count) };
        let start = Instant::now();
        for _ in 0..runs {
            let mut words = [self.at, ns, launched];
            // SAFETY: these are the region's arguments; -1 waits for it.
            unsafe {
                self.runtime
                    .run(self.region, launches, words.as_mut_ptr(), -1)?
            };
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / count as f64)
    }
}

/// The average that the table of kernels has.
fn said(table: &str) -> String {
    let line = table.lines().find(|l| l.starts_with("waits"));
    let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    match words[..] {
        // Behind it the maximum and four columns of rates.
        [.., average, unit, _, _, _, _, _, _] => format!("{average} {unit}"),
        _ => "-".to_string(),
    }
}

/// A line for each way to launch so many.
fn measure(
    device: &Arc<dyn Device>,
    at: u64,
    ns: u64,
    count: u64,
    each: bool,
) -> Result<(), Box<dyn Error>> {
    let settings = |profile, trace, time_all| Settings {
        profile,
        // Nothing is written here: the file is made when a program ends.
        trace: if trace { Some(String::new()) } else { None },
        time_all,
        ..Settings::default()
    };
    let ways = [
        ("nothing", settings(false, false, false)),
        ("profile", settings(true, false, false)),
        ("trace", settings(false, true, false)),
        ("both", settings(true, true, false)),
        ("both, all", settings(true, true, true)),
    ];
    let made = ways.map(|(name, s)| (name, Program::new(device, at, &s)));
    let mut times = vec![Vec::new(); made.len()];
    for repetition in 0..=REPETITIONS {
        for ((_, program), times) in made.iter().zip(&mut times) {
            let time = program.run(ns, count, each)?;
            // The first allocates what later ones reuse.
            if repetition > 0 {
                times.push(time);
            }
        }
    }
    let how = if each {
        "waited for each"
    } else {
        "one after the other"
    };
    println!("{count} of {} us, {how}", ns as f64 * 1e-3);
    let mut plain = [0.0; 2];
    for ((name, program), mut times) in made.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let of = [times[0], times[times.len() / 2]];
        if *name == "nothing" {
            plain = of;
        }
        let more = |i: usize| 100.0 * (of[i] / plain[i] - 1.0);
        let table = program.runtime.report.finish(Some(&**device));
        println!(
            "  {name:<10} {:>10.3} {:>+7.2} %  {:>10.3} {:>+7.2} %  {:>12}",
            of[0],
            more(0),
            of[1],
            more(1),
            said(&table)
        );
    }
    Ok(())
}

fn all(device: &Arc<dyn Device>, what: &str) -> Result<(), Box<dyn Error>> {
    let buffer = DeviceBuffer::new(device, 1024)?;
    let at = buffer.ptr().0;
    println!("us each: least, middle, and more than without; what the profile says of one");
    for (ns, count) in [
        (0, 100_000),
        (20_000, 10_000),
        (100_000, 4_000),
        (500_000, 1_000),
    ] {
        let (short, long) = (ns < 100_000, ns >= 100_000);
        if (short && what == "long") || (long && what == "short") {
            continue;
        }
        for each in [false, true] {
            let count = if each { count / 2 } else { count };
            measure(device, at, ns, count, each)?;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let device = match CudaDevice::open(0) {
        Ok(device) => Arc::new(device),
        Err(e @ (DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. })) => {
            eprintln!("skipped: {e}");
            return ExitCode::from(77);
        }
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    println!("{device:?}, driver {}", device.info().driver_version);
    let what = std::env::args().nth(1).unwrap_or_default();
    let device: Arc<dyn Device> = device;
    match all(&device, &what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
