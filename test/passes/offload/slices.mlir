// RUN: terrace-opt %s -split-input-file -offload-slices | FileCheck %s

// A loop over time, whose iterations keep their order.
// CHECK: #[[FROM:.*]] = affine_map<()[s0] -> (0, s0)>
// CHECK: #[[TO:.*]] = affine_map<()[s0, s1] -> (s0, s1)>
// CHECK-LABEL: func.func @time
// CHECK-SAME: (%{{.*}}: memref<?xf64>, %[[N:.*]]: index, %[[M:.*]]: index, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-SAME: acc.slices = array<i64>
// CHECK: affine.for %{{.*}} = max #[[FROM]]()[%[[A]]] to min #[[TO]]()[%[[N]], %[[B]]] {
// CHECK: affine.for %{{.*}} = 1 to %[[M]] {
func.func @time(%x: memref<?xf64>, %n: index, %m: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// A sum that is an argument and comes back.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: acc.slices = array<i64: 1>
func.func @sum(%x: memref<?xf64>, %s: f64, %n: index, %m: index) -> f64 {
  %r = affine.for %t = 0 to %n iter_args(%a = %s) -> (f64) {
    %q = affine.for %i = 0 to %m iter_args(%b = %a) -> (f64) {
      %0 = affine.load %x[%i] : memref<?xf64>
      %1 = arith.addf %b, %0 : f64
      affine.yield %1 : f64
    }
    affine.yield %q : f64
  }
  return %r : f64
}

// -----

// Bounds that are no affine ones.
// CHECK-LABEL: func.func @other_loops
// CHECK: %[[F:.*]] = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK: %[[T:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[F]] to %[[T]] step
func.func @other_loops(%x: memref<?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// What begins anew in each call is not handed on from one part to the next.
// CHECK-LABEL: func.func @begins_anew
// CHECK-NOT: acc.slices
func.func @begins_anew(%x: memref<?xf64>, %n: index, %m: index) -> f64 {
  %s = arith.constant 0.0 : f64
  %r = affine.for %t = 0 to %n iter_args(%a = %s) -> (f64) {
    %q = affine.for %i = 0 to %m iter_args(%b = %a) -> (f64) {
      %0 = affine.load %x[%i] : memref<?xf64>
      %1 = arith.addf %b, %0 : f64
      affine.yield %1 : f64
    }
    affine.yield %q : f64
  }
  return %r : f64
}

// -----

// The argument is used beside the loop: a part would begin with another one.
// CHECK-LABEL: func.func @used_twice
// CHECK-NOT: acc.slices
func.func @used_twice(%x: memref<?xf64>, %s: f64, %n: index, %m: index) -> f64 {
  %r = affine.for %t = 0 to %n iter_args(%a = %s) -> (f64) {
    affine.for %i = 0 to %m {
      affine.store %s, %x[%i] : memref<?xf64>
    }
    %1 = arith.addf %a, %s : f64
    affine.yield %1 : f64
  }
  return %r : f64
}

// -----

// A value that is computed from the number of iterations.
// CHECK-LABEL: func.func @last
// CHECK-NOT: acc.slices
func.func @last(%x: memref<?xf64>, %k: index, %n: index, %m: index) -> index {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  %r = arith.addi %k, %n : index
  return %r : index
}

// -----

// Something beside the loop is written, and what is read there may change in the loop.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: acc.slices
func.func @beside(%x: memref<?xf64>, %y: memref<f64>, %n: index, %m: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  %c = arith.constant 1.0 : f64
  affine.store %c, %y[] : memref<f64>
  return
}

// CHECK-LABEL: func.func @reads_what_changes
// CHECK-NOT: acc.slices
func.func @reads_what_changes(%x: memref<?xf64>, %n: index, %m: index) {
  %0 = affine.load %x[0] : memref<?xf64>
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %m {
      %1 = affine.load %x[%i] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// Iterations that need no order, a loop alone, and steps of two.
// CHECK-LABEL: func.func @any_order
// CHECK-NOT: acc.slices
func.func @any_order(%x: memref<?x?xf64>, %n: index, %m: index) {
  %c = arith.constant 1.0 : f64
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %m {
      affine.store %c, %x[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @alone
// CHECK-NOT: acc.slices
func.func @alone(%x: memref<?xf64>, %m: index) {
  affine.for %i = 1 to %m {
    %0 = affine.load %x[%i - 1] : memref<?xf64>
    affine.store %0, %x[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func.func @by_two
// CHECK-NOT: acc.slices
func.func @by_two(%x: memref<?xf64>, %n: index, %m: index) {
  affine.for %t = 0 to %n step 2 {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @some_rows
// CHECK-NOT: acc.slices
// Loops inside depend on the variable: more than a repetition becomes of such nests.
func.func @some_rows(%x: memref<?x?xf64>, %n: index, %m: index) {
  affine.for %t = 1 to %n {
    affine.for %i = 1 to %m {
      %0 = affine.load %x[%t - 1, %i] : memref<?x?xf64>
      affine.store %0, %x[%t, %i] : memref<?x?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @triangle
// CHECK-NOT: acc.slices
func.func @triangle(%x: memref<?xf64>, %n: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to affine_map<(d0) -> (d0 + 1)>(%t) {
      %0 = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %0, %x[%i] : memref<?xf64>
    }
  }
  return
}

// -----

// The variable decides what is done, is a number in it, and is a subscript beside the loops.
// CHECK-LABEL: func.func @as_a_number
// CHECK-SAME: acc.slices = array<i64>
func.func @as_a_number(%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  %c10 = arith.constant 10 : index
  %c0 = arith.constant 0 : index
  affine.for %t = 0 to %n {
    %k = arith.index_cast %t : index to i64
    %f = arith.sitofp %k : i64 to f64
    %r = arith.remsi %t, %c10 : index
    %c = arith.cmpi eq, %r, %c0 : index
    scf.if %c {
      affine.for %i = 1 to %m {
        %0 = affine.load %x[%i - 1] : memref<?xf64>
        %1 = arith.addf %0, %f : f64
        affine.store %1, %x[%i] : memref<?xf64>
      }
    }
    %2 = affine.load %x[1] : memref<?xf64>
    affine.store %2, %y[%t] : memref<?xf64>
  }
  return
}
