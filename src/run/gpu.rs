//! Running on an NVIDIA GPU, or on the emulator of one: kernels through the device,
//! the rest on the host. `prepare` gives a program its kernels, `kernels` compiles and loads
//! them, and `trial` makes programs whose nests are timed.

mod device;
mod kernels;
mod prepare;
mod trial;

pub use self::device::open_device;
pub(crate) use self::device::{arch_of, chosen};
pub(super) use self::kernels::binaries;
use self::prepare::prepare_region;
pub(crate) use self::prepare::with_candidates;
pub(super) use self::prepare::{Machine, prepare, schedule};
pub(crate) use self::trial::{Trial, trial};
use super::RunError;
use super::bind::Value;
use super::cpu;
use super::cpu::{failure, located};
use super::entry::Entry;
use super::executor::{Executor, Program};
use super::options::RunOptions;
use super::session::{Kernel, Memory, Session, Tracing, imports, pinned_holds};
use super::strided::{Passed, results};
use super::tuned;
use crate::ir::Loc;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::passes::pipeline;
use crate::runtime::device::{Device, DeviceError, Driver};
use crate::runtime::pool;
use crate::runtime::profile::{Peaks, Profile};
use crate::runtime::program::abi::SourcePlace;
use crate::runtime::program::current::traced;
use crate::targets::gpu_to_ptx::GpuBinary;
use crate::targets::native::{NativeArg, NativeModule, NativeOptions, compile as compile_native};
use device::{device_error, open, with_others};
use kernels::load;
use std::sync::Arc;
use std::time::Instant;

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

/// A program that has its kernels and launches already, run on the emulator with the
/// arrays among its arguments in memory of the device, which its host code must not
/// touch. They are copied there for each call, and back.
///
/// # Errors
///
/// What cannot be compiled, or what `TERRACE_EMULATOR` has that is no setting.
pub fn emulated(program: Program, entry: &Entry) -> Result<Box<dyn Executor>, RunError> {
    let entry = &entry.of(&program)?;
    let device = Driver::Emulator.open(0).map_err(device_error)?;
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
    let checked = options.checks.are_on();
    if checked {
        program.run(&pipeline::checks())?;
    }
    let (native, binaries) = code(&program, &arch_of(&*device)?, checked, options)?;
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

/// The code of a program with kernels: the host's, and PTX for the architecture.
///
/// # Errors
///
/// What has no code.
fn code(
    program: &Program,
    arch: &str,
    checked: bool,
    options: &RunOptions,
) -> Result<(NativeModule, Vec<(String, GpuBinary)>), RunError> {
    let binaries = binaries(program, arch, options)?;
    let found = cpu::c_functions(program, &options.libraries);
    let mut all: Vec<(&str, *const u8)> = imports();
    all.extend(found.iter().map(|(n, a)| (n.as_str(), *a)));
    all.push((
        "terrace_parallel_for",
        pool::terrace_parallel_for as *const u8,
    ));
    let host = NativeOptions {
        bounds_checks: checked,
        ..NativeOptions::default()
    };
    let native = || compile_native(&program.ctx, program.module, &host, &all);
    let native = program.instruments().time("Machine code", native);
    let native = native.map_err(|e| located(&program.ctx, e))?;
    Ok((native, binaries))
}

/// What [`lower_for`] depends on beside the program and the options, in words.
///
/// # Errors
///
/// A machine description that is none.
pub(crate) fn region_key(device: &dyn Device, options: &RunOptions) -> Result<String, RunError> {
    let arch = arch_of(device)?;
    let on = Machine::of(options, Some(&device.info().name), &arch)?;
    Ok(format!("{arch} {}", on.description()))
}

/// Gives a program whose arrays are the device's its kernels and launches, and its host code
/// checks in front of loops.
///
/// # Errors
///
/// What the passes report, or a machine description that is none.
pub(crate) fn lower_for(
    program: &mut Program,
    device: &dyn Device,
    options: &RunOptions,
) -> Result<(), RunError> {
    let arch = arch_of(device)?;
    let on = Machine::of(options, Some(&device.info().name), &arch)?;
    prepare_region(program, options, &on)?;
    Ok(program.run(&pipeline::checks())?)
}

/// A program that [`lower_for`] made ready, loaded by the device. Its host code is checked.
pub(crate) struct OnDevice {
    device: Arc<dyn Device>,
    memory: Arc<Memory>,
    native: NativeModule,
    kernels: Vec<Kernel>,
}

impl OnDevice {
    /// Code of the program.
    ///
    /// # Errors
    ///
    /// What has no code, or what the device does not load.
    pub fn load(
        program: &Program,
        device: &Arc<dyn Device>,
        options: &RunOptions,
    ) -> Result<OnDevice, RunError> {
        let (native, binaries) = code(program, &arch_of(&**device)?, true, options)?;
        Ok(OnDevice {
            kernels: load(device, &native, &binaries)?,
            memory: Arc::new(Memory::new(device)),
            device: Arc::clone(device),
            native,
        })
    }

    /// The locations of ops that can fail.
    pub fn locations(&self) -> &[Loc] {
        &self.native.locations
    }

    /// Calls a function without results, with the words of its arguments, and waits for it.
    ///
    /// # Errors
    ///
    /// What went wrong, and the location of the op.
    ///
    /// # Safety
    ///
    /// Addresses among the words are of memory of this device, which holds the elements that the
    /// sizes and strides behind them describe, and which nobody else uses during the call.
    pub unsafe fn call(&self, function: &str, words: &[u64]) -> Result<(), (Loc, String)> {
        let unknown = |e: DeviceError| (Loc::Unknown, e.to_string());
        let (device, memory) = (Arc::clone(&self.device), Arc::clone(&self.memory));
        let session = Session::new(device, memory, self.kernels.clone(), "gpu", None);
        let session = session.map_err(unknown)?;
        // SAFETY: by the contract.
        let (session, r, error) =
            session.run(|| unsafe { self.native.call_words(function, words) });
        if let Some(mut s) = session {
            s.clean_up();
        }
        // What the device said first is the cause of whatever the host ran into.
        if let Some(e) = error {
            let loc = self.native.locations.get(e.op as usize).copied();
            return Err((loc.unwrap_or(Loc::Unknown), e.message));
        }
        r.map_err(|e| (e.loc, e.message))
    }
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
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Value>, Vec<Diagnostic>> {
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
            let layouts = self.entry.without_layouts();
            layouts.map_err(|m| vec![Diagnostic::error(DiagLoc::Unknown, m)])?;
            for (i, arg) in args.iter().enumerate() {
                if let Value::Array(b) = arg {
                    copies.push((i, session.place(b.bytes()).map_err(refused)?));
                }
            }
        }
        let mut passed = Passed::new(&self.entry, args)?;
        for (i, at) in &copies {
            if let NativeArg::MemRef(m) = &mut passed.words[*i] {
                m.ptr = at.0 as *mut u8;
            }
        }
        let (session, r, error) = session.run(|| {
            // SAFETY: as on the CPU; the device functions check what they are given
            // against what the program has allocated.
            unsafe { (self.native).call_copying(&self.entry.name, &passed.words, &pinned_holds) }
        });
        passed.bring_back(args);
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
        results(&r, &self.entry)
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
