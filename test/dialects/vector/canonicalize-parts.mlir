// What is taken from a vector is looked for in what made it.
//
// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @of_broadcast(
// CHECK-SAME: %[[S:.*]]: f32, %[[V:.*]]: vector<2x1xf32>, %[[I:.*]]: index)
func.func @of_broadcast(%s: f32, %v: vector<2x1xf32>, %i: index) -> (vector<4xf32>, f32, vector<2x1xf32>, vector<4xf32>) {
  %0 = vector.broadcast %s : f32 to vector<3x4xf32>
  // CHECK: %[[A:.*]] = vector.broadcast %[[S]] : f32 to vector<4xf32>
  %a = vector.extract %0[%i] : vector<4xf32> from vector<3x4xf32>
  %1 = vector.broadcast %v : vector<2x1xf32> to vector<5x2x4xf32>
  // CHECK: %[[B:.*]] = vector.extract %[[V]][%[[I]], 0] : f32 from vector<2x1xf32>
  %b = vector.extract %1[3, %i, 2] : f32 from vector<5x2x4xf32>
  %2 = vector.broadcast %v : vector<2x1xf32> to vector<5x2x1xf32>
  %c = vector.extract %2[4] : vector<2x1xf32> from vector<5x2x1xf32>
  // What is stretched inside of the part is no part of the source.
  // CHECK: %[[D:.*]] = vector.extract %{{.*}}[4, 1] : vector<4xf32> from vector<5x2x4xf32>
  %d = vector.extract %1[4, 1] : vector<4xf32> from vector<5x2x4xf32>
  // CHECK: return %[[A]], %[[B]], %[[V]], %[[D]]
  return %a, %b, %c, %d : vector<4xf32>, f32, vector<2x1xf32>, vector<4xf32>
}

// CHECK-LABEL: func.func @of_reshaped(
// CHECK-SAME: %[[V:.*]]: vector<3x4x5xf32>)
func.func @of_reshaped(%v: vector<3x4x5xf32>) -> (vector<5xf32>, vector<3xf32>, f32, vector<10xf32>) {
  %0 = vector.transpose %v, [1, 0, 2] : vector<3x4x5xf32> to vector<4x3x5xf32>
  // CHECK: %[[A:.*]] = vector.extract %[[V]][2, 1] : vector<5xf32>
  %a = vector.extract %0[1, 2] : vector<5xf32> from vector<4x3x5xf32>
  // The row of a transpose is no row of the source.
  %1 = vector.transpose %v, [1, 2, 0] : vector<3x4x5xf32> to vector<4x5x3xf32>
  // CHECK: %[[T:.*]] = vector.transpose %[[V]], [1, 2, 0]
  // CHECK: %[[B:.*]] = vector.extract %[[T]][1, 2] : vector<3xf32>
  %b = vector.extract %1[1, 2] : vector<3xf32> from vector<4x5x3xf32>
  %2 = vector.shape_cast %v : vector<3x4x5xf32> to vector<6x10xf32>
  // CHECK: vector.shape_cast
  // CHECK: %[[C:.*]] = vector.extract %[[V]][1, 1, 2] : f32
  %c = vector.extract %2[2, 7] : f32 from vector<6x10xf32>
  // CHECK: %[[D:.*]] = vector.extract %{{.*}}[2] : vector<10xf32>
  %d = vector.extract %2[2] : vector<10xf32> from vector<6x10xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %a, %b, %c, %d : vector<5xf32>, vector<3xf32>, f32, vector<10xf32>
}

// CHECK-LABEL: func.func @of_boxes(
// CHECK-SAME: %[[V:.*]]: vector<8x6xf32>, %[[W:.*]]: vector<2x3xf32>)
func.func @of_boxes(%v: vector<8x6xf32>, %w: vector<2x3xf32>) -> (f32, f32, f32, vector<6xf32>, vector<1x2xf32>, vector<2x3xf32>) {
  %0 = vector.extract_strided_slice %v {offsets = [2, 1], sizes = [3, 4], strides = [1, 1]} : vector<8x6xf32> to vector<3x4xf32>
  // CHECK: %[[A:.*]] = vector.extract %[[V]][3, 3] : f32
  %a = vector.extract %0[1, 2] : f32 from vector<3x4xf32>
  %1 = vector.insert_strided_slice %w, %v {offsets = [4, 2], strides = [1, 1]} : vector<2x3xf32> into vector<8x6xf32>
  // CHECK: %[[M:.*]] = vector.insert_strided_slice %[[W]], %[[V]]
  // CHECK: %[[B:.*]] = vector.extract %[[W]][1, 0] : f32
  %b = vector.extract %1[5, 2] : f32 from vector<8x6xf32>
  // CHECK: %[[C:.*]] = vector.extract %[[V]][5, 5] : f32
  %c = vector.extract %1[5, 5] : f32 from vector<8x6xf32>
  // A row that is partly what was inserted is of both.
  // CHECK: %[[D:.*]] = vector.extract %[[M]][5] : vector<6xf32>
  %d = vector.extract %1[5] : vector<6xf32> from vector<8x6xf32>
  // CHECK: %[[E:.*]] = vector.extract_strided_slice %[[W]] {offsets = [1, 1], sizes = [1, 2], strides = [1, 1]}
  %e = vector.extract_strided_slice %1 {offsets = [5, 3], sizes = [1, 2], strides = [1, 1]} : vector<8x6xf32> to vector<1x2xf32>
  // CHECK: %[[F:.*]] = vector.extract_strided_slice %[[M]] {offsets = [5, 3]
  %f = vector.extract_strided_slice %1 {offsets = [5, 3], sizes = [2, 3], strides = [1, 1]} : vector<8x6xf32> to vector<2x3xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, vector<6xf32>, vector<1x2xf32>, vector<2x3xf32>
}

