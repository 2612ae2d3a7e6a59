//! Modules, kernels and launches.

use std::sync::Arc;

use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, KernelArg, KernelId, LaunchConfig, ModuleId, StreamId,
    cooperative_grid,
};

use super::kernels::{MEET, PTX};
use super::{Not, Verdict, bytes_of, doubles, ensure, grid, kernel, refused, scale};

pub const CASES: [(&str, fn(&Arc<dyn Device>) -> Verdict); 9] = [
    ("modules are loaded once", modules),
    ("what is no module", broken),
    ("facts of kernels", facts),
    ("launches that are refused", launches),
    ("results for many sizes", results),
    ("launches in three dimensions", dimensions),
    ("arguments of all sizes", arguments),
    ("shared memory", shared),
    ("blocks that wait for each other", meeting),
];

/// Leave a real device unusable.
pub const LAST: [(&str, fn(&Arc<dyn Device>) -> Verdict); 1] = [("a kernel that faults", fault)];

fn modules(device: &Arc<dyn Device>) -> Verdict {
    let module = device.load_module(PTX)?;
    ensure(device.load_module(PTX)? == module, "compiled twice")?;
    let id = device.kernel(module, "scale")?;
    ensure(device.kernel(module, "scale")? == id, "two numbers")?;
    ensure(device.kernel(module, "place")? != id, "one number")?;
    refused("no such kernel", device.kernel(module, "scael"), |e| {
        matches!(e, DeviceError::NoKernel { .. }) && e.to_string().contains("`scale`")
    })?;
    refused("a NUL", device.kernel(module, "scale\0"), |e| {
        matches!(e, DeviceError::NoKernel { .. })
    })?;
    let is = |e: &DeviceError| matches!(e, DeviceError::BadHandle { .. });
    refused(
        "no such module",
        device.kernel(ModuleId(99_999), "scale"),
        is,
    )?;
    refused("facts of none", device.kernel_info(KernelId(99_999)), is)?;
    // SAFETY: there is no such kernel.
    let launched = unsafe { device.launch(KernelId(99_999), &grid(1, StreamId::MAIN), &[]) };
    refused("a launch of none", launched, is)
}

fn broken(device: &Arc<dyn Device>) -> Verdict {
    let jit = |e: &DeviceError| matches!(e, DeviceError::Jit { .. });
    refused("no text", device.load_module(""), jit)?;
    refused("nonsense", device.load_module("nonsense"), jit)?;
    // Cut off in the middle of an instruction.
    refused("half of it", device.load_module(&PTX[..PTX.len() / 2]), jit)?;
    let wrong = PTX.replace("fma.rn.f64 %fd4, %fd2, %fd1, %fd3", "fma.rn.f65 %fd4, %fd2");
    let line = PTX
        .lines()
        .position(|l| l.contains("fma.rn.f64"))
        .unwrap_or(0)
        + 1;
    let error = match device.load_module(&wrong) {
        Err(error) => error.to_string(),
        Ok(_) => return Err(Not::Right("it should have failed".to_string())),
    };
    ensure(
        error.contains("fma.rn.f65") && error.contains(&line.to_string()),
        format!("the line {line} is not shown: {error}"),
    )?;
    // The device goes on.
    device.load_module(PTX)?;
    Ok(())
}

fn facts(device: &Arc<dyn Device>) -> Verdict {
    let info = device.kernel_info(kernel(device, "widths")?)?;
    ensure(info.name == "widths", info.name.clone())?;
    ensure(info.max_threads_per_block >= 128, "too few threads")?;
    if let Some(sizes) = info.parameters {
        ensure(sizes == [8, 1, 2, 4, 8, 4, 8], format!("{sizes:?}"))?;
    }
    Ok(())
}

