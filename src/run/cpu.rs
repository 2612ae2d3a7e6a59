//! Running on the host's CPU.

use super::RunError;
use super::bind::Value;
use super::entry::Entry;
use super::executor::{Executor, Program};
use super::options::{CoreOptions, RunOptions};
use super::strided::{Passed, results};
use crate::dialects::attributes::TERRACE_C_FUNCTION;
use crate::ir::diag::Diagnostic;
use crate::ir::{Context, Loc, Op};
use crate::order;
use crate::passes::pipeline::{self, Algebra, StageName};
use crate::runtime::pool::{self, PoolSettings};
use crate::runtime::profile::{Event, KernelRun, Profile};
use crate::runtime::support::c_functions::Libraries;
use crate::runtime::support::subnormals::Mode;
use crate::targets::machine::Cores;
use crate::targets::native::{
    Level, NativeError, NativeModule, NativeOptions, OptLevel, compile as compile_native,
    level_here,
};
use std::time::Instant;

pub(super) fn executor(
    mut program: Program,
    entry: &Entry,
    o: &RunOptions,
) -> Result<Box<dyn Executor>, RunError> {
    let subnormals = o.cores.mode()?;
    let start = Instant::now();
    let checks = o.checks.are_on();
    let cores = here(&o.cores.machine);
    lower(&mut program, checks, o.numerics.algebra, &cores)?;
    let options = NativeOptions {
        level: level_here(),
        bounds_checks: checks,
        opt_level: OptLevel::Speed,
        subnormals,
        ..NativeOptions::default()
    };
    let native = compile_with(&program, &options, &o.libraries)?;
    let mut profile = Profile::new();
    profile.record_step("compile", start.elapsed());
    Ok(Box::new(CpuExecutor {
        program,
        native,
        entry: entry.clone(),
        profile,
    }))
}

impl CoreOptions {
    /// Makes the process's pool of threads as is asked for; where nothing is, it is made as the
    /// environment says when it is needed.
    ///
    /// # Errors
    ///
    /// What cannot be, or that there is a pool with other threads already.
    pub(super) fn start(self) -> Result<(), RunError> {
        if self.threads.is_none() && self.pin.is_none() {
            return Ok(());
        }
        let usage = |e: pool::PoolError| RunError::Usage(vec![e.to_string()]);
        let environment = PoolSettings::read(variable).map_err(usage)?;
        let settings = PoolSettings {
            threads: self.threads.unwrap_or(environment.threads),
            pin: self.pin.unwrap_or(environment.pin),
        };
        pool::configure(settings).map_err(usage)
    }

    /// How code on the cores treats subnormal numbers.
    fn mode(self) -> Result<Mode, RunError> {
        let usage = |e: &dyn std::error::Error| RunError::Usage(vec![e.to_string()]);
        let flush = match self.flush_subnormals {
            Some(flush) => flush,
            None => {
                let setting = variable(pool::FLUSH_VARIABLE);
                pool::flush_from(setting.as_deref()).map_err(|e| usage(&e))?
            }
        };
        Mode::flushing(flush).map_err(|e| usage(&e))
    }
}

/// A variable of the environment, as text.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|v| v.to_string_lossy().into_owned())
}

/// Such cores with the registers for vectors that code for a level has.
pub(crate) fn at_level(cores: &Cores, level: Option<Level>) -> Cores {
    let mut cores = *cores;
    if let Some(level) = level {
        cores.vector_bytes = u64::from(level.bytes());
        cores.vector_registers = match level {
            Level::V3 => 16,
            Level::V4 => 32,
        };
    }
    cores
}

/// Such cores with the registers of this machine, where its code runs.
pub(crate) fn here(cores: &Cores) -> Cores {
    at_level(cores, level_here())
}

/// Lowers a program for such cores; where accesses are checked, with checks in front of loops.
///
/// # Errors
///
/// What the passes report.
pub(crate) fn lower(
    program: &mut Program,
    checks: bool,
    algebra: Algebra,
    cores: &Cores,
) -> Result<(), Vec<Diagnostic>> {
    order::choose_on_cores(program, cores);
    program.run(&pipeline::cpu(algebra, cores))?;
    match checks {
        true => program.run(&pipeline::checks()),
        false => Ok(()),
    }
}

/// Machine code of a program lowered for the CPU, with listings.
pub(super) fn compile(program: &Program, checks: bool) -> Result<NativeModule, RunError> {
    let options = NativeOptions {
        listing: true,
        bounds_checks: checks,
        opt_level: OptLevel::Speed,
        ..NativeOptions::default()
    };
    compile_with(program, &options, &Libraries::default())
}

