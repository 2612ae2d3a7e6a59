// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s
// RUN: terrace-opt %s --split-input-file --apply-schedule='stage=source' | FileCheck %s --check-prefix=SOURCE
// RUN: not terrace-opt %s --apply-schedule='stage=last' 2>&1 | FileCheck %s --check-prefix=STAGE

// STAGE: unknown stage 'last': one of source, parallel

// Another order, with tiles of four rows that lie next to each other.
// CHECK-LABEL: func.func @blocked
// CHECK: affine.parallel (%[[J:.*]]) = (0) to (96) {
// CHECK-NEXT: affine.parallel (%[[S:.*]]) = (0) to (16) {
// CHECK: affine.for %[[I:.*]] = #{{.*}}(%{{.*}}) to min
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK: gpu.block = array<i64: 16, 8, 1>, gpu.mapper = "loops"
// SOURCE: schedule.map_to_gpu
// SOURCE-LABEL: func.func @blocked
// SOURCE: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (61, 96)
schedule.sequence @s attributes {stage = "parallel"} {
  %l = schedule.find_loop {nest = [0]} : !schedule.loop
  schedule.map_to_gpu %l order [1, 0] tile [4, 1] block [16, 8]
}
func.func @blocked(%A: memref<61x96xf32>, %x: f32) {
  affine.parallel (%i, %j) = (0, 0) to (61, 96) {
    affine.store %x, %A[%i, %j] : memref<61x96xf32>
  }
  return
}

// -----

// Iterations as far apart as there are threads.
// CHECK-LABEL: func.func @cyclic
// CHECK: affine.parallel (%[[P:.*]]) = (0) to (25) {
// CHECK-NEXT: affine.for %[[S:.*]] = 0 to 4 {
schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_to_gpu %l tile [4] cyclic block [32]
}
func.func @cyclic(%A: memref<100xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (100) {
    affine.store %x, %A[%i] : memref<100xf32>
  }
  return
}

// -----

// Iterations inside the sequential loop share what it loads.
// CHECK-LABEL: func.func @inside
// CHECK: affine.parallel (%{{.*}}) = (0) to (16) {
// CHECK: affine.for %[[K:.*]] = 0 to 32 {
// CHECK-NEXT: affine.for %[[P:.*]] = 0 to 4 {
// CHECK-NEXT: %[[I:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[P]])
// CHECK: affine.load %{{.*}}[%[[I]], %[[K]]]
schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_to_gpu %l tile [4] inside block [32]
}
func.func @inside(%A: memref<64x32xf32>, %y: memref<64xf32>) {
  affine.parallel (%i) = (0) to (64) {
    affine.for %k = 0 to 32 {
      %a = affine.load %A[%i, %k] : memref<64x32xf32>
      %s = affine.load %y[%i] : memref<64xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %y[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// Steps that name other mappers tell these.
// CHECK-LABEL: func.func @named
// CHECK: } {gpu.mapper = "contraction", gpu.shape = array<i64: 64, 64, 8, 0>}
// CHECK: } {gpu.block = array<i64: 64, 2, 1>, gpu.mapper = "stencil", gpu.rows = 2 : i64}
// CHECK: } {gpu.mapper = "reduction"}
schedule.sequence @s {
  %a = schedule.find_loop {iv = "a"} : !schedule.loop
  schedule.map_contraction %a block [64, 64] depth 8
  %b = schedule.find_loop {iv = "b"} : !schedule.loop
  schedule.map_stencil %b rows 2 block [64, 2]
  %c = schedule.find_loop {iv = "c"} : !schedule.loop
  %p = schedule.parallel %c
  schedule.map_reduction %p
}
func.func @named(%A: memref<64xf32>, %x: f32) {
  affine.for %a = 0 to 64 {
    affine.store %x, %A[%a] : memref<64xf32>
  }
  affine.parallel (%b) = (0) to (64) {
    affine.store %x, %A[%b] : memref<64xf32>
  }
  affine.for %c = 0 to 64 {
    affine.store %x, %A[%c] : memref<64xf32>
  }
  return
}
