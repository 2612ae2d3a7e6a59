// What other compilers print runs as it stands: layouts, results that are arrays, several results,
// and attributes of dialects that are not here.
//
// RUN: terrace run %s --entry sums --arg 0=3 --arg 1=iota:3x4 --arg 2=zeros:3 --target interp | FileCheck %s --check-prefix=SUMS
// RUN: terrace run %s --entry sums --arg 0=3 --arg 1=iota:3x4 --arg 2=zeros:3 --target cpu --verify | FileCheck %s --check-prefixes=SUMS,VERIFY
// RUN: terrace run %s --entry sums --arg 0=3 --arg 1=iota:3x4 --arg 2=zeros:3 --target emulator --verify | FileCheck %s --check-prefixes=SUMS,VERIFY
// SUMS: array    2        3xf64                checksum sum 6.6000000000e1

// RUN: terrace run %s --entry several --arg 0=iota --arg 1=zeros:4x5 --target interp --out result0=%t.npy | FileCheck %s --check-prefix=SEVERAL
// RUN: terrace run %s --entry several --arg 0=iota --arg 1=zeros:4x5 --target cpu --verify | FileCheck %s --check-prefixes=SEVERAL,VERIFY
// RUN: terrace run %s --entry several --arg 0=iota --arg 1=zeros:4x5 --target emulator --verify | FileCheck %s --check-prefixes=SEVERAL,VERIFY
// RUN: terrace run %s --entry sums --arg 0=3 --arg 1=@%t.npy --arg 2=zeros:3 | FileCheck %s --check-prefix=AGAIN
// SEVERAL: array    0        3x4xf64              checksum sum 1.3200000000e2
// SEVERAL: array    1        4x5xf64              checksum sum 1.3200000000e2
// SEVERAL: result   0        3x4xf64              checksum sum 1.3200000000e2
// SEVERAL: result   1: 22
// SEVERAL: result   2        4x5xf64              checksum sum 1.3200000000e2
// AGAIN: array    2        3xf64                checksum sum 1.3200000000e2

// The same global, argument and memory of the program's own, in parts.
// RUN: terrace run %s --entry parts --arg 0=iota:2x3 --verify | FileCheck %s --check-prefixes=PARTS,VERIFY
// RUN: terrace run %s --entry parts --arg 0=iota:2x3 --target emulator --verify | FileCheck %s --check-prefixes=PARTS,VERIFY
// RUN: terrace run %s --entry parts --arg 0=iota:2x3 --no-bounds-checks --verify | FileCheck %s --check-prefixes=PARTS,VERIFY
// PARTS: result   0        2xf64                checksum sum 5.0000000000e0
// PARTS: result   1        3xi32                checksum sum 6.0000000000e0
// PARTS: result   2        0x2xf64
// VERIFY: verify   passed

// Memory that is gone is not read.
// RUN: not terrace run %s --entry gone 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not terrace run %s --entry gone --target emulator 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not terrace run %s --entry gone --target interp 2>&1 | FileCheck %s --check-prefix=INTERP
// RUN: not terrace run %s --entry stack 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: '@{{gone|stack}}' returns as result 0 memory that the program has freed, or that it neither allocated nor was given; expected an array that it allocates, an argument or a global
// INTERP: error: {{.*}}freed

// RUN: not terrace run %s --entry unwritten --target interp 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: error: result 0 of @unwritten has 4 elements that nothing was written to

// RUN: not terrace run %s --entry several --arg 0=iota --arg 1=zeros:4x5 --out result1=%t.npy 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not terrace run %s --entry several --arg 0=iota --arg 1=zeros:4x5 --out result3=%t.npy 2>&1 | FileCheck %s --check-prefix=NONE
// NUMBER: error: --out result1: the result is no array
// NONE: error: @several has no parameter `result3`

module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, i1 = dense<8> : vector<2xi64>>, llvm.data_layout = "e-m:e", "polygeist.target-cpu" = "x86-64", other.thing = #other.thing<1, [2]>} {
  func.func @sums(%n: i32, %a: memref<?x4xf64>, %b: memref<?xf64, strided<[?], offset: ?>>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %0 = arith.index_cast %n : i32 to index
    affine.for %i = 0 to %0 {
      affine.for %j = 0 to 4 {
        %1 = affine.load %a[%i, %j] : memref<?x4xf64>
        %2 = affine.load %b[%i] : memref<?xf64, strided<[?], offset: ?>>
        %3 = arith.addf %1, %2 : f64
        affine.store %3, %b[%i] : memref<?xf64, strided<[?], offset: ?>>
      }
    }
    return
  }
  func.func @several(%a: memref<3x4xf64, strided<[1, 10], offset: 3>>, %b: memref<?x?xf64, strided<[?, 1], offset: ?>>) -> (memref<3x4xf64>, f64, memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %r = memref.alloc() : memref<3x4xf64>
    affine.for %i = 0 to 3 {
      affine.for %j = 0 to 4 {
        %0 = affine.load %a[%i, %j] : memref<3x4xf64, strided<[1, 10], offset: 3>>
        %1 = arith.addf %0, %0 : f64
        affine.store %1, %r[%i, %j] : memref<3x4xf64>
        affine.store %1, %a[%i, %j] : memref<3x4xf64, strided<[1, 10], offset: 3>>
        affine.store %1, %b[%i, %j] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      }
    }
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %v = memref.load %r[%c2, %c3] : memref<3x4xf64>
    return %r, %v, %b : memref<3x4xf64>, f64, memref<?x?xf64, strided<[?, 1], offset: ?>>
  }
  memref.global "private" constant @three : memref<3xi32> = dense<[1, 2, 3]>
  func.func @parts(%a: memref<2x3xf64>) -> (memref<2xf64, strided<[3], offset: 1>>, memref<3xi32>, memref<0x2xf64>) {
    %0 = memref.subview %a[0, 1] [2, 1] [1, 1] : memref<2x3xf64> to memref<2xf64, strided<[3], offset: 1>>
    %1 = memref.get_global @three : memref<3xi32>
    %2 = memref.alloc() : memref<0x2xf64>
    return %0, %1, %2 : memref<2xf64, strided<[3], offset: 1>>, memref<3xi32>, memref<0x2xf64>
  }
  func.func @gone() -> memref<?xf64> {
    %c1 = arith.constant 1 : index
    %0 = memref.alloc(%c1) : memref<?xf64>
    memref.dealloc %0 : memref<?xf64>
    return %0 : memref<?xf64>
  }
  func.func @stack() -> memref<1xf64> {
    %0 = memref.alloca() : memref<1xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1.0 : f64
    memref.store %c1, %0[%c0] : memref<1xf64>
    return %0 : memref<1xf64>
  }
  func.func @unwritten() -> memref<4xf64> {
    %0 = memref.alloc() : memref<4xf64>
    return %0 : memref<4xf64>
  }
}
