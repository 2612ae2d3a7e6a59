// RUN: terrace-opt %s -allow-unregistered-dialect -affine-data-copy-generate=fast-mem-capacity=1 | FileCheck %s

// What is only written is not copied in, so that copying it out where it was not written
// would leave anything: the copies stay in the loop that may not run.
// CHECK-LABEL: func.func @may_not_run
// CHECK: affine.for %{{.*}} = 0 to %
// CHECK-NEXT: memref.alloc() : memref<64xf32, 1>
func.func @may_not_run(%n: index, %A: memref<2048xf32>, %B: memref<2048xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %t = 0 to %n {
    affine.for %i = 0 to 64 {
      affine.store %z, %A[%i] : memref<2048xf32>
    }
    affine.for %i = 0 to 2048 {
      %x = affine.load %B[%i] : memref<2048xf32>
      "use"(%x) : (f32) -> ()
    }
  }
  return
}

// Memory that an iteration before has written is not new.
// CHECK-LABEL: func.func @stale
// CHECK-NEXT: memref.alloc() : memref<64xf32>
// CHECK-NEXT: affine.for %{{.*}} = 0 to 4
func.func @stale(%B: memref<2048xf32>) {
  %A = memref.alloc() : memref<64xf32>
  affine.for %k = 0 to 4 {
    affine.for %i = 0 to 64 {
      %y = affine.load %A[63 - %i] : memref<64xf32>
      affine.store %y, %B[%i] : memref<2048xf32>
      affine.store %y, %A[%i] : memref<64xf32>
    }
    affine.for %i = 0 to 2048 {
      %x = affine.load %B[%i] : memref<2048xf32>
      "use"(%x) : (f32) -> ()
    }
  }
  memref.dealloc %A : memref<64xf32>
  return
}