/// Lowers a program for such cores whose accesses are within its arrays for sure, so that nothing
/// is checked and all loops may run in vectors.
///
/// # Errors
///
/// What the passes report.
pub(crate) fn lower_within(
    program: &mut Program,
    algebra: Algebra,
    cores: &Cores,
) -> Result<(), Vec<Diagnostic>> {
    order::choose_on_cores(program, cores);
    program.run(&pipeline::cpu(algebra, cores).through(StageName::Loops))?;
    program.run(&pipeline::region_cpu(false, algebra, cores))
}

/// Machine code of a program lowered for the CPU, for calls from this process; its accesses are
/// checked, or are within its arrays for sure.
///
/// # Errors
///
/// What has no code, or an environment that says what cannot be.
pub(crate) fn code(program: &Program, checked: bool) -> Result<NativeModule, RunError> {
    let options = NativeOptions {
        level: level_here(),
        bounds_checks: checked,
        opt_level: OptLevel::Speed,
        subnormals: CoreOptions::default().mode()?,
        ..NativeOptions::default()
    };
    compile_with(program, &options, &Libraries::default())
}

/// Functions of C that a program declares, and where they are; those that are in no library are left
/// out.
pub(super) fn c_functions(program: &Program, libraries: &Libraries) -> Vec<(String, *const u8)> {
    let ctx = &program.ctx;
    let names = declared(program).filter_map(|op| op.symbol_name(ctx));
    let found = names.filter_map(|n| Some((n.to_string(), libraries.address(n)? as *const u8)));
    found.collect()
}

/// The declarations of functions of C.
fn declared(program: &Program) -> impl Iterator<Item = Op> {
    let ctx = &program.ctx;
    let all = program.module.body(ctx, 0).ops(ctx).into_iter();
    all.filter(|op| op.attr(ctx, TERRACE_C_FUNCTION).is_some())
}

/// An error where a program declares a function of C that is in no library.
///
/// # Errors
///
/// One for each of them, at its declaration.
pub(super) fn has_c_functions(program: &Program, libraries: &Libraries) -> Result<(), RunError> {
    let ctx = &program.ctx;
    let missing = declared(program).filter_map(|op| {
        let name = op.symbol_name(ctx)?;
        let m = format!(
            "the C function `{name}` is in no library that was loaded; expected `--load FILE.so` with it"
        );
        (libraries.address(name).is_none()).then(|| Diagnostic::error(ctx.diag_loc(op.loc(ctx)), m))
    });
    let missing: Vec<Diagnostic> = missing.collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(RunError::Program(missing)),
    }
}

fn compile_with(
    program: &Program,
    options: &NativeOptions,
    libraries: &Libraries,
) -> Result<NativeModule, RunError> {
    let found = c_functions(program, libraries);
    let mut imports: Vec<(&str, *const u8)> = found.iter().map(|(n, a)| (n.as_str(), *a)).collect();
    imports.push((
        "terrace_parallel_for",
        pool::terrace_parallel_for as *const u8,
    ));
    let made = || compile_native(&program.ctx, program.module, options, &imports);
    let made = program.instruments().time("Machine code", made);
    made.map_err(|e| located(&program.ctx, e))
}

/// Errors of a target at the places of their ops.
pub(super) fn located(ctx: &Context, errors: Vec<(Loc, String)>) -> RunError {
    let at = |(loc, m)| Diagnostic::error(ctx.diag_loc(loc), m);
    RunError::Program(errors.into_iter().map(at).collect())
}

/// See the [module](self).
struct CpuExecutor {
    program: Program,
    native: NativeModule,
    entry: Entry,
    profile: Profile,
}

pub(super) fn failure(ctx: &Context, e: NativeError) -> Vec<Diagnostic> {
    vec![Diagnostic::error(ctx.diag_loc(e.loc), e.message)]
}

impl Executor for CpuExecutor {
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Value>, Vec<Diagnostic>> {
        super::bind::check_call(&self.entry, args)?;
        self.profile.begin_call();
        let passed = Passed::new(&self.entry, args)?;
        let start = Instant::now();
        // SAFETY: the arrays live in `args`, which is borrowed for the call, and have
        // the types and sizes that are passed, as was checked. The program is stopped
        // where it would leave them, or whoever made the executor answers for it.
        let called =
            unsafe { (self.native).call_copying(&self.entry.name, &passed.words, &|_, _| false) };
        let elapsed = start.elapsed();
        passed.bring_back(args);
        let r = called.map_err(|e| failure(&self.program.ctx, e))?;
        self.profile.record(Event::Kernel(KernelRun {
            name: format!("@{}", self.entry.name),
            target: "cpu".into(),
            launch: None,
            microseconds: elapsed.as_secs_f64() * 1e6,
            flops: None,
            work: None,
        }));
        results(&r, &self.entry)
    }

    fn take_profile(&mut self) -> Profile {
        std::mem::take(&mut self.profile)
    }

    fn place(&self) -> String {
        format!("cpu, {}", pool::global().settings())
    }
}
