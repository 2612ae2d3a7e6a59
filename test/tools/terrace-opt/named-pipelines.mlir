// RUN: terrace-opt %s --terrace-gpu-pipeline="arch=sm_90 last=mapping" | FileCheck %s --check-prefix=MAPPED
// RUN: terrace-opt %s --terrace-gpu-pipeline="arch=sm_90" | FileCheck %s --check-prefix=GPU
// RUN: terrace-opt %s --terrace-cpu-pipeline=checks | FileCheck %s --check-prefix=CPU
// RUN: terrace-opt %s --terrace-cpu-pipeline="last=loops" --terrace-region-cpu-pipeline | FileCheck %s --check-prefix=CPU
// RUN: terrace-opt %s --pass-pipeline="builtin.module(terrace-cpu-pipeline{last=loops})" --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not terrace-opt %s --terrace-gpu-pipeline="last=threats" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not terrace-opt %s --terrace-gpu-pipeline="sizes=n" 2>&1 | FileCheck %s --check-prefix=SIZE

// MAPPED: affine.parallel
// MAPPED: gpu.mapper = "loops"
// MAPPED-NOT: gpu.launch
// GPU: gpu.launch_func
// GPU: gpu.func @{{.*}} kernel
// CPU: scf.parallel
// CPU-NOT: gpu.
// TEXT: func.func(
// TEXT: affine-parallelize
// TEXT-NOT: lower-affine
// STAGE: found the stage 'threats', expected one of numerics, source, loops, parallel, mapping,
// SIZE: found the size 'n', expected NAME:NUMBER, as n:1000
func.func @f(%A: memref<100000xf32>, %B: memref<100000xf32>) {
  affine.for %i = 0 to 100000 {
    %v = affine.load %A[%i] : memref<100000xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %B[%i] : memref<100000xf32>
  }
  return
}
