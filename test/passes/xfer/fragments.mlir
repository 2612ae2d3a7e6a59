// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-offload-fragments))" | FileCheck %s

// A division by a diagonal element between kernels: the matrix stays where it is.

// CHECK-LABEL: func @diagonal(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>
// CHECK:         scf.for %[[K:[^ ]*]] =
// CHECK-NOT:       memref.load
// CHECK:           %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      gpu.launch blocks({{.*}}) in ({{.*}} = %[[ONE]], {{.*}} = %[[ONE]], {{.*}} = %[[ONE]]) threads({{.*}}) in ({{.*}} = %[[ONE]], {{.*}} = %[[ONE]], {{.*}} = %[[ONE]]) {
// CHECK-NEXT:        %[[P:.*]] = memref.load %[[A]][%[[K]], %[[K]]]
// CHECK-NEXT:        %[[R:.*]] = math.sqrt %[[P]]
// CHECK-NEXT:        memref.store %[[R]], %[[A]][%[[K]], %[[K]]]
// CHECK-NEXT:        gpu.terminator
// CHECK:           gpu.launch
// CHECK:         return
func.func @diagonal(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %p = memref.load %A[%k, %k] : memref<?x?xf64>
    %r = math.sqrt %p : f64
    memref.store %r, %A[%k, %k] : memref<?x?xf64>
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %d = memref.load %A[%k, %k] : memref<?x?xf64>
      %a = memref.load %A[%i, %k] : memref<?x?xf64>
      %q = arith.divf %a, %d : f64
      memref.store %q, %A[%i, %k] : memref<?x?xf64>
      gpu.terminator
    }
  }
  return
}

// A number that a kernel needs: it lies in an array of one element, and the kernel computes
// with it. Nothing of it is left on the host.

// CHECK-LABEL: func @number(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>
// CHECK:         %[[ROOM:[^ ]*]] = memref.alloca() : memref<f64>
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:             %[[SUM:.*]] = scf.for
// CHECK:             memref.store %[[SUM]], %[[ROOM]][] : memref<f64>
// CHECK-NEXT:        gpu.terminator
// CHECK-NEXT:      }
// CHECK-NOT:       memref.load
// CHECK:           gpu.launch
// CHECK-NEXT:        %[[S:.*]] = memref.load %[[ROOM]][] : memref<f64>
// CHECK-NEXT:        %[[H:.*]] = arith.mulf %[[S]], %{{.*}} : f64
// CHECK:             arith.addf %{{.*}}, %[[H]]
func.func @number(%A: memref<?x?xf64>, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  scf.for %t = %c0 to %steps step %c1 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %a = memref.load %A[%i, %c0] : memref<?x?xf64>
      %s1 = arith.addf %s, %a : f64
      scf.yield %s1 : f64
    }
    %h = arith.mulf %sum, %half : f64
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%i, %c0] : memref<?x?xf64>
      %q = arith.addf %a, %h : f64
      memref.store %q, %A[%i, %c0] : memref<?x?xf64>
      gpu.terminator
    }
  }
  return
}

// The host needs the number for a condition: it is loaded behind the kernel, which is a
// copy of one element instead of the array.

// CHECK-LABEL: func @asked(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>
// CHECK:         %[[ROOM:[^ ]*]] = memref.alloca() : memref<f64>
// CHECK:         scf.while
// CHECK:           gpu.launch
// CHECK:             %[[X:.*]] = memref.load %[[A]]
// CHECK:             memref.store %[[X]], %[[ROOM]][] : memref<f64>
// CHECK:           %[[Y:.*]] = memref.load %[[ROOM]][] : memref<f64>
// CHECK:           arith.cmpf ogt, %[[Y]]
func.func @asked(%A: memref<?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eps = arith.constant 1.0e-3 : f64
  %half = arith.constant 0.5 : f64
  scf.while : () -> () {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%i, %c0] : memref<?x?xf64>
      %q = arith.mulf %a, %half : f64
      memref.store %q, %A[%i, %c0] : memref<?x?xf64>
      gpu.terminator
    }
    %x = memref.load %A[%c0, %c1] : memref<?x?xf64>
    %more = arith.cmpf ogt, %x, %eps : f64
    scf.condition(%more)
  } do {
    scf.yield
  }
  return
}

// A load that only a kernel needs is done there; no kernel is made of it.

// CHECK-LABEL: func @pivot(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf64>
// CHECK:         scf.for %[[K:[^ ]*]] =
// CHECK-NEXT:      gpu.launch
// CHECK-NEXT:        memref.load %[[A]][%[[K]]]
// CHECK-NOT:     gpu.launch
func.func @pivot(%A: memref<?xf64>, %B: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %p = memref.load %A[%k] : memref<?xf64>
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%i] : memref<?xf64>
      %q = arith.addf %a, %p : f64
      memref.store %q, %B[%i] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// Where the kernel writes what is loaded, its threads would see one another's elements: one
// thread does the load before.

// CHECK-LABEL: func @overwritten_pivot(
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        memref.store
// CHECK-NEXT:        gpu.terminator
// CHECK:           gpu.launch
func.func @overwritten_pivot(%A: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %p = memref.load %A[%k] : memref<?xf64>
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%i] : memref<?xf64>
      %q = arith.subf %a, %p : f64
      memref.store %q, %A[%i] : memref<?xf64>
      gpu.terminator
    }
  }
  return
}

// A nest of n * n iterations in order would take one thread longer than copies take.

// CHECK-LABEL: func @long(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               memref.load
// CHECK:           gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @long(%A: memref<?x?xf64>, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    scf.for %i = %c1 to %n step %c1 {
      scf.for %j = %c1 to %n step %c1 {
        %i1 = arith.subi %i, %c1 : index
        %j1 = arith.subi %j, %c1 : index
        %a = memref.load %A[%i1, %j] : memref<?x?xf64>
        %b = memref.load %A[%i, %j1] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        memref.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
    gpu.launch blocks(%b, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
      %a = memref.load %A[%b, %i] : memref<?x?xf64>
      %q = arith.addf %a, %a : f64
      memref.store %q, %A[%b, %i] : memref<?x?xf64>
      gpu.terminator
    }
  }
  return
}

// What only the host uses stays, and so does what a device would round or do otherwise:
// functions, calls, integer division by what may be zero.

// CHECK-LABEL: func @stays(
// CHECK:         memref.load
// CHECK:         math.exp
// CHECK:         memref.store
// CHECK:         arith.divsi
// CHECK:         memref.store
// CHECK:         call @elsewhere
// CHECK:         gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func private @elsewhere(memref<?xi64>)
func.func @stays(%A: memref<?xf64>, %I: memref<?xi64>, %n: index, %m: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %A[%c0] : memref<?xf64>
  %e = math.exp %a : f64
  memref.store %e, %A[%c0] : memref<?xf64>
  %i = memref.load %I[%c0] : memref<?xi64>
  %q = arith.divsi %i, %m : i64
  memref.store %q, %I[%c0] : memref<?xi64>
  func.call @elsewhere(%I) : (memref<?xi64>) -> ()
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %n, %nty = %c1, %ntz = %c1) {
    %x = memref.load %A[%t] : memref<?xf64>
    %y = arith.addf %x, %x : f64
    memref.store %y, %A[%t] : memref<?xf64>
    gpu.terminator
  }
  return
}
