// Where a 3-D field of integers is over a level, a label; then the level's excess; conditions.

func.func @select_i32(
    %a: memref<?x?x?xi32> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:11x17x23:1"},
    %level: memref<?x?xi32> {terrace.name = "level", terrace.dims = ["m", "n"], terrace.init = "random:17x23:2"},
    %label: memref<?x?x?xi32> {terrace.name = "label", terrace.dims = ["l", "m", "n"], terrace.init = "random:11x17x23:3"},
    %excess: memref<?x?x?xi32> {terrace.name = "excess", terrace.dims = ["l", "m", "n"], terrace.init = "random:11x17x23:4"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xi32>
  %m = memref.dim %a, %at1 : memref<?x?x?xi32>
  %n = memref.dim %a, %at2 : memref<?x?x?xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %l {
    %ii = arith.index_cast %i : index to i32
    %i1 = arith.addi %ii, %one : i32
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xi32>
        %y = affine.load %level[%j, %k] : memref<?x?xi32>
        %c = arith.cmpi sgt, %x, %y : i32
        %r = arith.select %c, %i1, %zero : i32
        affine.store %r, %label[%i, %j, %k] : memref<?x?x?xi32>
      }
    }
  }
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %b = affine.load %label[%i, %j, %k] : memref<?x?x?xi32>
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xi32>
        %y = affine.load %level[%j, %k] : memref<?x?xi32>
        %c = arith.cmpi sgt, %b, %zero : i32
        %d = arith.subi %x, %y : i32
        %r = arith.select %c, %d, %zero : i32
        affine.store %r, %excess[%i, %j, %k] : memref<?x?x?xi32>
      }
    }
  }
  return
}
