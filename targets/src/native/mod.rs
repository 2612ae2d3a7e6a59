//! Native code for the host, through Cranelift: run in this process, or written to an
//! object file.
//!
//! [`compile`] takes a module of func, cf, scf, arith, math and memref ops and the host
//! side of gpu programs, and gives a [`NativeModule`] whose functions can be called.
//! Structured control flow is lowered as it stands; affine ops must be lowered before.
//! A division by zero, a failed assertion, an allocation that cannot be and (with
//! `bounds_checks`) a use of memory that is not its own end the call with an error at the op's
//! location.
//!
//! # Callbacks
//!
//! Compiled code calls these by name; an import of the name takes the place of what
//! this crate brings along. A status is 0 or an error; `op_id` is an index into
//! [`NativeModule::locations`].
//!
//! ```text
//! void*    terrace_alloc(u64 bytes, u64 align)       null where there is no memory
//! void     terrace_free(void*)                       what terrace_alloc gave
//! i32      terrace_parallel_for(i32 (*body)(void* env, i64 begin, i64 end), void* env,
//!                               i64 begin, i64 end, i64 step)
//! ```
//!
//! `terrace_parallel_for` calls `body` for parts of `begin, begin + step, ... < end`
//! such that each index is in one part, parts beginning at one of the indices; it
//! returns when all have ended, with 0 or the status of a part that failed. An empty
//! range calls nothing. The step is positive. It may be entered again from a body that
//! calls another function with a parallel loop. `terrace_alloc` and `terrace_free` are
//! replaced together.
//!
//! The device has no default:
//!
//! ```text
//! u64      terrace_gpu_alloc(u64 bytes, u32 op_id)   0 on error
//! i32      terrace_gpu_free(u64 ptr, u32 op_id)
//! i32      terrace_gpu_copy(u64 dst, u64 src, u64 bytes, u32 kind, u32 op_id)
//! i32      terrace_gpu_copy_strided(u64 dst, u64 src, u32 elem_bytes, u32 rank,
//!                                   i64 words[3 * rank], u32 kind, u32 op_id)
//! i32      terrace_gpu_memset(u64 ptr, u64 value_bits, u32 elem_bytes, u64 count, u32 op_id)
//! i32      terrace_gpu_launch(u32 kernel_id, u64 grid[3], u64 block[3], u32 shared_bytes,
//!                             u64* args, u32 num_args, u32 op_id)
//! i32      terrace_gpu_sync(u32 op_id)
//! i32      terrace_gpu_profiled()                    1 where the next is wanted
//! void     terrace_gpu_work(f64 flops32, f64 flops64, f64 bytes)   of the next launch
//! u64      terrace_gpu_alloc_host(u64 bytes, u32 op_id)   0 on error
//! i32      terrace_gpu_begin(u64* tokens, u32 num_tokens, i64* queue, u32 op_id)
//! u64      terrace_gpu_token(u32 op_id)
//! i32      terrace_gpu_wait(u64* tokens, u32 num_tokens, i64* queues, u32 num_queues, u32 op_id)
//! u64      terrace_gpu_join(u64* tokens, u32 num_tokens, i64* queues, u32 num_queues, u32 all,
//!                           i64* on_queue, u32 op_id)
//! i32      terrace_gpu_enter(u64 host, u64 bytes, u32 how, u32 name, u32 op_id)
//! i32      terrace_gpu_exit(u64 host, u64 bytes, u32 how, u32 name, u32 op_id)
//! i32      terrace_gpu_update(u64 host, u64 bytes, u32 how, u32 name, u32 op_id)
//! u64      terrace_gpu_present(u64 host, u64 bytes, u32 how, u32 name, u32 op_id)
//!                                                    0 on error
//! i32      terrace_gpu_is_present(u64 host, u64 bytes, u32 name, u32 op_id)
//! ```
//!
//! The last five are about the table of present arrays ([`data`] says what `how` holds),
//! and `name` is an index into [`NativeModule::arrays`]; object files have none of them.
//!
//! `kind` is 0 from host to device, 1 from device to host, 2 within the device, and 3
//! where the program does not tell, so that the addresses must. The words of a strided
//! copy are sizes, strides of `dst` and strides of `src`, in elements. `begin` says that the
//! copy, fill or launch behind it is asynchronous, after tokens and on a queue, null for
//! none; `token` behind that gives its token. `wait` makes the host wait; `join` gives a
//! token for tokens and queues, or all work, after which a queue goes on. The token 0 is
//! that of what is done. `sync` waits for all. Without these calls each op is done when
//! it returns, but for launches, which what comes next waits for. `kernel_id` is an index
//! into [`NativeModule::kernels`]. Sizes of a launch are signed numbers of the program.
//!
//! # Arguments of kernels
//!
//! Each argument takes words of 8 bytes. A number takes one, its bits at the low end
//! and zeros above. A memref takes its pointer, then, each only if its type leaves it
//! open: the offset, the sizes in order, the strides in order. Strides that the
//! identity layout derives from dynamic sizes are open too: `memref<?x?xf64>` takes the
//! pointer, two sizes and the stride of the first dimension.
//!
//! # External functions
//!
//! A function without a body is called at the address imported by its name. Its
//! arguments are those words as C arguments of their own types (small integers
//! zero-extended, halves as `float`), and, where it has results, a pointer to
//! which it writes them, one word each; it returns a status. One with the attribute
//! `terrace.c_function` is called with floats, as C does, and returns one.
//!
//! # Object files
//!
//! [`compile_object`] and [`ObjectCode`] make relocatable object files. All names above
//! are undefined symbols there, as are external functions and globals. Functions of the
//! module are local; those that are asked for get a symbol of the C type
//! `int (unsigned long long *words)` ([`PackedEntry`]). [`ObjectCode::plain`] gives such a function
//! C's own types, and a second one that tells what its results mean.

