// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// Every op of the dialect once, with its optional parts.

func.func @shapes(%f: f32, %v: vector<4xf32>, %m: vector<2x4xf32>, %s: vector<[4]xf32>) {
  %0 = vector.broadcast %f : f32 to vector<2x4xf32>
  %1 = vector.shape_cast %m : vector<2x4xf32> to vector<8xf32>
  %2 = vector.bitcast %v : vector<4xf32> to vector<8xi16>
  %3 = vector.transpose %m, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %4 = vector.shuffle %v, %v [0, 7, -1] : vector<4xf32>, vector<4xf32>
  %5 = vector.interleave %v, %v : vector<4xf32> -> vector<8xf32>
  %6, %7 = vector.deinterleave %v : vector<4xf32> -> vector<2xf32>
  %8 = vector.step : vector<4xindex>
  %9 = vector.vscale
  %10 = vector.scalable.insert %v, %s[0] : vector<4xf32> into vector<[4]xf32>
  %11 = vector.scalable.extract %s[0] : vector<4xf32> from vector<[4]xf32>
  return
}
func.func @elements(%f: f32, %v: vector<4xf32>, %m: vector<2x4xf32>, %i: index, %z: vector<f32>) {
  %0 = vector.extract %m[1] : vector<4xf32> from vector<2x4xf32>
  %1 = vector.extract %m[%i, 3] : f32 from vector<2x4xf32>
  %2 = vector.extract %z[] : f32 from vector<f32>
  %3 = vector.insert %f, %v [%i] : f32 into vector<4xf32>
  %4 = vector.insert %v, %m [0] : vector<4xf32> into vector<2x4xf32>
  %5 = vector.extract_strided_slice %m {offsets = [0, 2], sizes = [1, 2], strides = [1, 1]} : vector<2x4xf32> to vector<1x2xf32>
  %6 = vector.insert_strided_slice %5, %m {offsets = [1, 0], strides = [1, 1]} : vector<1x2xf32> into vector<2x4xf32>
  %7:4 = vector.to_elements %v : vector<4xf32>
  %8 = vector.from_elements %f, %7#0 : vector<2x1xf32>
  return
}
func.func @memory(%b: memref<?x?xf32>, %t: memref<4x4xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %p: f32, %T: tensor<?xf32>) {
  %0 = vector.load %b[%i, %i] : memref<?x?xf32>, vector<4xf32>
  %1 = vector.load %b[%i, %i] {alignment = 16 : i64, nontemporal = true} : memref<?x?xf32>, vector<4xf32>
  vector.store %v, %b[%i, %i] : memref<?x?xf32>, vector<4xf32>
  %2 = vector.maskedload %b[%i, %i], %k, %v : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %b[%i, %i], %k, %v : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
  %3 = vector.expandload %b[%i, %i], %k, %v : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.compressstore %b[%i, %i], %k, %v : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
  %4 = vector.gather %b[%i, %i] [%x], %k, %v : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %b[%i, %i] [%x], %k, %v : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %5 = vector.transfer_read %b[%i, %i], %p : memref<?x?xf32>, vector<4xf32>
  %6 = vector.transfer_read %b[%i, %i], %p, %k {in_bounds = [true]} : memref<?x?xf32>, vector<4xf32>
  %7 = vector.transfer_read %b[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d1, 0, d0)>} : memref<?x?xf32>, vector<4x2x3xf32>
  vector.transfer_write %v, %b[%i, %i] : vector<4xf32>, memref<?x?xf32>
  %8 = vector.transfer_write %v, %T[%i], %k {in_bounds = [true]} : vector<4xf32>, tensor<?xf32>
  %9 = vector.type_cast %t : memref<4x4xf32> to memref<vector<4x4xf32>>
  return
}
func.func @reduce(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %w: vector<4x3xf32>, %c: vector<2x3xf32>) {
  %0 = vector.reduction <add>, %v : vector<4xf32> into f32
  %1 = vector.reduction <maximumf>, %v, %f fastmath<nnan,ninf> : vector<4xf32> into f32
  %2 = vector.multi_reduction <mul>, %m, %v [0] : vector<2x4xf32> to vector<4xf32>
  %3 = vector.fma %v, %v, %v : vector<4xf32>
  %4:2 = vector.scan <add>, %m, %v {inclusive = true, reduction_dim = 0 : i64} : vector<2x4xf32>, vector<4xf32>
  %5 = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %m, %w, %c : vector<2x4xf32>, vector<4x3xf32> into vector<2x3xf32>
  %6 = vector.outerproduct %v, %v : vector<4xf32>, vector<4xf32>
  %7 = vector.outerproduct %v, %f, %v {kind = #vector.kind<mul>} : vector<4xf32>, f32
  return
}
func.func @masks(%n: index, %v: vector<4xf32>, %f: f32) {
  %0 = vector.constant_mask [2] : vector<4xi1>
  %1 = vector.create_mask %n, %n : vector<2x4xi1>
  %2 = vector.mask %0 { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  vector.mask %0 { vector.yield } : vector<4xi1>
  vector.print %v : vector<4xf32>
  vector.print %f : f32 punctuation <comma>
  vector.print str "text"
  vector.print punctuation <open>
  return
}

// CHECK: func.func @shapes(%{{.*}}: f32, %{{.*}}: vector<4xf32>, %{{.*}}: vector<2x4xf32>, %{{.*}}: vector<[4]xf32>) {
// CHECK: %{{.*}} = vector.broadcast %{{.*}} : f32 to vector<2x4xf32>
// CHECK: %{{.*}} = vector.shape_cast %{{.*}} : vector<2x4xf32> to vector<8xf32>
// CHECK: %{{.*}} = vector.bitcast %{{.*}} : vector<4xf32> to vector<8xi16>
// CHECK: %{{.*}} = vector.transpose %{{.*}}, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
// CHECK: %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 7, -1] : vector<4xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.interleave %{{.*}}, %{{.*}} : vector<4xf32> -> vector<8xf32>
// CHECK: %{{.*}}, %{{.*}} = vector.deinterleave %{{.*}} : vector<4xf32> -> vector<2xf32>
// CHECK: %{{.*}} = vector.step : vector<4xindex>
// CHECK: %{{.*}} = vector.vscale
// CHECK: %{{.*}} = vector.scalable.insert %{{.*}}, %{{.*}}[0] : vector<4xf32> into vector<[4]xf32>
// CHECK: %{{.*}} = vector.scalable.extract %{{.*}}[0] : vector<4xf32> from vector<[4]xf32>
// CHECK: func.func @elements(%{{.*}}: f32, %{{.*}}: vector<4xf32>, %{{.*}}: vector<2x4xf32>, %{{.*}}: index, %{{.*}}: vector<f32>) {
// CHECK: %{{.*}} = vector.extract %{{.*}}[1] : vector<4xf32> from vector<2x4xf32>
// CHECK: %{{.*}} = vector.extract %{{.*}}[%{{.*}}, 3] : f32 from vector<2x4xf32>
// CHECK: %{{.*}} = vector.extract %{{.*}}[] : f32 from vector<f32>
// CHECK: %{{.*}} = vector.insert %{{.*}}, %{{.*}} [%{{.*}}] : f32 into vector<4xf32>
// CHECK: %{{.*}} = vector.insert %{{.*}}, %{{.*}} [0] : vector<4xf32> into vector<2x4xf32>
// CHECK: %{{.*}} = vector.extract_strided_slice %{{.*}} {offsets = [0, 2], sizes = [1, 2], strides = [1, 1]} : vector<2x4xf32> to vector<1x2xf32>
// CHECK: %{{.*}} = vector.insert_strided_slice %{{.*}}, %{{.*}} {offsets = [1, 0], strides = [1, 1]} : vector<1x2xf32> into vector<2x4xf32>
// CHECK: %{{.*}} = vector.to_elements %{{.*}} : vector<4xf32>
// CHECK: %{{.*}} = vector.from_elements %{{.*}}, %{{.*}} : vector<2x1xf32>
// CHECK: func.func @memory(%{{.*}}: memref<?x?xf32>, %{{.*}}: memref<4x4xf32>, %{{.*}}: index, %{{.*}}: vector<4xf32>, %{{.*}}: vector<4xi1>, %{{.*}}: vector<4xi32>, %{{.*}}: f32, %{{.*}}: tensor<?xf32>) {
// CHECK: %{{.*}} = vector.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.load %{{.*}}[%{{.*}}, %{{.*}}] {alignment = 16 : i64, nontemporal = true} : memref<?x?xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.maskedload %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK: vector.maskedstore %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %{{.*}} = vector.expandload %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK: vector.compressstore %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %{{.*}} = vector.gather %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK: vector.scatter %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
// CHECK: %{{.*}} = vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} {in_bounds = [true]} : memref<?x?xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {permutation_map = #{{map[0-9]*}}} : memref<?x?xf32>, vector<4x2x3xf32>
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : vector<4xf32>, memref<?x?xf32>
// CHECK: %{{.*}} = vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} {in_bounds = [true]} : vector<4xf32>, tensor<?xf32>
// CHECK: %{{.*}} = vector.type_cast %{{.*}} : memref<4x4xf32> to memref<vector<4x4xf32>>
// CHECK: func.func @reduce(%{{.*}}: vector<4xf32>, %{{.*}}: vector<2x4xf32>, %{{.*}}: f32, %{{.*}}: vector<4x3xf32>, %{{.*}}: vector<2x3xf32>) {
// CHECK: %{{.*}} = vector.reduction <add>, %{{.*}} : vector<4xf32> into f32
// CHECK: %{{.*}} = vector.reduction <maximumf>, %{{.*}}, %{{.*}} fastmath<nnan,ninf> : vector<4xf32> into f32
// CHECK: %{{.*}} = vector.multi_reduction <mul>, %{{.*}}, %{{.*}} [0] : vector<2x4xf32> to vector<4xf32>
// CHECK: %{{.*}} = vector.fma %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: %{{.*}}, %{{.*}} = vector.scan <add>, %{{.*}}, %{{.*}} {inclusive = true, reduction_dim = 0 : i64} : vector<2x4xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.contract {indexing_maps = [#{{map[0-9]*}}, #{{map[0-9]*}}, #{{map[0-9]*}}], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %{{.*}}, %{{.*}}, %{{.*}} : vector<2x4xf32>, vector<4x3xf32> into vector<2x3xf32>
// CHECK: %{{.*}} = vector.outerproduct %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>
// CHECK: %{{.*}} = vector.outerproduct %{{.*}}, %{{.*}}, %{{.*}} {kind = #vector.kind<mul>} : vector<4xf32>, f32
// CHECK: func.func @masks(%{{.*}}: index, %{{.*}}: vector<4xf32>, %{{.*}}: f32) {
// CHECK: %{{.*}} = vector.constant_mask [2] : vector<4xi1>
// CHECK: %{{.*}} = vector.create_mask %{{.*}}, %{{.*}} : vector<2x4xi1>
// CHECK: %{{.*}} = vector.mask %{{.*}} { vector.reduction <add>, %{{.*}} : vector<4xf32> into f32 } : vector<4xi1> -> f32
// CHECK: vector.mask %{{.*}} { vector.yield } : vector<4xi1>
// CHECK: vector.print %{{.*}} : vector<4xf32>
// CHECK: vector.print %{{.*}} : f32 punctuation <comma>
// CHECK: vector.print str "text"
// CHECK: vector.print punctuation <open>
