// RUN: terrace-opt %s -affine-jam-reuse | FileCheck %s

// What is loaded says where to load next, and lanes have no instruction for that: eight elements go
// through the table side by side.
// CHECK-LABEL: func.func @rounds
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: affine.for {{.*}} -> (i8, i8, i8, i8, i8, i8, i8, i8) {
// CHECK-COUNT-8: memref.load
// CHECK-NOT: memref.load
// CHECK: affine.yield
func.func @rounds(%text: memref<64xi8>, %box: memref<256xi8>) {
  affine.for %i = 0 to 64 {
    %x = affine.load %text[%i] : memref<64xi8>
    %r = affine.for %k = 0 to 100 iter_args(%y = %x) -> (i8) {
      %at = arith.index_castui %y : i8 to index
      %z = memref.load %box[%at] : memref<256xi8>
      affine.yield %z : i8
    }
    affine.store %r, %text[%i] : memref<64xi8>
  }
  return
}

// A sum of integers waits for a cycle, and has other work to do in it.
// CHECK-LABEL: func.func @sum
// CHECK: affine.for %{{.*}} = 0 to 64 {
func.func @sum(%a: memref<64x100xi32>, %s: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 64 {
    %r = affine.for %k = 0 to 100 iter_args(%y = %zero) -> (i32) {
      %x = affine.load %a[%i, %k] : memref<64x100xi32>
      %z = arith.addi %y, %x : i32
      affine.yield %z : i32
    }
    affine.store %r, %s[%i] : memref<64xi32>
  }
  return
}

// Lanes are jammed already.
// CHECK-LABEL: func.func @lanes
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
func.func @lanes(%a: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 64 step 8 {
    %x = vector.transfer_read %a[%i], %zero {in_bounds = [true]} : memref<64xi32>, vector<8xi32>
    %r = affine.for %k = 0 to 100 iter_args(%y = %x) -> (vector<8xi32>) {
      %z = arith.muli %y, %y : vector<8xi32>
      affine.yield %z : vector<8xi32>
    }
    vector.transfer_write %r, %a[%i] {in_bounds = [true]} : vector<8xi32>, memref<64xi32>
  }
  return
}
