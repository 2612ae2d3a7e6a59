// RUN: terrace-opt %s -affine-super-vectorize="virtual-vector-size=4 cleanup-loop" | FileCheck %s

// The first of the inner loops runs too seldom, so the one around both goes in vectors,
// and takes the second with it, which must not be asked for afterwards.
// CHECK-LABEL: @both_inside_one
// CHECK: affine.for %{{.*}} step 4
// CHECK: affine.for %{{.*}} = 0 to 2
func.func @both_inside_one(%n: index, %m: index) {
  affine.for %i = %n to 8 {
    affine.for %j = 0 to 2 {
    }
    affine.for %j = %n to %m {
    }
  }
  return
}
