func.func @matmul(%A: memref<9x7xf32>, %B: memref<7x11xf32>, %C: memref<9x11xf32>) {
  linalg.matmul ins(%A, %B : memref<9x7xf32>, memref<7x11xf32>) outs(%C : memref<9x11xf32>)
  return
}
func.func @matmul_dynamic(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%C : memref<?x?xf64>)
  return
}
