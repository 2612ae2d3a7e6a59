// Rows that end at the diagonal, at a column or below another diagonal, in vectors with what is left over:
// each element is counted once, whichever end comes first.
//
// RUN: terrace run %s --target cpu --verify --arg n=61 --arg m=37 | FileCheck %s
// RUN: terrace run %s --target cpu --verify --arg n=37 --arg m=61 | FileCheck %s
// RUN: terrace run %s --target cpu --verify --arg n=64 --arg m=32 | FileCheck %s
// RUN: terrace run %s --target cpu --verify --arg n=9 --arg m=8 | FileCheck %s
// RUN: terrace run %s --target cpu --verify --arg n=1 --arg m=1 | FileCheck %s
// RUN: terrace run %s --target cpu --arg n=61 --arg m=37 --print-ir-after=affine-vectorize-innermost 2>&1 | FileCheck %s --check-prefix=LANES
//
// CHECK: verify   passed
// LANES: vector<8xi64>
func.func @ends(%n: index {terrace.name = "n"}, %m: index {terrace.name = "m"},
    %a: memref<64x64xi64> {terrace.name = "a", terrace.init = "random:64x64:1"},
    %s: memref<1xi64> {terrace.name = "s", terrace.init = "zeros:1"}) {
  %v = arith.constant 3 : i64
  affine.for %k = 0 to min affine_map<()[s0] -> (s0, 64)>()[%n] {
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (s0, d0, 64)>(%k)[%m] {
      %0 = affine.load %a[%k, %j] : memref<64x64xi64>
      %1 = arith.addi %0, %v : i64
      affine.store %1, %a[%k, %j] : memref<64x64xi64>
    }
  }
  affine.for %k = 0 to min affine_map<()[s0] -> (s0, 64)>()[%n] {
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (s0, d0 + 3, 64)>(%k)[%m] {
      %0 = affine.load %a[%k, %j] : memref<64x64xi64>
      %2 = affine.load %s[0] : memref<1xi64>
      %3 = arith.addi %2, %0 : i64
      affine.store %3, %s[0] : memref<1xi64>
    }
  }
  return
}
