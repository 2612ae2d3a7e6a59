// The first nest is launches already, as scans are. The other one gets its parallel loop outside all the same:
// a thread goes along each column, where otherwise all would wait for each other in each of its rows.
//
// RUN: terrace-opt %s -gpu-map-scans='arch=sm_90' -offload-parallelize='reductions=outermost' | FileCheck %s
//
// How many columns have a thread each is a question of the machine: of 132 multiprocessors, or 108.
// RUN: terrace-opt %s -gpu-map-scans='arch=sm_90' | FileCheck %s --check-prefix=H200
// RUN: terrace-opt %s -gpu-map-scans='arch=sm_80' | FileCheck %s --check-prefix=A100
// H200: arith.constant 16896 : index
// A100: arith.constant 13824 : index

// CHECK-LABEL: func.func @solve
// CHECK:       gpu.launch
// CHECK:       affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}})) {
// CHECK-NEXT:    affine.for %[[K:.*]] = 0 to %{{.*}} {
// CHECK:           affine.store %{{.*}}, %arg4[%[[K]] + 1, %[[I]]]
func.func @solve(%n: index, %m: index, %a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  affine.for %k = 0 to %m {
    affine.for %i = 0 to %n {
      %s = affine.load %b[%k, %i] : memref<?x?xf32>
      %x = affine.load %a[%k, %i] : memref<?x?xf32>
      %t = arith.addf %s, %x fastmath<reassoc> : f32
      affine.store %t, %b[%k + 1, %i] : memref<?x?xf32>
    }
  }
  affine.for %k = 0 to %m {
    affine.for %i = 0 to %n {
      %s = affine.load %c[%k, %i] : memref<?x?xf32>
      %x = affine.load %a[%k, %i] : memref<?x?xf32>
      %t = arith.divf %x, %s : f32
      affine.store %t, %c[%k + 1, %i] : memref<?x?xf32>
    }
  }
  return
}
