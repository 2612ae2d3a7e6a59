//! What compiled code that is checked shares with its module: the memory it has allocated,
//! and what was wrong with an index.
//!
//! Memory that the program frees is given back at once only where nothing can use it
//! afterwards; otherwise it is kept until no call is running, so that what uses it after
//! that reads what it holds and no memory of others. What is not freed by then is given
//! back too, unless the program may have returned it.

use super::lower::Lower;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use terrace_dialects::memref;
use terrace_ir::{Context, Op, Value};
use terrace_support::{terrace_alloc, terrace_free};

/// See the [module](self). Compiled code holds its address.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Calls that are running.
    calls: AtomicUsize,
    /// Whether there may be memory in the table. Calls of programs that allocate none take no lock.
    allocated: AtomicBool,
    heap: Mutex<Heap>,
    notes: Mutex<Vec<Note>>,
}

#[derive(Debug, Default)]
struct Heap {
    /// Memory by its address.
    blocks: FxHashMap<usize, Block>,
}

/// Memory that was allocated.
#[derive(Debug)]
struct Block {
    bytes: u64,
    /// The program has freed it.
    freed: bool,
}

/// An index that was out of bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note {
    site: u32,
    pub dimension: u32,
    pub index: i64,
    pub size: i64,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it holds the lock.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// A call begins.
    pub fn enter(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
    }

    /// A call has ended, which may have returned memory where `keep` says so.
    pub fn leave(&self, keep: bool) {
        let last = self.calls.fetch_sub(1, Ordering::SeqCst) == 1;
        if !last || !self.allocated.load(Ordering::SeqCst) {
            return;
        }
        let mut heap = lock(&self.heap);
        // One that began meanwhile releases it when it ends. What it allocates waits for the lock.
        if self.calls.load(Ordering::SeqCst) == 0 {
            heap.release(|freed| freed || !keep);
            self.allocated
                .store(!heap.blocks.is_empty(), Ordering::SeqCst);
        }
    }

    /// Whether these bytes are of memory that the program has allocated and not freed.
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        let heap = lock(&self.heap);
        let within = |(at, b): (&usize, &Block)| {
            let skipped = address.checked_sub(*at);
            let end = skipped.and_then(|s| s.checked_add(bytes));
            !b.freed && end.is_some_and(|e| e as u64 <= b.bytes)
        };
        heap.blocks.iter().any(within)
    }

    /// What was wrong with the index at an op.
    pub fn note(&self, site: u32) -> Option<Note> {
        lock(&self.notes).iter().find(|n| n.site == site).copied()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        lock(&self.heap).release(|_| true);
    }
}

impl Heap {
    fn release(&mut self, which: impl Fn(bool) -> bool) {
        self.blocks.retain(|address, block| {
            let gone = which(block.freed);
            if gone {
                // SAFETY: the address is from `terrace_alloc`, and leaves the table here.
                unsafe { terrace_free(*address as *mut u8) };
            }
            !gone
        });
    }
}

/// Memory that the table knows; null where there is none.
pub(super) extern "C" fn heap_alloc(shared: &Shared, bytes: u64, align: u64) -> *mut u8 {
    let p = terrace_alloc(bytes, align);
    if !p.is_null() {
        let mut heap = lock(&shared.heap);
        let freed = false;
        heap.blocks.insert(p as usize, Block { bytes, freed });
        shared.allocated.store(true, Ordering::SeqCst);
    }
    p
}

/// Frees memory: 0, or 1 where it is none that was allocated, or is freed already. `last`
/// says that nothing uses it afterwards.
pub(super) extern "C" fn heap_free(shared: &Shared, p: *mut u8, last: i32) -> i32 {
    let mut heap = lock(&shared.heap);
    let Some(block) = heap.blocks.get_mut(&(p as usize)) else {
        return 1;
    };
    if std::mem::replace(&mut block.freed, true) {
        return 1;
    }
    if last != 0 {
        heap.blocks.remove(&(p as usize));
        // SAFETY: the address is from `terrace_alloc`, and has left the table.
        unsafe { terrace_free(p) };
    }
    0
}

