// RUN: terrace-opt %s -expand-math-for-gpu | FileCheck %s
// RUN: terrace-opt %s -expand-math-for-gpu=everywhere=true | FileCheck %s --check-prefix=ALL

// Host code has its library.
// CHECK-LABEL: func.func @host
// CHECK: math.exp
// ALL-LABEL: func.func @host
// ALL-NOT: math.exp
// ALL: return
func.func @host(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: gpu.module @m
gpu.module @m {
  // Narrow floats are computed in f64, unless the lowering has a few instructions.
  // CHECK: gpu.func @narrow
  // CHECK: %[[W:.*]] = arith.extf %arg0 : f32 to f64
  // CHECK-NOT: math.cbrt
  // CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: %[[E:.*]] = math.exp %[[N]] : f32
  // CHECK: memref.store %[[E]]
  // ALL-LABEL: gpu.func @narrow
  // ALL-NOT: math.exp
  // ALL: memref.store
  gpu.func @narrow(%x: f32, %m: memref<?xf32>, %i: index) kernel {
    %0 = math.cbrt %x : f32
    %1 = math.exp %0 : f32
    memref.store %1, %m[%i] : memref<?xf32>
    gpu.return
  }

  // What may be approximated, has an instruction or is a vector stays.
  // CHECK: gpu.func @stays
  // CHECK: math.sin %{{.*}} fastmath<afn> : f32
  // CHECK: math.sqrt
  // CHECK: math.exp %{{.*}} : vector<2xf32>
  gpu.func @stays(%x: f32, %v: vector<2xf32>) {
    %0 = math.sin %x fastmath<afn> : f32
    %1 = math.sqrt %x : f32
    %2 = math.exp %v : vector<2xf32>
    gpu.return
  }

  // Functions that kernels call count.
  // CHECK: func.func private @helper
  // CHECK-NOT: arith.remf
  // CHECK: scf.while
  func.func private @helper(%x: f64, %y: f64) -> f64 {
    %0 = arith.remf %x, %y : f64
    return %0 : f64
  }
}
