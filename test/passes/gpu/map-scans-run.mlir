// RUN: terrace run %s --target emulator --verify --size N=0 | FileCheck %s --check-prefix=SEQ
// RUN: terrace run %s --target emulator --verify --size N=2047 | FileCheck %s --check-prefix=SEQ
// RUN: terrace run %s --target emulator --verify --size N=2049 | FileCheck %s --check-prefix=ONE
// RUN: terrace run %s --target emulator --verify --size N=8193 | FileCheck %s --check-prefix=TWO
// RUN: terrace run %s --target emulator --verify --size N=20001 | FileCheck %s --check-prefix=TWO

// Sequential for few elements, one launch, two launches: the same numbers as of the loop, to
// the last bit. `A` is read and written, `S` is a number in memory that each iteration
// changes; the emulator judges that no thread gets in another's way.
// SEQ-NOT: scans_kernel
// SEQ: verify passed against the interpreter, largest relative error 0.00e0
// ONE-COUNT-3: 1x1x1 256x1x1
// ONE: verify passed against the interpreter, largest relative error 0.00e0
// TWO-COUNT-6: x1x1 256x1x1
// TWO: verify passed against the interpreter, largest relative error 0.00e0
func.func @scans(
    %A: memref<?xi32> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "iota:100"},
    %B: memref<?xi32> {terrace.name = "B", terrace.dims = ["N"], terrace.init = "zeros:100"},
    %F: memref<?xf64> {terrace.name = "F", terrace.dims = ["N"], terrace.init = "random:100:1"},
    %S: memref<i32> {terrace.name = "S", terrace.init = "zeros"}) -> i32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 17 : i32
  %n = memref.dim %A, %c0 : memref<?xi32>
  // The value before each and the last one are used.
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %x, %s : i32
    %u = arith.xori %s, %x : i32
    affine.store %u, %B[%i] : memref<?xi32>
    affine.store %t, %A[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  // From element to element.
  affine.for %i = 1 to %n {
    %p = affine.load %F[%i - 1] : memref<?xf64>
    %x = affine.load %F[%i] : memref<?xf64>
    %t = arith.maximumf %p, %x : f64
    affine.store %t, %F[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %p = affine.load %S[] : memref<i32>
    %x = affine.load %B[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %S[] : memref<i32>
    %u = affine.load %S[] : memref<i32>
    affine.store %u, %B[%i] : memref<?xi32>
  }
  return %r : i32
}
