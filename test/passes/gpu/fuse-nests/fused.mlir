// RUN: terrace-opt %s -gpu-fuse-nests | FileCheck %s
// RUN: terrace-opt %s -gpu-fuse-nests='notes=true' 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTE

// The second nest uses what the first stores at the same element, and nothing else needs the
// array between them.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: memref.alloc
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.parallel (%[[J:.*]]) =
// CHECK-NEXT: %[[A:.*]] = affine.load %arg0[%[[I]], %[[J]]]
// CHECK-NEXT: %[[B:.*]] = affine.load %arg1[%[[J]]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[Z:.*]] = arith.maximumf %[[S]], %arg3
// CHECK-NEXT: affine.store %[[Z]], %arg2[%[[I]], %[[J]]]
// CHECK-NOT: affine.parallel
// CHECK: return
// NOTE: fused.mlir:[[# @LINE + 3]]:3: remark: fused with loop 'i, j' at line [[# @LINE + 11]]: {{[0-9.]+}} us in place of {{[0-9.]+}} + {{[0-9.]+}}
func.func @chain(%A: memref<1024x1024xf32>, %bias: memref<1024xf32>, %C: memref<1024x1024xf32>, %zero: f32) {
  %T = memref.alloc() : memref<1024x1024xf32>
  affine.parallel (%i) = (0) to (1024) {
    affine.parallel (%j) = (0) to (1024) {
      %a = affine.load %A[%i, %j] : memref<1024x1024xf32>
      %b = affine.load %bias[%j] : memref<1024xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %T[%i, %j] : memref<1024x1024xf32>
    }
  }
  affine.parallel (%i, %j) = (0, 0) to (1024, 1024) {
    %t = affine.load %T[%i, %j] : memref<1024x1024xf32>
    %z = arith.maximumf %t, %zero : f32
    affine.store %z, %C[%i, %j] : memref<1024x1024xf32>
  }
  memref.dealloc %T : memref<1024x1024xf32>
  return
}

// Three in a row; the bounds are sizes that are asked for anew each time. What the function is
// given stays written.
// CHECK-LABEL: func.func @three
// CHECK: affine.parallel
// CHECK: %[[X:.*]] = affine.load %arg0
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: affine.store %[[Y]], %arg1
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[Y]], %[[X]]
// CHECK-NEXT: affine.store %[[Z]], %arg2
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[Z]], %[[Y]]
// CHECK-NEXT: affine.store %[[W]], %arg0
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @three(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %B[%i] : memref<?xf64>
  }
  %zero = arith.constant 0 : index
  %m = memref.dim %A, %zero : memref<?xf64>
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %b = affine.load %B[%i] : memref<?xf64>
    %a = affine.load %A[%i] : memref<?xf64>
    %c = arith.addf %b, %a : f64
    affine.store %c, %C[%i] : memref<?xf64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %b = affine.load %B[%i] : memref<?xf64>
    %c = affine.load %C[%i] : memref<?xf64>
    %a = arith.addf %c, %b : f64
    affine.store %a, %A[%i] : memref<?xf64>
  }
  return
}

// The first may move behind what has nothing to do with it.
// CHECK-LABEL: func.func @behind
// CHECK: affine.load %arg2[0]
// CHECK: affine.store %{{.*}}, %arg2[1]
// CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, 0) to (64, 64)
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (100000)
// CHECK: affine.store %{{.*}}, %arg0
// CHECK: affine.store %{{.*}}, %arg1
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @behind(%A: memref<100000xf32>, %B: memref<100000xf32>, %C: memref<8xf32>, %D: memref<64x64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (100000) {
    affine.store %x, %A[%i] : memref<100000xf32>
  }
  %c = affine.load %C[0] : memref<8xf32>
  affine.store %c, %C[1] : memref<8xf32>
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    affine.store %c, %D[%i, %j] : memref<64x64xf32>
  }
  affine.parallel (%i) = (0) to (100000) {
    affine.store %c, %B[%i] : memref<100000xf32>
  }
  return
}

// In the steps of a loop; with loops in order inside.
// CHECK-LABEL: func.func @steps
// CHECK: affine.for
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (0) to (4096) step (2)
// CHECK-NEXT: affine.for
// CHECK: affine.for
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @steps(%A: memref<4096x4xf32>, %B: memref<4096x4xf32>, %T: index) {
  affine.for %t = 0 to %T {
    affine.parallel (%i) = (0) to (4096) step (2) {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, %k] : memref<4096x4xf32>
        %b = arith.addf %a, %a : f32
        affine.store %b, %A[%i, %k] : memref<4096x4xf32>
      }
    }
    affine.parallel (%i) = (0) to (4096) step (2) {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, 3 - %k] : memref<4096x4xf32>
        affine.store %a, %B[%i, %k] : memref<4096x4xf32>
      }
    }
  }
  return
}
