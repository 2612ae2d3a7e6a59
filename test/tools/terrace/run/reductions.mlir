// Sums of a whole array, in a value or in memory, are kernels of programs as they are of regions:
// the blocks leave parts, which another kernel adds up; the host fetches what it needs.
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
// RUN: terrace run %s --target emulator --verify --entry strict | FileCheck %s --check-prefix=STRICT

// CHECK: kernel_kernel_{{[0-9]+}} gpu 5x1x1 256x1x1
// CHECK-NEXT: kernel_kernel_{{[0-9]+}} gpu 1x1x1 256x1x1
// CHECK: verify   passed

// Floats are added up in the order of the program; maxima and integers have no order.
// STRICT: strict_kernel_{{[0-9]+}} gpu 7x1x1
// STRICT-NEXT: strict_kernel_{{[0-9]+}} gpu 1x1x1
// STRICT-NOT: strict_kernel
// STRICT: verify   passed
func.func @kernel(%A: memref<?x?xf64> {terrace.name="A", terrace.dims=["n","n"], terrace.init="random:40x40:1"}, %x: memref<?xf64> {terrace.name="x", terrace.dims=["n"], terrace.init="random:40:2"}, %y: memref<?xf64> {terrace.name="y", terrace.dims=["n"], terrace.init="zeros:40"}, %lam: memref<1xf64> {terrace.name="lam", terrace.init="zeros:1"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %z = arith.constant 0.0 : f64
  affine.for %t = 0 to 10 {
    affine.for %i = 0 to %n {
      %s = affine.for %j = 0 to %n iter_args(%a = %z) -> f64 {
        %u = affine.load %A[%i,%j] : memref<?x?xf64>
        %v = affine.load %x[%j] : memref<?xf64>
        %p = arith.mulf %u, %v : f64
        %q = arith.addf %a, %p : f64
        affine.yield %q : f64
      }
      affine.store %s, %y[%i] : memref<?xf64>
    }
    %s = affine.for %i = 0 to %n iter_args(%a = %z) -> f64 {
      %u = affine.load %y[%i] : memref<?xf64>
      %p = arith.mulf %u, %u : f64
      %q = arith.addf %a, %p : f64
      affine.yield %q : f64
    }
    %l = math.sqrt %s : f64
    affine.store %l, %lam[0] : memref<1xf64>
    affine.for %i = 0 to %n {
      %u = affine.load %y[%i] : memref<?xf64>
      %q = arith.divf %u, %l : f64
      affine.store %q, %x[%i] : memref<?xf64>
    }
  }
  return
}

func.func @strict(%x: memref<?x?xf64> {terrace.name="x", terrace.dims=["n","m"], terrace.init="random:50x90:1"}, %r: memref<2xf64> {terrace.name="r", terrace.init="zeros:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf64>
  %m = memref.dim %x, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %u = affine.load %x[%i, %j] : memref<?x?xf64>
      %o = affine.load %r[0] : memref<2xf64>
      %p = arith.maximumf %o, %u : f64
      affine.store %p, %r[0] : memref<2xf64>
    }
  }
  affine.for %i = 0 to %n {
    %u = affine.load %x[%i, 0] : memref<?x?xf64>
    %o = affine.load %r[1] : memref<2xf64>
    %p = arith.addf %o, %u : f64
    affine.store %p, %r[1] : memref<2xf64>
  }
  return
}
