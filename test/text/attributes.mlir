// Attributes of every builtin kind, written as upstream writes them.
// RUN: terrace-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: terrace-opt %s --allow-unregistered-dialect | terrace-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: #map = affine_map<(d0, d1) -> (d1, d0)>

// Floats that decimal text cannot give keep their bits.
// CHECK: "hex.floats"() {a = 0x7FC00000 : f32, b = 0xFFF0000000000000 : f64, c = -0.000000e+00 : f16, d = 0x7F80 : bf16, e = 0xFF : f8E5M2}
"hex.floats"() {a = 0x7FC00000 : f32, b = 0xFFF0000000000000 : f64, c = 0x8000 : f16, d = 0x7F80 : bf16, e = 0xFF : f8E5M2} : () -> ()

// CHECK: a = dense<> : tensor<0xi32>
// CHECK-SAME: b = dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8>
// CHECK-SAME: c = dense<(1.000000e+00,-2.000000e+00)> : tensor<2xcomplex<f32>>
// CHECK-SAME: d = dense<[true, false]> : vector<2xi1>
// CHECK-SAME: e = dense<["a", "b\22"]> : tensor<2x!s.s>
// CHECK-SAME: f = dense<[1, 127]> : tensor<2xindex>
// CHECK-SAME: g = sparse<{{\[\[}}0, 0], [1, 2]], [1.000000e+00, 5.000000e+00]> : tensor<3x4xf32>
// CHECK-SAME: h = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-SAME: i = dense<0xFFC00000> : tensor<2xf32>
"dense.kinds"() {
  a = dense<> : tensor<0xi32>, b = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>,
  c = dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>, d = dense<[true, false]> : vector<2xi1>,
  e = dense<["a", "b\22"]> : tensor<2x!s.s>, f = dense<[1, 0x7F]> : tensor<2xindex>,
  g = sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : tensor<3x4xf32>,
  h = dense<"0x0000803F00000040"> : tensor<2xf32>, i = dense<0xFFC00000> : tensor<2xf32>
} : () -> ()

// Equal elements are one, also in hexadecimal; booleans are packed there.
// CHECK: a = dense<255> : tensor<2xi16>
// CHECK-SAME: b = dense<"0xFFF00000FF000000FF000000FF000000FF000000"> : tensor<160xi1>
"dense.hex"() {
  a = dense<"0xFF00FF00"> : tensor<2xi16>,
  b = dense<"0xFFF00000FF000000FF000000FF000000FF000000"> : tensor<160xi1>
} : () -> ()

// CHECK: a = memref<?x4xf32, strided<[4, 1], offset: ?>, 3>
// CHECK-SAME: b = memref<2x2xf32, #map, #gpu.address_space<workgroup>>
// CHECK-SAME: c = memref<*xf32, 1 : i32>
// CHECK-SAME: d = tensor<4x?xf32, "enc">
// CHECK-SAME: e = vector<[4]x2xf32>
// CHECK-SAME: f = memref<0x4xf32>
"shaped.types"() {
  a = memref<?x4xf32, strided<[4, 1], offset: ?>, 3>,
  b = memref<2x2xf32, affine_map<(d0, d1) -> (d1, d0)>, #gpu.address_space<workgroup>>,
  c = memref<*xf32, 1 : i32>, d = tensor<4x?xf32, "enc">, e = vector<[4]x2xf32>,
  f = memref<0x4xf32>
} : () -> ()

// CHECK: r = dense_resource<"other key"> : tensor<2xf32>
"resources"() {
  r = dense_resource<"other key"> : tensor<2xf32>
} : () -> ()

// CHECK: {-#
// CHECK-NEXT:   dialect_resources: {
// CHECK-NEXT:     builtin: {
// CHECK-NEXT:       "other key": "0x04000000"
{-#
  dialect_resources: { builtin: { key: "0x0400000000000000", "other key": "0x04000000" } }
#-}
