// RUN: terrace-opt %s -gpu-kernel-outlining | FileCheck %s
// RUN: terrace-opt %s -gpu-kernel-outlining -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: GpuKernelOutliningPass
// COUNT-NEXT: (S) 4 num-kernels

// CHECK: module attributes {gpu.container_module}
// What the body captures becomes the parameters, in the order of use; ids and sizes
// become ops.
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[M:.*]]: memref<8xf32>, %[[X:.*]]: f32, %[[N:.*]]: index)
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: gpu.launch_func @f_kernel{{(_[0-9]+)?}}::@f_kernel blocks in (%[[N]], %[[C1]], %[[C1]]) threads in (%[[C1]], %[[N]], %[[C1]]) args(%[[X]] : f32, %[[M]] : memref<8xf32>)
// CHECK: gpu.launch_func @f_kernel{{(_[0-9]+)?}}::@f_kernel blocks
// CHECK: gpu.module @f_kernel
// CHECK-NEXT: gpu.func @f_kernel(%[[PX:.*]]: f32, %[[PM:.*]]: memref<8xf32>) kernel
// CHECK-DAG: %[[BX:.*]] = gpu.block_id x
// CHECK-DAG: %[[TY:.*]] = gpu.thread_id y
// CHECK-DAG: %[[GZ:.*]] = gpu.grid_dim z
// CHECK: memref.store %[[PX]], %[[PM]][%[[BX]]]
// CHECK-NEXT: memref.store %[[PX]], %[[PM]][%[[TY]]]
// CHECK-NEXT: memref.store %[[PX]], %[[PM]][%[[GZ]]]
// CHECK-NEXT: gpu.return
// CHECK: gpu.module @f_kernel_0
// CHECK-NEXT: gpu.func @f_kernel() kernel
func.func @f(%m: memref<8xf32>, %x: f32, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %n, %lz = %c1) {
    memref.store %x, %m[%bx] : memref<8xf32>
    memref.store %x, %m[%ty] : memref<8xf32>
    memref.store %x, %m[%gz] : memref<8xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %n, %lz = %c1) {
    gpu.terminator
  }
  return
}

// A function that a kernel calls is copied to the kernel's module.
func.func @double(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
// CHECK-LABEL: func.func @calls
// CHECK: gpu.module @calls_kernel
// CHECK: func.call @double
// CHECK: func.func @double
func.func @calls(%m: memref<8xf32>, %x: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
    %y = func.call @double(%x) : (f32) -> f32
    memref.store %y, %m[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}

// Without blocks nothing runs, and no size is promised.
// CHECK-LABEL: func.func @empty
// CHECK: gpu.launch_func @empty_kernel::@empty_kernel
// CHECK: gpu.func @empty_kernel
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK-NOT: known_grid_size
// CHECK: gpu.return
func.func @empty(%m: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c0, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    memref.store %f, %m[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}
