// Lanes under conditions, backwards and in turn compute what the loops compute. Arrays have sizes that
// are known, so that native code takes them in vectors, with some iterations left over.
//
// RUN: terrace run %s --target cpu --verify | FileCheck %s
// RUN: terrace run %s --target cpu --print-ir-after=affine-vectorize-innermost 2>&1 | FileCheck %s --check-prefix=LANES
//
// LANES-COUNT-4: vector.reduction <or>
// LANES-COUNT-2: vector.shuffle {{.*}} [7, 6, 5, 4, 3, 2, 1, 0]
// LANES: vector.reduction <or>
// LANES-COUNT-2: vector.shuffle {{.*}} [7, 6, 5, 4, 3, 2, 1, 0]
// LANES-COUNT-3: vector.shuffle {{.*}} vector<48xi8>
// LANES-COUNT-2: vector.shuffle {{.*}} vector<16xf64>
//
// CHECK: verify   passed
func.func @lanes(
    %text: memref<101xi8> {terrace.name = "text", terrace.init = "random:101:1"},
    %a: memref<101xf32> {terrace.name = "a", terrace.init = "random:101:2"},
    %b: memref<101xf32> {terrace.name = "b", terrace.init = "random:101:3"},
    %c: memref<101xf32> {terrace.name = "c", terrace.init = "random:101:4"},
    %n: memref<101xi32> {terrace.name = "n", terrace.init = "iota:101"},
    %rgb: memref<303xi8> {terrace.name = "rgb", terrace.init = "iota:303"},
    %grey: memref<101xi8> {terrace.name = "grey", terrace.init = "zeros:101"},
    %z: memref<202xf64> {terrace.name = "z", terrace.init = "random:202:5"},
    %abs: memref<101xf64> {terrace.name = "abs", terrace.init = "zeros:101"}) {
  %from = arith.constant -1 : i32
  %to = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %many = arith.constant 50 : i32
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f32

  // Bytes under a condition of two comparisons.
  affine.for %i = 0 to 101 {
    %x = affine.load %text[%i] : memref<101xi8>
    %w = arith.extsi %x : i8 to i32
    %g = arith.cmpi sge, %w, %from : i32
    %l = arith.cmpi sle, %w, %to : i32
    %is = arith.andi %g, %l : i1
    scf.if %is {
      %y = arith.addi %w, %three : i32
      %t = arith.trunci %y : i32 to i8
      affine.store %t, %text[%i] : memref<101xi8>
    }
  }
  // Both ways, one with another condition in it.
  affine.for %i = 0 to 101 {
    %x = affine.load %a[%i] : memref<101xf32>
    %is = arith.cmpf olt, %x, %half : f32
    scf.if %is {
      %y = arith.mulf %x, %half : f32
      affine.store %y, %b[%i] : memref<101xf32>
      %also = arith.cmpf ogt, %x, %quarter : f32
      scf.if %also {
        affine.store %x, %c[%i] : memref<101xf32>
      }
    } else {
      affine.store %x, %c[%i] : memref<101xf32>
    }
  }
  // Backwards, and backwards under a condition.
  affine.for %i = 0 to 101 {
    %x = affine.load %b[-%i + 100] : memref<101xf32>
    %y = arith.addf %x, %half : f32
    affine.store %y, %a[%i] : memref<101xf32>
  }
  affine.for %i = 0 to 101 {
    %x = affine.load %n[-%i + 100] : memref<101xi32>
    %is = arith.cmpi sgt, %x, %many : i32
    scf.if %is {
      %y = arith.subi %x, %many : i32
      affine.store %y, %n[-%i + 100] : memref<101xi32>
    }
  }
  // Three bytes in turn, and two numbers.
  affine.for %i = 0 to 101 {
    %r = affine.load %rgb[%i * 3] : memref<303xi8>
    %g = affine.load %rgb[%i * 3 + 1] : memref<303xi8>
    %u = affine.load %rgb[%i * 3 + 2] : memref<303xi8>
    %s = arith.addi %r, %g : i8
    %t = arith.subi %s, %u : i8
    affine.store %t, %grey[%i] : memref<101xi8>
  }
  affine.for %i = 0 to 101 {
    %re = affine.load %z[%i * 2] : memref<202xf64>
    %im = affine.load %z[%i * 2 + 1] : memref<202xf64>
    %x = arith.mulf %re, %re : f64
    %y = arith.mulf %im, %im : f64
    %s = arith.addf %x, %y : f64
    affine.store %s, %abs[%i] : memref<101xf64>
  }
  return
}
