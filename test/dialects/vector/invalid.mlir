// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{source type is not a vector}}
  %0 = "vector.broadcast"(%b) : (memref<?x?xf32>) -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{source rank higher than destination rank}}
  %0 = vector.broadcast %m : vector<2x4xf32> to vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{dimension mismatch (4 vs. 3)}}
  %0 = vector.broadcast %v : vector<4xf32> to vector<2x3xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{has different source and result element types}}
  %0 = vector.shape_cast %v : vector<4xf32> to vector<4xi32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{has different number of elements at source (4) and result (5)}}
  %0 = vector.shape_cast %v : vector<4xf32> to vector<5xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{has different number of scalable dims at source (0) and result (1)}}
  %0 = vector.shape_cast %v : vector<4xf32> to vector<[4]xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{dimension size mismatch at: 0}}
  %0 = vector.bitcast %m : vector<2x4xf32> to vector<4x4xi16>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{source/result bitwidth of the minor 1-D vectors must be equal}}
  %0 = vector.bitcast %v : vector<4xf32> to vector<4xi16>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{vector result rank mismatch: 1}}
  %0 = vector.transpose %m, [1, 0] : vector<2x4xf32> to vector<8xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{transposition length mismatch: 3}}
  %0 = vector.transpose %m, [1, 0, 2] : vector<2x4xf32> to vector<4x2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{transposition index out of range: 2}}
  %0 = vector.transpose %m, [1, 2] : vector<2x4xf32> to vector<4x2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{duplicate position index: 1}}
  %0 = vector.transpose %m, [1, 1] : vector<2x4xf32> to vector<4x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{dimension size mismatch at: 0}}
  %0 = vector.transpose %m, [0, 1] : vector<2x4xf32> to vector<4x2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{mask index #1 out of range}}
  %0 = vector.shuffle %v, %v [8] : vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{rank mismatch}}
  %0 = vector.shuffle %v, %m [0] : vector<4xf32>, vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{failed to verify that type of 'result' is double the width of the inputs}}
  %0 = vector.interleave %v, %v : vector<4xf32> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{half the width of source trailing dimension}}
  %0, %1 = vector.deinterleave %v : vector<4xf32> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected position attribute of rank no greater than vector rank}}
  %0 = vector.extract %v[0, 0] : f32 from vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected position attribute #1 to be a non-negative integer smaller than the corresponding vector dimension or poison (-1)}}
  %0 = vector.extract %v[4] : f32 from vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected position attribute rank + source rank to match dest vector rank}}
  %0 = vector.insert %v, %m [0, 0] : vector<4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected position attribute rank to match the dest vector rank}}
  %0 = vector.insert %f, %m [0] : f32 into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected position attribute #1 to be a non-negative integer smaller than the corresponding dest vector dimension}}
  %0 = vector.insert %f, %v [4] : f32 into vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected offsets, sizes and strides attributes of same size}}
  %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1, 1]} : vector<4xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected offsets dimension 0 to be confined to [0, 4)}}
  %0 = vector.extract_strided_slice %v {offsets = [4], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected strides to be confined to [1, 2)}}
  %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [2]} : vector<4xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected sum(offsets, sizes) dimension 0 to be confined to [1, 5)}}
  %0 = vector.extract_strided_slice %v {offsets = [3], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected result type to be 'vector<2xf32>'}}
  %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<3xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected offsets of same size as destination vector rank}}
  %0 = vector.insert_strided_slice %v, %m {offsets = [0], strides = [1]} : vector<4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected sum(offsets, source vector shape) dimension 1 to be confined to [1, 5)}}
  %0 = vector.insert_strided_slice %v, %m {offsets = [0, 1], strides = [1]} : vector<4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{number of operands and types do not match: got 1 operands and 2 types}}
  %0 = vector.from_elements %f : vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires 2 indices}}
  %0 = vector.load %b[%i] : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{base and result element types should match}}
  %0 = vector.load %b[%i, %i] : memref<?x?xf32>, vector<4xi32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{base and valueToStore element type should match}}
  vector.store %x, %b[%i, %i] : memref<?x?xf32>, vector<4xi32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected result shape to match mask shape}}
  %0 = vector.maskedload %b[%i, %i], %k, %m : memref<?x?xf32>, vector<4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected pass_thru of same type as result type}}
  %0 = vector.maskedload %b[%i, %i], %k, %x : memref<?x?xf32>, vector<4xi1>, vector<4xi32> into vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected result dim to match indices dim}}
  %0 = vector.gather %b[%i, %i] [%x], %k, %m : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires two types}}
  %0 = vector.transfer_read %b[%i, %i], %f : memref<?x?xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires memref or ranked tensor type}}
  %0 = vector.transfer_read %b[%i, %i], %f : vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires vector type}}
  %0 = vector.transfer_read %b[%i, %i], %f : memref<?x?xf32>, f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires 2 indices}}
  %0 = vector.transfer_read %b[%i], %f : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected a custom permutation_map when rank(source) != rank(destination)}}
  %0 = vector.transfer_read %b[%i, %i], %f : memref<?x?xf32>, vector<2x2x2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires a permutation_map with result dims of the same rank as the vector type}}
  %0 = vector.transfer_read %b[%i, %i], %f {permutation_map = affine_map<(d0, d1) -> (d0, d1)>} : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires a projected permutation_map (at most one dim or the zero constant can appear in each result)}}
  %0 = vector.transfer_read %b[%i, %i], %f {permutation_map = affine_map<(d0, d1) -> (d0 + d1)>} : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{requires a permutation_map that is a permutation (found one dim used more than once)}}
  %0 = vector.transfer_read %b[%i, %i], %f {permutation_map = affine_map<(d0, d1) -> (d0, d0)>} : memref<?x?xf32>, vector<4x4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{should not have broadcast dimensions}}
  vector.transfer_write %v, %b[%i, %i] {permutation_map = affine_map<(d0, d1) -> (0)>} : vector<4xf32>, memref<?x?xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expects the in_bounds attr of same rank as permutation_map results: affine_map<(d0, d1) -> (d1)> vs inBounds of size: 2}}
  %0 = vector.transfer_read %b[%i, %i], %f {in_bounds = [true, true]} : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{unsupported reduction rank: 2}}
  %0 = vector.reduction <add>, %m : vector<2x4xf32> into f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{unsupported reduction type ''f32'' for kind 'xor'}}
  %0 = vector.reduction <xor>, %v : vector<4xf32> into f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  %w = arith.constant dense<0.0> : vector<2xf32>
  // expected-error @+1 {{destination type 'vector<2xf32>' is incompatible with source type 'vector<2x4xf32>'}}
  %0 = vector.multi_reduction <add>, %m, %w [0] : vector<2x4xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{reduction dimension 2 has to be less than 2}}
  %0:2 = vector.scan <add>, %m, %v {inclusive = true, reduction_dim = 2 : i64} : vector<2x4xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected indexing map 0 to have 1 number of outputs}}
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} %v, %v, %f : vector<4xf32>, vector<4xf32> into f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected at least one contracting dimension pair}}
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} %v, %v, %v : vector<4xf32>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected at least 2 operands}}
  %0 = vector.outerproduct %v : vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected vector type for operand #1}}
  %0 = vector.outerproduct %f, %v : f32, vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expected 1-d vector for operand #1}}
  %0 = vector.outerproduct %m, %f : vector<2x4xf32>, f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{must specify array attr of size equal vector result rank}}
  %0 = vector.constant_mask [2, 2] : vector<4xi1>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{array attr of size out of bounds of vector result dimension size}}
  %0 = vector.constant_mask [5] : vector<4xi1>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{must specify an operand for each result vector dimension}}
  %0 = vector.create_mask %i, %i : vector<4xi1>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expects only one operation to mask}}
  %0 = vector.mask %k { %p = vector.reduction <add>, %v : vector<4xf32> into f32
    %q = vector.reduction <add>, %v : vector<4xf32> into f32
    vector.yield %q : f32 } : vector<4xi1> -> f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expects a MaskableOpInterface within the mask region}}
  %0 = vector.mask %k { arith.addf %v, %v : vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{expects a 'vector<2x4xi1>' mask for the maskable operation}}
  %0 = vector.mask %k { vector.multi_reduction <add>, %m, %v [0] : vector<2x4xf32> to vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{doesn't expect a passthru argument for this maskable operation}}
  %0 = vector.mask %k, %f { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  return
}

// -----

func.func @f(%v: vector<4xf32>, %m: vector<2x4xf32>, %f: f32, %i: index, %b: memref<?x?xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %d: f64) {
  // expected-error @+1 {{failed to verify that `source` or `punctuation` are not set when printing strings}}
  "vector.print"(%f) <{stringLiteral = "a"}> : (f32) -> ()
  return
}
