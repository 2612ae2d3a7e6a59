// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: f64, %m: memref<4xf32>) {
  // expected-error @+1 {{'linalg.fill' op expected fill value type ('f64') to match output element type ('f32')}}
  linalg.fill ins(%v : f64) outs(%m : memref<4xf32>)
  return
}

// -----

func.func @f(%v: f32, %m: tensor<4xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  linalg.fill ins(%v : f32) outs(%m : tensor<4xf32>)
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{expected op with scalar input}}
  linalg.fill ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<?xf32>) {
  // expected-error @+1 {{expected type of operand #1 ('tensor<?xf32>') to match type of corresponding result ('tensor<4xf32>')}}
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%b : tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @+1 {{expected to have pure tensor or buffer semantics}}
  linalg.exp ins(%a : tensor<4xf32>) outs(%m : memref<4xf32>)
  return
}

// -----

func.func @f(%m: memref<4xi32>) {
  // expected-error @+1 {{unsupported non numeric type}}
  linalg.exp ins(%m : memref<4xi32>) outs(%m : memref<4xi32>)
  return
}

// -----

func.func @f(%m: memref<4xi1>) {
  // expected-error @+1 {{unsupported operation: sub with bools}}
  linalg.sub ins(%m, %m : memref<4xi1>, memref<4xi1>) outs(%m : memref<4xi1>)
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{unsupported operation: unsigned div not on uint}}
  linalg.div_unsigned ins(%m, %m : memref<4xf32>, memref<4xf32>) outs(%m : memref<4xf32>)
  return
}

// -----

func.func @f(%m: memref<4xi1>) {
  // expected-error @+1 {{unsupported operation: div with bools}}
  linalg.div ins(%m, %m : memref<4xi1>, memref<4xi1>) outs(%m : memref<4xi1>)
  return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<4xi32>) {
  // expected-error @+1 {{Cannot build binary Linalg operation: expects allComplex, allFloatingPoint, or allInteger, got 'f32' and 'i32'}}
  linalg.add ins(%a, %b : memref<4xf32>, memref<4xi32>) outs(%a : memref<4xf32>)
  return
}

// -----

func.func @f(%a: memref<4xcomplex<f32>>) {
  // expected-error @+1 {{has complex elements, whose ops are not here; terrace-mlir brings it down}}
  linalg.add ins(%a, %a : memref<4xcomplex<f32>>, memref<4xcomplex<f32>>) outs(%a : memref<4xcomplex<f32>>)
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{ods-gen generated region expects 3 args, got 2}}
  linalg.add ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{'linalg.exp' op expected 1 input(s) and one output, but found 0 and 1}}
  "linalg.exp"(%a) <{operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%x: f32):
    "linalg.yield"(%x) : (f32) -> ()
  }) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @f(%a: memref<4x6xf32>, %b: memref<5x3xf32>, %c: memref<4x3xf32>) {
  // expected-error @+1 {{inferred input/output operand #1 has shape's dimension #0 to be 6, but found 5}}
  linalg.matmul ins(%a, %b : memref<4x6xf32>, memref<5x3xf32>) outs(%c : memref<4x3xf32>)
  return
}

// -----

func.func @f(%a: memref<4x6xf32>, %c: memref<4x3xf32>) {
  // expected-error @+1 {{element of indexing_maps array is not an affine_map}}
  linalg.matmul indexing_maps = [1] ins(%a, %a : memref<4x6xf32>, memref<4x6xf32>) outs(%c : memref<4x3xf32>)
  return
}

// -----

func.func @f(%a: memref<4x6xf32>, %c: memref<4x3xf32>) {
  // expected-error @+1 {{Indexing_map attribute must have 3 affine maps.}}
  linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>] ins(%a, %a : memref<4x6xf32>, memref<4x6xf32>) outs(%c : memref<4x3xf32>)
  return
}

// -----

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#row = affine_map<(i, j, k) -> (i)>

