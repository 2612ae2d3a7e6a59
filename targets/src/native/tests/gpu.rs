//! The host side of GPU programs, against a device that writes down what it is told.

use super::{array, call, compiled_with, float, int, results};
use std::sync::{Mutex, MutexGuard};

static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// One test at a time.
static DEVICE: Mutex<()> = Mutex::new(());

fn log(s: String) {
    LOG.lock().unwrap_or_else(|e| e.into_inner()).push(s);
}

fn device() -> MutexGuard<'static, ()> {
    let g = DEVICE.lock().unwrap_or_else(|e| e.into_inner());
    LOG.lock().unwrap_or_else(|e| e.into_inner()).clear();
    g
}

fn taken() -> Vec<String> {
    std::mem::take(&mut LOG.lock().unwrap_or_else(|e| e.into_inner()))
}

extern "C" fn alloc(bytes: u64, _op: u32) -> u64 {
    log(format!("alloc {bytes}"));
    if bytes > 1 << 40 { 0 } else { 0x1000 }
}
extern "C" fn free(ptr: u64, _op: u32) -> i32 {
    log(format!("free {ptr:#x}"));
    0
}
extern "C" fn copy(dst: u64, src: u64, bytes: u64, kind: u32, _op: u32) -> i32 {
    let side = |p: u64| if p == 0x1000 { "device" } else { "host" };
    log(format!("copy {} {} {bytes} {kind}", side(dst), side(src)));
    0
}
extern "C" fn copy_strided(
    dst: u64,
    src: u64,
    size: u32,
    rank: u32,
    words: *const i64,
    kind: u32,
    _op: u32,
) -> i32 {
    let words: &[i64] = match rank {
        0 => &[],
        // SAFETY: compiled code hands over three words a dimension.
        n => unsafe { std::slice::from_raw_parts(words, 3 * n as usize) },
    };
    let behind = |p: u64| p.checked_sub(0x1000).filter(|b| *b < 0x1000);
    log(format!(
        "strided {:?} {:?} {size} {words:?} {kind}",
        behind(dst),
        behind(src)
    ));
    0
}
extern "C" fn memset(ptr: u64, bits: u64, size: u32, count: u64, _op: u32) -> i32 {
    log(format!("memset {ptr:#x} {bits:#x} {size} {count}"));
    0
}
extern "C" fn launch(
    kernel: u32,
    grid: *const [u64; 3],
    block: *const [u64; 3],
    shared: u32,
    args: *const u64,
    num_args: u32,
    _op: u32,
) -> i32 {
    // SAFETY: compiled code hands over three sizes each and `num_args` words.
    let (grid, block, args) = unsafe {
        let args = std::slice::from_raw_parts(args, num_args as usize);
        (*grid, *block, args)
    };
    log(format!(
        "launch {kernel} {grid:?} {block:?} {shared} {args:x?}"
    ));
    i32::from(grid[0] == 99)
}
extern "C" fn sync(_op: u32) -> i32 {
    log("sync".into());
    0
}

/// Nothing is asynchronous here: what is waited for is done.
extern "C" fn wait(_: *const u64, _: u32, _: *const i64, _: u32, _op: u32) -> i32 {
    log("wait".into());
    0
}

extern "C" fn join(
    _: *const u64,
    _: u32,
    _: *const i64,
    _: u32,
    _all: u32,
    _on: *const i64,
    _op: u32,
) -> u64 {
    0
}

fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_alloc", alloc as *const u8),
        ("terrace_gpu_free", free as *const u8),
        ("terrace_gpu_copy", copy as *const u8),
        ("terrace_gpu_copy_strided", copy_strided as *const u8),
        ("terrace_gpu_memset", memset as *const u8),
        ("terrace_gpu_launch", launch as *const u8),
        ("terrace_gpu_sync", sync as *const u8),
        ("terrace_gpu_wait", wait as *const u8),
        ("terrace_gpu_join", join as *const u8),
    ]
}