/// Notes an index that is out of bounds, in place of one that was noted for the same op.
pub(super) extern "C" fn note_bounds(
    shared: &Shared,
    site: u32,
    dimension: u32,
    index: i64,
    size: i64,
) {
    let mut notes = lock(&shared.notes);
    notes.retain(|n| n.site != site);
    notes.push(Note {
        site,
        dimension,
        index,
        size,
    });
}

/// Stack that has to be left when a function begins: for its own frame, and for what the
/// runtime needs in functions that it calls.
const STACK_RESERVE: usize = 768 << 10;

/// 1 where little of this thread's stack is left.
pub(super) extern "C" fn stack_is_low() -> i32 {
    thread_local! {
        static LIMIT: usize = lowest_address().saturating_add(STACK_RESERVE);
    }
    let here = 0u8;
    let here = &raw const here as usize;
    LIMIT.with(|limit| i32::from(here < *limit))
}

/// Where this thread's stack ends.
#[cfg(target_os = "linux")]
fn lowest_address() -> usize {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn pthread_self() -> usize;
        fn pthread_getattr_np(thread: usize, attributes: *mut c_void) -> c_int;
        fn pthread_attr_getstack(
            attributes: *const c_void,
            lowest: *mut usize,
            size: *mut usize,
        ) -> c_int;
        fn pthread_attr_destroy(attributes: *mut c_void) -> c_int;
    }
    // Larger than the system's structure on any machine.
    let mut attributes = [0u64; 32];
    let at = attributes.as_mut_ptr().cast::<c_void>();
    let (mut lowest, mut size) = (0, 0);
    // SAFETY: the structure has room, is made by the first call and ended by the last;
    // the numbers are written to live variables.
    unsafe {
        if pthread_getattr_np(pthread_self(), at) != 0 {
            return guessed_lowest_address();
        }
        let found = pthread_attr_getstack(at, &raw mut lowest, &raw mut size);
        pthread_attr_destroy(at);
        match found {
            0 => lowest,
            _ => guessed_lowest_address(),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn lowest_address() -> usize {
    guessed_lowest_address()
}

/// An end that is surely above that of the stack, of which threads have a megabyte and more.
fn guessed_lowest_address() -> usize {
    let here = 0u8;
    (&raw const here as usize).saturating_sub(STACK_RESERVE + (64 << 10))
}

/// Whether no memory that `v` names is used after `free`, which frees it: it was allocated
/// in the same block, and what has it or a view of it, without handing it on, stands before.
pub(super) fn is_last_use(ctx: &Context, free: Op, v: Value) -> bool {
    let Some(made) = v.def_op() else { return false };
    let here = free.block(ctx);
    if made.name(ctx) != memref::AllocOp::NAME || made.block(ctx) != here {
        return false;
    }
    let Some(block) = here else { return false };
    let mut views = vec![v];
    while let Some(view) = views.pop() {
        for user in view.users(ctx) {
            let name = user.name(ctx);
            let (dialect, rest) = name.split_once('.').unwrap_or(("", name));
            let views_it = dialect == "memref" && super::view::is_view(rest);
            let ends_it = dialect == "memref" && matches!(rest, "dealloc" | "realloc");
            let uses_it = match dialect {
                "memref" => !matches!(rest, "alloca_scope.return"),
                "gpu" | "xfer" => true,
                "func" => false,
                _ => false,
            };
            if !uses_it || ends_it && user != free || rest == "extract_aligned_pointer_as_index" {
                return false;
            }
            if views_it {
                views.extend(
                    user.results(ctx)
                        .into_iter()
                        .filter(|r| r.ty(ctx).is_memref(ctx)),
                );
            }
            let before = user
                .ancestor_in(ctx, block)
                .is_some_and(|o| o == free || o.is_before(ctx, free));
            if !before {
                return false;
            }
        }
    }
    true
}

impl Lower<'_, '_> {
    /// The address of what the code shares with its module.
    pub fn shared(&mut self) -> cranelift_codegen::ir::Value {
        let at = std::sync::Arc::as_ptr(&self.s.shared) as usize;
        self.i64(at as i64)
    }
}
