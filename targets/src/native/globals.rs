//! Storage of `memref.global`.

use super::abi::{Repr, Scalar};
use rustc_hash::FxHashMap;
use terrace_dialects::memref::GlobalOp;
use terrace_ir::{AttrData, Context, DenseData, Op, OpKind};

/// Memory in pieces that are aligned as allocations are.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The globals of a module, in memory of their own for as long as this lives.
#[derive(Debug, Default)]
pub(super) struct Globals {
    by_name: FxHashMap<String, Storage>,
}

#[derive(Debug)]
enum Storage {
    Own { lines: Vec<Line>, bytes: usize },
    Given(usize),
}

impl Globals {
    /// Where the global begins.
    pub fn address(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|s| match s {
            Storage::Own { lines, .. } => lines.as_ptr() as usize,
            Storage::Given(a) => *a,
        })
    }

    /// Where the global begins and how many bytes it has; of one that is only declared
    /// the size is not known.
    pub fn bytes(&self, name: &str) -> Option<(usize, Option<usize>)> {
        let address = self.address(name)?;
        match self.by_name.get(name)? {
            Storage::Own { bytes, .. } => Some((address, Some(*bytes))),
            Storage::Given(_) => Some((address, None)),
        }
    }

    /// Make the storage of a global; `given` is the address of one only declared.
    pub fn add(&mut self, ctx: &Context, op: Op, given: Option<usize>) -> Result<(), String> {
        let g = GlobalOp::wrap(op);
        let name = g.name(ctx).to_string();
        let ty = g.ty(ctx).ok_or("needs a memref type")?;
        let Repr::Mem(m) = Repr::of(ctx, ty)? else {
            return Err("needs a ranked memref type".into());
        };
        if !m.contiguous {
            return Err("has a layout other than row-major".into());
        }
        if g.is_external(ctx) {
            let address = given.ok_or_else(|| {
                format!("is only declared; give the address of '{name}' as an import")
            })?;
            self.by_name.insert(name, Storage::Given(address));
            return Ok(());
        }
        let size = m.elem.bytes() as usize;
        let bytes = ty
            .num_elements(ctx)
            .and_then(|n| usize::try_from(n).ok())
            .and_then(|n| n.checked_mul(size))
            .filter(|b| *b <= isize::MAX as usize / 2)
            .ok_or("is too large")?;
        let mut lines: Vec<Line> = Vec::new();
        let count = bytes.div_ceil(64).max(1);
        lines
            .try_reserve_exact(count)
            .map_err(|_| format!("needs {bytes} bytes of memory, which there are not"))?;
        lines.resize(count, Line([0; 64]));
        if let Some(a) = g.initial_elements(ctx) {
            fill(ctx, a.data(ctx), m.elem, bytes, &mut lines)?;
        }
        self.by_name.insert(name, Storage::Own { lines, bytes });
        Ok(())
    }
}

/// Write the elements of an attribute, each padded from whole bytes to its size.
fn fill(
    ctx: &Context,
    data: &AttrData,
    elem: Scalar,
    bytes: usize,
    lines: &mut [Line],
) -> Result<(), String> {
    let AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes: raw },
    } = data
    else {
        return Err("has an initial value that is not dense".into());
    };
    let of = ty.element_or_self(ctx);
    let each = of.bit_width(ctx).unwrap_or(64).div_ceil(8) as usize;
    let size = elem.bytes() as usize;
    let count = bytes / size;
    let have = if *splat { 1 } else { count };
    if each > size || raw.len() != have * each {
        return Err(format!(
            "has {} bytes of initial value where {} are needed",
            raw.len(),
            have * each
        ));
    }
    for i in 0..count {
        let from = if *splat { 0 } else { i * each };
        for (k, b) in raw[from..from + each].iter().enumerate() {
            let at = i * size + k;
            lines[at / 64].0[at % 64] = *b;
        }
    }
    Ok(())
}
