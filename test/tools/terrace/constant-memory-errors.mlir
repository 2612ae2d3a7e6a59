// What a program itself puts into constant memory, the space of number 4, has to fit, and
// kernels only read it.
//
// RUN: not terrace compile %s --emit ptx --target-arch sm_80 2>&1 | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @m {
  // CHECK: constant-memory-errors.mlir:[[@LINE+1]]:3: error: 'memref.global' op takes 80000 bytes of constant memory; the kernels of a module have 65536 on sm_80
  memref.global "private" constant @large : memref<20000xf32, 4> = dense<0.0>
  memref.global "private" constant @some : memref<10000xf32, 4> = dense<0.0>
  // CHECK: constant-memory-errors.mlir:[[@LINE+1]]:3: error: 'memref.global' op takes 40000 bytes of constant memory, 80000 with the variables before it; the kernels of a module have 65536 on sm_80
  memref.global "private" constant @more : memref<10000xf32, 4> = dense<0.0>
  memref.global "private" @open : memref<4xf32, 4> = dense<0.0>
  gpu.func @k(%x: f32, %n: index) kernel {
    %some = memref.get_global @some : memref<10000xf32, 4>
    // CHECK: constant-memory-errors.mlir:[[@LINE+1]]:5: error: 'memref.store' op writes to a constant variable
    memref.store %x, %some[%n] : memref<10000xf32, 4>
    %open = memref.get_global @open : memref<4xf32, 4>
    // CHECK: constant-memory-errors.mlir:[[@LINE+1]]:10: error: 'memref.atomic_rmw' op writes to constant memory, which kernels only read
    %y = memref.atomic_rmw addf %x, %open[%n] : (f32, memref<4xf32, 4>) -> f32
    gpu.return
  }
}
}
