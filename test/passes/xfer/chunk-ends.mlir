// RUN: terrace-opt %s --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 short-kernels=true}))' | FileCheck %s

// The last quarter of the threads has no rows. A piece for it would begin where the array
// ends: the launch stays whole.

// CHECK-LABEL: func.func @ends(
// CHECK-NOT:     memref.subview
// CHECK:         xfer.copy %{{.*}} : memref<48xf32> to memref<48xf32, #xfer.device>
// CHECK-NEXT:    gpu.launch
// CHECK-NOT:     memref.subview
func.func @ends(%A: memref<48xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %a = xfer.create %A : memref<48xf32> to memref<48xf32, #xfer.device>
  xfer.copy %A to %a : memref<48xf32> to memref<48xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %whole = arith.cmpi slt, %row, %c48 : index
    scf.if %whole {
      %v = memref.load %a[%row] : memref<48xf32, #xfer.device>
      memref.store %v, %a[%row] : memref<48xf32, #xfer.device>
    }
    gpu.terminator
  }
  xfer.copy %a to %A : memref<48xf32, #xfer.device> to memref<48xf32>
  return
}
