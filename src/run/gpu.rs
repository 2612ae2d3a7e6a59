//! Running on an NVIDIA GPU, or on the emulator of one: kernels through the device,
//! the rest on the host.

use super::RunError;
use super::bind::Value;
use super::cpu::{failure, located, pass, results};
use super::entry::Entry;
use super::executor::{Executor, Program};
use super::numerics::Contract;
use super::options::{RunOptions, Target};
use super::schedule::{take_in, take_out};
use super::session::{Kernel, Memory, Session, Tracing, imports};
use super::tuned;
use crate::dialects::affine::ParallelOp;
use crate::dialects::attributes::GPU_NEST;
use crate::dialects::gpu::{LaunchFuncOp, ModuleOp};
use crate::dialects::schedule::MapToGpuOp;
use crate::dialects::xfer::device_number;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::{Loc, OpKind};
use crate::passes::gpu::map::{LOOPS, mapper_of};
use crate::passes::gpu::model::choice::AT_HAND;
use crate::passes::pipeline::{self, GpuPipelineOptions, Pipeline, StageName};
use crate::runtime::cuda::CudaDevice;
use crate::runtime::device::{Device, DeviceError, Several};
use crate::runtime::dtype::Scalar;
use crate::runtime::emulator::EmulatorDevice;
use crate::runtime::pool;
use crate::runtime::profile::{Peaks, Profile};
use crate::runtime::program::abi::SourcePlace;
use crate::runtime::program::current::traced;
use crate::targets::gpu_to_ptx::{
    GpuBinary, GpuOptions, ParamKind, check_launches, compile as compile_gpu,
};
use crate::targets::machine;
use crate::targets::native::{NativeArg, NativeModule, NativeOptions, compile as compile_native};
use std::sync::Arc;
use std::time::Instant;

/// The PTX of every kernel module of a lowered program, by the module's name.
pub(super) fn binaries(
    program: &Program,
    arch: &str,
    wanted: &RunOptions,
) -> Result<Vec<(String, GpuBinary)>, RunError> {
    let ctx = &program.ctx;
    let mut options = GpuOptions {
        arch: arch.to_string(),
        loc_lines: true,
        dump_passes: wanted.dump_passes.is_some(),
        index_bitwidth: wanted.index_bitwidth,
        ..GpuOptions::default()
    };
    wanted.numerics.tell(&mut options);
    let mut out = Vec::new();
    let launches = check_launches(ctx, program.module, arch);
    let mut errors = launches.err().unwrap_or_default();
    for m in program.module.find_all::<ModuleOp>(ctx) {
        let made = (program.instruments()).time("PTX", || compile_gpu(ctx, m.op(), &options));
        match made {
            Ok(b) => out.push((m.name(ctx).to_string(), b)),
            Err(e) => errors.extend(e),
        }
    }
    if errors.is_empty() {
        Ok(out)
    } else {
        Err(located(ctx, errors))
    }
}

fn device_error(e: DeviceError) -> RunError {
    match e {
        DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. } => {
            RunError::NoDevice(e.to_string())
        }
        e => RunError::Program(vec![Diagnostic::error(DiagLoc::Unknown, e.to_string())]),
    }
}

pub(super) fn executor(
    mut program: Program,
    entry: &Entry,
    o: &RunOptions,
) -> Result<Box<dyn Executor>, RunError> {
    let number = chosen(o.device)?;
    let device = open(o.target, number)?;
    let start = Instant::now();
    let arch = arch_of(&*device)?;
    let on = Machine::of(o, Some(&device.info().name), &arch)?;
    let note = tuned::prepare(&mut program, entry, o, &on, Some(&device.info().name))?;
    let device = with_others(&program, o.target, number, device)?;
    let mut made = lowered(program, entry, device, Arrays::OfHost, start, o)?;
    made.note = note;
    Ok(Box::new(made))
}

