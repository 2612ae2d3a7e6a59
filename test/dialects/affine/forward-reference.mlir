// RUN: terrace-opt %s --split-input-file --verify-diagnostics

// A bound that the body of its own loop defines.

func.func @defined_in_body() {
  // expected-error@+1 {{operand #0 does not dominate this use}}
  affine.for %i = 0 to %n {
    // expected-note@+1 {{operand defined here}}
    %n = arith.constant 1 : index
  }
  return
}

// -----

func.func @defined_in_body_as_another_type() {
  // expected-note@+1 {{previously used here with type}}
  affine.for %i = 0 to %n {
    // expected-error@+1 {{definition of SSA value '%n#0' has type}}
    %n = arith.constant 1.0 : f32
  }
  return
}

// -----

func.func @own_induction_variable() {
  // expected-error@+2 {{region entry argument '%i' is already in use}}
  // expected-note@+1 {{previously referenced here}}
  affine.for %i = 0 to %i {
  }
  return
}

// -----

func.func @numbered_argument() {
  // expected-error@+1 {{result number not allowed}}
  affine.for %i#0 = 0 to 8 {
  }
  return
}
