// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-overlap,xfer-check))" | FileCheck %s

// Two inputs, a kernel for each: the second copy goes on while the first kernel runs.

// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<64xf32>) -> f32
// CHECK-DAG:     %[[K:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[IN:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[OUT:.*]] = arith.constant 2 : index
// CHECK:         %[[a:.*]] = xfer.create %[[A]]
// CHECK:         %[[b:.*]] = xfer.create %[[B]]
// CHECK:         %[[S:.*]] = xfer.copy async %[[A]] to %[[a]] on queue(%[[IN]])
// CHECK:         %[[W:.*]] = xfer.wait async queue(%[[K]])
// CHECK:         %[[K1:.*]] = gpu.launch async [%[[W]], %[[S]]]
// CHECK:         %[[J1:.*]] = xfer.wait async [%[[K1]]] on queue(%[[K]])
// CHECK:         %[[T:.*]] = xfer.copy async %[[B]] to %[[b]] on queue(%[[IN]])
// CHECK:         %[[W2:.*]] = xfer.wait async queue(%[[K]])
// CHECK:         %[[K2:.*]] = gpu.launch async [%[[W2]], %[[T]]]
// CHECK:         %[[J2:.*]] = xfer.wait async [%[[K2]]] on queue(%[[K]])
// CHECK:         %[[O1:.*]] = xfer.copy async [%[[J1]]] %[[a]] to %[[A]] on queue(%[[OUT]])
// CHECK:         %[[O2:.*]] = xfer.copy async [%[[J2]]] %[[b]] to %[[B]] on queue(%[[OUT]])
// CHECK-NOT:     xfer.wait [
// CHECK:         arith.addi
// CHECK:         xfer.wait [%[[O1]]]
// CHECK-NEXT:    memref.load %[[A]]
// CHECK:         xfer.wait [%[[O2]]]
// CHECK-NEXT:    memref.load %[[B]]
// CHECK-NOT:     xfer.wait
// CHECK:         return
func.func @two(%A: memref<64xf32>, %B: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  %b = xfer.create %B : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c64, %my = %c1, %mz = %c1) {
    %v = memref.load %a[%i] : memref<64xf32, #xfer.device>
    %w = arith.addf %v, %v : f32
    memref.store %w, %a[%i] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %B to %b : memref<64xf32> to memref<64xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c64, %my = %c1, %mz = %c1) {
    %v = memref.load %b[%i] : memref<64xf32, #xfer.device>
    %w = arith.addf %v, %v : f32
    memref.store %w, %b[%i] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  xfer.copy %b to %B : memref<64xf32, #xfer.device> to memref<64xf32>
  // The host does something of its own.
  %two = arith.addi %c1, %c1 : index
  %p = memref.load %A[%two] : memref<64xf32>
  %q = memref.load %B[%two] : memref<64xf32>
  %sum = arith.addf %p, %q : f32
  return %sum : f32
}

// Around a loop the order is that of queues.

// CHECK-LABEL: func.func @steps(
// CHECK-SAME:    %[[A:.*]]: memref<64xf32>, %[[N:.*]]: index)
// CHECK-DAG:     %[[K:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[OUT:.*]] = arith.constant 2 : index
// CHECK:         %[[S:.*]] = xfer.copy async
// CHECK:         scf.for
// CHECK:           %[[W:.*]] = xfer.wait async queue(%[[K]])
// CHECK:           %[[L:.*]] = gpu.launch async [%[[W]], %[[S]]]
// CHECK:           %[[J:.*]] = xfer.wait async [%[[L]]] on queue(%[[K]])
// CHECK:           %[[C:.*]] = xfer.copy async [%[[J]]] %{{.*}} to %[[A]] on queue(%[[OUT]])
// CHECK:           xfer.wait [%[[C]]]
// CHECK-NEXT:      memref.load %[[A]]
// CHECK:         }
// CHECK:         xfer.wait [%[[S]]]
// CHECK-NEXT:    xfer.free
func.func @steps(%A: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%x, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1)
        threads(%i, %j, %k) in (%mx = %c64, %my = %c1, %mz = %c1) {
      %v = memref.load %a[%i] : memref<64xf32, #xfer.device>
      %w = arith.addf %v, %v : f32
      memref.store %w, %a[%i] : memref<64xf32, #xfer.device>
      gpu.terminator
    }
    xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
    %p = memref.load %A[%c1] : memref<64xf32>
  }
  xfer.free %a : memref<64xf32, #xfer.device>
  return
}

// What the author made asynchronous is left alone.

// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT:     queue
// CHECK:         xfer.copy %{{.*}} to
// CHECK:         return
func.func @left_alone(%A: memref<64xf32>) {
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  %t = xfer.copy async %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.wait [%t]
  xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  return
}

// Blocks that branch to each other wait before they do.

// CHECK-LABEL: func.func @blocks(
// CHECK:         %[[T:.*]] = xfer.copy async
// CHECK:         xfer.wait [%[[T]]]
// CHECK-NEXT:    cf.cond_br
func.func @blocks(%A: memref<64xf32>, %c: i1) {
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  cf.cond_br %c, ^yes, ^no
^yes:
  return
^no:
  return
}
