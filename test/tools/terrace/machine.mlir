// Mappings are chosen for the machine that is named, else for the one that calibrate kept, else for the built-in one.
//
// RUN: terrace compile %s --print-schedule --machine %S/Inputs/machines/slow-sm_90.machine | FileCheck %s --check-prefix=SLOW
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace compile %s --print-schedule | FileCheck %s --check-prefix=SLOW
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace compile %s --print-schedule --machine built-in | FileCheck %s --check-prefix=BUILT-IN
// RUN: terrace compile %s --print-schedule | FileCheck %s --check-prefix=BUILT-IN
// RUN: terrace run %s --target emulator --verify --machine %S/Inputs/machines/slow-sm_90.machine | FileCheck %s --check-prefix=RIGHT
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace-opt %s --print-gpu-cost 2>&1 >/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace-opt %s --print-gpu-cost='machine=sm_90' 2>&1 >/dev/null | FileCheck %s --check-prefix=NAMED
// RUN: not terrace compile %s --print-schedule --machine %S/Inputs/wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not terrace compile %s --print-schedule --machine %S/Inputs/none.machine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace compile %s --print-schedule --arch sm_80 --machine %S/Inputs/machines/slow-sm_90.machine 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not terrace run %s --machine %S/Inputs/machines/slow-sm_90.machine 2>&1 | FileCheck %s --check-prefix=TARGET

// 1.5 MiB at 10 GB/s are 157 us, and on an H200 less than the launch.
// SLOW: schedule.note = "{{.*}}: {{1[0-9][0-9]}}.{{[0-9]}} us, memory binds
// BUILT-IN: schedule.note = "{{.*}}: {{[0-9]}}.{{[0-9]}} us, {{.*}} binds
// RIGHT: verify   passed
// KEPT: on sm_90 (slow): j along x
// NAMED: on sm_90 (H200 SXM): j along x
// WRONG: error: {{.*}}wrong.mlir:1: 
// NONE: error: there is no file '{{.*}}none.machine'
// OTHER: error: '{{.*}}slow-sm_90.machine' describes a machine of sm_90, but code is made for sm_80
// TARGET: error: --machine is for --target gpu or emulator; found --target cpu

func.func @f(%A: memref<512x512xf32> {terrace.name = "A", terrace.init = "zeros"},
             %B: memref<256x512xf32> {terrace.name = "B", terrace.init = "zeros"}) {
  affine.parallel (%i, %j) = (0, 0) to (512, 256) {
    %x = affine.load %A[%i, %j * 2] : memref<512x512xf32>
    affine.store %x, %B[%j, %i] : memref<256x512xf32>
  }
  return
}
