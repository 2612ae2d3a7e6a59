// RUN: terrace-opt %s --split-input-file --verify-diagnostics

transform.named_sequence @f(%a: !transform.any_op) {
  // expected-error @+1 {{attribute 'factor' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  transform.loop.unroll %a {factor = 0 : i64} : !transform.any_op
  transform.yield
}

// -----

transform.named_sequence @f(%a: !transform.any_value) {
  // expected-error @+1 {{operand #0 must be TransformHandleTypeInterface instance, but got '!transform.any_value'}}
  transform.apply_cse to %a : !transform.any_value
  transform.yield
}
