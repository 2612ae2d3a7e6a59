// RUN: own-opt %s -split-input-file -verify-diagnostics

func.func @type(%x: f32) {
  // expected-error @+1 {{'own.twice' op operand #0 must be signless-integer-like, but got 'f32'}}
  %0 = own.twice %x : f32
  return
}

// -----

func.func @name(%x: i32) {
  // expected-error @+1 {{own.thrice}}
  %0 = own.thrice %x : i32
  return
}
