//! What a kernel needs: the functions it calls, its memory, its parameters.

use super::code::{Act, NO_ROW};
use super::lower::{Function, Lower, Scope};
use super::module::Parameter;
use smallvec::SmallVec;
use terrace_ptx::module::Func;
use terrace_ptx::{FuncId, FuncKind, Operand, Space, Sym};

impl Lower<'_> {
    /// The functions that are called from one, it first.
    /// `line` is that of the call.
    pub(super) fn collect(&mut self, id: FuncId, line: u32, path: &mut Vec<FuncId>) {
        let func = &self.parsed.module.funcs[id];
        if path.contains(&id) {
            let message = format!("`{}` calls itself; recursion is not supported", func.name);
            self.errors.push((line, 0, message));
            return;
        }
        if func.layout.is_empty() {
            let message = format!("`{}` is called and has no body here", func.name);
            self.errors.push((line, 0, message));
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
        let lines = &self.parsed.lines[id.index()];
        let blocks = func.layout.iter().map(|b| &func.blocks[*b]);
        for at in blocks.flat_map(|b| b.insts.iter().copied()) {
            for operand in &func.insts[at].operands {
                if let Operand::Func(callee) = operand {
                    let line = lines.get(at.index()).copied().unwrap_or(1);
                    self.collect(*callee, line, path);
                }
            }
        }
        path.pop();
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
                    Space::Local | Space::Param => &mut local,
                    _ => continue,
                };
                *end = end.next_multiple_of(u64::from(var.alignment()));
                match (var.space, func) {
                    (Space::Local | Space::Param, Some(func)) => {
                        self.locals.insert((*func, *i as u32), *end);
                    }
                    _ => {
                        self.shared.insert((*func, *i as u32), *end);
                    }
                }
                *end = end.saturating_add(var.bytes());
            }
        }
        for id in &used {
            let func = &module.funcs[*id];
            let params = func.params.iter().filter(|_| func.kind == FuncKind::Device);
            for (i, param) in (0u32..).zip(params) {
                local = local.next_multiple_of(u64::from(param.alignment().max(1)));
                self.formals.insert((*id, i), local);
                local = local.saturating_add(param.bytes());
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

    /// The copies of a call's arguments in `.param` space to the callee's
    /// parameters, and of its results back.
    pub(super) fn handed(&mut self, scope: &Scope<'_>) -> (Option<Act>, Option<Act>) {
        let [results, Operand::Func(callee), arguments] = scope.inst.operands.as_slice() else {
            return (None, None);
        };
        let func = &self.parsed.module.funcs[*callee];
        // Offset and bytes of each.
        let params = (0u32..).zip(&func.params);
        let params: Vec<_> = params
            .map(|(i, p)| (self.formals.get(&(*callee, i)).copied(), p.bytes()))
            .collect();
        let returned: Vec<_> = (func.result_vars.iter())
            .map(|i| {
                let var = func.vars.get(*i as usize);
                let at = self.locals.get(&(*callee, *i)).copied();
                (at, var.map_or(0, |v| v.bytes()))
            })
            .collect();
        let before = self.copies(scope, arguments, &params, true);
        let after = self.copies(scope, results, &returned, false);
        (before, after)
    }

    /// The copies between a call's list and what the callee has for it.
    fn copies(
        &mut self,
        scope: &Scope<'_>,
        list: &Operand,
        places: &[(Option<u64>, u64)],
        to_callee: bool,
    ) -> Option<Act> {
        let Operand::Syms(list) = list else {
            return None;
        };
        if list.len() != places.len() {
            return self.error(format!(
                "{} variables in a list of a call that takes {}",
                list.len(),
                places.len()
            ));
        }
        let mut parts = SmallVec::new();
        for (sym, (place, bytes)) in list.iter().zip(places) {
            let own = match sym {
                Sym::Local(i) => self.locals.get(&(scope.id, *i)).copied(),
                // A function may hand on what it was given.
                Sym::Param(i) => self.formals.get(&(scope.id, *i)).copied(),
                Sym::Global(_) => None,
            };
            let var = terrace_ptx::module::var_of(&self.parsed.module, scope.func, *sym);
            let have = match sym {
                Sym::Param(i) => scope.func.params.get(*i as usize).map(|p| p.bytes()),
                _ => var.filter(|v| v.space == Space::Param).map(|v| v.bytes()),
            };
            let (Some(own), Some(place), Some(have)) = (own, *place, have) else {
                return self.error("a variable in a call's list that is not in `.param` space");
            };
            if have != *bytes {
                return self.error(format!(
                    "a variable of {have} bytes in a call's list, where {bytes} are wanted"
                ));
            }
            let (from, to) = if to_callee {
                (own, place)
            } else {
                (place, own)
            };
            // Local memory is at most 16 MiB.
            parts.push((from as u32, to as u32, *bytes as u32));
        }
        Some(Act::CopyLocal { parts })
    }
}
