// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect '-inline=default-pipeline=' | FileCheck %s
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect -inline | FileCheck %s --check-prefix=SIMPLER
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect '-inline=op-pipelines=func.func(cse,canonicalize)' | FileCheck %s --check-prefix=SIMPLER
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect '-inline=default-pipeline= inlining-threshold=100' | FileCheck %s --check-prefix=SMALL
// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect '-inline=default-pipeline=' -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOC
// RUN: not terrace-opt %s -inline=default-pipeline=nothing 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not terrace-opt %s '-inline=op-pipelines=canonicalize' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(func.func(inline))' 2>&1 -split-input-file -allow-unregistered-dialect | FileCheck %s --check-prefix=TABLE

// PIPELINE: 'nothing' does not refer to a registered pass or pass pipeline
// ANCHOR: expected pass pipeline to be wrapped with the anchor operation type
// TABLE: error: 'func.func' op was scheduled to run under the inliner, but does not define a symbol table

// A private function whose last call is inlined goes; a public one stays.
// CHECK-NOT: @private
// CHECK: func.func @public
func.func private @private(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("callee.c":7:3)
  return %0 : i32
}
func.func @public(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[X]], %[[X]]
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[S]], %[[S]]
// CHECK-NEXT: return %[[P]]
// LOC-LABEL: func.func @caller
// LOC: arith.addi {{.*}} loc(callsite("callee.c":7:3 at "caller.c":1:2))
func.func @caller(%x: i32) -> i32 {
  %0 = call @private(%x) : (i32) -> i32 loc("caller.c":1:2)
  %1 = call @public(%0) : (i32) -> i32
  return %1 : i32
}

// -----

// A body of several blocks splits the block of the call.
func.func private @sign(%a: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %neg = arith.cmpi slt, %a, %c0 : i32
  cf.cond_br %neg, ^below, ^above
^below:
  %m = arith.constant -1 : i32
  return %m : i32
^above:
  return %c0 : i32
}
// CHECK-LABEL: func.func @two_ends
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: ^bb1:
// CHECK: cf.br ^bb3(%{{.*}} : i32)
// CHECK: ^bb2:
// CHECK-NEXT: cf.br ^bb3(%{{.*}} : i32)
// CHECK: ^bb3(%[[R:.*]]: i32):
// CHECK-NEXT: %[[D:.*]] = arith.addi %[[R]], %[[R]]
// CHECK-NEXT: return %[[D]]
// The pipeline makes one constant of those that the body brought.
// SIMPLER-LABEL: func.func @two_ends
// SIMPLER-COUNT-2: arith.constant
// SIMPLER-NOT: arith.constant
// SIMPLER: return
func.func @two_ends(%a: i32) -> i32 {
  %0 = call @sign(%a) : (i32) -> i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}
// An scf.if has no room for branches, an scf.execute_region has.
// CHECK-LABEL: func.func @structured
// CHECK: scf.if
// CHECK-NEXT: func.call @sign
// CHECK: scf.execute_region
// CHECK-NOT: call
// CHECK: cf.cond_br
func.func @structured(%c: i1, %a: i32) -> (i32, i32) {
  %0 = scf.if %c -> i32 {
    %1 = func.call @sign(%a) : (i32) -> i32
    scf.yield %1 : i32
  } else {
    scf.yield %a : i32
  }
  %2 = scf.execute_region -> i32 {
    %1 = func.call @sign(%a) : (i32) -> i32
    scf.yield %1 : i32
  }
  return %0, %2 : i32, i32
}

// -----

