// Launches that no GPU can do are errors of the compiler, with the place, what was
// found, the limit and the architecture.
//
// RUN: not terrace compile %s --emit ptx --target-arch sm_80 2>&1 | FileCheck %s

// CHECK: limits.mlir:[[@LINE+14]]:3: error: the launch of 'k': found a block of 64 x 32 x 1 threads, expected at most 1024 x 1024 x 64 and 1024 threads in all on sm_80
// CHECK: limits.mlir:[[@LINE+14]]:3: error: the launch of 'k': found a block of ? x 1 x 128 threads, expected at most 1024 x 1024 x 64 and 1024 threads in all on sm_80
// CHECK: limits.mlir:[[@LINE+14]]:3: error: the launch of 'k': found a grid of ? x 65536 x 1 blocks, expected at most 2147483647 x 65535 x 65535 on sm_80
// CHECK: limits.mlir:[[@LINE+14]]:3: error: the launch of 'k': found 200000 bytes of dynamic workgroup (shared) memory, expected at most 166912 on sm_80
// CHECK: limits.mlir:[[@LINE+19]]:3: error: kernel 'k': found a block of 2048 x 1 x 1 threads in 'nvvm.maxntid', expected at most 1024 x 1024 x 64 and 1024 threads in all on sm_80
// CHECK-NOT: error
module attributes {gpu.container_module} {
func.func @main(%n: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c65536 = arith.constant 65536 : index
  %bytes = arith.constant 200000 : i32
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c32, %c1)
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c128)
  gpu.launch_func @m::@k blocks in (%n, %c65536, %c1) threads in (%c32, %c32, %c1)
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c32, %c1) dynamic_shared_memory_size %bytes
  gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}

gpu.module @m {
  gpu.func @k() kernel attributes {nvvm.maxntid = array<i32: 2048>} {
    gpu.return
  }
}
}