/// A program made ready under the schedule of `o`, for the nests of its loops to be told
/// apart.
pub(crate) struct Trial {
    pub executor: Box<dyn Executor>,
    /// The names of kernels, with the number of the `schedule.map_to_gpu` that each is of.
    pub kernels: Vec<(String, usize)>,
}

/// Makes a program ready for a device under the schedule of `o`, which has `steps` steps that
/// map nests to threads.
///
/// # Errors
///
/// What the passes or the code generator report; nests that there are more or fewer of.
pub(crate) fn trial(
    mut program: Program,
    entry: &Entry,
    o: &RunOptions,
    device: &Arc<dyn Device>,
    steps: usize,
) -> Result<Trial, RunError> {
    let start = Instant::now();
    let arch = arch_of(&**device)?;
    let on = Machine::of(o, Some(&device.info().name), &arch)?;
    let pipeline = begin(&mut program, o, &on, 0, false)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    let ctx = &program.ctx;
    let mut nests = program.module.find_all::<ParallelOp>(ctx);
    nests.retain(|p| mapper_of(ctx, p.op()) == Some(LOOPS));
    if nests.len() != steps {
        let n = nests.len();
        let m = format!("the schedule maps {steps} nests to threads, but {n} are mapped");
        let at = ctx.diag_loc(program.module.loc(ctx));
        return Err(RunError::Program(vec![Diagnostic::error(at, m)]));
    }
    for (i, p) in nests.iter().enumerate() {
        p.op().set_attr(ctx, GPU_NEST, ctx.i64_attr(i as i64));
    }
    program.run(&pipeline.behind(StageName::Mapping))?;
    let ctx = &program.ctx;
    let mut kernels = Vec::new();
    for l in program.module.find_all::<LaunchFuncOp>(ctx) {
        let nest = (l.op().int_attr(ctx, GPU_NEST)).and_then(|n| usize::try_from(n).ok());
        let symbol = l.op().attr(ctx, "kernel").and_then(|a| a.as_symbol(ctx));
        let name = symbol.and_then(|s| s.last()).map(|s| ctx.str(*s));
        if let (Some(nest), Some(name)) = (nest, name) {
            kernels.push((name.to_string(), nest));
        }
    }
    let number = chosen(o.device)?;
    let device = with_others(&program, o.target, number, Arc::clone(device))?;
    let made = lowered(program, entry, device, Arrays::OfHost, start, o)?;
    Ok(Trial {
        executor: Box::new(made),
        kernels,
    })
}

/// The device of a target (a GPU or the emulator); number `TERRACE_DEVICE` where none is
/// given.
///
/// # Errors
///
/// A setting that is none, or that there is no such device.
pub fn open_device(target: Target, number: Option<usize>) -> Result<Arc<dyn Device>, RunError> {
    match target {
        Target::Gpu | Target::Emulator => open(target, chosen(number)?),
        Target::Cpu | Target::Interp => Err(RunError::Usage(vec![format!(
            "found target {}, expected gpu or emulator",
            target.name()
        )])),
    }
}

/// The number of the device that a program runs on: the one that is wanted, else
/// `TERRACE_DEVICE`, else 0.
///
/// # Errors
///
/// A setting that is none.
pub(crate) fn chosen(wanted: Option<usize>) -> Result<usize, RunError> {
    if let Some(number) = wanted {
        return Ok(number);
    }
    let text = std::env::var_os("TERRACE_DEVICE").unwrap_or_default();
    let text = text.to_string_lossy();
    match text.trim() {
        "" => Ok(0),
        number => number.parse().map_err(|_| {
            RunError::Usage(vec![format!(
                "found TERRACE_DEVICE=`{}`, expected the number of a device, from 0",
                number.escape_debug()
            )])
        }),
    }
}

fn open(target: Target, number: usize) -> Result<Arc<dyn Device>, RunError> {
    Ok(match target {
        Target::Emulator => Arc::new(EmulatorDevice::open(number).map_err(device_error)?),
        _ => Arc::new(CudaDevice::open(number).map_err(device_error)?),
    })
}

