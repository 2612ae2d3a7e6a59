//! `vector`.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Interpreter, Value};

#[test]
fn transfers_pad_mask_and_permute() {
    let text = "func.func @f(%c3: index, %m: memref<4x5xf64>, %out: memref<6x4xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %pad = arith.constant -9.0 : f64
      // Past the end of the row: padded.
      %a = vector.transfer_read %m[%c1, %c3], %pad : memref<4x5xf64>, vector<4xf64>
      vector.transfer_write %a, %out[%c0, %c0] : vector<4xf64>, memref<6x4xf64>
      // A column.
      %b = vector.transfer_read %m[%c0, %c2], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>, in_bounds = [true]} : memref<4x5xf64>, vector<4xf64>
      vector.transfer_write %b, %out[%c1, %c0] {in_bounds = [true]} : vector<4xf64>, memref<6x4xf64>
      // Masked.
      %mask = arith.constant dense<[true, false, true, false]> : vector<4xi1>
      %c = vector.transfer_read %m[%c2, %c0], %pad, %mask {in_bounds = [true]} : memref<4x5xf64>, vector<4xf64>
      vector.transfer_write %c, %out[%c2, %c0] : vector<4xf64>, memref<6x4xf64>
      vector.transfer_write %b, %out[%c3, %c0], %mask : vector<4xf64>, memref<6x4xf64>
      // Transposed, and broadcast along a dimension.
      %t = vector.transfer_read %m[%c0, %c0], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]} : memref<4x5xf64>, vector<2x2xf64>
      vector.transfer_write %t, %out[%c4, %c0] {in_bounds = [true, true]} : vector<2x2xf64>, memref<6x4xf64>
      %s = vector.transfer_read %m[%c3, %c1], %pad {permutation_map = affine_map<(d0, d1) -> (0)>, in_bounds = [true]} : memref<4x5xf64>, vector<2xf64>
      vector.transfer_write %s, %out[%c5, %c2] {in_bounds = [true]} : vector<2xf64>, memref<6x4xf64>
      return
    }";
    let data: Vec<f64> = (0..20).map(f64::from).collect();
    let arrays: &[(&str, &[i64], &[f64])] = &[
        ("memref<4x5xf64>", &[4, 5], &data),
        ("memref<6x4xf64>", &[6, 4], &[0.0; 24]),
    ];
    let out = &on_arrays(text, &[index(3)], arrays)[1];
    assert_eq!(out[0..4], [8.0, 9.0, -9.0, -9.0]);
    assert_eq!(out[4..8], [2.0, 7.0, 12.0, 17.0]);
    assert_eq!(out[8..12], [10.0, -9.0, 12.0, -9.0]);
    assert_eq!(out[12..16], [2.0, 0.0, 12.0, 0.0]);
    assert_eq!(out[16..18], [0.0, 5.0]);
    assert_eq!(out[20..24], [1.0, 6.0, 16.0, 16.0]);
}

#[test]
fn slices_must_lie_in_memory() {
    let text = "func.func @f(%i: index) {
      %m = memref.alloc() : memref<8xf32>
      %v = arith.constant dense<1.0> : vector<4xf32>
      vector.store %v, %m[%i] : memref<8xf32>, vector<4xf32>
      %r = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
      return
    }";
    assert_eq!(run(text, &[index(4)]), []);
    assert_eq!(
        fails(text, &[index(5)]),
        "4: index 8 is out of bounds for dimension 0 of size 8"
    );
    let read = "func.func @f(%i: index, %m: memref<8xf32>) {
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
      return
    }";
    let (mut ctx, module) = module(read);
    let ty = parse_type(&mut ctx, "memref<8xf32>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.array(ty, &[8], &bytes_f32(&[0.0; 8])).unwrap();
    let e = interp.call("f", vec![index(6), m]).unwrap_err();
    assert_eq!(
        e.message,
        "index 8 is out of bounds for dimension 0 of size 8"
    );
}

#[test]
fn elements_shapes_and_reductions() {
    let text = "func.func @f(%x: i32, %i: index) -> (i32, i32, i32, i32, i32, f32) {
      %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>
      %e = vector.extract %a[1, %i] : i32 from vector<2x3xi32>
      %row = vector.extract %a[1] : vector<3xi32> from vector<2x3xi32>
      %sum = vector.reduction <add>, %row : vector<3xi32> into i32
      %max = vector.reduction <maxsi>, %row, %x : vector<3xi32> into i32
      %b = vector.insert %x, %a[0, 1] : i32 into vector<2x3xi32>
      %f = vector.shape_cast %b : vector<2x3xi32> to vector<6xi32>
      %g = vector.extract %f[1] : i32 from vector<6xi32>
      %c = vector.broadcast %row : vector<3xi32> to vector<2x3xi32>
      %t = vector.transpose %c, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
      %h = vector.extract %t[2, 1] : i32 from vector<3x2xi32>
      %one = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
      %fma = vector.fma %one, %one, %one : vector<2xf32>
      %s = vector.reduction <add>, %fma : vector<2xf32> into f32
      return %e, %sum, %max, %g, %h, %s : i32, i32, i32, i32, i32, f32
    }";
    assert_eq!(
        run(text, &[i32v(9), index(2)]),
        [
            i32v(6),
            i32v(15),
            i32v(9),
            i32v(9),
            i32v(6),
            Value::F32(8.0)
        ]
    );
    assert_eq!(
        fails(text, &[i32v(9), index(3)]),
        "3: index 3 is out of bounds for dimension 1 of size 3"
    );
}

#[test]
fn masks_and_rearrangements() {
    let text = "func.func @f(%n: index, %p: i32) -> (i32, i32, i32) {
      %c0 = arith.constant 0 : index
      %m = memref.alloc() : memref<4xi32>
      %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
      %mask = vector.create_mask %n : vector<4xi1>
      vector.maskedstore %m[%c0], %mask, %v : memref<4xi32>, vector<4xi1>, vector<4xi32>
      %z = vector.broadcast %p : i32 to vector<4xi32>
      %l = vector.maskedload %m[%c0], %mask, %z : memref<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
      %s = vector.reduction <add>, %l : vector<4xi32> into i32
      %w = vector.shuffle %l, %v [3, 4, 0] : vector<4xi32>, vector<4xi32>
      %e:3 = vector.to_elements %w : vector<3xi32>
      %f = vector.from_elements %e#2, %e#0 : vector<2xi32>
      %g = vector.extract %f[0] : i32 from vector<2xi32>
      %d = vector.extract %w[1] : i32 from vector<3xi32>
      return %s, %g, %d : i32, i32, i32
    }";
    assert_eq!(
        run(text, &[index(2), i32v(100)]),
        [i32v(203), i32v(1), i32v(1)]
    );
}

#[test]
fn memory_of_vectors() {
    let text = "func.func @f() -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = memref.alloc() : memref<2x4xf32>
      %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
      vector.store %v, %m[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
      vector.store %v, %m[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
      %t = vector.type_cast %m : memref<2x4xf32> to memref<vector<2x4xf32>>
      %w = memref.load %t[] : memref<vector<2x4xf32>>
      %x = vector.extract %w[1, 2] : f32 from vector<2x4xf32>
      %n = memref.alloc() : memref<3xvector<4xf32>>
      memref.store %v, %n[%c1] : memref<3xvector<4xf32>>
      %u = memref.load %n[%c1] : memref<3xvector<4xf32>>
      %y = vector.extract %u[3] : f32 from vector<4xf32>
      %r = arith.addf %x, %y : f32
      return %r : f32
    }";
    assert_eq!(run(text, &[]), [Value::F32(7.0)]);
}
