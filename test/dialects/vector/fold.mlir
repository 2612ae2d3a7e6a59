// RUN: terrace-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @identities
//  CHECK-SAME:   (%[[V:.*]]: vector<4xf32>, %[[M:.*]]: vector<2x4xf32>)
//  CHECK-NEXT:   return %[[V]], %[[V]], %[[V]], %[[M]], %[[V]], %[[V]]
func.func @identities(%v: vector<4xf32>, %m: vector<2x4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<2x4xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = vector.broadcast %v : vector<4xf32> to vector<4xf32>
  %1 = vector.shape_cast %v : vector<4xf32> to vector<4xf32>
  %2 = vector.bitcast %v : vector<4xf32> to vector<4xf32>
  %3 = vector.transpose %m, [0, 1] : vector<2x4xf32> to vector<2x4xf32>
  %4 = vector.shuffle %v, %v [4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %5 = vector.extract_strided_slice %v {offsets = [0], sizes = [4], strides = [1]} : vector<4xf32> to vector<4xf32>
  return %0, %1, %2, %3, %4, %5 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<2x4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func @round_trips
//  CHECK-SAME:   (%[[V:.*]]: vector<4xf32>)
//  CHECK-NEXT:   return %[[V]], %[[V]], %[[V]]
func.func @round_trips(%v: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
  %1 = vector.shape_cast %0 : vector<2x2xf32> to vector<4xf32>
  %2 = vector.bitcast %v : vector<4xf32> to vector<8xi16>
  %3 = vector.bitcast %2 : vector<8xi16> to vector<4xf32>
  %4:4 = vector.to_elements %v : vector<4xf32>
  %5 = vector.from_elements %4#0, %4#1, %4#2, %4#3 : vector<4xf32>
  return %1, %3, %5 : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func @constants
//   CHECK-DAG:   arith.constant dense<1.500000e+00> : vector<2x4xf32>
//   CHECK-DAG:   arith.constant dense<7> : vector<4x2xi32>
//   CHECK-DAG:   arith.constant dense<{{.*}}1, 2{{.*}}3, 4{{.*}}> : vector<2x2xi64>
//   CHECK-NOT:   vector.
func.func @constants() -> (vector<2x4xf32>, vector<4x2xi32>, vector<2x2xi64>) {
  %f = arith.constant 1.5 : f32
  %0 = vector.broadcast %f : f32 to vector<2x4xf32>
  %s = arith.constant dense<7> : vector<2x4xi32>
  %1 = vector.transpose %s, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
  %d = arith.constant dense<[1, 2, 3, 4]> : vector<4xi64>
  %2 = vector.shape_cast %d : vector<4xi64> to vector<2x2xi64>
  return %0, %1, %2 : vector<2x4xf32>, vector<4x2xi32>, vector<2x2xi64>
}

// CHECK-LABEL: func @extracts
//  CHECK-SAME:   (%[[M:.*]]: vector<2x4xf32>, %[[F:.*]]: f32, %[[G:.*]]: f32)
//  CHECK-NEXT:   %[[E:.*]] = vector.extract %[[M]][1, 2] : f32 from vector<2x4xf32>
//  CHECK-NEXT:   return %[[E]], %[[F]], %[[F]], %[[G]]
func.func @extracts(%m: vector<2x4xf32>, %f: f32, %g: f32) -> (f32, f32, f32, f32) {
  %c2 = arith.constant 2 : index
  %r = vector.extract %m[1] : vector<4xf32> from vector<2x4xf32>
  %0 = vector.extract %r[%c2] : f32 from vector<4xf32>
  %i = vector.insert %f, %r [3] : f32 into vector<4xf32>
  %1 = vector.extract %i[3] : f32 from vector<4xf32>
  %b = vector.broadcast %f : f32 to vector<4xf32>
  %2 = vector.extract %b[0] : f32 from vector<4xf32>
  %e = vector.from_elements %f, %g : vector<2xf32>
  %3 = vector.extract %e[1] : f32 from vector<2xf32>
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A position that becomes a constant goes into the op.
// CHECK-LABEL: func @insert_at
//       CHECK:   vector.insert %{{.*}}, %{{.*}} [1, 2] : f32 into vector<2x4xf32>
func.func @insert_at(%m: vector<2x4xf32>, %f: f32) -> vector<2x4xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = vector.insert %f, %m [%c1, %c2] : f32 into vector<2x4xf32>
  return %0 : vector<2x4xf32>
}
