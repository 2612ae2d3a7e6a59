// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: terrace-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: func @fill
func.func @fill(%v: f32, %t: tensor<?xf32>, %m: memref<4xf32>, %w: vector<2xf32>, %n: memref<4xvector<2xf32>>) -> tensor<?xf32> {
  // CHECK: linalg.fill {d.a} ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  // GENERIC: "linalg.fill"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  // GENERIC-NEXT: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
  // GENERIC-NEXT: "linalg.yield"(%[[V]]) : (f32) -> ()
  %0 = linalg.fill {d.a} ins(%v : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<4xf32>){{$}}
  linalg.fill ins(%v : f32) outs(%m : memref<4xf32>)
  // CHECK: linalg.fill ins(%{{.*}} : vector<2xf32>) outs(%{{.*}} : memref<4xvector<2xf32>>){{$}}
  linalg.fill ins(%w : vector<2xf32>) outs(%n : memref<4xvector<2xf32>>)
  return %0 : tensor<?xf32>
}

#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#sums = {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"], doc = "sums of rows"}

// CHECK-LABEL: func @generic
// GENERIC-LABEL: sym_name = "generic"
func.func @generic(%a: tensor<?x?xf32>, %s: tensor<?xf32>, %m: memref<4xindex>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: linalg.generic {doc = "sums of rows", indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?xf32>) attrs = {d.b} {
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
  // CHECK-NEXT:   arith.addf %[[IN]], %[[OUT]] : f32
  // CHECK-NEXT:   linalg.yield %{{.*}} : f32
  // CHECK-NEXT: } -> tensor<?xf32>
  // GENERIC: "linalg.generic"(%{{.*}}, %{{.*}}) <{doc = "sums of rows", indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
  %0 = linalg.generic #sums ins(%a : tensor<?x?xf32>) outs(%s : tensor<?xf32>) attrs = {d.b} {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(%{{.*}} : memref<4xindex>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT:   linalg.index 0 : index
  // CHECK-NEXT:   linalg.yield %{{.*}} : index
  // CHECK-NEXT: }{{$}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xindex>) {
  ^bb0(%out: index):
    %1 = linalg.index 0 : index
    linalg.yield %1 : index
  }
  // CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>) {
  // CHECK: } -> (tensor<?xf32>, tensor<?xf32>)
  %2:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%s, %0 : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32, %other: f32):
    linalg.yield %in, %out : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %2#0, %2#1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @functions
// GENERIC-LABEL: sym_name = "functions"
func.func @functions(%a: memref<4x?xf32>, %o: memref<4x?xf32>) {
  // CHECK: linalg.copy ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.copy"(
  linalg.copy ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.exp ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.exp"(
  // GENERIC: "math.exp"(
  linalg.exp ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.log ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.log"(
  // GENERIC: "math.log"(
  linalg.log ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.abs ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.abs"(
  // GENERIC: "math.absf"(
  linalg.abs ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.ceil ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.ceil"(
  // GENERIC: "math.ceil"(
  linalg.ceil ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.floor ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.floor"(
  // GENERIC: "math.floor"(
  linalg.floor ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.negf ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.negf"(
  // GENERIC: "arith.negf"(
  linalg.negf ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.reciprocal ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.reciprocal"(
  // GENERIC: "arith.divf"(
  linalg.reciprocal ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.round ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.round"(
  // GENERIC: "math.round"(
  linalg.round ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.sqrt ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.sqrt"(
  // GENERIC: "math.sqrt"(
  linalg.sqrt ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.rsqrt ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.rsqrt"(
  // GENERIC: "math.rsqrt"(
  linalg.rsqrt ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.square ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.square"(
  // GENERIC: "arith.mulf"(
  linalg.square ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.tanh ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.tanh"(
  // GENERIC: "math.tanh"(
  linalg.tanh ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  // CHECK: linalg.erf ins(%{{.*}} : memref<4x?xf32>) outs(%{{.*}} : memref<4x?xf32>){{$}}
  // GENERIC: "linalg.erf"(
  // GENERIC: "math.erf"(
  linalg.erf ins(%a : memref<4x?xf32>) outs(%o : memref<4x?xf32>)
  return
}

