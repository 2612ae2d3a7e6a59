// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%i: index) {
  // expected-error @+1 {{incorrect number of dynamic sizes, has 1, expected 2}}
  %0 = tensor.empty(%i) : tensor<?x?xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>) {
  // expected-error @+1 {{incorrect number of indices for extract_element}}
  %0 = tensor.extract %t[] : tensor<4xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>, %v: f32) {
  // expected-error @+1 {{incorrect number of indices}}
  %0 = tensor.insert %v into %t[] : tensor<4xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>) {
  // expected-error @+1 {{operand type 'tensor<4xf32>' and result type 'tensor<5xf32>' are cast incompatible}}
  %0 = tensor.cast %t : tensor<4xf32> to tensor<5xf32>
  return
}

// -----

func.func @f(%t: tensor<8xf32>) {
  // expected-error @+1 {{expected type to be 'tensor<4xf32>' or a rank-reduced version. (size mismatch)}}
  %0 = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<5xf32>
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{failed to verify that operand types match result element type}}
  %0 = tensor.from_elements %a : tensor<2xf32>
  return
}
