//! `tile`.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Config, Interpreter, Value};

/// A matrix of 4 by 5 whose elements are their places, and one of 4 by 4 for what comes out.
fn on_matrix(body: &str, scalars: &[Value]) -> Vec<f64> {
    let args: String = (0..scalars.len())
        .map(|i| format!("%s{i}: index, "))
        .collect();
    let text = format!(
        "func.func @f({args}%m: memref<4x5xf64>, %out: memref<4x4xf64>) {{\n{body}\nreturn\n}}"
    );
    let data: Vec<f64> = (0..20).map(f64::from).collect();
    let arrays: &[(&str, &[i64], &[f64])] = &[
        ("memref<4x5xf64>", &[4, 5], &data),
        ("memref<4x4xf64>", &[4, 4], &[-1.0; 16]),
    ];
    on_arrays(&text, scalars, arrays).remove(1)
}

#[test]
fn loads_follow_their_maps() {
    let body = "
      // A box, shifted.
      %a = tile.load %m[%s0 + d0, d1 + 2] : memref<4x5xf64>, vector<1x2xf64>
      tile.store %a, %out[d0, d1] : vector<1x2xf64>, memref<4x4xf64>
      // Every other column, transposed.
      %b = tile.load %m[d1, d0 * 2] : memref<4x5xf64>, vector<2x2xf64>
      tile.store %b, %out[d0 + 1, d1] : vector<2x2xf64>, memref<4x4xf64>
      // The same along d0.
      %c = tile.load %m[3, d1] : memref<4x5xf64>, vector<2x2xf64>
      tile.store %c, %out[d0 + 1, d1 + 2] : vector<2x2xf64>, memref<4x4xf64>
      // One dimension of the tile for two of memory.
      %d = tile.load %m[d0 floordiv 2, d0 mod 2] : memref<4x5xf64>, vector<4xf64>
      tile.store %d, %out[3, d0] : vector<4xf64>, memref<4x4xf64>";
    let out = on_matrix(body, &[index(1)]);
    assert_eq!(out[0..4], [7.0, 8.0, -1.0, -1.0]);
    assert_eq!(out[4..8], [0.0, 5.0, 15.0, 16.0]);
    assert_eq!(out[8..12], [2.0, 7.0, 15.0, 16.0]);
    assert_eq!(out[12..16], [0.0, 1.0, 5.0, 6.0]);
}

#[test]
fn what_is_beyond_the_limits_is_not_touched() {
    // Both tiles reach out of the matrices, but for their limits.
    let body = "
      %pad = arith.constant -9.0 : f64
      %a = tile.load %m[d0 + 2, d1 - 1] limits [%s0, %s1 to %s2] pad %pad : memref<4x5xf64>, vector<4x4xf64>
      tile.store %a, %out[d0 - 1, d1] limits [%s1 to _] : vector<4x4xf64>, memref<4x4xf64>";
    let out = on_matrix(body, &[index(2), index(1), index(3)]);
    assert_eq!(out[0..4], [-9.0, 15.0, 16.0, -9.0]);
    assert_eq!(out[4..12], [-9.0; 8]);
    assert_eq!(out[12..16], [-1.0; 4]);
    // Limits outside of the tile are those of the tile, and nothing need be left.
    let out = on_matrix(body, &[index(-5), index(1), index(100)]);
    assert_eq!(out[0..12], [-9.0; 12]);
    // What exists must be there.
    let text = "func.func @f(%n: index) {
      %m = memref.alloca() : memref<4xf32>
      %z = arith.constant 0.0 : f32
      %v = tile.load %m[d0] limits [%n] pad %z : memref<4xf32>, vector<8xf32>
      return
    }";
    assert_eq!(run(text, &[index(0)]), []);
    assert_eq!(
        fails(text, &[index(1)]),
        "4: reads memory that was never written"
    );
    let text = "func.func @f(%n: index) {
      %m = memref.alloca() : memref<4xf32>
      %v = arith.constant dense<1.0> : vector<8xf32>
      tile.store %v, %m[d0] limits [%n] : vector<8xf32>, memref<4xf32>
      return
    }";
    assert_eq!(run(text, &[index(4)]), []);
    assert_eq!(
        fails(text, &[index(5)]),
        "4: index 4 is out of bounds for dimension 0 of size 4"
    );
}

