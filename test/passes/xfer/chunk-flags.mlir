// RUN: terrace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 short-kernels=true},xfer-check))' | FileCheck %s

// The flags of A are asked behind the launch: its copy in stays whole, since pieces would
// not tell them that the device has all, and the `xfer.ensure` would copy again. Those
// of B nobody asks.

// CHECK-LABEL: func.func @asked(
// CHECK-SAME:    %[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<64xf32>)
// CHECK:         %[[a:.*]] = xfer.create %[[A]]
// CHECK-NOT:     memref.subview
// CHECK:         xfer.copy %[[A]] to %[[a]]
// CHECK-NOT:     subview %[[A]]
// CHECK:         memref.subview %[[B]][0] [16] [1]
// CHECK-NOT:     subview %[[A]]
// CHECK:         xfer.ensure %[[A]], %[[a]]
func.func @asked(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  %b = xfer.create %B : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.discard %B : memref<64xf32>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    memref.store %v, %b[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %b to %B : memref<64xf32, #xfer.device> to memref<64xf32>
  xfer.ensure %A, %a on device : memref<64xf32>, memref<64xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c1, %my = %c1, %mz = %c1) {
    %v = memref.load %a[%i] : memref<64xf32, #xfer.device>
    memref.store %v, %b[%i] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %b to %B : memref<64xf32, #xfer.device> to memref<64xf32>
  return
}

// -----

// Nor where whoever called may ask.

// CHECK-LABEL: func.func private @handed(
// CHECK-NOT:     memref.subview
// CHECK:         xfer.copy
// CHECK:         gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func private @handed(%A: memref<64xf32>, %a: memref<64xf32, #xfer.device> {xfer.mirror = {of = 0 : index, needs = "host", host = "kept", device = "valid", flags}}) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  return
}
