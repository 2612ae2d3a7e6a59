// Products of several matrices, the second ones transposed, and their sums over the batch.
func.func @batch_products(%a: tensor<3x8x12xf64>, %b: tensor<3x10x12xf64>) -> (tensor<3x8x10xf64>, tensor<8x10xf64>) {
  %zero = arith.constant 0.0 : f64
  %turned_space = tensor.empty() : tensor<3x12x10xf64>
  %turned = linalg.transpose ins(%b : tensor<3x10x12xf64>) outs(%turned_space : tensor<3x12x10xf64>) permutation = [0, 2, 1]
  %space = tensor.empty() : tensor<3x8x10xf64>
  %init = linalg.fill ins(%zero : f64) outs(%space : tensor<3x8x10xf64>) -> tensor<3x8x10xf64>
  %products = linalg.batch_matmul ins(%a, %turned : tensor<3x8x12xf64>, tensor<3x12x10xf64>) outs(%init : tensor<3x8x10xf64>) -> tensor<3x8x10xf64>
  %sum_space = tensor.empty() : tensor<8x10xf64>
  %sum_init = linalg.fill ins(%zero : f64) outs(%sum_space : tensor<8x10xf64>) -> tensor<8x10xf64>
  %sums = linalg.reduce { arith.addf } ins(%products : tensor<3x8x10xf64>) outs(%sum_init : tensor<8x10xf64>) dimensions = [0]
  return %products, %sums : tensor<3x8x10xf64>, tensor<8x10xf64>
}
