// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-map-reductions -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES < %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s

// What a loop stores along its row waits in workgroup memory until the threads that copy bring it to
// its array; the emulator looks at who uses what in which order. Rows are not in whole blocks, nor
// their elements in whole tiles but for one loop's.

// TILES: gpu.launch blocks
// TILES-SAME: memref<3x32x65xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<2x32x65xf32, #gpu.address_space<workgroup>>)
// TILES: threads of a block copy A to shared memory in tiles of 64 iterations, 2 ahead of the tile that the other 32 use, and copy what these store; sums keep their order
// TILES-COUNT-4: gpu.launch blocks

// CHECK: array A 70x530xf32 checksum sum 1.8383019736e4 weighted 9.1639759804e3
// CHECK: array B 70x530xf32 checksum sum 3.6691509566e4 weighted 1.8302282187e4
// CHECK: array C 70x530xf64 checksum sum 1.6562217119e5 weighted 8.2579541787e4
// CHECK: array D 70x530xf64 checksum sum 7.4015734671e4 weighted 3.6857429869e4
// CHECK: array E 45x21xf32 checksum sum 3.1657170806e2 weighted 1.5737277093e2
// CHECK: array F 45x21xi32 checksum sum 9.8518000000e4 weighted 4.8416867917e4
// CHECK: array y 70xf64 checksum sum 1.4593156270e2 weighted 7.2840144652e1
func.func @stores(
    %A: memref<70x530xf32> {terrace.name = "A", terrace.init = "random:70x530:1"},
    %B: memref<70x530xf32> {terrace.name = "B", terrace.init = "zeros"},
    %C: memref<70x530xf64> {terrace.name = "C", terrace.init = "random:70x530:4"},
    %D: memref<70x530xf64> {terrace.name = "D", terrace.init = "zeros"},
    %E: memref<45x21xf32> {terrace.name = "E", terrace.init = "random:45x21:5"},
    %F: memref<45x21xi32> {terrace.name = "F", terrace.init = "iota:45x21"},
    %y: memref<70xf64> {terrace.name = "y", terrace.init = "zeros"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c21 = arith.constant 21 : index
  %c45 = arith.constant 45 : index
  %c70 = arith.constant 70 : index
  %c528 = arith.constant 528 : index
  %c529 = arith.constant 529 : index
  %c530 = arith.constant 530 : index
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f64
  %i0 = arith.constant 0 : i32
  %half = arith.constant 0.5 : f32
  // What is stored goes backwards, and its last value is stored behind the loop.
  scf.parallel (%i) = (%c0) to (%c70) step (%c1) {
    %last = scf.for %j = %c0 to %c530 step %c1 iter_args(%s = %z) -> (f32) {
      %a = memref.load %A[%i, %j] : memref<70x530xf32>
      %p = arith.mulf %s, %half : f32
      %t = arith.addf %a, %p : f32
      %r = arith.subi %c529, %j : index
      memref.store %t, %B[%i, %r] : memref<70x530xf32>
      scf.yield %t : f32
    }
    memref.store %last, %B[%i, %c0] : memref<70x530xf32>
    scf.reduce
  }
  // In place, and another array; then a sum in memory of what is stored nowhere here.
  scf.parallel (%i) = (%c0) to (%c70) step (%c1) {
    %last = scf.for %j = %c2 to %c530 step %c1 iter_args(%s = %one) -> (f64) {
      %a = memref.load %C[%i, %j] : memref<70x530xf64>
      %t = arith.mulf %s, %a : f64
      %u = arith.addf %t, %one : f64
      memref.store %u, %C[%i, %j] : memref<70x530xf64>
      memref.store %s, %D[%i, %j] : memref<70x530xf64>
      scf.yield %u : f64
    }
    memref.store %last, %y[%i] : memref<70xf64>
    scf.reduce
  }
  // A whole number of tiles.
  scf.parallel (%i) = (%c0) to (%c70) step (%c1) {
    scf.for %j = %c2 to %c530 step %c1 iter_args(%s = %one) -> (f64) {
      %a = memref.load %C[%i, %j] : memref<70x530xf64>
      %t = arith.maximumf %s, %a : f64
      memref.store %t, %C[%i, %j] : memref<70x530xf64>
      scf.yield %t : f64
    }
    scf.reduce
  }
  // Rows of fewer elements than a warp has lanes.
  scf.parallel (%i) = (%c0) to (%c45) step (%c1) {
    scf.for %j = %c0 to %c21 step %c1 iter_args(%s = %z) -> (f32) {
      %a = memref.load %E[%i, %j] : memref<45x21xf32>
      %p = arith.mulf %s, %half : f32
      %t = arith.subf %a, %p : f32
      memref.store %t, %E[%i, %j] : memref<45x21xf32>
      scf.yield %t : f32
    }
    scf.reduce
  }
  // Nothing is loaded.
  scf.parallel (%i) = (%c0) to (%c45) step (%c1) {
    %k = arith.index_cast %i : index to i32
    scf.for %j = %c0 to %c21 step %c1 iter_args(%s = %k) -> (i32) {
      %t = arith.addi %s, %k : i32
      %u = arith.xori %s, %t : i32
      memref.store %u, %F[%i, %j] : memref<45x21xi32>
      scf.yield %t : i32
    }
    scf.reduce
  }
  return
}
