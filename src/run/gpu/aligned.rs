//! Kernels for arrays that begin at multiples of 16 bytes, beside those for any arrays.
//!
//! Nothing in a program says where an array begins beyond what its elements need, but nearly
//! all begin where wide accesses are possible. A kernel that gains by them is made twice;
//! each launch looks at its addresses and takes the one that fits.

use crate::dialects::gpu::FuncOp;
use crate::ir::{Context, Loc, Op};
use crate::targets::gpu_to_ptx::{GpuBinary, GpuOptions, KernelInfo, compile as compile_gpu};

/// Bytes of the widest access.
const MAX: u32 = 16;

/// What names of kernels for any arrays end in, where there are two.
const SUFFIX: &str = "_unaligned";

/// A module's kernels.
pub struct Forms {
    pub first: GpuBinary,
    /// Those of them for any arrays which the first ones are not for.
    pub fallback: Option<GpuBinary>,
}

impl Forms {
    /// Both.
    pub fn all(&self) -> impl Iterator<Item = &GpuBinary> {
        std::iter::once(&self.first).chain(&self.fallback)
    }

    /// The form for any arrays of one of the first kernels, where that is not for any.
    pub fn fallback_of(&self, first: &KernelInfo) -> Option<&KernelInfo> {
        let all = self.fallback.as_ref()?;
        all.kernels.iter().find(|k| k.name == first.name)
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
    // What stands between kernels would be there twice.
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
    Ok(of_both(any, wide))
}

/// Of each kernel the form for aligned arrays where it is another one, with the form for any
/// arrays behind it.
fn of_both(any: GpuBinary, wide: GpuBinary) -> Forms {
    let (texts, wide_texts) = (Text::of(&any), Text::of(&wide));
    let differs: Vec<bool> = (texts.kernels.iter().zip(&wide_texts.kernels))
        .map(|(a, b)| without_alignments(a) != without_alignments(b))
        .collect();
    if any.kernels.len() != wide.kernels.len() || !differs.contains(&true) {
        return Forms {
            first: any,
            fallback: None,
        };
    }
    let mut first = Text {
        before: texts.before.clone(),
        kernels: Vec::new(),
    };
    let mut fallback = first.clone();
    let (mut kernels, mut others) = (Vec::new(), Vec::new());
    for (i, differs) in differs.into_iter().enumerate() {
        if !differs {
            first.kernels.push(texts.kernels[i].clone());
            kernels.push(any.kernels[i].clone());
            continue;
        }
        first.kernels.push(wide_texts.kernels[i].clone());
        kernels.push(wide.kernels[i].clone());
        let mut other = any.kernels[i].clone();
        let mut name = format!("{}{SUFFIX}", other.entry);
        while any.kernels.iter().any(|k| k.entry == name) {
            name.push('_');
        }
        let entry = |name: &str| format!(".entry {name}(");
        let text = texts.kernels[i].replacen(&entry(&other.entry), &entry(&name), 1);
        fallback.kernels.push(text);
        other.entry = name;
        others.push(other);
    }
    Forms {
        first: GpuBinary {
            ptx: first.joined(),
            kernels,
            dumps: wide.dumps,
        },
        fallback: Some(GpuBinary {
            ptx: fallback.joined(),
            kernels: others,
            dumps: any.dumps,
        }),
    }
}

/// A module's text in parts.
#[derive(Clone)]
struct Text {
    /// What stands before the kernels.
    before: String,
    /// Each as it is in the text, in the order of the module.
    kernels: Vec<String>,
}

impl Text {
    fn of(binary: &GpuBinary) -> Text {
        let mut starts: Vec<usize> = (binary.kernels.iter())
            .filter_map(|k| {
                let at = binary.ptx.find(&format!(".entry {}(", k.entry))?;
                Some(binary.ptx[..at].rfind('\n').map_or(0, |n| n + 1))
            })
            .collect();
        starts.push(binary.ptx.len());
        let part = |w: &[usize]| binary.ptx.get(w[0]..w[1]).unwrap_or_default().to_string();
        Text {
            before: binary.ptx[..starts[0]].to_string(),
            kernels: starts.windows(2).map(part).collect(),
        }
    }

    fn joined(&self) -> String {
        format!("{}{}", self.before, self.kernels.concat())
    }
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
