// RUN: terrace-opt %s -affine-parallelize | FileCheck %s

// The conditions keep what is stored apart from what is loaded.
// CHECK-LABEL: @conditions
// CHECK: affine.parallel
func.func @conditions(%m: memref<100xf32>, %n: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to 100 {
    affine.if affine_set<(d0) : (d0 - 50 >= 0)>(%i) {
      affine.store %v, %m[%i] : memref<100xf32>
    }
    affine.if affine_set<(d0) : (49 - d0 >= 0)>(%i) {
      %0 = affine.load %m[49 - %i] : memref<100xf32>
      affine.store %0, %n[%i] : memref<100xf32>
    }
  }
  return
}

// As above, but for one iteration that both are made in.
// CHECK-LABEL: @conditions_meet
// CHECK-NOT: affine.parallel
func.func @conditions_meet(%m: memref<101xf32>, %n: memref<100xf32>, %v: f32) {
  affine.for %i = 0 to 100 {
    affine.if affine_set<(d0) : (d0 - 50 >= 0)>(%i) {
      affine.store %v, %m[%i] : memref<101xf32>
    }
    affine.if affine_set<(d0) : (49 - d0 >= 0)>(%i) {
      %0 = affine.load %m[50 - %i] : memref<101xf32>
      affine.store %0, %n[%i] : memref<100xf32>
    }
  }
  return
}

// There are rational points under this condition, but no integer ones (Pugh, "The Omega
// test", 1991): nothing is ever stored.
// CHECK-LABEL: @no_integer_point
// CHECK: affine.parallel
// CHECK: affine.parallel
func.func @no_integer_point(%m: memref<1xf32>, %v: f32) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      affine.if affine_set<(d0, d1) : (d0 * 11 + d1 * 13 - 27 >= 0, 45 - d0 * 11 - d1 * 13 >= 0,
          d0 * 7 - d1 * 9 + 10 >= 0, 4 - d0 * 7 + d1 * 9 >= 0)>(%i, %j) {
        affine.store %v, %m[0] : memref<1xf32>
      }
    }
  }
  return
}
