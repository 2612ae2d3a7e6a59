//! Streams and events: what is ordered, and by what.

use std::sync::Arc;

use terrace_runtime::device::{
    Device, DeviceBuffer, DeviceError, EventId, KernelArg, Pitch, Rows, StreamId, Timer,
};
use terrace_runtime::profile::Direction;

use super::{Verdict, bytes_of, doubles, ensure, grid, kernel, refused, scale};

pub const CASES: [(&str, fn(&Arc<dyn Device>) -> Verdict); 8] = [
    ("streams come and go", life),
    ("a stream does one thing after the other", order),
    ("events order streams", events),
    ("a chain over many streams", chain),
    ("an event recorded again", again),
    ("large copies to the host go on meanwhile", meanwhile),
    ("events that are none", no_events),
    ("times", times),
];

fn life(device: &Arc<dyn Device>) -> Verdict {
    let streams = (0..32).map(|_| device.create_stream());
    let streams = streams.collect::<Result<Vec<StreamId>, _>>()?;
    let mut numbers: Vec<u64> = streams.iter().map(|s| s.0).collect();
    numbers.sort_unstable();
    numbers.dedup();
    ensure(numbers.len() == 32 && numbers[0] != 0, "numbers come twice")?;
    for stream in &streams {
        ensure(device.is_idle(*stream)?, "a new one is busy")?;
        device.destroy_stream(*stream)?;
    }
    let is = |e: &DeviceError| matches!(e, DeviceError::BadHandle { what: "stream", .. });
    let gone = streams[3];
    let a = DeviceBuffer::new(device, 64)?;
    let b = DeviceBuffer::new(device, 64)?;
    refused("destroyed twice", device.destroy_stream(gone), is)?;
    refused("the main one", device.destroy_stream(StreamId::MAIN), is)?;
    refused("waiting", device.synchronize(gone), is)?;
    refused("asking", device.is_idle(gone), is)?;
    refused("filling", device.memset(a.ptr(), &[0], 8, gone), is)?;
    refused("copying", device.copy_d2d(a.ptr(), b.ptr(), 8, gone), is)?;
    // SAFETY: refused.
    let copied = unsafe { device.copy_h2d_async(a.ptr(), [0; 8].as_ptr(), 8, gone) };
    refused("copying in", copied, is)?;
    refused("launching", scale(device, a.ptr(), 8, 1.0, gone), is)
}

fn order(device: &Arc<dyn Device>) -> Verdict {
    let n = 300;
    let a = DeviceBuffer::new(device, n * 8)?;
    let b = DeviceBuffer::new(device, n * 8)?;
    let stream = device.create_stream()?;
    let mut got = vec![0u8; n * 8];
    for round in 0..20 {
        let value = f64::from(round);
        device.memset(a.ptr(), &value.to_ne_bytes(), n, stream)?;
        for _ in 0..5 {
            scale(device, a.ptr(), n, 2.0, stream)?;
        }
        device.copy_d2d(b.ptr(), a.ptr(), n * 8, stream)?;
        // What comes behind must not reach into the copy.
        device.memset(a.ptr(), &f64::NAN.to_ne_bytes(), n, stream)?;
        // SAFETY: kept until the stream was waited for.
        unsafe { device.copy_d2h_async(got.as_mut_ptr(), b.ptr(), n * 8, stream)? };
        device.synchronize(stream)?;
        ensure(device.is_idle(stream)?, "busy after a wait")?;
        let expected = value * 32.0 + 31.0;
        ensure(
            got == bytes_of(&vec![expected; n]),
            format!("round {round}"),
        )?;
    }
    device.destroy_stream(stream)?;
    Ok(())
}

/// Adds 1 to each element, `rounds` times, slowly.
fn slow(
    device: &Arc<dyn Device>,
    a: &DeviceBuffer,
    n: usize,
    rounds: u32,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let args: [KernelArg; 3] = [a.ptr().into(), (n as u32).into(), rounds.into()];
    // SAFETY: the parameters are n doubles and two numbers; the callers keep them.
    unsafe { device.launch(kernel(device, "slow")?, &grid(n, stream), &args) }
}

fn events(device: &Arc<dyn Device>) -> Verdict {
    let n = 64;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    let a = DeviceBuffer::new(device, n * 8)?;
    let done = device.create_event()?;
    let mut got = vec![0u8; n * 8];
    for round in 0..10u32 {
        device.memset(a.ptr(), &[0], n * 8, first)?;
        slow(device, &a, n, 2000, first)?;
        device.record_event(done, first)?;
        device.wait_event(second, done)?;
        scale(device, a.ptr(), n, 2.0, second)?;
        // SAFETY: kept until the stream was waited for.
        unsafe { device.copy_d2h_async(got.as_mut_ptr(), a.ptr(), n * 8, second)? };
        device.synchronize(second)?;
        ensure(
            got == bytes_of(&vec![4001.0; n]),
            format!("round {round}: the second did not wait for the first"),
        )?;
    }
    device.destroy_event(done)?;
    device.destroy_stream(first)?;
    device.destroy_stream(second)?;
    Ok(())
}

fn chain(device: &Arc<dyn Device>) -> Verdict {
    let n = 64;
    let a = DeviceBuffer::new(device, n * 8)?;
    let streams = (0..8).map(|_| device.create_stream());
    let streams = streams.collect::<Result<Vec<StreamId>, _>>()?;
    device.memset(a.ptr(), &[0], n * 8, streams[0])?;
    let mut expected = 0.0;
    for i in 0..64 {
        let (from, to) = (streams[i % 8], streams[(i + 1) % 8]);
        slow(device, &a, n, 50, from)?;
        expected += 50.0;
        let event = device.create_event()?;
        device.record_event(event, from)?;
        device.wait_event(to, event)?;
        // What is queued goes on to wait for it.
        device.destroy_event(event)?;
    }
    device.synchronize(streams[0])?;
    let found = doubles(&a, n)?;
    ensure(
        found == vec![expected; n],
        format!("{} at the end", found[0]),
    )?;
    for stream in streams {
        device.destroy_stream(stream)?;
    }
    Ok(())
}

