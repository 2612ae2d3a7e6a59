// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: f64, %m: memref<4xf32>) {
  // expected-error @+1 {{expected fill value type to match element type of the output}}
  linalg.fill ins(%v : f64) outs(%m : memref<4xf32>)
  return
}

// -----

func.func @f(%v: f32, %m: tensor<4xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  linalg.fill ins(%v : f32) outs(%m : tensor<4xf32>)
  return
}
