// As torch-mlir prints an LSTM cell over five steps: tensors that a loop carries, and slices of them.
#map = affine_map<(d0, d1) -> (d0, d1)>
module attributes {torch.debug_module_name = "LSTMCell"} {
  func.func @forward(%x: tensor<5x2x8xf32>, %wi: tensor<8x16xf32>, %wh: tensor<4x16xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %cst = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<2x4xf32>
    %h0 = linalg.fill ins(%cst : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %eo = tensor.empty() : tensor<5x2x4xf32>
    %r:3 = scf.for %t = %c0 to %c5 step %c1 iter_args(%h = %h0, %c = %h0, %o = %eo) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>) {
      %xt = tensor.extract_slice %x[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<5x2x8xf32> to tensor<2x8xf32>
      %eg = tensor.empty() : tensor<2x16xf32>
      %zg = linalg.fill ins(%cst : f32) outs(%eg : tensor<2x16xf32>) -> tensor<2x16xf32>
      %g0 = linalg.matmul ins(%xt, %wi : tensor<2x8xf32>, tensor<8x16xf32>) outs(%zg : tensor<2x16xf32>) -> tensor<2x16xf32>
      %g1 = linalg.matmul ins(%h, %wh : tensor<2x4xf32>, tensor<4x16xf32>) outs(%g0 : tensor<2x16xf32>) -> tensor<2x16xf32>
      %i = tensor.extract_slice %g1[0, 0] [2, 4] [1, 1] : tensor<2x16xf32> to tensor<2x4xf32>
      %f = tensor.extract_slice %g1[0, 4] [2, 4] [1, 1] : tensor<2x16xf32> to tensor<2x4xf32>
      %g = tensor.extract_slice %g1[0, 8] [2, 4] [1, 1] : tensor<2x16xf32> to tensor<2x4xf32>
      %oo = tensor.extract_slice %g1[0, 12] [2, 4] [1, 1] : tensor<2x16xf32> to tensor<2x4xf32>
      %e2 = tensor.empty() : tensor<2x4xf32>
      %n:2 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%i, %f, %g, %oo, %c : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%e2, %e2 : tensor<2x4xf32>, tensor<2x4xf32>) {
      ^bb0(%vi: f32, %vf: f32, %vg: f32, %vo: f32, %vc: f32, %q: f32, %q2: f32):
        %ni = arith.negf %vi : f32
        %xi = math.exp %ni : f32
        %si0 = arith.addf %xi, %one : f32
        %si = arith.divf %one, %si0 : f32
        %nf = arith.negf %vf : f32
        %xf = math.exp %nf : f32
        %sf0 = arith.addf %xf, %one : f32
        %sf = arith.divf %one, %sf0 : f32
        %tg = math.tanh %vg : f32
        %no = arith.negf %vo : f32
        %xo = math.exp %no : f32
        %so0 = arith.addf %xo, %one : f32
        %so = arith.divf %one, %so0 : f32
        %c1_ = arith.mulf %sf, %vc : f32
        %c2_ = arith.mulf %si, %tg : f32
        %cn = arith.addf %c1_, %c2_ : f32
        %th = math.tanh %cn : f32
        %hn = arith.mulf %so, %th : f32
        linalg.yield %hn, %cn : f32, f32
      } -> (tensor<2x4xf32>, tensor<2x4xf32>)
      %ins = tensor.insert_slice %n#0 into %o[%t, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x4xf32> into tensor<5x2x4xf32>
      scf.yield %n#0, %n#1, %ins : tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>
    }
    return %r#0, %r#2 : tensor<2x4xf32>, tensor<5x2x4xf32>
  }
}
