//! A `gpu.module` to PTX text.
//!
//! Each SSA value becomes a virtual register (a memref several, see
//! `value`), structured control flow becomes blocks whose carried values
//! live in registers written from several places, and every memory access
//! computes its own 64-bit address. Nothing is optimised here: that is done on
//! the machine form, by `terrace_ptx::optimize`.
//!
//! | file | what |
//! | --- | --- |
//! | `unit` | the module: globals, signatures, files, the final checks |
//! | `readable` | names of registers |
//! | `bounds`, `launches` | block sizes, requested occupancy, grids, against the machine |
//! | `abi` | how values enter kernels and device functions |
//! | `kinds`, `value` | types and values as registers |
//! | `lower`, `control`, `cfg`, `calls` | functions, regions, branches, calls |
//! | `ints`, `floats`, `halves`, `casts`, `math`, `singles` | arithmetic, one element at a time |
//! | `constants`, `select`, `vectors`, `shapes`, `transfers` | the same on all elements of a vector |
//! | `views`, `access`, `wide`, `align`, `atomics`, `globals`, `constant_memory` | memory |
//! | `threads`, `collective` | ids, barriers, shuffles, reductions |
//! | `nvgpu`, `matrices`, `fragments` | tensor cores, copies in the background |
//!
//! # Kernel parameters
//!
//! In the order of the function's parameters. A memref takes: the aligned
//! pointer, the offset if its layout has a dynamic one, each dynamic size,
//! each dynamic stride, all 64 bits wide, offsets and strides in elements. A
//! scalar takes its own width (`i1` a byte, `index` 64 bits).
//! [`KernelInfo::params`] lists them.
//!
//! Two attributes of a parameter promise what the optimiser uses:
//! `llvm.noalias`, that what is written during a launch and accessed through
//! this memref is accessed through no other, and `llvm.align`, the alignment of
//! its aligned pointer in bytes.
//!
//! # Limits
//!
//! Integers are at most 64 bits wide. Transcendental functions are those that
//! `singles` has for `f32` and narrower floats, and where the op carries the
//! `afn` flag the hardware's approximations. Shuffles and reductions must be reached by all threads
//! of a warp (of a block, for `gpu.all_reduce`). A `memref.alloca` in a loop
//! is the same memory in each iteration.

mod abi;
mod access;
mod align;
mod atomics;
mod bounds;
mod calls;
mod casts;
mod cfg;
mod collective;
mod constant_memory;
mod constants;
mod control;
mod floats;
mod fragments;
mod globals;
mod halves;
mod ints;
mod kinds;
mod launches;
mod lower;
mod math;
mod matrices;
mod names;
mod nvgpu;
mod readable;
mod select;
mod shapes;
mod singles;
mod threads;
mod transfers;
mod unit;
mod value;
mod vectors;
mod views;
mod wide;

pub use crate::ptx::launch::{Indices, Layout, Number};
pub use launches::check_launches;

use crate::ptx::Ty;
use crate::ptx::optimize::Level;
use terrace_ir::{Context, Loc, Op};

/// Bytes of the widest access of a thread: what [`GpuOptions::also_aligned`] is for launches
/// that choose. Nothing in a program says where an array begins beyond what its elements
/// need, but nearly all begin where wide accesses are possible.
pub const WIDEST_ACCESS: u32 = 16;

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuOptions {
    /// The architecture, for example `sm_90`.
    pub arch: String,
    /// Emit `.file` and `.loc` lines from the locations of the ops.
    pub loc_lines: bool,
    /// Fuse a multiplication and an addition where both carry the `contract`
    /// fast-math flag: on unless turned off.
    pub contract: bool,
    /// Flush subnormal singles to zero.
    pub flush: bool,
    /// How much the optimiser of the machine form does.
    pub level: Level,
    /// The bits of index arithmetic: 64, or 32 where every launch has sizes,
    /// strides, offsets and scalars of type `index` that fit a signed 32-bit
    /// number, and so does every index that they lead to. Whoever launches
    /// the kernels checks it, by [`KernelInfo::indices`].
    pub index_bitwidth: u32,
    /// The alignment in bytes that every pointer to a memref is taken to have, beyond what
    /// its type and attributes say; 1 takes nothing. Whoever launches checks it.
    pub pointer_align: u32,
    /// Make kernels that gain by it twice: for pointers to memrefs that are multiples of so
    /// many bytes, and for any. Whoever launches chooses, by [`KernelInfo::any`].
    pub also_aligned: Option<u32>,
    /// Keep the text after each pass of the optimiser that changed something.
    pub dump_passes: bool,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions {
            arch: "sm_90".to_string(),
            loc_lines: false,
            contract: true,
            flush: false,
            level: Level::Default,
            index_bitwidth: 64,
            pointer_align: 1,
            also_aligned: None,
            dump_passes: false,
        }
    }
}

/// One kernel parameter; `arg` is the position in the function's signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// The aligned pointer of a memref; 8 bytes.
    Pointer { arg: usize },
    /// Its offset, in elements; 8 bytes.
    Offset { arg: usize },
    /// Its size in a dimension; 8 bytes.
    Size { arg: usize, dim: usize },
    /// Its stride in a dimension, in elements; 8 bytes.
    Stride { arg: usize, dim: usize },
    /// A scalar of so many bytes.
    Scalar { arg: usize, ty: Ty },
}

/// A kernel of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// Name of the `gpu.func`.
    pub name: String,
    /// Name of the entry in the text: the same wherever PTX allows it.
    pub entry: String,
    /// Parameters in order.
    pub params: Vec<ParamKind>,
    /// Where index arithmetic is done in 32 bits: what launches must not
    /// exceed.
    pub indices: Option<Indices>,
    /// For each, the alignment in bytes that the kernel takes a pointer to
    /// have; 1 for anything else.
    pub alignments: Vec<u32>,
    /// Bytes of statically sized shared memory.
    pub shared_bytes: u64,
    /// Threads of a block that the kernel was compiled for, if it says so.
    pub max_threads: Option<[u32; 3]>,
    /// Its blocks wait for each other, so that all of a launch must be running at a time.
    pub cooperative: bool,
    /// The kernel that computes the same where pointers have less than these alignments,
    /// with [`GpuOptions::also_aligned`] and where it differs.
    pub any: Option<AnyPointers>,
}

/// What a kernel for any pointers has of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnyPointers {
    /// Name of the entry in the text.
    pub entry: String,
    /// As [`KernelInfo::alignments`].
    pub alignments: Vec<u32>,
}

/// A function of the module after a pass of the machine form's optimiser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassDump {
    /// The pass; none for the function as lowering made it.
    pub pass: Option<&'static str>,
    /// The function's name in the text.
    pub function: String,
    pub is_kernel: bool,
    /// How many changes the pass counted.
    pub changes: usize,
    /// The function.
    pub text: String,
    /// The module at that time, complete.
    pub module: String,
}

/// A compiled module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuBinary {
    pub ptx: String,
    pub kernels: Vec<KernelInfo>,
    /// With [`GpuOptions::dump_passes`], in the order in which they came about.
    pub dumps: Vec<PassDump>,
}

/// Compiles a `gpu.module`.
///
/// # Errors
///
/// Everything that cannot be compiled, each with its place: unsupported ops
/// and types, memory over the machine's limits, barriers that not all threads
/// reach.
pub fn compile(
    ctx: &Context,
    gpu_module: Op,
    options: &GpuOptions,
) -> Result<GpuBinary, Vec<(Loc, String)>> {
    unit::compile(ctx, gpu_module, options)
}
