//! Copies and launches on CUDA device 0 against the plain driver:
//! `cargo run --release -p terrace-runtime --example copies
//! [copies|both|rows|launches]`.
//!
//! Copies of 1 MiB to 1 GiB in both directions: pageable memory by the driver alone,
//! through the runtime's ring, and pinned memory; the least of a few repetitions of
//! each, taking turns, in GB/s. Both: 512 MiB of pageable memory each way on two streams,
//! one way alone and both, whole and in parts, in ms. Launches: a million of an empty kernel in a loop of the
//! driver's own function, by the device interface, by what compiled programs call, and by
//! that with a trace (which keeps its spans), with the resident memory before and after.
//!
//! Exits with 77 (the customary code of a skipped test) where there is no device.

use std::error::Error;
use std::ffi::{CStr, CString, c_void};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys;
use terrace_runtime::cuda::CudaDevice;
use terrace_runtime::device::strided::{Dim, copy_strided};
use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, DevicePtr, KernelArg, LaunchConfig, PinnedBuffer, Pitch,
    Rows, StreamId,
};
use terrace_runtime::profile::Direction;
use terrace_runtime::program::Runtime;
use terrace_runtime::program::abi::{ABI, Image, Kernel, Param, Region, Site};
use terrace_runtime::program::region::terrace_gpu_launch;
use terrace_runtime::program::report::Report;
use terrace_runtime::program::settings::Settings;

const LAUNCHES: usize = 1_000_000;
const REPETITIONS: usize = 7;

const PTX: &CStr = c"\
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u32 n)
{
    ret;
}
";

/// The least seconds of one of several ways, taken in turns.
fn least(
    ways: &mut [&mut dyn FnMut() -> Result<(), DeviceError>],
) -> Result<Vec<f64>, DeviceError> {
    let mut least = vec![f64::INFINITY; ways.len()];
    for _ in 0..REPETITIONS {
        for (way, least) in ways.iter_mut().zip(&mut least) {
            let start = Instant::now();
            way()?;
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(least)
}

fn copies(device: &Arc<CudaDevice>) -> Result<(), Box<dyn Error>> {
    let plain: Arc<dyn Device> = Arc::clone(device) as Arc<dyn Device>;
    println!("GB/s            bytes     driver     staged     pinned   staged/driver");
    for shift in [20, 21, 22, 23, 24, 26, 28, 30] {
        let bytes = 1usize << shift;
        let buffer = DeviceBuffer::new(&plain, bytes)?;
        let mut pageable: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 4099) as u8).collect();
        let expected = pageable.clone();
        let mut pinned = PinnedBuffer::new(&plain, bytes)?;
        pinned.copy_from_slice(&expected);
        let at = buffer.ptr();
        for into in [true, false] {
            let mut times = Vec::new();
            // The ring is made before the times are taken.
            for staged in [false, true] {
                device.set_staging(staged);
                device.copy_h2d(at, &pageable)?;
                let copy = &mut || match into {
                    true => device.copy_h2d(at, &pageable),
                    false => device.copy_d2h(&mut pageable, at),
                };
                times.extend(least(&mut [copy])?);
            }
            let copy = &mut || match into {
                true => device.copy_h2d(at, &pinned),
                false => device.copy_d2h(&mut pinned, at),
            };
            times.extend(least(&mut [copy])?);
            let rate = |t: f64| bytes as f64 / t * 1e-9;
            let way = if into { "to device" } else { "from device" };
            println!(
                "{way:<11} {bytes:>10} {:>10.2} {:>10.2} {:>10.2} {:>10.2}",
                rate(times[0]),
                rate(times[1]),
                rate(times[2]),
                times[0] / times[1]
            );
        }
        if pageable != expected || *pinned != *expected {
            return Err(format!("{bytes} bytes came back changed").into());
        }
    }
    Ok(())
}

