func.func @batch_matmul(%A: memref<3x5x6xf64>, %B: memref<3x6x4xf64>, %C: memref<3x5x4xf64>) {
  linalg.batch_matmul ins(%A, %B : memref<3x5x6xf64>, memref<3x6x4xf64>) outs(%C : memref<3x5x4xf64>)
  return
}
func.func @batch_matmul_dynamic(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %C: memref<?x?x?xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%C : memref<?x?x?xf32>)
  return
}
