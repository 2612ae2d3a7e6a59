// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @dead_allocation
// CHECK-NEXT: return
func.func @dead_allocation(%v: f32, %i: index) {
  %a = memref.alloc(%i) : memref<?xf32>
  memref.store %v, %a[%i] : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

// An allocation whose address is kept is not dead.
// CHECK-LABEL: func @stored_allocation
// CHECK: memref.alloc
// CHECK: memref.store
func.func @stored_allocation(%where: memref<memref<4xf32>>) {
  %a = memref.alloc() : memref<4xf32>
  memref.store %a, %where[] : memref<memref<4xf32>>
  return
}

// CHECK-LABEL: func @constant_sizes
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 32 : i64} : memref<4x?xf32>
// CHECK: memref.cast %[[A]] : memref<4x?xf32> to memref<?x?xf32>
func.func @constant_sizes(%n: index) -> memref<?x?xf32> {
  %c4 = arith.constant 4 : index
  %a = memref.alloc(%c4, %n) {alignment = 32} : memref<?x?xf32>
  return %a : memref<?x?xf32>
}

// CHECK-LABEL: func @negative_size_stays
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @negative_size_stays() -> memref<?xf32> {
  %c = arith.constant -1 : index
  %a = memref.alloc(%c) : memref<?xf32>
  return %a : memref<?xf32>
}

// CHECK-LABEL: func @copies
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>
// CHECK-NEXT: memref.copy %[[A]], %[[B]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: return
func.func @copies(%a: memref<4xf32>, %b: memref<4xf32>, %e: memref<0xf32>, %f: memref<0xf32>) {
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  memref.copy %e, %f : memref<0xf32> to memref<0xf32>
  %c = memref.cast %a : memref<4xf32> to memref<?xf32>
  memref.copy %c, %b : memref<?xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func @sizes
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<8x?xf32>
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: return %[[C8]], %[[N]], %[[N]], %[[C2]]
func.func @sizes(%n: index, %m: memref<8x?xf32>, %sink: memref<memref<?xf32>>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %m, %c0 : memref<8x?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %a, %sink[] : memref<memref<?xf32>>
  %1 = memref.dim %a, %c0 : memref<?xf32>
  %v = memref.subview %m[0, 0] [1, %n] [1, 1] : memref<8x?xf32> to memref<?xf32, strided<[1]>>
  %2 = memref.dim %v, %c0 : memref<?xf32, strided<[1]>>
  %3 = memref.rank %m : memref<8x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}

// CHECK-LABEL: func @dim_of_reshape
// CHECK: memref.reshape
// CHECK-NEXT: %[[L:.*]] = memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: return %{{.*}}, %[[L]]
func.func @dim_of_reshape(%m: memref<*xf32>, %s: memref<3xindex>, %i: index) -> (memref<*xf32>, index) {
  %c3 = arith.constant 3 : index
  %r = memref.reshape %m(%s) : (memref<*xf32>, memref<3xindex>) -> memref<*xf32>
  memref.store %i, %s[%i] : memref<3xindex>
  %d = memref.dim %r, %i : memref<*xf32>
  return %r, %d : memref<*xf32>, index
}

// CHECK-LABEL: func @access_through_cast
// CHECK-SAME: %[[M:.*]]: memref<8xf32>
// CHECK: %[[V:.*]] = memref.load %[[M]]
// CHECK: memref.store %[[V]], %[[M]]
// CHECK: memref.dealloc %[[M]]
func.func @access_through_cast(%m: memref<8xf32>, %i: index) {
  %c = memref.cast %m : memref<8xf32> to memref<?xf32>
  %v = memref.load %c[%i] : memref<?xf32>
  memref.store %v, %c[%i] : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  return
}

// CHECK-LABEL: func @subviews
// CHECK-SAME: %[[M:.*]]: memref<8x16xf32>
// CHECK-DAG: %[[V:.*]] = memref.subview %[[M]][2, 0] [4, 16] [1, 1] : memref<8x16xf32> to memref<4x16xf32, strided<[16, 1], offset: 32>>
// CHECK-DAG: %[[C:.*]] = memref.cast %[[V]]
// CHECK: return %[[C]], %[[M]]
func.func @subviews(%m: memref<8x16xf32>) -> (memref<?x16xf32, strided<[16, 1], offset: ?>>, memref<8x16xf32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %0 = memref.subview %m[%c2, 0] [%c4, 16] [1, 1] : memref<8x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
  %1 = memref.subview %m[0, 0] [8, 16] [1, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1]>>
  %2 = memref.cast %1 : memref<8x16xf32, strided<[16, 1]>> to memref<8x16xf32>
  return %0, %2 : memref<?x16xf32, strided<[16, 1], offset: ?>>, memref<8x16xf32>
}

// A slice that would be seen to leave its source keeps its operand.
// CHECK-LABEL: func @subview_out_of_bounds
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
func.func @subview_out_of_bounds(%m: memref<8xf32>) -> memref<4xf32, strided<[1], offset: ?>> {
  %c6 = arith.constant 6 : index
  %0 = memref.subview %m[%c6] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
  return %0 : memref<4xf32, strided<[1], offset: ?>>
}

// CHECK-LABEL: func @reshapes
// CHECK-SAME: %[[M:.*]]: memref<8x16xf32>
// CHECK: %[[E:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1, 2], [3]] output_shape [2, 2, 2, 16]
// CHECK: return %[[M]], %[[E]]
func.func @reshapes(%m: memref<8x16xf32>) -> (memref<8x16xf32>, memref<2x2x2x16xf32>) {
  %0 = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 16] : memref<8x16xf32> into memref<2x4x16xf32>
  %1 = memref.collapse_shape %0 [[0, 1], [2]] : memref<2x4x16xf32> into memref<8x16xf32>
  %2 = memref.expand_shape %0 [[0], [1, 2], [3]] output_shape [2, 2, 2, 16] : memref<2x4x16xf32> into memref<2x2x2x16xf32>
  return %1, %2 : memref<8x16xf32>, memref<2x2x2x16xf32>
}

