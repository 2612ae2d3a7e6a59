//! Which device this thread uses. Devices are opened when they are first needed, and
//! stay open until the process ends.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, Once};

use super::abi::SourcePlace;
use super::acc::prof::{self, Construct, Event};
use super::failure::fail;
use super::report::{Process, Report, Trace};
use super::settings::{Choice, Settings, settings};
use super::{Runtime, lock};
use crate::device::{Device, DeviceError, Driver};
use crate::notice::say;

/// What `acc_set_device_type` of this thread asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// As the environment says.
    Default,
    Host,
    Gpu,
}

thread_local! {
    static TYPE: Cell<Type> = const { Cell::new(Type::Default) };
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
    /// The last answer, with the number it is for.
    static LAST: Cell<Option<(usize, &'static Runtime)>> = const { Cell::new(None) };
}

/// Devices by number, and why those that could not be opened could not.
static OPENED: Mutex<Vec<(usize, Result<&'static Runtime, String>)>> = Mutex::new(Vec::new());

/// What ran on the host's cores.
static HOST_REPORT: Mutex<Option<&'static Report>> = Mutex::new(None);

/// Devices that others opened, whose work is to be in the trace.
static OTHERS: Mutex<Vec<(Arc<dyn Device>, &'static Report)>> = Mutex::new(Vec::new());

/// Where to say what is done on a device that is not one of [`open`]'s, if
/// `TERRACE_TRACE` asks for it.
pub fn traced(device: &Arc<dyn Device>) -> Option<&'static Report> {
    // The other settings are not for those who run programs by themselves.
    std::env::var_os("TERRACE_TRACE").filter(|t| !t.is_empty())?;
    let mut others = lock(&OTHERS);
    if let Some((_, report)) = others.iter().find(|(d, _)| Arc::ptr_eq(d, device)) {
        return Some(report);
    }
    let traced = Settings {
        trace: settings().trace.clone(),
        time_all: settings().time_all,
        ..Settings::default()
    };
    let report: &'static Report = Box::leak(Box::new(Report::new(&traced)));
    at_exit();
    others.push((Arc::clone(device), report));
    Some(report)
}

/// The number of this thread's device.
pub fn number() -> usize {
    NUMBER.get().unwrap_or_else(|| settings().device)
}

/// Chooses this thread's device.
pub fn set_number(number: usize) {
    NUMBER.set(Some(number));
}

/// What this thread asked for.
pub fn device_type() -> Type {
    TYPE.get()
}

/// Chooses between host and device for this thread.
pub fn set_device_type(t: Type) {
    TYPE.set(t);
}

/// Device `number`, opened if it is not.
///
/// # Errors
/// Why it cannot be used.
pub fn open(number: usize) -> Result<&'static Runtime, String> {
    if let Some((n, runtime)) = LAST.get()
        && n == number
    {
        return Ok(runtime);
    }
    // Held while opening: other threads wait for the same device.
    let mut opened = lock(&OPENED);
    if let Some((_, result)) = opened.iter().find(|(n, _)| *n == number) {
        let result = result.clone();
        if let Ok(runtime) = result {
            LAST.set(Some((number, runtime)));
        }
        return result;
    }
    prof::begin();
    let events = (Event::DeviceInitStart, Event::DeviceInitEnd);
    let told = prof::span(events, Construct::RuntimeApi, &SourcePlace::call("start"));
    let device = open_device(number).map_err(|e| e.to_string());
    drop(told);
    let result = device.map(|device| {
        let report = Report::new(settings());
        let mut runtime = Runtime::new(device, number, report);
        runtime.waits = settings().sync;
        &*Box::leak(Box::new(runtime))
    });
    // After the driver has started, so that it is still there when this runs.
    at_exit();
    let Settings {
        notify, profile, ..
    } = settings();
    if let (Err(why), true) = (&result, *notify || *profile) {
        say!("terrace: not using a GPU: {why}");
    }
    opened.push((number, result.clone()));
    result
}

fn open_device(number: usize) -> Result<Arc<dyn Device>, DeviceError> {
    match settings().target {
        Choice::Emulator => Driver::Emulator.open(number),
        _ => Driver::Cuda.open(number),
    }
}

/// Whether what this thread does stays on the host.
fn stays(choice: Choice) -> bool {
    let asked = matches!(choice, Choice::Host | Choice::Cpu) || TYPE.get() == Type::Host;
    asked || super::host::is_running()
}

/// The GPU that this thread uses; `None` where regions stay on the host. Where
/// `TERRACE_TARGET` asks for one and there is none, the program ends; where the program
/// itself asks for one, it goes on without.
pub fn gpu() -> Option<&'static Runtime> {
    let choice = settings().target;
    if stays(choice) {
        return None;
    }
    match open(number()) {
        Ok(runtime) => Some(runtime),
        Err(why) if choice == Choice::Emulator => fail(&format!("terrace: {why}")),
        Err(why) if choice == Choice::Gpu => fail(&format!(
            "terrace: TERRACE_TARGET=gpu asks for a GPU, but there is none to use: {why}\n  \
             TERRACE_TARGET=host runs without one"
        )),
        Err(_) => None,
    }
}

