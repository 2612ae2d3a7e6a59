// RUN: terrace-opt %s -split-input-file -affine-tile-registers -verify-each -mlir-pass-statistics 2>&1 | FileCheck %s

// Rows of %i, columns of %j, a sum over %k: 8 x 24 elements are carried along a part of the sum, and
// what its rows use of %b is put together in front of them.
// CHECK-LABEL: func.func @product
// CHECK: %[[KEPT:.*]] = memref.alloc() : memref<256x24xf64>
// CHECK: affine.for %[[S:.*]] = 0 to 1024 step 256 {
// CHECK: affine.for %[[J:.*]] = 0 to 504 step 24 {
// CHECK: affine.for %[[F:.*]] =
// CHECK: vector.transfer_read %{{.*}}[%[[F]], %[[J]]]
// CHECK: vector.store %{{.*}}, %[[KEPT]]
// CHECK: affine.for %[[I:.*]] = 0 to 800 step 8 {
// CHECK: %{{.*}}:8 = affine.for %{{.*}} iter_args
// CHECK: vector.load %[[KEPT]]
// CHECK-COUNT-8: arith.mulf %{{.*}} : vector<24xf64>
// CHECK: affine.yield
// CHECK-COUNT-8: vector.transfer_write
// CHECK: memref.dealloc %[[KEPT]]
func.func @product(%a: memref<800x1024xf64>, %b: memref<1024x512xf64>, %c: memref<800x512xf64>) {
  affine.for %i = 0 to 800 {
    affine.for %k = 0 to 1024 {
      affine.for %j = 0 to 512 {
        %x = affine.load %a[%i, %k] : memref<800x1024xf64>
        %y = affine.load %b[%k, %j] : memref<1024x512xf64>
        %p = arith.mulf %x, %y : f64
        %z = affine.load %c[%i, %j] : memref<800x512xf64>
        %s = arith.addf %z, %p : f64
        affine.store %s, %c[%i, %j] : memref<800x512xf64>
      }
    }
  }
  return
}

// -----

// What is done with what is loaded does not matter: the least of sums. A statement beside becomes a
// loop of its own.
// CHECK-LABEL: func.func @least
// CHECK: affine.for %{{.*}} = 0 to 64 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 96 {
// Rows that lie well in caches are read where they are.
// CHECK-NOT: memref.alloc
// CHECK: affine.for %{{.*}} = 0 to 96 step 24 {
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: %{{.*}}:8 = affine.for %{{.*}} = 0 to 100 iter_args
// CHECK-COUNT-8: arith.minimumf %{{.*}} : vector<24xf64>
func.func @least(%a: memref<64x100xf64>, %b: memref<100x96xf64>, %c: memref<64x96xf64>, %m: f64) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 96 {
      affine.store %m, %c[%i, %j] : memref<64x96xf64>
    }
    affine.for %k = 0 to 100 {
      affine.for %j = 0 to 96 {
        %x = affine.load %a[%i, %k] : memref<64x100xf64>
        %y = affine.load %b[%k, %j] : memref<100x96xf64>
        %p = arith.addf %x, %y : f64
        %z = affine.load %c[%i, %j] : memref<64x96xf64>
        %s = arith.minimumf %z, %p : f64
        affine.store %s, %c[%i, %j] : memref<64x96xf64>
      }
    }
  }
  return
}

// -----

// What is stored is loaded elsewhere: rows depend on each other.
// CHECK-LABEL: func.func @same
// CHECK-NOT: step
// CHECK: return
func.func @same(%c: memref<512x512xf64>) {
  affine.for %k = 0 to 512 {
    affine.for %i = 0 to 512 {
      affine.for %j = 0 to 512 {
        %x = affine.load %c[%i, %k] : memref<512x512xf64>
        %y = affine.load %c[%k, %j] : memref<512x512xf64>
        %p = arith.mulf %x, %y : f64
        %z = affine.load %c[%i, %j] : memref<512x512xf64>
        %s = arith.addf %z, %p : f64
        affine.store %s, %c[%i, %j] : memref<512x512xf64>
      }
    }
  }
  return
}

// -----

// Nothing is shared by rows.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: step
// CHECK: return
func.func @apart(%a: memref<512x512x64xf64>, %c: memref<512x64xf64>) {
  affine.for %i = 0 to 512 {
    affine.for %k = 0 to 512 {
      affine.for %j = 0 to 64 {
        %x = affine.load %a[%i, %k, %j] : memref<512x512x64xf64>
        %z = affine.load %c[%i, %j] : memref<512x64xf64>
        %s = arith.addf %z, %x : f64
        affine.store %s, %c[%i, %j] : memref<512x64xf64>
      }
    }
  }
  return
}

// -----

// An end that moves with the rows.
// CHECK-LABEL: func.func @triangle
// CHECK-NOT: step
// CHECK: return
func.func @triangle(%a: memref<512x512xf64>, %b: memref<512x512xf64>, %c: memref<512x512xf64>) {
  affine.for %i = 0 to 512 {
    affine.for %k = 0 to 512 {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %x = affine.load %a[%i, %k] : memref<512x512xf64>
        %y = affine.load %b[%k, %j] : memref<512x512xf64>
        %p = arith.mulf %x, %y : f64
        %z = affine.load %c[%i, %j] : memref<512x512xf64>
        %s = arith.addf %z, %p : f64
        affine.store %s, %c[%i, %j] : memref<512x512xf64>
      }
    }
  }
  return
}
