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

// What an iteration of the vector before has stored is not there yet, however far behind it is.
// CHECK-LABEL: func.func @far_behind
// CHECK-NOT: affine.if
// CHECK: loop.left_over
func.func @far_behind(%a: memref<?xi16>, %n: index) {
  affine.for %j = 8 to affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%n] step 8 {
    %c = arith.constant 0 : i16
    %k = affine.apply affine_map<(d0) -> (d0 - 8)>(%j)
    %v = vector.transfer_read %a[%k], %c {in_bounds = [true]} : memref<?xi16>, vector<8xi16>
    vector.transfer_write %v, %a[%j] {in_bounds = [true]} : vector<8xi16>, memref<?xi16>
  }
  affine.for %j = max affine_map<()[s0] -> (8, (s0 floordiv 8) * 8)>()[%n] to %n {
    %v = affine.load %a[%j - 8] : memref<?xi16>
    affine.store %v, %a[%j] : memref<?xi16>
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

// Nor do a few with much to compute, where a vector is two registers.
// CHECK-LABEL: func.func @much
// CHECK-NOT: affine.if
// CHECK: loop.left_over
func.func @much(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  affine.for %j = 0 to affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%n] step 4 {
    %c = arith.constant 0.0 : f64
    %0 = vector.transfer_read %a[%j], %c {in_bounds = [true]} : memref<?xf64>, vector<4xf64>
    %1 = arith.mulf %0, %0 : vector<4xf64>
    %2 = arith.addf %1, %0 : vector<4xf64>
    %3 = arith.mulf %2, %1 : vector<4xf64>
    %4 = arith.addf %3, %2 : vector<4xf64>
    %5 = arith.mulf %4, %3 : vector<4xf64>
    %6 = arith.addf %5, %4 : vector<4xf64>
    %7 = arith.mulf %6, %5 : vector<4xf64>
    %8 = arith.addf %7, %6 : vector<4xf64>
    %9 = arith.mulf %8, %7 : vector<4xf64>
    %10 = arith.addf %9, %8 : vector<4xf64>
    %11 = arith.mulf %10, %9 : vector<4xf64>
    %12 = arith.addf %11, %10 : vector<4xf64>
    %13 = arith.mulf %12, %11 : vector<4xf64>
    %14 = arith.addf %13, %12 : vector<4xf64>
    %15 = arith.mulf %14, %13 : vector<4xf64>
    %16 = arith.addf %15, %14 : vector<4xf64>
    %17 = arith.mulf %16, %15 : vector<4xf64>
    %18 = arith.addf %17, %16 : vector<4xf64>
    %19 = arith.mulf %18, %17 : vector<4xf64>
    %20 = arith.addf %19, %18 : vector<4xf64>
    %21 = arith.mulf %20, %19 : vector<4xf64>
    %22 = arith.addf %21, %20 : vector<4xf64>
    %23 = arith.mulf %22, %21 : vector<4xf64>
    %24 = arith.addf %23, %22 : vector<4xf64>
    %25 = arith.mulf %24, %23 : vector<4xf64>
    %26 = arith.addf %25, %24 : vector<4xf64>
    %27 = arith.mulf %26, %25 : vector<4xf64>
    %28 = arith.addf %27, %26 : vector<4xf64>
    %29 = arith.mulf %28, %27 : vector<4xf64>
    %30 = arith.addf %29, %28 : vector<4xf64>
    vector.transfer_write %30, %b[%j] {in_bounds = [true]} : vector<4xf64>, memref<?xf64>
  }
  affine.for %j = max affine_map<()[s0] -> (0, (s0 floordiv 4) * 4)>()[%n] to %n {
    %v = affine.load %a[%j] : memref<?xf64>
    %w = arith.mulf %v, %v : f64
    affine.store %w, %b[%j] : memref<?xf64>
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
