// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has limits, so it needs a pad for the elements beyond them}}
  %0 = tile.load %A[d0, d1] limits [%n] : memref<?x?xf32>, vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op pads with another type than that of the tile's elements}}
  %0 = "tile.load"(%B, %d) {map = affine_map<(d0) -> (d0)>, lower_dims = array<i64>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1>} : (memref<?xf32>, f64) -> vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op tile and memref have elements of different types}}
  %0 = tile.load %B[d0] : memref<?xf32>, vector<4xf64>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has 1 subscripts for a memref of rank 2}}
  %0 = tile.load %A[d0] : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has d1 in a subscript, but the tile is of rank 1}}
  %0 = tile.load %A[d0, d1] : memref<?x?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has another number of operands than its map has symbols}}
  %0 = "tile.load"(%B) {map = affine_map<(d0)[s0] -> (d0 + s0)>, lower_dims = array<i64>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (memref<?xf32>) -> vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op result #0 must be tile, but got 'vector<[4]xf32>'}}
  %0 = "tile.load"(%B) {map = affine_map<(d0) -> (d0)>, lower_dims = array<i64>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (memref<?xf32>) -> vector<[4]xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op bounds dimension 2 of a tile of rank 2}}
  %0 = tile.load %A[d0, d1] limits [_, _, %n] pad %x : memref<?x?xf32>, vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has 1 uppers for 2 dimensions}}
  %0 = "tile.load"(%A, %n, %x) {map = affine_map<(d0, d1) -> (d0, d1)>, lower_dims = array<i64>, upper_dims = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 1>} : (memref<?x?xf32>, index, f32) -> vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op has 2 lowers for 1 dimensions}}
  %0 = "tile.load"(%A, %n, %n, %x) {map = affine_map<(d0, d1) -> (d0, d1)>, lower_dims = array<i64: 1>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 2, 0, 0, 1>} : (memref<?x?xf32>, index, index, f32) -> vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op names dimensions of uppers that do not ascend}}
  %0 = "tile.load"(%A, %n, %n, %x) {map = affine_map<(d0, d1) -> (d0, d1)>, lower_dims = array<i64>, upper_dims = array<i64: 1, 0>, operandSegmentSizes = array<i32: 1, 0, 0, 2, 0, 1>} : (memref<?x?xf32>, index, index, f32) -> vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.load' op names dimensions of lowers that do not ascend}}
  %0 = "tile.load"(%A, %n, %n, %x) {map = affine_map<(d0, d1) -> (d0, d1)>, lower_dims = array<i64: 0, 0>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 2, 0, 0, 1>} : (memref<?x?xf32>, index, index, f32) -> vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.store' op stores several elements to one place, since no subscript has d0}}
  tile.store %v, %A[%i, d1] : vector<4x8xf32>, memref<?x?xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.store' op tile and memref have elements of different types}}
  tile.store %k, %B[d0] : vector<4xi32>, memref<?xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.store' op has 2 subscripts for a memref of rank 1}}
  tile.store %r, %B[d0, %i] : vector<8xf32>, memref<?xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{has 'plus', which is no kind of reduction; addf, addi, andi, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori and xori are}}
  %0 = tile.reduce plus %v, %x axes [0, 1] : vector<4x8xf32> -> f32
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op needs at least one axis, and none that is negative}}
  %0 = tile.reduce addf %v, %v axes [] : vector<4x8xf32> -> vector<4x8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op needs at least one axis, and none that is negative}}
  %0 = tile.reduce addf %v, %x axes [-1, 0] : vector<4x8xf32> -> f32
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op needs axes that ascend and are dimensions of a tile of rank 2}}
  %0 = tile.reduce addf %v, %x axes [1, 0] : vector<4x8xf32> -> f32
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op needs axes that ascend and are dimensions of a tile of rank 2}}
  %0 = tile.reduce addf %v, %r axes [2] : vector<4x8xf32> -> vector<8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op has a result that is not the tile without its axes}}
  %0 = tile.reduce addf %v, %r axes [1] : vector<4x8xf32> -> vector<8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op needs a kind that combines}}
  %0 = tile.reduce assign %v, %r axes [0] : vector<4x8xf32> -> vector<8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op has kind addf, which does not fit the tile's elements}}
  %0 = tile.reduce addf %k, %c axes [0] : vector<4xi32> -> i32
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.reduce' op bounds dimension 1 of a tile of rank 1}}
  %0 = tile.reduce addi %k, %c axes [0] limits [_, %n] : vector<4xi32> -> i32
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.mask' op needs elements of type i1}}
  %0 = tile.mask limits [%n] : vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.mask' op bounds dimension 1 of a tile of rank 1}}
  %0 = tile.mask limits [_, %n to _] : vector<4xi1>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>, %m: vector<8xi1>) {
  // expected-error @+1 {{'tile.load' op has a mask, so it needs a pad where that is false}}
  %0 = tile.load %B[d0] mask %m : memref<?xf32>, vector<8xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>, %m: vector<8xi1>) {
  // expected-error @+1 {{'tile.load' op has a mask that is no tile of i1 of the same shape}}
  %0 = "tile.load"(%B, %m, %x) {map = affine_map<(d0) -> (d0)>, lower_dims = array<i64>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 1>} : (memref<?xf32>, vector<8xi1>, f32) -> vector<4xf32>
  return
}

// -----

func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %i: index, %n: index, %x: f32, %d: f64, %v: vector<4x8xf32>, %r: vector<8xf32>, %k: vector<4xi32>, %c: i32, %s: vector<[4]xf32>) {
  // expected-error @+1 {{'tile.store' op has a mask that is no tile of i1 of the same shape}}
  "tile.store"(%r, %B, %r) {map = affine_map<(d0) -> (d0)>, lower_dims = array<i64>, upper_dims = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>} : (vector<8xf32>, memref<?xf32>, vector<8xf32>) -> ()
  return
}
