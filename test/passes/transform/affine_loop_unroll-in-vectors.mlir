// RUN: terrace-opt %s -affine-loop-unroll="unroll-factor=-1 unroll-full-threshold=32 unroll-full-ops=192" | FileCheck %s

// A loop that can run in vectors stays where no loop around can take its place.
// CHECK-LABEL: func.func @in_scope
// CHECK: affine.scope
// CHECK-NEXT: affine.for
func.func @in_scope(%a: memref<?xf32>, %b: memref<?xf32>, %w: memref<?xindex>) {
  affine.for %i = 0 to 100 {
    %n = affine.load %w[%i] : memref<?xindex>
    affine.scope {
      affine.for %j = 0 to 16 {
        %v = affine.load %a[%j + symbol(%n)] : memref<?xf32>
        %x = arith.addf %v, %v : f32
        affine.store %x, %b[%j + symbol(%n)] : memref<?xf32>
      }
    }
  }
  return
}

// Directly in another loop it is taken apart.
// CHECK-LABEL: func.func @in_loop
// CHECK: affine.for
// CHECK-NOT: affine.for
// CHECK: return
func.func @in_loop(%a: memref<?xf32>, %b: memref<?xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 16 {
      %v = affine.load %a[%j + %i] : memref<?xf32>
      %x = arith.addf %v, %v : f32
      affine.store %x, %b[%j + %i] : memref<?xf32>
    }
  }
  return
}

// So is one that has no form on vectors.
// CHECK-LABEL: func.func @no_form
// CHECK: affine.scope
// CHECK-NOT: affine.for
// CHECK: return
func.func @no_form(%w: memref<?xindex>) {
  affine.for %i = 0 to 100 {
    %n = affine.load %w[%i] : memref<?xindex>
    affine.scope {
      affine.for %j = 0 to 4 {
        vector.print %n : index
      }
    }
  }
  return
}
