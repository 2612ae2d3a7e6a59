// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK: module @named attributes {d.a}
module @named attributes {d.a} {
  // CHECK-LABEL: func @casts
  func.func @casts(%x: i64) {
    // CHECK: builtin.unrealized_conversion_cast %{{.*}} : i64 to i32, i32 {d.b}
    %a:2 = builtin.unrealized_conversion_cast %x : i64 to i32, i32 {d.b}
    // CHECK: builtin.unrealized_conversion_cast to index
    %b = builtin.unrealized_conversion_cast to index
    return
  }
}