// One block fits anywhere.
func.func @one(%a: f32, %m: memref<8xf32>, %i: index) {
  memref.store %a, %m[%i] : memref<8xf32>
  return
}
// CHECK-LABEL: func.func @in_loops
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.store
// CHECK: gpu.launch
// CHECK-NEXT: memref.store
// CHECK: affine.for
// CHECK-NEXT: call @one
func.func @in_loops(%a: f32, %m: memref<8xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      func.call @one(%a, %m, %i) : (f32, memref<8xf32>, index) -> ()
    }
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %c1, %lz = %c1) {
    func.call @one(%a, %m, %tx) : (f32, memref<8xf32>, index) -> ()
    gpu.terminator
  }
  // An affine loop takes only what can be analysed.
  affine.for %i = 0 to 8 {
    func.call @one(%a, %m, %i) : (f32, memref<8xf32>, index) -> ()
  }
  return
}

// -----

// Subscripts must remain dimensions where they go.
func.func @element(%a: f32, %m: memref<8xf32>, %i: index) {
  affine.store %a, %m[%i] : memref<8xf32>
  return
}
// CHECK-LABEL: func.func @subscripts
// CHECK: affine.for %[[I:.*]] = 0 to 8
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK: memref.load
// CHECK-NEXT: call @element
// CHECK: scf.for
// CHECK-NEXT: call @element
func.func @subscripts(%a: f32, %m: memref<8xf32>, %p: memref<8xindex>, %n: index) {
  affine.for %i = 0 to 8 {
    func.call @element(%a, %m, %i) : (f32, memref<8xf32>, index) -> ()
    %j = memref.load %p[%i] : memref<8xindex>
    func.call @element(%a, %m, %j) : (f32, memref<8xf32>, index) -> ()
  }
  scf.for %i = %n to %n step %n {
    func.call @element(%a, %m, %i) : (f32, memref<8xf32>, index) -> ()
  }
  return
}

// -----

// What says no_inline, is not defined, or is not known stays a call.
func.func @kept() attributes {no_inline} {
  return
}
func.func private @outside()
func.func @unknown() {
  "test.op"() : () -> ()
  return
}
func.func @known() {
  return
}
// CHECK-LABEL: func.func @stay
// CHECK-NEXT: call @kept()
// CHECK-NEXT: call @outside()
// CHECK-NEXT: call @unknown()
// CHECK-NEXT: call @known() {no_inline}
// CHECK-NEXT: "test.region"() ({
// CHECK-NEXT: func.call @known()
func.func @stay() {
  call @kept() : () -> ()
  call @outside() : () -> ()
  call @unknown() : () -> ()
  call @known() {no_inline} : () -> ()
  "test.region"() ({
    func.call @known() : () -> ()
  }) : () -> ()
  return
}

// -----

// Recursion ends.
// CHECK-LABEL: func.func @self
// CHECK-NEXT: call @self
// CHECK-NEXT: return
func.func @self() {
  call @self() : () -> ()
  return
}
// CHECK-LABEL: func.func @ping
// CHECK: call @pong
func.func @ping() {
  call @pong() : () -> ()
  return
}
// CHECK-LABEL: func.func @pong
// CHECK: call @ping
func.func @pong() {
  call @ping() : () -> ()
  return
}

// -----

// A private function that something else refers to stays; one that nothing refers
// to goes without having been called.
// CHECK-NOT: @unused
func.func private @unused() {
  return
}
// CHECK: func.func private @referred
func.func private @referred() {
  return
}
"test.user"() {use = @referred} : () -> ()
// CHECK: "test.user"() <{use = @in_properties}>
"test.user"() <{use = @in_properties}> : () -> ()
// CHECK: func.func private @in_properties
func.func private @in_properties() {
  return
}

// -----

// SMALL-LABEL: func.func @small_caller
// SMALL-NEXT: call @large
// SMALL-LABEL: func.func @large_caller
// SMALL-NOT: call
// SMALL: return
func.func @large(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %2 = arith.subi %1, %a : i32
  return %2 : i32
}
func.func @small_caller(%a: i32) -> i32 {
  %0 = call @large(%a) : (i32) -> i32
  return %0 : i32
}
func.func @large_caller(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %2 = call @large(%1) : (i32) -> i32
  return %2 : i32
}
