// What each printing flag shows, on standard error, apart from the result.
//
// RUN: terrace-opt %s -canonicalize -cse -mlir-print-ir-before=cse 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE
// RUN: terrace-opt %s -canonicalize -cse -mlir-print-ir-after=canonicalize 2>&1 >/dev/null | FileCheck %s --check-prefix=AFTER
// RUN: terrace-opt %s -canonicalize -cse -mlir-print-ir-before-all 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE-ALL
// RUN: terrace-opt %s -canonicalize -cse -mlir-print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=AFTER-ALL
// RUN: terrace-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,cse))' -mlir-print-ir-after-all -mlir-print-ir-after-change 2>&1 >/dev/null | FileCheck %s --check-prefix=CHANGE
// RUN: terrace-opt %s -pass-pipeline='builtin.module(func.func(cse))' -mlir-print-ir-before-all -mlir-print-ir-module-scope 2>&1 >/dev/null | FileCheck %s --check-prefix=SCOPE
// RUN: not terrace-opt %s '-canonicalize=max-iterations=1 test-convergence' -mlir-print-ir-after-failure 2>&1 >/dev/null | FileCheck %s --check-prefix=FAILURE
// RUN: terrace-opt %s -canonicalize -mlir-print-ir-after-failure 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: not terrace-opt %s -cse -mlir-print-ir-after=cse,canonicalise 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: not terrace-opt %s -cse -mlir-print-ir-before=Xyzzyxyzzy 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTHING-LIKE

// UNKNOWN: terrace-opt: for the --mlir-print-ir-after option: found 'canonicalise', which is no pass; did you mean 'canonicalize'? terrace-opt --list-passes lists all passes
// NOTHING-LIKE: terrace-opt: for the --mlir-print-ir-before option: found 'Xyzzyxyzzy', which is no pass; terrace-opt --list-passes lists all passes

// BEFORE-NOT: IR Dump
// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-NEXT: module {
// BEFORE-NEXT: func.func @f(
// BEFORE-NEXT: arith.constant 2
// BEFORE-NOT: IR Dump

// AFTER: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// AFTER: arith.constant 2
// AFTER-NOT: IR Dump

// BEFORE-ALL: // -----// IR Dump Before Canonicalizer (canonicalize) //----- //
// BEFORE-ALL: arith.addi %c1_i32, %c1_i32
// BEFORE-ALL: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-ALL-NOT: arith.addi %c1_i32, %c1_i32

// AFTER-ALL: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// AFTER-ALL: // -----// IR Dump After CSE (cse) //----- //

// Only what a pass changed, and only the op that it ran on.
// CHANGE: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// CHANGE-NEXT: {{^}}func.func @f(
// CHANGE-NOT: IR Dump
// CHANGE-NOT: func.func @g

// SCOPE: // -----// IR Dump Before CSE (cse) ('func.func' operation: @f) //----- //
// SCOPE-NEXT: module {
// SCOPE: func.func @g
// SCOPE: // -----// IR Dump Before CSE (cse) ('func.func' operation: @g) //----- //
// SCOPE-NEXT: module {

// FAILURE: // -----// IR Dump After Canonicalizer Failed (canonicalize) //----- //
// FAILURE-NEXT: "builtin.module"() ({

// NONE-NOT: IR Dump

func.func @f(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %c1, %c1 : i32
  %1 = arith.addi %a, %0 : i32
  return %1 : i32
}
func.func @g() {
  return
}
