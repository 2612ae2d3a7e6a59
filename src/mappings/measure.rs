//! Measuring all mappings of kernels on a device.
//!
//! First all are compiled and loaded, by all processors of the host, the mappings that have
//! the same loops in one module; then they are launched one after another with nothing
//! else going on.

use super::generate::{Made, Mapper, with_loops};
use super::helpers;
use super::kernel::Kernel;
use super::space::{Mapping, mappings};
use super::statistics::median;
use super::table::Row;
use crate::dialects::affine::StoreOp;
use crate::ir::OpKind;
use crate::progress::step;
use crate::run::entry::{Entry, ParamKind, public_functions};
use crate::run::join_ptx;
use crate::runtime::device::{
    Device, DeviceBuffer, DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, StreamId,
    Timer,
};
use crate::runtime::dtype::DType;
use crate::targets::machine::newest_for;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Timed launches of each mapping, after one that is not; fewer of slow ones.
    pub launches: usize,
    /// Every so manieth mapping only.
    pub every: usize,
    /// Threads that compile.
    pub threads: usize,
}

/// What was measured, and what there is to say about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub rows: Vec<Row>,
    /// Mappings whose results differ from those of the first, in words; there should be
    /// none.
    pub wrong: Vec<String>,
    /// Mappings that cannot be launched, with the reason.
    pub refused: Vec<String>,
    pub notes: Vec<String>,
}

/// Measures all mappings of these kernels.
///
/// # Errors
///
/// Kernels that cannot be compiled, and what the device says.
pub fn measure(
    device: &Arc<dyn Device>,
    kernels: &[Kernel],
    effort: Effort,
) -> Result<Measured, String> {
    let (major, minor) = device.info().compute_capability;
    let arch = newest_for(major * 10 + minor)
        .ok_or_else(|| format!("devices of compute capability {major}.{minor} are too old"))?;
    let mut out = Measured::default();
    let start = Instant::now();
    let loading = step(|| format!("compiling the mappings of {} kernels", kernels.len()));
    let loaded = load_all(device, kernels, &arch, effort)?;
    drop(loading);
    let count: usize = loaded.iter().map(Vec::len).sum();
    out.notes.push(format!(
        "{count} mappings of {} kernels compiled and loaded by {} threads in {:.1} s",
        kernels.len(),
        effort.threads,
        start.elapsed().as_secs_f64()
    ));
    let start = Instant::now();
    let tools = Tools::new(device).map_err(|e| e.to_string())?;
    for (number, (kernel, loaded)) in kernels.iter().zip(&loaded).enumerate() {
        let _step = step(|| {
            let all = kernels.len();
            format!("measuring {}, kernel {} of {all}", kernel.name, number + 1)
        });
        tools.kernel(kernel, loaded, effort, &mut out)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    out.notes.push(format!("measured in {seconds:.1} s"));
    Ok(out)
}

/// A mapping on the device.
struct Loaded {
    point: usize,
    mapping: Mapping,
    made: Made,
    kernel: KernelId,
    registers: u32,
}

/// One module's worth of work: mappings of a kernel with the same loops.
struct Task<'a> {
    kernel: usize,
    of: &'a Kernel,
    mappings: Vec<(usize, Mapping)>,
}

fn tasks(kernels: &[Kernel], every: usize) -> Vec<Task<'_>> {
    let mut out: Vec<Task> = Vec::new();
    for (number, of) in kernels.iter().enumerate() {
        let all = mappings(of.parallel.len(), of.serial.len());
        for (point, mapping) in all.into_iter().enumerate() {
            if point % every.max(1) != 0 {
                continue;
            }
            let same = |t: &Task| {
                let (_, m) = &t.mappings[0];
                t.kernel == number && m.order == mapping.order && m.tiles == mapping.tiles
            };
            match out.last_mut().filter(|t| same(t)) {
                Some(task) => task.mappings.push((point, mapping)),
                None => out.push(Task {
                    kernel: number,
                    of,
                    mappings: vec![(point, mapping)],
                }),
            }
        }
    }
    out
}

fn load_all(
    device: &Arc<dyn Device>,
    kernels: &[Kernel],
    arch: &str,
    effort: Effort,
) -> Result<Vec<Vec<Loaded>>, String> {
    // IR nests, and so do the walks over it.
    const STACK: usize = 64 << 20;
    let tasks = tasks(kernels, effort.every);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Vec<Loaded>, String>)>> = Mutex::default();
    let work = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = load(device, task, arch);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((task.kernel, result));
        }
    };
    std::thread::scope(|s| -> Result<(), String> {
        for _ in 0..effort.threads.max(1) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread
                .spawn_scoped(s, work)
                .map_err(|e| format!("cannot start a thread: {e}"))?;
        }
        Ok(())
    })?;
    let mut out: Vec<Vec<Loaded>> = kernels.iter().map(|_| Vec::new()).collect();
    for (kernel, result) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        out[kernel].extend(result?);
    }
    for loaded in &mut out {
        loaded.sort_by_key(|l| l.point);
    }
    Ok(out)
}

