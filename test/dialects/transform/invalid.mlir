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

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-error @+1 {{'transform.get_result' op expected the listed values to be unique}}
    %0 = transform.get_result %a[1, 1] : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-error @+1 {{'transform.get_result' op must request specific values in the list if 'all' is not specified}}
    %0 = "transform.get_result"(%a) <{raw_position_list = array<i64>}> : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-error @+1 {{'transform.get_result' op cannot both request 'all' and specific values in the list}}
    %0 = "transform.get_result"(%a) <{is_all, raw_position_list = array<i64: 1>}> : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-error @+1 {{'transform.get_result' op cannot request both 'all' and 'inverted' values in the list}}
    %0 = "transform.get_result"(%a) <{is_all, is_inverted, raw_position_list = array<i64>}> : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%a: !transform.any_op) {
    // expected-error @+1 {{expected integer value}}
    %0 = transform.get_result %a[] : (!transform.any_op) -> !transform.any_value
    transform.yield
  }
}
