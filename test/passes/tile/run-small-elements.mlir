// Extrema of rows whose elements do not go from lane to lane: of one byte and of two.
//
// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=300 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=5000 | FileCheck %s
//
// CHECK: verify passed
func.func @small(
    %i8_in: memref<?x?xi8> {terrace.name = "i8_in", terrace.dims = ["M", "N"], terrace.init = "iota:3x40"},
    %i8_out: memref<?x?xi8> {terrace.name = "i8_out", terrace.dims = ["M", "N"], terrace.init = "zeros:3x40"},
    %i16_in: memref<?x?xi16> {terrace.name = "i16_in", terrace.dims = ["M", "N"], terrace.init = "iota:3x40"},
    %i16_out: memref<?x?xi16> {terrace.name = "i16_out", terrace.dims = ["M", "N"], terrace.init = "zeros:3x40"},
    %f16_in: memref<?x?xf16> {terrace.name = "f16_in", terrace.dims = ["M", "N"], terrace.init = "iota:3x40"},
    %f16_out: memref<?x?xf16> {terrace.name = "f16_out", terrace.dims = ["M", "N"], terrace.init = "zeros:3x40"},
    %bf16_in: memref<?x?xbf16> {terrace.name = "bf16_in", terrace.dims = ["M", "N"], terrace.init = "iota:3x40"},
    %bf16_out: memref<?x?xbf16> {terrace.name = "bf16_out", terrace.dims = ["M", "N"], terrace.init = "zeros:3x40"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %i8_in, %c0 : memref<?x?xi8>
  %n = memref.dim %i8_in, %c1 : memref<?x?xi8>
  %i8_init = arith.constant -100 : i8
  affine.for %i = 0 to %m {
    %s = affine.for %j = 0 to %n iter_args(%a = %i8_init) -> i8 {
      %x = affine.load %i8_in[%i, %j] : memref<?x?xi8>
      %t = arith.maxsi %a, %x : i8
      affine.yield %t : i8
    }
    affine.for %j = 0 to %n {
      %x = affine.load %i8_in[%i, %j] : memref<?x?xi8>
      %q = arith.maxsi %x, %s : i8
      affine.store %q, %i8_out[%i, %j] : memref<?x?xi8>
    }
  }
  %i16_init = arith.constant 100 : i16
  affine.for %i = 0 to %m {
    %s = affine.for %j = 0 to %n iter_args(%a = %i16_init) -> i16 {
      %x = affine.load %i16_in[%i, %j] : memref<?x?xi16>
      %t = arith.minsi %a, %x : i16
      affine.yield %t : i16
    }
    affine.for %j = 0 to %n {
      %x = affine.load %i16_in[%i, %j] : memref<?x?xi16>
      %q = arith.minsi %x, %s : i16
      affine.store %q, %i16_out[%i, %j] : memref<?x?xi16>
    }
  }
  %f16_init = arith.constant -100.0 : f16
  affine.for %i = 0 to %m {
    %s = affine.for %j = 0 to %n iter_args(%a = %f16_init) -> f16 {
      %x = affine.load %f16_in[%i, %j] : memref<?x?xf16>
      %t = arith.maximumf %a, %x : f16
      affine.yield %t : f16
    }
    affine.for %j = 0 to %n {
      %x = affine.load %f16_in[%i, %j] : memref<?x?xf16>
      %q = arith.maximumf %x, %s : f16
      affine.store %q, %f16_out[%i, %j] : memref<?x?xf16>
    }
  }
  %bf16_init = arith.constant 100.0 : bf16
  affine.for %i = 0 to %m {
    %s = affine.for %j = 0 to %n iter_args(%a = %bf16_init) -> bf16 {
      %x = affine.load %bf16_in[%i, %j] : memref<?x?xbf16>
      %t = arith.minnumf %a, %x : bf16
      affine.yield %t : bf16
    }
    affine.for %j = 0 to %n {
      %x = affine.load %bf16_in[%i, %j] : memref<?x?xbf16>
      %q = arith.minnumf %x, %s : bf16
      affine.store %q, %bf16_out[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}
