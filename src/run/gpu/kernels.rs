//! The kernels of a program: compiled to PTX, and loaded by a device.

use super::super::RunError;
use super::super::cpu::located;
use super::super::executor::Program;
use super::super::options::RunOptions;
use super::super::session::Kernel;
use super::device::device_error;
use crate::dialects::gpu::ModuleOp;
use crate::ir::OpKind;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::device::Device;
use crate::targets::gpu_to_ptx::{GpuBinary, GpuOptions, ParamKind, check_launches, compile};
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