// CHECK-LABEL: func @of_two
// GENERIC-LABEL: sym_name = "of_two"
func.func @of_two(%a: tensor<4xf32>, %b: tensor<4xf32>, %o: tensor<4xf32>, %i: memref<4xi8>, %f: memref<4xi1>) {
  // CHECK: linalg.add ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.add"(
  // GENERIC: "arith.addf"(
  %add = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.sub ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.sub"(
  // GENERIC: "arith.subf"(
  %sub = linalg.sub ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.mul ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.mul"(
  // GENERIC: "arith.mulf"(
  %mul = linalg.mul ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.div ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.div"(
  // GENERIC: "arith.divf"(
  %div = linalg.div ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.max ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.max"(
  // GENERIC: "arith.maximumf"(
  %max = linalg.max ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.min ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.min"(
  // GENERIC: "arith.minimumf"(
  %min = linalg.min ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.powf ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
  // GENERIC: "linalg.powf"(
  // GENERIC: "math.powf"(
  %powf = linalg.powf ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.div_unsigned ins(%{{.*}}, %{{.*}} : memref<4xi8>, memref<4xi8>) outs(%{{.*}} : memref<4xi8>)
  // GENERIC: "arith.divui"(
  linalg.div_unsigned ins(%i, %i : memref<4xi8>, memref<4xi8>) outs(%i : memref<4xi8>)
  // CHECK: linalg.max ins(
  // GENERIC: "arith.maxsi"(
  linalg.max ins(%i, %i : memref<4xi8>, memref<4xi8>) outs(%i : memref<4xi8>)
  // CHECK: linalg.add ins(
  // GENERIC: "arith.ori"(
  linalg.add ins(%f, %f : memref<4xi1>, memref<4xi1>) outs(%f : memref<4xi1>)
  // CHECK: linalg.select ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4xi1>, memref<4xi8>, memref<4xi8>) outs(%{{.*}} : memref<4xi8>)
  // GENERIC: "arith.select"(
  linalg.select ins(%f, %i, %i : memref<4xi1>, memref<4xi8>, memref<4xi8>) outs(%i : memref<4xi8>)
  return
}

// CHECK-LABEL: func @casts
// GENERIC-LABEL: sym_name = "casts"
func.func @casts(%i: memref<4xi8>, %j: memref<4xi32>, %h: memref<4xf16>, %f: memref<4xf32>) {
  // CHECK: linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%{{.*}} : memref<4xi8>) outs(%{{.*}} : memref<4xi32>)
  // GENERIC: "arith.extui"(
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%i : memref<4xi8>) outs(%j : memref<4xi32>)
  // GENERIC: "arith.extsi"(
  linalg.copy ins(%i : memref<4xi8>) outs(%j : memref<4xi32>)
  // GENERIC: "arith.trunci"(
  linalg.copy ins(%j : memref<4xi32>) outs(%i : memref<4xi8>)
  // GENERIC: "arith.sitofp"(
  linalg.copy ins(%i : memref<4xi8>) outs(%f : memref<4xf32>)
  // GENERIC: "arith.uitofp"(
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%i : memref<4xi8>) outs(%f : memref<4xf32>)
  // GENERIC: "arith.fptosi"(
  linalg.copy ins(%f : memref<4xf32>) outs(%i : memref<4xi8>)
  // GENERIC: "arith.fptoui"(
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%f : memref<4xf32>) outs(%i : memref<4xi8>)
  // GENERIC: "arith.extf"(
  linalg.copy ins(%h : memref<4xf16>) outs(%f : memref<4xf32>)
  // GENERIC: "arith.truncf"(
  linalg.copy ins(%f : memref<4xf32>) outs(%h : memref<4xf16>)
  return
}