#[test]
fn two_elements_do_not_go_to_one_place() {
    let text = "func.func @f(%n: index) {
      %m = memref.alloca() : memref<4xf32>
      %v = arith.constant dense<1.0> : vector<8xf32>
      tile.store %v, %m[d0 floordiv 2] limits [%n] : vector<8xf32>, memref<4xf32>
      return
    }";
    assert_eq!(run(text, &[index(1)]), []);
    assert_eq!(
        fails(text, &[index(2)]),
        "4: stores two elements of the tile to one place"
    );
}

#[test]
fn promises_are_held() {
    let text = |access: &str| {
        format!(
            "func.func @f(%n: index, %at: index) {{
      %m = memref.alloca() : memref<8x8xf32>
      %v = arith.constant dense<1.0> : vector<2x4xf32>
      tile.store %v, %m{access} : vector<2x4xf32>, memref<8x8xf32>
      return
    }}"
        )
    };
    let granule = text("[d0, %at + d1] limits [_, %n] {granule = 2 : i64}");
    assert_eq!(run(&granule, &[index(2), index(0)]), []);
    assert_eq!(
        fails(&granule, &[index(3), index(0)]),
        "4: promises limits along d1 that are multiples of 2, but the upper one is 3"
    );
    let lower = text("[d0, %at + d1] limits [_, %n to _] {granule = 4 : i64}");
    assert_eq!(
        fails(&lower, &[index(2), index(0)]),
        "4: promises limits along d1 that are multiples of 4, but the lower one is 2"
    );
    // The promise is about the dimension along which memory is contiguous, and no other one.
    let other = text("[d1, %at + d0] limits [_, %n] {granule = 2 : i64}");
    assert_eq!(run(&other, &[index(3), index(0)]), []);
    let aligned = text("[d0, %at + d1] limits [_, %n] {alignment = 16 : i64}");
    assert_eq!(run(&aligned, &[index(4), index(4)]), []);
    assert_eq!(
        fails(&aligned, &[index(4), index(2)]),
        "4: promises rows at multiples of 16 bytes, but element 0 of one lies 8 bytes behind the start of its allocation"
    );
}

#[test]
fn elements_are_folded_in_order() {
    // Sums of these lose what the order tells.
    let text = "func.func @f(%n: index) -> (f32, f32, i32, f32) {
      %a = arith.constant dense<[[1.0, 1.0e8, -1.0e8], [3.0, 0.5, 0.25]]> : vector<2x3xf32>
      %zero = arith.constant 0.0 : f32
      %all = tile.reduce addf %a, %zero axes [0, 1] : vector<2x3xf32> -> f32
      %init = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf32>
      %columns = tile.reduce mulf %a, %init axes [0] limits [%n] : vector<2x3xf32> -> vector<3xf32>
      %c = vector.extract %columns[0] : f32 from vector<3xf32>
      %i = arith.constant dense<[[-3, 7], [2, 1]]> : vector<2x2xi32>
      %least = arith.constant 5 : i32
      %min = tile.reduce mins %i, %least axes [0, 1] limits [%n to _] : vector<2x2xi32> -> i32
      %rows = tile.reduce maximumf %a, %z2 axes [1] limits [%n] : vector<2x3xf32> -> vector<2xf32>
      %last = vector.extract %rows[1] : f32 from vector<2xf32>
      return %all, %c, %min, %last : f32, f32, i32, f32
    }";
    let text = text.replace(
        "%rows =",
        "%z2 = arith.constant dense<-2.0> : vector<2xf32>\n%rows =",
    );
    let all = ((((1.0f32 + 1.0e8) - 1.0e8) + 3.0) + 0.5) + 0.25;
    assert_eq!(
        run(&text, &[index(1)]),
        [Value::F32(all), Value::F32(1.0), i32v(1), Value::F32(-2.0)]
    );
    assert_eq!(
        run(&text, &[index(2)])[1..],
        [Value::F32(3.0), i32v(5), Value::F32(3.0)]
    );
}

