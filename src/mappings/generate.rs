//! A mapping made: from an affine nest to PTX and how to launch it.

use super::kernel::Kernel;
use super::space::{Kind, Tiles};
use crate::dialects::affine::ForOp;
use crate::dialects::gpu::{LaunchFuncOp, ModuleOp};
use crate::ir::diag::Diagnostic;
use crate::ir::{Context, OpKind, Value};
use crate::passes::analysis::bounds::constant_trip_count;
use crate::passes::loops::Refusal;
use crate::passes::loops::normalize::normalize_for;
use crate::passes::loops::parallelize::parallelize;
use crate::passes::loops::permute::permute;
use crate::passes::loops::strip_mine::strip_mine;
use crate::passes::pipeline;
use crate::run::executor::Program;
use crate::run::{RunError, entry};
use crate::targets::gpu_to_ptx::{GpuOptions, ParamKind, compile};

/// A kernel with its loops in the order of a mapping: those mapped are `affine.parallel`,
/// the one along x innermost, and hold the others.
///
/// # Errors
///
/// Loops that cannot be transformed so.
pub fn with_loops(kernel: &Kernel, order: &[usize], tiles: &Tiles) -> Result<Program, String> {
    let mut program = kernel.program()?;
    let (_, band) = kernel.loops(&program)?;
    let ctx = &mut program.ctx;
    let count = kernel.parallel.len();
    let serial = &band[count..];
    let refused = |r: Refusal| format!("{}: {r}", kernel.file);
    // The loops as they come to stand, from the outside in, and what each is.
    let mut stand: Vec<ForOp> = Vec::new();
    let (mut mapped, mut points) = (vec![0; count], Vec::new());
    for (k, (l, size)) in band.iter().zip(&tiles.sizes).enumerate() {
        if *size == 1 {
            mapped[k] = stand.len();
            stand.push(*l);
            continue;
        }
        let trips = constant_trip_count(ctx, *l)
            .ok_or_else(|| format!("{}: a loop has no constant trip count", kernel.file))?;
        let cyclic = tiles.kind == Kind::Cyclic;
        let strip = if cyclic { trips.div_ceil(*size) } else { *size };
        let (strips, within) = strip_mine(ctx, *l, strip).map_err(refused)?;
        if cyclic {
            // Counted from 0 both, so that they can change places.
            normalize_for(ctx, within, false);
            normalize_for(ctx, strips, false);
        }
        let (outer, inner) = (stand.len(), stand.len() + 1);
        stand.extend([strips, within]);
        mapped[k] = if cyclic { inner } else { outer };
        points.push(if cyclic { outer } else { inner });
    }
    let serial_at: Vec<usize> = (stand.len()..stand.len() + serial.len()).collect();
    stand.extend(serial);
    let mut wanted: Vec<usize> = order.iter().map(|k| mapped[*k]).collect();
    if tiles.kind == Kind::Inside {
        wanted.extend(serial_at);
        wanted.extend(points);
    } else {
        wanted.extend(points);
        wanted.extend(serial_at);
    }
    let new = match wanted.is_sorted() {
        true => stand,
        false => permute(ctx, &stand, &wanted).map_err(refused)?,
    };
    for l in new.iter().take(count) {
        parallelize(ctx, *l, &[]);
    }
    Ok(program)
}

/// A kernel in PTX, and how to launch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub ptx: String,
    /// The kernel's name in the text.
    pub entry: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Which parameter of the function each argument is; all are arrays.
    pub args: Vec<usize>,
}

/// Maps kernels whose loops are in order.
pub struct Mapper {
    file: String,
    /// Below the affine dialect.
    text: String,
    head: String,
    options: GpuOptions,
}

impl Mapper {
    /// Of a program as [`with_loops`] gives it.
    ///
    /// # Errors
    ///
    /// What the passes report.
    pub fn new(kernel: &Kernel, mut program: Program, arch: &str) -> Result<Mapper, String> {
        program.run(&pipeline::nest()).map_err(text_of)?;
        Ok(Mapper {
            file: kernel.file.clone(),
            text: program.text(),
            head: format!("func.func @{}(", kernel.name),
            options: GpuOptions {
                arch: arch.to_string(),
                // Arrays are allocated by the runtime.
                pointer_align: 256,
                ..GpuOptions::default()
            },
        })
    }

    /// In blocks of this shape, the function called `name`.
    ///
    /// # Errors
    ///
    /// What the passes and the code generator report.
    pub fn make(&self, block: [u32; 3], name: &str) -> Result<Made, String> {
        let text = self
            .text
            .replace(&self.head, &format!("func.func @{name}("));
        let mut program = Program::new(&self.file, &text).map_err(text_of)?;
        program
            .run(&pipeline::mapped_kernel(block))
            .map_err(text_of)?;
        let (ctx, module) = (&program.ctx, program.module);
        let launches = module.find_all::<LaunchFuncOp>(ctx);
        let modules = module.find_all::<ModuleOp>(ctx);
        let ([launch], [kernels]) = (&launches[..], &modules[..]) else {
            let n = launches.len();
            return Err(format!(
                "{}: {n} launches were made, expected one",
                self.file
            ));
        };
        let binary = compile(ctx, kernels.op(), &self.options).map_err(|errors| {
            let lines: Vec<String> = errors.into_iter().map(|(_, m)| m).collect();
            format!("{}: {}", self.file, lines.join("; "))
        })?;
        let [info] = &binary.kernels[..] else {
            return Err(format!("{}: expected one kernel", self.file));
        };
        let operands = launch.kernel_operands(ctx);
        let functions = entry::public_functions(ctx, module);
        let function = functions.first().ok_or("there is no function left")?;
        let params = function.entry(ctx).args(ctx);
        let argument = |p: &ParamKind| match p {
            ParamKind::Pointer { arg } => {
                let v: &Value = operands.get(*arg)?;
                params.iter().position(|a| a == v)
            }
            _ => None,
        };
        let args: Option<Vec<usize>> = info.params.iter().map(argument).collect();
        let args = args.ok_or_else(|| {
            format!(
                "{}: the kernel wants other arguments than arrays",
                self.file
            )
        })?;
        Ok(Made {
            entry: info.entry.clone(),
            grid: numbers(ctx, launch.grid_size(ctx))?,
            block: numbers(ctx, launch.block_size(ctx))?,
            args,
            ptx: binary.ptx,
        })
    }
}

fn numbers(ctx: &Context, sizes: [Value; 3]) -> Result<[u32; 3], String> {
    let mut out = [0; 3];
    for (n, v) in out.iter_mut().zip(sizes) {
        let found = ctx.constant_int(v).and_then(|n| u32::try_from(n).ok());
        *n = found.ok_or("the size of the grid is not constant")?;
    }
    Ok(out)
}

fn text_of(ds: Vec<Diagnostic>) -> String {
    RunError::Program(ds).to_string()
}
