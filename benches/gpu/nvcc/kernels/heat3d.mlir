// One step of heat-3d in double precision, an element a thread. Any size.
gpu.module @heat3d {
  gpu.func @heat3d(%n: i32, %a: memref<?x?x?xf64> {llvm.noalias}, %b: memref<?x?x?xf64> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 4, 2>} {
    %two = arith.constant 2.0 : f64
    %eighth = arith.constant 0.125 : f64
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 2 + t + 1)>()[%bz, %tz]
    %j = affine.apply affine_map<()[b, t] -> (b * 4 + t + 1)>()[%by, %ty]
    %k = affine.apply affine_map<()[b, t] -> (b * 32 + t + 1)>()[%bx, %tx]
    affine.if affine_set<()[i, j, k, n] : (n - i - 2 >= 0, n - j - 2 >= 0, n - k - 2 >= 0)>()[%i, %j, %k, %size] {
      %o = affine.load %a[symbol(%i), symbol(%j), symbol(%k)] : memref<?x?x?xf64>
      %ip = affine.load %a[symbol(%i) + 1, symbol(%j), symbol(%k)] : memref<?x?x?xf64>
      %im = affine.load %a[symbol(%i) - 1, symbol(%j), symbol(%k)] : memref<?x?x?xf64>
      %jp = affine.load %a[symbol(%i), symbol(%j) + 1, symbol(%k)] : memref<?x?x?xf64>
      %jm = affine.load %a[symbol(%i), symbol(%j) - 1, symbol(%k)] : memref<?x?x?xf64>
      %kp = affine.load %a[symbol(%i), symbol(%j), symbol(%k) + 1] : memref<?x?x?xf64>
      %km = affine.load %a[symbol(%i), symbol(%j), symbol(%k) - 1] : memref<?x?x?xf64>
      %o2 = arith.mulf %two, %o fastmath<contract> : f64
      %i0 = arith.subf %ip, %o2 fastmath<contract> : f64
      %i1 = arith.addf %i0, %im fastmath<contract> : f64
      %i2 = arith.mulf %eighth, %i1 fastmath<contract> : f64
      %j0 = arith.subf %jp, %o2 fastmath<contract> : f64
      %j1 = arith.addf %j0, %jm fastmath<contract> : f64
      %j2 = arith.mulf %eighth, %j1 fastmath<contract> : f64
      %k0 = arith.subf %kp, %o2 fastmath<contract> : f64
      %k1 = arith.addf %k0, %km fastmath<contract> : f64
      %k2 = arith.mulf %eighth, %k1 fastmath<contract> : f64
      %s0 = arith.addf %i2, %j2 fastmath<contract> : f64
      %s1 = arith.addf %s0, %k2 fastmath<contract> : f64
      %s2 = arith.addf %s1, %o fastmath<contract> : f64
      affine.store %s2, %b[symbol(%i), symbol(%j), symbol(%k)] : memref<?x?x?xf64>
    }
    gpu.return
  }
}