/// Pageable memory in on one stream and out on another: alone, one after the other by
/// staging without streams, and both at once, as a whole and in parts.
fn both(device: &Arc<CudaDevice>) -> Result<(), Box<dyn Error>> {
    const BYTES: usize = 512 << 20;
    let plain: Arc<dyn Device> = Arc::clone(device) as Arc<dyn Device>;
    let (to, from) = (
        DeviceBuffer::new(&plain, BYTES)?,
        DeviceBuffer::new(&plain, BYTES)?,
    );
    let source: Vec<u8> = (0..BYTES).map(|i| (i * 7 + i / 4099) as u8).collect();
    let mut there = vec![1u8; BYTES];
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    device.set_staging(true);
    device.copy_h2d(from.ptr(), &source)?;
    println!("ms of 512 MiB      parts         in        out       both   main, each way");
    for parts in [1, 4, 8, 16] {
        let part = BYTES / parts;
        let out = there.as_mut_ptr();
        let one = |k: usize| {
            let at = DevicePtr(to.ptr().0 + (k * part) as u64);
            // SAFETY: both sides have the bytes, which stay as they are.
            unsafe { device.copy_h2d_async(at, source.as_ptr().add(k * part), part, first) }
        };
        let other = |k: usize| {
            let at = DevicePtr(from.ptr().0 + (k * part) as u64);
            // SAFETY: as above; nobody uses them before the waits below.
            unsafe { device.copy_d2h_async(out.add(k * part), at, part, second) }
        };
        let wait = || {
            device.synchronize(first)?;
            device.synchronize(second)
        };
        let times = least(&mut [
            &mut || {
                (0..parts).try_for_each(one)?;
                wait()
            },
            &mut || {
                (0..parts).try_for_each(other)?;
                wait()
            },
            &mut || {
                for k in 0..parts {
                    other(k)?;
                    one(k)?;
                }
                wait()
            },
        ])?;
        let main = least(&mut [&mut || device.copy_h2d(to.ptr(), &source), &mut || {
            device.copy_d2h(&mut there, from.ptr())
        }])?;
        let ms = |t: f64| t * 1e3;
        println!(
            "               {parts:>9} {:>10.2} {:>10.2} {:>10.2} {:>10.2} {:>6.2}",
            ms(times[0]),
            ms(times[1]),
            ms(times[2]),
            ms(main[0]),
            ms(main[1])
        );
        if there != source {
            return Err("the bytes came back changed".into());
        }
        there.fill(1);
    }
    device.destroy_stream(first)?;
    device.destroy_stream(second)?;
    Ok(())
}

/// Copies of rows of pageable memory with as much room between them, 64 MiB in all.
fn rows(device: &Arc<CudaDevice>) -> Result<(), Box<dyn Error>> {
    const BYTES: usize = 64 << 20;
    let plain: Arc<dyn Device> = Arc::clone(device) as Arc<dyn Device>;
    println!("GB/s in rows       width     driver     staged    strided");
    let buffer = DeviceBuffer::new(&plain, 2 * BYTES)?;
    let mut host: Vec<u8> = (0..2 * BYTES).map(|i| (i * 7 + i / 4099) as u8).collect();
    let expected = host.clone();
    for width in [
        8usize,
        16,
        32,
        64,
        128,
        256,
        512,
        1024,
        4096,
        65536,
        1 << 20,
    ] {
        let pitch = Pitch {
            row: 2 * width,
            plane: 2 * BYTES,
        };
        let shape = Rows {
            width,
            rows: BYTES / width,
            planes: 1,
            dst: pitch,
            src: pitch,
        };
        let dims = [
            Dim {
                count: shape.rows,
                dst: pitch.row as i64,
                src: pitch.row as i64,
            },
            Dim {
                count: width,
                dst: 1,
                src: 1,
            },
        ];
        for into in [true, false] {
            let (way, at) = match into {
                true => (Direction::HostToDevice, buffer.ptr().0),
                false => (Direction::DeviceToHost, buffer.ptr().0),
            };
            let host = host.as_mut_ptr() as u64;
            let (dst, src) = if into { (at, host) } else { (host, at) };
            let mut times = Vec::new();
            for staged in [false, true] {
                device.set_staging(staged);
                let copy = &mut || {
                    let stream = StreamId::MAIN;
                    // SAFETY: both sides have twice the bytes.
                    unsafe { device.copy_rows(way, dst, src, &shape, stream)? };
                    device.synchronize(stream)
                };
                times.extend(least(&mut [copy])?);
            }
            let copy = &mut || {
                // SAFETY: as above.
                unsafe { copy_strided(&*plain, way, (dst, src), 1, &dims, StreamId::MAIN) }
            };
            times.extend(least(&mut [copy])?);
            let rate = |t: f64| BYTES as f64 / t * 1e-9;
            println!(
                "{:<11} {width:>12} {:>10.2} {:>10.2} {:>10.2}",
                if into { "to device" } else { "from device" },
                rate(times[0]),
                rate(times[1]),
                rate(times[2])
            );
        }
    }
    match host == expected {
        true => Ok(()),
        false => Err("rows came back changed".into()),
    }
}