fn launches(device: &Arc<dyn Device>) -> Verdict {
    let n = 100;
    let a = DeviceBuffer::new(device, n * 8)?;
    a.upload(&bytes_of(&vec![1.0; n]))?;
    let kernel = kernel(device, "scale")?;
    let args: [KernelArg; 3] = [a.ptr().into(), (n as u32).into(), 2.0f64.into()];
    let good = grid(n, StreamId::MAIN);
    // SAFETY: all but the last are refused; the last runs no block.
    let launch = |config, args: &[KernelArg]| unsafe { device.launch(kernel, &config, args) };
    let is = |e: &DeviceError| {
        matches!(e, DeviceError::Launch { .. }) && e.to_string().contains("`scale`")
    };
    let config = |grid, block, shared_bytes| LaunchConfig {
        grid,
        block,
        shared_bytes,
        ..good
    };
    let (one, info) = ([1, 1, 1], device.info());
    refused("no threads", launch(config(one, [0, 1, 1], 0), &args), is)?;
    let most = info.max_threads_per_block;
    refused(
        "a long block",
        launch(config(one, [most + 1, 1, 1], 0), &args),
        is,
    )?;
    refused(
        "a large block",
        launch(config(one, [most, 2, 1], 0), &args),
        is,
    )?;
    refused(
        "a deep block",
        launch(config(one, [1, 1, 65], 0), &args),
        is,
    )?;
    let grid = [1, info.max_grid[1] + 1, 1];
    refused("a large grid", launch(config(grid, one, 0), &args), is)?;
    let shared = info.shared_per_block.max(info.shared_per_block_optin) + 1;
    refused("shared memory", launch(config(one, one, shared), &args), is)?;
    if device.kernel_info(kernel)?.parameters.is_some() {
        refused("too few arguments", launch(good, &args[..2]), is)?;
        let wrong = [args[0], 1u64.into(), args[2]];
        refused("a larger argument", launch(good, &wrong), is)?;
    }
    launch(config([0, 1, 1], [32, 1, 1], 0), &args)?;
    device.synchronize(StreamId::MAIN)?;
    let values = doubles(&a, n)?;
    ensure(values == vec![1.0; n], "something ran")
}

fn results(device: &Arc<dyn Device>) -> Verdict {
    for n in [1, 2, 127, 128, 129, 1000, 4096, 50_001] {
        let values: Vec<f64> = (0..n).map(|i| i as f64 * 0.1 - 3.0).collect();
        let a = DeviceBuffer::new(device, n * 8)?;
        a.upload(&bytes_of(&values))?;
        scale(device, a.ptr(), n, 0.3, StreamId::MAIN)?;
        let found = doubles(&a, n)?;
        let right = |(v, f): (&f64, &f64)| v.mul_add(0.3, 1.0).to_bits() == f.to_bits();
        ensure(
            values.iter().zip(&found).all(right),
            format!("{n} elements"),
        )?;
    }
    Ok(())
}