/// The device with all others whose memory a program allocates: `#xfer.device` is the one
/// that was chosen, `#xfer.device<2>` number 2.
fn with_others(
    program: &Program,
    target: Target,
    number: usize,
    device: Arc<dyn Device>,
) -> Result<Arc<dyn Device>, RunError> {
    let ctx = &program.ctx;
    let mut numbers: Vec<u32> = Vec::new();
    for op in program.module.pre_order(ctx) {
        let results = op.results(ctx).into_iter();
        numbers.extend(results.filter_map(|r| device_number(ctx, r.ty(ctx))));
    }
    numbers.retain(|n| *n != 0);
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() {
        return Ok(device);
    }
    let mut all = vec![(0, Arc::clone(&device))];
    for n in numbers {
        let other = match n as usize == number {
            true => Arc::clone(&device),
            false => open(target, n as usize)?,
        };
        all.push((n, other));
    }
    Ok(Arc::new(Several::new(all).map_err(device_error)?))
}

/// The newest architecture that there is a machine description for and the device runs.
pub(crate) fn arch_of(device: &dyn Device) -> Result<String, RunError> {
    let (major, minor) = device.info().compute_capability;
    machine::newest_for(major * 10 + minor).ok_or_else(|| {
        RunError::NoDevice(format!(
            "devices of compute capability {major}.{minor} are too old"
        ))
    })
}

/// What a program's kernels are made for.
pub(super) struct Machine {
    pub arch: String,
    /// What is known of the machine beside the built-in description.
    described: Option<machine::Machine>,
}

impl Machine {
    /// A machine of that architecture, which is `device` where one is at hand.
    ///
    /// # Errors
    ///
    /// What is wrong with its description.
    pub fn of(o: &RunOptions, device: Option<&str>, arch: &str) -> Result<Machine, RunError> {
        let found = o.machine.find(device, arch);
        Ok(Machine {
            arch: arch.to_string(),
            described: found.map_err(|m| RunError::Usage(vec![m]))?,
        })
    }
}

/// Gives a program its kernels and launches, for a machine.
///
/// # Errors
///
/// What the passes report.
pub(super) fn prepare(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
) -> Result<(), Vec<Diagnostic>> {
    let pipeline = begin(program, o, on, 0, false)?;
    program.run(&pipeline)
}

/// What becomes of the loops of a program on a machine, as a schedule.
///
/// # Errors
///
/// What the passes report.
pub(super) fn schedule(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
) -> Result<String, Vec<Diagnostic>> {
    let pipeline = begin(program, o, on, 0, true)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    Ok(take_out(program))
}

/// Leaves what becomes of the loops of a program as schedules in it, with at most so many
/// mappings on each step that maps a nest to threads; those steps.
///
/// # Errors
///
/// What the passes report.
pub(crate) fn with_candidates(
    program: &mut Program,
    o: &RunOptions,
    (device, arch): (&str, &str),
    candidates: usize,
) -> Result<Vec<MapToGpuOp>, RunError> {
    let on = Machine::of(o, Some(device), arch)?;
    let pipeline = begin(program, o, &on, candidates, true)?;
    program.run(&pipeline.through(StageName::Mapping))?;
    Ok(program.module.find_all::<MapToGpuOp>(&program.ctx))
}

