// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(offload-parallelize{reassociate=false reductions=none}),canonicalize)" | FileCheck %s

// The scalar is the element that it is stored to: then the loops can change their order, as
// those of an elimination written without it.

// CHECK-LABEL: func @elimination(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xf64>
// CHECK-NOT:     memref<f64>
// CHECK:         affine.for %[[K:[^ ]*]] =
// CHECK:           affine.parallel
// CHECK:             arith.divf
// CHECK:           affine.parallel
// CHECK-NEXT:        affine.parallel
// CHECK:               arith.subf
// CHECK-NOT:     memref<f64>
// CHECK:         return
func.func @elimination(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %w = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %now = affine.load %w[] : memref<f64>
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %l, %u : f64
        %s = arith.subf %now, %p : f64
        affine.store %s, %w[] : memref<f64>
      }
      %now = affine.load %w[] : memref<f64>
      %d = affine.load %A[%j, %j] : memref<?x?xf64>
      %q = arith.divf %now, %d : f64
      affine.store %q, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(i) -> (i)>(%i) to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %now = affine.load %w[] : memref<f64>
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %l, %u : f64
        %s = arith.subf %now, %p : f64
        affine.store %s, %w[] : memref<f64>
      }
      %now = affine.load %w[] : memref<f64>
      affine.store %now, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// All rows use row k in step k, and all columns column k: the loops are split there.

// CHECK-LABEL: func @paths(
// CHECK:         affine.for %[[K:[^ ]*]] =
// CHECK:           affine.parallel (%{{.*}}) = (0) to (%[[K]]) {
// CHECK-NEXT:        affine.parallel (%{{.*}}) = (0) to (%[[K]]) {
// CHECK:           affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%{{.*}})) {
// CHECK:             affine.parallel (%{{.*}}) = (%[[K]] + 1) to (symbol(%{{.*}})) {
func.func @paths(%path: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %path, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %a = affine.load %path[%i, %j] : memref<?x?xf64>
        %b = affine.load %path[%i, %k] : memref<?x?xf64>
        %c = affine.load %path[%k, %j] : memref<?x?xf64>
        %s = arith.addf %b, %c : f64
        %m = arith.minimumf %a, %s : f64
        affine.store %m, %path[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The second nest sets the scalar before it reads it, so that iterations of the first can
// have their own.

// CHECK-LABEL: func @set_anew(
// CHECK:         affine.parallel
// CHECK-NEXT:      memref.alloca() : memref<f64>
// CHECK:         affine.parallel
// CHECK-NEXT:      memref.alloca() : memref<f64>
// CHECK:         return
func.func @set_anew(%A: memref<64x64xf64>, %B: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to 64 {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to 64 {
      %x = affine.load %t[] : memref<f64>
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      %s = arith.addf %x, %a : f64
      affine.store %s, %A[%i, %j] : memref<64x64xf64>
      affine.store %a, %t[] : memref<f64>
    }
  }
  affine.for %i = 0 to 64 {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to 64 {
      %x = affine.load %t[] : memref<f64>
      %a = affine.load %A[%j, %i] : memref<64x64xf64>
      %s = arith.subf %a, %x : f64
      affine.store %s, %B[%j, %i] : memref<64x64xf64>
      affine.store %a, %t[] : memref<f64>
    }
  }
  return
}

// Here it reads what the first has left: only the last iteration's value is right.

// CHECK-LABEL: func @left_over(
// CHECK:         affine.for
// CHECK:           affine.store %{{.*}}, %{{.*}}[] : memref<f64>
// CHECK:         affine.load %{{.*}}[] : memref<f64>
// CHECK:         return
func.func @left_over(%A: memref<64x64xf64>, %B: memref<64xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to 64 {
    affine.store %zero, %t[] : memref<f64>
    affine.for %j = 0 to 64 {
      %x = affine.load %t[] : memref<f64>
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      %s = arith.addf %x, %a : f64
      affine.store %s, %t[] : memref<f64>
    }
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %t[] : memref<f64>
    affine.store %x, %B[%i] : memref<64xf64>
  }
  return
}
