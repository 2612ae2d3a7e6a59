//! This machine: its cores, what it keeps for later runs.

use super::Finding;
use crate::calibrate::{cores, cores_in, store};
use crate::runtime::cache::{Cache, Settings};
use crate::runtime::device::DeviceInfo;
use crate::runtime::pool::{PoolSettings, THREADS_VARIABLE};
use crate::targets::machine::Arch;
use crate::targets::native::level_here;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// How many threads loops are spread over.
pub fn threads(all: &mut Vec<Finding>) {
    const NAME: &str = "threads";
    let variable = |name: &str| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = match PoolSettings::read(variable) {
        Ok(settings) => settings,
        Err(e) => {
            let cost = "Programs end with this error.";
            return all.push(Finding::wrong(NAME, e.to_string(), cost));
        }
    };
    let pinned = if settings.pin { ", pinned" } else { "" };
    let n = settings.threads;
    let found = Finding::found(NAME, format!("{n}{pinned}, on {cores} cores"));
    all.push(match n {
        n if n < cores => found.costing(&format!(
            "{THREADS_VARIABLE} leaves {} cores unused.",
            cores - n
        )),
        n if n > cores => found.costing(&format!(
            "Threads share cores and wait for one another: {THREADS_VARIABLE} asks for more than \
             there are."
        )),
        _ => found,
    });
}

/// The widest vectors that loops are made of on this machine.
pub fn vectors(all: &mut Vec<Finding>) {
    const NAME: &str = "vectors";
    let arch = std::env::consts::ARCH;
    all.push(match level_here() {
        Some(level) if level.bytes() >= 64 => Finding::found(NAME, "512 bits, x86-64-v4 (AVX-512)"),
        Some(level) => {
            let bits = level.bytes() * 8;
            Finding::found(NAME, format!("{bits} bits, x86-64-v3 (AVX2, FMA)"))
        }
        None if arch == "x86_64" => Finding::lacking(
            NAME,
            "128 bits: the cores lack AVX2, FMA or BMI2",
            "Loops take up to four times as many instructions as on x86-64-v4.",
        ),
        None => Finding::found(NAME, format!("128 bits, {arch}")),
    });
}

/// The folder of compiled kernels, with a file that is written to it.
pub fn cache(all: &mut Vec<Finding>) {
    const NAME: &str = "cache";
    const COST: &str = "The driver compiles kernels anew in each process. What terrace tune and terrace \
                        calibrate measure is not kept, and the runtime is unpacked at each link.";
    let settings = match Settings::read(|name| std::env::var_os(name)) {
        Ok(settings) => settings,
        Err(e) => return all.push(Finding::wrong(NAME, e, "Programs run without the cache.")),
    };
    if !settings.on {
        return all.push(Finding::lacking(NAME, "TERRACE_CACHE=0", COST));
    }
    let (Some(folder), Some(cache)) = (&settings.folder, settings.cache()) else {
        let said = "neither TERRACE_CACHE_DIR, XDG_CACHE_HOME nor HOME is set";
        return all.push(Finding::lacking(NAME, said, COST));
    };
    all.push(match try_to_write(folder).and_then(|()| held(&cache)) {
        Ok(held) => Finding::found(NAME, format!("{}: {held}", folder.display())),
        Err(e) => Finding::wrong(NAME, e, COST),
    });
}

/// Makes the folder, as the first program with a kernel would, and a file in it.
fn try_to_write(folder: &Path) -> Result<(), String> {
    let said = |what: &str, e: std::io::Error| {
        let e = e.to_string();
        let e = e.split(" (os error").next().unwrap_or(&e);
        format!("cannot {what} '{}': {e}", folder.display())
    };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| said("make", e))?;
    let file = folder.join(format!("doctor.{}", std::process::id()));
    fs::write(&file, "x").map_err(|e| said("write to", e))?;
    fs::remove_file(&file).map_err(|e| said("remove from", e))
}

fn held(cache: &Cache) -> Result<String, String> {
    let entries = cache.list().map_err(|e| e.to_string())?;
    let bytes: u64 = entries.iter().map(|e| e.bytes).sum();
    let s = if entries.len() == 1 {
        "entry"
    } else {
        "entries"
    };
    Ok(format!("{} {s}, {bytes} bytes", entries.len()))
}

/// What `terrace calibrate` has kept of the GPUs that are here, and of the cores.
pub fn descriptions(gpus: &[DeviceInfo], all: &mut Vec<Finding>) {
    let Ok(Some(folder)) = store::folder() else {
        // The cache's finding says so.
        let name = "cores' figures";
        let cost = "terrace calibrate -o FILE writes figures, and --machine and --cores take them.";
        return all.push(Finding::lacking(name, "there is no folder for them", cost));
    };
    for gpu in gpus {
        let name = format!("figures of {}", gpu.name);
        let arch = gpu.architecture();
        let kept = match arch.parse::<Arch>() {
            Ok(arch) => store::load(&folder, &gpu.name, arch),
            Err(e) => Err(e.to_string()),
        };
        all.push(match kept {
            Ok(Some(_)) => Finding::found(name, "measured"),
            Ok(None) => Finding::lacking(
                name,
                "not measured",
                &format!(
                    "Mappings are chosen by the built-in figures of {arch}. terrace calibrate measures \
                     in a few seconds."
                ),
            ),
            Err(e) => Finding::wrong(name, e, "Compiling for a GPU ends with this error."),
        });
    }
    if gpus.is_empty()
        && let Err(e) = store::newest(&folder, None)
    {
        let cost = "Compiling for a GPU ends with this error; --machine=built-in goes without.";
        all.push(Finding::wrong("GPU's figures", e, cost));
    }
    let file = folder.join(cores::FILE);
    let name = "cores' figures";
    all.push(match fs::metadata(&file) {
        Ok(_) => match cores_in(&file) {
            Ok(_) => Finding::found(
                name,
                format!("measured; --cores={} takes them", file.display()),
            ),
            Err(e) => Finding::wrong(
                name,
                e,
                "terrace calibrate --target cpu writes the file anew.",
            ),
        },
        Err(e) if e.kind() == ErrorKind::NotFound => Finding::lacking(
            name,
            "not measured",
            "Loops are ordered for a common core. terrace calibrate --target cpu measures in two \
             seconds, and --cores takes its file.",
        ),
        Err(e) => Finding::wrong(
            name,
            format!("cannot read '{}': {e}", file.display()),
            "Loops are ordered for a common core.",
        ),
    });
}