const PROGRAM: &str = "module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<?x4xf32>, %b: f32, %c: i8, %d: memref<?x?xf64>) kernel {
      gpu.return
    }
    gpu.func @l() kernel {
      gpu.return
    }
  }
  func.func @f(%h: memref<?x4xf32>, %n: index, %grid: index, %b: f32, %c: i8) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %shared = arith.constant 64 : i32
    %m = gpu.alloc (%n) : memref<?x4xf32>
    %d = gpu.alloc (%n, %c2) : memref<?x?xf64>
    gpu.memcpy %m, %h : memref<?x4xf32>, memref<?x4xf32>
    %v = arith.constant 1.0 : f32
    gpu.memset %m, %v : memref<?x4xf32>, f32
    gpu.launch_func @kernels::@l blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
    gpu.launch_func @kernels::@k blocks in (%grid, %c1, %c2) threads in (%c2, %c2, %c1)
      dynamic_shared_memory_size %shared args(%m : memref<?x4xf32>, %b : f32, %c : i8, %d : memref<?x?xf64>)
    %t = gpu.wait async
    gpu.wait [%t]
    %r = memref.alloc(%n) : memref<?x4xf32>
    gpu.memcpy %r, %m : memref<?x4xf32>, memref<?x4xf32>
    memref.dealloc %r : memref<?x4xf32>
    gpu.dealloc %m : memref<?x4xf32>
    return
  }
  func.func @x(%h: memref<8xf32>) {
    %m = xfer.alloc() : memref<8xf32, #xfer.device>
    xfer.copy %h to %m : memref<8xf32> to memref<8xf32, #xfer.device>
    xfer.copy %m to %h : memref<8xf32, #xfer.device> to memref<8xf32>
    xfer.free %m : memref<8xf32, #xfer.device>
    return
  }
  func.func @y(%h: memref<4x6xf32>, %i: index) {
    %m = xfer.alloc() : memref<4x6xf32, #xfer.device>
    %a = memref.subview %h[%i, 2] [2, 3] [1, 1] : memref<4x6xf32> to memref<2x3xf32, strided<[6, 1], offset: ?>>
    %b = memref.subview %m[%i, 2] [2, 3] [1, 1] : memref<4x6xf32, #xfer.device> to memref<2x3xf32, strided<[6, 1], offset: ?>, #xfer.device>
    %c = memref.subview %m[0, 1] [%i, 1] [2, 1] : memref<4x6xf32, #xfer.device> to memref<?x1xf32, strided<[12, 1], offset: 1>, #xfer.device>
    %e = memref.subview %m[0, 0] [%i, 1] [2, 1] : memref<4x6xf32, #xfer.device> to memref<?x1xf32, strided<[12, 1]>, #xfer.device>
    xfer.copy %a to %b : memref<2x3xf32, strided<[6, 1], offset: ?>> to memref<2x3xf32, strided<[6, 1], offset: ?>, #xfer.device>
    xfer.copy %b to %a : memref<2x3xf32, strided<[6, 1], offset: ?>, #xfer.device> to memref<2x3xf32, strided<[6, 1], offset: ?>>
    xfer.copy %c to %e : memref<?x1xf32, strided<[12, 1], offset: 1>, #xfer.device> to memref<?x1xf32, strided<[12, 1]>, #xfer.device>
    xfer.free %m : memref<4x6xf32, #xfer.device>
    return
  }
}";

#[test]
fn a_program_calls_the_device() {
    let _one = device();
    let (_, m) = compiled_with(PROGRAM, &Default::default(), &imports());
    assert_eq!(
        m.kernels,
        [
            ("kernels".to_string(), "l".to_string()),
            ("kernels".into(), "k".into())
        ]
    );
    let mut h = vec![0f32; 12];
    let args = [array(&mut h, &[3, 4]), int(3), int(7), float(1.5), int(-1)];
    results(&m, "f", &args);
    assert_eq!(
        taken(),
        [
            "alloc 48",
            "alloc 48",
            "copy device host 48 3",
            "memset 0x1000 0x3f800000 4 12",
            "launch 0 [1, 1, 1] [2, 1, 1] 0 []",
            // Pointer and one size; 1.5; -1 in 8 bits; pointer, two sizes, one stride.
            "launch 1 [7, 1, 2] [2, 2, 1] 64 [1000, 3, 3fc00000, ff, 1000, 3, 2, 2]",
            "wait",
            "copy host device 48 1",
            "free 0x1000",
        ]
    );
    let mut h = vec![0f32; 8];
    results(&m, "x", &[array(&mut h, &[8])]);
    assert_eq!(
        taken(),
        [
            "alloc 32",
            "copy device host 32 0",
            "copy host device 32 1",
            "free 0x1000"
        ]
    );
}

#[test]
fn boxes_are_copied_by_their_strides() {
    let _one = device();
    let (_, m) = compiled_with(PROGRAM, &Default::default(), &imports());
    let mut h = vec![0f32; 24];
    results(&m, "y", &[array(&mut h, &[4, 6]), int(2)]);
    assert_eq!(
        taken(),
        [
            "alloc 96",
            "strided Some(56) None 4 [2, 3, 6, 1, 6, 1] 0",
            "strided None Some(56) 4 [2, 3, 6, 1, 6, 1] 1",
            "strided Some(0) Some(4) 4 [2, 1, 12, 1, 12, 1] 2",
            "free 0x1000"
        ]
    );
}

#[test]
fn errors_of_the_device_have_places() {
    let _one = device();
    let (ctx, m) = compiled_with(PROGRAM, &Default::default(), &imports());
    let mut h = vec![0f32; 12];
    let args = [array(&mut h, &[3, 4]), int(3), int(99), float(1.5), int(-1)];
    let e = call(&m, "f", &args).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 20);
    assert_eq!(
        e.message,
        "'gpu.launch_func' op the device reported an error"
    );
    let args = [
        array(&mut h, &[3, 4]),
        int(1 << 40),
        int(1),
        float(1.5),
        int(-1),
    ];
    let e = call(&m, "f", &args).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 14);
    assert_eq!(e.message, "'gpu.alloc' op out of memory");
}
