//! The optimiser of the machine form: named passes over one function at a
//! time, run in one order.
//!
//! Between [`isolate`] and [`coalesce`] every register is written once, but
//! for the storages of phis (see [`isolate`]) and registers with guarded
//! definitions. A pass may break the form as long as `isolate` comes before
//! the next that needs it: the list below says where.
//!
//! Each pass keeps what a kernel computes to the last bit, returns how many
//! changes it made, and leaves alone what it does not understand. It looks at no
//! other function, so that functions are optimised side by side.

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
mod run;
pub mod schedule;
pub mod split;
pub mod strength;
#[cfg(test)]
mod testing;
pub mod unroll;
pub mod vectorize;

pub use pipeline::passes;
pub use run::run;

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
    /// Bytes, a power of two. A kernel in which more accesses become one where every
    /// pointer to global memory is a multiple of it is made twice: see [`Forms`].
    pub aligned: Option<u32>,
}

/// One pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name in dumps.
    pub name: &'static str,
    /// Changes a function of the module, whose functions are out of it meanwhile;
    /// returns the number of changes.
    pub run: fn(&Module, &mut Func) -> usize,
}

/// What is told after a pass that changed something: its name, the function
/// as it is now (in the module again), and the number of changes.
pub type Dump<'a> = &'a mut dyn FnMut(&'static str, &Module, FuncId, usize);

/// The two forms of a kernel, by [`Options::aligned`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// For aligned pointers, with the kernel's name; its parameters say so.
    pub aligned: FuncId,
    /// For any pointers, under a name of its own.
    pub any: FuncId,
}
