// The two models choose differently.
//
// RUN: terrace-opt %s -gpu-map='schedule=true' | FileCheck %s --check-prefix=EXACT
// RUN: terrace-opt %s -gpu-map='schedule=true cost-model=table' | FileCheck %s --check-prefix=TABLE
// RUN: terrace compile %s --print-schedule | FileCheck %s --check-prefix=EXACT
// RUN: terrace compile %s --print-schedule --cost-model table | FileCheck %s --check-prefix=TABLE
// RUN: terrace run %s --target emulator --print-schedule --cost-model=table | FileCheck %s --check-prefix=TABLE
// RUN: not terrace run %s --cost-model=table 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not terrace run %s --cost-model=best 2>&1 | FileCheck %s --check-prefix=NAME

// TARGET: error: --cost-model is for --target gpu or emulator; found --target cpu
// NAME: found `best`, expected exact or table

// A transpose. Stores of columns cost more than loads, and lines are shared along y: other
// loops run along x, in another block. The table has large factors share nothing along
// slower axes, so that all mappings cost the same and the ordinary one stays.
// EXACT: schedule.map_to_gpu %{{.*}} order [1, 0] {{.*}}schedule.note = "i along x, j along y, {{.*}} us, {{.*}} binds; then
// TABLE: schedule.map_to_gpu %{{.*}} block [32, 8, 1] {schedule.note = "j along x, i along y, blocks of 32x8x1: {{[0-9]+}} lines"}
func.func @transpose(%A: memref<1024x2048xf32>, %B: memref<2048x1024xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 2048) {
    %x = affine.load %A[%i, %j] : memref<1024x2048xf32>
    affine.store %x, %B[%j, %i] : memref<2048x1024xf32>
  }
  return
}
