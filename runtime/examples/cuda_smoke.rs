//! Runs a hand-written vector addition on CUDA device 0 and checks it, and what
//! the device interface promises around it: `cargo run --example cuda_smoke`.
//!
//! Exits with 0 when everything holds, 1 when something does not, and 77 (the
//! customary code of a skipped test) where there is no driver or device.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use terrace_runtime::buffer::{Fill, HostBuffer};
use terrace_runtime::cache::Cache;
use terrace_runtime::check::{checksum, compare};
use terrace_runtime::cuda::CudaDevice;
use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, KernelArg, LaunchConfig, ModuleId, PinnedBuffer, StreamId,
    Timer,
};
use terrace_runtime::dtype::DType;
use terrace_runtime::profile::{Direction, Event, KernelRun, Profile};

/// c[i] = a[i] + b[i] for i < n; and a kernel that faults; and one that puts its
/// dynamic shared memory to use.
const PTX: &str = "\
.version 6.4
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 dynamic[];

.visible .entry vector_add(
    .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n
)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p, %r4, %r5;
    @%p bra done;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    add.rn.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
done:
    ret;
}

.visible .entry last_shared_word(.param .u64 out, .param .u32 at)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r1, [at];
    mov.u32 %r2, dynamic;
    add.u32 %r2, %r2, %r1;
    mov.u32 %r3, 77;
    st.shared.u32 [%r2], %r3;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%rd1], %r4;
    ret;
}

.visible .entry fault()
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 16;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

const BLOCK: u32 = 256;

/// Fails with a message unless the condition holds.
fn ensure(condition: bool, message: impl Into<String>) -> Result<(), Box<dyn Error>> {
    if condition {
        Ok(())
    } else {
        Err(message.into().into())
    }
}

/// Fails unless the operation failed with a text that contains `part`.
fn ensure_error<T>(result: Result<T, DeviceError>, part: &str) -> Result<(), Box<dyn Error>> {
    match result {
        Ok(_) => Err(format!("expected an error with `{part}`, but it succeeded").into()),
        Err(error) => {
            let text = error.to_string();
            ensure(
                text.contains(part),
                format!("expected `{part}` in the error: {text}"),
            )
        }
    }
}

fn grid(n: usize) -> LaunchConfig {
    LaunchConfig {
        grid: [n.div_ceil(BLOCK as usize) as u32, 1, 1],
        block: [BLOCK, 1, 1],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    }
}

fn add(
    device: &Arc<dyn Device>,
    module: ModuleId,
    profile: &mut Profile,
) -> Result<(), Box<dyn Error>> {
    let kernel = device.kernel(module, "vector_add")?;
    ensure(
        kernel == device.kernel(module, "vector_add")?,
        "a kernel was looked up twice",
    )?;
    println!("{:?}", device.kernel_info(kernel)?);
    // Sizes below, at and above multiples of the block.
    for n in [1, 255, 256, 257, 1 << 20, (1 << 24) + 3] {
        let a = HostBuffer::filled(DType::F32, &[n], Fill::Random { seed: 1 })?;
        let b = HostBuffer::filled(DType::F32, &[n], Fill::Random { seed: 2 })?;
        let mut c = HostBuffer::zeros(DType::F32, &[n])?;
        let mut expected = HostBuffer::zeros(DType::F32, &[n])?;
        let sums = a
            .as_slice::<f32>()?
            .iter()
            .zip(b.as_slice::<f32>()?)
            .map(|(x, y)| x + y);
        for (slot, sum) in expected.as_mut_slice::<f32>()?.iter_mut().zip(sums) {
            *slot = sum;
        }
        let timer = Timer::new(device)?;
        timer.start(StreamId::MAIN)?;
        let (da, db) = (
            DeviceBuffer::from_host(device, &a)?,
            DeviceBuffer::from_host(device, &b)?,
        );
        profile.record(Event::Copy {
            direction: Direction::HostToDevice,
            bytes: 2 * a.size_in_bytes() as u64,
            microseconds: timer.stop_us(StreamId::MAIN)?,
        });
        let dc = DeviceBuffer::new(device, c.size_in_bytes())?;
        device.memset(dc.ptr(), &f32::NAN.to_ne_bytes(), n, StreamId::MAIN)?;
        let args: [KernelArg; 4] = [
            da.ptr().into(),
            db.ptr().into(),
            dc.ptr().into(),
            (n as u32).into(),
        ];
        let config = grid(n);
        for _ in 0..5 {
            timer.start(StreamId::MAIN)?;
            // SAFETY: the parameters are three arrays of n floats, and n.
            unsafe { device.launch(kernel, &config, &args)? };
            profile.record(Event::Kernel(KernelRun {
                name: format!("vector_add {n}"),
                target: "gpu".to_string(),
                launch: Some((config.grid, config.block)),
                microseconds: timer.stop_us(StreamId::MAIN)?,
                flops: Some(n as f64),
                work: None,
            }));
        }
        dc.download(c.bytes_mut())?;
        let comparison = compare(&c, &expected)?;
        println!("n = {n}: {comparison}; {}", checksum(&c));
        ensure(comparison.is_equal(), "the sums are wrong")?;

        ensure_error(
            match device.kernel_info(kernel)?.parameters {
                // SAFETY: refused for the number of arguments, which the driver tells.
                Some(_) => unsafe { device.launch(kernel, &config, &args[..3]) },
                None => Err(DeviceError::Launch {
                    kernel: String::new(),
                    problem: "found 3 arguments (parameters are not known)".to_string(),
                }),
            },
            "found 3 arguments",
        )?;
        let too_large = LaunchConfig {
            block: [2048, 1, 1],
            ..config
        };
        ensure_error(
            // SAFETY: refused for its block.
            unsafe { device.launch(kernel, &too_large, &args) },
            "at most 1024",
        )?;
        let empty = LaunchConfig {
            grid: [0, 1, 1],
            ..config
        };
        // SAFETY: as above; runs no block.
        unsafe { device.launch(kernel, &empty, &args)? };
        let mut beyond = vec![0u8; c.size_in_bytes() + 1];
        ensure_error(dc.download(&mut beyond), "reach beyond")?;
    }
    Ok(())
}

