// RUN: terrace-opt %s --apply-schedule=%S/Inputs/tile.mlir | FileCheck %s
// RUN: terrace-opt %s --apply-schedule='file=%S/Inputs/tile.mlir sequence=small' | FileCheck %s --check-prefix=SMALL
// RUN: terrace-opt %s --pass-pipeline='builtin.module(apply-schedule{file=%S/Inputs/tile.mlir sequence=small})' | FileCheck %s --check-prefix=SMALL
// RUN: not terrace-opt %s --apply-schedule='file=%S/Inputs/tile.mlir sequence=other' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not terrace-opt %s --apply-schedule=%S/Inputs/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace-opt %s --apply-schedule=%S/Inputs/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: terrace-opt %s --apply-schedule=%S/Inputs/tile.mlir --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Schedules from a file; those in the module are left alone then.

// CHECK: schedule.sequence @not_this_one
// CHECK: affine.for %{{.*}} = 0 to 64 step 16
// CHECK-NEXT: affine.for %{{.*}} step 4 {
// CHECK-NEXT: affine.for

// SMALL: affine.for %{{.*}} = 0 to 64 step 4 {

// OTHER: Inputs/tile.mlir:{{.*}}error: there is no schedule 'other'; there are 'large', 'small'
// NONE: cannot open input file '{{.*}}none.mlir'
// BROKEN: Inputs/broken.mlir:2:19: error:
// STATISTICS: (S) 0 num-forced
// STATISTICS: (S) 2 num-steps

schedule.sequence @not_this_one {
  %i = schedule.find_loop {iv = "x"} : !schedule.loop
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}
