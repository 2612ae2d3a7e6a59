// RUN: terrace-opt %s --gpu-merge-identical-kernels | FileCheck %s
// RUN: terrace-opt %s --gpu-merge-identical-kernels --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: (S) 1 num-merged

// CHECK-LABEL: func.func @f
// CHECK:       gpu.launch_func @k_0::@k_0{{.*}}args(%arg0 : memref<8xf32>, %c1 : index)
// CHECK-NEXT:  gpu.launch_func @k_0::@k_0{{.*}}args(%arg0 : memref<8xf32>, %c2 : index)
// CHECK-NEXT:  gpu.launch_func @k_2::@k_2
// CHECK-NEXT:  gpu.launch_func @k_3::@k_3
// CHECK-NEXT:  gpu.launch_func @k_4::@k_4
// CHECK-NEXT:  gpu.launch_func @two::@a

module attributes {gpu.container_module} {
  func.func @f(%m: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @k_0::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c1 : index)
    gpu.launch_func @k_1::@k_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c2 : index)
    gpu.launch_func @k_2::@k_2 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c1 : index)
    gpu.launch_func @k_3::@k_3 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c1 : index)
    gpu.launch_func @k_4::@k_4 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c1 : index)
    gpu.launch_func @two::@a blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<8xf32>, %c1 : index)
    return
  }
  // CHECK: gpu.module @k_0
  gpu.module @k_0 {
    gpu.func @k_0(%m: memref<8xf32>, %i: index) kernel {
      %f = arith.constant 1.0 : f32
      memref.store %f, %m[%i] : memref<8xf32>
      gpu.return
    }
  }
  // CHECK-NOT: gpu.module @k_1
  gpu.module @k_1 {
    gpu.func @k_1(%a: memref<8xf32>, %n: index) kernel {
      %one = arith.constant 1.0 : f32
      memref.store %one, %a[%n] : memref<8xf32>
      gpu.return
    }
  }
  // Another number.
  // CHECK: gpu.module @k_2
  gpu.module @k_2 {
    gpu.func @k_2(%m: memref<8xf32>, %i: index) kernel {
      %f = arith.constant 2.0 : f32
      memref.store %f, %m[%i] : memref<8xf32>
      gpu.return
    }
  }
  // What is promised of the kernel is another.
  // CHECK: gpu.module @k_3
  gpu.module @k_3 {
    gpu.func @k_3(%m: memref<8xf32>, %i: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %f = arith.constant 1.0 : f32
      memref.store %f, %m[%i] : memref<8xf32>
      gpu.return
    }
  }
  // Another function is called by the same name.
  // CHECK: gpu.module @k_4
  gpu.module @k_4 {
    gpu.func @k_4(%m: memref<8xf32>, %i: index) kernel {
      %f = arith.constant 1.0 : f32
      memref.store %f, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @helper() {
      gpu.return
    }
  }
  // CHECK: gpu.module @two
  gpu.module @two {
    gpu.func @a(%m: memref<8xf32>, %i: index) kernel {
      %f = arith.constant 1.0 : f32
      memref.store %f, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @b(%m: memref<8xf32>, %i: index) kernel {
      gpu.return
    }
  }
}