func.func @f(%b: memref<6x3xf32>, %c: memref<4x3xf32>) {
  // expected-error @+1 {{Unexpected dim expression in map result.}}
  linalg.matmul indexing_maps = [#c, #b, #c] ins(%c, %b : memref<4x3xf32>, memref<6x3xf32>) outs(%c : memref<4x3xf32>)
  return
}

func.func @g(%a: memref<4xf32>, %b: memref<6x3xf32>, %c: memref<4x3xf32>) {
  // expected-error @+1 {{Invalid broadcast requested, should be (d2).}}
  linalg.matmul indexing_maps = [#row, #b, #c] ins(%a, %b : memref<4xf32>, memref<6x3xf32>) outs(%c : memref<4x3xf32>)
  return
}

// -----

#a = affine_map<(b, i, j, k) -> (b, i, k)>
#b = affine_map<(b, i, j, k) -> (b, k, j)>
#c = affine_map<(b, i, j, k) -> (b, i, j)>
#other = affine_map<(b, i, j, k) -> (b, i, j)>
#last = affine_map<(b, i, j, k) -> (i, b, k)>
#two = affine_map<(b, i, j, k) -> (b, i)>
#four = affine_map<(b, i, j, k) -> (b, i, k, k)>
#turned = affine_map<(b, i, j, k) -> (b, j, i)>

func.func @f0(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{Unexpected result dim expression (outside the set of default result dims).}}
  linalg.batch_matmul indexing_maps = [#other, #b, #c] ins(%a, %a : memref<2x2x2xf32>, memref<2x2x2xf32>) outs(%a : memref<2x2x2xf32>)
  return
}

func.func @f1(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{Invalid batch dimension expression.}}
  linalg.batch_matmul indexing_maps = [#last, #b, #c] ins(%a, %a : memref<2x2x2xf32>, memref<2x2x2xf32>) outs(%a : memref<2x2x2xf32>)
  return
}

func.func @f2(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{Invalid broadcast requested.}}
  linalg.batch_matmul indexing_maps = [#two, #b, #c] ins(%two, %a : memref<2x2xf32>, memref<2x2x2xf32>) outs(%a : memref<2x2x2xf32>)
  return
}

func.func @f3(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{no. of result dim expressions exceeds 3.}}
  linalg.batch_matmul indexing_maps = [#four, #b, #c] ins(%four, %a : memref<2x2x2x2xf32>, memref<2x2x2xf32>) outs(%a : memref<2x2x2xf32>)
  return
}

func.func @f4(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{Invalid output map result dimension.}}
  linalg.batch_matmul indexing_maps = [#a, #b, #turned] ins(%a, %a : memref<2x2x2xf32>, memref<2x2x2xf32>) outs(%a : memref<2x2x2xf32>)
  return
}

func.func @f5(%a: memref<2x2x2xf32>, %two: memref<2x2xf32>, %four: memref<2x2x2x2xf32>) {
  // expected-error @+1 {{expects 3 dims, but got (2).}}
  linalg.batch_matmul indexing_maps = [#a, #b, #two] ins(%a, %a : memref<2x2x2xf32>, memref<2x2x2xf32>) outs(%two : memref<2x2xf32>)
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected parent op with LinalgOp interface}}
  %0 = linalg.index 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected parent op with LinalgOp interface}}
  linalg.yield
}

// -----

func.func @f(%m: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    // expected-error @+1 {{expected dim (1) to be lower than the number of loops (1) of the enclosing LinalgOp}}
    %0 = linalg.index 1 : index
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    // expected-error @+1 {{attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0}}
    %0 = linalg.index -1 : index
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    // expected-error @+1 {{expected number of yield values (2) to match the number of inits / outs operands of the enclosing LinalgOp (1)}}
    linalg.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: i32) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    // expected-error @+1 {{type of yield operand 1 ('i32') doesn't match the element type of the enclosing linalg.generic op ('f32')}}
    linalg.yield %i : i32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{unexpected iterator_type (random)}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["random"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{expected "iterator_types" array attribute}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{expected the number of indexing_map (0) to be equal to the number of input/output operands (1)}}
  linalg.generic {indexing_maps = [], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{expected indexing_map #0 to have 0 dim(s) to match the number of loops}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = []} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{expected operand #0 rank (1) to match the result rank of indexing_map (2)}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{unexpected symbols in indexing_map #0}}
  linalg.generic {indexing_maps = [affine_map<(i)[s] -> (i + s)>], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{invalid indexing maps are non-invertible: ((d0, d1) -> (d0 + d1, d0 + d1))}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["parallel", "parallel"]} ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error @+1 {{inferred input/output operand #1 has shape's dimension #0 to be greater than or equal to 6, but found 5}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%b : memref<5xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error @+1 {{unexpected result less than 0 at expression #0 in (d0) -> (d0 - 1)}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i - 1)>], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%b : memref<5xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{expected as many non-induction variable region arguments as the number of input/output operands}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>, %v: f32) {
  // expected-error @+1 {{expected type of bb argument #0 ('f64') to match element or self type of the corresponding operand ('f32')}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : memref<4xf32>) {
  ^bb0(%x: f64):
    linalg.yield %v : f32
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{expects to have 1 region with 1 block}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : memref<4xf32>) {
  }
  return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @+1 {{custom op 'linalg.conv_1d' is unknown; mlir-opt --convert-linalg-to-affine-loops makes loops of it}}
  linalg.conv_1d ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
  return
}
