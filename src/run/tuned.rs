//! Schedules that `terrace tune` found to be fast, kept among the compiled kernels.
//!
//! One is kept for a program (its text as the printer has it, so that names, comments and
//! places do not matter), the sizes that it is called with, what else changes its code, and
//! the device. What is made without a device, as by `terrace compile`, takes that of the
//! device of the architecture that was tuned for last. What does not check out, or does not
//! fit the program any more, is as if it were not there.

use super::entry::{Entry, ParamKind};
use super::executor::Program;
use super::gpu;
use super::options::{RunOptions, ScheduleText, Target};
use crate::ir::clone::{IrMapping, clone_op};
use crate::ir::diag::Diagnostic;
use crate::runtime::cache::{Cache, Key};
use crate::runtime::dtype::DType;

/// What an entry of the cache that holds a schedule says for its options.
pub const OPTIONS: &str = "schedule";

/// A schedule that was kept.
pub struct Kept {
    pub schedule: ScheduleText,
    /// What to tell whoever gets it.
    pub note: String,
}

/// The sizes that decide what is kept: dimensions that the program leaves open, and whole
/// numbers that it is given. Each as passes name it, and as the program does.
fn sizes(entry: &Entry, o: &RunOptions) -> Vec<(String, String)> {
    let known = |name: String, shown: &str| {
        let found = o.known_sizes.iter().find(|(n, _)| *n == name)?.1;
        Some((format!("{name}={found}"), format!("{shown}={found}")))
    };
    let mut out = Vec::new();
    for (i, p) in entry.params.iter().enumerate() {
        match &p.kind {
            ParamKind::Array { shape, dims, .. } => {
                for d in (0..shape.len()).filter(|d| shape[*d].is_none()) {
                    let shown = dims.get(d).cloned();
                    let shown = shown.unwrap_or_else(|| format!("{}.{d}", p.name));
                    out.extend(known(format!("arg{i}.{d}"), &shown));
                }
            }
            ParamKind::Scalar(DType::F16 | DType::BF16 | DType::F32 | DType::F64) => {}
            ParamKind::Scalar(_) => out.extend(known(format!("arg{i}"), &p.name)),
        }
    }
    out
}

/// The function and its sizes in words.
pub fn about(entry: &Entry, o: &RunOptions) -> Vec<String> {
    let mut out = vec![format!("@{}", entry.name)];
    for (_, shown) in sizes(entry, o) {
        if !out.contains(&shown) {
            out.push(shown);
        }
    }
    out
}

/// The key of a program for a device, or for any of a target.
fn key(program: &Program, entry: &Entry, o: &RunOptions, arch: &str, device: Option<&str>) -> Key {
    let any = match o.target {
        Target::Emulator => "any emulator",
        _ => "any gpu",
    };
    let text = [
        format!("@{}", entry.name),
        sizes(entry, o).into_iter().map(|s| s.0 + " ").collect(),
        format!("{:?} {}", o.numerics, o.index_bitwidth),
        program.text(),
    ];
    Key::new(&text.join("\n"), arch, device.unwrap_or(any), OPTIONS)
}

/// The cache, if there is to be one; settings that are none are for others to report.
fn cache() -> Option<Cache> {
    Cache::from_environment(false).ok().flatten()
}

/// The schedule that was kept for a program, unless `o` says another or none.
pub fn find(
    program: &Program,
    entry: &Entry,
    o: &RunOptions,
    arch: &str,
    device: Option<&str>,
) -> Option<Kept> {
    if !o.tuned || o.schedule.is_some() {
        return None;
    }
    let kept = cache()?.load(&key(program, entry, o, arch, device))?;
    let text = String::from_utf8(kept).ok()?;
    let said = text.lines().next()?.strip_prefix("// ")?;
    Some(Kept {
        note: format!("tuned    {said}; --no-tuned ignores it"),
        schedule: ScheduleText {
            name: "the schedule kept by terrace tune".into(),
            text,
        },
    })
}

/// Keeps a schedule for a program on a device, with a line about it. Whether it is kept.
///
/// # Errors
///
/// Settings of the cache that are none.
pub fn keep(
    program: &Program,
    entry: &Entry,
    o: &RunOptions,
    arch: &str,
    device: &str,
    (said, schedule): (&str, &str),
) -> Result<bool, String> {
    let Some(cache) = Cache::from_environment(true)? else {
        return Ok(false);
    };
    let about = about(entry, o);
    let text = format!("// {said}\n{schedule}");
    // Both, that of the device last.
    Ok([None, Some(device)].into_iter().all(|device| {
        let key = key(program, entry, o, arch, device);
        cache.save(&key, &about, text.as_bytes())
    }))
}

/// Gives a program its kernels and launches: by the schedule that was kept for it, where
/// there is one, else as they are chosen. What there is to say of the former.
///
/// # Errors
///
/// What the passes report.
pub(super) fn prepare(
    program: &mut Program,
    entry: &Entry,
    o: &RunOptions,
    on: &gpu::Machine,
    device: Option<&str>,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let Some(Kept { schedule, note }) = find(program, entry, o, &on.arch, device) else {
        gpu::prepare(program, o, on)?;
        return Ok(None);
    };
    let untouched = clone_op(&mut program.ctx, program.module, &mut IrMapping::new());
    let given = RunOptions {
        schedule: Some(schedule),
        ..o.clone()
    };
    match gpu::prepare(program, &given, on) {
        Ok(()) => {
            untouched.erase(&mut program.ctx);
            Ok(Some(note))
        }
        Err(_) => {
            let half_done = std::mem::replace(&mut program.module, untouched);
            half_done.erase(&mut program.ctx);
            gpu::prepare(program, o, on)?;
            let m = "tuned    the schedule that was kept does not fit the program any more and \
                     is ignored; terrace tune finds another";
            Ok(Some(m.into()))
        }
    }
}
