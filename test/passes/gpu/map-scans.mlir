// RUN: terrace-opt %s -gpu-map-scans -split-input-file | FileCheck %s
// RUN: terrace-opt %s -gpu-map-scans='mark-overwritten=true' -split-input-file | FileCheck %s --check-prefix=MARK

// A loop for few elements, and one launch for those that make no four tiles of a block alone; else one pass.
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
    // CHECK: %[[WORDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // CHECK: %[[COUNTER:.*]] = memref.alloc() : memref<1xi32>
    // MARK: %[[WORDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
    // MARK-NEXT: xfer.discard %[[WORDS]]

    // Words are set to zero but for those of what the row begins with.
    // CHECK: gpu.launch
    // CHECK: memref.store %{{.*}}, %[[WORDS]][
    // CHECK: gpu.store_relaxed %{{.*}}, %[[WORDS]][
    // CHECK: gpu.store_relaxed %{{.*}}, %[[WORDS]][
    // CHECK: memref.store %{{.*}}, %[[COUNTER]][

    // A block has two tiles, of 12 numbers of 8 bytes for each thread. It takes one.
    // CHECK: gpu.launch
    // CHECK: memref.view {{.*}} to memref<2x6x256x2xi64, #gpu.address_space<workgroup>>
    // CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNTER]][
    // CHECK: gpu.barrier
    // CHECK: scf.while

    // It loads the tile, two numbers at once, scans it, keeps what is found, and tells the sum.
    // CHECK-COUNT-2: gpu.rows_aligned {{.*}} to 16
    // CHECK-COUNT-6: vector.load %arg1[%{{.*}}] {alignment = 16 : i64} : memref<?xi64>, vector<2xi64>
    // CHECK-COUNT-36: gpu.shuffle up
    // CHECK: vector.store {{.*}} : memref<2x6x256x2xi64
    // Of a tile with less in it there is a loop.
    // CHECK: scf.for
    // CHECK: memref.load %arg1[
    // CHECK: gpu.barrier
    // CHECK: gpu.store_relaxed %{{.*}}, %[[WORDS]][

    // It waits for the words of the tiles in front of the one before, takes the next one, and stores.
    // CHECK: scf.while
    // CHECK: gpu.load_relaxed %[[WORDS]][
    // CHECK: gpu.load_relaxed %[[WORDS]][
    // CHECK: gpu.subgroup_reduce maxsi
    // CHECK: gpu.barrier
    // CHECK: gpu.store_relaxed %{{.*}}, %[[WORDS]][
    // CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNTER]][
    // CHECK-COUNT-6: vector.store {{.*}} {alignment = 16 : i64} : memref<64xi64>, vector<2xi64>
    // CHECK: gpu.barrier
    // CHECK: nvvm.maxnreg = 64
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
// CHECK: gpu.subgroup_reduce
// CHECK: vector.load {{.*}} : memref<2x6x256x4xi32
// CHECK: gpu.shuffle up
// CHECK-NEXT: arith.select
// CHECK: gpu.shuffle idx
// CHECK: memref.store %{{.*}}, %[[LAST]]
// CHECK: gpu.launch
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

// Rows: in one pass, a block each, or a warp each, which needs no workgroup memory.
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
// CHECK: arith.constant 13824 : index
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

// -----

// Sums that begin anew are of steps of a value and whether they do. The condition on the counter is asked for once a
// tile, and the key before is that of the neighbour but for the first of four.
// CHECK-LABEL: func.func @by_key
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK: scf.while
// CHECK: vector.load %arg1[{{.*}} vector<4xi32>
// CHECK: memref.load %arg1[
// CHECK-NOT: memref.load %arg1[
// CHECK: vector.load %arg2[{{.*}} vector<4xi32>
// CHECK-NOT: arith.muli {{.*}} : i32
// CHECK: arith.ori {{.*}} : i32
// CHECK: vector.load %arg1[{{.*}} vector<4xi32>
func.func @by_key(%n: index, %K: memref<?xi32>, %A: memref<?xi32>, %B: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %c = arith.index_cast %i : index to i32
    %behind = arith.cmpi sgt, %c, %z : i32
    %same = scf.if %behind -> (i1) {
      %x = affine.load %K[%i] : memref<?xi32>
      %y = affine.load %K[%i - 1] : memref<?xi32>
      %eq = arith.cmpi eq, %x, %y : i32
      scf.yield %eq : i1
    } else {
      %no = arith.constant false
      scf.yield %no : i1
    }
    %v = affine.load %A[%i] : memref<?xi32>
    %m = arith.addi %s, %v : i32
    %t = arith.select %same, %m, %v : i32
    affine.store %t, %B[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// Stores to other places: in parts, whose sums a first launch makes.
// CHECK-LABEL: func.func @packed
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.launch
// CHECK: memref.load %[[SUMS]]
// CHECK: memref.load %arg1[
// CHECK: memref.store %{{.*}}, %arg2[
func.func @packed(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) -> i32 {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %c = arith.cmpi sgt, %x, %z : i32
    %by = arith.select %c, %one, %z : i32
    %at = arith.index_cast %s : i32 to index
    scf.if %c {
      memref.store %x, %B[%at] : memref<?xi32>
    }
    %t = arith.addi %s, %by : i32
    affine.yield %t : i32
  }
  return %r : i32
}
