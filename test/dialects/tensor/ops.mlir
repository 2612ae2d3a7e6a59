// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// CHECK-LABEL: func @elements
func.func @elements(%t: tensor<?x4xf32>, %i: index, %v: f32) -> index {
  // CHECK: %[[E:.*]] = tensor.extract %arg0[%arg1, %arg1] : tensor<?x4xf32>
  %0 = tensor.extract %t[%i, %i] : tensor<?x4xf32>
  // CHECK: %inserted = tensor.insert %[[E]] into %arg0[%arg1, %arg1] : tensor<?x4xf32>
  %1 = tensor.insert %0 into %t[%i, %i] : tensor<?x4xf32>
  // CHECK: %from_elements = tensor.from_elements %arg2, %[[E]] : tensor<2xf32>
  %2 = tensor.from_elements %v, %0 : tensor<2xf32>
  // CHECK: %splat = tensor.splat %arg2[%arg1] : tensor<?x2xf32>
  %3 = tensor.splat %v[%i] : tensor<?x2xf32>
  // CHECK: tensor.empty(%arg1) : tensor<4x?xf32>
  %4 = tensor.empty(%i) : tensor<4x?xf32>
  // CHECK: %generated = tensor.generate %arg1 {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT:   tensor.yield %arg2 : f32
  // CHECK-NEXT: } : tensor<?xf32>
  %5 = tensor.generate %i {
  ^bb0(%j: index):
    tensor.yield %v : f32
  } : tensor<?xf32>
  // CHECK: %cast = tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
  %6 = tensor.cast %5 : tensor<?xf32> to tensor<4xf32>
  // CHECK: %rank = tensor.rank %{{.*}} : tensor<4xf32>
  %7 = tensor.rank %6 : tensor<4xf32>
  // CHECK: %dim = tensor.dim %{{.*}}, %arg1 : tensor<?x4xf32>
  %8 = tensor.dim %t, %i : tensor<?x4xf32>
  return %8 : index
}

// CHECK-LABEL: func @parts
func.func @parts(%t: tensor<8x16xf32>, %i: index) {
  // CHECK: %extracted_slice = tensor.extract_slice %arg0[0, %arg1] [1, 4] [1, 2] : tensor<8x16xf32> to tensor<4xf32>
  %0 = tensor.extract_slice %t[0, %i] [1, 4] [1, 2] : tensor<8x16xf32> to tensor<4xf32>
  // CHECK: %inserted_slice = tensor.insert_slice %extracted_slice into %arg0[0, %arg1] [1, 4] [1, 2] : tensor<4xf32> into tensor<8x16xf32>
  %1 = tensor.insert_slice %0 into %t[0, %i] [1, 4] [1, 2] : tensor<4xf32> into tensor<8x16xf32>
  // CHECK: %collapsed = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<8x16xf32> into tensor<128xf32>
  %2 = tensor.collapse_shape %t [[0, 1]] : tensor<8x16xf32> into tensor<128xf32>
  // CHECK: %expanded = tensor.expand_shape %collapsed {{\[\[}}0, 1]] output_shape [8, 16] : tensor<128xf32> into tensor<8x16xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [8, 16] : tensor<128xf32> into tensor<8x16xf32>
  // CHECK: %padded = tensor.pad %arg0 nofold low[0, %arg1] high[1, 2] {
  %4 = tensor.pad %t nofold low[0, %i] high[1, 2] {
  ^bb0(%a: index, %b: index):
    %z = arith.constant 0.0 : f32
    tensor.yield %z : f32
  } : tensor<8x16xf32> to tensor<9x?xf32>
  // CHECK: scf.forall
  %5 = scf.forall (%j) in (8) shared_outs(%o = %t) -> tensor<8x16xf32> {
    scf.forall.in_parallel {
      // CHECK: tensor.parallel_insert_slice %extracted_slice into %{{.*}}[%{{.*}}, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x16xf32>
      tensor.parallel_insert_slice %0 into %o[%j, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x16xf32>
    }
  }
  return
}
