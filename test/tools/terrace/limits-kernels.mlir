// What no machine has for a kernel is an error of the compiler, with the numbers.
//
// RUN: not terrace compile %s --emit ptx --target-arch sm_90 2>&1 | FileCheck %s
gpu.module @m {
  // CHECK-DAG: limits-kernels.mlir:[[@LINE+1]]:3: error: kernel 'shared' needs 160000 bytes of static workgroup (shared) memory; a block on sm_90 has 49152 (232448 as dynamic shared memory)
  gpu.func @shared() workgroup(%a: memref<20000xf64, #gpu.address_space<workgroup>>) kernel { gpu.return }
  // CHECK-DAG: limits-kernels.mlir:[[@LINE+1]]:3: error: kernel 'local' needs 800000 bytes of private (local) memory a thread; a thread on sm_90 has 524288
  gpu.func @local() private(%a: memref<100000xf64, #gpu.address_space<private>>) kernel { gpu.return }
  // CHECK-DAG: limits-kernels.mlir:[[@LINE+1]]:3: error: kernel 'registers': found '300 : i32' as 'nvvm.maxnreg', expected 1 to 255 registers a thread on sm_90
  gpu.func @registers() kernel attributes {nvvm.maxnreg = 300 : i32} { gpu.return }
  // CHECK-DAG: limits-kernels.mlir:[[@LINE+1]]:3: error: kernel 'block': found 128 registers a thread for 1 block of 1024 threads, 131072 in all, expected at most the 65536 of a multiprocessor of sm_90, handed out by 256 to each warp
  gpu.func @block() kernel attributes {nvvm.maxntid = array<i32: 1024>, nvvm.maxnreg = 128 : i32} { gpu.return }
  // CHECK-DAG: limits-kernels.mlir:[[@LINE+1]]:3: error: kernel 'grid': found a grid of 1 x 70000 x 1 blocks in 'known_grid_size', expected at most 2147483647 x 65535 x 65535 on sm_90
  gpu.func @grid() kernel attributes {known_grid_size = array<i32: 1, 70000, 1>} { gpu.return }
}
