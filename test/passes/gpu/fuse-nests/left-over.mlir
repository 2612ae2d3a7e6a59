// RUN: terrace-opt %s -gpu-fuse-nests='always=true' | FileCheck %s
// RUN: terrace-opt %s -gpu-fuse-nests='notes=true sizes=N:64,M:64' 2>&1 >/dev/null | FileCheck %s --check-prefix=SMALL
// RUN: terrace-opt %s -gpu-fuse-nests='notes=true sizes=N:8192,M:8192,ex.0:8192,ex.1:8192,ey.0:8192,ey.1:8192,hz.0:8192,hz.1:8192' 2>&1 >/dev/null | FileCheck %s --check-prefix=LARGE

// As in fdtd-2d. What is left over of the first runs in front, of the second behind.
// CHECK-LABEL: func.func @shifted
// CHECK: affine.parallel (%[[I:.*]]) = (1) to (symbol(%[[N:.*]])) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (0) to (min(1, symbol(%[[M:.*]]))) {
// CHECK: affine.store %{{.*}}, %arg0[%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[I:.*]]) = (1) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (1) to (symbol(%[[M]])) {
// CHECK: affine.load %arg2[%[[I]], %[[J]]]
// CHECK: affine.store %{{.*}}, %arg0[%[[I]], %[[J]]]
// CHECK-NOT: affine.load %arg2[%[[I]], %[[J]]]
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (min(1, symbol(%[[N]]))) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (1) to (symbol(%[[M]])) {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK-NOT: affine.parallel
// CHECK: return
// Two launches more than one cost more than they bring where arrays are small: one nest asks then.
// SMALL: fused with loop 'i' at line {{[0-9]+}}: {{[0-9.]+}} us in place of {{[0-9.]+}} + {{[0-9.]+}}
// LARGE: remark: fused with loop 'i' at line {{[0-9]+}}: {{[0-9.]+}} + {{[0-9.]+}} + {{[0-9.]+}} us in place of
func.func @shifted(%ey: memref<?x?xf64>, %ex: memref<?x?xf64>, %hz: memref<?x?xf64>, %N: index, %M: index) {
  affine.parallel (%i) = (1) to (symbol(%N)) {
    affine.parallel (%j) = (0) to (symbol(%M)) {
      %e = affine.load %ey[%i, %j] : memref<?x?xf64>
      %h = affine.load %hz[%i, %j] : memref<?x?xf64>
      %g = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
      %d = arith.subf %h, %g : f64
      %s = arith.subf %e, %d : f64
      affine.store %s, %ey[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%N)) {
    affine.parallel (%j) = (1) to (symbol(%M)) {
      %e = affine.load %ex[%i, %j] : memref<?x?xf64>
      %h = affine.load %hz[%i, %j] : memref<?x?xf64>
      %g = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
      %d = arith.subf %h, %g : f64
      %s = arith.subf %e, %d : f64
      affine.store %s, %ex[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The second begins and ends two earlier: it has some in front and the first some behind. Of
// the first's these run before the fused ones, which is right since its iterations run in any order.
// CHECK-LABEL: func.func @ends
// CHECK: affine.parallel (%[[I:.*]]) = (62) to (64) {
// CHECK: affine.store %{{.*}}, %arg0
// CHECK: affine.parallel (%[[I:.*]]) = (2) to (62) {
// CHECK: affine.store %{{.*}}, %arg0
// CHECK: affine.store %{{.*}}, %arg1
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (2) {
// CHECK: affine.load %arg0[%[[I]]]
// CHECK-NEXT: affine.store %{{.*}}, %arg1
func.func @ends(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (2) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.parallel (%i) = (0) to (62) {
    %a = affine.load %A[%i] : memref<64xf32>
    affine.store %a, %B[%i] : memref<64xf32>
  }
  return
}

// The dependence is between other iterations than those that are fused.
// CHECK-LABEL: func.func @corner
// CHECK: affine.parallel (%{{.*}}) = (0) to (1)
// CHECK: affine.parallel (%{{.*}}) = (1) to (63)
// CHECK: affine.parallel (%{{.*}}) = (63) to (64)
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @corner(%A: memref<4096xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (63) {
    affine.store %x, %A[%i * 64] : memref<4096xf32>
  }
  affine.parallel (%i) = (1) to (64) {
    %a = affine.load %A[0] : memref<4096xf32>
    affine.store %a, %B[%i] : memref<64xf32>
  }
  return
}
