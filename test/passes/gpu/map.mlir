// RUN: terrace-opt %s -gpu-map='schedule=true' | FileCheck %s
// RUN: terrace-opt %s -gpu-map='notes=true' 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTE
// RUN: terrace-opt %s -gpu-map='schedule=true candidates=3' | FileCheck %s --check-prefix=CANDIDATES
// RUN: terrace-opt %s -gpu-map='sizes=N:16' 2>/dev/null | FileCheck %s --check-prefix=SMALL
// RUN: not terrace-opt %s -gpu-map='machine=sm_1' 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not terrace-opt %s -gpu-map='sizes=N' 2>&1 | FileCheck %s --check-prefix=SIZES

// MACHINE: sm_1
// SIZES: found 'N' in sizes, expected NAME:NUMBER

// Columns: the loop over them goes to the outside, so that neighbouring threads have
// neighbouring elements. How many there are is not known and taken to be many, so threads do
// several iterations each, in straight code where their tile is full.
// CHECK-LABEL: func.func @columns
// CHECK: affine.parallel (%[[J:.*]]) =
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}}) ceildiv 4)
// CHECK: affine.if
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to 4 {
// CHECK-NEXT: %[[AT:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[K]])
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[J]], %[[AT]]]
// CHECK: } else {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}} to min #{{.*}}
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[J]], %[[K]]]
// CHECK: gpu.block = array<i64: {{.*}}>, gpu.fit, gpu.mapper = "loops"
// CHECK: schedule.sequence @columns_mapping on @columns attributes {stage = "parallel"} {
// CHECK: %[[L:.*]] = schedule.find_loop {iv = "i", line = {{[0-9]+}} : i64, nest = [0]}
// CHECK: schedule.map_to_gpu %[[L]] order [1, 0] tile [4, 1] block [{{.*}}] fit {schedule.note = "i along x, j along y, {{.*}}; otherwise j along x, i along y, blocks of 32x8x1: {{.*}} us"}
// NOTE: map.mlir:{{[0-9]+}}:3: remark: mapped to threads: i along x, j along y,
// The first candidate is what the step asks for, and the ordinary mapping is one of them.
// CANDIDATES-LABEL: schedule.sequence @columns_mapping
// CANDIDATES: schedule.map_to_gpu %{{.*}} order [1, 0] tile [4, 1] block [[B:.*]] fit {schedule.candidates = [{attributes = {block = array<i64: {{[0-9, ]+}}>, fit, order = array<i64: 1, 0>, tile = array<i64: 4, 1>}, mapping = "i along x, j along y, {{[^"]*}}", us = {{[0-9.e+]+}} : f64}, {attributes = {{.*}}}, {attributes = {block = array<i64: 32, 8, 1>, fit}, mapping = "j along x, i along y, blocks of 32x8x1", us = {{[0-9.e+]+}} : f64}], schedule.note
// SMALL-LABEL: func.func @columns
// SMALL: affine.parallel (%[[I:.*]]) =
// SMALL-NEXT: affine.parallel (%[[J:.*]]) =
// SMALL: affine.store %{{.*}}, %{{.*}}[%[[J]], %[[I]]]
// SMALL: gpu.block = array<i64: 32, 8, 1>
func.func @columns(%N: index, %A: memref<?x?xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (symbol(%N)) {
    affine.parallel (%j) = (0) to (symbol(%N)) {
      affine.store %x, %A[%j, %i] : memref<?x?xf32>
    }
  }
  return
}

// Sizes are known: a thread does several iterations, which share what they load.
// CHECK-LABEL: func.func @product
// CHECK: affine.parallel
// CHECK: affine.parallel
// CHECK: affine.for %{{.*}} = 0 to 1024 {
// CHECK-NEXT: affine.for
// CHECK: schedule.sequence @product_mapping
// CHECK: schedule.map_to_gpu %{{.*}} tile [{{.*}}] inside block
func.func @product(%A: memref<1024x1024xf64>, %B: memref<1024x1024xf64>, %C: memref<1024x1024xf64>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 1024) {
    affine.for %k = 0 to 1024 {
      %a = affine.load %A[%i, %k] : memref<1024x1024xf64>
      %b = affine.load %B[%k, %j] : memref<1024x1024xf64>
      %c = affine.load %C[%i, %j] : memref<1024x1024xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %C[%i, %j] : memref<1024x1024xf64>
    }
  }
  return
}

// What other mappers take is left to them, and the schedule says so.
// CHECK-LABEL: func.func @others
// CHECK-NOT: gpu.mapper
// CHECK: schedule.sequence @others_mapping
// CHECK-NEXT: find_loop {iv = "i", {{.*}}nest = [0]}
// CHECK-NEXT: schedule.map_reduction
// CHECK-NEXT: find_loop {iv = "i", {{.*}}nest = [1]}
// CHECK-NEXT: schedule.map_stencil %{{.*}} rows 4 block [128, 2, 1]
// CHECK-NEXT: }
func.func @others(%A: memref<4096x4096xf64>, %B: memref<4096x4096xf64>, %y: memref<4096xf64>) {
  affine.parallel (%i) = (0) to (4096) {
    affine.for %j = 0 to 4096 {
      %a = affine.load %A[%i, %j] : memref<4096x4096xf64>
      %s = affine.load %y[%i] : memref<4096xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %y[%i] : memref<4096xf64>
    }
  }
  affine.parallel (%i, %j) = (1, 1) to (4095, 4095) {
    %n = affine.load %A[%i - 1, %j] : memref<4096x4096xf64>
    %s = affine.load %A[%i + 1, %j] : memref<4096x4096xf64>
    %t = arith.addf %n, %s : f64
    affine.store %t, %B[%i, %j] : memref<4096x4096xf64>
  }
  return
}

// What the model cannot read keeps the ordinary mapping, and a nest that a schedule has
// mapped keeps that.
// CHECK-LABEL: func.func @left
// CHECK: gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "loops"
// CHECK: gpu.block = [8, 8, 1], gpu.mapper = "loops"
// CHECK: schedule.sequence @left_mapping
// CHECK-NEXT: find_loop
// CHECK-NEXT: schedule.map_to_gpu %{{.*}} block [256, 1, 1] {schedule.note = "the ordinary mapping: {{.*}}"}
// CHECK-NEXT: }
func.func @left(%A: memref<64xf32>, %B: memref<64x64xf32>, %at: memref<64xindex>, %x: f32) {
  affine.parallel (%i) = (0) to (64) {
    %k = affine.load %at[%i] : memref<64xindex>
    memref.store %x, %A[%k] : memref<64xf32>
  }
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    affine.store %x, %B[%i, %j] : memref<64x64xf32>
  } {gpu.block = [8, 8, 1], gpu.mapper = "loops"}
  return
}
