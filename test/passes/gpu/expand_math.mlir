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
  // Narrow floats are computed in f32, unless the lowering has a few instructions.
  // CHECK: gpu.func @narrow
  // CHECK-NOT: f64
  // CHECK-NOT: math.cbrt
  // CHECK: %[[N:.*]] = arith.select %{{.*}}, %{{.*}}, %arg0 : f32
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

  // Halves are computed in f32, too, and an exponent of 32 bits is two floats.
  // CHECK: gpu.func @halves
  // CHECK: arith.extf %arg0 : f16 to f32
  // CHECK-NOT: f64
  // CHECK-NOT: math.powf
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  // CHECK: arith.sitofp %{{.*}} : i32 to f32
  // CHECK-NOT: f64
  // CHECK-NOT: math.fpowi
  // CHECK: memref.store
  gpu.func @halves(%x: f16, %y: f32, %n: i32, %m: memref<?xf16>, %l: memref<?xf32>, %i: index) kernel {
    %0 = math.powf %x, %x : f16
    memref.store %0, %m[%i] : memref<?xf16>
    %1 = math.fpowi %y, %n : f32, i32
    memref.store %1, %l[%i] : memref<?xf32>
    gpu.return
  }

  // So are large angles.
  // CHECK: gpu.func @angle
  // CHECK: scf.if
  // CHECK-NOT: f64
  // CHECK: arith.extui %{{.*}} : i32 to i64
  // CHECK-NOT: f64
  // CHECK: memref.store
  gpu.func @angle(%y: f32, %l: memref<?xf32>, %i: index) kernel {
    %1 = math.sin %y : f32
    memref.store %1, %l[%i] : memref<?xf32>
    gpu.return
  }

  // Exponents of more bits are no sum of two floats.
  // CHECK: gpu.func @long_exponent
  // CHECK: arith.sitofp %{{.*}} : i64 to f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  gpu.func @long_exponent(%y: f32, %n: i64, %l: memref<?xf32>, %i: index) kernel {
    %1 = math.fpowi %y, %n : f32, i64
    memref.store %1, %l[%i] : memref<?xf32>
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
