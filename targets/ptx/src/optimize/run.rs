//! The passes over a module's functions, side by side.

use super::{Dump, Forms, Options, Pass, pipeline};
use crate::ids::FuncId;
use crate::module::{Func, FuncKind, Module};
use rayon::prelude::*;

/// What the name of a kernel for any pointers ends in.
const SUFFIX: &str = "_unaligned";

/// Instructions of a module from which threads are worth their start.
const MIN_PARALLEL: usize = 500;

/// Optimises every function of a module; returns the kernels that there are two of.
///
/// The forms are made where their ways part: up to the pass that joins accesses, they are
/// the same.
pub fn run(module: &mut Module, options: &Options, dump: Option<Dump<'_>>) -> Vec<Forms> {
    // Passes take parameters for constants, which those of calls are not.
    let ids: Vec<FuncId> = (module.funcs.iter())
        .filter(|(_, func)| !func.has_call_params())
        .map(|(id, _)| id)
        .collect();
    let names: Vec<String> = (module.funcs.iter().map(|(_, f)| &f.name))
        .chain(module.vars.iter().map(|v| &v.name))
        .cloned()
        .collect();
    let insts: usize = ids.iter().map(|id| module.funcs[*id].inst_count()).sum();
    let funcs: Vec<Func> = ids.iter().map(|id| taken(module, *id)).collect();
    // The functions as they were, for those that are told of what comes before them.
    let before = dump.is_some().then(|| funcs.clone());
    let whole = &*module;
    let one = |func: Func| {
        let way = Way {
            module: whole,
            func,
            untidy: true,
            told: before.is_some().then(Vec::new),
        };
        way.optimised(options, &names)
    };
    let made: Vec<(Way<'_>, Option<Way<'_>>)> = match ids.len() > 1 && insts >= MIN_PARALLEL {
        true => funcs.into_par_iter().map(one).collect(),
        false => funcs.into_iter().map(one).collect(),
    };
    let made: Vec<_> = (made.into_iter())
        .map(|(first, other)| (first.end(), other.map(Way::end)))
        .collect();
    for (id, func) in ids.iter().zip(before.into_iter().flatten()) {
        module.funcs[*id] = func;
    }
    let mut forms = Vec::new();
    let mut others = Vec::new();
    let mut dump = dump;
    for (id, (first, other)) in ids.into_iter().zip(made) {
        first.into_module(module, id, &mut dump);
        others.extend(other.map(|other| (id, other)));
    }
    for (aligned, other) in others {
        let any = (module.funcs).alloc(Func::new(other.func.name.clone(), other.func.kind));
        other.into_module(module, any, &mut dump);
        forms.push(Forms { aligned, any });
    }
    forms
}

/// A function out of the module, where another with its name stands meanwhile.
fn taken(module: &mut Module, id: FuncId) -> Func {
    let func = &mut module.funcs[id];
    let empty = Func::new(func.name.clone(), func.kind);
    std::mem::replace(func, empty)
}

/// A function on its way through the passes.
struct Way<'a> {
    module: &'a Module,
    func: Func,
    /// Whether a pass changed something since the last cleanup, which goes on
    /// until there is nothing left for it.
    untidy: bool,
    /// Where the changes are to be told, what they were.
    told: Option<Vec<Told>>,
}

/// A change: the pass, the function behind it, and how many changes it counted.
type Told = (&'static str, Func, usize);

impl Way<'_> {
    /// All passes; the kernel for any pointers apart where it is not the same.
    fn optimised(mut self, options: &Options, names: &[String]) -> (Self, Option<Self>) {
        let passes = pipeline::passes(options.level);
        let parting = passes
            .iter()
            .position(|p| p.name == pipeline::VECTORIZE.name);
        let (Some(parting), Some(align)) = (parting, options.aligned) else {
            self.run(passes);
            return (self, None);
        };
        let (shared, rest) = passes.split_at(parting);
        self.run(shared);
        let mut any = self.parted(align, names);
        let joined = self.run(&rest[..1]);
        if let Some(other) = &mut any {
            // Where alignment joins nothing, nothing is joined without it.
            let same = joined == 0 || {
                other.run(&rest[..1]);
                same_code(&self.func, &other.func)
            };
            if same {
                // No pass behind this one asks for alignments.
                self.func.params = std::mem::take(&mut other.func.params);
                any = None;
            }
        }
        self.run(&rest[1..]);
        if let Some(other) = &mut any {
            other.run(&rest[1..]);
        }
        (self, any)
    }

    /// A copy of a kernel, before its own pointers are taken to be aligned; none of what has
    /// no pointers.
    fn parted(&mut self, align: u32, names: &[String]) -> Option<Self> {
        if self.func.kind != FuncKind::Kernel {
            return None;
        }
        let mut other = Way {
            func: self.func.clone(),
            told: self.told.as_ref().map(|_| Vec::new()),
            ..*self
        };
        let mut is_other = false;
        for (_, promised) in self
            .func
            .params
            .iter_mut()
            .filter_map(|p| p.pointee.as_mut())
        {
            is_other |= *promised < align;
            *promised = align.max(*promised);
        }
        other.func.name += SUFFIX;
        while names.contains(&other.func.name) {
            other.func.name.push('_');
        }
        is_other.then_some(other)
    }

    /// Runs passes; returns the number of changes.
    fn run(&mut self, passes: &[Pass]) -> usize {
        let mut total = 0;
        for pass in passes {
            let cleans = pass.name == pipeline::CLEANUP.name;
            if cleans && !self.untidy {
                continue;
            }
            let changes = (pass.run)(self.module, &mut self.func);
            total += changes;
            self.untidy = !cleans && (self.untidy || changes > 0);
            if let Some(told) = self.told.as_mut().filter(|_| changes > 0) {
                told.push((pass.name, self.func.clone(), changes));
            }
        }
        total
    }

    fn end(self) -> Made {
        Made {
            func: self.func,
            told: self.told,
        }
    }
}

/// A function that is done.
struct Made {
    func: Func,
    told: Option<Vec<Told>>,
}

impl Made {
    /// Puts it in its place, and tells how it came about.
    fn into_module(self, module: &mut Module, id: FuncId, dump: &mut Option<Dump<'_>>) {
        for (pass, func, changes) in self.told.into_iter().flatten() {
            module.funcs[id] = func;
            if let Some(dump) = dump {
                dump(pass, module, id, changes);
            }
        }
        module.funcs[id] = self.func;
    }
}

/// Whether two copies of one function have the same code still.
fn same_code(a: &Func, b: &Func) -> bool {
    let code = |f: &'_ Func| {
        let blocks = f.layout.iter().filter_map(|b| f.blocks.get(*b));
        blocks
            .map(|b| {
                b.insts
                    .iter()
                    .filter_map(|i| f.insts.get(*i))
                    .cloned()
                    .collect()
            })
            .collect::<Vec<Vec<_>>>()
    };
    a.layout == b.layout && code(a) == code(b)
}

#[cfg(test)]
mod tests;
