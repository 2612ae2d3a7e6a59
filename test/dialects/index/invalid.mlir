// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @no_value() {
  // expected-error @+1 {{expected}}
  %0 = index.constant x
  return
}

// -----

func.func @wrong_type() {
  // expected-error @+1 {{op result #0 must be index, but got 'i32'}}
  %0 = "index.constant"() {value = 1 : index} : () -> i32
  return
}
