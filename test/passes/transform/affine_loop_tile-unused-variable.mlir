// RUN: terrace-opt %s --affine-loop-tile=tile-size=4 | FileCheck %s

// A bound that names a variable of the band without depending on it: the loops over
// tiles stand where that variable is not defined.

// CHECK: affine.for %{{.*}} = 0 to 8 step 4 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 12 step 4 {
func.func @f(%m: memref<8x12xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(d0) -> (12)>(%i) {
      affine.store %x, %m[%i, %j] : memref<8x12xf32>
    }
  }
  return
}
