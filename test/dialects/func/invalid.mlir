// RUN: terrace-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op symbol declaration cannot have public visibility}}
func.func @declared()

// -----

// expected-error @+1 {{entry block must have 1 arguments to match function signature}}
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{type of entry block argument #0('i64') must match the type of the corresponding argument in function signature('i32')}}
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%x: i64):
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{arguments may only have dialect attributes}}
func.func private @f(i32 {note})

// -----

// expected-error @+1 {{results may only have dialect attributes}}
func.func private @f() -> (i32 {note})

// -----

func.func @returns() -> i32 {
  // expected-error @+1 {{'func.return' op has 0 operands, but enclosing function (@returns) returns 1}}
  return
}

// -----

func.func @returns(%x: f32) -> i32 {
  // expected-error @+1 {{type of return operand 0 ('f32') doesn't match function result type ('i32') in function @returns}}
  return %x : f32
}

// -----

func.func @calls() {
  // expected-error @+1 {{'func.call' op 'nothing' does not reference a valid function}}
  func.call @nothing() : () -> ()
  return
}

// -----

func.func private @f(i32)
func.func @calls() {
  // expected-error @+1 {{'func.call' op incorrect number of operands for callee}}
  func.call @f() : () -> ()
  return
}

// -----

func.func private @f(i32)
func.func @calls(%x: f32) {
  // expected-error @+1 {{operand type mismatch: expected operand type 'i32', but provided 'f32' for operand number 0}}
  func.call @f(%x) : (f32) -> ()
  return
}

// -----

func.func private @f() -> i32
func.func @calls() {
  // expected-error @+1 {{'func.call' op incorrect number of results for callee}}
  func.call @f() : () -> ()
  return
}

// -----

func.func private @f() -> i32
func.func @calls() {
  // expected-error @+3 {{'func.call' op result type mismatch at index 0}}
  // expected-note @+2 {{op result types: 'f32'}}
  // expected-note @+1 {{function result types: 'i32'}}
  %x = func.call @f() : () -> f32
  return
}

// -----

func.func @constants() {
  // expected-error @+1 {{'func.constant' op reference to undefined function 'nothing'}}
  %f = func.constant @nothing : () -> ()
  return
}

// -----

func.func private @f() -> i32
func.func @constants() {
  // expected-error @+1 {{'func.constant' op reference to function with mismatched type}}
  %f = func.constant @f : () -> ()
  return
}

// -----

// expected-error @+2 {{argument and block argument type mismatch}}
func.func @typed_twice(i32) {
^bb0(%x: i64):
  return
}