fn again(device: &Arc<dyn Device>) -> Verdict {
    let n = 64;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    let (a, b) = (
        DeviceBuffer::new(device, n * 8)?,
        DeviceBuffer::new(device, n * 8)?,
    );
    let event = device.create_event()?;
    // Never recorded: nothing to wait for.
    device.wait_event(second, event)?;
    device.memset(a.ptr(), &[0], n * 8, first)?;
    device.record_event(event, first)?;
    slow(device, &a, n, 1000, first)?;
    // The wait is for the record that is the last now.
    device.record_event(event, first)?;
    device.wait_event(second, event)?;
    device.copy_d2d(b.ptr(), a.ptr(), n * 8, second)?;
    device.synchronize(second)?;
    let found = doubles(&b, n)?;
    ensure(found == vec![1000.0; n], format!("{} was copied", found[0]))?;
    device.synchronize_all()?;
    device.destroy_event(event)?;
    device.destroy_stream(first)?;
    device.destroy_stream(second)?;
    Ok(())
}

/// Copies so large that a device may do them on a thread of its own, of bytes and of rows:
/// what is behind them on their stream comes behind them, and what waits for them waits.
fn meanwhile(device: &Arc<dyn Device>) -> Verdict {
    let n = 18 << 20;
    let half = Pitch {
        row: 4096,
        plane: n,
    };
    let rows = Rows {
        width: 2048,
        rows: n / 4096,
        planes: 1,
        dst: half,
        src: half,
    };
    let all = Rows {
        width: 4096,
        ..rows
    };
    let a = DeviceBuffer::new(device, n)?;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    let (filled, start, copied) = (
        device.create_event()?,
        device.create_event()?,
        device.create_event()?,
    );
    let mut got = vec![0u8; n];
    for round in 1..=8u8 {
        device.memset(a.ptr(), &[round], n, first)?;
        device.record_event(filled, first)?;
        // Twice, so that the second is put behind the first.
        for _ in 0..2 {
            device.wait_event(second, filled)?;
            device.record_event(start, second)?;
            // SAFETY: kept until the stream or the event was waited for.
            unsafe {
                match round % 3 {
                    0 => device.copy_d2h_async(got.as_mut_ptr(), a.ptr(), n, second)?,
                    k => {
                        let shape = if k == 1 { &rows } else { &all };
                        let (way, to) = (Direction::DeviceToHost, got.as_mut_ptr() as u64);
                        device.copy_rows(way, to, a.ptr().0, shape, second)?;
                    }
                }
            }
            device.record_event(copied, second)?;
        }
        // What comes behind must not reach into the copy: on its stream, and on another.
        match round % 4 {
            0 => device.memset(a.ptr(), &[0xff], n, second)?,
            _ => {
                device.wait_event(first, copied)?;
                device.memset(a.ptr(), &[0xff], n, first)?;
            }
        }
        match round % 5 {
            0 => device.synchronize(second)?,
            1 => device.synchronize_all()?,
            2 => while !device.is_idle(second)? {},
            3 => ensure(device.elapsed_us(start, copied)? >= 0.0, "no time")?,
            _ => device.synchronize_event(copied)?,
        }
        let mut expected = vec![round; n];
        if round % 3 == 1 {
            let rest = expected.chunks_mut(4096).flat_map(|r| &mut r[2048..]);
            rest.for_each(|b| *b = round - 1);
        }
        ensure(got == expected, format!("round {round}"))?;
        device.synchronize_all()?;
    }
    for event in [filled, start, copied] {
        device.destroy_event(event)?;
    }
    device.destroy_stream(first)?;
    device.destroy_stream(second).map_err(Into::into)
}

fn no_events(device: &Arc<dyn Device>) -> Verdict {
    let is = |e: &DeviceError| matches!(e, DeviceError::BadHandle { what: "event", .. });
    let none = EventId(99_999);
    refused("recording", device.record_event(none, StreamId::MAIN), is)?;
    refused("waiting", device.wait_event(StreamId::MAIN, none), is)?;
    refused("destroying", device.destroy_event(none), is)?;
    refused("times", device.elapsed_us(none, none), is)?;
    let event = device.create_event()?;
    ensure(device.elapsed_us(event, event).is_err(), "never recorded")?;
    device.destroy_event(event)?;
    refused("twice", device.destroy_event(event), is)
}

fn times(device: &Arc<dyn Device>) -> Verdict {
    let n = 64;
    let a = DeviceBuffer::new(device, n * 8)?;
    device.memset(a.ptr(), &[0], n * 8, StreamId::MAIN)?;
    let timer = Timer::new(device)?;
    ensure(timer.stop_us(StreamId::MAIN).is_err(), "not started")?;
    let mut all = Vec::new();
    for rounds in [1, 20_000] {
        // The first launch of a kernel may take longer.
        for _ in 0..2 {
            timer.start(StreamId::MAIN)?;
            slow(device, &a, n, rounds, StreamId::MAIN)?;
            all.push(timer.stop_us(StreamId::MAIN)?);
        }
    }
    ensure(all.iter().all(|t| *t >= 0.0), format!("{all:?}"))?;
    ensure(
        all[3] > all[1],
        format!("twenty thousand take no longer: {all:?}"),
    )
}
