// RUN: terrace-opt %s -affine-loop-coalescing -split-input-file -allow-unregistered-dialect -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @constant
// CHECK: %[[M:.*]] = affine.apply affine_map<() -> (4)>()
// CHECK: %[[N:.*]] = affine.apply affine_map<() -> (8)>()
// CHECK: %[[ALL:.*]] = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%[[M]])[%[[N]]]
// CHECK: affine.for %[[K:.*]] = 0 to %[[ALL]] {
// CHECK-NEXT: %[[J:.*]] = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%[[K]])[%[[N]]]
// CHECK-NEXT: %[[I:.*]] = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%[[K]])[%[[N]]]
// CHECK-NEXT: "use"(%[[I]], %[[J]])
func.func @constant() {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// The product of -2 and -3 is not how often a loop runs.
// CHECK-LABEL: @perhaps_negative
// CHECK: affine.max affine_map<()[s0] -> (s0, 0)>()[%arg0]
// CHECK: affine.max affine_map<()[s0] -> (s0, 0)>()[%arg1]
func.func @perhaps_negative(%m: index, %n: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: @from_other_numbers
// CHECK: affine.apply affine_map<() -> (5)>()
// CHECK: affine.for
// CHECK-NEXT: %[[J:.*]] = affine.apply {{.*}} mod
// CHECK-NEXT: %[[I:.*]] = affine.apply {{.*}} floordiv
// CHECK-NEXT: affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%[[I]])
func.func @from_other_numbers(%m: index) {
  affine.for %i = 1 to 10 step 2 {
    affine.for %j = 0 to %m {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: @triangle
// CHECK: affine.for
// CHECK-NEXT: affine.for
func.func @triangle() {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// The two inner loops of three depend on the outer one.
// CHECK-LABEL: @inner_two
// CHECK: affine.for
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @inner_two(%n: index) {
  affine.for %i = 0 to %n {
    "begin"() : () -> ()
    affine.for %j = 0 to 10 {
      affine.for %k = 0 to 5 {
        "use"(%i, %j, %k) : (index, index, index) -> ()
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: @carried_through
// CHECK: %[[R:.*]] = affine.for %{{.*}} = 0 to %{{.*}} iter_args(%[[A:.*]] = %arg0) -> (f32) {
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK: affine.yield %[[B]]
// CHECK: return %[[R]]
func.func @carried_through(%x: f32) -> f32 {
  %r = affine.for %i = 0 to 4 iter_args(%a = %x) -> (f32) {
    %s = affine.for %j = 0 to 8 iter_args(%b = %a) -> (f32) {
      %0 = arith.addf %b, %b : f32
      affine.yield %0 : f32
    }
    affine.yield %s : f32
  }
  return %r : f32
}

// -----

// Each outer iteration starts anew.
// CHECK-LABEL: @carried_inside
// CHECK: affine.for
// CHECK-NEXT: affine.for
func.func @carried_inside(%x: f32) {
  affine.for %i = 0 to 4 {
    %s = affine.for %j = 0 to 8 iter_args(%b = %x) -> (f32) {
      %0 = arith.addf %b, %b : f32
      "use"(%0) : (f32) -> ()
      affine.yield %0 : f32
    }
  }
  return
}

// -----

// CHECK-LABEL: @scf
// CHECK: %[[ALL:.*]] = arith.constant 10
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[ALL]]
// CHECK: affine.delinearize_index %[[K]] into (5, 2)
// CHECK-NOT: scf.for
func.func @scf() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    scf.for %j = %c1 to %c5 step %c2 {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: @scf_perhaps_negative
// CHECK-COUNT-2: affine.max
// CHECK: scf.for
// CHECK-NOT: scf.for
func.func @scf_perhaps_negative(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: @scf_unsigned
// CHECK: scf.for
// CHECK: scf.for
func.func @scf_unsigned(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %c0 to %m step %c1 {
    scf.for unsigned %j = %c0 to %n step %c1 {
      "use"(%i, %j) : (index, index) -> ()
    }
  }
  return
}
