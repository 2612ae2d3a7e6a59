//! What a mapped nest costs on a GPU.
//!
//! A nest is loops, accesses and operations as numbers ([`Nest`], read from affine loops by
//! [`read()`]); a mapping says which loops run along x, y and z, in blocks of what shape
//! ([`Mapping`]). `requests` counts what the warps ask of memory from the addresses of
//! their lanes (`lanes` for one request, `walk` where bounds depend on counters), [`footprint`] what caches have to bring for it, and [`predict`] makes times
//! of both on a [`terrace_machine::Machine`]: one for each part of the machine, of which the
//! greatest binds. [`table`] is the model of classes that was before, to compare with.
//! Kernels that are no nests as they stand have models of their own, with the same terms:
//! [`ahead`] of loops whose tiles are copied ahead, [`product`] of matrix products.
//! `docs/cost-model.md` explains the terms.

pub(crate) mod ahead;
pub mod choice;
pub(crate) mod cost;
pub(crate) mod footprint;
pub(crate) mod joined;
mod lanes;
mod latency;
mod moves;
pub(crate) mod nest;
pub mod pass;
pub(crate) mod print;
pub(crate) mod product;
pub(crate) mod read;
pub(crate) mod registers;
mod requests;
pub mod table;
mod terms;
mod traffic;
mod walk;

pub use choice::Model;
pub use cost::{Cost, QUEUED_LAUNCH_US, Term, TermKind, predict};
pub use nest::{Affine, Array, Loop, Mapping, Nest, Reference, Space, TileKind, Upper, Work};
pub use print::number;
pub use read::{Options, read};
pub use requests::{Counts, count};
