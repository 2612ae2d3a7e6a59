//! Memory: allocations, copies of all kinds and sizes, filling.

use std::sync::Arc;

use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, DevicePtr, PinnedBuffer, Pitch, Rows, StreamId,
};
use terrace_runtime::profile::Direction;

use super::{Not, Verdict, ensure, pattern, refused};

pub const CASES: [(&str, fn(&Arc<dyn Device>) -> Verdict); 12] = [
    ("facts of the device", facts),
    ("allocations are aligned, apart and counted", allocations),
    ("what is freed twice, or is no allocation", freeing),
    ("copies of many sizes and offsets", sizes),
    ("copies of large arrays", large),
    ("copies to and from pinned memory", pinned),
    ("copies within the device", within),
    ("copies of rows and planes", rows),
    ("ranges that end outside", ranges),
    ("use after free", after_free),
    ("filling with patterns of each size", filling),
    ("out of memory, and going on", exhaustion),
];

fn facts(device: &Arc<dyn Device>) -> Verdict {
    let (info, memory) = (device.info(), device.memory()?);
    ensure(!info.name.is_empty(), "no name")?;
    ensure(info.multiprocessors > 0 && info.warp_size > 0, "no cores")?;
    ensure(info.max_threads_per_block >= 128, "blocks are too small")?;
    ensure(
        info.max_block.iter().chain(&info.max_grid).all(|d| *d > 0),
        "a dimension has no size",
    )?;
    ensure(
        memory.free <= memory.total && memory.total > 0,
        format!("{memory:?}"),
    )?;
    ensure(info.total_memory > 0, "no memory")
}

fn allocations(device: &Arc<dyn Device>) -> Verdict {
    let (count, bytes) = device.allocated();
    let sizes = [0, 1, 2, 255, 256, 257, 4096, 1 << 20];
    let mut all = Vec::new();
    for size in sizes {
        let buffer = DeviceBuffer::new(device, size)?;
        let at = buffer.ptr().0;
        ensure(at.is_multiple_of(256), format!("{size} bytes at {at:#x}"))?;
        ensure(at != 0, "the null pointer")?;
        all.push(buffer);
    }
    let sum: usize = sizes.iter().sum();
    ensure(
        device.allocated() == (count + sizes.len(), bytes + sum),
        format!("{:?} are counted", device.allocated()),
    )?;
    let mut ranges: Vec<(u64, u64)> = all
        .iter()
        .map(|b| (b.ptr().0, b.ptr().0 + b.size_in_bytes() as u64))
        .collect();
    ranges.sort_unstable();
    let apart = ranges
        .windows(2)
        .all(|p| p[0].1 <= p[1].0 && p[0].0 < p[1].0);
    ensure(apart, format!("they overlap: {ranges:?}"))?;
    drop(all);
    ensure(device.allocated() == (count, bytes), "they were not freed")
}

fn freeing(device: &Arc<dyn Device>) -> Verdict {
    let is = |e: &DeviceError| e.to_string().contains("not the start of a live allocation");
    let ptr = device.alloc(100)?;
    refused("inside", device.free(DevicePtr(ptr.0 + 8)), is)?;
    refused("null", device.free(DevicePtr(0)), is)?;
    device.free(ptr)?;
    refused("twice", device.free(ptr), is)
}

fn sizes(device: &Arc<dyn Device>) -> Verdict {
    let most = (1 << 17) + 64;
    let buffer = DeviceBuffer::new(device, most)?;
    let sizes = [
        0,
        1,
        2,
        3,
        7,
        8,
        9,
        255,
        256,
        257,
        4095,
        4097,
        65537,
        1 << 17,
    ];
    for (i, size) in sizes.into_iter().enumerate() {
        for offset in [0, 1, 3, 8, 61] {
            buffer.upload(&vec![0xee; most])?;
            let at = DevicePtr(buffer.ptr().0 + offset as u64);
            let sent = pattern(size, i);
            device.copy_h2d(at, &sent)?;
            let mut got = vec![0; size];
            device.copy_d2h(&mut got, at)?;
            ensure(
                got == sent,
                format!("{size} bytes at {offset} came back changed"),
            )?;
            let mut all = vec![0; most];
            buffer.download(&mut all)?;
            let around = all[..offset].iter().chain(&all[offset + size..]);
            ensure(
                around.copied().all(|b| b == 0xee),
                format!("{size} bytes at {offset} wrote beside"),
            )?;
        }
    }
    Ok(())
}