fn shared(device: &Arc<dyn Device>, module: ModuleId) -> Result<(), Box<dyn Error>> {
    let kernel = device.kernel(module, "last_shared_word")?;
    let most = device.info().shared_per_block_optin;
    for bytes in [1024, device.info().shared_per_block, most, 2048] {
        let out = DeviceBuffer::new(device, 4)?;
        let config = LaunchConfig {
            shared_bytes: bytes,
            block: [1, 1, 1],
            ..grid(1)
        };
        // SAFETY: writes one word of `out`, and the last of the shared memory.
        unsafe { device.launch(kernel, &config, &[out.ptr().into(), (bytes - 4).into()])? };
        let mut word = [0u8; 4];
        out.download(&mut word)?;
        ensure(
            u32::from_ne_bytes(word) == 77,
            format!("{bytes} bytes of shared memory"),
        )?;
    }
    let config = LaunchConfig {
        shared_bytes: most + 4,
        ..grid(1)
    };
    // SAFETY: refused for its shared memory.
    let refused = unsafe { device.launch(kernel, &config, &[0u64.into(), 0u32.into()]) };
    ensure_error(refused, "bytes of shared memory")
}

fn memory(device: &Arc<dyn Device>) -> Result<(), Box<dyn Error>> {
    let n = 1000usize;
    let buffer = DeviceBuffer::new(device, n * 8)?;
    let patterns: [&[u8]; 5] = [
        &[7],
        &0x1234u16.to_ne_bytes(),
        &1.5f32.to_ne_bytes(),
        &0.1f64.to_ne_bytes(),
        &0x0101_0101_0101_0101u64.to_ne_bytes(),
    ];
    for pattern in patterns {
        let mut bytes = vec![0xffu8; n * 8];
        buffer.upload(&bytes)?;
        device.memset(buffer.ptr(), pattern, n - 1, StreamId::MAIN)?;
        buffer.download(&mut bytes)?;
        let (set, rest) = bytes.split_at((n - 1) * pattern.len());
        let right =
            set.chunks(pattern.len()).all(|c| c == pattern) && rest.iter().all(|b| *b == 0xff);
        ensure(right, format!("memset of {} bytes", pattern.len()))?;
    }
    ensure_error(
        device.memset(buffer.ptr(), &[1, 2, 3], 1, StreamId::MAIN),
        "expected 1, 2, 4 or 8",
    )?;
    ensure_error(
        device.free(terrace_runtime::device::DevicePtr(buffer.ptr().0 + 1)),
        "not the start",
    )?;
    ensure_error(DeviceBuffer::new(device, 1 << 50), "out of device memory")?;
    ensure(DeviceBuffer::new(device, 0).is_ok(), "an empty buffer")?;
    let half = terrace_runtime::device::DevicePtr(buffer.ptr().0 + 4000);
    ensure_error(
        device.copy_d2d(buffer.ptr(), half, 4001, StreamId::MAIN),
        "reach beyond",
    )?;
    ensure_error(
        device.copy_d2d(buffer.ptr(), half, 4000, StreamId(99)),
        "stream 99",
    )?;

    // Pinned memory and two streams: upload on one, wait for it on the other.
    let bytes = 64 << 20;
    let (mut source, mut back) = (
        PinnedBuffer::new(device, bytes)?,
        PinnedBuffer::new(device, bytes)?,
    );
    for (i, byte) in source.iter_mut().enumerate() {
        *byte = (i * 31 % 251) as u8;
    }
    let large = DeviceBuffer::new(device, bytes)?;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    let uploaded = device.create_event()?;
    let timer = Timer::new(device)?;
    timer.start(first)?;
    // SAFETY: both pinned buffers outlive the synchronisation below, untouched.
    unsafe { device.copy_h2d_async(large.ptr(), source.as_ptr(), bytes, first)? };
    device.record_event(uploaded, first)?;
    let up = timer.stop_us(first)?;
    device.wait_event(second, uploaded)?;
    timer.start(second)?;
    // SAFETY: as above.
    unsafe { device.copy_d2h_async(back.as_mut_ptr(), large.ptr(), bytes, second)? };
    let down = timer.stop_us(second)?;
    device.synchronize(second)?;
    ensure(source[..] == back[..], "pinned copies")?;
    let rate = |us: f64| bytes as f64 / us * 1e-3;
    println!(
        "pinned copies of {bytes} bytes: {:.1} GB/s up, {:.1} GB/s down",
        rate(up),
        rate(down)
    );
    device.destroy_event(uploaded)?;
    device.destroy_stream(first)?;
    device.destroy_stream(second)?;
    ensure_error(device.synchronize(first), "was destroyed")
}

