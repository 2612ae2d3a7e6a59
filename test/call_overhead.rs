//! A call of a bound function allocates nothing. All that this process allocates is counted, so
//! that there is one test. Optimised, it also tells and checks what a call costs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use terrace::array::{Array, Context, Expr, Stream};
use terrace::run::executor::Program;
use terrace::run::typed::{Bound, Kernel};

/// The system's allocator, which counts what is asked of it.
struct Counting;

static ASKED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps to what this function asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to what this function asks for.
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps to what this function asks for.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const EMPTY: &str = "
func.func @f(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  return
}
";

const CALLS: usize = 10_000_000;

/// The most that a call of an empty function may take, in nanoseconds.
const MOST: f64 = 200.0;

/// Things that threads share.
fn shared<T: Send + Sync>() {}

#[test]
fn calls_allocate_nothing() {
    shared::<Kernel>();
    shared::<Bound<'static, (f64,)>>();
    shared::<Context>();
    shared::<Array<f64>>();
    shared::<Expr<f64>>();
    shared::<Stream>();
    let program = Program::new("empty.mlir", EMPTY).expect("a program");
    let kernel = Kernel::new(program, None).expect("it compiles");
    let f = (kernel.bind::<(f64, &[f64], &mut [f64])>()).expect("it fits");
    let (x, mut y) = ([1.0; 8], [2.0; 8]);
    let mut call = || f.call((3.0, &x, &mut y)).is_ok();
    assert!(call());
    let (before, begin) = (ASKED.load(Relaxed), Instant::now());
    let mut right = true;
    for _ in 0..CALLS {
        right &= call();
    }
    let each = begin.elapsed().as_secs_f64() * 1e9 / CALLS as f64;
    let asked = ASKED.load(Relaxed) - before;
    assert!(right);
    assert_eq!(asked, 0, "allocations in {CALLS} calls");
    if !cfg!(debug_assertions) {
        println!("a call of an empty function takes {each:.1} ns");
        assert!(each < MOST, "a call takes {each:.1} ns, more than {MOST}");
    }
}
