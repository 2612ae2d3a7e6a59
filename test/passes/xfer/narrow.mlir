// RUN: terrace-opt %s --pass-pipeline='builtin.module(func.func(xfer-insert,xfer-optimize,xfer-narrow,xfer-check))' | FileCheck %s

// A kernel works on a box: that goes in and comes back.

// CHECK-LABEL: func.func @rows(
// CHECK: %[[D:.*]] = xfer.create %[[A:.*]] : memref<64x8xf32>
// CHECK: %[[X:.*]] = memref.subview %[[A]][4, 0] [16, 8] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %[[D]][4, 0] [16, 8] [1, 1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = memref.subview %[[D]][4, 0] [16, 8] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %[[A]][4, 0] [16, 8] [1, 1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
func.func @rows(%A: memref<64x8xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c16, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c8, %nty = %c1, %ntz = %c1) {
    %row = arith.addi %b, %c4 : index
    %x = memref.load %A[%row, %t] : memref<64x8xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%row, %t] : memref<64x8xf32>
    gpu.terminator
  }
  return
}

// Threads beyond the last have nothing to do: a condition says so. What it takes is known
// when the program runs.

// CHECK-LABEL: func.func @guarded(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[LOW:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK-DAG: %[[DIM:.*]] = memref.dim %[[A]]
// CHECK: memref.subview %[[A]][%{{.*}}] [%{{.*}}] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: xfer.copy
// CHECK: gpu.launch
// CHECK: xfer.copy %{{.*}} to %{{.*}} : memref<?xf32, strided<[1], offset: ?>, #xfer.device>
func.func @guarded(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %count = arith.subi %n, %c2 : index
  %trips = arith.maxsi %count, %c0 : index
  %blocks = arith.ceildivsi %trips, %c32 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %blocks, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c32, %nty = %c1, %ntz = %c1) {
    %first = arith.muli %b, %nt : index
    %i = arith.addi %first, %t : index
    %in = arith.cmpi slt, %i, %trips : index
    scf.if %in {
      %at = arith.addi %i, %c2 : index
      %x = memref.load %A[%at] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%at] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// The host looks at one element in each iteration.

// CHECK-LABEL: func.func @watched(
// CHECK: %[[D:.*]] = xfer.create %[[A:.*]] : memref<100xf32>
// CHECK: xfer.copy %[[A]] to %[[D]]
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = memref.subview %[[D]][7] [1] [1]
// CHECK: %[[Y:.*]] = memref.subview %[[A]][7] [1] [1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
// CHECK: memref.load %[[A]]
func.func @watched(%A: memref<100xf32>, %log: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c100 = arith.constant 100 : index
  %scratch = memref.alloc() : memref<100xf32>
  memref.copy %A, %scratch : memref<100xf32> to memref<100xf32>
  scf.for %k = %c0 to %c100 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c100, %nby = %c1, %nbz = %c1)
        threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %x = memref.load %scratch[%b] : memref<100xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %scratch[%b] : memref<100xf32>
      gpu.terminator
    }
    %x = memref.load %scratch[%c7] : memref<100xf32>
    memref.store %x, %log[%k] : memref<100xf32>
  }
  memref.dealloc %scratch : memref<100xf32>
  return
}

// Another element in each: the counter is known where the copy is.

// CHECK-LABEL: func.func @another_each_time(
// CHECK: scf.for %[[K:.*]] = %{{.*}} to
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = memref.subview %{{.*}}[%{{.*}}] [%{{.*}}] [1]
// CHECK: xfer.copy %[[X]]
// CHECK: memref.load
func.func @another_each_time(%A: memref<100xf32>, %log: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %scratch = memref.alloc() : memref<100xf32>
  memref.copy %A, %scratch : memref<100xf32> to memref<100xf32>
  scf.for %k = %c0 to %c100 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c100, %nby = %c1, %nbz = %c1)
        threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %x = memref.load %scratch[%b] : memref<100xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %scratch[%b] : memref<100xf32>
      gpu.terminator
    }
    %x = memref.load %scratch[%k] : memref<100xf32>
    memref.store %x, %log[%k] : memref<100xf32>
  }
  memref.dealloc %scratch : memref<100xf32>
  return
}

// The host changes one element of what kernels use all of.

// CHECK-LABEL: func.func @one_element_changes(
// CHECK: %[[D:.*]] = xfer.create %[[A:.*]] : memref<16x16xf32>
// CHECK: xfer.copy %[[A]] to %[[D]]
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: %[[X:.*]] = memref.subview %[[A]][3, 5] [1, 1] [1, 1]
// CHECK: xfer.copy %[[X]]
func.func @one_element_changes(%A: memref<16x16xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %f = arith.constant 1.0 : f32
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c16, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c16, %nty = %c1, %ntz = %c1) {
    %x = memref.load %A[%b, %t] : memref<16x16xf32>
    memref.store %x, %out[%c0] : memref<1xf32>
    gpu.terminator
  }
  memref.store %f, %A[%c3, %c5] : memref<16x16xf32>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c16, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c16, %nty = %c1, %ntz = %c1) {
    %x = memref.load %A[%b, %t] : memref<16x16xf32>
    memref.store %x, %out[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}

// All of it is returned, and subscripts that are no sums of counters may be any: whole
// arrays.

// CHECK-LABEL: func.func @whole(
// CHECK-NOT: memref.subview
// CHECK: return
func.func @whole(%A: memref<64xf32>, %at: memref<64xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c4, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %i = arith.muli %b, %b : index
    memref.store %f, %A[%i] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The last element that a condition admits is moved too. What says nothing of an interval
// is not taken for a bound: that they are unequal, or what holds where it does not.

// CHECK-LABEL: func.func @at_most(
// CHECK: memref.subview %{{.*}}[0] [21] [1]
// CHECK: gpu.launch
// CHECK: memref.subview %{{.*}}[0] [21] [1]
func.func @at_most(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi sle, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @at_least(
// CHECK: memref.subview %{{.*}}[20] [44] [1]
// CHECK: gpu.launch
// CHECK: memref.subview %{{.*}}[20] [44] [1]
func.func @at_least(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi sge, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @less(
// CHECK: memref.subview %{{.*}}[0] [20] [1]
// CHECK: gpu.launch
// CHECK: memref.subview %{{.*}}[0] [20] [1]
func.func @less(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi slt, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @more(
// CHECK: memref.subview %{{.*}}[21] [43] [1]
// CHECK: gpu.launch
// CHECK: memref.subview %{{.*}}[21] [43] [1]
func.func @more(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi sgt, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @equal(
// CHECK: memref.subview %{{.*}}[20] [1] [1]
// CHECK: gpu.launch
// CHECK: memref.subview %{{.*}}[20] [1] [1]
func.func @equal(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi eq, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @unequal(
// CHECK-NOT: memref.subview
// CHECK: gpu.launch
// CHECK-NOT: memref.subview
// CHECK: return
func.func @unequal(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi ne, %t, %c20 : index
    scf.if %in {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @not_at_most(
// CHECK-NOT: memref.subview
// CHECK: gpu.launch
// CHECK-NOT: memref.subview
// CHECK: return
func.func @not_at_most(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi sle, %t, %c20 : index
    scf.if %in {
    } else {
      %x = memref.load %A[%t] : memref<64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%t] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}
