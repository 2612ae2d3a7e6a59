//! The kernels of an image on one device.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use terrace_ptx::launch::{Indices, Subject};

use crate::device::{KernelId, LaunchConfig};
use crate::program::abi::{self, text};
use crate::program::fault::Origin;
use crate::program::{Runtime, lock};

/// The kernels of an image on one device.
#[derive(Debug)]
pub struct Loaded {
    pub(super) kernels: Vec<LoadedKernel>,
}

#[derive(Debug)]
pub(super) struct LoadedKernel {
    id: KernelId,
    pub(super) name: String,
    pub(super) params: Vec<Parameter>,
    /// Runs in its place where addresses are not aligned as it takes them to be.
    fallback: Option<(KernelId, String)>,
    /// What launches must keep to where indices have 32 bits.
    indices: Option<Indices>,
    /// Its blocks wait for each other.
    pub(super) cooperative: bool,
    /// Where it was launched first; mostly there is one place.
    pub(super) origin: OnceLock<Arc<Origin>>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    /// What the program calls it.
    name: Option<String>,
    pub(super) bytes: usize,
    align: u64,
    fallback_align: u64,
}

impl LoadedKernel {
    /// What launches with these words can run: the kernel, or its fallback.
    pub(super) fn fitting(&self, words: &[u64]) -> Result<(KernelId, &str), String> {
        let all = || words.iter().zip(&self.params);
        if all().all(|(w, p)| w.is_multiple_of(p.align)) {
            return Ok((self.id, &self.name));
        }
        let least = |p: &Parameter| match self.fallback {
            Some(_) => p.fallback_align,
            None => p.align,
        };
        let odd = all().find(|(w, p)| !w.is_multiple_of(least(p)));
        match (odd, &self.fallback) {
            (None, Some((id, name))) => Ok((*id, name)),
            (odd, _) => Err(odd.map_or_else(String::new, |(w, p)| {
                let align = least(p);
                format!(
                    "{} is at address {w:#x} of the device, {} bytes past a multiple of {align}; \
                     kernel {} takes it to be aligned to {align} bytes",
                    p.name.as_deref().unwrap_or("an array"),
                    w % align,
                    self.name
                )
            })),
        }
    }

    /// Whether indices of a launch with these words fit.
    pub(super) fn check_indices(&self, words: &[u64], config: &LaunchConfig) -> Result<(), String> {
        let Some(indices) = &self.indices else {
            return Ok(());
        };
        let name = |s: Subject| {
            let (Subject::Scalar(at) | Subject::Array(at)) = s;
            let named = self.params.get(at).and_then(|p| p.name.clone());
            named.unwrap_or_else(|| match s {
                Subject::Scalar(at) => format!("parameter {at} of kernel {}", self.name),
                Subject::Array(_) => "an array".to_string(),
            })
        };
        indices.check(words, config.grid, config.block, &name)
    }
}

impl Runtime {
    /// Loads an image once.
    ///
    /// # Safety
    /// Null, or as in `terrace.h`, and there until the process ends.
    pub(super) unsafe fn load(&self, image: *const abi::Image) -> Result<Arc<Loaded>, String> {
        let key = image as usize;
        // Held while compiling: another thread that wants the same image waits for it.
        let mut images = lock(&self.images);
        if let Some(loaded) = images.get(&key) {
            return Ok(Arc::clone(loaded));
        }
        // SAFETY: by the contract.
        let loaded = match unsafe { image.as_ref() } {
            // SAFETY: by the contract.
            Some(image) => unsafe { self.load_new(image)? },
            None => Loaded {
                kernels: Vec::new(),
            },
        };
        let loaded = Arc::new(loaded);
        images.insert(key, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// # Safety
    /// As in `terrace.h`.
    unsafe fn load_new(&self, image: &abi::Image) -> Result<Loaded, String> {
        // SAFETY: by the contract.
        let ptx = unsafe { slice(image.ptx.cast::<u8>(), image.ptx_bytes) };
        let ptx = ptx.strip_suffix(&[0]).unwrap_or(ptx);
        let ptx = std::str::from_utf8(ptx).map_err(|e| format!("the device code: {e}"))?;
        let _span = self.report.host("load kernels", "");
        let module = self.device.load_module(ptx).map_err(|e| e.to_string())?;
        // SAFETY: by the contract.
        let kernels = unsafe { slice(image.kernels, u64::from(image.num_kernels)) };
        let mut loaded = Vec::new();
        for k in kernels {
            // SAFETY: by the contract.
            let (name, fallback, params, words) = unsafe {
                (
                    text(k.name).unwrap_or_default().into_owned(),
                    text(k.fallback),
                    slice(k.params, u64::from(k.num_params)),
                    slice(k.indices, k.num_indices),
                )
            };
            let parameter = |p: &abi::Param| Parameter {
                // SAFETY: by the contract.
                name: unsafe { text(p.name) }.map(Cow::into_owned),
                bytes: p.bytes as usize,
                align: u64::from(p.align.max(1)),
                fallback_align: u64::from(p.fallback_align.max(1)),
            };
            let indices = match words.is_empty() {
                true => None,
                false => Some(
                    Indices::from_words(words)
                        .ok_or("found a description of indices that terrace did not write")?,
                ),
            };
            let kernel = |n: &str| self.device.kernel(module, n).map_err(|e| e.to_string());
            loaded.push(LoadedKernel {
                id: kernel(&name)?,
                fallback: fallback
                    .map(|f| Ok::<_, String>((kernel(&f)?, f.into_owned())))
                    .transpose()?,
                params: params.iter().map(parameter).collect(),
                indices,
                cooperative: k.flags & abi::COOPERATIVE != 0,
                name,
                origin: OnceLock::new(),
            });
        }
        Ok(Loaded { kernels: loaded })
    }
}

/// # Safety
/// Null, or an array of this length that lives for `'a`.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, length: u64) -> &'a [T] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(pointer, length as usize) }
}
