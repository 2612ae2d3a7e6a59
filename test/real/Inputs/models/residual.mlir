// As torch-mlir prints a residual block with batch normalisation, sizes that are open, weights at the end of
// the file, and an argmax over what comes out.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
module attributes {torch.debug_module_name = "ResBlock"} {
  func.func @forward(%arg0: tensor<?x3x?x?xf32>) -> (tensor<?x3x?x?xf32>, tensor<?x3xi64>) {
    %w = arith.constant dense_resource<torch_tensor_3_3_3_3_torch.float32> : tensor<3x3x3x3xf32>
    %g = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %b = arith.constant dense<0.5> : tensor<3xf32>
    %eps = arith.constant 1.0e-5 : f64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.000000e+00 : f32
    %n = tensor.dim %arg0, %c0 : tensor<?x3x?x?xf32>
    %h = tensor.dim %arg0, %c2 : tensor<?x3x?x?xf32>
    %wd = tensor.dim %arg0, %c3 : tensor<?x3x?x?xf32>
    %c1_i64 = arith.constant 1 : i64
    %hi = arith.index_cast %h : index to i64
    %ok = arith.cmpi sge, %hi, %c1_i64 : i64
    cf.assert %ok, "height is positive"
    %p = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %bb: index, %c: index, %d: index):
      tensor.yield %cst : f32
    } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
    %e = tensor.empty(%n, %h, %wd) : tensor<?x3x?x?xf32>
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
    %conv = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %w : tensor<?x3x?x?xf32>, tensor<3x3x3x3xf32>) outs(%f : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
    %bn = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%conv, %g, %b, %b, %g : tensor<?x3x?x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%conv : tensor<?x3x?x?xf32>) {
    ^bb0(%in: f32, %in_7: f32, %in_8: f32, %in_9: f32, %in_10: f32, %out: f32):
      %20 = arith.truncf %eps : f64 to f32
      %21 = arith.addf %in_10, %20 : f32
      %22 = math.rsqrt %21 : f32
      %23 = arith.subf %in, %in_9 : f32
      %24 = arith.mulf %23, %22 : f32
      %25 = arith.mulf %24, %in_7 : f32
      %26 = arith.addf %25, %in_8 : f32
      linalg.yield %26 : f32
    } -> tensor<?x3x?x?xf32>
    %add = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bn, %arg0 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) outs(%e : tensor<?x3x?x?xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %20 = arith.addf %in, %in_7 : f32
      %21 = arith.cmpf ugt, %20, %cst : f32
      %22 = arith.select %21, %20, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<?x3x?x?xf32>
    %ninf = arith.constant 0xFF800000 : f32
    %z64 = arith.constant 0 : i64
    %em = tensor.empty(%n) : tensor<?x3xf32>
    %ei = tensor.empty(%n) : tensor<?x3xi64>
    %fm = linalg.fill ins(%ninf : f32) outs(%em : tensor<?x3xf32>) -> tensor<?x3xf32>
    %fi = linalg.fill ins(%z64 : i64) outs(%ei : tensor<?x3xi64>) -> tensor<?x3xi64>
    %collapsed = tensor.collapse_shape %add [[0], [1], [2, 3]] : tensor<?x3x?x?xf32> into tensor<?x3x?xf32>
    %am:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%collapsed : tensor<?x3x?xf32>) outs(%fm, %fi : tensor<?x3xf32>, tensor<?x3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %k = linalg.index 2 : index
      %ki = arith.index_cast %k : index to i64
      %mx = arith.maximumf %in, %out : f32
      %gt = arith.cmpf ogt, %in, %out : f32
      %sel = arith.select %gt, %ki, %out_1 : i64
      linalg.yield %mx, %sel : f32, i64
    } -> (tensor<?x3xf32>, tensor<?x3xi64>)
    return %add, %am#1 : tensor<?x3x?x?xf32>, tensor<?x3xi64>
  }
}
{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_3_3_3_torch.float32: "0x040000009C34BBBED6E2B13E780D873E2FCF7ABE449595BB75E24EBD303B1B3E8CD3933EA3F1CFBE717CF1BE67E9AB3E6BB189BD9349863EF5EBFEBEADB15FBD64DB623EAEDF8ABE85FAE33EE687CD3E8256F0BEC3F8F2BE20A0293D29D8E03E314BF3BDE21991BE58819FBD9121F1BE6E7E8EBE94697EBD773989BB28A988BEDCCB89BEEFFB8FBED67625BD7D4357BE4DFFF4BE05D7AC3EA63C673D9DB5113EE5D0A0BEA62EFC3EE94AB83EB61AC2BEF4512BBECFCC623EA842583E2475DF3E5D869FBD70FAA83E95642E3EC45949BE765DB33D4AD4C33ECA40B13EE623AD3BD146B63DA152EEBE96B783BE5F45983E247CAFBD936BA7BE36E1473DEBE94F3E6AAC323EDA4D00BE5F037ABD410F0A3C08908E3E0B87AB3C139DDABD82DC28BC8DDBF0BE09BCE9BE6543503E6164F73E1DD7BE3D68E8D9BDFDC7A8BEC7B4123BC0D2F63E02828A3E"
    }
  }
#-}
