//! Kernels compiled, launched and timed.

use crate::dialects::gpu::ModuleOp;
use crate::ir::OpKind;
use crate::mappings::statistics::median;
use crate::run::RunError;
use crate::run::executor::Program;
use crate::runtime::device::{
    Device, DeviceBuffer, DeviceError, KernelArg, KernelId, LaunchConfig, StreamId, Timer,
};
use crate::targets::gpu_to_ptx::{GpuOptions, ParamKind, compile};
use crate::targets::machine::newest_for;
use crate::targets::ptx::Ty;
use std::sync::Arc;

/// The device, and how it is measured.
pub struct Bench {
    pub device: Arc<dyn Device>,
    /// The architecture that kernels are compiled for.
    pub arch: String,
    /// Each figure is the median of so many.
    pub repetitions: usize,
    timer: Timer,
}

/// An argument of a kernel's function.
pub enum Arg<'a> {
    /// An array of one dimension, of so many elements.
    Array(&'a DeviceBuffer, usize),
    Scalar(KernelArg),
}

/// A loaded kernel.
pub struct Kernel {
    id: KernelId,
    name: String,
    params: Vec<ParamKind>,
}

/// What the device says, in words.
pub(super) fn said(e: DeviceError) -> RunError {
    match e {
        DeviceError::NoDriver { .. }
        | DeviceError::LeftOut { .. }
        | DeviceError::NoDevice { .. } => RunError::NoDevice(e.to_string()),
        e => RunError::Usage(vec![e.to_string()]),
    }
}

impl Bench {
    /// # Errors
    ///
    /// A device that is too old, and what it says.
    pub fn new(device: &Arc<dyn Device>, repetitions: usize) -> Result<Bench, RunError> {
        let (major, minor) = device.info().compute_capability;
        let arch = newest_for(major * 10 + minor).ok_or_else(|| {
            let m = format!("devices of compute capability {major}.{minor} are too old");
            RunError::NoDevice(m)
        })?;
        Ok(Bench {
            device: Arc::clone(device),
            arch,
            repetitions: repetitions.max(1),
            timer: Timer::new(device).map_err(said)?,
        })
    }

    /// Compiles a module of one kernel.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and what the device says.
    pub fn load(&self, text: &str) -> Result<Kernel, RunError> {
        let program = Program::new("calibrate.mlir", text)?;
        let modules = program.module.find_all::<ModuleOp>(&program.ctx);
        let options = GpuOptions {
            arch: self.arch.clone(),
            pointer_align: 256,
            ..GpuOptions::default()
        };
        let wrong = |m: String| RunError::Usage(vec![format!("a kernel to measure with: {m}")]);
        let module = modules.first().ok_or_else(|| wrong("none".to_string()))?;
        let made = compile(&program.ctx, module.op(), &options).map_err(|errors| {
            let lines: Vec<String> = errors.into_iter().map(|(_, m)| m).collect();
            wrong(lines.join("; "))
        })?;
        let info = made
            .kernels
            .first()
            .ok_or_else(|| wrong("none".to_string()))?;
        let module = self.device.load_module(&made.ptx).map_err(said)?;
        Ok(Kernel {
            id: self.device.kernel(module, &info.entry).map_err(said)?,
            name: info.name.clone(),
            params: info.params.clone(),
        })
    }

    /// Loads a kernel of PTX whose parameters are an address and a 64-bit number.
    ///
    /// # Errors
    ///
    /// What the device says.
    pub fn load_ptx(&self, text: &str, name: &str) -> Result<Kernel, RunError> {
        let module = self.device.load_module(text).map_err(said)?;
        let ty = Ty::U64;
        Ok(Kernel {
            id: self.device.kernel(module, name).map_err(said)?,
            name: name.to_string(),
            params: vec![
                ParamKind::Pointer { arg: 0 },
                ParamKind::Scalar { arg: 1, ty },
            ],
        })
    }

    /// An array.
    ///
    /// # Errors
    ///
    /// What the device says.
    pub fn buffer(&self, bytes: usize) -> Result<DeviceBuffer, RunError> {
        DeviceBuffer::new(&self.device, bytes).map_err(said)
    }

    /// Queues a launch.
    ///
    /// # Errors
    ///
    /// Arguments that the kernel has not, and what the device says.
    pub fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        threads: u32,
        args: &[Arg],
    ) -> Result<(), RunError> {
        let mut passed: Vec<KernelArg> = Vec::with_capacity(kernel.params.len());
        for p in &kernel.params {
            let (ParamKind::Pointer { arg }
            | ParamKind::Offset { arg }
            | ParamKind::Size { arg, .. }
            | ParamKind::Stride { arg, .. }
            | ParamKind::Scalar { arg, .. }) = p;
            passed.push(match (p, args.get(*arg)) {
                (ParamKind::Pointer { .. }, Some(Arg::Array(b, _))) => b.ptr().into(),
                (ParamKind::Size { .. }, Some(Arg::Array(_, n))) => (*n as u64).into(),
                (ParamKind::Scalar { .. }, Some(Arg::Scalar(s))) => *s,
                _ => {
                    let m = format!("kernel {} has another parameter {arg}", kernel.name);
                    return Err(RunError::Usage(vec![m]));
                }
            });
        }
        let config = LaunchConfig {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        // SAFETY: the arguments are as the kernel's parameters say, and arrays are as large
        // as the callers here compute that the kernel uses.
        unsafe {
            self.device
                .launch(kernel.id, &config, &passed)
                .map_err(said)
        }
    }

    /// So many launches of one warp in a row, waited for at the end, with nothing but the
    /// launches between.
    ///
    /// # Errors
    ///
    /// What the device says.
    pub fn row_of(&self, kernel: &Kernel, count: u32, args: &[KernelArg]) -> Result<(), RunError> {
        let config = LaunchConfig {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        for _ in 0..count {
            // SAFETY: callers pass the kernel's arguments.
            unsafe { self.device.launch(kernel.id, &config, args).map_err(said)? };
        }
        self.device.synchronize(StreamId::MAIN).map_err(said)
    }

    /// The median time of a launch in microseconds, between events, after one that is not
    /// timed.
    ///
    /// # Errors
    ///
    /// As [`Bench::launch`].
    pub fn time(
        &self,
        kernel: &Kernel,
        blocks: u32,
        threads: u32,
        args: &[Arg],
    ) -> Result<f64, RunError> {
        self.launch(kernel, blocks, threads, args)?;
        let mut times = Vec::with_capacity(self.repetitions);
        for _ in 0..self.repetitions {
            self.timer.start(StreamId::MAIN).map_err(said)?;
            self.launch(kernel, blocks, threads, args)?;
            times.push(self.timer.stop_us(StreamId::MAIN).map_err(said)?);
        }
        Ok(median(&times))
    }
}
