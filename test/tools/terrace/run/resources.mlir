// Data at the end of the file are elements of constants, as of those that are written in place.
//
// RUN: split-file %s %t
// RUN: terrace run %t/right.mlir --arg 0=zeros --target interp | FileCheck %s --check-prefix=RESULT
// RUN: terrace run %t/right.mlir --arg 0=zeros --target cpu --verify | FileCheck %s --check-prefix=RESULT
// RUN: terrace run %t/right.mlir --arg 0=zeros --target emulator --verify | FileCheck %s --check-prefix=RESULT
// RESULT: array    0        4xf32                checksum sum 1.8000000000e1
// RESULT: result   0: 3

// RUN: not terrace run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace run %t/short.mlir 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not terrace run %t/hex.mlir 2>&1 | FileCheck %s --check-prefix=HEX
// NONE: none.mlir:1:1: error: 'memref.global' op has data in `dense_resource<w>`, which this file has none of; expected 'w: "0x..."' below dialect_resources at its end
// SHORT: short.mlir:1:1: error: 'memref.global' op has 8 bytes of data in `dense_resource<w>`; expected 4 elements of 4 bytes for 'tensor<4xf32>'
// HEX: hex.mlir:1:1: error: 'memref.global' op has data in `dense_resource<w>` that are no hexadecimal string of an alignment and elements

//--- right.mlir
memref.global "private" constant @w : memref<4xf32> = dense_resource<w> {alignment = 64 : i64}
memref.global "private" constant @same : memref<4xf32> = dense_resource<same>
memref.global "private" constant @flags : memref<4xi1> = dense_resource<flags>
func.func @f(%o: memref<4xf32>) -> i32 attributes {foo.note = dense_resource<nowhere> : tensor<4xi8>} {
  %w = memref.get_global @w : memref<4xf32>
  %s = memref.get_global @same : memref<4xf32>
  affine.for %i = 0 to 4 {
    %0 = affine.load %w[%i] : memref<4xf32>
    %1 = affine.load %s[%i] : memref<4xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %o[%i] : memref<4xf32>
  }
  %m = memref.get_global @flags : memref<4xi1>
  %zero = arith.constant 0 : i32
  %n = affine.for %i = 0 to 4 iter_args(%sum = %zero) -> (i32) {
    %0 = affine.load %m[%i] : memref<4xi1>
    %1 = arith.extui %0 : i1 to i32
    %2 = arith.addi %sum, %1 : i32
    affine.yield %2 : i32
  }
  return %n : i32
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040",
      same: "0x0400000000000040000000400000004000000040",
      flags: "0x0100000001000101"
    }
  }
#-}
//--- none.mlir
memref.global "private" constant @w : memref<4xf32> = dense_resource<w>
func.func @f() {
  return
}
//--- short.mlir
memref.global "private" constant @w : memref<4xf32> = dense_resource<w>
func.func @f() {
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  }
#-}
//--- hex.mlir
memref.global "private" constant @w : memref<4xf32> = dense_resource<w>
func.func @f() {
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x0400000"
    }
  }
#-}
