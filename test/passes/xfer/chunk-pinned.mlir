// RUN: terrace-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 pageable=false remarks=true},xfer-check))' | FileCheck %s

// What lies in pinned memory is split, also where the kernel is short; the rest stays whole.

// CHECK-LABEL: func.func @some(
// CHECK-SAME:    %[[B:.*]]: memref<64xf32>)
// CHECK:         %[[A:.*]] = xfer.alloc() : memref<64xf32, #xfer.pinned>
// CHECK:         xfer.copy %[[B]] to
// CHECK-NOT:     subview %[[B]]
// CHECK-COUNT-4: memref.subview %[[A]]
// CHECK-NOT:     subview %[[B]]
// CHECK:         xfer.copy %{{.*}} to %[[B]]
func.func @some(%B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %A = xfer.alloc() : memref<64xf32, #xfer.pinned>
  %a = xfer.create %A : memref<64xf32, #xfer.pinned> to memref<64xf32, #xfer.device>
  %b = xfer.create %B : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32, #xfer.pinned> to memref<64xf32, #xfer.device>
  xfer.copy %B to %b : memref<64xf32> to memref<64xf32, #xfer.device>
  // expected-remark @+1 {{split into 4 pieces}}
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    %w = memref.load %b[%row] : memref<64xf32, #xfer.device>
    %s = arith.addf %v, %w : f32
    memref.store %s, %b[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %b to %B : memref<64xf32, #xfer.device> to memref<64xf32>
  // expected-remark @+1 {{not split: none of its arrays is in pinned memory}}
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %w = memref.load %b[%row] : memref<64xf32, #xfer.device>
    memref.store %w, %b[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %b to %B : memref<64xf32, #xfer.device> to memref<64xf32>
  xfer.free %a : memref<64xf32, #xfer.device>
  xfer.free %A : memref<64xf32, #xfer.pinned>
  return
}
