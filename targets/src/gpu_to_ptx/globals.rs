//! `memref.global`, `memref.get_global`, `memref.alloca`, and the dynamic
//! shared memory.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::unit::Unit;
use super::value::{Idx, MemRef, MemRefTy, Val};
use crate::machine;
use crate::ptx::{Init, Space, Special, Sym, Ty, Var};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use terrace_dialects::memref;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op};

/// Most elements of an initial value; beyond it the text would be longer than
/// any program that fills the memory.
const MAX_INITIAL: u64 = 1 << 20;

/// The variable of a `memref.global`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub sym: Sym,
    pub space: Space,
    /// Nothing writes to it.
    pub constant: bool,
}

impl Unit {
    /// Makes a variable of a `memref.global`, in constant memory if it is among
    /// `constant`.
    pub fn declare_global(
        &mut self,
        ctx: &Context,
        op: Op,
        constant: &FxHashSet<String>,
    ) -> Res<()> {
        let Some(g) = op.cast::<memref::GlobalOp>(ctx) else {
            return Err("is not one".to_string());
        };
        let Some(ty) = g.ty(ctx) else {
            return Err("has no type".to_string());
        };
        let t = MemRefTy::of(ctx, ty)?;
        let space = match t.space {
            None | Some(Space::Global) if constant.contains(g.name(ctx)) => Space::Const,
            space => space.unwrap_or(Space::Global),
        };
        if !matches!(space, Space::Global | Space::Shared | Space::Const) {
            return Err(
                "is in private memory; global, workgroup and constant memory can hold globals"
                    .to_string(),
            );
        }
        if g.is_external(ctx) {
            return Err(
                "has no value here; declarations of variables elsewhere are not supported"
                    .to_string(),
            );
        }
        let bytes = t.static_bytes().ok_or("has dynamic sizes")?;
        if space == Space::Const {
            self.constant_fits(bytes)?;
        }
        let memory = t.elem.memory();
        let len = bytes.div_ceil(u64::from(memory.bytes())).max(1);
        let name = g.name(ctx).to_string();
        let own = self.own_name(&name);
        let mut var = Var::array(self.names.take(&own), space, memory, len).aligned(16);
        if let Some(a) = g.initial_elements(ctx) {
            if space == Space::Shared {
                return Err("is in workgroup memory, which has no initial values".to_string());
            }
            var.init = initial(ctx, a, t.elem, len)?;
        }
        let sym = self.module.add_var(var);
        let constant = g.is_constant(ctx);
        let global = Global {
            sym,
            space,
            constant,
        };
        self.globals.insert(name, global);
        Ok(())
    }
}

impl Unit {
    /// Whether so many more bytes of constant memory are there.
    fn constant_fits(&self, bytes: u64) -> Res<()> {
        let Some(machine) = machine::by_arch(self.module.arch) else {
            return Ok(());
        };
        let before = (self.module.vars.iter())
            .filter(|v| v.space == Space::Const)
            .fold(0u64, |sum, v| sum.saturating_add(v.bytes()));
        let most = u64::from(machine.constant_bytes);
        let all = before.saturating_add(bytes);
        if all <= most {
            return Ok(());
        }
        let arch = self.module.arch;
        Err(match before {
            0 => format!(
                "takes {bytes} bytes of constant memory; the kernels of a module have {most} on {arch}"
            ),
            _ => format!(
                "takes {bytes} bytes of constant memory, {all} with the variables before it; the kernels of a module have {most} on {arch}"
            ),
        })
    }
}

/// The initial values of a variable of `len` elements.
fn initial(ctx: &Context, a: Attr, kind: Kind, len: u64) -> Res<Init> {
    let AttrData::Dense {
        data: DenseData::Raw { splat, bytes },
        ..
    } = a.data(ctx)
    else {
        return Err(
            "has an initial value that is not dense; dense elements are supported".to_string(),
        );
    };
    let size = raw_bytes(kind);
    let one = |c: &[u8]| {
        let mut v = [0; 8];
        for (to, from) in v.iter_mut().zip(c) {
            *to = *from;
        }
        u64::from_le_bytes(v) & kind.int().map_or(u64::MAX, |t| t.mask())
    };
    let mut values: Vec<u64> = bytes.chunks(size).map(one).collect();
    if values.iter().all(|v| *v == 0) {
        // Global and constant memory start as zeros.
        return Ok(Init::None);
    }
    if *splat {
        if len > MAX_INITIAL {
            return Err(format!(
                "repeats a value {len} times; at most {MAX_INITIAL} initial values are supported"
            ));
        }
        values = vec![values[0]; len as usize];
    }
    Ok(match kind {
        Kind::F32 => Init::F32(values.iter().map(|v| *v as u32).collect()),
        Kind::F64 => Init::F64(values),
        _ => Init::Ints(values.iter().map(|v| *v as i64).collect()),
    })
}

/// Bytes of an element in a dense attribute.
pub(super) fn raw_bytes(kind: Kind) -> usize {
    match kind {
        Kind::Bool => 1,
        Kind::Int(t) => t.w.div_ceil(8) as usize,
        other => other.bytes() as usize,
    }
}

impl Lower<'_> {
    pub fn get_global(&mut self, op: Op) -> Res<()> {
        let name = op
            .attr(self.ctx, "name")
            .and_then(|a| a.as_flat_symbol(self.ctx))
            .unwrap_or("");
        let Some(Global {
            sym,
            space,
            constant,
        }) = self.unit.globals.get(name).copied()
        else {
            return Err(format!(
                "names '{name}', which is no memref.global of this gpu.module"
            ));
        };
        let t = MemRefTy::of(self.ctx, op.result(self.ctx, 0).ty(self.ctx))?;
        let base = self.b.mov(Ty::U64, sym);
        let mut m = t.build(base, space, || Idx::Const(0)).in_buffer(16);
        m.constant = constant;
        self.define(op, Val::MemRef(Rc::new(m)))
    }

    pub fn alloca(&mut self, op: Op) -> Res<()> {
        let ty = op.result(self.ctx, 0).ty(self.ctx);
        match MemRefTy::of(self.ctx, ty)?.space {
            None | Some(Space::Local) => {}
            Some(_) => return Err("allocates outside private memory; workgroup memory is an attribution of the gpu.func".to_string()),
        }
        let v = self.buffer(ty, Space::Local, "alloca")?;
        self.define(op, v)
    }

    pub fn dynamic_shared(&mut self, op: Op) -> Res<()> {
        let sym = match self.unit.dynamic_shared {
            Some(sym) => sym,
            None => {
                let name = self.unit.names.take("dynamic_shared");
                let sym = self.unit.module.add_var(Var::dynamic_shared(name, 16));
                self.unit.dynamic_shared = Some(sym);
                sym
            }
        };
        let base = self.b.mov(Ty::U64, sym);
        let size = self.b.special(Special::DynamicSmemSize);
        let size = self.b.cvt(Ty::U64, Ty::U32, size);
        let t = MemRefTy::of(self.ctx, op.result(self.ctx, 0).ty(self.ctx))?;
        let m: MemRef = t
            .build(base, Space::Shared, || Idx::Reg(size))
            .in_buffer(16);
        self.define(op, Val::MemRef(Rc::new(m)))
    }
}
