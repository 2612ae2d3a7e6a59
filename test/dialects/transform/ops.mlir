// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: transform.named_sequence @__transform_main(%arg0: !transform.any_op {transform.readonly})
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // CHECK: transform.structured.match ops{["scf.for"]} attributes {a = 1 : i64} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
    %0 = transform.structured.match ops{["scf.for"]} attributes {a = 1} in %root : (!transform.any_op) -> !transform.op<"scf.for">
    // CHECK: transform.get_parent_op %0 {op_name = "func.func"} : (!transform.op<"scf.for">) -> !transform.any_op
    %1 = transform.get_parent_op %0 {op_name = "func.func", nth_parent = 1 : i64} : (!transform.op<"scf.for">) -> !transform.any_op
    // CHECK: transform.loop.unroll %0 {factor = 4 : i64} : !transform.op<"scf.for">
    transform.loop.unroll %0 {factor = 4 : i64} : !transform.op<"scf.for">
    // CHECK: %2:2 = transform.split_handle %1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2:2 = transform.split_handle %1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // CHECK: transform.get_result %2#0[0, 1] : (!transform.any_op) -> !transform.any_value
    %r0 = transform.get_result %2#0[0, 1] : (!transform.any_op) -> !transform.any_value
    // CHECK: transform.get_result %2#0[except(0)] {d.a} : (!transform.any_op) -> !transform.any_value
    %r1 = transform.get_result %2#0[except(0)] {d.a} : (!transform.any_op) -> !transform.any_value
    // CHECK: transform.get_result %2#0[all] : (!transform.any_op) -> !transform.any_value
    %r2 = transform.get_result %2#0[all] : (!transform.any_op) -> !transform.any_value
    // CHECK: transform.merge_handles deduplicate %2#0, %2#1 : !transform.any_op
    %3 = transform.merge_handles deduplicate %2#0, %2#1 : !transform.any_op
    // CHECK: transform.debug.emit_remark_at %{{.*}}, "here" : !transform.any_op
    transform.debug.emit_remark_at %3, "here" : !transform.any_op
    // CHECK: transform.apply_patterns to %{{.*}} {
    // CHECK-NEXT:   transform.apply_patterns.canonicalization
    // CHECK-NEXT: } {apply_cse} : !transform.any_op
    transform.apply_patterns to %3 {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    // CHECK: transform.yield
    transform.yield
  }
}
