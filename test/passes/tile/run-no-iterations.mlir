// Loops inside that end in front of where they begin, and blocks that would share them.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --arg n=0 | FileCheck %s
// RUN: %{run} --arg n=19 | FileCheck %s
// RUN: %{run} --arg n=40 | FileCheck %s
// RUN: %{run} --arg n=41 | FileCheck %s
// RUN: %{run} --arg n=4000 | FileCheck %s
//
// CHECK: verify   passed
func.func @none(
    %n: index {terrace.name = "n"},
    %A: memref<4000x8x5xi32> {terrace.name = "A", terrace.init = "random:4000x8x5:1"},
    %S: memref<5xi32> {terrace.name = "S", terrace.init = "zeros:5"}) {
  %zero = arith.constant 0 : i32
  affine.parallel (%k) = (0) to (5) {
    %s = affine.for %i = 40 to %n iter_args(%a = %zero) -> (i32) {
      %t = affine.for %j = 0 to 8 iter_args(%b = %a) -> (i32) {
        %x = affine.load %A[%i, %j, %k] : memref<4000x8x5xi32>
        %q = arith.addi %b, %x : i32
        affine.yield %q : i32
      }
      affine.yield %t : i32
    }
    affine.store %s, %S[%k] : memref<5xi32>
  }
  return
}
