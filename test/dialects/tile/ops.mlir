// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Every op of the dialect, with its optional parts.

// CHECK-LABEL: func.func @load
func.func @load(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %j: index, %n: index, %m: vector<4x8xi1>, %pad: f32) {
  // CHECK: tile.load %{{.*}}[d0 + %{{.*}}, d1 + %{{.*}}] : memref<?x?xf32>, vector<4x8xf32>
  // GENERIC: "tile.load"(%{{.*}}, %{{.*}}, %{{.*}}) <{lower_dims = array<i64>, map = #{{.*}}, operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 0>, upper_dims = array<i64>}> : (memref<?x?xf32>, index, index) -> vector<4x8xf32>
  %0 = tile.load %A[%i + d0, %j + d1] : memref<?x?xf32>, vector<4x8xf32>
  // A transposed box, every other element, one row for all, and one dimension for two.
  // CHECK: tile.load %{{.*}}[d1, d0 * 2 + 1] : memref<?x?xf32>, vector<4x8xf32>
  %1 = tile.load %A[d1, 2 * d0 + 1] : memref<?x?xf32>, vector<4x8xf32>
  // CHECK: tile.load %{{.*}}[d1] : memref<?xf32>, vector<4x8xf32>
  %2 = tile.load %B[d1] : memref<?xf32>, vector<4x8xf32>
  // CHECK: tile.load %{{.*}}[d0 floordiv 4, d0 mod 4] : memref<?x?xf32>, vector<8xf32>
  %3 = tile.load %A[d0 floordiv 4, d0 mod 4] : memref<?x?xf32>, vector<8xf32>
  // No element depends on a dimension.
  // CHECK: tile.load %{{.*}}[%{{.*}}] : memref<?xf32>, vector<f32>
  %4 = tile.load %B[%i] : memref<?xf32>, vector<f32>
  // CHECK: tile.load %{{.*}}[%{{.*}}, d1] limits [_, %[[N:.*]]] pad %{{.*}} : memref<?x?xf32>, vector<1x8xf32>
  %5 = tile.load %A[%i, d1] limits [_, %n] pad %pad : memref<?x?xf32>, vector<1x8xf32>
  // CHECK: tile.load %{{.*}}[d0, d1] limits [%{{.*}} to %{{.*}}, %{{.*}} to _] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64} : memref<?x?xf32>, vector<4x8xf32>
  // GENERIC: lower_dims = array<i64: 0, 1>, {{.*}} operandSegmentSizes = array<i32: 1, 0, 2, 1, 0, 1>, upper_dims = array<i64: 0>
  %6 = tile.load %A[d0, d1] limits [%i to %n, %j to _] pad %pad {alignment = 16 : i64, granule = 4 : i64} : memref<?x?xf32>, vector<4x8xf32>
  // CHECK: tile.load %{{.*}}[d0, d1] mask %{{.*}} pad %{{.*}} : memref<?x?xf32>, vector<4x8xf32>
  // GENERIC: "tile.load"(%{{.*}}, %{{.*}}, %{{.*}}) <{{{.*}}operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 1>{{.*}} : (memref<?x?xf32>, vector<4x8xi1>, f32) -> vector<4x8xf32>
  %7 = tile.load %A[d0, d1] mask %m pad %pad : memref<?x?xf32>, vector<4x8xf32>
  // CHECK: tile.load %{{.*}}[d0, d1] limits [%{{.*}}] mask %{{.*}} pad %{{.*}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4x8xf32>
  %8 = tile.load %A[d0, d1] limits [%n] mask %m pad %pad {alignment = 16 : i64} : memref<?x?xf32>, vector<4x8xf32>
  return
}

// CHECK-LABEL: func.func @store
func.func @store(%A: memref<?x?xf32>, %B: memref<f32>, %i: index, %n: index, %v: vector<4x8xf32>, %m: vector<4x8xi1>, %w: vector<f32>) {
  // CHECK: tile.store %{{.*}}, %{{.*}}[d1, d0 + %{{.*}}] : vector<4x8xf32>, memref<?x?xf32>
  tile.store %v, %A[d1, %i + d0] : vector<4x8xf32>, memref<?x?xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[d0, d1] limits [%{{.*}}] {granule = 2 : i64} : vector<4x8xf32>, memref<?x?xf32>
  // GENERIC: "tile.store"(%{{.*}}, %{{.*}}, %{{.*}}) <{granule = 2 : i64, {{.*}}operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>
  tile.store %v, %A[d0, d1] limits [%n] {granule = 2 : i64} : vector<4x8xf32>, memref<?x?xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[d0, d1] limits [_, %{{.*}}] mask %{{.*}} {alignment = 8 : i64} : vector<4x8xf32>, memref<?x?xf32>
  // GENERIC: operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 1>
  tile.store %v, %A[d0, d1] limits [_, %n] mask %m {alignment = 8 : i64} : vector<4x8xf32>, memref<?x?xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[] : vector<f32>, memref<f32>
  tile.store %w, %B[] : vector<f32>, memref<f32>
  return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%v: vector<4x8xf32>, %x: f32, %row: vector<8xf32>, %k: vector<2x3x4xi32>, %init: vector<3xi32>, %n: index, %i: index) {
  // CHECK: tile.reduce addf %{{.*}}, %{{.*}} axes [0, 1] : vector<4x8xf32> -> f32
  // GENERIC: "tile.reduce"(%{{.*}}, %{{.*}}) <{axes = array<i64: 0, 1>, {{.*}}kind = 0 : i64
  %0 = tile.reduce addf %v, %x axes [0, 1] : vector<4x8xf32> -> f32
  // CHECK: tile.reduce maximumf %{{.*}}, %{{.*}} axes [0] limits [%{{.*}} to %{{.*}}] : vector<4x8xf32> -> vector<8xf32>
  %1 = tile.reduce maximumf %v, %row axes [0] limits [%i to %n] : vector<4x8xf32> -> vector<8xf32>
  // CHECK: tile.reduce mulf {{.*}} {fastmath = #arith.fastmath<reassoc>} : vector<4x8xf32> -> f32
  %2 = tile.reduce mulf %v, %x axes [0, 1] {fastmath = #arith.fastmath<reassoc>} : vector<4x8xf32> -> f32
  // CHECK: tile.reduce xori %{{.*}}, %{{.*}} axes [0, 2] limits [_, _, %{{.*}}] : vector<2x3x4xi32> -> vector<3xi32>
  %3 = tile.reduce xori %k, %init axes [0, 2] limits [_, _, %n] : vector<2x3x4xi32> -> vector<3xi32>
  return
}

// CHECK-LABEL: func.func @mask
func.func @mask(%n: index, %i: index) {
  // CHECK: tile.mask : vector<4xi1>
  %0 = tile.mask : vector<4xi1>
  // CHECK: tile.mask limits [_, %{{.*}} to %{{.*}}] : vector<4x8xi1>
  // GENERIC: "tile.mask"(%{{.*}}, %{{.*}}) <{lower_dims = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1>, upper_dims = array<i64: 1>}> : (index, index) -> vector<4x8xi1>
  %1 = tile.mask limits [_, %i to %n] : vector<4x8xi1>
  return
}

// CHECK-LABEL: func.func @convert
func.func @convert(%v: vector<4x8xf32>) {
  // CHECK: tile.convert %{{.*}} : vector<4x8xf32>
  %0 = tile.convert %v : vector<4x8xf32>
  return
}