// CHECK-LABEL: func @metadata_and_back
// CHECK-SAME: %[[M:.*]]: memref<8x?xf32>
// CHECK-NEXT: %[[C:.*]] = memref.cast %[[M]]
// CHECK-NEXT: return %[[C]]
func.func @metadata_and_back(%m: memref<8x?xf32>) -> memref<8x?xf32, strided<[?, 1]>> {
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<8x?xf32> -> memref<f32>, index, index, index, index, index
  %r = memref.reinterpret_cast %b to offset: [0], sizes: [8, %s#1], strides: [%t#0, 1] : memref<f32> to memref<8x?xf32, strided<[?, 1]>>
  return %r : memref<8x?xf32, strided<[?, 1]>>
}

// CHECK-LABEL: func @view_sizes
// CHECK: %[[V:.*]] = memref.view %{{.*}}[%{{.*}}][] : memref<2048xi8> to memref<4x8xf32>
// CHECK: memref.cast %[[V]] : memref<4x8xf32> to memref<?x8xf32>
func.func @view_sizes(%b: memref<2048xi8>, %i: index) -> memref<?x8xf32> {
  %c4 = arith.constant 4 : index
  %v = memref.view %b[%i][%c4] : memref<2048xi8> to memref<?x8xf32>
  return %v : memref<?x8xf32>
}

// CHECK-LABEL: func @transposes
// CHECK-SAME: %[[M:.*]]: memref<2x3x4xf32>
// CHECK: %[[T:.*]] = memref.transpose %[[M]] (d0, d1, d2) -> (d2, d0, d1)
// CHECK: return %[[T]]
func.func @transposes(%m: memref<2x3x4xf32>) -> memref<4x2x3xf32, strided<[1, 12, 4]>> {
  %0 = memref.transpose %m (i, j, k) -> (i, k, j) : memref<2x3x4xf32> to memref<2x4x3xf32, strided<[12, 1, 4]>>
  %1 = memref.transpose %0 (i, j, k) -> (j, i, k) : memref<2x4x3xf32, strided<[12, 1, 4]>> to memref<4x2x3xf32, strided<[1, 12, 4]>>
  return %1 : memref<4x2x3xf32, strided<[1, 12, 4]>>
}

// CHECK-LABEL: func @scope_without_allocation
// CHECK-NOT: alloca_scope
// CHECK: return %{{.*}} : index
func.func @scope_without_allocation(%n: index) -> index {
  %r = memref.alloca_scope -> (index) {
    %s = arith.addi %n, %n : index
    memref.alloca_scope.return %s : index
  }
  return %r : index
}

// The end of the scope is not the end of the function: the memory must go before.
// CHECK-LABEL: func @scope_with_allocation
// CHECK: memref.alloca_scope
func.func @scope_with_allocation(%n: index, %v: f32) -> f32 {
  %r = memref.alloca_scope -> (f32) {
    %a = memref.alloca(%n) : memref<?xf32>
    memref.store %v, %a[%n] : memref<?xf32>
    %l = memref.load %a[%n] : memref<?xf32>
    memref.alloca_scope.return %l : f32
  }
  %s = arith.addf %r, %r : f32
  return %s : f32
}
