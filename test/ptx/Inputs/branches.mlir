// A loop of branches between blocks: the steps of the Collatz sequence.
gpu.module @branches {
  gpu.func @collatz(%m: memref<?xi32>) kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c0 = arith.constant 0 : i32
    %start = memref.load %m[%i] : memref<?xi32>
    cf.br ^head(%start, %c0 : i32, i32)
  ^head(%n: i32, %steps: i32):
    %done = arith.cmpi ule, %n, %c1 : i32
    cf.cond_br %done, ^end(%steps : i32), ^body
  ^body:
    %next = arith.addi %steps, %c1 : i32
    %odd = arith.trunci %n : i32 to i1
    %half = arith.shrui %n, %c1 : i32
    cf.cond_br %odd, ^odd, ^head(%half, %next : i32, i32)
  ^odd:
    %t = arith.muli %n, %c3 : i32
    %u = arith.addi %t, %c1 : i32
    cf.br ^head(%u, %next : i32, i32)
  ^end(%r: i32):
    memref.store %r, %m[%i] : memref<?xi32>
    gpu.return
  }
}
