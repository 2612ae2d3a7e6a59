//! terrace: a compiler framework that carries affine loop programs down, level by
//! level, to PTX for NVIDIA GPUs and to native code.

#![deny(missing_docs)]
// What the command line alone uses is not left out function by function.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub use terrace_dialects as dialects;
pub use terrace_ir as ir;
pub use terrace_passes as passes;
pub use terrace_runtime as runtime;
pub use terrace_targets as targets;

pub mod array;
#[cfg(feature = "c")]
pub mod c;
pub mod cache;
pub mod calibrate;
#[cfg(feature = "c")]
pub mod explain;
pub mod instruments;
pub mod mappings;
pub mod opt;
#[cfg(feature = "cli")]
pub mod reduce;
pub mod run;
#[cfg(feature = "cli")]
pub mod tune;

use std::sync::OnceLock;

/// Every pass and pipeline there is.
pub fn pass_registry() -> &'static ir::pass::PassRegistry {
    static REGISTRY: OnceLock<ir::pass::PassRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut r = ir::pass::PassRegistry::new();
        passes::register_all(&mut r);
        r
    })
}

/// The size of a stack that is deep enough for IR nested to the limit, in bytes.
const STACK: usize = 256 << 20;

/// Run `f` on a thread whose stack is deep enough for IR nested to the limit.
pub fn with_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|s| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(s, f);
        match thread.map(|t| t.join()) {
            Ok(Ok(r)) => r,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => panic!("cannot start a thread: {e}"),
        }
    })
}
