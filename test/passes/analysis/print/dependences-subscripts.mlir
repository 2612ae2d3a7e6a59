// RUN: terrace-opt %s --affine-print-dependences -o /dev/null 2>&1 | FileCheck %s --match-full-lines

// Rows of length m: 0 <= j < m follows from the bounds.
// CHECK-LABEL: dependences of @linearised:
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: flow  a {{.*}} (1, 0) {{.*}} loop 'i' at line {{[0-9]+}}
// CHECK-LABEL: dependences of @from_the_end:
func.func @linearised(%a: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %a[(%i - 1) * symbol(%m) + %j] : memref<?xf32>
      affine.store %0, %a[%i * symbol(%m) + %j] : memref<?xf32>
    }
  }
  return
}

// i * m + m - 1 - j is row i, column m - 1 - j.
// CHECK-NEXT: none through memory
// CHECK-LABEL: dependences of @three:
func.func @from_the_end(%a: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %x, %a[%i * symbol(%m) + symbol(%m) - 1 - %j] : memref<?xf32>
    }
  }
  return
}

// Three dimensions, by arithmetic on indices.
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: output  a {{.*}} (1..9, 0, 0, 0) {{.*}} loop 't' at line {{[0-9]+}}
// CHECK-LABEL: dependences of @too_far:
func.func @three(%a: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %t = 0 to 10 {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %m {
        affine.for %k = 0 to %n {
          %0 = arith.muli %i, %m : index
          %1 = arith.addi %0, %j : index
          %2 = arith.muli %1, %n : index
          %3 = arith.addi %2, %k : index
          memref.store %x, %a[%3] : memref<?xf32>
        }
      }
    }
  }
  return
}

// One column too many: rows may overlap.
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: output  a {{.*}} loop 'i' at line {{[0-9]+}} {{ *}}maybe: the subscript multiplies a loop variable by a parameter, and the bounds do not show that the rest of it stays below that {{.*}}
// CHECK: output  a {{.*}} loop 'j' at line {{[0-9]+}} {{ *}}maybe: {{.*}}
// CHECK-LABEL: dependences of @computed:
func.func @too_far(%a: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      affine.store %x, %a[%i * symbol(%m) + %j] : memref<?xf32>
    }
  }
  return
}

// An index from memory.
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: output  a {{.*}} (1..9) {{.*}} loop 'i' at line {{[0-9]+}} {{ *}}maybe: the index is computed by 'memref.load', which is not affine in the loop variables ([[#@LINE+5]]:5)
// CHECK-LABEL: dependences of @product:
func.func @computed(%a: memref<?xf32>, %p: memref<10xindex>, %x: f32) {
  affine.for %i = 0 to 10 {
    %0 = memref.load %p[%i] : memref<10xindex>
    memref.store %x, %a[%0] : memref<?xf32>
  }
  return
}

// CHECK: {{.*}} maybe: the index is a product of loop variables {{.*}}
// CHECK-LABEL: dependences of @views:
func.func @product(%a: memref<?xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      %0 = arith.muli %i, %j : index
      memref.store %x, %a[%0] : memref<?xf32>
    }
  }
  return
}

// Even rows through one view, odd ones through another; a view that moves along.
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: flow  a {{.*}} (3) {{.*}} loop 'j' at line {{[0-9]+}}
// CHECK-LABEL: dependences of @reshaped:
func.func @views(%a: memref<64xf32>) {
  %even = memref.subview %a[0] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2]>>
  %odd = memref.subview %a[1] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2], offset: 1>>
  affine.for %i = 0 to 4 {
    %0 = affine.load %odd[%i] : memref<32xf32, strided<[2], offset: 1>>
    affine.store %0, %even[%i] : memref<32xf32, strided<[2]>>
  }
  affine.for %j = 10 to 32 {
    %v = memref.subview %a[%j] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
    %0 = affine.load %v[0] : memref<4xf32, strided<[1], offset: ?>>
    affine.store %0, %v[3] : memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// CHECK: {{.*}} maybe: both are views of the same memory {{.*}}
// CHECK-LABEL: dependences of @called:
func.func @reshaped(%a: memref<64xf32>) {
  %v = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %v[%i, 0] : memref<8x8xf32>
  }
  return
}

// A call may touch what it can reach: the argument, not the local array.
// CHECK-NOT: {{.*}} hidden {{.*}}
// CHECK: {{.*}} memory {{.*}} maybe: what memory @g touches is not known {{.*}}
// CHECK-NOT: {{.*}} hidden {{.*}}
// CHECK-LABEL: dependences of @while_loop:
func.func private @g()
func.func @called(%a: memref<64xf32>, %x: f32) {
  %hidden = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 8 {
    affine.store %x, %hidden[%i] : memref<64xf32>
    affine.store %x, %a[%i] : memref<64xf32>
    func.call @g() : () -> ()
  }
  return
}

// A loop that is not affine: its iterations are not counted, those inside are.
// CHECK: output  a {{.*}} 'scf.for' at {{.*}} maybe: how often 'scf.for' runs it is not affine {{.*}}
// CHECK-NOT: {{.*}} loop 'i' {{.*}}
// CHECK-LABEL: dependences of @end:
func.func @while_loop(%a: memref<64xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    affine.for %i = 0 to 8 {
      affine.store %x, %a[%i] : memref<64xf32>
    }
  }
  return
}

func.func @end() {
  return
}
