// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-privatize-reductions="least=1 arch=sm_90" -map-parallel-to-gpu -o %t.mlir
// RUN: FileCheck %s --check-prefix=COPIES < %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s
// RUN: terrace run %t.mlir --target interp | FileCheck %s

// The emulator looks for races between threads that set copies, update them and add them up.
// Pieces are full and cut off, along one loop, along a long and a short one, and along three;
// updates stand under conditions and in loops; one nest has two arrays.

// COPIES-COUNT-8: gpu.note = "{{.*}} a block, in shared memory
// COPIES-NOT: gpu.note

func.func @all(
    %few: memref<10xi32> {terrace.name = "few", terrace.init = "zeros"},
    %long: memref<300xi32> {terrace.name = "long", terrace.init = "zeros"},
    %short: memref<7x5xi32> {terrace.name = "short", terrace.init = "zeros"},
    %three: memref<2x3x4xi64> {terrace.name = "three", terrace.init = "zeros"},
    %top: memref<100xi32> {terrace.name = "top", terrace.init = "zeros"},
    %sums: memref<33xf64> {terrace.name = "sums", terrace.init = "zeros"},
    %one: memref<20000xf32> {terrace.name = "one", terrace.init = "zeros"},
    %odd: memref<17xi32> {terrace.name = "odd", terrace.init = "zeros"},
    %cut: memref<50xi32> {terrace.name = "cut", terrace.init = "zeros"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %c17 = arith.constant 17 : index
  %c33 = arith.constant 33 : index
  %c50 = arith.constant 50 : index
  %c77 = arith.constant 77 : index
  %c100 = arith.constant 100 : index
  %c300 = arith.constant 300 : index
  %c2100 = arith.constant 2100 : index
  %c5003 = arith.constant 5003 : index
  %c200000 = arith.constant 200000 : index
  %i1 = arith.constant 1 : i32
  %l1 = arith.constant 1 : i64
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f64
  // CHECK: array few 10xi32 checksum sum 5.0030000000e3 weighted 2.4458216917e3
  scf.parallel (%i) = (%c0) to (%c5003) step (%c1) {
    %k = arith.remui %i, %c10 : index
    %old = memref.atomic_rmw addi %i1, %few[%k] : (i32, memref<10xi32>) -> i32
    scf.reduce
  }
  // Rows are longer than a block.
  // CHECK: array long 300xi32 checksum sum 6.3000000000e3 weighted 3.1416424118e3
  scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %c2100) step (%c1, %c1) {
    %s = arith.muli %j, %c7 : index
    %t = arith.addi %s, %i : index
    %k = arith.remui %t, %c300 : index
    %old = memref.atomic_rmw addi %i1, %long[%k] : (i32, memref<300xi32>) -> i32
    scf.reduce
  }
  // Rows are shorter, with a step and a first counter that are not those of most loops.
  // CHECK: array short 7x5xi32 checksum sum 3.6500000000e3 weighted 2.0004885209e3
  scf.parallel (%i) = (%c4) to (%c77) step (%c1) {
    scf.parallel (%j) = (%c1) to (%c100) step (%c2) {
      %k = arith.remui %i, %c7 : index
      %l = arith.remui %j, %c5 : index
      %old = memref.atomic_rmw addi %i1, %short[%k, %l] : (i32, memref<7x5xi32>) -> i32
      scf.reduce
    }
    scf.reduce
  }
  // CHECK: array three 2x3x4xi64 checksum sum 8.5000000000e3 weighted 4.7170832008e3
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c10, %c17, %c50) step (%c1, %c1, %c1) {
    %a = arith.remui %i, %c2 : index
    %b = arith.remui %j, %c3 : index
    %c = arith.remui %k, %c4 : index
    %old = memref.atomic_rmw addi %l1, %three[%a, %b, %c] : (i64, memref<2x3x4xi64>) -> i64
    scf.reduce
  }
  // Two arrays, of which the second has the larger elements.
  // CHECK: array top 100xi32 checksum sum 4.9525000000e5 weighted 2.5096732776e5
  // CHECK: array sums 33xf64 checksum sum 1.2507500000e3 weighted 6.9395726149e2
  scf.parallel (%i) = (%c0) to (%c5003) step (%c1) {
    %k = arith.remui %i, %c100 : index
    %v = arith.index_cast %i : index to i32
    %old = memref.atomic_rmw maxs %v, %top[%k] : (i32, memref<100xi32>) -> i32
    %l = arith.remui %i, %c33 : index
    %older = memref.atomic_rmw addf %quarter, %sums[%l] : (f64, memref<33xf64>) -> f64
    scf.reduce
  }
  // All are of one element, and a copy is all that fits.
  // CHECK: array one 20000xf32 checksum sum 1.0000000000e5 weighted 3.3941990137e4
  scf.parallel (%i) = (%c0) to (%c200000) step (%c1) {
    %k = arith.addi %c7, %c77 : index
    %old = memref.atomic_rmw addf %half, %one[%k] : (f32, memref<20000xf32>) -> f32
    scf.reduce
  }
  // CHECK: array odd 17xi32 checksum sum 1.0004000000e4 weighted 5.2017393843e3
  scf.parallel (%i) = (%c0) to (%c5003) step (%c1) {
    %r = arith.remui %i, %c2 : index
    %is = arith.cmpi eq, %r, %c1 : index
    scf.if %is {
      scf.for %j = %c0 to %c4 step %c1 {
        %t = arith.addi %i, %j : index
        %k = arith.remui %t, %c17 : index
        %old = memref.atomic_rmw addi %i1, %odd[%k] : (i32, memref<17xi32>) -> i32
      }
    }
    scf.reduce
  }
  // Rows have as many iterations as their number says.
  // CHECK: array cut 50xi32 checksum sum 4.9500000000e3 weighted 2.4235831372e3
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    scf.parallel (%j) = (%c0) to (%i) step (%c1) {
      %t = arith.addi %i, %j : index
      %k = arith.remui %t, %c50 : index
      %old = memref.atomic_rmw addi %i1, %cut[%k] : (i32, memref<50xi32>) -> i32
      scf.reduce
    }
    scf.reduce
  }
  return
}
