// RUN: not terrace-opt %s --xfer-check 2>&1 | FileCheck %s

// A copy from mirror to mirror reads the one: it has to be valid there.

func.func @stale_source(%A: memref<8xf64>, %B: memref<8xf64>) {
  %d = xfer.create %A : memref<8xf64> to memref<8xf64, #xfer.device>
  %e = xfer.create %B : memref<8xf64> to memref<8xf64, #xfer.device>
  // CHECK: error: 'xfer.copy' op reads %A (argument 0) on the device, where it may be stale
  xfer.copy %d to %e : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.copy %e to %B : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  xfer.free %e : memref<8xf64, #xfer.device>
  return
}

// It writes all of the other, which is stale on the host then, and need not have been valid.

func.func @stale_target(%A: memref<8xf64>, %B: memref<8xf64>, %log: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %d = xfer.create %A : memref<8xf64> to memref<8xf64, #xfer.device>
  %e = xfer.create %B : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %A to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %d to %e : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  // CHECK: error: 'memref.load' op reads %B (argument 1) on the host, where it may be stale
  // CHECK: note: written on the device here
  %v = memref.load %B[%c0] : memref<8xf64>
  memref.store %v, %log[%c0] : memref<8xf64>
  xfer.copy %e to %B : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  xfer.free %e : memref<8xf64, #xfer.device>
  return
}

// CHECK-NOT: error
