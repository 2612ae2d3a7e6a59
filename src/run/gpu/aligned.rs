//! Kernels for arrays that begin at multiples of 16 bytes, beside those for any arrays.
//!
//! Nothing in a program says where an array begins beyond what its elements need, but nearly
//! all begin where wide accesses are possible. A kernel that gains by them is made twice;
//! each launch looks at its addresses and takes the one that fits.

use crate::dialects::gpu::FuncOp;
use crate::ir::{Context, Loc, Op};
use crate::targets::gpu_to_ptx::{GpuBinary, GpuOptions, compile as compile_gpu};

/// Bytes of the widest access.
const MAX: u32 = 16;

/// What names of kernels for any arrays end in, where there are two.
const SUFFIX: &str = "_unaligned";

/// A module's kernels.
pub struct Forms {
    pub first: GpuBinary,
    /// The same ones for any arrays, where the first ones are not.
    pub fallback: Option<GpuBinary>,
}

impl Forms {
    /// Both.
    pub fn all(&self) -> impl Iterator<Item = &GpuBinary> {
        std::iter::once(&self.first).chain(&self.fallback)
    }
}

/// Compile a `gpu.module`.
///
/// # Errors
///
/// What cannot be compiled, each with its place.
pub fn compile(
    ctx: &Context,
    module: Op,
    options: &GpuOptions,
) -> Result<Forms, Vec<(Loc, String)>> {
    let any = compile_gpu(ctx, module, options)?;
    if !only_kernels(ctx, module) || !has_neighbours(&any.ptx) {
        return Ok(Forms {
            first: any,
            fallback: None,
        });
    }
    let wide = GpuOptions {
        pointer_align: MAX,
        ..options.clone()
    };
    let wide = compile_gpu(ctx, module, &wide)?;
    if without_alignments(&any.ptx) == without_alignments(&wide.ptx) {
        return Ok(Forms {
            first: any,
            fallback: None,
        });
    }
    let named = GpuOptions {
        suffix: SUFFIX,
        ..options.clone()
    };
    Ok(Forms {
        first: wide,
        fallback: Some(compile_gpu(ctx, module, &named)?),
    })
}

/// Whether a module can be there twice: its variables and functions cannot.
fn only_kernels(ctx: &Context, module: Op) -> bool {
    let regions = module.regions(ctx).into_iter();
    let mut ops = regions.flat_map(|r| r.blocks(ctx)).flat_map(|b| b.ops(ctx));
    ops.all(|op| {
        let function = op.cast::<FuncOp>(ctx);
        function.is_some_and(|f| f.is_kernel(ctx))
    })
}

/// Whether some access of global memory is at a distance from another's address: without
/// there is nothing to join.
fn has_neighbours(ptx: &str) -> bool {
    ptx.lines()
        .any(|l| l.contains(".global") && l.contains('+'))
}

/// The text without what it says of parameters' alignments.
fn without_alignments(ptx: &str) -> String {
    let cut = |l: &str| match l.split_once(".align") {
        Some((head, rest)) if head.contains(".param") => {
            head.to_string()
                + rest
                    .trim_start()
                    .split_once(' ')
                    .map_or("", |(_, name)| name)
        }
        _ => l.to_string(),
    };
    ptx.lines().map(cut).collect::<Vec<_>>().join("\n")
}
