// How many numbers are in each of equal ranges of [0, 1).

func.func @ranges_f32(
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %h: memref<?xi32> {terrace.name = "h", terrace.dims = ["bins"], terrace.init = "zeros:50"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xf32>
  %bins = memref.dim %h, %at0 : memref<?xi32>
  %one = arith.constant 1 : i32
  %b32 = arith.index_cast %bins : index to i32
  %scale = arith.sitofp %b32 : i32 to f32
  %last = arith.subi %b32, %one : i32
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %p = arith.mulf %v, %scale : f32
    %k = arith.fptosi %p : f32 to i32
    %l = arith.minsi %k, %last : i32
    %bin = arith.index_cast %l : i32 to index
    %old = memref.atomic_rmw addi %one, %h[%bin] : (i32, memref<?xi32>) -> i32
  }
  return
}
