//! Kernels of the host: functions of the program's own, by the names that PTX has for them.

use std::collections::HashMap;
use std::sync::Arc;

use terrace_ptx::module::FuncKind;
use terrace_ptx::parse::parse;

use crate::device::{DeviceError, KernelArg, KernelInfo};

/// A launch, as a native kernel sees it.
#[derive(Debug, Clone)]
pub struct NativeLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    args: Vec<KernelArg>,
}

impl NativeLaunch {
    /// A launch with these arguments.
    pub fn new(grid: [u32; 3], block: [u32; 3], args: &[KernelArg]) -> NativeLaunch {
        NativeLaunch {
            grid,
            block,
            args: args.to_vec(),
        }
    }

    /// The bits of an argument, zeros above; 0 where there is none.
    pub fn word(&self, index: usize) -> u64 {
        let mut word = [0; 8];
        if let Some(arg) = self.args.get(index) {
            let bytes = arg.bytes();
            let at = if cfg!(target_endian = "big") {
                8 - bytes.len()
            } else {
                0
            };
            word[at..at + bytes.len()].copy_from_slice(bytes);
        }
        u64::from_ne_bytes(word)
    }

    /// Threads in all dimensions.
    pub fn threads(&self) -> u64 {
        let all = self.grid.iter().chain(&self.block);
        all.map(|d| u64::from(*d)).product()
    }
}

/// Does the work of all threads of a launch. An error is a fault of the device.
///
/// # Safety
/// The arguments are those that the kernel's PTX declares, and memory that they point to
/// may be used as the kernel does until it returns.
pub type NativeKernel = unsafe fn(&NativeLaunch) -> Result<(), String>;

/// A kernel that was found.
#[derive(Clone)]
pub struct FoundKernel {
    pub info: Arc<KernelInfo>,
    pub run: NativeKernel,
}

/// The kernels of a module: PTX says which there are and what they take, and `native`
/// what they do.
///
/// # Errors
/// [`DeviceError::Jit`] for what is not PTX, or has no native code.
pub fn load(
    ptx: &str,
    native: &HashMap<String, NativeKernel>,
    most_threads: u32,
) -> Result<Vec<FoundKernel>, DeviceError> {
    let refused = |text: &str, log: String, lines: Vec<(usize, String)>| DeviceError::Jit {
        name: "the host's cores".to_string(),
        text: text.to_string(),
        log,
        lines,
    };
    let parsed = parse(ptx).map_err(|errors| {
        let log: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let line = |n: u32| Some((n as usize, ptx.lines().nth(n as usize - 1)?.to_string()));
        let lines = errors.iter().filter_map(|e| line(e.line.max(1))).take(8);
        refused("the text is not PTX", log.join("\n"), lines.collect())
    })?;
    let mut found = Vec::new();
    for (_, f) in parsed.module.funcs.iter() {
        if f.kind != FuncKind::Kernel {
            continue;
        }
        let Some(run) = native.get(&f.name) else {
            let mut known: Vec<&str> = native.keys().map(String::as_str).collect();
            known.sort_unstable();
            let text = format!(
                "kernel `{}` has no native code; there is some for `{}`",
                f.name,
                known.join("`, `")
            );
            return Err(refused(&text, String::new(), Vec::new()));
        };
        let bounds = f.bounds.required_threads.or(f.bounds.max_threads);
        let most = bounds.map_or(most_threads, |d| {
            d.iter().product::<u32>().min(most_threads)
        });
        found.push(FoundKernel {
            info: Arc::new(KernelInfo {
                name: f.name.clone(),
                max_threads_per_block: most,
                parameters: Some(f.params.iter().map(|p| p.bytes() as usize).collect()),
                ..KernelInfo::default()
            }),
            run: *run,
        });
    }
    if found.is_empty() {
        return Err(refused("there is no kernel", String::new(), Vec::new()));
    }
    Ok(found)
}
