// A convolution with a border of zeros, and the greatest of each two by two.
func.func @convolution(%image: tensor<1x12x12x3xf32>, %weights: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x12x12x3xf32> to tensor<1x14x14x3xf32>
  %space = tensor.empty() : tensor<1x12x12x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%space : tensor<1x12x12x4xf32>) -> tensor<1x12x12x4xf32>
  %convolved = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %weights : tensor<1x14x14x3xf32>, tensor<3x3x3x4xf32>) outs(%init : tensor<1x12x12x4xf32>) -> tensor<1x12x12x4xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %pool_space = tensor.empty() : tensor<1x6x6x4xf32>
  %pool_init = linalg.fill ins(%least : f32) outs(%pool_space : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %pooled = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%convolved, %window : tensor<1x12x12x4xf32>, tensor<2x2xf32>) outs(%pool_init : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %pooled : tensor<1x6x6x4xf32>
}