mod abi;
mod address;
mod arith;
mod atomic;
mod between;
mod bounds;
mod branch;
mod call;
mod cast;
mod cf;
mod check;
mod code;
mod compare;
mod constant;
pub mod data;
mod environment;
mod fields;
mod float;
mod floor;
mod func;
mod fused;
mod globals;
mod gpu;
mod jump_threading;
mod leaf;
mod lower;
mod math;
mod memref;
mod module;
mod object;
mod order;
mod packed;
mod parallel;
mod part;
mod plain;
mod region_data;
mod returned;
mod rows;
mod scf;
mod shared;
mod sign;
mod support;
#[cfg(test)]
mod tests;
mod trap;
mod vector;
mod view;
mod while_loop;
mod wide;

pub use call::{MemRef, NativeArg, NativeError, NativeScalar};
pub use module::{NativeModule, compile};
pub use object::{Listing, ObjectCode, ObjectOptions, PackedEntry, compile_object};
pub use plain::{PlainFunction, PlainType};
pub use region_data::{
    ABI, FAMILY, GpuImage, ImageKernel, ImageParam, RegionData, RegionVersion, SPECIFIC,
};
pub use returned::Returned;
pub use support::ParallelBody;
use terrace_support::subnormals::Mode;
pub use terrace_x86::Level;
pub use wide::level_here;

/// How much Cranelift optimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptLevel {
    /// Not at all: terrace's own passes come before.
    #[default]
    None,
    /// Its mid-end passes, for speed.
    Speed,
}

/// How to compile.
#[derive(Debug, Clone)]
pub struct NativeOptions {
    pub opt_level: OptLevel,
    /// Stop where memory would be used that is not the program's: at an index out of bounds,
    /// views, casts and copies that do not fit, memory freed twice, and before the stack
    /// is full. Only in memory; object files have no such checks.
    pub bounds_checks: bool,
    /// Let `scf.parallel` call `terrace_parallel_for`.
    pub parallel: bool,
    /// Check the generated Cranelift IR; on in debug builds.
    pub verify: bool,
    /// Keep the generated code as text.
    pub listing: bool,
    /// Loops with vectors of more than 128 bits have machine code of our own for this level; with
    /// none all code is Cranelift's. Code in memory must be for the machine that it runs on.
    pub level: Option<Level>,
    /// How code in memory treats subnormal numbers. A thread that flushes them when it calls goes
    /// on to; behind the call it is as it was.
    pub subnormals: Mode,
}

impl Default for NativeOptions {
    fn default() -> Self {
        NativeOptions {
            opt_level: OptLevel::None,
            bounds_checks: false,
            parallel: true,
            verify: cfg!(debug_assertions),
            listing: false,
            level: None,
            subnormals: Mode::STRICT,
        }
    }
}