/// Resident memory of this process in KiB; 0 where the system does not tell.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let number = line.and_then(|l| l.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn ok(code: sys::CUresult, what: &str) -> Result<(), String> {
    match code {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(format!("{what}: {other:?}")),
    }
}

/// Nanoseconds of a launch in a loop of the driver's own function.
fn bare(at: u64, count: usize) -> Result<f64, Box<dyn Error>> {
    let name = CString::new("nothing")?;
    let mut module = std::ptr::null_mut();
    let mut function = std::ptr::null_mut();
    let mut stream = std::ptr::null_mut();
    let (mut a, mut n) = (at, 1u32);
    let mut arguments = [(&raw mut a).cast::<c_void>(), (&raw mut n).cast::<c_void>()];
    // SAFETY: the device's context is current on this thread; text and name end in NUL,
    // and the arguments are the kernel's.
    unsafe {
        ok(
            sys::cuModuleLoadData(&mut module, PTX.as_ptr().cast()),
            "load",
        )?;
        ok(
            sys::cuModuleGetFunction(&mut function, module, name.as_ptr()),
            "find",
        )?;
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        ok(sys::cuStreamCreate(&mut stream, flags), "stream")?;
        let mut run = |count: usize| -> Result<f64, String> {
            let start = Instant::now();
            for _ in 0..count {
                let code = sys::cuLaunchKernel(
                    function,
                    1,
                    1,
                    1,
                    32,
                    1,
                    1,
                    0,
                    stream,
                    arguments.as_mut_ptr(),
                    std::ptr::null_mut(),
                );
                ok(code, "launch")?;
            }
            ok(sys::cuStreamSynchronize(stream), "wait")?;
            Ok(start.elapsed().as_secs_f64() * 1e9 / count as f64)
        };
        run(count / 100)?;
        let time = run(count)?;
        ok(sys::cuStreamDestroy_v2(stream), "stream")?;
        ok(sys::cuModuleUnload(module), "unload")?;
        Ok(time)
    }
}

/// The same by the device interface.
fn by_device(device: &Arc<dyn Device>, at: u64, count: usize) -> Result<f64, Box<dyn Error>> {
    let kernel = device.kernel(device.load_module(PTX.to_str()?)?, "nothing")?;
    let config = LaunchConfig {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    };
    let run = |count: usize| -> Result<f64, DeviceError> {
        let start = Instant::now();
        for _ in 0..count {
            let args = [KernelArg::from(at), KernelArg::from(1u32)];
            // SAFETY: these are the kernel's arguments, which it does not use.
            unsafe { device.launch(kernel, &config, &args)? };
        }
        device.synchronize(StreamId::MAIN)?;
        Ok(start.elapsed().as_secs_f64() * 1e9 / count as f64)
    };
    run(count / 100)?;
    Ok(run(count)?)
}

