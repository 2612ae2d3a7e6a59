// RUN: terrace run %s --target emulator --verify --size N=8192 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=6145 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=30001 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=100003 | FileCheck %s --check-prefixes=CHECK,GROUPS

// One long row in one pass, in tiles of 6144 numbers of 32 bits; of groups of 32 tiles the last tells the running
// value behind. Each of these gives the bits of the loop, and the emulator sees that no block reads what another one has
// not told. From the second element on tiles begin one later, so that loads of four lie at multiples of 16 bytes.
// GROUPS: 33x1x1 256x1x1
// CHECK: verify passed against the interpreter, largest relative error 0.00e0
func.func @once(
    %A: memref<?xi32> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "iota:100"},
    %B: memref<?xi32> {terrace.name = "B", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %C: memref<?xi64> {terrace.name = "C", terrace.dims = ["N"], terrace.init = "iota:100"},
    %D: memref<?xf32> {terrace.name = "D", terrace.dims = ["N"], terrace.init = "random:100:1"},
    %E: memref<?xi8> {terrace.name = "E", terrace.dims = ["N"], terrace.init = "iota:100"},
    %F: memref<?xi64> {terrace.name = "F", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %G: memref<?xi32> {terrace.name = "G", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %H: memref<?xi32> {terrace.name = "H", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %I: memref<?xi32> {terrace.name = "I", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %last: memref<1xi64> {terrace.name = "last", terrace.init = "zeros"}) -> i32 {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i5 = arith.constant 5 : i32
  %l0 = arith.constant 0 : i64
  %c97 = arith.constant 97 : i32
  %least = arith.constant -2147483648 : i32
  %n = memref.dim %A, %c0 : memref<?xi32>
  // The value in front of each, and the last one.
  %r = affine.for %i = 0 to %n iter_args(%s = %i5) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    affine.store %s, %B[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.yield %t : i32
  }
  // In place, from the second element on, of 64 bits.
  affine.for %i = 1 to %n {
    %p = affine.load %C[%i - 1] : memref<?xi64>
    %x = affine.load %C[%i] : memref<?xi64>
    %t = arith.addi %p, %x : i64
    affine.store %t, %C[%i] : memref<?xi64>
  }
  // Floats that may take any order.
  affine.for %i = 3 to %n {
    %p = affine.load %D[%i - 1] : memref<?xf32>
    %x = affine.load %D[%i] : memref<?xf32>
    %t = arith.maximumf %p, %x : f32
    affine.store %t, %D[%i] : memref<?xf32>
  }
  // Bytes, as numbers of 64 bits.
  %q = affine.for %i = 0 to %n iter_args(%s = %l0) -> (i64) {
    %x = affine.load %E[%i] : memref<?xi8>
    %w = arith.extui %x : i8 to i64
    %t = arith.addi %s, %w : i64
    affine.store %t, %F[%i] : memref<?xi64>
    affine.yield %t : i64
  }
  affine.store %q, %last[0] : memref<1xi64>
  // Greatest numbers that begin anew where the key is another than the one before, under a condition on the counter.
  affine.for %i = 0 to %n iter_args(%s = %least) -> (i32) {
    %k = arith.index_cast %i : index to i32
    %behind = arith.cmpi sgt, %k, %i0 : i32
    %same = scf.if %behind -> (i1) {
      %x = affine.load %A[%i] : memref<?xi32>
      %y = affine.load %A[%i - 1] : memref<?xi32>
      %p = arith.divsi %x, %c97 : i32
      %q1 = arith.divsi %y, %c97 : i32
      %eq = arith.cmpi eq, %p, %q1 : i32
      scf.yield %eq : i1
    } else {
      %no = arith.constant false
      scf.yield %no : i1
    }
    %v = affine.load %B[%i] : memref<?xi32>
    %m = arith.maxsi %s, %v : i32
    %t = arith.select %same, %m, %v : i32
    affine.store %t, %G[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  // Sums that begin anew, with the value that was before, and from a number that is added to as well.
  affine.for %i = 0 to %n iter_args(%s = %i0) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %y = arith.remsi %x, %c97 : i32
    %first = arith.cmpi eq, %y, %i5 : i32
    %z = arith.select %first, %i5, %s : i32
    %t = arith.addi %z, %x : i32
    %u = arith.xori %t, %s : i32
    affine.store %u, %H[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  // Every third element, from the one behind those that the condition leaves out on.
  affine.for %i = 1 to %n step 3 iter_args(%s = %i0) -> (i32) {
    %k = arith.index_cast %i : index to i32
    %behind = arith.cmpi sge, %k, %c97 : i32
    %x = scf.if %behind -> (i32) {
      %y = affine.load %A[%i] : memref<?xi32>
      scf.yield %y : i32
    } else {
      scf.yield %i5 : i32
    }
    %t = arith.addi %s, %x : i32
    affine.store %t, %I[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return %r : i32
}
