// RUN: terrace-opt %s -scf-forall-to-parallel -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[N:.*]]: index
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%[[N]], %{{.*}}) step (%{{.*}}, %{{.*}}) {
// CHECK:   scf.parallel (%[[K:.*]]) = (%[[I]]) to (%[[N]])
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[K]], %[[J]]]
// CHECK:     scf.reduce
// CHECK:   }
// CHECK:   scf.reduce
// CHECK: } {mapping = [#gpu.block<x>, #gpu.block<y>]}
func.func @nested(%n: index, %m: memref<?x4xf32>, %v: f32) {
  scf.forall (%i, %j) in (%n, 4) {
    scf.forall (%k) = (%i) to (%n) step (2) {
      memref.store %v, %m[%k, %j] : memref<?x4xf32>
    }
  } {mapping = [#gpu.block<x>, #gpu.block<y>]}
  return
}

// -----

func.func @shared(%n: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scf.forall' op with shared outputs cannot be a parallel loop; bufferize it first}}
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<8xf32>
}
