// Mappings are chosen for the machine that is named, else for the one that calibrate kept, else for the built-in one.
//
// RUN: terrace compile %s --print-schedule --machine %S/Inputs/machines/slow-sm_90.machine | FileCheck %s --check-prefix=SLOW
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace compile %s --print-schedule | FileCheck %s --check-prefix=SLOW
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace compile %s --print-schedule --machine built-in | FileCheck %s --check-prefix=BUILT-IN
// RUN: terrace compile %s --print-schedule | FileCheck %s --check-prefix=BUILT-IN
// RUN: terrace run %s --target emulator --verify --machine %S/Inputs/machines/slow-sm_90.machine | FileCheck %s --check-prefix=RUN
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace-opt %s --print-gpu-cost 2>&1 >/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: env TERRACE_CACHE_DIR=%S/Inputs/machines terrace-opt %s --print-gpu-cost='machine=sm_90' 2>&1 >/dev/null | FileCheck %s --check-prefix=NAMED
// RUN: not terrace compile %s --print-schedule --machine %S/Inputs/wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not terrace compile %s --print-schedule --machine %S/Inputs/none.machine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace compile %s --print-schedule --arch sm_80 --machine %S/Inputs/machines/slow-sm_90.machine 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not terrace run %s --machine %S/Inputs/machines/slow-sm_90.machine 2>&1 | FileCheck %s --check-prefix=TARGET

// 64 MiB at 10 GB/s are 6711 us, at 4244 GB/s 16 us.
// SLOW: schedule.note = "{{.*}}: {{[67][0-9][0-9][0-9]}}.{{[0-9]}} us, memory binds
// BUILT-IN: schedule.note = "{{.*}}: {{[1-9][0-9]}}.{{[0-9]}} us, {{.*}} binds
// RUN: verify   passed
// KEPT: on sm_90 (slow): j along x
// NAMED: on sm_90 (H200 SXM): j along x
// WRONG: error: {{.*}}wrong.mlir:1: 
// NONE: error: there is no file '{{.*}}none.machine'
// OTHER: error: '{{.*}}slow-sm_90.machine' describes a machine of sm_90, but code is made for sm_80
// TARGET: error: --machine is for --target gpu or emulator; found --target cpu

func.func @f(%A: memref<4096x2048xf32> {terrace.name = "A", terrace.init = "zeros"},
             %B: memref<2048x4096xf32> {terrace.name = "B", terrace.init = "zeros"}) {
  affine.parallel (%i, %j) = (0, 0) to (4096, 2048) {
    %x = affine.load %A[%i, %j] : memref<4096x2048xf32>
    affine.store %x, %B[%j, %i] : memref<2048x4096xf32>
  }
  return
}
