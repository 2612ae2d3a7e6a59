// RUN: terrace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 short-kernels=true},xfer-check,canonicalize))' | FileCheck %s

// A thread does two rows, or those that are left where there are not two. With 64 rows
// there always are, and both copies follow the blocks.

// CHECK-LABEL:   func.func @even(
// CHECK-COUNT-2: memref.subview %{{.*}}[0] [16] [1]
// CHECK:         gpu.launch
// CHECK-NOT:     scf.for
// CHECK:         memref.subview %{{.*}}[16] [16] [1]
// CHECK:         memref.subview %{{.*}}[0] [16] [1]
// CHECK:         memref.subview %{{.*}}[48] [16] [1]
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @even(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c8, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %thread = arith.addi %first, %i : index
    %row = arith.muli %thread, %c2 : index
    %next = arith.addi %row, %c1 : index
    %whole = arith.cmpi slt, %next, %c64 : index
    scf.if %whole {
      %v = memref.load %a[%next] : memref<64xf32, #xfer.device>
      memref.store %v, %a[%row] : memref<64xf32, #xfer.device>
    } else {
      scf.for %r = %row to %c64 step %c1 {
        %v = memref.load %a[%r] : memref<64xf32, #xfer.device>
        memref.store %v, %a[%r] : memref<64xf32, #xfer.device>
      }
    }
    gpu.terminator
  }
  xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  return
}

// -----

// With 63 the last thread has one: its loop stays, and all of the array comes first.

// CHECK-LABEL:   func.func @odd(
// CHECK:         %[[a:.*]] = xfer.create
// CHECK:         xfer.copy %{{.*}} to %[[a]] : memref<63xf32>
// CHECK:         gpu.launch
// CHECK:         scf.for
// CHECK:         return
func.func @odd(%A: memref<63xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c63 = arith.constant 63 : index
  %a = xfer.create %A : memref<63xf32> to memref<63xf32, #xfer.device>
  xfer.copy %A to %a : memref<63xf32> to memref<63xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c8, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %thread = arith.addi %first, %i : index
    %row = arith.muli %thread, %c2 : index
    %next = arith.addi %row, %c1 : index
    %whole = arith.cmpi slt, %next, %c63 : index
    scf.if %whole {
      %v = memref.load %a[%row] : memref<63xf32, #xfer.device>
      memref.store %v, %a[%next] : memref<63xf32, #xfer.device>
    } else {
      scf.for %r = %row to %c63 step %c1 {
        %v = memref.load %a[%r] : memref<63xf32, #xfer.device>
        memref.store %v, %a[%r] : memref<63xf32, #xfer.device>
      }
    }
    gpu.terminator
  }
  xfer.copy %a to %A : memref<63xf32, #xfer.device> to memref<63xf32>
  return
}
