// RUN: terrace-opt %s --affine-print-dependences -o /dev/null 2>&1 | FileCheck %s

// Memory that was handed out may be reached by whatever is called.
// CHECK-LABEL: dependences of @escaped:
// CHECK: flow memory store {{[0-9:]+}} call {{.*}} loop 'i'
// CHECK: output memory call {{[0-9:]+}} store {{.*}} loop 'i'
func.func private @keep(memref<8xf32>)
func.func private @use()
func.func @escaped(%x: f32) {
  %a = memref.alloc() : memref<8xf32>
  func.call @keep(%a) : (memref<8xf32>) -> ()
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
    func.call @use() : () -> ()
  }
  return
}

// Memory that was not is out of reach.
// CHECK-LABEL: dependences of @local:
// CHECK-NOT: store
// CHECK-LABEL: dependences of @results:
func.func @local(%x: f32) {
  %a = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
    func.call @use() : () -> ()
  }
  return
}

// Two results of a call may be the same memory.
// CHECK: flow {{.*}} store {{[0-9:]+}} load {{.*}} maybe: the two memrefs may be the same memory
func.func private @two() -> (memref<8xf32>, memref<8xf32>)
func.func @results(%x: f32) {
  %a, %b = func.call @two() : () -> (memref<8xf32>, memref<8xf32>)
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
    %y = affine.load %b[%i] : memref<8xf32>
  }
  return
}
