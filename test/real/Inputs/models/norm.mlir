// As torch-mlir prints LayerNorm(12) and GELU behind it.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module attributes {torch.debug_module_name = "Norm"} {
  func.func @forward(%arg0: tensor<2x5x12xf32>) -> tensor<2x5x12xf32> {
    %cst = arith.constant dense<"0x5EBAC93EAC1C9ABE6ABCF43E643BDF3EB4C8F6BE9EEF27BD0AD7A33EB29DEF3E60E550BD448B6CBEE17A94BE1D5AE43E"> : tensor<12xf32>
    %cst_0 = arith.constant dense<"0xCFF793BE54E3A53DC74BB7BEA69BC43C9EEFE73E6DE7BBBE0AD7A33EBC74133CDD24C63E3BDF4F3E5EBA89BEA8C6CB3E"> : tensor<12xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 1.200000e+01 : f32
    %cst_3 = arith.constant 9.99999974E-6 : f32
    %cst_4 = arith.constant 1.41421354 : f32
    %cst_5 = arith.constant 5.000000e-01 : f32
    %cst_6 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x5x1xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<2x5x1xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x5x1xf32>) outs(%0 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %cst_2 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5x1xf32>
    %4 = tensor.empty() : tensor<2x5x12xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%4 : tensor<2x5x12xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.subf %in, %in_7 : f32
      linalg.yield %20 : f32
    } -> tensor<2x5x12xf32>
    %6 = arith.mulf %5, %5 : tensor<2x5x12xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<2x5x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x5x1xf32>) outs(%0 : tensor<2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %cst_2 : f32
      %21 = arith.addf %20, %cst_3 : f32
      %22 = math.rsqrt %21 : f32
      linalg.yield %22 : f32
    } -> tensor<2x5x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %8, %cst, %cst_0 : tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<12xf32>, tensor<12xf32>) outs(%4 : tensor<2x5x12xf32>) {
    ^bb0(%in: f32, %in_7: f32, %in_8: f32, %in_9: f32, %out: f32):
      %20 = arith.mulf %in, %in_7 : f32
      %21 = arith.mulf %20, %in_8 : f32
      %22 = arith.addf %21, %in_9 : f32
      linalg.yield %22 : f32
    } -> tensor<2x5x12xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x5x12xf32>) outs(%4 : tensor<2x5x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %cst_4 : f32
      %21 = math.erf %20 : f32
      %22 = arith.addf %21, %cst_6 : f32
      %23 = arith.mulf %22, %cst_5 : f32
      %24 = arith.mulf %in, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<2x5x12xf32>
    return %10 : tensor<2x5x12xf32>
  }
}
