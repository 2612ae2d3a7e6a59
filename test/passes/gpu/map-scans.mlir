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

// -----

// Rows that lie side by side: 8 or 32 of them in a tile, whose threads go along their elements without
// shuffles. Where they are many, or short, each has a thread.
// CHECK-LABEL: func.func @columns
// CHECK: arith.constant 256 : index
// CHECK: arith.constant 16384 : index
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

// -----

// The same with the loop over rows inside.
// CHECK-LABEL: func.func @turned
// CHECK: scf.if
// CHECK: gpu.store_release
// CHECK: affine.for %[[J:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.for %[[I:.*]] = 1 to %{{.*}} {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @turned(%m: index, %n: index, %B: memref<?x?xi32>) {
  affine.for %i = 1 to %m {
    affine.for %j = 0 to %n {
      %s = affine.load %B[%i - 1, %j] : memref<?x?xi32>
      %x = affine.load %B[%i, %j] : memref<?x?xi32>
      %t = arith.addi %s, %x : i32
      affine.store %t, %B[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// -----

// Rows depend on each other: the loops stay.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: gpu.launch
// CHECK: affine.for %{{.*}} = 1 to %arg0 {
// CHECK-NEXT: affine.for %{{.*}} = 1 to %arg1 {
func.func @diagonal(%m: index, %n: index, %B: memref<?x?xi32>) {
  affine.for %i = 1 to %m {
    affine.for %j = 1 to %n {
      %s = affine.load %B[%i - 1, %j - 1] : memref<?x?xi32>
      %x = affine.load %B[%i, %j] : memref<?x?xi32>
      %t = arith.addi %s, %x : i32
      affine.store %t, %B[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
