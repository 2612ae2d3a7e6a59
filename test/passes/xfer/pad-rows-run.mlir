// RUN: terrace run %S/../../../examples/f16/gemm.mlir --target emulator --verify --size M=9 --size N=1031 --size K=40 | FileCheck %s
// RUN: terrace run %S/../../../examples/himeno.mlir --target emulator --verify --size I=5 --size J=5 --size K=515 --arg T=1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefixes=CHECK,BYTES

// Rows of 2056 bytes take 2176, of an array that is never copied.

// BYTES:  host to device {{ *}}41120
// BYTES:  device to host {{ *}}41120
// BYTES:  gpu {{ *}}2 {{ *}}84640
// CHECK:  verify {{ *}}passed

func.func @turned_over(%A: memref<20x257xf64> {terrace.name = "A", terrace.init = "random:20x257:1"}) {
  %T = memref.alloc() : memref<20x257xf64>
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 257 {
      %a = affine.load %A[%i, %j] : memref<20x257xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %T[%i, %j] : memref<20x257xf64>
    }
  }
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 257 {
      %t = affine.load %T[19 - %i, %j] : memref<20x257xf64>
      affine.store %t, %A[%i, %j] : memref<20x257xf64>
    }
  }
  memref.dealloc %T : memref<20x257xf64>
  return
}
