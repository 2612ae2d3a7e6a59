// Prices of options by Black and Scholes, an option a thread. Any number.
gpu.module @blackscholes {
  gpu.func @blackscholes(%n: i32, %rate: f32, %volatility: f32, %spot: memref<?xf32> {llvm.noalias},
      %strike: memref<?xf32> {llvm.noalias}, %years: memref<?xf32> {llvm.noalias},
      %call: memref<?xf32> {llvm.noalias}, %put: memref<?xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root_half = arith.constant 0.707106769 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %size = arith.index_cast %n : i32 to index
    %i = affine.apply affine_map<()[b, t] -> (b * 256 + t)>()[%b, %t]
    affine.if affine_set<()[i, n] : (n - i - 1 >= 0)>()[%i, %size] {
      %s = memref.load %spot[%i] : memref<?xf32>
      %x = memref.load %strike[%i] : memref<?xf32>
      %y = memref.load %years[%i] : memref<?xf32>
      %root = math.sqrt %y : f32
      %vr = arith.mulf %volatility, %root fastmath<contract> : f32
      %quotient = arith.divf %s, %x : f32
      %log = math.log %quotient : f32
      %hv = arith.mulf %half, %volatility fastmath<contract> : f32
      %hvv = arith.mulf %hv, %volatility fastmath<contract> : f32
      %drift = arith.addf %rate, %hvv fastmath<contract> : f32
      %dt = arith.mulf %drift, %y fastmath<contract> : f32
      %num = arith.addf %log, %dt fastmath<contract> : f32
      %d1 = arith.divf %num, %vr : f32
      %d2 = arith.subf %d1, %vr fastmath<contract> : f32
      %z1 = arith.mulf %d1, %root_half fastmath<contract> : f32
      %z2 = arith.mulf %d2, %root_half fastmath<contract> : f32
      %e1 = math.erf %z1 : f32
      %e2 = math.erf %z2 : f32
      %c1 = arith.mulf %half, %e1 fastmath<contract> : f32
      %c2 = arith.mulf %half, %e2 fastmath<contract> : f32
      %n1 = arith.addf %half, %c1 fastmath<contract> : f32
      %n2 = arith.addf %half, %c2 fastmath<contract> : f32
      %minus = arith.negf %rate : f32
      %rt = arith.mulf %minus, %y fastmath<contract> : f32
      %discount = math.exp %rt : f32
      %xd = arith.mulf %x, %discount fastmath<contract> : f32
      %sn1 = arith.mulf %s, %n1 fastmath<contract> : f32
      %xn2 = arith.mulf %xd, %n2 fastmath<contract> : f32
      %c = arith.subf %sn1, %xn2 fastmath<contract> : f32
      %m2 = arith.subf %one, %n2 fastmath<contract> : f32
      %m1 = arith.subf %one, %n1 fastmath<contract> : f32
      %xm2 = arith.mulf %xd, %m2 fastmath<contract> : f32
      %sm1 = arith.mulf %s, %m1 fastmath<contract> : f32
      %p = arith.subf %xm2, %sm1 fastmath<contract> : f32
      memref.store %c, %call[%i] : memref<?xf32>
      memref.store %p, %put[%i] : memref<?xf32>
    }
    gpu.return
  }
}
