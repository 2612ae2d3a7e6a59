//! The kernels of a program: compiled to PTX, and loaded by a device.

use super::super::RunError;
use super::super::cpu::located;
use super::super::executor::Program;
use super::super::options::RunOptions;
use super::super::session::{Entry, Kernel};
use super::device::device_error;
use crate::dialects::gpu::ModuleOp;
use crate::ir::OpKind;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::device::Device;
use crate::targets::gpu_to_ptx::{
    GpuBinary, GpuOptions, ParamKind, WIDEST_ACCESS, check_launches, compile,
};
use crate::targets::native::NativeModule;
use std::sync::Arc;

/// The PTX of every kernel module of a lowered program, by the module's name.
pub fn binaries(
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
        also_aligned: Some(WIDEST_ACCESS),
        ..GpuOptions::default()
    };
    wanted.numerics.tell(&mut options);
    let mut out = Vec::new();
    let launches = check_launches(ctx, program.module, arch);
    let mut errors = launches.err().unwrap_or_default();
    for m in program.module.find_all::<ModuleOp>(ctx) {
        let made = (program.instruments()).time("PTX", || compile(ctx, m.op(), &options));
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

/// Hand the PTX to the driver; kernels in the order of the numbers that host code uses.
pub fn load(
    device: &Arc<dyn Device>,
    native: &NativeModule,
    binaries: &[(String, GpuBinary)],
) -> Result<Vec<Kernel>, RunError> {
    let mut out = Vec::new();
    for (module, name) in &native.kernels {
        let binaries = binaries.iter().filter(|(m, _)| m == module);
        let mut found = binaries.filter_map(|(_, binary)| {
            let info = binary.kernels.iter().find(|k| k.name == *name)?;
            Some((binary, info))
        });
        let Some((binary, info)) = found.next() else {
            let m = format!("there is no kernel @{module}::@{name}");
            return Err(RunError::Program(vec![Diagnostic::error(
                DiagLoc::Unknown,
                m,
            )]));
        };
        let entry = |entry: &str, aligned: &[u32]| -> Result<Entry, RunError> {
            let module = device.load_module(&binary.ptx).map_err(device_error)?;
            Ok(Entry {
                id: device.kernel(module, entry).map_err(device_error)?,
                aligned: alignments(&info.params, aligned),
            })
        };
        let any = info.any.as_ref();
        let size = |p: &ParamKind| match p {
            ParamKind::Scalar { ty, .. } => ty.bytes() as usize,
            _ => 8,
        };
        out.push(Kernel {
            name: name.clone(),
            first: entry(&info.entry, &info.alignments)?,
            fallback: any.map(|k| entry(&k.entry, &k.alignments)).transpose()?,
            params: info.params.iter().map(size).collect(),
            indices: info.indices.clone(),
            cooperative: info.cooperative,
        });
    }
    Ok(out)
}

/// The alignments in bytes that a kernel's addresses must have, and the arguments of the
/// kernel that they are of.
fn alignments(params: &[ParamKind], aligned: &[u32]) -> Vec<Option<(u64, usize)>> {
    (params.iter().zip(aligned))
        .map(|(p, align)| match p {
            ParamKind::Pointer { arg } => Some((u64::from(*align), *arg)),
            _ => None,
        })
        .collect()
}
