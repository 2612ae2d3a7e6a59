// RUN: terrace-opt %s --affine-print-dependences -o /dev/null 2>&1 | FileCheck %s

// A read in one iteration only, of an element that only this iteration updates: no loop
// carries what is between the two, but the sum must be whole when it is read.
// CHECK-LABEL: dependences of @read_in_the_last:
// CHECK: flow s store {{[0-9:]+}} load {{.*}} no loop
// CHECK-NEXT: is a sum; not over loop 'i' {{.*}}, because of the load
#last = affine_set<(d0) : (d0 - 4 == 0)>
func.func @read_in_the_last(%a: memref<8xf32>, %s: memref<2xf32>, %t: memref<8xf32>) {
  affine.for %i = 0 to 5 {
    %x = affine.load %a[%i] : memref<8xf32>
    %y = affine.load %s[%i floordiv 4] : memref<2xf32>
    %z = arith.addf %y, %x : f32
    affine.store %z, %s[%i floordiv 4] : memref<2xf32>
    affine.if #last(%i) {
      %w = affine.load %s[1] : memref<2xf32>
      affine.store %w, %t[%i] : memref<8xf32>
    }
  }
  return
}

// Each of two updates changes an element once: neither is a sum over the loop, though the
// loop carries what is between them.
// CHECK-LABEL: dependences of @neighbours:
// CHECK-NOT: sum
func.func @neighbours(%a: memref<8xf32>, %s: memref<9xf32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %y = affine.load %s[%i] : memref<9xf32>
    %z = arith.addf %y, %x : f32
    affine.store %z, %s[%i] : memref<9xf32>
    %v = affine.load %s[%i + 1] : memref<9xf32>
    %w = arith.addf %v, %x : f32
    affine.store %w, %s[%i + 1] : memref<9xf32>
  }
  return
}