fn load(device: &Arc<dyn Device>, task: &Task, arch: &str) -> Result<Vec<Loaded>, String> {
    let (_, first) = &task.mappings[0];
    let program = with_loops(task.of, &first.order, &first.tiles)?;
    let mapper = Mapper::new(task.of, program, arch)?;
    let mut made = Vec::new();
    for (point, mapping) in &task.mappings {
        let name = format!("{}_{point}", task.of.name);
        made.push((*point, mapping.clone(), mapper.make(mapping.block, &name)?));
    }
    let texts: Vec<String> = (made.iter_mut())
        .map(|(_, _, m)| std::mem::take(&mut m.ptx))
        .collect();
    let said = |e: DeviceError| format!("{}: {e}", task.of.file);
    let module = device.load_module(&join_ptx(&texts)).map_err(said)?;
    (made.into_iter())
        .map(|(point, mapping, made)| {
            let kernel = device.kernel(module, &made.entry).map_err(said)?;
            let registers = device.kernel_info(kernel).map_err(said)?.registers;
            Ok(Loaded {
                point,
                mapping,
                made,
                kernel,
                registers,
            })
        })
        .collect()
}

/// What fills and compares arrays.
struct Tools<'a> {
    device: &'a Arc<dyn Device>,
    fill_f32: KernelId,
    fill_f64: KernelId,
    differ: KernelId,
}

/// An array of a kernel.
struct Array {
    now: DeviceBuffer,
    /// What is in it before, and after the first mapping; of those that are written.
    checked: Option<(DeviceBuffer, DeviceBuffer)>,
}

impl Array {
    fn bytes(&self) -> usize {
        self.now.size_in_bytes()
    }
}

/// A launch longer than this many microseconds is timed once.
const SLOW: f64 = 10_000.0;

