// RUN: terrace-opt %s -gpu-map-scans -split-input-file | FileCheck %s
// RUN: terrace-opt %s -gpu-map-scans='mark-overwritten=true' -split-input-file | FileCheck %s --check-prefix=MARK

// A loop for few elements, and one launch for those that make no four parts; else two.
// CHECK-LABEL: func.func @inclusive
// MARK-LABEL: func.func @inclusive
// MARK: xfer.discard %arg2
// CHECK: %[[LEAST:.*]] = arith.constant 2048 : index
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %[[LEAST]] : index
// CHECK: scf.if %[[MANY]] {
func.func @inclusive(%n: index, %A: memref<?xi64>, %B: memref<64xi64>) {
  %z = arith.constant 3 : i64
  affine.for %i = 0 to 64 iter_args(%s = %z) -> (i64) {
    // CHECK: scf.if %{{.*}} {
    // CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // MARK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // MARK-NEXT: xfer.discard %[[SUMS]]

    // Sums of parts: four elements of a thread are loaded before they are added.
    // CHECK: gpu.launch
    // CHECK-SAME: workgroup(%{{.*}} : memref<8xi64, #gpu.address_space<workgroup>>)
    // CHECK: scf.for
    // CHECK-COUNT-4: memref.load %arg1[%{{.*}}] : memref<?xi64>
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK: gpu.barrier
    // CHECK: memref.store %{{.*}}, %[[SUMS]]
    // The first keeps what the row begins with.
    // CHECK: memref.store %c3_i64, %[[SUMS]]

    // Each block adds up the parts in front of it, then goes along its own.
    // CHECK: gpu.launch
    // CHECK-SAME: workgroup(%[[WARPS:.*]] : memref<2x8xi64, #gpu.address_space<workgroup>>
    // CHECK: memref.load %[[SUMS]]
    // CHECK: gpu.barrier
    // CHECK: scf.for
    // CHECK-COUNT-4: memref.load %arg1[%{{.*}}] : memref<?xi64>
    // CHECK-COUNT-20: gpu.shuffle up
    // CHECK-COUNT-4: gpu.shuffle idx
    // CHECK: memref.store %{{.*}}, %[[WARPS]]
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.barrier
    // CHECK-COUNT-4: memref.store %{{.*}}, %arg2
    // What is left of a tile is done under a condition for each element.
    // CHECK: scf.if
    // CHECK-COUNT-4: scf.if %{{.*}} -> (i64)
    // CHECK: memref.dealloc %[[SUMS]]
    // CHECK: } else {
    // CHECK: gpu.launch
    // CHECK: } else {
    // CHECK: affine.for
    %x = affine.load %A[%i] : memref<?xi64>
    %t = arith.addi %s, %x : i64
    affine.store %t, %B[%i] : memref<64xi64>
    affine.yield %t : i64
  }
  return
}

// -----

// The last value comes back in an array of one element. The value before an element is
// that of the lane below, for the first lane what is in front of all.
// CHECK-LABEL: func.func @exclusive
// CHECK: scf.if %{{.*}} -> (i32) {
// CHECK: %[[LAST:.*]] = memref.alloc() : memref<1xi32>
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-COUNT-40: gpu.shuffle up
// CHECK-COUNT-8: gpu.shuffle idx
// CHECK: gpu.barrier
// CHECK: gpu.shuffle up
// CHECK: arith.addi
// CHECK-NEXT: arith.select
// CHECK: memref.store %{{.*}}, %[[LAST]]
// CHECK: %[[V:.*]] = memref.load %[[LAST]]
// CHECK-NEXT: memref.dealloc %[[LAST]]
// CHECK-NEXT: scf.yield %[[V]]
// CHECK: affine.for
func.func @exclusive(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) -> i32 {
  %z = arith.constant 0 : i32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.store %s, %B[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return %r : i32
}

// -----

// Rows: parts of them, a block each, or a warp each, which needs no workgroup memory.
// CHECK-LABEL: func.func @rows
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK: arith.constant 1024 : index
// CHECK: gpu.launch
// CHECK-NOT: workgroup
// CHECK-NOT: gpu.barrier
// CHECK: memref.store %{{.*}}, %arg4
// CHECK: gpu.launch
// CHECK-SAME: workgroup
// CHECK: affine.for
// CHECK: affine.for
func.func @rows(%m: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %S: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %r = 0 to %m {
    %r0 = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
      %x = affine.load %A[%r, %i] : memref<?x?xi32>
      %t = arith.addi %s, %x : i32
      affine.store %t, %B[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
    affine.store %r0, %S[%r] : memref<?xi32>
  }
  return
}
