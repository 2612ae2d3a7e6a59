// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// What an iteration reads it must have written itself, surely: otherwise it is what an
// iteration before has left, and there is one array for all.

// A condition that the data decides.
// CHECK-LABEL: func.func @conditional
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: affine.for %{{.*}} = 0 to %
func.func @conditional(%n: index, %a: memref<?x8xf64>, %c: memref<8xi1>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %b = affine.load %c[%j] : memref<8xi1>
      scf.if %b {
        memref.store %v, %t[%j] : memref<8xf64>
      }
    }
    affine.for %j = 0 to 8 {
      %w = affine.load %t[7 - %j] : memref<8xf64>
      affine.store %w, %a[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

// An element that the data decides.
// CHECK-LABEL: func.func @anywhere
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: affine.for %{{.*}} = 0 to %
func.func @anywhere(%n: index, %a: memref<?x8xf64>, %c: memref<8xindex>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %at = affine.load %c[%j] : memref<8xindex>
      memref.store %v, %t[%at] : memref<8xf64>
    }
    affine.for %j = 0 to 8 {
      %w = affine.load %t[7 - %j] : memref<8xf64>
      affine.store %w, %a[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

// All but one element.
// CHECK-LABEL: func.func @most
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: affine.for %{{.*}} = 0 to %
func.func @most(%n: index, %a: memref<?x8xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 1 to 8 {
      affine.store %v, %t[%j] : memref<8xf64>
    }
    affine.for %j = 0 to 8 {
      %w = affine.load %t[7 - %j] : memref<8xf64>
      affine.store %w, %a[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

// All of them: each iteration has its own.
// CHECK-LABEL: func.func @every
// CHECK: affine.parallel
// CHECK-NEXT: memref.alloca
func.func @every(%n: index, %a: memref<?x8xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      affine.store %v, %t[%j] : memref<8xf64>
    }
    affine.for %j = 0 to 8 {
      %w = affine.load %t[7 - %j] : memref<8xf64>
      affine.store %w, %a[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

// Every other element, of vectors that are read as wholes: the array stays one for all
// iterations, and the loop over it is in order.
// CHECK-LABEL: func.func @halves
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: affine.parallel (%{{.*}}) = (0) to (4)
// CHECK-NEXT: affine.for %{{.*}} = 0 to %
func.func @halves(%n: index, %a: memref<?x8xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      affine.store %v, %t[2 * %j] : memref<8xf64>
    }
    affine.for %j = 0 to 4 {
      %w = affine.vector_load %t[2 * %j] : memref<8xf64>, vector<2xf64>
      affine.vector_store %w, %a[%i, 2 * %j] : memref<?x8xf64>, vector<2xf64>
    }
  }
  return
}
