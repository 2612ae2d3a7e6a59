// RUN: terrace-opt %s -allow-unregistered-dialect -loop-invariant-code-motion | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect -loop-invariant-code-motion -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: LoopInvariantCodeMotion
// COUNT-NEXT: (S) {{[1-9][0-9]*}} num-hoisted

// Out of all loops at once, with what it is computed from.
// CHECK-LABEL: func.func @all_the_way
// CHECK-NEXT: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 10
// CHECK-NEXT: affine.apply {{.*}}(%[[I]])
// CHECK-NEXT: affine.for
// CHECK-NEXT: "test.use"(%[[B]]
func.func @all_the_way(%x: f32, %y: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      %0 = arith.addf %x, %y : f32
      %1 = arith.mulf %0, %0 : f32
      %2 = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
      "test.use"(%1, %2) : (f32, index) -> ()
    }
  }
  return
}

// Every kind of loop.
// CHECK-LABEL: func.func @kinds
// CHECK-NEXT: arith.constant 1 : i32
// CHECK-NEXT: scf.for
// CHECK: arith.constant 2 : i32
// CHECK-NEXT: scf.while
// CHECK: arith.constant 3 : i32
// CHECK-NEXT: scf.parallel
// CHECK: arith.constant 4 : i32
// CHECK-NEXT: affine.parallel
func.func @kinds(%a: index, %b: index, %s: index, %c: i1) {
  scf.for %i = %a to %b step %s {
    %0 = arith.constant 1 : i32
    "test.use"(%0) : (i32) -> ()
  }
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    %0 = arith.constant 2 : i32
    "test.use"(%0) : (i32) -> ()
    scf.yield
  }
  scf.parallel (%i) = (%a) to (%b) step (%s) {
    %0 = arith.constant 3 : i32
    "test.use"(%0) : (i32) -> ()
  }
  affine.parallel (%i) = (0) to (10) {
    %0 = arith.constant 4 : i32
    "test.use"(%0) : (i32) -> ()
  }
  return
}

// What the loop may not run at all must not run either where it can go wrong, and
// what touches memory stays.
// CHECK-LABEL: func.func @stay
// CHECK-NEXT: %[[C:.*]] = arith.constant 3
// CHECK-NEXT: %[[S:.*]] = arith.divsi %{{.*}}, %[[C]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.divsi %{{.*}}, %{{.*}}
// CHECK-NEXT: memref.load
// CHECK-NEXT: "test.unknown"
func.func @stay(%a: index, %b: index, %s: index, %x: i32, %y: i32, %m: memref<f32>) {
  scf.for %i = %a to %b step %s {
    %0 = arith.divsi %x, %y : i32
    %c3 = arith.constant 3 : i32
    %1 = arith.divsi %x, %c3 : i32
    %2 = memref.load %m[] : memref<f32>
    "test.unknown"() : () -> ()
    "test.use"(%0, %1, %2) : (i32, i32, f32) -> ()
  }
  return
}

// An op goes with what is in it, where all of that may go.
// CHECK-LABEL: func.func @regions
// CHECK-NEXT: %[[R:.*]] = scf.if
// CHECK: affine.for
// CHECK-NEXT: "test.use"(%[[R]])
// CHECK-NEXT: scf.if
// CHECK-NEXT: "test.use"
func.func @regions(%c: i1, %x: f32) {
  affine.for %i = 0 to 10 {
    %0 = scf.if %c -> f32 {
      %a = arith.addf %x, %x : f32
      scf.yield %a : f32
    } else {
      scf.yield %x : f32
    }
    "test.use"(%0) : (f32) -> ()
    scf.if %c {
      "test.use"(%x) : (f32) -> ()
    }
  }
  return
}

// A dimension that is there has a size anywhere; a loop with step 1 ends.
// CHECK-LABEL: func.func @sizes
// CHECK: memref.dim
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.dim
// CHECK: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 10 step 2 {
func.func @sizes(%m: memref<?x?xf32>, %d: index, %a: index, %b: index, %s: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %s {
    %0 = memref.dim %m, %c1 : memref<?x?xf32>
    %1 = memref.dim %m, %d : memref<?x?xf32>
    "test.use"(%0, %1) : (index, index) -> ()
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
    }
    affine.for %j = 0 to 10 step 2 {
    }
  }
  return
}

// A remainder by what may be 0 stays where it only runs if the loop does; by 7 it goes.
// CHECK-LABEL: func.func @remainders
// CHECK: arith.remui %{{.*}}, %c7
// CHECK: scf.for
// CHECK-DAG: arith.remsi
// CHECK-DAG: arith.floordivsi
func.func @remainders(%n: index, %m: index, %by: index, %a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.remsi %m, %by : index
    %q = arith.floordivsi %m, %by : index
    %s = arith.remui %m, %c7 : index
    %t = arith.addi %r, %q : index
    %u = arith.addi %t, %s : index
    memref.store %u, %a[%i] : memref<?xindex>
  }
  return
}
