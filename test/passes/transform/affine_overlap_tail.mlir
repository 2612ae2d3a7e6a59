// RUN: terrace-opt %s -affine-overlap-tail -mlir-pass-statistics 2>&1 | FileCheck %s

// The last vector loads before the loop stores, and stores behind it. Shorter rows go one by one.
// CHECK-LABEL: func.func @copy
// CHECK: affine.if #[[ENOUGH:.*]]()[%[[N:.*]]] {
// CHECK: %[[AT:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[LAST:.*]] = vector.transfer_read %{{.*}}[%[[AT]]]
// CHECK: affine.for %[[J:.*]] = 0 to #{{.*}}()[%[[N]]] step 8 {
// CHECK: %[[V:.*]] = vector.transfer_read %{{.*}}[%[[J]]]
// CHECK: vector.transfer_write %[[V]], %{{.*}}[%[[J]]]
// CHECK: }
// CHECK: vector.transfer_write %[[LAST]], %{{.*}}[%[[AT]]]
// CHECK: } else {
// CHECK: affine.for %{{.*}} = 0 to %[[N]] {
// CHECK: }
func.func @copy(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  affine.for %j = 0 to affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%n] step 8 {
    %c = arith.constant 0.0 : f32
    %v = vector.transfer_read %a[%j], %c {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
    vector.transfer_write %v, %b[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  }
  affine.for %j = max affine_map<()[s0] -> (0, (s0 floordiv 8) * 8)>()[%n] to %n {
    %v = affine.load %a[%j] : memref<?xf32>
    affine.store %v, %b[%j] : memref<?xf32>
  } {loop.left_over}
  return
}

// In place, with bounds that are known: the last vector is loaded before it is changed.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: affine.if
// CHECK: %[[LAST:.*]] = vector.transfer_read
// CHECK: %[[TWICE:.*]] = arith.addf %[[LAST]], %[[LAST]]
// CHECK: affine.for %[[J:.*]] = 1 to 22 step 8 {
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%[[J]]]
// CHECK: vector.transfer_write %[[TWICE]]
// CHECK-NEXT: return
func.func @in_place(%a: memref<40xf32>) {
  affine.for %j = 1 to 25 step 8 {
    %c = arith.constant 0.0 : f32
    %v = vector.transfer_read %a[%j], %c {in_bounds = [true]} : memref<40xf32>, vector<8xf32>
    %w = arith.addf %v, %v : vector<8xf32>
    vector.transfer_write %w, %a[%j] {in_bounds = [true]} : vector<8xf32>, memref<40xf32>
  }
  affine.for %j = 25 to 30 {
    %v = affine.load %a[%j] : memref<40xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %a[%j] : memref<40xf32>
  } {loop.left_over}
  return
}

// What is loaded behind a store to it would not be stored yet.
// CHECK-LABEL: func.func @behind
// CHECK-NOT: affine.if
// CHECK: loop.left_over
func.func @behind(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  affine.for %j = 1 to affine_map<()[s0] -> (((s0 - 1) floordiv 8) * 8 + 1)>()[%n] step 8 {
    %c = arith.constant 0.0 : f32
    %x = arith.constant dense<1.0> : vector<8xf32>
    vector.transfer_write %x, %a[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
    %k = affine.apply affine_map<(d0) -> (d0 - 1)>(%j)
    %v = vector.transfer_read %a[%k], %c {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
    vector.transfer_write %v, %b[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  }
  affine.for %j = max affine_map<()[s0] -> (1, ((s0 - 1) floordiv 8) * 8 + 1)>()[%n] to %n {
    %x = arith.constant 1.0 : f32
    affine.store %x, %a[%j] : memref<?xf32>
    %v = affine.load %a[%j - 1] : memref<?xf32>
    affine.store %v, %b[%j] : memref<?xf32>
  } {loop.left_over}
  return
}

// Nor where C only knows that two arrays lie apart or are the same.
// CHECK-LABEL: func.func @perhaps_the_same
// CHECK-NOT: affine.if
// CHECK: loop.left_over
func.func @perhaps_the_same(%a: memref<?xf32> {acc.overlaps = array<i64: 1>}, %b: memref<?xf32>, %d: memref<?xf32>, %n: index) {
  affine.for %j = 0 to affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%n] step 8 {
    %c = arith.constant 0.0 : f32
    %x = arith.constant dense<1.0> : vector<8xf32>
    vector.transfer_write %x, %a[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
    %v = vector.transfer_read %b[%j], %c {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
    vector.transfer_write %v, %d[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  }
  affine.for %j = max affine_map<()[s0] -> (0, (s0 floordiv 8) * 8)>()[%n] to %n {
    %x = arith.constant 1.0 : f32
    affine.store %x, %a[%j] : memref<?xf32>
    %v = affine.load %b[%j] : memref<?xf32>
    affine.store %v, %d[%j] : memref<?xf32>
  } {loop.left_over}
  return
}

// One iteration that is left over takes less than a vector.
// CHECK-LABEL: func.func @one
// CHECK: affine.for %{{.*}} = 0 to 16 step 8
// CHECK: loop.left_over
func.func @one(%a: memref<40xf32>, %b: memref<40xf32>) {
  affine.for %j = 0 to 16 step 8 {
    %c = arith.constant 0.0 : f32
    %v = vector.transfer_read %a[%j], %c {in_bounds = [true]} : memref<40xf32>, vector<8xf32>
    %w = arith.addf %v, %v : vector<8xf32>
    %x = arith.mulf %w, %v : vector<8xf32>
    vector.transfer_write %x, %b[%j] {in_bounds = [true]} : vector<8xf32>, memref<40xf32>
  }
  affine.for %j = 16 to 17 {
    %v = affine.load %a[%j] : memref<40xf32>
    affine.store %v, %b[%j] : memref<40xf32>
  } {loop.left_over}
  return
}

// A value that is carried, and a rest that is another loop's, stay.
// CHECK-LABEL: func.func @another
// CHECK-NOT: affine.if
// CHECK: loop.left_over
func.func @another(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index) {
  affine.for %j = 0 to affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%n] step 8 {
    %c = arith.constant 0.0 : f32
    %v = vector.transfer_read %a[%j], %c {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
    vector.transfer_write %v, %b[%j] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  }
  affine.for %j = 0 to %m {
    %v = affine.load %a[%j] : memref<?xf32>
    affine.store %v, %b[%j] : memref<?xf32>
  } {loop.left_over}
  return
}

// CHECK: (S) 2 num-loops