/// The same, but only where that device has been started already: nothing is on another.
pub fn started() -> Option<&'static Runtime> {
    let choice = settings().target;
    if stays(choice) {
        return None;
    }
    let number = number();
    if let Some((n, runtime)) = LAST.get()
        && n == number
    {
        return Some(runtime);
    }
    let opened = lock(&OPENED);
    let (_, result) = opened.iter().find(|(n, _)| *n == number)?;
    result.as_ref().ok().copied()
}

/// All devices that were started.
pub fn all_started() -> Vec<&'static Runtime> {
    let opened = lock(&OPENED);
    let all = opened.iter().filter_map(|(_, r)| r.as_ref().ok());
    all.copied().collect()
}

/// Whether [`gpu`] may have a device to give, as far as can be told without starting one.
pub fn may_have_gpu() -> bool {
    let choice = settings().target;
    if stays(choice) {
        return false;
    }
    let number = number();
    let opened = lock(&OPENED);
    let tried = opened.iter().find(|(n, _)| *n == number);
    tried.is_none_or(|(_, result)| result.is_ok())
}

/// The record of what runs on the host's cores.
pub fn host_report() -> &'static Report {
    let mut report = lock(&HOST_REPORT);
    report.get_or_insert_with(|| {
        at_exit();
        Box::leak(Box::new(Report::new(settings())))
    })
}

unsafe extern "C" {
    safe fn atexit(f: extern "C" fn()) -> c_int;
}

/// Has the summary printed, and the trace written, when the process ends.
fn at_exit() {
    static ONCE: Once = Once::new();
    if settings().profile || settings().trace.is_some() {
        ONCE.call_once(|| {
            // Without it there is no summary, which is no reason to stop.
            let _ = atexit(at_end);
        });
    }
}

extern "C" fn at_end() {
    // A thread that ends the program may hold a lock: no summary is better than none
    // of the rest.
    if settings().profile && std::panic::catch_unwind(summary).is_err() {
        say!("terrace: no summary");
    }
    if let Some(path) = &settings().trace
        && std::panic::catch_unwind(|| write_trace(path)).is_err()
    {
        say!("terrace: no trace");
    }
}

fn summary() {
    let mut texts = Vec::new();
    if let Ok(opened) = OPENED.try_lock() {
        for (number, runtime) in opened.iter() {
            if let Ok(r) = runtime {
                let table = r.report.finish(Some(&*r.device));
                texts.push((format!("GPU {number} ({})", r.device.info().name), table));
            }
        }
    }
    if let Ok(report) = HOST_REPORT.try_lock()
        && let Some(report) = *report
    {
        texts.push(("the host's cores".to_string(), report.finish(None)));
    }
    for (what, table) in texts {
        match table.is_empty() {
            true => say!("\nterrace: nothing ran on {what}"),
            false => crate::notice::write(format_args!("\nterrace: on {what}\n{table}")),
        }
    }
}

/// Writes the trace beside its place and renames it, so that it is whole or not there.
fn write_trace(path: &str) {
    let mut trace = Trace::new();
    if let Ok(opened) = OPENED.try_lock() {
        for runtime in opened.iter().filter_map(|(_, r)| r.as_ref().ok()) {
            runtime.add_to(&mut trace);
        }
    }
    if let Ok(others) = OTHERS.try_lock() {
        for (ordinal, (device, report)) in others.iter().enumerate() {
            let process = Process {
                ordinal,
                name: device.info().name.clone(),
                streams: [(0, "main".to_string())].into(),
            };
            report.add_to(&mut trace, &process, Some(&**device));
        }
    }
    if let Ok(report) = HOST_REPORT.try_lock()
        && let Some(report) = *report
    {
        report.add_to(&mut trace, &Process::host(), None);
    }
    // Several processes of one program need not write the same file.
    let process = std::process::id().to_string();
    let path = path.replace("%p", &process);
    if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
        // A pipe or a terminal is no file to put another in the place of.
        if let Err(e) = std::fs::write(&path, trace.finish()) {
            say!("terrace: cannot write the trace {path}: {e}");
        }
        return;
    }
    let beside = format!("{path}.{process}.unfinished");
    let written = std::fs::write(&beside, trace.finish());
    let written = written.and_then(|()| std::fs::rename(&beside, &path));
    if let Err(e) = written {
        // It may not exist; the first error is the one to report.
        let _ = std::fs::remove_file(&beside);
        say!("terrace: cannot write the trace {path}: {e}");
    }
}
