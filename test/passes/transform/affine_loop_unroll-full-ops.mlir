// RUN: terrace-opt %s -pass-pipeline="builtin.module(func.func(affine-loop-unroll{unroll-factor=-1 unroll-full-threshold=32 unroll-full-ops=20}))" | FileCheck %s

// Short loops inside others, the inner ones first, as long as few ops come of them.
// CHECK-LABEL: func.func @inside
// CHECK: affine.for %{{.*}} = 0 to 100 {
// CHECK-COUNT-4: memref.store
// CHECK-NOT: memref.store
// CHECK: return
func.func @inside(%m: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 2 {
      affine.for %k = 0 to 2 {
        memref.store %v, %m[%i] : memref<100xf32>
      }
    }
  }
  return
}

// One that no loop is around, and one of too many ops.
// CHECK-LABEL: func.func @stay
// CHECK: affine.for %{{.*}} = 0 to 2 {
// CHECK: affine.for %{{.*}} = 0 to 100 {
// CHECK: affine.for %{{.*}} = 0 to 30 {
func.func @stay(%m: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to 2 {
    memref.store %v, %m[%i] : memref<100xf32>
  }
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 30 {
      memref.store %v, %m[%j] : memref<100xf32>
    }
  }
  return
}
