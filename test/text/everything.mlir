// RUN: terrace-opt %s --allow-unregistered-dialect | terrace-opt --allow-unregistered-dialect | FileCheck %s
// CHECK: affine_map<(d0)[s0] -> (d0 * 4 + s0 mod 3)>
#m = affine_map<(d0)[s0] -> (d0 * 4 + s0 mod 3)>
#s = affine_set<(d0) : (d0 - 3 >= 0, d0 == 7)>
#loc = loc("f.c":1:2)
!t = tuple<i32, memref<4x?xf32, strided<[?, 1], offset: 3>, 2>>
module @m attributes {a.i = -3 : i8, a.f = 0x7FC00000 : f32, a.s = "x\0A\22"} {
  memref.global "private" @g : memref<2xi32> = dense<[1, -2]>
  func.func private @d(!t, tensor<*xf64>) -> (vector<[4]x2xi1> {a.b}) attributes {a.l = [@g, @m::@g, unit]}
  func.func @f(%a: memref<?xf32>, %n: index) -> f32 {
    %c = arith.constant 1.5 : f32
    %r = affine.for %i = 0 to %n step 2 iter_args(%x = %c) -> f32 {
      %v = affine.load %a[%i + 3] : memref<?xf32>
      %y = arith.addf %x, %v fastmath<nnan, contract> : f32
      affine.yield %y : f32
    }
    affine.if #s(%n) {
      "t.op"(%r, %n) <{p = #m}> ({
      ^bb0(%q: i32 loc("q")):
        "t.br"()[^bb1] : () -> ()
      ^bb1:
        "t.end"() : () -> ()
      }) {k = dense<"0x0102"> : tensor<2xi8>, e = array<i16: 1, 2>} : (f32, index) -> () loc(#loc)
    } else {
      %p:2 = "t.two"() : () -> (i1, !t.y<"a">)
      "t.use"(%p#1, %p#0) : (!t.y<"a">, i1) -> () loc(fused<"m">["n", callsite("a" at "b":1:2)])
    }
    cf.br ^end(%r : f32)
  ^end(%z: f32):
    return %z : f32
  }
}
