// As torch-mlir prints an Embedding(10, 4): rows gathered by numbers that are checked.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {torch.debug_module_name = "Embedding"} {
  func.func @forward(%arg0: tensor<2x5xi64>, %w: tensor<10x4xf32>) -> tensor<2x5x4xf32> {
    %c10 = arith.constant 10 : index
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<2x5x4xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x5xi64>) outs(%0 : tensor<2x5x4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.index_cast %in : i64 to index
      %3 = linalg.index 2 : index
      %true = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %true, "index must be larger or equal to 0"
      %extracted = tensor.extract %w[%2, %3] : tensor<10x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x4xf32>
    return %1 : tensor<2x5x4xf32>
  }
}
