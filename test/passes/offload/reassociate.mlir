// RUN: terrace-opt %s -offload-parallelize="reassociate=0 notes" 2>&1 | FileCheck %s

// Sums of floats keep their order without a clause; extrema and integers need not.
// CHECK: remark: the loop over i runs in order: the sum of s may not be reordered (floating point); -fassociative-math or a reduction clause allows it
// CHECK: remark: the loop over i is parallel; m is the maximum of all iterations
// CHECK: remark: the loop over i is parallel; s is the sum of all iterations; its last digits may differ from those of the C program; the directive was followed: reduction
func.func @order(%n: index, %a: memref<?xf64>, %v: f64 {acc.name = "s"}, %w: f64 {acc.name = "m"}) -> (f64, f64, f64) attributes {acc.region = {construct = "auto", source = "scop"}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.addf %s, %x : f64
    affine.yield %1 : f64
  }
  %2 = affine.for %i = 0 to %n iter_args(%m = %w) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.maxnumf %m, %x : f64
    affine.yield %1 : f64
  }
  %3 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.addf %s, %x : f64
    affine.yield %1 : f64
  } {acc.loop = {reduction}}
  return %0, %2, %3 : f64, f64, f64
}

// Compilers of OpenACC compute sums in any order.
// CHECK: remark: the loop over i is parallel; s is the sum of all iterations; its last digits may differ from those of the C program
func.func @openacc(%n: index, %a: memref<?xf64>, %v: f64 {acc.name = "s"}) -> f64 attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.addf %s, %x : f64
    affine.yield %1 : f64
  }
  return %0 : f64
}

// The author of a scop does not say so.
// CHECK: remark: the loop over i runs in order: the product of s may not be reordered
func.func @product(%n: index, %a: memref<?xf64>, %v: f64 {acc.name = "s"}) -> f64 attributes {acc.region = {construct = "auto", source = "scop"}} {
  %0 = affine.for %i = 0 to %n iter_args(%s = %v) -> f64 {
    %x = affine.load %a[%i] : memref<?xf64>
    %1 = arith.mulf %s, %x : f64
    affine.yield %1 : f64
  }
  return %0 : f64
}
