// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-check,xfer-lower-mirrors)" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-check,xfer-lower-mirrors,func.func(xfer-overlap),xfer-check)" | FileCheck %s --check-prefix=QUEUES

// A copy from mirror to mirror is not one between an array and its mirror: it does not tell the
// flags of either that both sides are valid. What it writes is marked.

// CHECK-LABEL: func @flags(
// CHECK:         xfer.copy %[[D:.*]] to %[[E:.*]] : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK-NEXT:    %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    memref.store %[[TRUE]], %[[ON_DEVICE:.*]][]
// CHECK-NEXT:    %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:    memref.store %[[FALSE]], %[[ON_HOST:.*]][]
// CHECK-NEXT:    memref.load %[[ON_HOST]][]

// It goes on the queue of kernels, which are before and behind it.

// QUEUES-LABEL: func @flags(
// QUEUES:         gpu.launch async
// QUEUES:         xfer.copy async {{.*}} on queue(%[[N:.*]]) : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// QUEUES:         xfer.wait async queue(%[[N]])
// QUEUES-NEXT:    gpu.launch async
func.func @flags(%A: memref<8xf64>, %B: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.create %A : memref<8xf64> to memref<8xf64, #xfer.device>
  %e = xfer.create %B : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %A to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %d[%i] : memref<8xf64, #xfer.device>
    gpu.terminator
  }
  xfer.discard %B : memref<8xf64>
  xfer.copy %d to %e : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.mark_written %B, %e on device : memref<8xf64>, memref<8xf64, #xfer.device>
  xfer.ensure %B, %e on host : memref<8xf64>, memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %e[%i] : memref<8xf64, #xfer.device>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  xfer.free %e : memref<8xf64, #xfer.device>
  return
}