fn modules(device: &Arc<dyn Device>, module: ModuleId) -> Result<(), Box<dyn Error>> {
    ensure(
        device.load_module(PTX)? == module,
        "the same text was compiled twice",
    )?;
    ensure_error(
        device.kernel(module, "vector_sub"),
        "the module has `vector_add`",
    )?;
    ensure_error(device.kernel(ModuleId(9999), "f"), "module 9999")?;
    let broken = PTX.replace("add.rn.f32 %f3", "add.rn.f33 %f3");
    match device.load_module(&broken) {
        Err(error @ DeviceError::Jit { .. }) => {
            println!("a module that is wrong on purpose:\n{error}")
        }
        other => return Err(format!("expected a compile error, found {other:?}").into()),
    }
    Ok(())
}

/// Loads the module with a cache of its own: not there yet, there, damaged, and there
/// again. The kernel must work each time.
fn cache() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("terrace-smoke-{}", std::process::id()));
    let open = || Cache::new(folder.clone(), 1 << 30);
    for step in ["compiled", "found", "damaged", "mended"] {
        if step == "damaged" {
            let listed = open().list()?;
            let mut bytes = std::fs::read(&listed[0].path)?;
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&listed[0].path, bytes)?;
            ensure(open().list()?[0].contents.is_none(), "damage is not seen")?;
        }
        let device: Arc<dyn Device> = Arc::new(CudaDevice::open(0)?.with_cache(Some(open())));
        let begin = std::time::Instant::now();
        let module = device.load_module(PTX)?;
        let time = begin.elapsed();
        add(&device, module, &mut Profile::new())?;
        let listed = open().list()?;
        let contents = listed.first().and_then(|l| l.contents.clone());
        let contents = contents.ok_or(format!("{step}: the module is not in the cache"))?;
        ensure(listed.len() == 1, "one entry for one module")?;
        ensure(
            contents.kernels == ["vector_add", "last_shared_word", "fault"],
            format!("the kernels of the entry are {:?}", contents.kernels),
        )?;
        println!(
            "cache: {step}: loaded in {time:?}, {} bytes of code",
            contents.bytes
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Copies large enough for the ring, of odd sizes, in both directions.
fn staged(device: &Arc<dyn Device>) -> Result<(), Box<dyn Error>> {
    for n in [(32 << 20) + 12345, (2 << 20) + 1, (7 << 20) - 3, 65 << 20] {
        let source: Vec<u8> = (0..n).map(|i| (i * 31 + i / 8191) as u8).collect();
        let mut back = vec![0u8; n];
        let buffer = DeviceBuffer::new(device, n)?;
        buffer.upload(&source)?;
        buffer.download(&mut back)?;
        ensure(source == back, format!("{n} bytes came back changed"))?;
    }
    Ok(())
}

fn check(device: CudaDevice) -> Result<(), Box<dyn Error>> {
    println!("{:#?}", device.info());
    let device: Arc<dyn Device> = Arc::new(device);
    println!("{:?}", device.memory()?);
    let mut profile = Profile::new();
    let begin = std::time::Instant::now();
    let module = device.load_module(PTX)?;
    profile.record_step("compile PTX", begin.elapsed());
    add(&device, module, &mut profile)?;
    shared(&device, module)?;
    memory(&device)?;
    modules(&device, module)?;
    staged(&device)?;
    cache()?;
    ensure(device.allocated() == (0, 0), "device memory leaked")?;
    print!("{profile}");

    // Last, since nothing works in this process after a fault.
    let kernel = device.kernel(module, "fault")?;
    // SAFETY: no parameters; it faults on the device on purpose.
    unsafe { device.launch(kernel, &grid(1), &[])? };
    let fault = device.synchronize_all();
    if let Err(error) = &fault {
        println!("a fault on purpose: {error}");
    }
    ensure_error(fault, "launched last is `fault`")
}

fn main() -> ExitCode {
    let device = match CudaDevice::open(0) {
        Ok(device) => device,
        Err(error @ (DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. })) => {
            eprintln!("skipped: {error}");
            return ExitCode::from(77);
        }
        Err(error) => {
            eprintln!("FAILED: {error}");
            return ExitCode::FAILURE;
        }
    };
    match check(device) {
        Ok(()) => {
            println!("cuda_smoke: all checks passed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}
