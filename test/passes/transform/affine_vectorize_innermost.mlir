// RUN: terrace-opt %s -affine-vectorize-innermost | FileCheck %s
// RUN: terrace-opt %s -affine-vectorize-innermost=reassociate=true | FileCheck %s --check-prefix=ANY
// RUN: terrace-opt %s -affine-vectorize-innermost=bytes=32 | FileCheck %s --check-prefix=WIDE

// Two doubles at a time, and what is left over one by one.
// CHECK-LABEL: func.func @rows
// CHECK: affine.for %{{.*}} = 0 to #{{.*}}()[%{{.*}}] step 2 {
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : memref<?x?xf64>, vector<2xf64>
// CHECK: arith.mulf {{.*}} : vector<2xf64>
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<2xf64>, memref<?x?xf64>
// CHECK: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to %{{.*}} {
// CHECK: affine.store
// WIDE-LABEL: func.func @rows
// WIDE: vector<4xf64>
func.func @rows(%n: index, %A: memref<?x?xf64> {llvm.noalias}, %B: memref<?x?xf64> {llvm.noalias}, %x: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.mulf %a, %x : f64
      affine.store %b, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Nothing is left over; a load that stays is for all lanes.
// CHECK-LABEL: func.func @even
// CHECK: affine.for %{{.*}} = 0 to 64 step 4 {
// CHECK: vector<4xf32>
// CHECK: arith.cmpf olt, {{.*}} : vector<4xf32>
// CHECK: arith.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NOT: affine.store
// CHECK: return
func.func @even(%A: memref<64xf32> {llvm.noalias}, %s: memref<1xf32> {llvm.noalias}) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = affine.load %s[0] : memref<1xf32>
    %c = arith.cmpf olt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    affine.store %d, %A[%i] : memref<64xf32>
  }
  return
}

// Iterations that need one another, columns, elements of two widths, and a choice that is
// the same for all.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: vector
// CHECK: return
func.func @stay(%A: memref<64x64xf32> {llvm.noalias}, %B: memref<64xf64> {llvm.noalias}, %v: f32, %c: i1) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[0, %i] : memref<64x64xf32>
    %b = arith.select %c, %a, %v : f32
    affine.store %b, %A[1, %i] : memref<64x64xf32>
  }
  affine.for %i = 1 to 64 {
    %a = affine.load %A[0, %i - 1] : memref<64x64xf32>
    %b = arith.addf %a, %v : f32
    affine.store %b, %A[0, %i] : memref<64x64xf32>
  }
  affine.for %i = 0 to 64 {
    affine.store %v, %A[%i, 0] : memref<64x64xf32>
  }
  affine.for %i = 0 to 64 {
    %a = affine.load %A[0, %i] : memref<64x64xf32>
    %b = arith.extf %a : f32 to f64
    affine.store %b, %B[%i] : memref<64xf64>
  }
  return
}

// A sum of floats keeps its order unless it need not; one of integers has none.
// CHECK-LABEL: func.func @sums
// CHECK: affine.for {{.*}} -> (f32)
// CHECK: affine.for {{.*}} step 4 iter_args({{.*}}) -> (vector<4xi32>)
// CHECK: vector.reduction <add>
// ANY-LABEL: func.func @sums
// ANY: affine.for {{.*}} step 4 iter_args({{.*}}) -> (vector<4xf32>)
// ANY: vector.reduction <add>
func.func @sums(%A: memref<64xf32>, %B: memref<64xi32>, %zero: f32, %none: i32) -> (f32, i32) {
  %s = affine.for %i = 0 to 64 iter_args(%x = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %y = arith.addf %x, %a : f32
    affine.yield %y : f32
  }
  %t = affine.for %i = 0 to 64 iter_args(%x = %none) -> (i32) {
    %a = affine.load %B[%i] : memref<64xi32>
    %y = arith.addi %x, %a : i32
    affine.yield %y : i32
  }
  return %s, %t : f32, i32
}
