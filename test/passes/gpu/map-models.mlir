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

// A transpose of every second column, which tiles do not take. Both models run the loop of the
// stores along x. By times a thread does four iterations, by the table's lines it does one.
// EXACT: schedule.map_to_gpu %{{.*}} order [1, 0] tile [4, 1] block [8, 32, 1] {schedule.note = "i along x, j along y, {{.*}} us, {{.*}} binds; then
// TABLE: schedule.map_to_gpu %{{.*}} order [1, 0] block [32, 8, 1] {schedule.note = "i along x, j along y, blocks of 32x8x1: {{[0-9]+}} lines
func.func @transpose(%A: memref<1024x4096xf32>, %B: memref<2048x1024xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 2048) {
    %x = affine.load %A[%i, %j * 2] : memref<1024x4096xf32>
    affine.store %x, %B[%j, %i] : memref<2048x1024xf32>
  }
  return
}
