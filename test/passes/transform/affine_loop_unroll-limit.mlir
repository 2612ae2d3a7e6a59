// Unrolling adds so many ops to a function and no more: factors, repetitions and loops
// multiply one another.
//
// RUN: terrace-opt %s -affine-loop-unroll="unroll-factor=2 unroll-num-reps=3" | FileCheck %s
// RUN: not terrace-opt %s -affine-loop-unroll=unroll-num-reps=16 2>&1 >/dev/null | FileCheck %s --check-prefix=REPS
// RUN: not terrace-opt %s -affine-loop-unroll=unroll-factor=1000000 2>&1 >/dev/null | FileCheck %s --check-prefix=FACTOR
// RUN: not terrace-opt %s -affine-loop-unroll="unroll-factor=-1 unroll-full-threshold=1000000" 2>&1 >/dev/null | FileCheck %s --check-prefix=FULL
// RUN: not terrace-opt %s -affine-loop-unroll-jam=unroll-jam-factor=1000000 2>&1 >/dev/null | FileCheck %s --check-prefix=JAM
// What changes nothing is not done again and again.
// RUN: terrace-opt %s -affine-loop-unroll="unroll-factor=1 unroll-num-reps=1000000000000" | FileCheck %s

// CHECK-LABEL: func.func @open
// REPS: affine_loop_unroll-limit.mlir:[[@LINE+5]]:3: error: 'affine.for' op is not unrolled by 4: more than 262144 ops would be added to its function; ask for a smaller factor or fewer repetitions
// FACTOR: affine_loop_unroll-limit.mlir:[[@LINE+4]]:3: error: 'affine.for' op is not unrolled by 1000000: more than 262144 ops
// JAM: affine_loop_unroll-limit.mlir:[[@LINE+3]]:3: error: 'affine.for' op is not unrolled by 1000000: more than 262144 ops
func.func @open(%a: memref<?xf64>, %n: index) {
  // The loop is the first op of its function, as unroll-jam wants it.
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %a[%i] : memref<?xf64>
  }
  return
}

// FULL: affine_loop_unroll-limit.mlir:[[@LINE+2]]:3: error: 'affine.for' op is not unrolled by 1000000: more than 262144 ops
func.func @known(%a: memref<1000000xf64>, %v: f64) {
  affine.for %i = 0 to 1000000 {
    affine.store %v, %a[%i] : memref<1000000xf64>
  }
  return
}
