// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// CHECK: memref.global "private" constant @weights : memref<2x2xf32> = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
memref.global "private" constant @weights : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
// CHECK: memref.global @scratch : memref<16xi8> = uninitialized {alignment = 64 : i64}
memref.global @scratch : memref<16xi8> = uninitialized {alignment = 64}
// CHECK: memref.global "private" @elsewhere : memref<4xf64>
memref.global "private" @elsewhere : memref<4xf64>

// CHECK-LABEL: func @allocation(
// CHECK-SAME: %[[N:.*]]: index)
func.func @allocation(%n: index) {
  // CHECK: %[[A:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  // CHECK: memref.alloc()[%[[N]]] {alignment = 32 : i64} : memref<8xf32, #{{.*}}>
  %b = memref.alloc()[%n] {alignment = 32} : memref<8xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  // CHECK: memref.alloca() : memref<8xf32, 3>
  %c = memref.alloca() : memref<8xf32, 3>
  // CHECK: %[[D:.*]] = memref.alloc() : memref<8xf32>
  %d = memref.alloc() : memref<8xf32>
  // CHECK: memref.realloc %[[D]](%[[N]]) : memref<8xf32> to memref<?xf32>
  %e = memref.realloc %d(%n) : memref<8xf32> to memref<?xf32>
  // CHECK: memref.dealloc %[[A]] : memref<?x4xf32>
  memref.dealloc %a : memref<?x4xf32>
  // CHECK: memref.get_global @weights : memref<2x2xf32>
  %g = memref.get_global @weights : memref<2x2xf32>
  return
}

// CHECK-LABEL: func @scopes(
func.func @scopes(%n: index) -> index {
  // CHECK: %[[R:.*]] = memref.alloca_scope -> (index) {
  // CHECK-NEXT: memref.alloca_scope.return %{{.*}} : index
  %r = memref.alloca_scope -> (index) {
    memref.alloca_scope.return %n : index
  }
  // CHECK: memref.alloca_scope {
  // CHECK-NEXT: memref.alloca
  // CHECK-NEXT: }
  memref.alloca_scope {
    %a = memref.alloca(%n) : memref<?xi8>
  }
  return %r : index
}

// CHECK-LABEL: func @access(
// CHECK-SAME: %[[M:.*]]: memref<4x?xf32>, %[[F:.*]]: memref<4x?xf32>, %[[I:.*]]: index
func.func @access(%m: memref<4x?xf32>, %f: memref<4x?xf32>, %i: index) {
  // CHECK: %[[V:.*]] = memref.load %[[M]][%[[I]], %[[I]]] : memref<4x?xf32>
  %v = memref.load %m[%i, %i] : memref<4x?xf32>
  // CHECK: memref.load %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<4x?xf32>
  %w = memref.load %m[%i, %i] {nontemporal = true, alignment = 16} : memref<4x?xf32>
  // CHECK: memref.store %[[V]], %[[F]][%[[I]], %[[I]]] : memref<4x?xf32>
  memref.store %v, %f[%i, %i] : memref<4x?xf32>
  // CHECK: memref.store %{{.*}} {nontemporal = true} : memref<4x?xf32>
  memref.store %v, %f[%i, %i] {nontemporal = true} : memref<4x?xf32>
  // CHECK: memref.prefetch %[[M]][%[[I]], %[[I]]], write, locality<2>, data : memref<4x?xf32>
  memref.prefetch %m[%i, %i], write, locality<2>, data : memref<4x?xf32>
  // CHECK: memref.copy %[[M]], %[[F]] : memref<4x?xf32> to memref<4x?xf32>
  memref.copy %m, %f : memref<4x?xf32> to memref<4x?xf32>
  // CHECK: memref.atomic_rmw addf %[[V]], %[[M]][%[[I]], %[[I]]] : (f32, memref<4x?xf32>) -> f32
  %x = memref.atomic_rmw addf %v, %m[%i, %i] : (f32, memref<4x?xf32>) -> f32
  // CHECK: memref.generic_atomic_rmw %[[M]][%[[I]], %[[I]]] : memref<4x?xf32> {
  // CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32):
  // CHECK-NEXT: memref.atomic_yield %[[OLD]] : f32
  %y = memref.generic_atomic_rmw %m[%i, %i] : memref<4x?xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %old : f32
  }
  return
}

// CHECK-LABEL: func @questions(
// CHECK-SAME: %[[M:.*]]: memref<4x?xf32>, %[[I:.*]]: index
func.func @questions(%m: memref<4x?xf32>, %i: index) {
  // CHECK: memref.dim %[[M]], %[[I]] : memref<4x?xf32>
  %d = memref.dim %m, %i : memref<4x?xf32>
  // CHECK: memref.rank %[[M]] : memref<4x?xf32>
  %r = memref.rank %m : memref<4x?xf32>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[M]] : memref<4x?xf32> -> memref<f32>, index, index, index, index, index
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<4x?xf32> -> memref<f32>, index, index, index, index, index
  // CHECK: memref.extract_aligned_pointer_as_index %[[M]] : memref<4x?xf32> -> index
  %p = memref.extract_aligned_pointer_as_index %m : memref<4x?xf32> -> index
  return
}

