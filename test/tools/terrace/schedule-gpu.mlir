// The schedule of a program on a GPU is printed, edited and done again.
//
// RUN: terrace compile %s --print-schedule -o %t.schedule.mlir
// RUN: FileCheck %s --input-file=%t.schedule.mlir
// RUN: terrace run %s --print-schedule --target emulator | FileCheck %s
// RUN: terrace compile %s --emit ptx -o %t.chosen.ptx
// RUN: terrace compile %s --emit ptx --schedule %t.schedule.mlir -o %t.again.ptx
// RUN: cmp %t.chosen.ptx %t.again.ptx
// RUN: terrace run %s --target emulator --verify | FileCheck %s --check-prefix=RIGHT
// RUN: terrace run %s --target emulator --verify --schedule %S/Inputs/schedule-gpu.mlir | FileCheck %s --check-prefix=EDITED
// RUN: not terrace compile %s --emit ptx --schedule %S/Inputs/schedule-gpu-wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not terrace compile %s --emit ptx --schedule %S/Inputs/schedule-gpu-unmet.mlir 2>&1 | FileCheck %s --check-prefix=UNMET
// RUN: not terrace compile %s --emit ptx --schedule %S/Inputs/schedule-gpu-product.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not terrace compile %s --emit ptx --schedule %S/Inputs/schedule-gpu-shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not terrace compile %s --emit ptx --schedule %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace run %s --schedule %t.schedule.mlir 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK: schedule.sequence @f_mapping on @f attributes {stage = "parallel"} {
// CHECK: find_loop {iv = "i", line = {{[0-9]+}} : i64, nest = [0]}
// CHECK: schedule.map_to_gpu %{{.*}} order [1, 0] {{.*}}block [{{.*}}] {schedule.note = "
// CHECK: schedule.sequence @f_products on @f attributes {stage = "source"} {
// CHECK: find_loop {iv = "r", line = {{[0-9]+}} : i64, nest = [1]}
// CHECK: schedule.map_contraction %{{.*}} block [64, 64] depth 16 stages

// RIGHT: verify   passed
// EDITED: 25x2x1 8x4x1
// EDITED: verify   passed

// WRONG: schedule-gpu-wrong.mlir:4:8: error: 'schedule.parallel' op is not legal for loop 'k' at line {{[0-9]+}}: iterations would run at once that
// WRONG:   %p = schedule.parallel %k
// WRONG: schedule-gpu.mlir:{{[0-9]+}}:{{.*}}: note: this loop
// UNMET: schedule-gpu.mlir:{{[0-9]+}}:3: error: 'scf.parallel' op is to be mapped as a stencil, but its innermost loop does not go along rows of what it reads and writes, or is short
// PRODUCT: schedule-gpu.mlir:{{[0-9]+}}:3: error: 'affine.for' op is to become the kernel of a matrix product, but is none
// SHAPE: schedule-gpu.mlir:{{[0-9]+}}:3: error: 'affine.for' op is to become the kernel of a matrix product, but blocks are 64 x 64, 64 x 96 or 128 x 128, not 32 x 32
// NONE: error: there is no schedule in this file, expected 'schedule.sequence'
// TARGET: error: --schedule is for --target gpu or emulator; found --target cpu

func.func @f(%A: memref<200x1600xf32> {terrace.name = "A", terrace.init = "random:200x1600:1"},
             %B: memref<32x24xf64> {terrace.name = "B", terrace.init = "random:32x24:2"},
             %C: memref<24x40xf64> {terrace.name = "C", terrace.init = "random:24x40:3"},
             %D: memref<32x40xf64> {terrace.name = "D", terrace.init = "random:32x40:4"}) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 1600 {
    affine.for %j = 0 to 200 {
      %a = affine.load %A[%j, %i] : memref<200x1600xf32>
      %b = arith.mulf %a, %two : f32
      affine.store %b, %A[%j, %i] : memref<200x1600xf32>
    }
  }
  affine.for %r = 0 to 32 {
    affine.for %c = 0 to 40 {
      affine.for %k = 0 to 24 {
        %b = affine.load %B[%r, %k] : memref<32x24xf64>
        %x = affine.load %C[%k, %c] : memref<24x40xf64>
        %p = arith.mulf %b, %x : f64
        %d = affine.load %D[%r, %c] : memref<32x40xf64>
        %s = arith.addf %d, %p : f64
        affine.store %s, %D[%r, %c] : memref<32x40xf64>
      }
    }
  }
  return
}
