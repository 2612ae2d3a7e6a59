// RUN: terrace-opt %s -gpu-map-scans -split-input-file | FileCheck %s
// RUN: terrace-opt %s -gpu-map-scans='mark-overwritten=true' -split-input-file | FileCheck %s --check-prefix=MARK

// A loop for few elements, a block for those that make no four tiles, and a block for each tile beyond.
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
    // CHECK: %[[WORDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
    // CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // CHECK: %[[ENDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // MARK: %[[WORDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
    // MARK-NEXT: xfer.discard %[[WORDS]]

    // Nothing is known of any tile.
    // CHECK: gpu.launch
    // CHECK: memref.store %c0_i32{{.*}}, %[[WORDS]][

    // A block takes the next tile, whose four elements of a thread are loaded before they are added.
    // CHECK: gpu.launch
    // CHECK-SAME: workgroup(%[[WARPS:.*]] : memref<8xi64, #gpu.address_space<workgroup>>, %[[BEGIN:.*]] : memref<1xi64, #gpu.address_space<workgroup>>, %[[TAKEN:.*]] : memref<1xi32, #gpu.address_space<workgroup>>)
    // CHECK: memref.atomic_rmw addi %{{.*}}, %[[WORDS]]
    // CHECK: gpu.barrier
    // CHECK-COUNT-4: memref.load %arg1[%{{.*}}] : memref<?xi64>
    // CHECK-COUNT-20: gpu.shuffle up
    // CHECK-COUNT-4: gpu.shuffle idx
    // CHECK: memref.store %{{.*}}, %[[WARPS]][
    // CHECK: gpu.barrier

    // The first one knows what it begins with.
    // CHECK: memref.store %{{.*}}, %[[ENDS]][
    // CHECK: gpu.store_release %c2_i32{{.*}}, %[[WORDS]][

    // The others tell what they come to, and look back for what is in front.
    // CHECK: memref.store %{{.*}}, %[[SUMS]][
    // CHECK: gpu.store_release %c1_i32{{.*}}, %[[WORDS]][
    // CHECK: scf.while
    // CHECK: scf.while
    // CHECK: gpu.load_acquire %[[WORDS]]
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK: memref.load %[[ENDS]][
    // CHECK: scf.for
    // CHECK: memref.load %[[SUMS]][
    // CHECK: scf.for
    // CHECK-NOT: gpu.shuffle
    // CHECK: gpu.shuffle idx
    // CHECK: gpu.store_release %c2_i32{{.*}}, %[[WORDS]][
    // CHECK: memref.store %{{.*}}, %[[BEGIN]][
    // CHECK: gpu.barrier
    // CHECK-COUNT-4: memref.store %{{.*}}, %arg2
    // What is left of a tile is done under a condition for each element.
    // CHECK-COUNT-4: scf.if %{{.*}} -> (i64)
    // CHECK: memref.dealloc %[[WORDS]]
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
// CHECK: %[[V:.*]] = memref.load %[[LAST]][%{{.*}}] : memref<1xi32>
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

// Rows: a block for each tile, or for each row, or a warp, which needs no workgroup memory.
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

// -----

// Rows that lie side by side: 8 or 32 of them in a tile, whose threads go along their elements without
// shuffles. Where they are many, or short, each has a thread.
// CHECK-LABEL: func.func @columns
// CHECK: arith.constant 256 : index
// CHECK: arith.constant 131072 : index
// CHECK: scf.if
// CHECK: scf.if
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[GROUPS:.*]] : memref<32x8xf32, #gpu.address_space<workgroup>>, %[[BEGIN:.*]] : memref<8xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<1xi32, #gpu.address_space<workgroup>>)
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[GROUPS]][
// CHECK: gpu.store_release %c1_i32
// CHECK: gpu.load_acquire
// CHECK: memref.store %{{.*}}, %[[BEGIN]][
// CHECK: gpu.store_release %c2_i32
// CHECK: } else {
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%{{.*}} : memref<8x32xf32, #gpu.address_space<workgroup>>
// CHECK: affine.for
func.func @columns(%m: index, %n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %m iter_args(%s = %z) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %x fastmath<reassoc> : f32
      affine.store %t, %B[%i, %j] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  return
}
