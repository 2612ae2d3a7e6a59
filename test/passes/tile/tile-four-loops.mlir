// Of four loops whose sizes are known, with tiles that are mostly there, one way is left.
//
// RUN: terrace-opt %s --tile-from-affine --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @known
// CHECK-NOT:   affine.parallel
// CHECK:       gpu.mapper = "tile"
func.func @known(%A: memref<3x4x20x300xi8>, %B: memref<3x4x20x300xi8>) {
  affine.parallel (%a, %b, %c, %d) = (0, 0, 0, 0) to (3, 4, 20, 300) {
    %x = affine.load %A[%a, %b, %c, %d] : memref<3x4x20x300xi8>
    %y = arith.addi %x, %x : i8
    affine.store %y, %B[%a, %b, %c, %d] : memref<3x4x20x300xi8>
  }
  return
}