/// The pipeline, with the program's context and schedule as it reads them.
fn begin(
    program: &mut Program,
    o: &RunOptions,
    on: &Machine,
    candidates: usize,
    write: bool,
) -> Result<Pipeline, Vec<Diagnostic>> {
    if let Some(given) = &o.schedule {
        take_in(program, given)?;
    }
    if let Some(m) = &on.described {
        program.ctx.set_input_file(AT_HAND, machine::write(m));
    }
    Ok(pipeline::gpu(&GpuPipelineOptions {
        arch: on.arch.clone(),
        machine_file: on.described.as_ref().map(|_| AT_HAND.to_string()),
        model: o.cost_model.unwrap_or_default(),
        fast_math: o.numerics.fast_math(),
        contract: o.numerics.contract != Contract::Off,
        tf32: o.numerics.tf32,
        reassociate: o.numerics.reassociate,
        sizes: o.known_sizes.clone(),
        apply: o.schedule.is_some(),
        write,
        candidates,
    }))
}

/// A program that has its kernels and launches already, run on the emulator with the
/// arrays among its arguments in memory of the device, which its host code must not
/// touch. They are copied there for each call, and back.
///
/// # Errors
///
/// What cannot be compiled, or what `TERRACE_EMULATOR` has that is no setting.
pub fn emulated(program: Program, entry: &Entry) -> Result<Box<dyn Executor>, RunError> {
    let entry = &entry.of(&program)?;
    let device = Arc::new(EmulatorDevice::open(0).map_err(device_error)?);
    let options = RunOptions::default();
    let start = Instant::now();
    let made = lowered(program, entry, device, Arrays::OfDevice, start, &options)?;
    Ok(Box::new(made))
}

/// Where the arrays are that a program is called with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrays {
    OfHost,
    OfDevice,
}

/// The executor of a program with kernels, whose lowering began at `start`.
fn lowered(
    mut program: Program,
    entry: &Entry,
    device: Arc<dyn Device>,
    arrays: Arrays,
    start: Instant,
    options: &RunOptions,
) -> Result<GpuExecutor, RunError> {
    let arch = arch_of(&*device)?;
    let binaries = binaries(&program, &arch, options)?;
    let mut all = imports();
    all.push((
        "terrace_parallel_for",
        pool::terrace_parallel_for as *const u8,
    ));
    let checked = options.checks.are_on();
    if checked {
        program.run(&pipeline::checks())?;
    }
    let host = NativeOptions {
        bounds_checks: checked,
        ..NativeOptions::default()
    };
    let native = || compile_native(&program.ctx, program.module, &host, &all);
    let native = program.instruments().time("Machine code", native);
    let native = native.map_err(|e| located(&program.ctx, e))?;
    let compiled = start.elapsed();
    let start = Instant::now();
    let kernels = load(&device, &native, &binaries)?;
    let mut profile = Profile::new();
    profile.peaks = Peaks::of(&*device);
    profile.record_step("compile", compiled);
    profile.record_step("load kernels", start.elapsed());
    Ok(GpuExecutor {
        program,
        native,
        memory: Arc::new(Memory::new(&device)),
        device,
        kernels,
        entry: entry.clone(),
        profile,
        arrays,
        note: None,
    })
}

/// Hand the PTX to the driver; kernels in the order of the numbers that host code uses.
fn load(
    device: &Arc<dyn Device>,
    native: &NativeModule,
    binaries: &[(String, GpuBinary)],
) -> Result<Vec<Kernel>, RunError> {
    let mut out = Vec::new();
    for (module, name) in &native.kernels {
        let found = binaries
            .iter()
            .filter(|(m, _)| m == module)
            .find_map(|(_, b)| b.kernels.iter().find(|k| k.name == *name).map(|k| (b, k)));
        let Some((binary, info)) = found else {
            let m = format!("there is no kernel @{module}::@{name}");
            return Err(RunError::Program(vec![Diagnostic::error(
                DiagLoc::Unknown,
                m,
            )]));
        };
        let id = device.load_module(&binary.ptx).map_err(device_error)?;
        let kernel = device.kernel(id, &info.entry).map_err(device_error)?;
        let size = |p: &ParamKind| match p {
            ParamKind::Scalar { ty, .. } => ty.bytes() as usize,
            _ => 8,
        };
        let params = info.params.iter().map(size).collect();
        let aligned = (info.params.iter().zip(&info.alignments))
            .map(|(p, align)| match p {
                ParamKind::Pointer { arg } => Some((u64::from(*align), *arg)),
                _ => None,
            })
            .collect();
        out.push(Kernel {
            name: name.clone(),
            id: kernel,
            params,
            indices: info.indices.clone(),
            aligned,
            cooperative: info.cooperative,
        });
    }
    Ok(out)
}

