// RUN: terrace-opt %s -affine-jam-reuse -mlir-pass-statistics 2>&1 | FileCheck %s

// c[j] is loaded and stored once for four iterations of %k, once loads and stores are merged.
// CHECK-LABEL: func.func @product
// CHECK: affine.for %[[K:.*]] = 0 to 100 step 4 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 200 {
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT: affine.for
// CHECK: return
func.func @product(%a: memref<100xf64>, %b: memref<100x200xf64>, %c: memref<200xf64>) {
  affine.for %k = 0 to 100 {
    affine.for %j = 0 to 200 {
      %x = affine.load %c[%j] : memref<200xf64>
      %y = affine.load %a[%k] : memref<100xf64>
      %z = affine.load %b[%k, %j] : memref<100x200xf64>
      %p = arith.mulf %y, %z : f64
      %q = arith.addf %x, %p : f64
      affine.store %q, %c[%j] : memref<200xf64>
    }
  }
  return
}

// Four sums do not wait for one another.
// CHECK-LABEL: func.func @sums
// CHECK: affine.for %{{.*}} = 0 to 100 step 4 {
// CHECK: %{{.*}}:4 = affine.for %{{.*}} = 0 to 200 iter_args
func.func @sums(%b: memref<100x200xf64>, %c: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = 0 to 200 iter_args(%t = %zero) -> (f64) {
      %x = affine.load %b[%i, %j] : memref<100x200xf64>
      %u = arith.addf %t, %x : f64
      affine.yield %u : f64
    }
    affine.store %s, %c[%i] : memref<100xf64>
  }
  return
}

// Two sums and two loads for each iteration, and one load for all: four iterations are 17 values,
// which is more than there are registers.
// CHECK-LABEL: func.func @registers
// CHECK: affine.for %{{.*}} = 0 to 99 step 3 {
// CHECK: %{{.*}}:6 = affine.for %{{.*}} = 0 to 200 iter_args
func.func @registers(%a: memref<99x200xf64>, %b: memref<99x200xf64>, %x: memref<200xf64>,
                     %c: memref<99xf64>, %zero: f64) {
  affine.for %i = 0 to 99 {
    %s:2 = affine.for %j = 0 to 200 iter_args(%t = %zero, %u = %zero) -> (f64, f64) {
      %x0 = affine.load %x[%j] : memref<200xf64>
      %a0 = affine.load %a[%i, %j] : memref<99x200xf64>
      %b0 = affine.load %b[%i, %j] : memref<99x200xf64>
      %p = arith.mulf %a0, %x0 : f64
      %q = arith.mulf %b0, %x0 : f64
      %t1 = arith.addf %t, %p : f64
      %u1 = arith.addf %u, %q : f64
      affine.yield %t1, %u1 : f64, f64
    }
    %r = arith.addf %s#0, %s#1 : f64
    affine.store %r, %c[%i] : memref<99xf64>
  }
  return
}

// Iterations share nothing; the next one needs what this one stored; too few.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: step
// CHECK: return
func.func @stay(%b: memref<100x200xf64>, %c: memref<100xf64>, %v: f64) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 200 {
      affine.store %v, %b[%i, %j] : memref<100x200xf64>
    }
  }
  affine.for %i = 1 to 100 {
    affine.for %j = 0 to 100 {
      %x = affine.load %c[-%j + 99] : memref<100xf64>
      %y = affine.load %b[%i, %j] : memref<100x200xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %c[%j] : memref<100xf64>
    }
  }
  affine.for %i = 0 to 1 {
    affine.for %j = 0 to 100 {
      %x = affine.load %b[%i, %j] : memref<100x200xf64>
      affine.store %x, %c[%j] : memref<100xf64>
    }
  }
  return
}

// A sequence in each row: an iteration waits for the one before, and four rows do not wait for each other.
// CHECK-LABEL: func.func @sequences
// CHECK: affine.for %{{.*}} = 0 to {{.*}} step 4
// CHECK: affine.for %{{.*}} = 1 to 100
// CHECK-COUNT-4: affine.store
func.func @sequences(%a: memref<?x100xf64>, %c: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to 100 {
      %x = affine.load %a[%i, %j - 1] : memref<?x100xf64>
      %y = arith.mulf %x, %c : f64
      affine.store %y, %a[%i, %j] : memref<?x100xf64>
    }
  }
  return
}

// What the row above holds is waited for too: nothing is gained, and jammed it would come too early.
// CHECK-LABEL: func.func @both
// CHECK-NOT: step 4
// CHECK: return
func.func @both(%a: memref<?x100xf64>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to 99 {
      %x = affine.load %a[%i, %j - 1] : memref<?x100xf64>
      %z = affine.load %a[%i - 1, %j + 1] : memref<?x100xf64>
      %y = arith.addf %x, %z : f64
      affine.store %y, %a[%i, %j] : memref<?x100xf64>
    }
  }
  return
}

