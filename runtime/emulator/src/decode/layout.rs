//! What a kernel needs: the functions it calls, its memory, its parameters.

use super::code::NO_ROW;
use super::lower::{Function, Lower};
use super::module::Parameter;
use terrace_ptx::module::Func;
use terrace_ptx::{FuncId, Operand, Space};

impl Lower<'_> {
    /// The functions that are called from one, it first.
    pub(super) fn collect(&mut self, id: FuncId, path: &mut Vec<FuncId>) {
        let func = &self.parsed.module.funcs[id];
        if path.contains(&id) {
            let message = format!("`{}` calls itself; recursion is not supported", func.name);
            self.errors.push((self.first_line(id), 0, message));
            return;
        }
        if func.layout.is_empty() {
            let message = format!("`{}` is called and has no body here", func.name);
            self.errors.push((self.first_line(id), 0, message));
            return;
        }
        path.push(id);
        if self.functions.iter().all(|f| f.id != id) {
            let first = self.functions.last().map_or(0, |f| f.first + f.rows);
            let rows = func.regs.len() as u32 + 1;
            self.functions.push(Function {
                id,
                first,
                rows,
                return_to: if path.len() == 1 {
                    NO_ROW
                } else {
                    first + rows - 1
                },
            });
        }
        for inst in func.insts_in_layout() {
            for operand in &inst.operands {
                if let Operand::Func(callee) = operand {
                    self.collect(*callee, path);
                }
            }
        }
        path.pop();
    }

    fn first_line(&self, id: FuncId) -> u32 {
        let lines = self.parsed.lines.get(id.index());
        lines
            .and_then(|l| l.iter().copied().find(|l| *l > 0))
            .unwrap_or(1)
    }

    /// Places shared and local variables: sized ones in order, then the shared
    /// array whose size the launch gives.
    pub(super) fn layout_memory(&mut self) {
        let module = &self.parsed.module;
        let used: Vec<FuncId> = self.functions.iter().map(|f| f.id).collect();
        let of_module = module.vars.iter().enumerate().map(|(i, v)| (None, i, v));
        let of_functions = used.iter().flat_map(|id| {
            let vars = module.funcs[*id].vars.iter().enumerate();
            vars.map(|(i, v)| (Some(*id), i, v))
        });
        let all: Vec<_> = of_module.chain(of_functions).collect();
        let (mut shared, mut local) = (0u64, 0u64);
        for sized in [true, false] {
            for (func, i, var) in &all {
                if var.len.is_some() != sized {
                    continue;
                }
                let end = match var.space {
                    Space::Shared => &mut shared,
                    Space::Local => &mut local,
                    _ => continue,
                };
                *end = end.next_multiple_of(u64::from(var.alignment()));
                match (var.space, func) {
                    (Space::Local, Some(func)) => {
                        self.locals.insert((*func, *i as u32), *end);
                    }
                    _ => {
                        self.shared.insert((*func, *i as u32), *end);
                    }
                }
                *end = end.saturating_add(var.bytes());
            }
        }
        for (name, bytes) in [("shared", shared), ("local", local)] {
            if bytes > 1 << 24 {
                let message = format!("{bytes} bytes of {name} memory; no GPU has so many");
                self.errors.push((1, 0, message));
            }
        }
        self.static_shared = u32::try_from(shared).unwrap_or(u32::MAX);
        // Each thread's part begins aligned.
        self.local = u32::try_from(local.next_multiple_of(16)).unwrap_or(u32::MAX);
    }

    pub(super) fn layout_params(&mut self, func: &Func) {
        let mut at = 0u64;
        for param in &func.params {
            at = at.next_multiple_of(u64::from(param.alignment().max(1)));
            self.params.push(Parameter {
                name: param.name.clone(),
                offset: u32::try_from(at).unwrap_or(u32::MAX),
                bytes: u32::try_from(param.bytes()).unwrap_or(u32::MAX),
            });
            at += param.bytes();
        }
    }
}
