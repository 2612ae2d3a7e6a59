// Locations of every kind; aliases may stand before and behind their use.
// RUN: terrace-opt %s --allow-unregistered-dialect --mlir-print-debuginfo | FileCheck %s

#early = loc("early")
// CHECK: "a.late"() : () -> () loc("late"("x.c":3:4 to 5:6))
"a.late"() : () -> () loc(#late)
// CHECK: "a.early"() : () -> () loc("early")
"a.early"() : () -> () loc(#early)
// CHECK: "a.nested"() : () -> () loc(callsite("a" at fused<"m">["b.c":1:2, "early"]))
"a.nested"() : () -> () loc(callsite("a" at fused<"m">["b.c":1:2, #early]))
// CHECK: "a.unknown"() : () -> () loc(unknown)
"a.unknown"() : () -> () loc(unknown)
// CHECK: "a.own"() : () -> () loc("{{.*}}locations.mlir":[[# @LINE + 1]]:1)
"a.own"() : () -> ()
// CHECK: func.func @args(%arg0: i32 loc("late"("x.c":3:4 to 5:6)))
func.func private @use(i32)
func.func @args(%a: i32 loc(#late)) {
  return
}
#late = loc("late"("x.c":3:4 to 5:6))
