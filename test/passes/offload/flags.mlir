// RUN: terrace-opt %s --split-input-file -offload-parallelize | FileCheck %s

// `if (a[i] > 1) found = 7;`: whether any iteration sets it is a reduction.
// CHECK-LABEL: func.func @flag(
// CHECK: [[ANY:%.+]] = affine.parallel (%{{.+}}) = (0) to (symbol(%{{.+}})) reduce ("ori") -> (i32)
// CHECK: [[SET:%.+]] = arith.cmpi ne, %{{.+}}, %c0_i32
// CHECK: [[R:%.+]] = arith.select [[SET]], %c7_i32{{.*}}, %arg2 : i32
// CHECK: return [[R]]
func.func @flag(%n: index, %a: memref<?xf64>, %before: i32) -> i32 attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %c7 = arith.constant 7 : i32
  %one = arith.constant 1.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (i32) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %one : f64
    %v = scf.if %c -> (i32) {
      scf.yield %c7 : i32
    } else {
      scf.yield %f : i32
    }
    affine.yield %v : i32
  }
  return %r : i32
}

// -----

// Two loops, and a value of floating type from outside.
// CHECK-LABEL: func.func @nested(
// CHECK: affine.parallel
// CHECK-SAME: reduce ("maxnumf") -> (f64)
// CHECK: arith.select %{{.+}}, %arg3, %arg2 : f64
func.func @nested(%n: index, %a: memref<?x?xi32>, %before: f64, %to: f64) -> f64 attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %zero = arith.constant 0 : i32
  %r = affine.for %i = 0 to %n iter_args(%f = %before) -> (f64) {
    %s = affine.for %j = 0 to %n iter_args(%g = %f) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xi32>
      %c = arith.cmpi sgt, %x, %zero : i32
      %v = arith.select %c, %to, %g : f64
      affine.yield %v : f64
    }
    affine.yield %s : f64
  }
  return %r : f64
}

// -----

// Two values, or a look at the one that comes in: the order matters.
// CHECK-LABEL: func.func @no_flag(
// CHECK: affine.for
// CHECK-NOT: ori
// CHECK: return
func.func @no_flag(%n: index, %a: memref<?xi32>, %before: i32) -> (i32, i32) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = affine.for %i = 0 to %n iter_args(%f = %before, %g = %before) -> (i32, i32) {
    %x = affine.load %a[%i] : memref<?xi32>
    %c = arith.cmpi sgt, %x, %zero : i32
    %d = arith.cmpi slt, %x, %zero : i32
    %v = arith.select %c, %one, %f : i32
    %w = arith.select %d, %zero, %v : i32
    %e = arith.cmpi eq, %g, %zero : i32
    %u = arith.select %e, %one, %g : i32
    affine.yield %w, %u : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
