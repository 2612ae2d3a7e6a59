//! How values enter and leave functions.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::value::{Idx, MemRefTy, Val, is_memref};
use super::{Layout, Number, ParamKind};
use crate::ptx::{Cmp, FuncKind, Param, Reg, RegTy, Space, Ty};
use std::rc::Rc;
use terrace_dialects::attributes::{LLVM_ALIGN, LLVM_NOALIAS};
use terrace_dialects::function::arg_attr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Type};

/// A function of the module, as its callers and its body see it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub kind: FuncKind,
    pub inputs: Vec<Type>,
    pub results: Vec<Type>,
    /// The registers that the results take, predicates as `b16`.
    pub result_regs: Vec<RegTy>,
    /// The threads of a block, if the kernel knows them.
    pub block: Option<[u32; 3]>,
    /// Of a device function with more than one result register: the argument
    /// that holds a generic address where they go, 8 bytes each.
    pub out: Option<Reg>,
}

/// What the attributes of a parameter promise of its memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Promise {
    /// `llvm.noalias`: what is written during a launch and accessed through
    /// this memref is accessed through no other.
    pub noalias: bool,
    /// `llvm.align`, in bytes; 0 promises nothing.
    pub align: u32,
}

impl Promise {
    /// Of parameter `i` of a function.
    pub fn of(ctx: &Context, func: Op, i: usize) -> Promise {
        let align = arg_attr(ctx, func, i, LLVM_ALIGN).and_then(|a| a.as_i64(ctx));
        Promise {
            noalias: arg_attr(ctx, func, i, LLVM_NOALIAS).is_some(),
            align: (align.and_then(|n| u32::try_from(n).ok()))
                .filter(|n| n.is_power_of_two())
                .unwrap_or(0),
        }
    }
}

/// Predicates cannot be passed; they go as 16 bits.
fn passed(ty: RegTy) -> RegTy {
    if ty == RegTy::Pred { RegTy::B16 } else { ty }
}

/// The registers that a value of a type is passed in.
pub(super) fn passed_regs(ctx: &Context, ty: Type) -> Res<Vec<RegTy>> {
    if is_memref(ctx, ty) {
        let t = MemRefTy::of(ctx, ty)?;
        let open = t.numbers().filter(|n| *n == DYNAMIC).count();
        return Ok(vec![RegTy::B64; 1 + open]);
    }
    let (kind, lanes) = Kind::of_lanes(ctx, ty)?;
    Ok(vec![passed(kind.reg()); lanes.unwrap_or(1)])
}