fn large(device: &Arc<dyn Device>) -> Verdict {
    // Above and below what is staged, and no multiple of anything.
    for size in [(1 << 20) + 1, (2 << 20) - 1, (3 << 20) + 5, (9 << 20) + 13] {
        let sent = pattern(size, 7);
        let buffer = DeviceBuffer::new(device, size)?;
        buffer.upload(&sent)?;
        let mut got = vec![0; size];
        buffer.download(&mut got)?;
        ensure(got == sent, format!("{size} bytes came back changed"))?;
    }
    Ok(())
}

fn pinned(device: &Arc<dyn Device>) -> Verdict {
    let stream = device.create_stream()?;
    for size in [1, 4096, (4 << 20) + 3] {
        let (mut from, mut to) = (
            PinnedBuffer::new(device, size)?,
            PinnedBuffer::new(device, size)?,
        );
        ensure(from.iter().all(|b| *b == 0), "it does not begin as zeros")?;
        from.copy_from_slice(&pattern(size, 3));
        let buffer = DeviceBuffer::new(device, size)?;
        // SAFETY: both are kept, untouched, until the stream was waited for.
        unsafe {
            device.copy_h2d_async(buffer.ptr(), from.as_ptr(), size, stream)?;
            device.copy_d2h_async(to.as_mut_ptr(), buffer.ptr(), size, stream)?;
        }
        device.synchronize(stream)?;
        ensure(
            from[..] == to[..],
            format!("{size} bytes came back changed"),
        )?;
    }
    device.destroy_stream(stream)?;
    Ok(())
}

fn within(device: &Arc<dyn Device>) -> Verdict {
    let n = 5000;
    let (a, b) = (DeviceBuffer::new(device, n)?, DeviceBuffer::new(device, n)?);
    let sent = pattern(n, 9);
    a.upload(&sent)?;
    b.upload(&vec![0; n])?;
    device.copy_d2d(DevicePtr(b.ptr().0 + 100), a.ptr(), 3000, StreamId::MAIN)?;
    device.copy_d2d(b.ptr(), a.ptr(), 0, StreamId::MAIN)?;
    let mut got = vec![0; n];
    b.download(&mut got)?;
    let right =
        got[..100].iter().chain(&got[3100..]).all(|v| *v == 0) && got[100..3100] == sent[..3000];
    ensure(right, "the copy is another")?;
    // Neighbours do not overlap.
    device.copy_d2d(DevicePtr(a.ptr().0 + 2500), a.ptr(), 2500, StreamId::MAIN)?;
    a.download(&mut got)?;
    ensure(got[2500..] == sent[..2500], "the copy beside is another")?;
    let overlapping = device.copy_d2d(DevicePtr(a.ptr().0 + 2499), a.ptr(), 2500, StreamId::MAIN);
    refused("overlapping", overlapping, |e| {
        matches!(e, DeviceError::Invalid { .. }) && e.to_string().contains("overlap")
    })
}

