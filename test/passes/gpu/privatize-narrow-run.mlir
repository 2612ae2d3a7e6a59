// A thread has neighbouring elements of one or two bytes, by one access where rows are aligned. Rows end within a group,
// are shorter than one, or begin where no access may; one loop has no rows; a block goes from piece to piece by sums.
// Elements that are read backwards, or through what is computed of the counter, are loaded one by one.
//
// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-privatize-reductions="least=1 arch=sm_90" -map-parallel-to-gpu -o %t.mlir
// RUN: FileCheck %s --check-prefix=GROUPS < %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s
// RUN: terrace run %t.mlir --target interp | FileCheck %s

// CHECK: array h 256xi32 checksum sum 7.0000000000e4 weighted 3.2350579108e4
// CHECK: array g 256xi32 checksum sum 9.0270000000e3 weighted 4.1138471962e3
// CHECK: array t 256xi32 checksum sum 1.5000000000e4 weighted 6.9163145480e3
// CHECK: array l 64xi32 checksum sum 4.0011000000e4 weighted 2.1827074363e4
// CHECK: array back 256xi32 checksum sum 7.0000000000e4 weighted 3.2350579108e4

// GROUPS:       gpu.rows_aligned {{.*}} 16
// GROUPS:       vector.load {{.*}} vector<16xi8>
// GROUPS:       vector.load {{.*}} vector<8xi16>
func.func @all(
    %bytes: memref<70x1008xi8> {terrace.name = "bytes", terrace.init = "random:70x1008:1"},
    %odd: memref<9x1003xi8> {terrace.name = "odd", terrace.init = "random:9x1003:2"},
    %thin: memref<3000x5xi8> {terrace.name = "thin", terrace.init = "random:3000x5:3"},
    %line: memref<40016xi16> {terrace.name = "line", terrace.init = "random:40016:4"},
    %h: memref<256xi32> {terrace.name = "h", terrace.init = "zeros"},
    %g: memref<256xi32> {terrace.name = "g", terrace.init = "zeros"},
    %t: memref<256xi32> {terrace.name = "t", terrace.init = "zeros"},
    %l: memref<64xi32> {terrace.name = "l", terrace.init = "zeros"},
    %back: memref<256xi32> {terrace.name = "back", terrace.init = "zeros"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c70 = arith.constant 70 : index
  %c999 = arith.constant 999 : index
  %c1000 = arith.constant 1000 : index
  %c1003 = arith.constant 1003 : index
  %c3000 = arith.constant 3000 : index
  %c40011 = arith.constant 40011 : index
  %one = arith.constant 1 : i32
  %mask = arith.constant 63 : i16
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c1000) step (%c1, %c1) {
    %x = memref.load %bytes[%i, %j] : memref<70x1008xi8>
    %k = arith.index_castui %x : i8 to index
    %old = memref.atomic_rmw addi %one, %h[%k] : (i32, memref<256xi32>) -> i32
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c9, %c1003) step (%c1, %c1) {
    %x = memref.load %odd[%i, %j] : memref<9x1003xi8>
    %k = arith.index_castui %x : i8 to index
    %old = memref.atomic_rmw addi %one, %g[%k] : (i32, memref<256xi32>) -> i32
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c3000, %c5) step (%c1, %c1) {
    %x = memref.load %thin[%i, %j] : memref<3000x5xi8>
    %k = arith.index_castui %x : i8 to index
    %old = memref.atomic_rmw addi %one, %t[%k] : (i32, memref<256xi32>) -> i32
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c40011) step (%c1) {
    %x = memref.load %line[%i] : memref<40016xi16>
    %y = arith.andi %x, %mask : i16
    %k = arith.index_castui %y : i16 to index
    %old = memref.atomic_rmw addi %one, %l[%k] : (i32, memref<64xi32>) -> i32
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c70, %c1000) step (%c1, %c1) {
    %b = arith.subi %c999, %j : index
    %x = memref.load %bytes[%i, %b] : memref<70x1008xi8>
    %k = arith.index_castui %x : i8 to index
    %old = memref.atomic_rmw addi %one, %back[%k] : (i32, memref<256xi32>) -> i32
    scf.reduce
  }
  return
}
