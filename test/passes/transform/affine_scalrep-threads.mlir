// What an iteration of a parallel loop stores and loads again is a value; what goes from one nest to another stays in
// memory, where kernels find it.
//
// RUN: terrace-opt %s -affine-scalrep='threads=true' | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK:       affine.store %{{.*}}, %arg1[0]
// CHECK:       affine.parallel
// CHECK:         %[[X:.*]] = affine.load %arg0
// CHECK-NEXT:    affine.store %[[X]], %arg0
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[Y:.*]] = affine.load %arg1[0]
// CHECK-NEXT:  affine.store %[[Y]], %arg1[1]
func.func @both(%a: memref<?xf32>, %s: memref<2xf32>, %n: index, %v: f32) {
  affine.store %v, %s[0] : memref<2xf32>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %x = affine.load %a[%i + 1] : memref<?xf32>
    affine.store %v, %a[%i] : memref<?xf32>
    %y = affine.load %a[%i + 1] : memref<?xf32>
    affine.store %y, %a[%i] : memref<?xf32>
  }
  %z = affine.load %s[0] : memref<2xf32>
  affine.store %z, %s[1] : memref<2xf32>
  return
}