// CHECK-LABEL: func @casts(
// CHECK-SAME: %[[M:.*]]: memref<8xf32>, %[[B:.*]]: memref<2048xi8>, %[[I:.*]]: index
func.func @casts(%m: memref<8xf32>, %b: memref<2048xi8>, %i: index) {
  // CHECK: memref.cast %[[M]] : memref<8xf32> to memref<?xf32>
  %c = memref.cast %m : memref<8xf32> to memref<?xf32>
  // CHECK: memref.cast %[[M]] : memref<8xf32> to memref<*xf32>
  %u = memref.cast %m : memref<8xf32> to memref<*xf32>
  // CHECK: memref.memory_space_cast %[[M]] : memref<8xf32> to memref<8xf32, 3>
  %s = memref.memory_space_cast %m : memref<8xf32> to memref<8xf32, 3>
  // CHECK: memref.assume_alignment %[[M]], 64 : memref<8xf32>
  %a = memref.assume_alignment %m, 64 : memref<8xf32>
  // CHECK: memref.distinct_objects %[[M]], %[[B]] : memref<8xf32>, memref<2048xi8>
  %x:2 = memref.distinct_objects %m, %b : memref<8xf32>, memref<2048xi8>
  // CHECK: memref.reinterpret_cast %[[M]] to offset: [%[[I]]], sizes: [2, %[[I]]], strides: [4, 1] : memref<8xf32> to memref<2x?xf32, strided<[4, 1], offset: ?>>
  %r = memref.reinterpret_cast %m to offset: [%i], sizes: [2, %i], strides: [4, 1] : memref<8xf32> to memref<2x?xf32, strided<[4, 1], offset: ?>>
  // CHECK: memref.view %[[B]][%[[I]]][%[[I]]] : memref<2048xi8> to memref<?x4xf32>
  %v = memref.view %b[%i][%i] : memref<2048xi8> to memref<?x4xf32>
  return
}

// CHECK-LABEL: func @views(
// CHECK-SAME: %[[M:.*]]: memref<8x16xf32>, %[[I:.*]]: index, %[[S:.*]]: memref<2xi32>
func.func @views(%m: memref<8x16xf32>, %i: index, %s: memref<2xi32>) {
  // CHECK: memref.subview %[[M]][0, %[[I]]] [4, 8] [2, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[32, 1], offset: ?>>
  %0 = memref.subview %m[0, %i] [4, 8] [2, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[32, 1], offset: ?>>
  // CHECK: memref.subview %[[M]][3, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 48>>
  %1 = memref.subview %m[3, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: 48>>
  // CHECK: memref.transpose %[[M]] (d0, d1) -> (d1, d0) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>
  %2 = memref.transpose %m (i, j) -> (j, i) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>
  // CHECK: %[[E:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1], [2]] output_shape [2, 4, 16] : memref<8x16xf32> into memref<2x4x16xf32>
  %3 = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 16] : memref<8x16xf32> into memref<2x4x16xf32>
  // CHECK: memref.collapse_shape %[[E]] {{\[\[}}0, 1, 2]] : memref<2x4x16xf32> into memref<128xf32>
  %4 = memref.collapse_shape %3 [[0, 1, 2]] : memref<2x4x16xf32> into memref<128xf32>
  // CHECK: memref.reshape %[[M]](%[[S]]) : (memref<8x16xf32>, memref<2xi32>) -> memref<?x?xf32>
  %5 = memref.reshape %m(%s) : (memref<8x16xf32>, memref<2xi32>) -> memref<?x?xf32>
  return
}

// CHECK-LABEL: func @dma(
// CHECK-SAME: %[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<64xf32, 2>, %[[T:.*]]: memref<1xi32>, %[[I:.*]]: index
func.func @dma(%a: memref<64xf32>, %b: memref<64xf32, 2>, %t: memref<1xi32>, %i: index) {
  // CHECK: memref.dma_start %[[A]][%[[I]]], %[[B]][%[[I]]], %[[I]], %[[T]][%[[I]]] : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>
  memref.dma_start %a[%i], %b[%i], %i, %t[%i] : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>
  // CHECK: memref.dma_start %{{.*}}, %[[I]], %[[I]] : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>
  memref.dma_start %a[%i], %b[%i], %i, %t[%i], %i, %i : memref<64xf32>, memref<64xf32, 2>, memref<1xi32>
  // CHECK: memref.dma_wait %[[T]][%[[I]]], %[[I]] : memref<1xi32>
  memref.dma_wait %t[%i], %i : memref<1xi32>
  return
}
