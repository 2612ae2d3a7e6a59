// What the next iteration would compute again is handed on to it.
// RUN: terrace-opt %s -arith-restructure="iterations=true" | FileCheck %s
// RUN: terrace-opt %s -arith-restructure | FileCheck %s --check-prefix=OFF

// OFF-LABEL: func.func @differences
// OFF-COUNT-2: math.sqrt
// CHECK-LABEL: func.func @differences
// CHECK: math.sqrt
// CHECK: affine.for {{.*}} iter_args
// CHECK: math.sqrt
// CHECK-NOT: math.sqrt
// CHECK: affine.yield
func.func @differences(%a: memref<9xf32>, %m: memref<8xf32> {llvm.noalias}) {
  %o = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[%i] : memref<9xf32>
    %1 = affine.load %a[%i + 1] : memref<9xf32>
    %2 = math.sqrt %0 : f32
    %3 = math.sqrt %1 : f32
    %4 = arith.subf %3, %2 : f32
    affine.store %4, %o[%i] : memref<8xf32>
  }
  memref.copy %o, %m : memref<8xf32> to memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

// What the loop writes may be what it reads.
// CHECK-LABEL: func.func @written
// CHECK-NOT: iter_args
// CHECK: return
func.func @written(%a: memref<9xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[%i] : memref<9xf32>
    %1 = affine.load %a[%i + 1] : memref<9xf32>
    %2 = math.sqrt %0 : f32
    %3 = math.sqrt %1 : f32
    %4 = arith.subf %3, %2 : f32
    affine.store %4, %a[%i] : memref<9xf32>
  }
  return
}
