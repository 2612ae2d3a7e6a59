// As torch-mlir prints Sequential(Linear(8, 16), ReLU(), Linear(16, 4)) in linalg on tensors.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "MLP"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<?x8xf32>) -> tensor<?x4xf32> {
    %cst = arith.constant dense<"0x583934BE21B0B2BEBE9F1A3ED122DBBEBC74133D4C3709BED34DE2BE4260E53B560EEDBE022B87BDF628DCBE7368D1BE9A9999BD8B6CA73E1283C0BEF2D28DBE4A0C023E4260E53E2DB29D3DAAF1D2BD46B6F33E9EEFE7BEC74BB73E3D0A57BEA245B6BE8195C3BEA69B44BEC1CAA13EF853A3BE9EEFA73D04560E3E6F1203BEA69B443D77BEDFBEAE47E1BE2B8796BEEC51383EBC7493BDC9763EBEC520B03D128340BDCDCC4CBE2B87963EA8C64B3E6F1283BE508D973DCDCCCC3C0000C03EFA7E6A3E871659BE8FC2F53E8195C3BE9EEFA7BD8195833E0E2DB2BE583934BC3108ECBE31082C3E14AE873E0681953D0000C03EC9763EBE14AE473E1283C03D0AD7A33D583934BD7B14AE3E0AD7E33EF4FDD4BC9EEF273E9CC4E0BEF2D24D3E2B87163E7F6AFC3E2FDDA43EF6285CBED578E9BD560E2D3E5839F4BEE3A51BBDE7FBA9BE9318C4BEC1CAE1BE4C37893EB6F3BDBE250681BE643BDFBDB6F3BD3E2B87D6BE60E550BD39B4483D9318C43EF853A33E355EBA3EF85363BE7B14AEBD4E6210BEA69BC43EFA7EEA3E21B0B2BE54E3A5BE4C3789BE39B488BE8FC275BCA245B63D21B072BEB6F3FDBE54E3A5BDDD2406BE022B873D9EEFE73E5C8F423E8FC2753CFCA9F13D5839343E1D5AE4BECDCCCC3E295C8F3E0000C03E7593983E1B2FDDBD17D9CEBD83C0CABE4C37093E8941E0BE2DB2DDBEF4FD94BE560EADBE"> : tensor<16x8xf32>
    %cst_0 = arith.constant dense<"0x0AD723BE2FDDE4BE000000BF21B0B2BEBA49CCBE96430BBE21B0F2BEEE7CBF3ED578E93D46B6B3BEB6F37DBE08AC1CBE96430BBE2506C1BE21B0B23E7F6AFC3E"> : tensor<16xf32>
    %cst_1 = arith.constant dense<"0x96430BBD6F1283BCCFF7D3BEA8C6CBBE9CC420BED7A370BEB072A83E6891ADBE5839F4BE79E9E63E4260E53C6ABCB4BEC520303D0E2DF2BE4260E53C7D3FF53E23DBB93E39B4483E6ABC74BE273108BEFA7EAABE96438B3E022B073D17D98E3E7B142EBEF2D28DBE77BE9F3EEC51F83E6ABCB43E08AC9C3EE5D0A23E8FC2753EA8C68BBEBC74933CBC7413BEE926F1BEFCA9F1BED34D62BEB4C876BECBA1453EE7FBE93E871659BD77BEDF3E23DBF93EC3F5E83E713D0ABE295C8FBEA8C68BBED1229BBE508D97BEB6F3FD3DCDCCCC3E7B14AE3E3108ACBC08AC1C3E9A99993EE17AD4BE2FDD243E85EBD13E4E62903E0000803E5839B4BC1D5AA4BECFF7933E"> : tensor<4x16xf32>
    %cst_2 = arith.constant dense<"0x0C022BBEAC1C9A3EFCA9F13EF4FDD4BD"> : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %cst_3 = arith.constant 0.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
    %0 = tensor.empty() : tensor<8x16xf32>
    %transposed = linalg.transpose ins(%cst : tensor<16x8xf32>) outs(%0 : tensor<8x16xf32>) permutation = [1, 0]
    %1 = tensor.empty(%dim) : tensor<?x16xf32>
    %2 = linalg.fill ins(%cst_3 : f32) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x8xf32>, tensor<8x16xf32>) outs(%2 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_0 : tensor<?x16xf32>, tensor<16xf32>) outs(%1 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %11 = arith.addf %in, %in_4 : f32
      linalg.yield %11 : f32
    } -> tensor<?x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.cmpf ugt, %in, %cst_3 : f32
      %12 = arith.select %11, %in, %cst_3 : f32
      linalg.yield %12 : f32
    } -> tensor<?x16xf32>
    %6 = tensor.empty() : tensor<16x4xf32>
    %transposed_4 = linalg.transpose ins(%cst_1 : tensor<4x16xf32>) outs(%6 : tensor<16x4xf32>) permutation = [1, 0]
    %7 = tensor.empty(%dim) : tensor<?x4xf32>
    %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %9 = linalg.matmul ins(%5, %transposed_4 : tensor<?x16xf32>, tensor<16x4xf32>) outs(%8 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_2 : tensor<?x4xf32>, tensor<4xf32>) outs(%7 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %11 = arith.addf %in, %in_5 : f32
      linalg.yield %11 : f32
    } -> tensor<?x4xf32>
    return %10 : tensor<?x4xf32>
  }
}
