// RUN: terrace-opt %s --split-input-file --auto-schedule=tile-size=0 | FileCheck %s
// RUN: terrace-opt %s --split-input-file --auto-schedule=tile-size=32 | FileCheck %s --check-prefix=TILED
// RUN: terrace-opt %s --split-input-file --auto-schedule='tile-size=0 apply' | FileCheck %s --check-prefix=APPLIED
// RUN: terrace-opt %s --split-input-file --auto-schedule -o %t 2>&1 | FileCheck %s --check-prefix=LEFT

// Skewed, as Pluto does it; tiles have no parallel loop, so they go in wavefronts.

// CHECK: #[[TIME:.*]] = affine_map<(d0, d1) -> (d0, d0 + d1)>
// CHECK: schedule.sequence @skewed_schedule on @skewed {
// CHECK-NEXT: %[[L:.*]] = schedule.find_loop {iv = "t", nest = [0]} : !schedule.loop
// CHECK-NEXT: schedule.reschedule %[[L]] to [#[[TIME]]]{{$}}

// TILED: affine_map<(d0, d1) -> (d0 floordiv 32 + (d0 + d1) floordiv 32, (d0 + d1) floordiv 32, d0, d0 + d1)>
// TILED: parallel {{\[}}[1]]

// APPLIED-LABEL: func.func @skewed
// APPLIED: affine.for %[[T:.*]] = 0 to 100 {
// APPLIED-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[T]]) to #{{.*}}(%[[T]]) {
// APPLIED-NOT: schedule.sequence
func.func @skewed(%A: memref<1000xf32>) {
  affine.for %t = 0 to 100 {
    affine.for %i = 1 to 999 {
      %l = affine.load %A[%i - 1] : memref<1000xf32>
      %r = affine.load %A[%i + 1] : memref<1000xf32>
      %s = arith.addf %l, %r : f32
      affine.store %s, %A[%i] : memref<1000xf32>
    }
  }
  return
}

// -----

// Fused, since they share data and stay parallel.

// CHECK: #[[FIRST:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK: #[[SECOND:.*]] = affine_map<(d0) -> (d0, 1)>
// CHECK: schedule.sequence @fused_schedule on @fused {
// CHECK: schedule.reschedule %{{.*}}, %{{.*}} to [#[[FIRST]], #[[SECOND]]] parallel {{\[}}[0], [0]]
// APPLIED-LABEL: func.func @fused
// APPLIED: affine.parallel
// APPLIED-NOT: affine.parallel
// APPLIED: return
func.func @fused(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %j = 0 to 64 {
    %a = affine.load %A[%j] : memref<64xf32>
    affine.store %a, %B[%j] : memref<64xf32>
  }
  return
}

// -----

// Not fused: no loop would be parallel any more.

// CHECK: #[[FIRST:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK: #[[SECOND:.*]] = affine_map<(d0) -> (1, d0)>
// CHECK: schedule.sequence @apart_schedule on @apart {
// CHECK: schedule.reschedule %{{.*}}, %{{.*}} to [#[[FIRST]], #[[SECOND]]] parallel {{\[}}[1], [1]]
func.func @apart(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %j = 0 to 64 {
    %a = affine.load %A[-%j + 63] : memref<64xf32>
    affine.store %a, %B[%j] : memref<64xf32>
  }
  return
}

// -----

// What is not known is left alone, with the reason.

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: schedule.sequence
// LEFT: auto.mlir:{{.*}}: remark: left in its order: the effects of 'func.call' are not known
func.func private @callee()
func.func @unknown(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    func.call @callee() : () -> ()
    affine.store %x, %A[%i] : memref<64xf32>
  }
  return
}

// -----

// A value that comes from between the loops and is used behind them keeps them where they
// are, also where only something computed from it is used.

// CHECK-LABEL: func.func @used_behind
// CHECK-NOT: schedule.sequence
// LEFT: remark: left in its order: a value computed between the loops is used behind them
func.func @used_behind(%A: memref<64xf32>, %x: f32) -> f32 {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  %a = affine.load %A[3] : memref<64xf32>
  %b = arith.addf %a, %a : f32
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  return %b : f32
}