#[test]
fn masks_are_the_limits() {
    let body = "
      %yes = arith.constant dense<1.0> : vector<4x4xf64>
      %no = arith.constant dense<0.0> : vector<4x4xf64>
      %mask = tile.mask limits [%s0 to %s1, %s1] : vector<4x4xi1>
      %v = arith.select %mask, %yes, %no : vector<4x4xi1>, vector<4x4xf64>
      tile.store %v, %out[d0, d1] : vector<4x4xf64>, memref<4x4xf64>";
    let out = on_matrix(body, &[index(1), index(2)]);
    let expected: Vec<f64> = (0..16)
        .map(|k| f64::from(u8::from(k / 4 == 1 && k % 4 < 2)))
        .collect();
    assert_eq!(out, expected);
}

/// Ops of other dialects that programs of tiles are made of.
#[test]
fn tiles_are_vectors_of_any_rank() {
    let body = "
      // 0, 1, 2, 3 as a column and as a row.
      %step = vector.step : vector<4xindex>
      %column = vector.shape_cast %step : vector<4xindex> to vector<4x1xindex>
      %i = vector.broadcast %column : vector<4x1xindex> to vector<4x4xindex>
      %j = vector.broadcast %step : vector<4xindex> to vector<4x4xindex>
      %ten = arith.constant dense<10> : vector<4x4xindex>
      %a = arith.muli %i, %ten : vector<4x4xindex>
      %b = arith.addi %a, %j : vector<4x4xindex>
      %flipped = vector.transpose %b, [1, 0] : vector<4x4xindex> to vector<4x4xindex>
      %below = arith.cmpi slt, %j, %i : vector<4x4xindex>
      %c = arith.select %below, %flipped, %b : vector<4x4xi1>, vector<4x4xindex>
      %whole = arith.index_cast %c : vector<4x4xindex> to vector<4x4xi32>
      %number = arith.sitofp %whole : vector<4x4xi32> to vector<4x4xf32>
      %wide = arith.extf %number : vector<4x4xf32> to vector<4x4xf64>
      %v = math.absf %wide : vector<4x4xf64>
      tile.store %v, %out[d0, d1] : vector<4x4xf64>, memref<4x4xf64>";
    let expected: Vec<f64> = (0..16)
        .map(|k| {
            let (i, j) = (k / 4, k % 4);
            f64::from(if j < i { 10 * j + i } else { 10 * i + j })
        })
        .collect();
    assert_eq!(on_matrix(body, &[]), expected);
    let text = "func.func @f(%c: i1) -> (vector<1x2x1xf32>, vector<f32>) {
      %a = arith.constant dense<[[[1.0], [2.0]]]> : vector<1x2x1xf32>
      %b = arith.negf %a : vector<1x2x1xf32>
      %v = arith.select %c, %a, %b : vector<1x2x1xf32>
      %x = arith.constant 3.0 : f32
      %w = vector.broadcast %x : f32 to vector<f32>
      return %v, %w : vector<1x2x1xf32>, vector<f32>
    }";
    let [Value::Vector(v), Value::Vector(w)] = &run(text, &[Value::bool(false)])[..] else {
        panic!("two vectors")
    };
    assert_eq!(v.lanes, [Value::F32(-1.0), Value::F32(-2.0)]);
    assert_eq!(
        (&w.shape[..], &w.lanes[..]),
        (&[][..], &[Value::F32(3.0)][..])
    );
}

#[test]
fn a_block_of_one_thread_runs_tiles() {
    let text = "func.func @f(%m: memref<6xf64>) {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %n = arith.constant 6 : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%bx)
        %left = arith.subi %n, %at : index
        %pad = arith.constant 0.0 : f64
        %v = tile.load %m[%at + d0] limits [%left] pad %pad : memref<6xf64>, vector<4xf64>
        %w = arith.addf %v, %v : vector<4xf64>
        tile.store %w, %m[%at + d0] limits [%left] : vector<4xf64>, memref<6xf64>
        gpu.terminator
      } {tile.block}
      return
    }";
    let (mut ctx, module) = module(text);
    let ty = parse_type(&mut ctx, "memref<6xf64>").unwrap();
    let config = Config {
        arguments_on_device: true,
        ..Config::default()
    };
    let mut interp = Interpreter::with_config(&ctx, module, config);
    let m = interp.array(ty, &[6], &bytes_f64(&[1.0; 6])).unwrap();
    interp.call("f", vec![m.clone()]).unwrap();
    assert_eq!(floats(&interp.read_array(&m).unwrap().bytes), [2.0; 6]);
}
