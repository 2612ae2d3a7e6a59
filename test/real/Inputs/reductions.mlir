// The sum and the maximum of each row, and the sum of the squares of all.
func.func @reductions_rows(%in: memref<6x13xf64>, %sum: memref<6xf64>, %max: memref<6xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%in : memref<6x13xf64>) outs(%sum, %max : memref<6xf64>, memref<6xf64>) {
  ^bb0(%x: f64, %s: f64, %m: f64):
    %s1 = arith.addf %s, %x : f64
    %m1 = arith.maximumf %m, %x : f64
    linalg.yield %s1, %m1 : f64, f64
  }
  return
}
func.func @norm(%in: memref<?x?xf32>, %out: memref<f32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%in : memref<?x?xf32>) outs(%out : memref<f32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.mulf %x, %x : f32
    %s1 = arith.addf %s, %q : f32
    linalg.yield %s1 : f32
  }
  return
}
