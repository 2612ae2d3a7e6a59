// Two rounds of mixing of 64-bit numbers with a key array, each a loop of its own.

func.func @hash_i64(
    %x: memref<?xi64> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:3001:1"},
    %key: memref<?xi64> {terrace.name = "key", terrace.dims = ["n"], terrace.init = "random:3001:2"},
    %h: memref<?xi64> {terrace.name = "h", terrace.dims = ["n"], terrace.init = "random:3001:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xi64>
  %c7 = arith.constant 7 : i64
  %c3 = arith.constant 3 : i64
  %add = arith.constant 40503 : i64
  %mask = arith.constant 65535 : i64
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xi64>
    %k = affine.load %key[%i] : memref<?xi64>
    %s = arith.shli %k, %c7 : i64
    %o = arith.xori %a, %s : i64
    %r = arith.addi %o, %add : i64
    affine.store %r, %x[%i] : memref<?xi64>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xi64>
    %s = arith.shrsi %a, %c3 : i64
    %o = arith.xori %a, %s : i64
    %r = arith.andi %o, %mask : i64
    affine.store %r, %h[%i] : memref<?xi64>
  }
  return
}
