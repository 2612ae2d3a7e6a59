// Steps until a point of the plane leaves the circle, at most 1000: a loop that threads
// leave one by one. Any image size.
gpu.module @mandelbrot {
  gpu.func @mandelbrot(%m: i32, %n: i32, %x0: f32, %y0: f32, %delta: f32, %out: memref<?x?xi32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %four = arith.constant 4.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c1000 = arith.constant 1000 : i32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = arith.index_cast %m : i32 to index
    %columns = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 8 + t)>()[%by, %ty]
    %j = affine.apply affine_map<()[b, t] -> (b * 32 + t)>()[%bx, %tx]
    affine.if affine_set<()[i, j, m, n] : (m - i - 1 >= 0, n - j - 1 >= 0)>()[%i, %j, %rows, %columns] {
      %ii = arith.index_cast %i : index to i32
      %jj = arith.index_cast %j : index to i32
      %fi = arith.sitofp %ii : i32 to f32
      %fj = arith.sitofp %jj : i32 to f32
      %px = arith.mulf %fj, %delta fastmath<contract> : f32
      %py = arith.mulf %fi, %delta fastmath<contract> : f32
      %cx = arith.addf %x0, %px fastmath<contract> : f32
      %cy = arith.addf %y0, %py fastmath<contract> : f32
      %r:3 = scf.while (%x = %zero, %y = %zero, %k = %c0) : (f32, f32, i32) -> (f32, f32, i32) {
        %xx = arith.mulf %x, %x fastmath<contract> : f32
        %yy = arith.mulf %y, %y fastmath<contract> : f32
        %d = arith.addf %xx, %yy fastmath<contract> : f32
        %near = arith.cmpf ole, %d, %four : f32
        %more = arith.cmpi slt, %k, %c1000 : i32
        %go = arith.andi %near, %more : i1
        scf.condition(%go) %x, %y, %k : f32, f32, i32
      } do {
      ^body(%x: f32, %y: f32, %k: i32):
        %xx = arith.mulf %x, %x fastmath<contract> : f32
        %yy = arith.mulf %y, %y fastmath<contract> : f32
        %d = arith.subf %xx, %yy fastmath<contract> : f32
        %nx = arith.addf %d, %cx fastmath<contract> : f32
        %x2 = arith.mulf %two, %x fastmath<contract> : f32
        %xy = arith.mulf %x2, %y fastmath<contract> : f32
        %ny = arith.addf %xy, %cy fastmath<contract> : f32
        %next = arith.addi %k, %c1 : i32
        scf.yield %nx, %ny, %next : f32, f32, i32
      }
      memref.store %r#2, %out[%i, %j] : memref<?x?xi32>
    }
    gpu.return
  }
}
