func.func @conv_2d(%image: memref<10x12xf32>, %kernel: memref<3x3xf32>, %out: memref<8x10xf32>) {
  linalg.conv_2d ins(%image, %kernel : memref<10x12xf32>, memref<3x3xf32>) outs(%out : memref<8x10xf32>)
  return
}
func.func @conv_2d_strided(%image: memref<1x9x9x2xf32>, %kernel: memref<3x3x2x4xf32>, %out: memref<1x4x4x4xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %kernel : memref<1x9x9x2xf32>, memref<3x3x2x4xf32>) outs(%out : memref<1x4x4x4xf32>)
  return
}