impl<'a> Tools<'a> {
    fn new(device: &'a Arc<dyn Device>) -> Result<Tools<'a>, DeviceError> {
        let module = device.load_module(helpers::PTX)?;
        Ok(Tools {
            device,
            fill_f32: device.kernel(module, "fill_f32")?,
            fill_f64: device.kernel(module, "fill_f64")?,
            differ: device.kernel(module, "differ")?,
        })
    }

    fn kernel(
        &self,
        kernel: &Kernel,
        loaded: &[Loaded],
        effort: Effort,
        out: &mut Measured,
    ) -> Result<(), String> {
        let said = |e: DeviceError| format!("{}: {e}", kernel.file);
        let arrays = self.arrays(kernel)?;
        let points = loaded.len();
        let counters = DeviceBuffer::new(self.device, points.max(1) * 4).map_err(said)?;
        counters.upload(&vec![0; points.max(1) * 4]).map_err(said)?;
        let timer = Timer::new(self.device).map_err(said)?;
        for (i, l) in loaded.iter().enumerate() {
            let named = |e: &dyn std::fmt::Display| {
                let loops = l.mapping.permutation(&kernel.parallel);
                let (tile, block) = (&l.mapping.tiles, l.mapping.block_text());
                format!(
                    "{} {} ({loops}, {tile}, {block}): {e}",
                    kernel.name, l.point
                )
            };
            let time = self.point(l, &arrays, counters.ptr(), i, &timer, effort.launches);
            match time {
                Ok(microseconds) => out.rows.push(Row {
                    kernel: kernel.name.clone(),
                    point: l.point,
                    permutation: l.mapping.permutation(&kernel.parallel),
                    tile: l.mapping.tiles.to_string(),
                    block: l.mapping.block_text(),
                    registers: l.registers,
                    microseconds,
                }),
                Err(e @ DeviceError::Launch { .. }) => out.refused.push(named(&e)),
                Err(e) => return Err(named(&e)),
            }
        }
        let mut counted = vec![0u8; points.max(1) * 4];
        counters.download(&mut counted).map_err(said)?;
        for (l, count) in loaded.iter().zip(counted.chunks(4)) {
            let words = u32::from_ne_bytes([count[0], count[1], count[2], count[3]]);
            if words > 0 {
                let (name, point, ptile) = (&kernel.name, l.point, &l.mapping.tiles);
                let (loops, block) = (
                    l.mapping.permutation(&kernel.parallel),
                    l.mapping.block_text(),
                );
                out.wrong.push(format!(
                    "{name} {point} ({loops}, {ptile}, {block}): {words} words differ from those of point 0"
                ));
            }
        }
        Ok(())
    }

    /// The arrays that a kernel is called with, filled.
    fn arrays(&self, kernel: &Kernel) -> Result<Vec<Array>, String> {
        let program = kernel.program()?;
        let entry = Entry::find(&program.ctx, program.module, None)?;
        let ctx = &program.ctx;
        let functions = public_functions(ctx, program.module);
        let function = functions.first().ok_or("there is no function")?;
        let stores = function.op().find_all::<StoreOp>(ctx);
        let params = function.entry(ctx).args(ctx);
        let mut arrays = Vec::new();
        for (i, p) in entry.params.iter().enumerate() {
            let (fill, size, elements) = match &p.kind {
                ParamKind::Array { dtype, shape, .. } => {
                    let elements = (shape.iter()).try_fold(1usize, |a, n| a.checked_mul((*n)?));
                    match dtype {
                        DType::F32 => (self.fill_f32, 4, elements),
                        DType::F64 => (self.fill_f64, 8, elements),
                        _ => (self.fill_f32, 0, None),
                    }
                }
                ParamKind::Scalar(_) => (self.fill_f32, 0, None),
            };
            let elements = elements
                .and_then(|n| u32::try_from(n).ok())
                .ok_or_else(|| {
                    format!(
                        "{}: parameter {i}: expected an array of f32 or f64 of a fixed size",
                        kernel.file
                    )
                })?;
            let written = (stores.iter())
                .any(|s| s.op().operands(ctx).get(1) == params.get(i) && params.get(i).is_some());
            let array = self.array(fill, elements, size, i as u32, written);
            arrays.push(array.map_err(|e| format!("{}: {e}", kernel.file))?);
        }
        Ok(arrays)
    }

    fn array(
        &self,
        fill: KernelId,
        elements: u32,
        size: usize,
        number: u32,
        written: bool,
    ) -> Result<Array, DeviceError> {
        let bytes = elements as usize * size;
        let new = || DeviceBuffer::new(self.device, bytes);
        let now = new()?;
        let seed = number.wrapping_mul(0x3C6E_F35F);
        self.one_each(
            fill,
            elements,
            &[now.ptr().into(), elements.into(), seed.into()],
        )?;
        let checked = match written {
            true => {
                let (before, after) = (new()?, new()?);
                let main = StreamId::MAIN;
                self.device.copy_d2d(before.ptr(), now.ptr(), bytes, main)?;
                Some((before, after))
            }
            false => None,
        };
        self.device.synchronize(StreamId::MAIN)?;
        Ok(Array { now, checked })
    }

    /// A thread for each of so many.
    fn one_each(&self, k: KernelId, n: u32, args: &[KernelArg]) -> Result<(), DeviceError> {
        let config = LaunchConfig {
            grid: [n.div_ceil(256), 1, 1],
            block: [256, 1, 1],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        // SAFETY: callers pass a helper's arguments, with arrays of at least so many.
        unsafe { self.device.launch(k, &config, args) }
    }

    /// Launches a mapping, compares what it computed with what the first did (which is
    /// number 0), and gives the median time in microseconds.
    fn point(
        &self,
        l: &Loaded,
        arrays: &[Array],
        counters: DevicePtr,
        number: usize,
        timer: &Timer,
        launches: usize,
    ) -> Result<f64, DeviceError> {
        let main = StreamId::MAIN;
        let written = || arrays.iter().filter_map(|a| Some((a, a.checked.as_ref()?)));
        for (a, (before, _)) in written() {
            self.device
                .copy_d2d(a.now.ptr(), before.ptr(), a.bytes(), main)?;
        }
        let config = LaunchConfig {
            grid: l.made.grid,
            block: l.made.block,
            shared_bytes: 0,
            stream: main,
        };
        let args = l.made.args.iter().filter_map(|i| arrays.get(*i));
        let args: Vec<KernelArg> = args.map(|a| a.now.ptr().into()).collect();
        // SAFETY: the function's arrays, in the order that the kernel has them, of the sizes
        // that are in its text.
        let launch = || unsafe { self.device.launch(l.kernel, &config, &args) };
        launch()?;
        for (a, (_, after)) in written() {
            if number == 0 {
                self.device
                    .copy_d2d(after.ptr(), a.now.ptr(), a.bytes(), main)?;
            }
            let words = (a.bytes() / 4) as u32;
            let counter = DevicePtr(counters.0 + 4 * number as u64);
            let args = [
                a.now.ptr().into(),
                after.ptr().into(),
                words.into(),
                counter.into(),
            ];
            self.one_each(self.differ, words, &args)?;
        }
        let mut times = Vec::new();
        while times.len() < launches.max(1) {
            timer.start(main)?;
            launch()?;
            times.push(timer.stop_us(main)?);
            if times[0] > SLOW {
                break;
            }
        }
        Ok(median(&times))
    }
}