impl Lower<'_> {
    /// A register in the form in which it is passed.
    pub fn pass_form(&mut self, r: Reg) -> Reg {
        match self.b.func().reg_ty(r) {
            Some(RegTy::Pred) => self.b.selp(Ty::U16, 1, 0, r),
            _ => r,
        }
    }

    fn receive_form(&mut self, to: Reg, r: Reg) -> (Reg, Reg) {
        match self.b.func().reg_ty(to) {
            Some(RegTy::Pred) => (to, self.b.setp(Cmp::Ne, Ty::U16, r, 0)),
            _ => (to, r),
        }
    }

    /// Moves registers as they were passed into those of a value.
    pub fn receive(&mut self, to: &Val, from: &[Reg]) {
        let dests = self.registers(to);
        let pairs: Vec<(Reg, Reg)> = dests
            .into_iter()
            .zip(from)
            .map(|(d, s)| self.receive_form(d, *s))
            .collect();
        self.copy_all(&pairs);
    }

    /// Reads parameter `arg` of a kernel and says what was added to its
    /// parameter list.
    pub fn kernel_param(
        &mut self,
        arg: usize,
        ty: Type,
        promise: Promise,
        kinds: &mut Vec<ParamKind>,
    ) -> Res<Val> {
        if !is_memref(self.ctx, ty) {
            let kind = match Kind::of_lanes(self.ctx, ty)? {
                (kind, None) => kind,
                _ => return Err("found a vector; kernels take scalars and memrefs".to_string()),
            };
            let memory = kind.memory();
            kinds.push(ParamKind::Scalar { arg, ty: memory });
            let name = self.unit.names.take(&format!("arg{arg}"));
            let mut param = Param::scalar(name, memory);
            if ty.is_index(self.ctx) && self.unit.options.index_bitwidth == 32 {
                self.indices.scalars.push(kinds.len() - 1);
                param = param.within(i64::from(i32::MIN), i64::from(i32::MAX));
            }
            let sym = self.b.func().add_param(param);
            let raw = self.b.ld_param(memory, sym);
            return Ok(Val::Scalar(self.loaded(kind, raw)));
        }
        let t = MemRefTy::of(self.ctx, ty)?;
        if !matches!(t.space, None | Some(Space::Global)) {
            return Err(
                "found a memref outside global memory; kernels take global ones".to_string(),
            );
        }
        let name = self.unit.names.take(&format!("arg{arg}"));
        let align = (promise.align.max(t.natural())).max(self.unit.options.pointer_align);
        let sym = self.b.func().add_param(Param {
            noalias: promise.noalias,
            ..Param::global_pointer(name, align)
        });
        kinds.push(ParamKind::Pointer { arg });
        let pointer = self.b.ld_param(Ty::U64, sym);
        let base = self.b.cvta_to(Space::Global, pointer);
        self.pointers.insert(base, sym);
        let rank = t.sizes.len();
        let mut numbers = Vec::new();
        let mut layout: Vec<Number> = t.numbers().map(Number::Known).collect();
        let narrow = self.unit.options.index_bitwidth == 32;
        for (i, n) in t.numbers().enumerate() {
            if n != DYNAMIC {
                continue;
            }
            let (kind, suffix) = match i {
                0 => (ParamKind::Offset { arg }, "offset".to_string()),
                i if i <= rank => (
                    ParamKind::Size { arg, dim: i - 1 },
                    format!("size{}", i - 1),
                ),
                i => (
                    ParamKind::Stride {
                        arg,
                        dim: i - 1 - rank,
                    },
                    format!("stride{}", i - 1 - rank),
                ),
            };
            kinds.push(kind);
            let name = self.unit.names.take(&format!("arg{arg}_{suffix}"));
            if let Some(number) = layout.get_mut(i) {
                *number = Number::Param(kinds.len() - 1);
            }
            let mut param = Param::scalar(name, Ty::U64);
            // Strides may be negative, sizes may not.
            if narrow {
                param = param.within(0, i64::from(i32::MAX));
            } else if matches!(kind, ParamKind::Size { .. }) {
                param = param.within(0, i64::MAX);
            }
            let sym = self.b.func().add_param(param);
            numbers.push(Idx::Reg(self.b.ld_param(Ty::U64, sym)));
        }
        if narrow && layout.len() > 2 * rank {
            let strides = layout.split_off(1 + rank);
            let sizes = layout.split_off(1);
            self.indices.layouts.push(Layout {
                arg,
                offset: layout[0],
                sizes,
                strides,
            });
        }
        let mut numbers = numbers.into_iter();
        let m = t.build(base, Space::Global, || {
            numbers.next().unwrap_or(Idx::Const(0))
        });
        Ok(Val::MemRef(Rc::new(m.in_buffer(u64::from(align)))))
    }

    /// Takes the values of the function's parameters out of a device
    /// function's registers.
    pub fn device_params(&mut self, args: &[Reg], params: &[Type]) -> Res<Vec<Val>> {
        let mut rest = args;
        let mut vals = Vec::with_capacity(params.len());
        for ty in params {
            let n = passed_regs(self.ctx, *ty)?.len();
            let (mine, others) = rest.split_at(n.min(rest.len()));
            rest = others;
            let v = self.fresh(*ty)?;
            self.receive(&v, mine);
            vals.push(v);
        }
        Ok(vals)
    }
}
