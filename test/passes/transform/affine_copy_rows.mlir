// RUN: terrace-opt %s -affine-copy-rows -mlir-pass-statistics 2>&1 | FileCheck %s
// RUN: terrace-opt %s -affine-copy-rows=min-bytes=1024 | FileCheck %s --check-prefix=LONG

// CHECK-LABEL: func.func @rows
// CHECK: affine.for %[[I:.*]] = 0 to 40 {
// CHECK: %[[B:.*]] = affine.apply {{.*}}(%[[I]])
// CHECK: %[[E:.*]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[N:.*]] = arith.subi %[[E]], %[[B]] : index
// CHECK: %[[M:.*]] = arith.maxsi %[[N]], %c0{{.*}} : index
// CHECK: %[[X:.*]] = memref.subview %arg0[%{{.*}}, %{{.*}}] [1, %[[M]]] [1, 1] : memref<40x50xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: %[[Y:.*]] = memref.subview %arg1[%{{.*}}] [%[[M]]] [1] : memref<90xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: memref.copy %[[X]], %[[Y]]
// LONG-LABEL: func.func @rows
// LONG: memref.copy
func.func @rows(%a: memref<40x50xf32>, %b: memref<90xf32>) {
  affine.for %i = 0 to 40 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (50, 2 * d0 + 5)>(%i) {
      %x = affine.load %a[%i, %j] : memref<40x50xf32>
      affine.store %x, %b[%i + %j] : memref<90xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @known_length
// CHECK: memref.copy
// LONG-LABEL: func.func @known_length
// LONG-NOT: memref.copy
func.func @known_length(%a: memref<90xi8>, %b: memref<700xi8>, %c: memref<700xi8>) {
  affine.for %j = 0 to 700 {
    %x = affine.load %b[%j] : memref<700xi8>
    affine.store %x, %c[%j] : memref<700xi8>
  }
  return
}

// Short rows, columns, one array, something beside the copy, two stores.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: memref.copy
func.func @stay(%a: memref<40x50xf32>, %b: memref<90xf32>, %c: memref<90xf32>) {
  affine.for %j = 0 to 20 {
    %x = affine.load %c[%j] : memref<90xf32>
    affine.store %x, %b[%j] : memref<90xf32>
  }
  affine.for %j = 0 to 40 {
    %x = affine.load %a[%j, 0] : memref<40x50xf32>
    affine.store %x, %b[%j] : memref<90xf32>
  }
  affine.for %j = 0 to 80 {
    %x = affine.load %b[%j] : memref<90xf32>
    affine.store %x, %b[%j + 1] : memref<90xf32>
  }
  affine.for %j = 0 to 80 {
    %x = affine.load %c[%j] : memref<90xf32>
    %y = arith.negf %x : f32
    affine.store %y, %b[%j] : memref<90xf32>
  }
  affine.for %j = 0 to 80 {
    %x = affine.load %c[%j] : memref<90xf32>
    affine.store %x, %b[%j] : memref<90xf32>
    affine.store %x, %b[%j + 5] : memref<90xf32>
  }
  return
}
// CHECK: (S) {{.*}}2 num-copies
