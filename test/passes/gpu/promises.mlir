// RUN: terrace-opt %s -gpu-infer-kernel-promises | FileCheck %s
// RUN: terrace-opt %s -gpu-infer-kernel-promises -mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: GpuInferKernelPromises
// COUNT-NEXT: (S) 6 num-noalias

module attributes {gpu.container_module} {
  func.func @allocations(%a: memref<64xf32>, %n: index) {
    %d = gpu.alloc () : memref<64xf32>
    %e = gpu.alloc () : memref<64xf32>
    %dyn = memref.cast %e : memref<64xf32> to memref<?xf32>
    gpu.launch_func @m::@own blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%d : memref<64xf32>, %dyn : memref<?xf32>, %a : memref<64xf32>, %n : index)
    return
  }
  func.func @views(%n: index) {
    %d = gpu.alloc () : memref<64xf32>
    %e = gpu.alloc () : memref<64xf32>
    %half = memref.subview %d[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    gpu.launch_func @m::@half blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%d : memref<64xf32>, %half : memref<32xf32, strided<[1], offset: 32>>, %e : memref<64xf32>)
    return
  }
  func.func @arguments(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32>, %c: memref<64xf32>, %n: index) {
    gpu.launch_func @m::@args blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%a : memref<64xf32>, %b : memref<64xf32>)
    // The launches of a kernel must all keep it.
    gpu.launch_func @m::@twice blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @m::@twice blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%c : memref<64xf32>, %b : memref<64xf32>)
    return
  }
  func.func @region(%a: memref<64xf32>, %b: memref<64xf32>, %all: memref<?xi8> {acc.anywhere}, %n: index)
      attributes {acc.region = {noalias}} {
    gpu.launch_func @m::@region blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%a : memref<64xf32>, %b : memref<64xf32>)
    // All memory, where the arrays may lie.
    gpu.launch_func @m::@anywhere blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%a : memref<64xf32>, %all : memref<?xi8>)
    return
  }
  func.func private @somewhere() -> memref<64xf32>
  func.func @unknown(%a: memref<64xf32> {llvm.noalias}, %n: index) {
    // What comes from a call may be a view of anything.
    %x = func.call @somewhere() : () -> memref<64xf32>
    gpu.launch_func @m::@unknown blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%a : memref<64xf32>, %x : memref<64xf32>)
    return
  }
  gpu.module @m {
    // CHECK: gpu.func @own(%{{.*}}: memref<64xf32> {llvm.align = 256 : i64, llvm.noalias}, %{{.*}}: memref<?xf32> {llvm.align = 256 : i64, llvm.noalias}, %{{.*}}: memref<64xf32>, %{{.*}}: index) kernel
    gpu.func @own(%a: memref<64xf32>, %b: memref<?xf32>, %c: memref<64xf32>, %n: index) kernel {
      gpu.return
    }
    // CHECK: gpu.func @half(%{{.*}}: memref<64xf32> {llvm.align = 256 : i64}, %{{.*}}: memref<32xf32, strided<[1], offset: 32>>, %{{.*}}: memref<64xf32> {llvm.align = 256 : i64, llvm.noalias}) kernel
    gpu.func @half(%a: memref<64xf32>, %b: memref<32xf32, strided<[1], offset: 32>>, %c: memref<64xf32>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @args(%{{.*}}: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32>) kernel
    gpu.func @args(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @twice(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>) kernel
    gpu.func @twice(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @region(%{{.*}}: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32> {llvm.noalias}) kernel
    gpu.func @region(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @anywhere(%{{.*}}: memref<64xf32>, %{{.*}}: memref<?xi8>) kernel
    gpu.func @anywhere(%a: memref<64xf32>, %all: memref<?xi8>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @unknown(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>) kernel
    gpu.func @unknown(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      gpu.return
    }
  }
}