// Rows of a triangle: all four have the columns in front of the first row's end. What a row has
// behind that uses what the rows before it made, and is done with what the row stores.
// CHECK-LABEL: func.func @forward_substitution
// CHECK: affine.for %[[I:.*]] = 0 to 100 step 4 {
// CHECK: %[[S:.*]]:4 = affine.for %{{.*}} = 0 to #{{.*}}(%[[I]]) iter_args
// CHECK-COUNT-4: arith.addf
// CHECK: affine.yield
// CHECK: affine.store %[[S]]#0, %{{.*}}[%[[I]]]
// CHECK-NOT: affine.for
// CHECK: %[[A:.*]] = affine.load %{{.*}}[%{{.*}}, %[[I]]]
// CHECK: %[[X:.*]] = affine.load %{{.*}}[%[[I]]]
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[X]]
// CHECK: %[[T:.*]] = arith.addf %[[S]]#1, %[[P]]
// CHECK: affine.store %[[T]]
// CHECK-COUNT-2: arith.addf
// CHECK: affine.store
// CHECK-COUNT-3: arith.addf
// CHECK: affine.store
// CHECK-NOT: affine.for
// CHECK: return
func.func @forward_substitution(%a: memref<100x100xf64>, %c: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<100x100xf64>
      %y = affine.load %c[%j] : memref<100xf64>
      %z = arith.mulf %x, %y : f64
      %u = arith.addf %t, %z : f64
      affine.yield %u : f64
    }
    affine.store %s, %c[%i] : memref<100xf64>
  }
  return
}

// A row uses what the one before it stored at once.
// CHECK-LABEL: func.func @back_substitution
// CHECK: affine.for %{{.*}} = 0 to 100 {
// CHECK: affine.for
// CHECK-NOT: affine.for
// CHECK: return
func.func @back_substitution(%a: memref<100x100xf64>, %c: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = affine_map<(d0) -> (100 - d0)>(%i) to 100 iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[99 - %i, %j] : memref<100x100xf64>
      %y = affine.load %c[%j] : memref<100xf64>
      %z = arith.mulf %x, %y : f64
      %u = arith.addf %t, %z : f64
      affine.yield %u : f64
    }
    affine.store %s, %c[99 - %i] : memref<100xf64>
  }
  return
}

// Both bounds of a band move. A row has a front that ends where all have begun, or where the
// first ends if that is before.
// CHECK-LABEL: func.func @band
// CHECK: affine.for %[[I:.*]] = 0 to 100 step 4 {
// CHECK-COUNT-3: affine.for %{{.*}} = max #{{.*}}(%{{.*}}) to #{{.*}}(%[[I]]) iter_args
// CHECK: affine.for %{{.*}} = max #{{.*}}(%[[I]]) to min #{{.*}}(%[[I]]) iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-COUNT-4: affine.store
// CHECK: return
func.func @band(%a: memref<100x100xf64>, %c: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = max affine_map<(d0) -> (d0 - 10, 0)>(%i)
                      to min affine_map<(d0) -> (d0 + 3, 100)>(%i) iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<100x100xf64>
      %u = arith.addf %t, %x : f64
      affine.yield %u : f64
    }
    affine.store %s, %c[%i] : memref<100xf64>
  }
  return
}

// Two loops inside, a sum and a row that all iterations add to.
// CHECK-LABEL: func.func @two_inside
// CHECK: affine.for %{{.*}} = 0 to 100 step 4 {
// CHECK: affine.for %{{.*}} = 0 to 100 iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-COUNT-4: affine.store %{{.*}}, %{{.*}} : memref<100xf64>
// CHECK: affine.for %{{.*}} = 0 to 100 {
// CHECK-COUNT-4: arith.addf
// CHECK: return
func.func @two_inside(%a: memref<100x100xf64>, %x: memref<100xf64>, %y: memref<100xf64>, %t: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = 0 to 100 iter_args(%u = %zero) -> (f64) {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %1 = affine.load %x[%j] : memref<100xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = arith.addf %u, %2 : f64
      affine.yield %3 : f64
    }
    affine.store %s, %t[%i] : memref<100xf64>
    affine.for %j = 0 to 100 {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %1 = affine.load %y[%j] : memref<100xf64>
      %2 = arith.mulf %0, %s : f64
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %y[%j] : memref<100xf64>
    }
  }
  return
}

// The second reads what the first of a later iteration writes: their order would change.
// CHECK-LABEL: func.func @second_reads_ahead
// CHECK: affine.for %{{.*}} = 0 to 99 {
func.func @second_reads_ahead(%a: memref<100x100xf64>, %y: memref<100xf64>, %t: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 99 {
    %s = affine.for %j = 0 to 100 iter_args(%u = %zero) -> (f64) {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %3 = arith.addf %u, %0 : f64
      affine.yield %3 : f64
    }
    affine.store %s, %t[%i] : memref<100xf64>
    affine.for %j = 0 to 100 {
      %0 = affine.load %t[%i + 1] : memref<100xf64>
      %1 = affine.load %y[%j] : memref<100xf64>
      %3 = arith.addf %1, %0 : f64
      affine.store %3, %y[%j] : memref<100xf64>
    }
  }
  return
}
// CHECK: (S) {{.*}}7 num-loops