#transposed = affine_map<(i, j, k) -> (k, i)>
#plain = affine_map<(i, j, k) -> (k, j)>
#row = affine_map<(i, j, k) -> (k)>
#result = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func @products
// GENERIC-LABEL: sym_name = "products"
func.func @products(%a: memref<4x6xi8>, %b: memref<6x5xi8>, %c: memref<4x5xi32>, %t: memref<6x4xi8>, %x: memref<6xi8>, %y: memref<4xi32>, %z: memref<5xi32>, %s: memref<i32>) {
  // CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : memref<4x6xi8>, memref<6x5xi8>) outs(%{{.*}} : memref<4x5xi32>){{$}}
  // GENERIC: "linalg.matmul"(%arg0, %arg1, %arg2) <{indexing_maps = [#[[A:.*]], #[[B:.*]], #[[C:.*]]], operandSegmentSizes = array<i32: 2, 1>}> ({
  // GENERIC-NEXT: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %[[Z:.*]]: i32):
  // GENERIC-NEXT: %[[XE:.*]] = "arith.extsi"(%[[X]])
  // GENERIC-NEXT: %[[YE:.*]] = "arith.extsi"(%[[Y]])
  // GENERIC-NEXT: %[[P:.*]] = "arith.muli"(%[[XE]], %[[YE]])
  // GENERIC-NEXT: %[[S:.*]] = "arith.addi"(%[[Z]], %[[P]])
  // GENERIC-NEXT: "linalg.yield"(%[[S]]) : (i32) -> ()
  linalg.matmul ins(%a, %b : memref<4x6xi8>, memref<6x5xi8>) outs(%c : memref<4x5xi32>)
  // CHECK: linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] {cast = #linalg.type_fn<cast_unsigned>} ins(%{{.*}}, %{{.*}} : memref<6x4xi8>, memref<6x5xi8>) outs(%{{.*}} : memref<4x5xi32>)
  linalg.matmul indexing_maps = [#transposed, #plain, #result] {cast = #linalg.type_fn<cast_unsigned>} ins(%t, %b : memref<6x4xi8>, memref<6x5xi8>) outs(%c : memref<4x5xi32>)
  // CHECK: linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%{{.*}}, %{{.*}} : memref<6xi8>, memref<6x5xi8>)
  linalg.matmul indexing_maps = [#row, #plain, #result] ins(%x, %b : memref<6xi8>, memref<6x5xi8>) outs(%c : memref<4x5xi32>)
  // CHECK: linalg.matvec ins(%{{.*}}, %{{.*}} : memref<4x6xi8>, memref<6xi8>) outs(%{{.*}} : memref<4xi32>)
  linalg.matvec ins(%a, %x : memref<4x6xi8>, memref<6xi8>) outs(%y : memref<4xi32>)
  // CHECK: linalg.vecmat ins(%{{.*}}, %{{.*}} : memref<6xi8>, memref<6x5xi8>) outs(%{{.*}} : memref<5xi32>)
  linalg.vecmat ins(%x, %b : memref<6xi8>, memref<6x5xi8>) outs(%z : memref<5xi32>)
  // CHECK: linalg.dot ins(%{{.*}}, %{{.*}} : memref<6xi8>, memref<6xi8>) outs(%{{.*}} : memref<i32>)
  linalg.dot ins(%x, %x : memref<6xi8>, memref<6xi8>) outs(%s : memref<i32>)
  return
}

// CHECK-LABEL: func @batches
func.func @batches(%a: memref<2x4x6xf32>, %b: memref<2x6x5xf32>, %c: memref<2x4x5xf32>, %one: memref<4x6xf32>, %x: memref<2x6xf32>, %y: memref<2x4xf32>, %z: memref<2x5xf32>) {
  // CHECK: linalg.batch_matmul ins(%{{.*}}, %{{.*}} : memref<2x4x6xf32>, memref<2x6x5xf32>) outs(%{{.*}} : memref<2x4x5xf32>){{$}}
  linalg.batch_matmul ins(%a, %b : memref<2x4x6xf32>, memref<2x6x5xf32>) outs(%c : memref<2x4x5xf32>)
  // CHECK: linalg.batch_matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%{{.*}}, %{{.*}} : memref<4x6xf32>, memref<2x6x5xf32>)
  linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, k) -> (i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>] ins(%one, %b : memref<4x6xf32>, memref<2x6x5xf32>) outs(%c : memref<2x4x5xf32>)
  // CHECK: linalg.batch_matvec ins(%{{.*}}, %{{.*}} : memref<2x4x6xf32>, memref<2x6xf32>) outs(%{{.*}} : memref<2x4xf32>)
  linalg.batch_matvec ins(%a, %x : memref<2x4x6xf32>, memref<2x6xf32>) outs(%y : memref<2x4xf32>)
  // CHECK: linalg.batch_vecmat ins(%{{.*}}, %{{.*}} : memref<2x6xf32>, memref<2x6x5xf32>) outs(%{{.*}} : memref<2x5xf32>)
  linalg.batch_vecmat ins(%x, %b : memref<2x6xf32>, memref<2x6x5xf32>) outs(%z : memref<2x5xf32>)
  return
}
