// The scores of attention: S[r][h][i][j] = scale * (Q[r][i][h] . K[r][j][h]), where each of Q
// and K holds 64 numbers of each head h one head behind the other.

func.func @scores_f32(
    %scale: f32 {terrace.name = "scale", terrace.init = "0.125"},
    %heads: index {terrace.name = "heads", terrace.init = "8"},
    %Q: memref<?x?x?xf32> {terrace.name = "Q", terrace.dims = ["R", "N", "D"], terrace.init = "random:4x256x512:1"},
    %K: memref<?x?x?xf32> {terrace.name = "K", terrace.dims = ["R", "N", "D"], terrace.init = "random:4x256x512:2"},
    %S: memref<?x?x?x?xf32> {terrace.name = "S", terrace.dims = ["R", "H", "N", "N"], terrace.init = "zeros:4x8x256x256"}
) attributes {terrace.flops = "R*heads*N*N*129"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %R = memref.dim %Q, %c0 : memref<?x?x?xf32>
  %N = memref.dim %Q, %c1 : memref<?x?x?xf32>
  affine.for %r = 0 to %R {
    affine.for %h = 0 to %heads {
      affine.for %i = 0 to %N {
        affine.for %j = 0 to %N {
          %dot = affine.for %k = 0 to 64 iter_args(%sum = %zero) -> (f32) {
            %q = affine.load %Q[%r, %i, %h * 64 + %k] : memref<?x?x?xf32>
            %k0 = affine.load %K[%r, %j, %h * 64 + %k] : memref<?x?x?xf32>
            %qk = arith.mulf %q, %k0 : f32
            %next = arith.addf %sum, %qk : f32
            affine.yield %next : f32
          }
          %s = arith.mulf %scale, %dot : f32
          affine.store %s, %S[%r, %h, %i, %j] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
