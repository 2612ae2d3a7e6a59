// RUN: terrace-opt %s --apply-schedule | FileCheck %s

// Neither of two writes goes to all of the box of what is touched: what is between them has
// to be copied in, to be copied out again.

// CHECK-LABEL: func.func @f
// CHECK: memref.alloc() : memref<64xf32>
// CHECK-NEXT: affine.for %{{.*}} = 0 to 64 {
// CHECK-NEXT: affine.load
schedule.sequence @s on @f {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  %r = schedule.stage %l array "A"
}
func.func @f(%A: memref<64xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 1 {
    affine.for %j = 0 to 32 {
      affine.store %z, %A[%j] : memref<64xf32>
    }
    affine.for %j = 48 to 64 {
      affine.store %z, %A[%j] : memref<64xf32>
    }
  }
  return
}
