// Parts of an input are files of their own; what is wrong with one does not touch the
// others.
//
// RUN: not terrace-opt %s -split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERRORS --input-file=%t
// RUN: not terrace-opt %s -split-input-file=MARK 2>&1 | FileCheck %s --check-prefix=MARK
// RUN: terrace-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not terrace-opt %s -split-input-file -output-split-marker='// and' 2>/dev/null | FileCheck %s --check-prefix=OUTPUT

// CHECK: func.func @same()
// CHECK: // -----
// CHECK: // -----
// CHECK: func.func @same()
// OUTPUT: // and
// OUTPUT: // and

// Lines count from the start of the whole file.
// ERRORS: split.mlir:[[@LINE+11]]:10: error: use of undeclared SSA value name
// ERRORS-NOT: error

// The line with the marker is not there, so there is one part, with a name twice.
// MARK: error: redefinition of symbol named 'same'
func.func @same() {
  return
}
// -----
func.func @undeclared(%a: i32) -> i32 {
  // expected-error @+1 {{use of undeclared SSA value name}}
  return %b : i32
}
// -----
func.func @same() {
  return
}
