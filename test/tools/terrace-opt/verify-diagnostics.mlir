// -verify-diagnostics wants each diagnostic expected, and each expected one there.
//
// RUN: split-file %s %t
// RUN: terrace-opt %t/good.mlir -verify-diagnostics
// RUN: not terrace-opt %t/missing.mlir -verify-diagnostics 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not terrace-opt %t/unexpected.mlir -verify-diagnostics 2>&1 | FileCheck %s --check-prefix=UNEXPECTED
// RUN: not terrace-opt %t/kind.mlir -verify-diagnostics 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: terrace-opt %t/places.mlir -verify-diagnostics
// RUN: terrace-opt %t/unexpected.mlir -verify-diagnostics=only-expected

// MISSING: error: expected error "what is not said" was not produced
// UNEXPECTED: error: unexpected error: 'arith.addi' op
// KIND: error: 'error' diagnostic emitted when expecting a 'warning'
// KIND: error: expected warning "op" was not produced

//--- good.mlir
func.func @f(%a: i32) -> i32 {
  // expected-error @+1 {{use of undeclared SSA value name}}
  return %b : i32
}
//--- missing.mlir
// expected-error @+1 {{what is not said}}
func.func @f() {
  return
}
//--- unexpected.mlir
func.func @f(%a: i32, %b: i64) {
  %0 = "arith.addi"(%a, %b) : (i32, i64) -> i32
  return
}
//--- kind.mlir
func.func @f(%a: i32, %b: i64) {
  // expected-warning @+1 {{op}}
  %0 = "arith.addi"(%a, %b) : (i32, i64) -> i32
  return
}
//--- places.mlir
func.func @f(%a: i32, %b: i64) {
  %0 = "arith.addi"(%a, %b) : (i32, i64) -> i32 // expected-error {{op}}
  return
}
