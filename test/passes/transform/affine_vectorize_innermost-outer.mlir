// RUN: terrace-opt %s -affine-vectorize-innermost=outer=true | FileCheck %s

// The iterations of the loop inside need each other, those around do not.
// CHECK-LABEL: func.func @roots
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: %[[A:.*]] = vector.transfer_read {{.*}} vector<8xf64>
// CHECK: affine.for %{{.*}} = 0 to 20 iter_args(%[[R:.*]] = %[[A]]) -> (vector<8xf64>) {
// CHECK: arith.divf %[[A]], %[[R]] : vector<8xf64>
// CHECK: vector.transfer_write
func.func @roots(%A: memref<64xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %r = affine.for %k = 0 to 20 iter_args(%x = %a) -> (f64) {
      %q = arith.divf %a, %x : f64
      %s = arith.addf %x, %q : f64
      %n = arith.mulf %half, %s : f64
      affine.yield %n : f64
    }
    affine.store %r, %A[%i] : memref<64xf64>
  }
  return
}

// A sum over j for each i: each lane adds in the order of the program. What is the same for all
// lanes is loaded once.
// CHECK-LABEL: func.func @forces
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: affine.for %[[J:.*]] = 0 to 64 iter_args
// CHECK: %[[X:.*]] = affine.load %{{.*}}[%[[J]]] : memref<64xf64>
// CHECK: vector.broadcast %[[X]] : f64 to vector<8xf64>
// CHECK: arith.addf {{.*}} : vector<8xf64>
func.func @forces(%X: memref<64xf64>, %F: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %x = affine.load %X[%i] : memref<64xf64>
      %y = affine.load %X[%j] : memref<64xf64>
      %d = arith.subf %y, %x : f64
      %p = arith.mulf %d, %d : f64
      %f = affine.load %F[%i] : memref<64xf64>
      %s = arith.addf %f, %p : f64
      affine.store %s, %F[%i] : memref<64xf64>
    }
  }
  return
}

// The loop inside can run in vectors itself; and where its bounds differ between lanes, they do
// not run together.
// CHECK-LABEL: func.func @inner
// CHECK-NOT: vector
func.func @inner(%A: memref<64x64xf64>, %X: memref<64xf64>, %F: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %A[%i, %j] : memref<64x64xf64>
    }
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %y = affine.load %X[%j] : memref<64xf64>
      %f = affine.load %F[%i] : memref<64xf64>
      %s = arith.addf %f, %y : f64
      affine.store %s, %F[%i] : memref<64xf64>
    }
  }
  return
}

// The loop whose iterations need nothing of each other may be further out.
// CHECK-LABEL: func.func @further
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: affine.for %[[K:.*]] = 0 to 64 {
// CHECK: affine.for %{{.*}} = #{{.*}}(%[[K]]) to 64 iter_args({{.*}}) -> (vector<8xf64>)
// CHECK: vector.transfer_write
func.func @further(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %j = 0 to 64 {
    affine.for %k = 0 to 64 {
      %s = affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to 64 iter_args(%so_far = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<64x64xf64>
        %b = affine.load %B[%i, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %n = arith.addf %so_far, %p : f64
        affine.yield %n : f64
      }
      affine.store %s, %C[%k, %j] : memref<64x64xf64>
    }
  }
  return
}

// Nobody says that the loop inside runs, but the element was stored in front of it: it stays in
// registers, or each lane would wait for its own store. Elements that were not stored are left.
// CHECK-LABEL: func.func @stored_before
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK: affine.for %{{.*}} = 0 to %{{.*}} iter_args(%[[R:.*]] = %{{.*}}) -> (vector<8xf64>) {
// CHECK-NOT: vector.transfer_write
// CHECK: affine.yield %{{.*}} : vector<8xf64>
// CHECK: }
// CHECK: vector.transfer_write
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to %{{.*}} {
// CHECK: vector.transfer_write
func.func @stored_before(%X: memref<64xf64>, %F: memref<64xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 64 {
    affine.store %zero, %F[%i] : memref<64xf64>
    affine.for %j = 0 to %n {
      %x = affine.load %X[%i] : memref<64xf64>
      %y = affine.load %F[%i] : memref<64xf64>
      %d = arith.divf %y, %x : f64
      %s = arith.addf %d, %x : f64
      affine.store %s, %F[%i] : memref<64xf64>
    }
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to %n {
      %x = affine.load %X[%i] : memref<64xf64>
      %y = affine.load %F[%i] : memref<64xf64>
      %d = arith.divf %y, %x : f64
      %s = arith.addf %d, %x : f64
      affine.store %s, %F[%i] : memref<64xf64>
    }
  }
  return
}

// An iteration of the loop inside waits for the one before: 8 cycles for two ops. So many lanes run
// side by side that a core has something to do meanwhile.
// CHECK-LABEL: func.func @waits
// CHECK: affine.for %{{.*}} = 0 to 64 step 16 {
// CHECK: affine.for %{{.*}} = 0 to 20 iter_args({{.*}}) -> (vector<16xf64>) {
func.func @waits(%A: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %r = affine.for %k = 0 to 20 iter_args(%x = %a) -> (f64) {
      %q = arith.mulf %x, %x : f64
      %s = arith.addf %q, %a : f64
      affine.yield %s : f64
    }
    affine.store %r, %A[%i] : memref<64xf64>
  }
  return
}

// Here an iteration has as much to do that does not wait: the usual lanes are enough.
// CHECK-LABEL: func.func @busy
// CHECK: affine.for %{{.*}} = 0 to 64 step 8 {
func.func @busy(%A: memref<64xf64>, %B: memref<20xf64>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %r = affine.for %k = 0 to 20 iter_args(%x = %a) -> (f64) {
      %b = affine.load %B[%k] : memref<20xf64>
      %p = arith.mulf %a, %b : f64
      %q = arith.addf %p, %b : f64
      %t = arith.mulf %q, %a : f64
      %u = arith.addf %t, %p : f64
      %v = arith.mulf %u, %q : f64
      %s = arith.addf %x, %v : f64
      affine.yield %s : f64
    }
    affine.store %r, %A[%i] : memref<64xf64>
  }
  return
}
