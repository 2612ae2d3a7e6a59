// RUN: terrace-opt %s -offload-merge-kernels | FileCheck %s

// What several modules hold once each is there once; launches find their kernels.
// CHECK: gpu.launch_func @a::@a
// CHECK: gpu.launch_func @a::@b
// CHECK: gpu.launch_func @other::@a
// CHECK: gpu.module @a {
// CHECK: func.func {{.*}}@helper
// CHECK-NOT: @helper(
// CHECK: gpu.func @a
// CHECK: gpu.func @b
// CHECK: call @helper
// Two kernels of one name keep their modules.
// CHECK: gpu.module @other {
// CHECK: gpu.func @a
module attributes {gpu.container_module} {
  func.func @f(%n: index, %m: memref<4xf32>) {
    gpu.launch_func @a::@a blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%m : memref<4xf32>)
    gpu.launch_func @b::@b blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%m : memref<4xf32>)
    gpu.launch_func @other::@a blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%m : memref<4xf32>)
    return
  }
  gpu.module @a {
    func.func private @helper(%x: f32) -> f32 {
      return %x : f32
    }
    gpu.func @a(%m: memref<4xf32>) kernel {
      %c = arith.constant 1.0 : f32
      %v = func.call @helper(%c) : (f32) -> f32
      gpu.return
    }
  }
  gpu.module @b {
    func.func private @helper(%x: f32) -> f32 {
      return %x : f32
    }
    gpu.func @b(%m: memref<4xf32>) kernel {
      %c = arith.constant 2.0 : f32
      %v = func.call @helper(%c) : (f32) -> f32
      gpu.return
    }
  }
  gpu.module @other {
    gpu.func @a(%m: memref<4xf32>) kernel {
      gpu.return
    }
  }
}
