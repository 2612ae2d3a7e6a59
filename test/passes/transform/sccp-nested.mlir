// RUN: terrace-opt %s -pass-pipeline='builtin.module(builtin.module(sccp))' | FileCheck %s

// A function that the modules around may name can be called from there with anything, as
// long as its own module can be named from outside.
// CHECK-LABEL: module @public
// CHECK: func.func nested @f(%[[X:.*]]: i32)
// CHECK-NEXT: arith.addi %[[X]], %[[X]]
// CHECK-LABEL: module @private
// CHECK: func.func nested @f(
// CHECK-NEXT: arith.constant 6 : i32
module {
  module @public attributes {sym_visibility = "public"} {
    func.func nested @f(%x: i32) -> i32 {
      %y = arith.addi %x, %x : i32
      return %y : i32
    }
    func.func @g() -> i32 {
      %c = arith.constant 3 : i32
      %r = func.call @f(%c) : (i32) -> i32
      return %r : i32
    }
  }
  module @private attributes {sym_visibility = "private"} {
    func.func nested @f(%x: i32) -> i32 {
      %y = arith.addi %x, %x : i32
      return %y : i32
    }
    func.func @g() -> i32 {
      %c = arith.constant 3 : i32
      %r = func.call @f(%c) : (i32) -> i32
      return %r : i32
    }
  }
}