fn dimensions(device: &Arc<dyn Device>) -> Verdict {
    let kernel = kernel(device, "place")?;
    for (grid, block) in [
        ([1, 1, 1], [1, 1, 1]),
        ([5, 1, 1], [33, 1, 1]),
        ([3, 4, 5], [7, 3, 2]),
        ([1, 2, 3], [8, 8, 2]),
        ([2, 1, 7], [1, 1, 64]),
    ] {
        let n: u32 = grid.iter().chain(&block).product();
        let a = DeviceBuffer::new(device, n as usize * 4)?;
        device.memset(a.ptr(), &[0xff], n as usize * 4, StreamId::MAIN)?;
        let config = LaunchConfig {
            grid,
            block,
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        // SAFETY: a word for each thread.
        unsafe { device.launch(kernel, &config, &[a.ptr().into()])? };
        let mut bytes = vec![0; n as usize * 4];
        a.download(&mut bytes)?;
        let right = (0..n).flat_map(|i| i.to_ne_bytes()).eq(bytes);
        ensure(right, format!("grid {grid:?}, block {block:?}"))?;
    }
    Ok(())
}

fn arguments(device: &Arc<dyn Device>) -> Verdict {
    let out = DeviceBuffer::new(device, 8)?;
    let args: [KernelArg; 7] = [
        out.ptr().into(),
        200u8.into(),
        60_000u16.into(),
        4_000_000_000u32.into(),
        0x1234_5678_9abcu64.into(),
        1000.0f32.into(),
        12345.0f64.into(),
    ];
    let config = LaunchConfig {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    };
    // SAFETY: the parameters are a word and numbers of these sizes.
    unsafe { device.launch(kernel(device, "widths")?, &config, &args)? };
    let mut word = [0; 8];
    out.download(&mut word)?;
    let expected = 200 + 60_000 + 4_000_000_000 + 0x1234_5678_9abc + 1000 + 12345;
    let found = u64::from_ne_bytes(word);
    ensure(found == expected, format!("{found}, expected {expected}"))
}

fn shared(device: &Arc<dyn Device>) -> Verdict {
    if device.info().shared_per_block == 0 {
        return Err(Not::Here("the device has no shared memory"));
    }
    let n = 4 * 128;
    let a = DeviceBuffer::new(device, n * 4)?;
    for bytes in [512, device.info().shared_per_block_optin, 1024] {
        let sent: Vec<u8> = (0..n as u32).flat_map(u32::to_ne_bytes).collect();
        a.upload(&sent)?;
        let config = LaunchConfig {
            shared_bytes: bytes,
            ..grid(n, StreamId::MAIN)
        };
        // SAFETY: the parameter is a word for each thread.
        unsafe { device.launch(kernel(device, "shared")?, &config, &[a.ptr().into()])? };
        let mut got = vec![0; n * 4];
        a.download(&mut got)?;
        let turned = (0..n as u32).map(|i| i / 128 * 128 + 127 - i % 128);
        ensure(
            turned.flat_map(u32::to_ne_bytes).eq(got),
            format!("{bytes} bytes of shared memory"),
        )?;
    }
    Ok(())
}

fn meeting(device: &Arc<dyn Device>) -> Verdict {
    let config = LaunchConfig {
        grid: [65535, 1, 1],
        block: [64, 1, 1],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    };
    let Ok(module) = device.load_module(MEET) else {
        return Err(Not::Here("the device runs no PTX"));
    };
    let kernel = device.kernel(module, "meet")?;
    let room = device.resident_blocks(kernel, &config)?;
    ensure(room >= 2, format!("room for {room} blocks"))?;
    let [numbers, sums] = [(); 2].map(|()| DeviceBuffer::new(device, room as usize * 4));
    let (numbers, sums, counter) = (numbers?, sums?, DeviceBuffer::new(device, 4)?);
    device.memset(counter.ptr(), &[0], 4, StreamId::MAIN)?;
    let args: [KernelArg; 3] = [
        numbers.ptr().into(),
        sums.ptr().into(),
        counter.ptr().into(),
    ];
    // SAFETY: of blocks that there is room for each has a word in both arrays; more are refused.
    let launch = |config| unsafe { device.launch_cooperative(kernel, &config, &args) };
    refused("more blocks than there is room for", launch(config), |_| {
        true
    })?;
    // The counter is as good as new after each of them.
    for blocks in [1, 2, room - 1, room] {
        let grid = cooperative_grid([blocks, 1, 1], room);
        launch(LaunchConfig { grid, ..config })?;
        device.synchronize(StreamId::MAIN)?;
        let mut bytes = vec![0; blocks as usize * 4];
        sums.download(&mut bytes)?;
        let sum = blocks * (blocks - 1) / 2;
        let right = (0..blocks).flat_map(|_| sum.to_ne_bytes()).eq(bytes);
        ensure(right, format!("{blocks} blocks"))?;
    }
    Ok(())
}

fn fault(device: &Arc<dyn Device>) -> Verdict {
    let a = DeviceBuffer::new(device, 80)?;
    a.upload(&bytes_of(&[4.0; 10]))?;
    // So large that it may be copied by a thread of the device's own.
    let large = DeviceBuffer::new(device, 9 << 20)?;
    let mut behind = vec![9u8; 9 << 20];
    let stream = device.create_stream()?;
    let config = LaunchConfig {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
        stream,
    };
    // SAFETY: the kernel writes to no memory of anybody's: the address is none.
    let launched = unsafe { device.launch(kernel(device, "wild")?, &config, &[16u64.into()]) };
    // At the launch, or when somebody waits.
    let failed = launched
        // SAFETY: kept until the end.
        .and_then(|()| unsafe {
            device.copy_d2h_async(behind.as_mut_ptr(), large.ptr(), behind.len(), stream)
        })
        .and_then(|()| device.synchronize(stream));
    refused("the fault", failed, |e| e.to_string().contains("`wild`"))?;
    ensure(
        behind == vec![9; 9 << 20],
        "a copy behind the fault was done",
    )?;
    // What comes now fails or works, but comes back, and the host's memory is as it was.
    let host = [7u8; 8];
    let _ = device.copy_h2d(a.ptr(), &host);
    let _ = device.synchronize_all();
    let _ = device.is_idle(StreamId::MAIN);
    let mut got = [9u8; 8];
    let copied = device.copy_d2h(&mut got, a.ptr());
    ensure(host == [7; 8], "the host's memory changed")?;
    match copied {
        Ok(()) => ensure(got == [7; 8], "the device forgot"),
        Err(_) => ensure(got == [9; 8], "a copy that failed wrote"),
    }
}
