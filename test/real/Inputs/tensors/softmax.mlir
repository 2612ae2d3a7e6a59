// Softmax of rows of an open number.
func.func @softmax(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %space = tensor.empty(%m) : tensor<?x16xf32>
  %result = linalg.softmax dimension(1) ins(%x : tensor<?x16xf32>) outs(%space : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %result : tensor<?x16xf32>
}
