//! Storage of `memref.global`.

use super::abi::{Repr, Scalar};
use super::code::Code;
use cranelift_module::{DataDescription, DataId, Linkage};
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
    Own {
        lines: Vec<Line>,
        bytes: usize,
    },
    Given(usize),
    /// In an object file.
    Data(DataId),
}

/// Where a global is.
#[derive(Debug, Clone, Copy)]
pub(super) enum GlobalPlace {
    Address(usize),
    Data(DataId),
}

impl Globals {
    /// Where the global begins.
    pub fn place(&self, name: &str) -> Option<GlobalPlace> {
        self.by_name.get(name).map(|s| match s {
            Storage::Own { lines, .. } => GlobalPlace::Address(lines.as_ptr() as usize),
            Storage::Given(a) => GlobalPlace::Address(*a),
            Storage::Data(id) => GlobalPlace::Data(*id),
        })
    }

    /// Where the global begins and how many bytes it has; of one that is only declared
    /// the size is not known.
    pub fn bytes(&self, name: &str) -> Option<(usize, Option<usize>)> {
        match self.by_name.get(name)? {
            Storage::Own { lines, bytes } => Some((lines.as_ptr() as usize, Some(*bytes))),
            Storage::Given(address) => Some((*address, None)),
            Storage::Data(_) => None,
        }
    }

    /// Whether these bytes are of a global that the module defines.
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        self.by_name.values().any(|s| match s {
            Storage::Own { lines, bytes: all } => address
                .checked_sub(lines.as_ptr() as usize)
                .and_then(|skipped| skipped.checked_add(bytes))
                .is_some_and(|end| end <= *all),
            Storage::Given(_) | Storage::Data(_) => false,
        })
    }

    /// Make the storage of a global; `given` is the address of one only declared.
    pub fn add(
        &mut self,
        ctx: &Context,
        op: Op,
        given: Option<usize>,
        code: &mut Code,
    ) -> Result<(), String> {
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
            if let Code::Object(object) = code {
                use cranelift_module::Module;
                let id = object
                    .declare_data(&name, Linkage::Import, true, false)
                    .map_err(|e| format!("cannot be declared: {e}"))?;
                self.by_name.insert(name, Storage::Data(id));
                return Ok(());
            }
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
        if let Code::Object(_) = code {
            let id = define(code, &lines, bytes, g.is_constant(ctx))?;
            self.by_name.insert(name, Storage::Data(id));
            return Ok(());
        }
        self.by_name.insert(name, Storage::Own { lines, bytes });
        Ok(())
    }
}

/// Put a global into an object file.
fn define(code: &mut Code, lines: &[Line], bytes: usize, constant: bool) -> Result<DataId, String> {
    let failed = |e| format!("cannot be placed in the object file: {e}");
    let id = code
        .declare_anonymous_data(!constant, false)
        .map_err(failed)?;
    let mut data = DataDescription::new();
    data.set_align(64);
    let size = bytes.max(1);
    if lines.iter().all(|l| l.0 == [0; 64]) && !constant {
        data.define_zeroinit(size);
    } else {
        let all: Vec<u8> = lines.iter().flat_map(|l| l.0).take(size).collect();
        data.define(all.into_boxed_slice());
    }
    code.define_data(id, &data).map_err(failed)?;
    Ok(id)
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
