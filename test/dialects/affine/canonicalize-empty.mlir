// RUN: terrace-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Where a loop has no iteration its variable has no value, and none of a minimum's
// results is better than another. One stays.

// CHECK-LABEL: func.func @f
// CHECK: affine.for
func.func @f(%m: memref<100xf32>, %x: f32) {
  affine.for %i = 7 to 5 {
    "test.use"(%i) : (index) -> ()
    affine.for %j = 0 to min affine_map<(d0) -> (d0 + 4, d0 + 4)>(%i) {
      affine.store %x, %m[%j] : memref<100xf32>
    }
  }
  return
}
