//! Many threads of the host at once.

use std::sync::{Arc, Barrier};

use terrace_runtime::device::{Device, DeviceBuffer, DeviceError, StreamId};

use super::kernels::PTX;
use super::{Not, Verdict, bytes_of, doubles, ensure, scale};

pub const CASES: [(&str, fn(&Arc<dyn Device>) -> Verdict); 4] = [
    ("threads with a stream each", streams),
    ("threads on one stream", one_stream),
    ("threads that load one module", modules),
    ("threads that allocate and free", memory),
];

const THREADS: usize = 8;

/// Runs something in all threads at once.
fn all(f: impl Fn(usize) -> Verdict + Sync) -> Verdict {
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|i| {
                let (barrier, f) = (&barrier, &f);
                scope.spawn(move || {
                    barrier.wait();
                    f(i)
                })
            })
            .collect();
        threads.into_iter().try_for_each(|t| match t.join() {
            Ok(verdict) => verdict,
            Err(_) => Err(Not::Right("a thread panicked".to_string())),
        })
    })
}

fn streams(device: &Arc<dyn Device>) -> Verdict {
    let n = 200;
    all(|i| {
        let stream = device.create_stream()?;
        let a = DeviceBuffer::new(device, n * 8)?;
        let mut got = vec![0u8; n * 8];
        for round in 0..20 {
            let value = (i * 1000 + round) as f64;
            device.memset(a.ptr(), &value.to_ne_bytes(), n, stream)?;
            scale(device, a.ptr(), n, 2.0, stream)?;
            scale(device, a.ptr(), n, 2.0, stream)?;
            // SAFETY: kept until the stream was waited for.
            unsafe { device.copy_d2h_async(got.as_mut_ptr(), a.ptr(), n * 8, stream)? };
            device.synchronize(stream)?;
            let expected = bytes_of(&vec![value * 4.0 + 3.0; n]);
            ensure(got == expected, format!("thread {i}, round {round}"))?;
        }
        device.destroy_stream(stream)?;
        Ok(())
    })
}

fn one_stream(device: &Arc<dyn Device>) -> Verdict {
    let n = 100;
    all(|i| {
        let a = DeviceBuffer::new(device, n * 8)?;
        for round in 0..20 {
            let value = (i * 1000 + round) as f64;
            a.upload(&bytes_of(&vec![value; n]))?;
            scale(device, a.ptr(), n, 3.0, StreamId::MAIN)?;
            let found = doubles(&a, n)?;
            let right = found == vec![value * 3.0 + 1.0; n];
            ensure(right, format!("thread {i}, round {round}"))?;
        }
        Ok(())
    })
}

fn modules(device: &Arc<dyn Device>) -> Verdict {
    // A text of its own, so that nobody has loaded it.
    let text = format!("// for all threads\n{PTX}");
    let ids = std::sync::Mutex::new(Vec::new());
    all(|_| {
        let module = device.load_module(&text)?;
        let kernel = device.kernel(module, "place")?;
        ids.lock()
            .unwrap_or_else(|e| e.into_inner())
            .push((module, kernel));
        Ok(())
    })?;
    let ids = ids.into_inner().unwrap_or_else(|e| e.into_inner());
    ensure(ids.iter().all(|id| *id == ids[0]), format!("{ids:?}"))
}

fn memory(device: &Arc<dyn Device>) -> Verdict {
    all(|i| {
        for round in 0..50usize {
            let size = 1 + (i * 977 + round * 131) % 5000;
            let buffer = DeviceBuffer::new(device, size)?;
            device.memset(buffer.ptr(), &[i as u8], size, StreamId::MAIN)?;
            let mut got = vec![0; size];
            buffer.download(&mut got)?;
            let right = got.iter().all(|b| *b == i as u8);
            ensure(right, format!("thread {i}, round {round}"))?;
            drop(buffer);
            match device.alloc(1 << 50) {
                Err(DeviceError::OutOfMemory { .. }) => {}
                other => return Err(Not::Right(format!("more than all: {other:?}"))),
            }
        }
        Ok(())
    })
}
