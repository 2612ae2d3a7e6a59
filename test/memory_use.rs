//! Memory does not grow by calls: what is allocated after a thousand calls of an executor is
//! what is allocated after many more. All memory of this process is counted, so that there is
//! one test. What programs of `terrace cc` use is looked at in `test/cc/memory.rs`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::executor::{Executor, Program};
use terrace::run::options::{RunOptions, Target};

/// The system's allocator, which counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: all is left to the system's allocator, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to what this function asks for.
        let p = unsafe { System.alloc(layout) };
        if !p.is_null() {
            IN_USE.fetch_add(layout.size() as isize, Relaxed);
        }
        p
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to what this function asks for.
        let p = unsafe { System.alloc_zeroed(layout) };
        if !p.is_null() {
            IN_USE.fetch_add(layout.size() as isize, Relaxed);
        }
        p
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: the caller keeps to what this function asks for.
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps to what this function asks for.
        let new = unsafe { System.realloc(p, layout, size) };
        if !new.is_null() {
            IN_USE.fetch_add(size as isize - layout.size() as isize, Relaxed);
        }
        new
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes by which what is in use may differ from one moment to another: what threads keep
/// for themselves while they wait, and vectors that have room left.
const TOLERANCE: isize = 4096;

/// One loop on threads, and one number as a result.
const SUM: &str = "
func.func @f(%a: memref<?xf64>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %a[%i] : memref<?xf64>
  }
  %r = memref.load %a[%c0] : memref<?xf64>
  return %r : f64
}
";

/// Memory of the program's own, of which it frees half, and a launch that uses it.
const ALLOCATES: &str = "
func.func @f(%a: memref<?xf64>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %d = memref.alloc(%n) : memref<?xf64>
  %e = memref.alloc(%n) : memref<?xf64>
  %s = memref.alloca(%n) : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %d[%i] : memref<?xf64>
    affine.store %x, %s[%i] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %v = affine.load %d[%i] : memref<?xf64>
    %w = affine.load %s[%i] : memref<?xf64>
    %y = arith.addf %v, %w : f64
    affine.store %y, %e[%i] : memref<?xf64>
  }
  %r = memref.load %e[%c0] : memref<?xf64>
  memref.dealloc %d : memref<?xf64>
  return %r : f64
}
";

/// It is stopped in the middle, with memory of its own.
const STOPS: &str = "
func.func @f(%a: memref<?xf64>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %d = memref.alloc(%n) : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %d[%i] : memref<?xf64>
  }
  %r = memref.load %d[%n] : memref<?xf64>
  memref.dealloc %d : memref<?xf64>
  return %r : f64
}
";

fn made(text: &str, target: Target) -> Box<dyn Executor> {
    let program = Program::new("test.mlir", text).expect("a program");
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    compile(program, &options).expect("it compiles")
}

/// Calls so often, and gives the bytes that are then in use.
fn called(f: &mut dyn Executor, args: &mut [Value], right: bool, times: usize) -> isize {
    for _ in 0..times {
        assert_eq!(f.call(args).is_ok(), right);
    }
    IN_USE.load(Relaxed)
}

#[test]
fn memory_does_not_grow_by_calls() {
    let few = 1000;
    // How often each program is called on each target, as often as takes some seconds.
    let cases = [
        ("sum", SUM, Target::Cpu, 1_000_000),
        ("sum", SUM, Target::Emulator, 10_000),
        ("sum", SUM, Target::Interp, 20_000),
        ("allocates", ALLOCATES, Target::Cpu, 100_000),
        ("allocates", ALLOCATES, Target::Emulator, 10_000),
        ("allocates", ALLOCATES, Target::Interp, 20_000),
        ("stops", STOPS, Target::Cpu, 100_000),
        ("stops", STOPS, Target::Emulator, 10_000),
        ("stops", STOPS, Target::Interp, 20_000),
    ];
    for (name, text, target, many) in cases {
        let mut f = made(text, target);
        let array = Value::array(&[4], &[0.0f64; 4]).expect("memory");
        let mut args = [array, 1.5.into()];
        let right = name != "stops";
        let what = format!("{name} on {}", target.name());
        // A thread that starts late brings memory of its own, once: what calls leave behind
        // grows each time.
        let mut before = called(&mut *f, &mut args, right, few);
        let mut grown = Vec::new();
        while grown.len() < 3 && grown.last().is_none_or(|&g| g > TOLERANCE) {
            let after = called(&mut *f, &mut args, right, many - few);
            grown.push(isize::abs(after - before));
            before = after;
        }
        assert!(
            grown.iter().any(|&g| g <= TOLERANCE),
            "{what}: {grown:?} bytes more after each {} calls",
            many - few
        );
        // What is refused does not stay either.
        let none = called(&mut *f, &mut [], false, few);
        let more = called(&mut *f, &mut [], false, few);
        assert!((more - none).abs() <= TOLERANCE, "{what}, refused");
        // Nor does an executor that is no more.
        let make = |times| {
            (0..times).for_each(|_| drop(made(text, target)));
            IN_USE.load(Relaxed)
        };
        let (some, more) = (make(5), make(20));
        assert!((more - some).abs() <= TOLERANCE, "{what}, made anew");
    }
}
