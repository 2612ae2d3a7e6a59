//! The optimiser of the machine form: named passes over one function at a
//! time, run in one order.
//!
//! Between [`isolate`] and [`coalesce`] every register is written once, but
//! for the storages of phis (see [`isolate`]) and registers with guarded
//! definitions. A pass may break the form as long as `isolate` comes before
//! the next that needs it: the list below says where.
//!
//! Each pass keeps what a kernel computes to the last bit, returns how many
//! changes it made, and leaves alone what it does not understand.

pub mod alias;
pub mod coalesce;
pub mod contract;
pub mod derive;
pub mod divide;
mod edit;
mod facts;
pub mod flush;
pub mod hold;
pub mod if_convert;
pub mod isolate;
pub mod known;
pub mod licm;
pub mod liveness;
pub mod loads;
pub mod loops;
mod materialize;
pub mod narrow;
mod pipeline;
pub mod pressure;
pub mod promote_local;
pub mod ranges;
pub mod rare;
pub mod readonly;
pub mod rotate;
pub mod schedule;
pub mod split;
pub mod strength;
#[cfg(test)]
mod testing;
pub mod unroll;
pub mod vectorize;

pub use pipeline::passes;

use crate::ids::FuncId;
use crate::module::{Func, Module};

/// How much to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Nothing: the code as it was made, for debugging.
    None,
    /// What only makes code smaller and takes little time.
    Less,
    /// Everything.
    #[default]
    Default,
}

/// What the optimiser may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub level: Level,
}

/// One pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name in dumps.
    pub name: &'static str,
    /// Changes a function of the module, which is out of the module meanwhile;
    /// returns the number of changes.
    pub run: fn(&Module, &mut Func) -> usize,
}

/// What is told after a pass that changed something: its name, the function
/// as it is now (in the module again), and the number of changes.
pub type Dump<'a> = &'a mut dyn FnMut(&'static str, &Module, FuncId, usize);

/// The name of the pass that stands behind others.
const CLEANUP: &str = "cleanup";

/// Optimises every function of a module.
pub fn run(module: &mut Module, options: &Options, dump: Dump<'_>) {
    let ids: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).collect();
    for id in ids {
        // Passes take parameters for constants, which those of calls are not.
        if module.funcs[id].has_call_params() {
            continue;
        }
        // Whether a pass changed something since the last cleanup, which goes on
        // until there is nothing left for it.
        let mut untidy = true;
        for pass in passes(options.level) {
            let cleans = pass.name == CLEANUP;
            if cleans && !untidy {
                continue;
            }
            let kind = module.funcs[id].kind;
            let name = module.funcs[id].name.clone();
            let mut func = std::mem::replace(&mut module.funcs[id], Func::new(name, kind));
            let changes = (pass.run)(module, &mut func);
            module.funcs[id] = func;
            untidy = !cleans && (untidy || changes > 0);
            if changes > 0 {
                dump(pass.name, module, id, changes);
            }
        }
    }
}