fn rows(device: &Arc<dyn Device>) -> Verdict {
    let size = 20_000;
    let (a, b) = (
        DeviceBuffer::new(device, size)?,
        DeviceBuffer::new(device, size)?,
    );
    let pitch = |row, plane| Pitch { row, plane };
    for (width, rows, planes, dst, src) in [
        (7, 1, 1, pitch(7, 7), pitch(7, 7)),
        (16, 20, 1, pitch(16, 320), pitch(16, 320)),
        (13, 20, 1, pitch(64, 1280), pitch(13, 260)),
        (13, 20, 3, pitch(20, 500), pitch(64, 2000)),
        (1, 100, 5, pitch(8, 1000), pitch(3, 400)),
        (1000, 3, 2, pitch(1500, 8000), pitch(1000, 3000)),
        (0, 5, 5, pitch(8, 80), pitch(8, 80)),
        (8, 0, 1, pitch(8, 80), pitch(8, 80)),
    ] {
        let shape = Rows {
            width,
            rows,
            planes,
            dst,
            src,
        };
        // What the copy makes of bytes.
        let copied = |from: &[u8]| {
            let mut to = vec![0xaa; size];
            for p in 0..planes {
                for r in 0..rows {
                    let (d, s) = (p * dst.plane + r * dst.row, p * src.plane + r * src.row);
                    to[d..d + width].copy_from_slice(&from[s..s + width]);
                }
            }
            to
        };
        let sent = pattern(size, width);
        let expected = copied(&sent);
        let mut got = vec![0; size];
        for way in [
            Direction::HostToDevice,
            Direction::DeviceToDevice,
            Direction::DeviceToHost,
        ] {
            let (mut host, to_host) = (vec![0xaa; size], way == Direction::DeviceToHost);
            a.upload(&sent)?;
            b.upload(&vec![0xaa; size])?;
            let (to, from) = match way {
                Direction::HostToDevice => (b.ptr().0, sent.as_ptr() as u64),
                Direction::DeviceToDevice => (b.ptr().0, a.ptr().0),
                Direction::DeviceToHost => (host.as_mut_ptr() as u64, a.ptr().0),
            };
            // SAFETY: both sides have all bytes of the rows, and are kept until the stream
            // was waited for.
            unsafe { device.copy_rows(way, to, from, &shape, StreamId::MAIN)? };
            device.synchronize(StreamId::MAIN)?;
            b.download(&mut got)?;
            let found = if to_host { &host } else { &got };
            ensure(*found == expected, format!("{way:?} of {shape:?}"))?;
        }
    }
    let beyond = Rows {
        width: 10,
        rows: 3,
        planes: 1,
        dst: pitch(9_996, 9_996),
        src: pitch(10, 30),
    };
    let host = [0; 30];
    let (to, from) = (b.ptr().0, host.as_ptr() as u64);
    // SAFETY: refused, or rows that are there.
    let copied =
        unsafe { device.copy_rows(Direction::HostToDevice, to, from, &beyond, StreamId::MAIN) };
    let _ = device.synchronize(StreamId::MAIN);
    refused("a row beyond", copied, |e| {
        matches!(e, DeviceError::OutOfRange { .. })
    })
}

/// Every operation that takes a range, on this one.
fn all_refused(device: &Arc<dyn Device>, what: &str, at: DevicePtr, bytes: usize) -> Verdict {
    let other = DeviceBuffer::new(device, bytes.clamp(1, 4096))?;
    let is = |e: &DeviceError| matches!(e, DeviceError::OutOfRange { ptr, .. } if *ptr == at);
    let mut host = vec![0u8; bytes.min(1 << 20)];
    if bytes == host.len() {
        refused(
            &format!("{what}: to the device"),
            device.copy_h2d(at, &host),
            is,
        )?;
        refused(
            &format!("{what}: from it"),
            device.copy_d2h(&mut host, at),
            is,
        )?;
    }
    let within = device.copy_d2d(at, other.ptr(), bytes, StreamId::MAIN);
    // Of a huge range either side is outside.
    refused(&format!("{what}: within, target"), within, |e| {
        matches!(e, DeviceError::OutOfRange { .. })
    })?;
    let within = device.copy_d2d(other.ptr(), at, bytes, StreamId::MAIN);
    refused(&format!("{what}: within, source"), within, |e| {
        matches!(e, DeviceError::OutOfRange { .. })
    })?;
    let set = device.memset(at, &[0], bytes, StreamId::MAIN);
    refused(&format!("{what}: filling"), set, is)
}

