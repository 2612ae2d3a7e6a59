// The scheduler finds no better order of the function as a whole. The first nest, for itself, has one: its parallel
// loop outside, so that it is one kernel.
//
// RUN: terrace-opt %s -offload-parallelize='reductions=outermost' | FileCheck %s

// CHECK-LABEL: func.func @nests
// CHECK:       affine.parallel (%{{.*}}) = (0) to (6597) {
// CHECK-NEXT:    affine.for %{{.*}} = 0 to 17 {
// CHECK-NEXT:      affine.for %{{.*}} = 0 to 128 {
// CHECK:       affine.parallel
func.func @nests(%b: memref<17x6597x128xi32>, %a: memref<6597xi32>, %c: memref<17x6597x128xi32>,
                 %d: memref<17x6597x128xi32>)
    attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  affine.for %i = 0 to 17 {
    affine.for %k = 0 to 128 {
      affine.for %j = 0 to 6597 {
        %x = affine.load %b[%i, %j, %k] : memref<17x6597x128xi32>
        %y = affine.load %b[%i, %j, %k] : memref<17x6597x128xi32>
        %less = arith.cmpi slt, %x, %y : i32
        %least = scf.if %less -> (i32) {
          %u = affine.load %b[%i, %j, %k] : memref<17x6597x128xi32>
          scf.yield %u : i32
        } else {
          scf.yield %y : i32
        }
        %t = affine.load %a[%j] : memref<6597xi32>
        %s = arith.addi %t, %least : i32
        affine.store %s, %a[%j] : memref<6597xi32>
      }
    }
  }
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 6597 {
      affine.for %k = 0 to 128 {
        %x = affine.load %b[%i, %j, %k] : memref<17x6597x128xi32>
        %y = affine.load %c[%i, %j, %k] : memref<17x6597x128xi32>
        %s = arith.addi %x, %y : i32
        affine.store %s, %c[%i, %j, %k] : memref<17x6597x128xi32>
      }
    }
  }
  affine.for %i = 1 to 16 {
    affine.for %j = 1 to 6596 {
      affine.for %k = 1 to 127 {
        %x = affine.load %c[%i, %j, %k - 1] : memref<17x6597x128xi32>
        %y = affine.load %c[%i, %j + 1, %k + 1] : memref<17x6597x128xi32>
        %s = arith.muli %x, %y : i32
        affine.store %s, %d[%i, %j, %k] : memref<17x6597x128xi32>
      }
    }
  }
  return
}
