// RNA folding by dynamic programming: table[i, j] is the largest number of base
// pairs among the bases i .. j of seq. Two bases that add up to 3 pair, unless
// they are neighbours.

func.func @nussinov_f64(
    %seq: memref<?xf64> {terrace.name = "seq", terrace.dims = ["N"], terrace.init = "iota:120"},
    %table: memref<?x?xf64> {terrace.name = "table", terrace.dims = ["N", "N"], terrace.init = "zeros:120x120"}
) attributes {terrace.flops = "N*(N-1)*(N-2)/3 + 3*(N*(N-1)/2) + 2*((N-1)*(N-2)/2)"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %N = memref.dim %seq, %c0 : memref<?xf64>
  // From the last base to the first.
  affine.for %back = 0 to %N {
    %i = affine.apply affine_map<(back)[n] -> (n - 1 - back)>(%back)[%N]
    affine.for %j = affine_map<(i) -> (i + 1)>(%i) to %N {
      affine.if affine_set<(j) : (j - 1 >= 0)>(%j) {
        %table_ij = affine.load %table[%i, %j] : memref<?x?xf64>
        %table_i_jm1 = affine.load %table[%i, %j - 1] : memref<?x?xf64>
        %0 = arith.maximumf %table_ij, %table_i_jm1 : f64
        affine.store %0, %table[%i, %j] : memref<?x?xf64>
      }
      affine.if affine_set<(i)[n] : (n - 2 - i >= 0)>(%i)[%N] {
        %table_ij = affine.load %table[%i, %j] : memref<?x?xf64>
        %table_ip1_j = affine.load %table[%i + 1, %j] : memref<?x?xf64>
        %1 = arith.maximumf %table_ij, %table_ip1_j : f64
        affine.store %1, %table[%i, %j] : memref<?x?xf64>
      }
      affine.if affine_set<(j, i)[n] : (j - 1 >= 0, n - 2 - i >= 0)>(%j, %i)[%N] {
        affine.if affine_set<(j, i) : (j - 2 - i >= 0)>(%j, %i) {
          %seq_i = affine.load %seq[%i] : memref<?xf64>
          %seq_j = affine.load %seq[%j] : memref<?xf64>
          %2 = arith.addf %seq_i, %seq_j : f64
          %3 = arith.cmpf oeq, %2, %three : f64
          %pair = arith.select %3, %one, %zero : f64
          %table_ij = affine.load %table[%i, %j] : memref<?x?xf64>
          %table_ip1_jm1 = affine.load %table[%i + 1, %j - 1] : memref<?x?xf64>
          %4 = arith.addf %table_ip1_jm1, %pair : f64
          %5 = arith.maximumf %table_ij, %4 : f64
          affine.store %5, %table[%i, %j] : memref<?x?xf64>
        } else {
          %table_ij = affine.load %table[%i, %j] : memref<?x?xf64>
          %table_ip1_jm1 = affine.load %table[%i + 1, %j - 1] : memref<?x?xf64>
          %6 = arith.maximumf %table_ij, %table_ip1_jm1 : f64
          affine.store %6, %table[%i, %j] : memref<?x?xf64>
        }
      }
      affine.for %k = affine_map<(i) -> (i + 1)>(%i) to affine_map<(j) -> (j)>(%j) {
        %table_ij = affine.load %table[%i, %j] : memref<?x?xf64>
        %table_ik = affine.load %table[%i, %k] : memref<?x?xf64>
        %table_kp1_j = affine.load %table[%k + 1, %j] : memref<?x?xf64>
        %7 = arith.addf %table_ik, %table_kp1_j : f64
        %8 = arith.maximumf %table_ij, %7 : f64
        affine.store %8, %table[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