fn ranges(device: &Arc<dyn Device>) -> Verdict {
    let buffer = DeviceBuffer::new(device, 1000)?;
    let at = buffer.ptr().0;
    all_refused(device, "one more", DevicePtr(at), 1001)?;
    all_refused(device, "the last and one", DevicePtr(at + 999), 2)?;
    all_refused(device, "behind", DevicePtr(at + 1000), 1)?;
    all_refused(device, "null", DevicePtr(0), 8)?;
    all_refused(device, "the last address", DevicePtr(u64::MAX), 2)?;
    all_refused(device, "everything", DevicePtr(at), usize::MAX)?;
    // No bytes are nowhere outside.
    device.copy_h2d(DevicePtr(at + 1000), &[])?;
    device.memset(DevicePtr(at), &[0; 8], 0, StreamId::MAIN)?;
    Ok(())
}

fn after_free(device: &Arc<dyn Device>) -> Verdict {
    let ptr = device.alloc(1000)?;
    // Another that stays, so that what is refused is the one alone.
    let _other = DeviceBuffer::new(device, 1000)?;
    device.free(ptr)?;
    let mut host = [0; 8];
    let is = |e: &DeviceError| e.to_string().contains("not in any live allocation");
    refused("to the device", device.copy_h2d(ptr, &host), is)?;
    refused("from it", device.copy_d2h(&mut host, ptr), is)?;
    refused("filling", device.memset(ptr, &[0], 8, StreamId::MAIN), is)
}

fn filling(device: &Arc<dyn Device>) -> Verdict {
    let buffer = DeviceBuffer::new(device, 8192)?;
    let patterns: [&[u8]; 5] = [
        &[7],
        &0x1234u16.to_ne_bytes(),
        &1.5f32.to_ne_bytes(),
        &0.1f64.to_ne_bytes(),
        &0x0101_0101_0101_0101u64.to_ne_bytes(),
    ];
    for pattern in patterns {
        for count in [0, 1, 2, 3, 127, 1000] {
            buffer.upload(&[0xff; 8192])?;
            let at = DevicePtr(buffer.ptr().0 + 8);
            device.memset(at, pattern, count, StreamId::MAIN)?;
            let mut got = [0; 8192];
            buffer.download(&mut got)?;
            let (set, rest) = got[8..].split_at(count * pattern.len());
            let right = set.chunks(pattern.len()).all(|c| c == pattern)
                && rest.iter().chain(&got[..8]).all(|b| *b == 0xff);
            ensure(right, format!("{count} times {} bytes", pattern.len()))?;
        }
    }
    let is = |e: &DeviceError| matches!(e, DeviceError::Invalid { .. });
    let set = |at, pattern: &[u8], n| device.memset(DevicePtr(at), pattern, n, StreamId::MAIN);
    let at = buffer.ptr().0;
    refused("three bytes", set(at, &[1, 2, 3], 1), is)?;
    refused("no bytes", set(at, &[], 1), is)?;
    refused("not aligned", set(at + 4, &[0; 8], 1), is)?;
    refused("more than there are", set(at, &[0; 8], usize::MAX / 4), is)
}

fn exhaustion(device: &Arc<dyn Device>) -> Verdict {
    let total = device.info().total_memory;
    for huge in [total + 1, 1 << 50] {
        refused(
            "more than all",
            device.alloc(huge),
            |e| matches!(e, DeviceError::OutOfMemory { requested, .. } if *requested == huge),
        )?;
    }
    let piece = device.memory()?.free / 4 + 1;
    let mut held = Vec::new();
    let error = loop {
        match DeviceBuffer::new(device, piece) {
            Ok(buffer) => held.push(buffer),
            Err(error) => break error,
        }
        if held.len() > 16 {
            return Err(Not::Right("memory does not end".to_string()));
        }
    };
    let text = error.to_string();
    ensure(
        matches!(error, DeviceError::OutOfMemory { requested, .. } if requested == piece),
        format!("another error: {text}"),
    )?;
    ensure(
        held.len() >= 2,
        format!("only {} pieces fitted", held.len()),
    )?;
    drop(held);
    // It goes on.
    let buffer = DeviceBuffer::new(device, piece)?;
    device.memset(buffer.ptr(), &[5], 100, StreamId::MAIN)?;
    let mut got = [0; 100];
    buffer.download(&mut got)?;
    ensure(got == [5; 100], "the memory does not hold what is set")
}
