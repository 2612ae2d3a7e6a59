// RUN: terrace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 short-kernels=true},xfer-check,canonicalize))' | FileCheck %s

// A stencil: a piece needs a row more than it computes, so that the first copy in has that,
// and the others what is new. What comes out is what no later piece writes.

// CHECK-LABEL: func.func @stencil(
// CHECK-SAME:    %[[A:.*]]: memref<66x8xf32>, %[[B:.*]]: memref<66x8xf32>)
// CHECK:         %[[a:.*]] = xfer.create %[[A]]
// CHECK:         %[[b:.*]] = xfer.create %[[B]]
// CHECK:         memref.subview %[[A]][0, 0] [18, 8] [1, 1]
// CHECK:         xfer.copy
// CHECK:         gpu.launch blocks(%[[X:[^,]*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c4
// CHECK-NEXT:      arith.muli %[[X]]
// CHECK:         memref.subview %[[A]][18, 0] [16, 8] [1, 1]
// CHECK:         xfer.copy
// CHECK:         gpu.launch blocks(%[[X:[^,]*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c4
// CHECK-NEXT:      arith.addi %[[X]], %c4
// CHECK:         memref.subview %[[B]][0, 0] [17, 8] [1, 1]
// CHECK:         xfer.copy
// CHECK:         memref.subview %[[A]][34, 0] [16, 8] [1, 1]
// CHECK:         gpu.launch blocks(%[[X:[^,]*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c4
// CHECK-NEXT:      arith.addi %[[X]], %c8
// CHECK:         memref.subview %[[B]][17, 0] [16, 8] [1, 1]
// CHECK:         memref.subview %[[A]][50, 0] [16, 8] [1, 1]
// CHECK:         gpu.launch blocks(%[[X:[^,]*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c4
// CHECK-NEXT:      arith.addi %[[X]], %c12
// CHECK:         memref.subview %[[B]][33, 0] [16, 8] [1, 1]
// CHECK:         memref.subview %[[B]][49, 0] [17, 8] [1, 1]
// CHECK:         xfer.copy
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @stencil(%A: memref<66x8xf32>, %B: memref<66x8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %a = xfer.create %A : memref<66x8xf32> to memref<66x8xf32, #xfer.device>
  %b = xfer.create %B : memref<66x8xf32> to memref<66x8xf32, #xfer.device>
  xfer.copy %A to %a : memref<66x8xf32> to memref<66x8xf32, #xfer.device>
  xfer.copy %B to %b : memref<66x8xf32> to memref<66x8xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c8, %my = %c4, %mz = %c1) {
    %first = arith.muli %x, %my : index
    %up = arith.addi %first, %j : index
    %row = arith.addi %up, %c1 : index
    %down = arith.addi %up, %c2 : index
    %v = memref.load %a[%up, %i] : memref<66x8xf32, #xfer.device>
    %w = memref.load %a[%down, %i] : memref<66x8xf32, #xfer.device>
    %s = arith.addf %v, %w : f32
    memref.store %s, %b[%row, %i] : memref<66x8xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %b to %B : memref<66x8xf32, #xfer.device> to memref<66x8xf32>
  return
}

// -----

// A product: all of B comes first. Sizes are known when the program runs, which asks whether
// there are blocks enough; else it is as before. The kernel goes on by the size of the grid,
// which the pieces do not where the grid has a thread for each row.

// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[G:.*]]: index)
// CHECK:         xfer.copy %[[B]] to
// CHECK-DAG:     %[[Q:.*]] = arith.divsi %[[G]], %c4
// CHECK-DAG:     %[[EACH:.*]] = arith.maxsi %[[Q]], %c1
// CHECK:         scf.if
// CHECK-COUNT-4:   gpu.launch
// CHECK:         } else {
// CHECK-COUNT-1:   gpu.launch
// CHECK-NOT:       gpu.launch
// CHECK:         return
func.func @product(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %g: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = xfer.create %A : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  %b = xfer.create %B : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  %c = xfer.create %C : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  xfer.copy %A to %a : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  xfer.copy %B to %b : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  xfer.copy %C to %c : memref<?x?xf32> to memref<?x?xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c1, %ny = %g, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c8, %my = %c4, %mz = %c1) {
    %first = arith.muli %y, %my : index
    %start = arith.addi %first, %j : index
    %step = arith.muli %ny, %my : index
    scf.for %row = %start to %n step %step {
      scf.for %l = %c0 to %n step %c1 {
        %u = memref.load %a[%row, %l] : memref<?x?xf32, #xfer.device>
        %v = memref.load %b[%l, %i] : memref<?x?xf32, #xfer.device>
        %w = memref.load %c[%row, %i] : memref<?x?xf32, #xfer.device>
        %p = arith.mulf %u, %v : f32
        %s = arith.addf %w, %p : f32
        memref.store %s, %c[%row, %i] : memref<?x?xf32, #xfer.device>
      }
    }
    gpu.terminator
  }
  xfer.copy %c to %C : memref<?x?xf32, #xfer.device> to memref<?x?xf32>
  return
}

// -----

// The host chose how many rows a thread has: the pieces are for four, if the run says so. The
// loop over what is left of them ends by the thread's own number and stays.

// CHECK-LABEL: func.func @chosen(
// CHECK:         %[[LARGE:.*]] = arith.cmpi sge, %{{.*}}, %c100
// CHECK:         %[[ROWS:.*]] = arith.select %[[LARGE]], %c4, %c1
// CHECK:         %[[ALL:.*]] = arith.andi %[[LARGE]]
// CHECK:         scf.if
// CHECK:           gpu.launch
// CHECK-NEXT:        arith.muli %{{.*}}, %c4
// CHECK:             scf.for
// CHECK-COUNT-3:   gpu.launch
// CHECK:         } else {
// CHECK:           gpu.launch
// CHECK-NEXT:        arith.muli %{{.*}}, %[[ROWS]]
func.func @chosen(%A: memref<?xf32>, %g: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %large = arith.cmpi sge, %n, %c100 : index
  %rows = arith.select %large, %c4, %c1 : index
  %a = xfer.create %A : memref<?xf32> to memref<?xf32, #xfer.device>
  xfer.copy %A to %a : memref<?xf32> to memref<?xf32, #xfer.device>
  gpu.launch blocks(%x, %y, %z) in (%nx = %g, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c1, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %rows : index
    %past = arith.addi %first, %rows : index
    %end = arith.minsi %past, %n : index
    scf.for %row = %first to %end step %c1 {
      %v = memref.load %a[%row] : memref<?xf32, #xfer.device>
      %w = arith.addf %v, %v : f32
      memref.store %w, %a[%row] : memref<?xf32, #xfer.device>
    }
    gpu.terminator
  }
  xfer.copy %a to %A : memref<?xf32, #xfer.device> to memref<?xf32>
  return
}