/// What the native code of a region does: words are the address and the count.
unsafe extern "C" fn launches(words: *mut u64) -> i32 {
    let (grid, block) = ([1u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: the region is run with two words.
    let (at, count) = unsafe { (*words, *words.add(1)) };
    let args = [at, 1];
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

/// The same by what compiled programs call.
fn by_program(
    device: &Arc<dyn Device>,
    at: u64,
    count: usize,
    settings: &Settings,
) -> Result<f64, Box<dyn Error>> {
    let runtime = Runtime::new(Arc::clone(device), 0, Report::new(settings));
    let runtime: &'static Runtime = Box::leak(Box::new(runtime));
    let param = |name: &'static CStr, bytes| Param {
        name: name.as_ptr(),
        bytes,
        align: 1,
        fallback_align: 1,
        pad: 0,
    };
    let params = [param(c"a", 8), param(c"n", 4)];
    let kernels = [Kernel {
        name: c"nothing".as_ptr(),
        params: params.as_ptr(),
        num_params: 2,
        flags: 0,
        fallback: std::ptr::null(),
        indices: std::ptr::null(),
        num_indices: 0,
    }];
    let mut image = Image {
        ptx: PTX.as_ptr(),
        ptx_bytes: PTX.to_bytes_with_nul().len() as u64,
        kernels: kernels.as_ptr(),
        num_kernels: 1,
        pad: 0,
        loaded: std::ptr::null_mut(),
    };
    let sites = [Site {
        file: c"copies.rs".as_ptr(),
        line: 1,
        column: 1,
    }];
    let region = Region {
        abi: ABI,
        flags: 0,
        name: c"launches".as_ptr(),
        file: c"copies.rs".as_ptr(),
        line: 1,
        column: 1,
        cpu: None,
        cpu_v3: None,
        gpu: Some(launches),
        image: &raw mut image,
        sites: sites.as_ptr(),
        num_sites: 1,
        versions: std::ptr::null(),
        num_versions: 0,
    };
    let run = |count: usize| -> Result<f64, String> {
        let mut words = [at, count as u64];
        let start = Instant::now();
        // SAFETY: these are the region's arguments; -1 waits for it.
        unsafe { runtime.run(&region, launches, words.as_mut_ptr(), -1)? };
        Ok(start.elapsed().as_secs_f64() * 1e9 / count as f64)
    };
    run(count / 100)?;
    Ok(run(count)?)
}

fn launch_times(device: &Arc<CudaDevice>) -> Result<(), Box<dyn Error>> {
    let device: Arc<dyn Device> = Arc::clone(device) as Arc<dyn Device>;
    let buffer = DeviceBuffer::new(&device, 1024)?;
    let at = buffer.ptr().0;
    println!("{LAUNCHES} empty launches: ns each, least of 3; resident KiB before and after");
    let mut bare_time = f64::INFINITY;
    let plain = Settings::default();
    // Nothing is written here: the file is made when a program ends.
    let traced = Settings {
        trace: Some(String::new()),
        ..Settings::default()
    };
    let ways: [(&str, &dyn Fn() -> Result<f64, Box<dyn Error>>); 4] = [
        ("driver", &|| bare(at, LAUNCHES)),
        ("device", &|| by_device(&device, at, LAUNCHES)),
        ("program", &|| by_program(&device, at, LAUNCHES, &plain)),
        ("traced", &|| by_program(&device, at, LAUNCHES, &traced)),
    ];
    for (name, way) in ways {
        // The first run allocates what later ones reuse.
        let mut time = way()?;
        let before = resident();
        for _ in 0..2 {
            time = time.min(way()?);
        }
        let after = resident();
        bare_time = bare_time.min(time);
        let ratio = time / bare_time;
        println!("{name:<8} {time:>9.1}  {ratio:>5.3} of the driver's  {before:>9} {after:>9}");
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
    let mut result = Ok(());
    let wanted = |name| what.is_empty() || what == name;
    if wanted("copies") {
        result = copies(&device);
    }
    if wanted("both") && result.is_ok() {
        result = both(&device);
    }
    if wanted("rows") && result.is_ok() {
        result = rows(&device);
    }
    if wanted("launches") && result.is_ok() {
        result = launch_times(&device);
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
