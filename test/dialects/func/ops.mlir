// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK: func.func private @declared(i32) -> (i32, f32)
func.func private @declared(i32) -> (i32, f32)

// CHECK: func.func @callee(%arg0: i32 {d.note}) -> i32 attributes {d.a = 1 : i64} {
func.func @callee(%x: i32 {d.note}) -> i32 attributes {d.a = 1} {
  return %x : i32
}

// CHECK-LABEL: func.func @caller
func.func @caller(%x: i32) -> i32 {
  // CHECK: %[[F:.*]] = constant @callee : (i32) -> i32
  %f = func.constant @callee : (i32) -> i32
  // CHECK: call @callee(%{{.*}}) : (i32) -> i32
  %a = func.call @callee(%x) : (i32) -> i32
  // CHECK: call_indirect %[[F]](%{{.*}}) : (i32) -> i32
  %b = func.call_indirect %f(%a) : (i32) -> i32
  // CHECK: call @declared(%{{.*}}) : (i32) -> (i32, f32)
  %c:2 = call @declared(%b) : (i32) -> (i32, f32)
  // CHECK: return %{{.*}}#0 : i32
  return %c#0 : i32
}