// CHECK-LABEL: func.func @constants(
func.func @constants() -> (i32, vector<2xi32>, vector<2x2xi32>, vector<3x2xi32>, vector<3xi32>, i1, vector<3xf32>) {
  %v = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>
  %m = arith.constant dense<[true, false]> : vector<2xi1>
  %n = arith.constant -7 : i32
  %w = arith.constant dense<[8, 9, 10]> : vector<3xi32>
  %f = arith.constant -0.0 : f32
  %g = arith.constant 2.5 : f32
  // CHECK-DAG: %[[A:.*]] = arith.constant 6 : i32
  %a = vector.extract %v[1, 2] : i32 from vector<2x3xi32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<[5, 4]> : vector<2xi32>
  %r = vector.extract %v[1] : vector<3xi32> from vector<2x3xi32>
  %b = vector.shuffle %r, %w [1, 0] : vector<3xi32>, vector<3xi32>
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[\[}}2, 3], [5, 6]]> : vector<2x2xi32>
  %c = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xi32> to vector<2x2xi32>
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : vector<3x2xi32>
  %d = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
  // CHECK-DAG: %[[E:.*]] = arith.constant dense<[8, -7, 10]> : vector<3xi32>
  %e = vector.insert %n, %w[1] : i32 into vector<3xi32>
  // CHECK-DAG: %[[F:.*]] = arith.constant true
  %p = vector.extract %m[0] : i1 from vector<2xi1>
  // CHECK-DAG: %[[G:.*]] = arith.constant dense<[-0.000000e+00, 2.500000e+00, -0.000000e+00]> : vector<3xf32>
  %h = vector.from_elements %f, %g, %f : vector<3xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]]
  return %a, %b, %c, %d, %e, %p, %h : i32, vector<2xi32>, vector<2x2xi32>, vector<3x2xi32>, vector<3xi32>, i1, vector<3xf32>
}

// CHECK-LABEL: func.func @inserts(
// CHECK-SAME: %[[V:.*]]: vector<2x2xf32>, %[[R:.*]]: vector<2xf32>, %[[X:.*]]: f32, %[[I:.*]]: index)
func.func @inserts(%v: vector<2x2xf32>, %r: vector<2xf32>, %x: f32, %i: index) -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[R]]
  // CHECK: %[[A:.*]] = vector.from_elements %[[E]]#0, %[[E]]#1, %[[X]], %[[X]] : vector<2x2xf32>
  %0 = vector.insert %r, %v[0] : vector<2xf32> into vector<2x2xf32>
  %1 = vector.insert %x, %0[1, 0] : f32 into vector<2x2xf32>
  %a = vector.insert %x, %1[1, 1] : f32 into vector<2x2xf32>
  // One element is that of the vector still.
  // CHECK: %[[B0:.*]] = vector.insert %[[R]], %[[V]] [0]
  // CHECK: %[[B:.*]] = vector.insert %[[X]], %[[B0]] [1, 0]
  %2 = vector.insert %r, %v[0] : vector<2xf32> into vector<2x2xf32>
  %b = vector.insert %x, %2[1, 0] : f32 into vector<2x2xf32>
  // CHECK: %[[C:.*]] = vector.insert %[[X]], %[[V]] [%[[I]], 1]
  %3 = vector.insert %x, %v[%i, 1] : f32 into vector<2x2xf32>
  %c = vector.insert %x, %3[%i, 1] : f32 into vector<2x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %a, %b, %c : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
}

// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME: %[[V:.*]]: vector<2x1xf32>, %[[W:.*]]: vector<3x4xf32>)
func.func @reshapes(%v: vector<2x1xf32>, %w: vector<3x4xf32>) -> (vector<5x2x1xf32>, vector<1x2x6xf32>, vector<3x4xf32>, vector<2x3x1xf32>, vector<4x1x3xf32>) {
  %0 = vector.broadcast %v : vector<2x1xf32> to vector<1x2x1xf32>
  // CHECK: %[[A:.*]] = vector.broadcast %[[V]] : vector<2x1xf32> to vector<5x2x1xf32>
  %a = vector.broadcast %0 : vector<1x2x1xf32> to vector<5x2x1xf32>
  // Ones in front of what was stretched are no difference.
  %1 = vector.broadcast %v : vector<2x1xf32> to vector<2x6xf32>
  // CHECK: %[[B:.*]] = vector.broadcast %[[V]] : vector<2x1xf32> to vector<1x2x6xf32>
  %b = vector.shape_cast %1 : vector<2x6xf32> to vector<1x2x6xf32>
  %2 = vector.transpose %w, [1, 0] : vector<3x4xf32> to vector<4x3xf32>
  %c = vector.transpose %2, [1, 0] : vector<4x3xf32> to vector<3x4xf32>
  %3 = vector.broadcast %v : vector<2x1xf32> to vector<3x2x1xf32>
  // CHECK: %[[D0:.*]] = vector.broadcast %[[V]] : vector<2x1xf32> to vector<3x2x1xf32>
  // CHECK: %[[D:.*]] = vector.transpose %[[D0]], [1, 0, 2]
  %d = vector.transpose %3, [1, 0, 2] : vector<3x2x1xf32> to vector<2x3x1xf32>
  // CHECK: %[[E0:.*]] = vector.shape_cast %[[W]]
  // CHECK: %[[E:.*]] = vector.transpose %[[E0]], [2, 1, 0]
  %4 = vector.shape_cast %w : vector<3x4xf32> to vector<3x1x4xf32>
  %e = vector.transpose %4, [2, 1, 0] : vector<3x1x4xf32> to vector<4x1x3xf32>
  // CHECK: return %[[A]], %[[B]], %[[W]], %[[D]], %[[E]]
  return %a, %b, %c, %d, %e : vector<5x2x1xf32>, vector<1x2x6xf32>, vector<3x4xf32>, vector<2x3x1xf32>, vector<4x1x3xf32>
}

// The elements of the cast come from where the broadcast had them from, not from where a broadcast to
// its type would have them from.
// CHECK-LABEL: func.func @other_places(
// CHECK-SAME: %[[V:.*]]: vector<2x1xf32>)
func.func @other_places(%v: vector<2x1xf32>) -> (vector<2x2x1xf32>, vector<2x1x2xf32>) {
  // CHECK: %[[W:.*]] = vector.broadcast %[[V]] : vector<2x1xf32> to vector<2x2xf32>
  %0 = vector.broadcast %v : vector<2x1xf32> to vector<2x2xf32>
  // CHECK: vector.shape_cast %[[W]] : vector<2x2xf32> to vector<2x2x1xf32>
  %1 = vector.shape_cast %0 : vector<2x2xf32> to vector<2x2x1xf32>
  // CHECK: vector.shape_cast %[[W]] : vector<2x2xf32> to vector<2x1x2xf32>
  %2 = vector.shape_cast %0 : vector<2x2xf32> to vector<2x1x2xf32>
  return %1, %2 : vector<2x2x1xf32>, vector<2x1x2xf32>
}

// Elements side by side are a part; others are not.
// CHECK-LABEL: func.func @side_by_side(
// CHECK-SAME: %[[V:.*]]: vector<2x4xf32>)
func.func @side_by_side(%v: vector<2x4xf32>) -> (vector<2x2xf32>, vector<2xf32>) {
  // CHECK: %[[B:.*]] = vector.extract %[[V]][1, 1] : f32
  // CHECK: %[[C:.*]] = vector.extract %[[V]][1, 2] : f32
  // CHECK: %[[ROW:.*]] = vector.extract %[[V]][1] : vector<4xf32>
  // CHECK: %[[W:.*]] = vector.shape_cast %[[ROW]] : vector<4xf32> to vector<2x2xf32>
  %a = vector.extract %v[1, 0] : f32 from vector<2x4xf32>
  %b = vector.extract %v[1, 1] : f32 from vector<2x4xf32>
  %c = vector.extract %v[1, 2] : f32 from vector<2x4xf32>
  %d = vector.extract %v[1, 3] : f32 from vector<2x4xf32>
  %0 = vector.from_elements %a, %b, %c, %d : vector<2x2xf32>
  // CHECK: %[[X:.*]] = vector.from_elements %[[B]], %[[C]] : vector<2xf32>
  %1 = vector.from_elements %b, %c : vector<2xf32>
  // CHECK: return %[[W]], %[[X]]
  return %0, %1 : vector<2x2xf32>, vector<2xf32>
}
