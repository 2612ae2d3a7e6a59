// Masks of known sizes, their parts, and what is done under them.
//
// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %[[N:.*]]: index)
func.func @sizes(%n: index) -> (vector<4x3xi1>, vector<4x3xi1>, vector<4x3xi1>, vector<4x3xi1>, vector<[4]xi1>, vector<[4]xi1>) {
  %c9 = arith.constant 9 : index
  %c2 = arith.constant 2 : index
  %m1 = arith.constant -1 : index
  // CHECK-DAG: %[[ALL:.*]] = arith.constant dense<true> : vector<4x3xi1>
  // CHECK-DAG: %[[NONE:.*]] = arith.constant dense<false> : vector<4x3xi1>
  // CHECK-DAG: %[[LONG:.*]] = arith.constant dense<true> : vector<[4]xi1>
  // CHECK: %[[SOME:.*]] = vector.constant_mask [2, 3] : vector<4x3xi1>
  %0 = vector.create_mask %c2, %c9 : vector<4x3xi1>
  %1 = vector.create_mask %c9, %c9 : vector<4x3xi1>
  %2 = vector.create_mask %m1, %c9 : vector<4x3xi1>
  // CHECK: %[[OPEN:.*]] = vector.create_mask %{{.*}}, %[[N]]
  %3 = vector.create_mask %c2, %n : vector<4x3xi1>
  // A scalable vector is longer than any number may say.
  // CHECK: %[[SCALED:.*]] = vector.create_mask %{{.*}} : vector<[4]xi1>
  %4 = vector.create_mask %c9 : vector<[4]xi1>
  %s = vector.vscale
  %c4 = arith.constant 4 : index
  %whole = arith.muli %s, %c4 : index
  %5 = vector.create_mask %whole : vector<[4]xi1>
  // CHECK: return %[[SOME]], %[[ALL]], %[[NONE]], %[[OPEN]], %[[SCALED]], %[[LONG]]
  return %0, %1, %2, %3, %4, %5 : vector<4x3xi1>, vector<4x3xi1>, vector<4x3xi1>, vector<4x3xi1>, vector<[4]xi1>, vector<[4]xi1>
}

// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index)
func.func @parts(%n: index, %m: index) -> (vector<3xi1>, vector<3xi1>, vector<3xi1>, vector<2x2xi1>, vector<3x4xi1>, vector<2x2xi1>) {
  %c2 = arith.constant 2 : index
  // CHECK-DAG: %[[NONE:.*]] = arith.constant dense<false> : vector<3xi1>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  %0 = vector.create_mask %c2, %n : vector<4x3xi1>
  // CHECK: %[[A:.*]] = vector.create_mask %[[N]] : vector<3xi1>
  %a = vector.extract %0[1] : vector<3xi1> from vector<4x3xi1>
  %b = vector.extract %0[2] : vector<3xi1> from vector<4x3xi1>
  // Of a row nothing is known where its size is not.
  %1 = vector.create_mask %n, %m : vector<4x3xi1>
  // CHECK: %[[MASK:.*]] = vector.create_mask %[[N]], %[[M]]
  // CHECK: %[[C:.*]] = vector.extract %[[MASK]][1]
  %c = vector.extract %1[1] : vector<3xi1> from vector<4x3xi1>
  // CHECK: %[[LESS:.*]] = arith.subi %[[M]], %[[ONE]] : index
  // CHECK: %[[D:.*]] = vector.create_mask %[[N]], %[[LESS]] : vector<2x2xi1>
  %d = vector.extract_strided_slice %1 {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<4x3xi1> to vector<2x2xi1>
  // CHECK: %[[E:.*]] = vector.create_mask %[[M]], %[[N]] : vector<3x4xi1>
  %e = vector.transpose %1, [1, 0] : vector<4x3xi1> to vector<3x4xi1>
  %2 = vector.constant_mask [3, 2] : vector<4x3xi1>
  // CHECK: %[[F:.*]] = vector.constant_mask [1, 1] : vector<2x2xi1>
  %f = vector.extract_strided_slice %2 {offsets = [2, 1], sizes = [2, 2], strides = [1, 1]} : vector<4x3xi1> to vector<2x2xi1>
  // CHECK: return %[[A]], %[[NONE]], %[[C]], %[[D]], %[[E]], %[[F]]
  return %a, %b, %c, %d, %e, %f : vector<3xi1>, vector<3xi1>, vector<3xi1>, vector<2x2xi1>, vector<3x4xi1>, vector<2x2xi1>
}

// CHECK-LABEL: func.func @compared(
func.func @compared() -> (vector<4xi1>, vector<4xi1>, vector<4xi1>, vector<4xi1>) {
  %0 = vector.step : vector<4xindex>
  %c4 = arith.constant dense<4> : vector<4xindex>
  %c3 = arith.constant dense<3> : vector<4xindex>
  %m1 = arith.constant dense<-1> : vector<4xindex>
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<true> : vector<4xi1>
  // CHECK-DAG: %[[F:.*]] = arith.constant dense<false> : vector<4xi1>
  %a = arith.cmpi ult, %0, %c4 : vector<4xindex>
  // One of them is not below 3.
  // CHECK: %[[B:.*]] = arith.cmpi ult
  %b = arith.cmpi ult, %0, %c3 : vector<4xindex>
  // Without a sign -1 is the greatest number, with a sign it is below all.
  %c = arith.cmpi ule, %0, %m1 : vector<4xindex>
  %d = arith.cmpi sle, %0, %m1 : vector<4xindex>
  // CHECK: return %[[T]], %[[B]], %[[T]], %[[F]]
  return %a, %b, %c, %d : vector<4xi1>, vector<4xi1>, vector<4xi1>, vector<4xi1>
}

// CHECK-LABEL: func.func @under_masks(
// CHECK-SAME: %[[V:.*]]: vector<4xf32>, %[[M:.*]]: vector<4xi1>, %[[A:.*]]: memref<?xf32>)
func.func @under_masks(%v: vector<4xf32>, %m: vector<4xi1>, %a: memref<?xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %all = vector.constant_mask [4] : vector<4xi1>
  // CHECK: vector.transfer_write %[[V]], %[[A]]
  vector.mask %all { vector.transfer_write %v, %a[%c0] : vector<4xf32>, memref<?xf32> } : vector<4xi1>
  // CHECK: vector.mask %[[M]]
  vector.mask %m { vector.transfer_write %v, %a[%c0] : vector<4xf32>, memref<?xf32> } : vector<4xi1>
  // CHECK: return %[[V]]
  %0 = vector.mask %m { vector.yield %v : vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[V:.*]]: vector<1xf32>, %[[W:.*]]: vector<2xf32>, %[[A:.*]]: f32)
func.func @sums(%v: vector<1xf32>, %w: vector<2xf32>, %a: f32) -> (f32, f32, f32) {
  // CHECK: %[[X:.*]] = vector.extract %[[V]][0]
  %0 = vector.reduction <add>, %v : vector<1xf32> into f32
  // CHECK: %[[Y:.*]] = vector.extract %[[V]][0]
  // CHECK: %[[Z:.*]] = arith.mulf %[[Y]], %[[A]] fastmath<nnan> : f32
  %1 = vector.reduction <mul>, %v, %a fastmath<nnan> : vector<1xf32> into f32
  // CHECK: %[[U:.*]] = vector.reduction <add>, %[[W]]
  %2 = vector.reduction <add>, %w : vector<2xf32> into f32
  // CHECK: return %[[X]], %[[Z]], %[[U]]
  return %0, %1, %2 : f32, f32, f32
}
