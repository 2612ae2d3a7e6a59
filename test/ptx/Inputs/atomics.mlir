// Atomic updates, those that the machine has and those made by compare and swap.
gpu.module @atomics {
  gpu.func @k(%f: memref<?xf32>, %n: memref<?xi32>, %h: memref<?xf16>, %b: memref<?xi8>, %d: memref<?xf64>, %bf: memref<?xbf16>) kernel {
    %i = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2 : i32
    %hone = arith.constant 1.0 : f16
    %bfone = arith.constant 1.0 : bf16
    %three = arith.constant 3 : i8
    %done = arith.constant 1.0 : f64
    %r0 = memref.atomic_rmw addf %one, %f[%i] : (f32, memref<?xf32>) -> f32
    %r1 = memref.atomic_rmw assign %r0, %f[%i] : (f32, memref<?xf32>) -> f32
    memref.store %r1, %f[%i] : memref<?xf32>
    %r2 = memref.atomic_rmw addi %two, %n[%i] : (i32, memref<?xi32>) -> i32
    %r3 = memref.atomic_rmw maxs %two, %n[%i] : (i32, memref<?xi32>) -> i32
    %r4 = memref.atomic_rmw muli %two, %n[%i] : (i32, memref<?xi32>) -> i32
    %r5 = memref.atomic_rmw mulf %one, %f[%i] : (f32, memref<?xf32>) -> f32
    %r6 = memref.atomic_rmw maximumf %hone, %h[%i] : (f16, memref<?xf16>) -> f16
    %r7 = memref.atomic_rmw addf %hone, %h[%i] : (f16, memref<?xf16>) -> f16
    %r8 = memref.atomic_rmw addi %three, %b[%i] : (i8, memref<?xi8>) -> i8
    %r9 = memref.atomic_rmw minnumf %done, %d[%i] : (f64, memref<?xf64>) -> f64
    %r10 = memref.atomic_rmw addf %bfone, %bf[%i] : (bf16, memref<?xbf16>) -> bf16
    %r11 = memref.generic_atomic_rmw %f[%i] : memref<?xf32> {
    ^bb0(%old: f32):
      %c = arith.cmpf olt, %old, %one : f32
      %v = scf.if %c -> f32 {
        scf.yield %one : f32
      } else {
        scf.yield %old : f32
      }
      memref.atomic_yield %v : f32
    }
    gpu.return
  }
}
