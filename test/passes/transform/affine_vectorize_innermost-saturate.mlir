// Sums and differences that stop at the greatest and the least number of their bits need no more bits.
//
// RUN: terrace run %s --target cpu --verify | FileCheck %s
// RUN: terrace run %s --target cpu --print-ir-after=affine-vectorize-innermost 2>&1 | FileCheck %s --check-prefix=LANES
//
// LANES: %[[LACKS:.*]] = arith.xori {{.*}} : vector<64xi8>
// LANES: %[[ADDED:.*]] = arith.minui %{{.*}}, %[[LACKS]] : vector<64xi8>
// LANES: arith.addi %{{.*}}, %[[ADDED]] : vector<64xi8>
// LANES: %[[MOST:.*]] = arith.maxui {{.*}} : vector<64xi8>
// LANES: arith.subi %[[MOST]], {{.*}} : vector<64xi8>
// LANES: %[[MOST:.*]] = arith.maxui {{.*}} : vector<64xi8>
// LANES: arith.subi %[[MOST]], {{.*}} : vector<64xi8>
// 254 is not the greatest byte, and the other choice is no difference that stops.
// LANES: arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// LANES-NOT: arith.maxui
//
// CHECK: verify   passed
func.func @stop(
    %a: memref<64xi8> {terrace.name = "a", terrace.init = "iota:64"},
    %b: memref<64xi8> {terrace.name = "b", terrace.init = "zeros:64"},
    %s: memref<64xi8> {terrace.name = "s", terrace.init = "zeros:64"},
    %d: memref<64xi8> {terrace.name = "d", terrace.init = "zeros:64"},
    %e: memref<64xi8> {terrace.name = "e", terrace.init = "zeros:64"},
    %t: memref<64xi8> {terrace.name = "t", terrace.init = "zeros:64"}) {
  %zero = arith.constant 0 : i32
  %most = arith.constant 255 : i32
  %less = arith.constant 254 : i32
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
    %sum = arith.addi %xw, %yw : i32
    %stops = arith.minsi %sum, %most : i32
    %byte = arith.trunci %stops : i32 to i8
    affine.store %byte, %s[%i] : memref<64xi8>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %apart = arith.subi %xw, %yw : i32
    %c = arith.cmpi ugt, %x, %y : i8
    %stops = arith.select %c, %apart, %zero : i32
    %byte = arith.trunci %stops : i32 to i8
    affine.store %byte, %d[%i] : memref<64xi8>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %apart = arith.subi %yw, %xw : i32
    %stops = arith.maxsi %zero, %apart : i32
    %byte = arith.trunci %stops : i32 to i8
    affine.store %byte, %e[%i] : memref<64xi8>
  }
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi8>
    %y = affine.load %b[%i] : memref<64xi8>
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extui %y : i8 to i32
    %sum = arith.addi %xw, %yw : i32
    %stops = arith.minsi %sum, %less : i32
    %apart = arith.subi %xw, %yw : i32
    %c = arith.cmpi sgt, %x, %y : i8
    %other = arith.select %c, %apart, %zero : i32
    %both = arith.addi %stops, %other : i32
    %byte = arith.trunci %both : i32 to i8
    affine.store %byte, %t[%i] : memref<64xi8>
  }
  return
}
