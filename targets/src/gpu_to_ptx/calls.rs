//! Calls of device functions, and returns.

use super::abi::passed_regs;
use super::lower::{Lower, Res, unsupported};
use crate::ptx::{Address, FuncKind, Reg, RegTy, Space, Ty, Var};
use terrace_ir::Op;

/// Bytes between results that are returned through memory.
const SLOT: i32 = 8;

impl Lower<'_> {
    pub fn func_op(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "call" => self.call(op),
            "return" => self.ret(op),
            _ => Err(unsupported()),
        }
    }

    fn call(&mut self, op: Op) -> Res<()> {
        let callee = op
            .attr(self.ctx, "callee")
            .and_then(|a| a.as_flat_symbol(self.ctx));
        let Some(callee) = callee else {
            return Err("has no callee".to_string());
        };
        let Some((id, sig)) = self.unit.funcs.get(callee).cloned() else {
            return Err(format!(
                "calls '{callee}', which has no body in this gpu.module; device functions must be in it"
            ));
        };
        if sig.kind == FuncKind::Kernel {
            return Err(format!(
                "calls the kernel '{callee}'; kernels are launched from the host"
            ));
        }
        let operands = op.operands(self.ctx);
        if operands.len() != sig.inputs.len() {
            return Err(format!(
                "passes {} values, expected {}",
                operands.len(),
                sig.inputs.len()
            ));
        }
        let mut args = Vec::new();
        for (v, ty) in operands.iter().zip(&sig.inputs) {
            let (form, v) = (self.fresh(*ty)?, self.val(*v)?);
            for r in self.sources_for(&form, &v)? {
                args.push(self.pass_form(r));
            }
        }
        self.calls.insert(id);
        let returned: Vec<Reg> = match &sig.result_regs[..] {
            [] => {
                self.b.call(id, &args, None);
                Vec::new()
            }
            [one] => self.b.call(id, &args, Some(*one)).into_iter().collect(),
            many => {
                let room = Var::array("", Space::Local, Ty::B64, many.len() as u64);
                let room = self.add_var("returned", room);
                let address = self.b.cvta(Space::Local, room);
                args.push(address);
                self.b.call(id, &args, None);
                let tys = many.to_vec();
                tys.iter()
                    .zip(0i32..)
                    .map(|(ty, i)| self.b.ld(Space::Local, ty.ty(), (room, i * SLOT)))
                    .collect()
            }
        };
        let mut rest = &returned[..];
        let mut vals = Vec::new();
        for ty in op.result_types(self.ctx) {
            let n = passed_regs(self.ctx, ty)?.len();
            let (mine, others) = rest.split_at(n.min(rest.len()));
            rest = others;
            let v = self.fresh(ty)?;
            self.receive(&v, mine);
            vals.push(v);
        }
        self.define_all(op, vals)
    }

    /// Leaves the function with the operands as its results.
    pub fn ret(&mut self, op: Op) -> Res<()> {
        let types = self.func.results.clone();
        let mut regs = Vec::new();
        for (v, ty) in op.operands(self.ctx).into_iter().zip(types) {
            let (form, v) = (self.fresh(ty)?, self.val(v)?);
            for r in self.sources_for(&form, &v)? {
                regs.push(self.pass_form(r));
            }
        }
        if let Some(out) = self.func.out {
            for (r, i) in regs.into_iter().zip(0i32..) {
                let ty = self.b.func().reg_ty(r).unwrap_or(RegTy::B64);
                let to: Address = (out, i * SLOT).into();
                self.b.st(Space::Generic, ty.ty(), to, r);
            }
        } else if let (Some(to), [r]) = (self.b.func().result, &regs[..]) {
            self.copy_all(&[(to, *r)]);
        }
        self.b.ret();
        Ok(())
    }
}