/// See the [module](self).
struct GpuExecutor {
    program: Program,
    native: NativeModule,
    device: Arc<dyn Device>,
    memory: Arc<Memory>,
    kernels: Vec<Kernel>,
    entry: Entry,
    profile: Profile,
    arrays: Arrays,
    note: Option<String>,
}

impl GpuExecutor {
    /// Where `TERRACE_TRACE` wants to know what is done, and the places to say.
    fn tracing(&self) -> Option<Tracing> {
        let report = traced(&self.device)?;
        let ctx = &self.program.ctx;
        let place = |l: &Loc| match ctx.diag_loc(*l) {
            DiagLoc::Pos { file, line, column } => SourcePlace {
                file: file.to_string(),
                line,
                column,
            },
            _ => SourcePlace::default(),
        };
        Some(Tracing {
            report,
            function: self.entry.name.clone(),
            places: Arc::new(self.native.locations.iter().map(place).collect()),
        })
    }
}

impl Executor for GpuExecutor {
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Scalar>, Vec<Diagnostic>> {
        super::bind::check_call(&self.entry, args)?;
        self.profile.begin_call();
        let ctx = &self.program.ctx;
        let refused = |e: DeviceError| vec![Diagnostic::error(DiagLoc::Unknown, e.to_string())];
        let (device, kernels) = (Arc::clone(&self.device), self.kernels.clone());
        let memory = Arc::clone(&self.memory);
        let mut session =
            Session::new(device, memory, kernels, "gpu", self.tracing()).map_err(refused)?;
        session.name_arrays(&self.native.arrays);
        let mut copies = Vec::new();
        if self.arrays == Arrays::OfDevice {
            for (i, arg) in args.iter().enumerate() {
                if let Value::Array(b) = arg {
                    copies.push((i, session.place(b.bytes()).map_err(refused)?));
                }
            }
        }
        let mut passed = pass(args);
        for (i, at) in &copies {
            if let NativeArg::MemRef(m) = &mut passed[*i] {
                m.ptr = at.0 as *mut u8;
            }
        }
        let (session, r, error) = session.run(|| {
            // SAFETY: as on the CPU; the device functions check what they are given
            // against what the program has allocated.
            unsafe { self.native.call(&self.entry.name, &passed) }
        });
        let mut copied = Ok(());
        if let Some(mut s) = session {
            for (i, at) in &copies {
                if let (Value::Array(b), Ok(())) = (&mut args[*i], &copied) {
                    copied = self.device.copy_d2h(b.bytes_mut(), *at);
                }
            }
            s.clean_up();
            self.profile.extend(std::mem::take(&mut s.profile));
        }
        // What the device said first is the cause of whatever the host ran into.
        if let Some(e) = error {
            let loc = self.native.locations.get(e.op as usize).copied();
            let at = loc.map_or(DiagLoc::Unknown, |l| ctx.diag_loc(l));
            return Err(vec![Diagnostic::error(at, e.message)]);
        }
        let r = r.map_err(|e| failure(ctx, e))?;
        copied.map_err(refused)?;
        Ok(results(&r, &self.entry.results))
    }

    fn take_profile(&mut self) -> Profile {
        std::mem::take(&mut self.profile)
    }

    fn place(&self) -> String {
        let name = &self.device.info().name;
        if self.kernels.is_empty() {
            return format!(
                "gpu, {name} (no parallel loop to make a kernel of: all runs on the host)"
            );
        }
        format!("gpu, {name}")
    }

    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}
