// How far bytes are apart needs no more bits than they have, and sums of what was extended add up
// neighbours.
//
// RUN: terrace run %s --target cpu --verify | FileCheck %s
// RUN: terrace run %s --target cpu --print-ir-after=affine-vectorize-innermost 2>&1 | FileCheck %s --check-prefix=LANES
//
// LANES: arith.maxui {{.*}} : vector<16xi8>
// LANES: arith.minui {{.*}} : vector<16xi8>
// LANES: arith.subi {{.*}} : vector<16xi8>
// LANES: arith.extui {{.*}} : vector<16xi8> to vector<16xi32>
// LANES: arith.maxsi {{.*}} : vector<16xi8>
// LANES: arith.minsi {{.*}} : vector<16xi8>
// LANES: arith.subi {{.*}} : vector<16xi8>
// LANES: arith.extui {{.*}} : vector<16xi8> to vector<16xi32>
// A number with a sign and one without are not compared.
// LANES-NOT: arith.maxui
//
// CHECK: verify   passed
func.func @differences(
    %a: memref<64xi8> {terrace.name = "a", terrace.init = "iota:64"},
    %b: memref<64xi8> {terrace.name = "b", terrace.init = "zeros:64"},
    %s: memref<64xi32> {terrace.name = "s", terrace.init = "zeros:64"},
    %t: memref<64xi32> {terrace.name = "t", terrace.init = "zeros:64"},
    %u: memref<64xi32> {terrace.name = "u", terrace.init = "zeros:64"}) {
  %zero = arith.constant 0 : i32
  %many = arith.constant 37 : i8
  // Numbers of all sizes.
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = arith.muli %x, %many : i8
    affine.store %y, %b[63 - %i] : memref<64xi8>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %d = arith.subi %xw, %yw : i32
    %n = arith.subi %zero, %d : i32
    %c = arith.cmpi slt, %d, %zero : i32
    %m = arith.select %c, %n, %d : i32
    affine.store %m, %s[%i] : memref<64xi32>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %d = arith.subi %xw, %yw : i32
    %m = math.absi %d : i32
    affine.store %m, %t[%i] : memref<64xi32>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extsi %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %d = arith.subi %xw, %yw : i32
    %m = math.absi %d : i32
    affine.store %m, %u[%i] : memref<64xi32>
  }
  return
}
