// Scaled attention: softmax(q k' / 4) v, for two heads.
#all = affine_map<(b, i, j) -> (b, i, j)>
func.func @attention(%q: tensor<2x6x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %turned_space = tensor.empty() : tensor<2x16x8xf32>
  %turned = linalg.transpose ins(%k : tensor<2x8x16xf32>) outs(%turned_space : tensor<2x16x8xf32>) permutation = [0, 2, 1]
  %space = tensor.empty() : tensor<2x6x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%space : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %products = linalg.batch_matmul ins(%q, %turned : tensor<2x6x16xf32>, tensor<2x16x8xf32>) outs(%init : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<2x6x8xf32>) outs(%space : tensor<2x6x8xf32>) {
  ^bb0(%p: f32, %out: f32):
    %r = arith.mulf %p, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x6x8xf32>
  %weights = linalg.softmax dimension(2) ins(%scaled : tensor<2x6x8xf32>) outs(%space : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %out_space = tensor.empty() : tensor<2x6x16xf32>
  %out_init = linalg.fill ins(%zero : f32) outs(%out_space : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
  %result = linalg.batch_matmul ins(%weights, %v : tensor<2x6x8xf32>, tensor<2x8x16xf32>) outs(%out_init : tensor<2x6x16xf32>) -> tensor<2x6x16xf32>
  return %result : tensor<2x6x16xf32>
}
