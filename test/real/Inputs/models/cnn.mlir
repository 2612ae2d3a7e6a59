// As torch-mlir prints a Conv2d(2, 3, 3, padding=1) with ReLU, an average pool of 2 by 2, and a Linear(48, 5) behind Flatten.
#map = affine_map<(d0, d1, d2, d3) -> (d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "CNN"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<1x2x8x8xf32>) -> tensor<1x5xf32> {
    %cst = arith.constant dense<"0x83C0CABD2FDDE43E6666663EC3F5A8BEDBF9BEBE21B0B2BE295CCF3E1B2F9D3E7D3FB5BE8B6CA73E8FC2F53E9CC4203E9A9919BE39B4483D91EDBCBEFED4F8BEE926F13E9A99193E1B2FDD3C3F35DE3E022B87BDC976BE3E79E9A63ECFF793BEB6F37DBECFF753BEA69B84BEC520B03DB4C876BE54E3A5BD91EDBCBE85EBD13E068115BE31082CBDE7FBA93D17D9CE3EC1CAA1BD1904D63E6F12033B6F12033DA69BC43CA245F6BE8FC275BDD34DA2BEB6F3FDBE8716993E9EEFA7BE1B2FDDBC6666663E4260653D0E2D32BEBC74933CAE47613D7368913E"> : tensor<3x2x3x3xf32>
    %cst_0 = arith.constant dense<"0x5EBAC9BE8FC2753D250681BE"> : tensor<3xf32>
    %cst_1 = arith.constant dense<"0x1D5A64BE96438B3E6F12033CB6F37D3DB81E853EAAF1D23ED57869BD8B6CE73DA69BC43BA69B443CCBA1453EA69B44BD022B073D5839B4BCD34DE23EA8C64B3E2506C13ED34DE23E8FC275BE8FC2753DE5D0E23E7B14AE3E23DBB9BE3789C1BE68916DBDBE9FDABEA69B84BEBE9FDABE560E2D3E7368913E9643CB3EE926B1BE1B2F5D3E0AD7233EB4C8B6BE9318C43EB29DEF3E295C8FBE9EEFE73E60E5D0BDF4FD54BC48E1FA3EE7FBA93E6891ADBE96438BBD6F12833C2FDD24BEE3A59BBE105839BEF853633EA245F6BE1B2F5D3D8FC275BDB4C8F6BE560E2DBEB6F3FD3DA69B443C643BDFBEEC51F83EBC74933EFCA9F13E713DCABEB29D6FBE1F85EBBE17D98E3E1F856BBEA470BDBE77BE9FBD986ED23EF853A33EB4C876BE46B6B3BE2B87D63E7368913DCDCC4C3E986ED2BED34DE2BE1283403E9A9999BDD122DBBE8941E03E4C37093EBE9F9A3EF4FDD4BEA245B63E2DB2DDBE23DBB93E7F6A3CBD2FDD24BE8716593DBE9FDA3E68916DBEB6F3BDBE1B2FDD3CDD2486BE2731C8BE6891ADBE6666E6BE759398BE128340BE14AE47BEA69B843E3D0A57BE000000002FDDA4BE08AC1CBEB4C8F6BE000080BEEC51F8BE8D976E3E60E5503D643B9FBECDCCCCBC52B8DE3E5EBAC9BEF853A33E96438BBD0AD7A3BB1F85AB3ED122DBBD4260E53B1283403EB4C8F63E9CC420BEE7FBA93ECFF7533E96430B3E5C8FC2BDE3A51BBE1D5AE4BEA470BDBEE3A5DBBEB4C8763E23DB79BE448BACBEF4FDD4BE8D97AE3EB6F3BD3EA01A2F3E643B5FBE931884BECFF753BE9EEF27BDA01AAFBE1B2F5DBD21B072BE448BEC3E0E2DF23E1283403D6F1283BE8D97EE3E5C8F42BE986E12BEEE7CFFBEFCA9F1BDCDCCCCBCA69B443B871699BE0AD7A33BA470FDBEFCA971BE85EBD1BECDCCCCBDFA7EEABE6ABCF4BE39B448BE39B488BEC520B03D6891ED3C1283803EC1CA213E1B2F5D3E4A0CC23EAE47E1BD0E2D32BEEC51F83E46B6B3BE4260653E986E123ED578E9BE1F85AB3E39B4C83E4A0C023EB29D6F3E77BE9F3EFED4B8BEA69BC43C6F12833B1F85AB3EF6289C3E79E9A63E3108AC3D4C37C93E5A643B3ECBA1453E713D8ABEC520F0BE6DE7BBBE04560EBE713DCABE3108AC3EFCA9713D6F12033E2506013E1058393E583934BCC976FEBE7593983EB6F37D3EA69B443B295C0F3DE5D0223E3F35DEBE21B0723EB6F37DBEAC1CDABEB29D6FBEFA7E6A3E3D0A97BE8FC2753E46B6F33EA69BC4BBB29DEFBD3108ACBC7F6A3C3E39B4883EB29DEF3D986E123E7593D8BE6ABCB4BE6DE77BBEFED4783E39B448BE96438B3D23DBF9BE9CC4E0BE448B6CBEC520303EA69B443E5839343E"> : tensor<5x48xf32>
    %cst_2 = arith.constant dense<"0x190456BE96438B3C295C0FBD96430BBD6F12C3BE"> : tensor<5xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %cst_4 = arith.constant 4.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst_3 : f32
    } : tensor<1x2x8x8xf32> to tensor<1x2x10x10xf32>
    %0 = tensor.empty() : tensor<1x3x8x8xf32>
    %broadcasted = linalg.broadcast ins(%cst_0 : tensor<3xf32>) outs(%0 : tensor<1x3x8x8xf32>) dimensions = [0, 2, 3]
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst : tensor<1x2x10x10xf32>, tensor<3x2x3x3xf32>) outs(%broadcasted : tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x3x8x8xf32>) outs(%0 : tensor<1x3x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.cmpf ugt, %in, %cst_3 : f32
      %12 = arith.select %11, %in, %cst_3 : f32
      linalg.yield %12 : f32
    } -> tensor<1x3x8x8xf32>
    %3 = tensor.empty() : tensor<1x3x4x4xf32>
    %4 = linalg.fill ins(%cst_3 : f32) outs(%3 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %5 = tensor.empty() : tensor<2x2xf32>
    %6 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%2, %5 : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%4 : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x3x4x4xf32>) outs(%3 : tensor<1x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_4 : f32
      linalg.yield %11 : f32
    } -> tensor<1x3x4x4xf32>
    %collapsed = tensor.collapse_shape %7 [[0], [1, 2, 3]] : tensor<1x3x4x4xf32> into tensor<1x48xf32>
    %8 = tensor.empty() : tensor<48x5xf32>
    %transposed = linalg.transpose ins(%cst_1 : tensor<5x48xf32>) outs(%8 : tensor<48x5xf32>) permutation = [1, 0]
    %9 = tensor.empty() : tensor<1x5xf32>
    %10 = linalg.fill ins(%cst_3 : f32) outs(%9 : tensor<1x5xf32>) -> tensor<1x5xf32>
    %13 = linalg.matmul ins(%collapsed, %transposed : tensor<1x48xf32>, tensor<48x5xf32>) outs(%10 : tensor<1x5xf32>) -> tensor<1x5xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_2 : tensor<1x5xf32>, tensor<5xf32>) outs(%9 : tensor<1x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %15 = arith.addf %in, %in_5 : f32
      linalg.yield %15 : f32
    } -> tensor<1x5xf32>
    return %14 : tensor<1x5xf32>
  }
}
