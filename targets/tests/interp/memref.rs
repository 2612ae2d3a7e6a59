//! `memref`: every op, and every way to misuse memory.

use crate::common::*;
use terrace_targets::interp::{Interpreter, Value};

#[test]
fn allocation_copy_and_dimensions() {
    let text = "func.func @f(%n: index) -> (i32, i32, index, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = arith.constant 7 : i32
      %a = memref.alloc(%n) : memref<?x2xi32>
      %b = memref.alloca(%n) : memref<?x2xi32>
      memref.store %v, %a[%c1, %c0] : memref<?x2xi32>
      memref.copy %a, %b : memref<?x2xi32> to memref<?x2xi32>
      memref.prefetch %b[%c0, %c0], read, locality<3>, data : memref<?x2xi32>
      %x = memref.load %b[%c1, %c0] : memref<?x2xi32>
      %old = memref.atomic_rmw addi %v, %a[%c1, %c0] : (i32, memref<?x2xi32>) -> i32
      %g = memref.generic_atomic_rmw %a[%c1, %c0] : memref<?x2xi32> {
      ^bb0(%cur: i32):
        %d = arith.addi %cur, %cur : i32
        memref.atomic_yield %d : i32
      }
      %y = memref.load %a[%c1, %c0] : memref<?x2xi32>
      %s = arith.addi %g, %y : i32
      memref.dealloc %a : memref<?x2xi32>
      %dim = memref.dim %b, %c0 : memref<?x2xi32>
      %u = memref.cast %b : memref<?x2xi32> to memref<*xi32>
      %rank = memref.rank %u : memref<*xi32>
      return %x, %s, %dim, %rank : i32, i32, index, index
    }";
    assert_eq!(
        run(text, &[index(3)]),
        [i32v(7), i32v(14 + 28), index(3), index(2)]
    );
}

#[test]
fn views_of_a_buffer() {
    let text = "func.func @f(%m: memref<4x6xf64>, %out: memref<10xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %s = memref.subview %m[1, %c2] [2, 2] [2, 2] : memref<4x6xf64> to memref<2x2xf64, strided<[12, 2], offset: ?>>
      %v0 = memref.load %s[%c1, %c1] : memref<2x2xf64, strided<[12, 2], offset: ?>>
      memref.store %v0, %out[%c0] : memref<10xf64>
      %row = memref.subview %m[2, 0] [1, 6] [1, 1] : memref<4x6xf64> to memref<6xf64, strided<[1], offset: 12>>
      %v1 = memref.load %row[%c5] : memref<6xf64, strided<[1], offset: 12>>
      memref.store %v1, %out[%c1] : memref<10xf64>
      %flat = memref.collapse_shape %m [[0, 1]] : memref<4x6xf64> into memref<24xf64>
      %c20 = arith.constant 20 : index
      %v2 = memref.load %flat[%c20] : memref<24xf64>
      memref.store %v2, %out[%c2] : memref<10xf64>
      %e = memref.expand_shape %flat [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf64> into memref<2x3x4xf64>
      %v3 = memref.load %e[%c1, %c2, %c3] : memref<2x3x4xf64>
      memref.store %v3, %out[%c3] : memref<10xf64>
      %t = memref.transpose %m (i, j) -> (j, i) : memref<4x6xf64> to memref<6x4xf64, strided<[1, 6]>>
      %v4 = memref.load %t[%c5, %c1] : memref<6x4xf64, strided<[1, 6]>>
      memref.store %v4, %out[%c4] : memref<10xf64>
      %r = memref.reinterpret_cast %m to offset: [3], sizes: [2, 2], strides: [%c5, 1] : memref<4x6xf64> to memref<2x2xf64, strided<[?, 1], offset: 3>>
      %v5 = memref.load %r[%c1, %c1] : memref<2x2xf64, strided<[?, 1], offset: 3>>
      memref.store %v5, %out[%c5] : memref<10xf64>
      %base, %off, %sizes:2, %strides:2 = memref.extract_strided_metadata %s : memref<2x2xf64, strided<[12, 2], offset: ?>> -> memref<f64>, index, index, index, index, index
      %sum = arith.addi %off, %strides#0 : index
      %i = arith.index_cast %sum : index to i64
      %v6 = arith.sitofp %i : i64 to f64
      memref.store %v6, %out[%c6] : memref<10xf64>
      %al = memref.assume_alignment %m, 64 : memref<4x6xf64>
      %v7 = memref.load %al[%c0, %c1] : memref<4x6xf64>
      %c7 = arith.constant 7 : index
      memref.store %v7, %out[%c7] : memref<10xf64>
      return
    }";
    let data: Vec<f64> = (0..24).map(f64::from).collect();
    let out = &on_arrays(
        text,
        &[],
        &[
            ("memref<4x6xf64>", &[4, 6], &data),
            ("memref<10xf64>", &[10], &[-1.0; 10]),
        ],
    )[1];
    assert_eq!(
        out[..],
        [22.0, 17.0, 20.0, 23.0, 11.0, 9.0, 20.0, 1.0, -1.0, -1.0]
    );
}

#[test]
fn bytes_seen_as_numbers_and_reshapes() {
    let text = "func.func @f() -> (i32, i32, i16) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %raw = memref.alloc() : memref<16xi8>
      %v = memref.view %raw[%c4][%c2] : memref<16xi8> to memref<?xi32>
      %x = arith.constant 0x01020304 : i32
      memref.store %x, %v[%c1] : memref<?xi32>
      %y = memref.load %v[%c1] : memref<?xi32>
      %h = memref.view %raw[%c0][] : memref<16xi8> to memref<8xi16>
      %c5 = arith.constant 5 : index
      %z = memref.load %h[%c5] : memref<8xi16>
      %m = memref.alloc() : memref<2x3xi32>
      %shape = memref.alloc() : memref<1xindex>
      %c6 = arith.constant 6 : index
      memref.store %c6, %shape[%c0] : memref<1xindex>
      memref.store %x, %m[%c1, %c0] : memref<2x3xi32>
      %flat = memref.reshape %m(%shape) : (memref<2x3xi32>, memref<1xindex>) -> memref<?xi32>
      %c3 = arith.constant 3 : index
      %w = memref.load %flat[%c3] : memref<?xi32>
      return %y, %w, %z : i32, i32, i16
    }";
    assert_eq!(
        run(text, &[]),
        [i32v(0x01020304), i32v(0x01020304), Value::int(16, 0x0102)]
    );
}

#[test]
fn globals() {
    let text = "memref.global \"private\" constant @table : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
    memref.global @counter : memref<i32> = dense<5>
    memref.global @scratch : memref<4xi32> = uninitialized
    func.func @f() -> (f32, i32) {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %t = memref.get_global @table : memref<2x2xf32>
      %x = memref.load %t[%c1, %c0] : memref<2x2xf32>
      %c = memref.get_global @counter : memref<i32>
      %old = memref.load %c[] : memref<i32>
      %new = arith.addi %old, %old : i32
      memref.store %new, %c[] : memref<i32>
      return %x, %old : f32, i32
    }
    func.func @write() {
      %t = memref.get_global @table : memref<2x2xf32>
      %c0 = arith.constant 0 : index
      %x = arith.constant 0.0 : f32
      memref.store %x, %t[%c0, %c0] : memref<2x2xf32>
      return
    }
    func.func @unwritten() -> i32 {
      %t = memref.get_global @scratch : memref<4xi32>
      %c0 = arith.constant 0 : index
      %x = memref.load %t[%c0] : memref<4xi32>
      return %x : i32
    }";
    let (ctx, module) = module(text);
    let mut interp = Interpreter::new(&ctx, module);
    // A global keeps its value from call to call.
    assert_eq!(interp.call("f", vec![]), Ok(vec![Value::F32(3.0), i32v(5)]));
    assert_eq!(
        interp.call("f", vec![]),
        Ok(vec![Value::F32(3.0), i32v(10)])
    );
    assert_eq!(
        interp.call("write", vec![]).unwrap_err().message,
        "writes to a constant global"
    );
    assert_eq!(
        interp.call("unwritten", vec![]).unwrap_err().message,
        "reads memory that was never written"
    );
}

/// `@f` with an allocation of 8 by 8 floats, some constants, and `body`.
fn misuse(body: &str) -> String {
    fails(
        &format!(
            "func.func @g(%m: memref<8x8xf32>) -> memref<4xf32> {{
              %a = memref.alloca() : memref<4xf32>
              memref.dealloc %m : memref<8x8xf32>
              return %a : memref<4xf32> }}
            func.func @f(%eight: index, %minus: index, %c0: index, %x: f32) {{
              %m = memref.alloc() : memref<8x8xf32>
{body}
              return
            }}"
        ),
        &[index(8), index(-1), index(0), Value::F32(1.0)],
    )
}

#[test]
fn every_misuse_of_memory_is_found() {
    let cases: &[(&str, &str)] = &[
        (
            "memref.store %x, %m[%c0, %eight] : memref<8x8xf32>",
            "7: index 8 is out of bounds for dimension 1 of size 8",
        ),
        (
            "memref.store %x, %m[%minus, %c0] : memref<8x8xf32>",
            "7: index -1 is out of bounds for dimension 0 of size 8",
        ),
        (
            "%v = memref.load %m[%c0, %c0] : memref<8x8xf32>",
            "7: reads memory that was never written",
        ),
        (
            "memref.dealloc %m : memref<8x8xf32>\n memref.store %x, %m[%c0, %c0] : memref<8x8xf32>",
            "8: uses memory after it was freed",
        ),
        (
            "memref.dealloc %m : memref<8x8xf32>\n memref.dealloc %m : memref<8x8xf32>",
            "8: the memref was freed before",
        ),
        (
            "%a = func.call @g(%m) : (memref<8x8xf32>) -> memref<4xf32>\n memref.store %x, %a[%c0] : memref<4xf32>",
            "8: uses a stack allocation after the end of its scope",
        ),
        (
            "%a = memref.alloca() : memref<4xf32>\n memref.dealloc %a : memref<4xf32>",
            "8: frees a stack allocation, which ends with its scope",
        ),
        (
            "%s = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>\n memref.dealloc %s : memref<1x8xf32, strided<[8, 1], offset: 8>>",
            "8: frees part of an allocation: the memref does not start where the allocation does",
        ),
        (
            "%a = memref.alloc(%minus) : memref<?xf32>",
            "7: the size of dimension 0 is negative: -1",
        ),
        (
            "%s = memref.subview %m[0, %eight] [1, 1] [1, 1] : memref<8x8xf32> to memref<1x1xf32, strided<[8, 1], offset: ?>>",
            "7: the subview reaches out of dimension 1 of size 8: offset 8, size 1, stride 1",
        ),
        (
            "%r = memref.reinterpret_cast %m to offset: [0], sizes: [100], strides: [1] : memref<8x8xf32> to memref<100xf32>\n %i = arith.constant 64 : index\n memref.store %x, %r[%i] : memref<100xf32>",
            "9: element 64 lies outside of the allocation, which has 64 elements",
        ),
        (
            "%u = memref.cast %m : memref<8x8xf32> to memref<?x?xf32>\n %v = memref.cast %u : memref<?x?xf32> to memref<4x?xf32>",
            "8: the size of dimension 0 is 8, but the type says 4",
        ),
        (
            "%u = memref.cast %m : memref<8x8xf32> to memref<*xf32>\n %d = memref.dim %u, %eight : memref<*xf32>",
            "8: dimension 8 of a memref of rank 2 does not exist",
        ),
        (
            "%a = memref.alloc(%eight) : memref<?xf32>\n %b = memref.alloc(%c0) : memref<?xf32>\n memref.copy %a, %b : memref<?xf32> to memref<?xf32>",
            "9: copies a memref of sizes [8] to one of sizes [0]",
        ),
        (
            "%s = memref.subview %m[0, 1] [8, 7] [1, 1] : memref<8x8xf32> to memref<8x7xf32, strided<[8, 1], offset: 1>>\n %a = memref.assume_alignment %s, 8 : memref<8x7xf32, strided<[8, 1], offset: 1>>",
            "8: the memref lies 4 bytes behind the start of its allocation, which is no multiple of 8",
        ),
        (
            "%d:2 = memref.distinct_objects %m, %m : memref<8x8xf32>, memref<8x8xf32>",
            "7: operand 1 is in the same allocation as another one",
        ),
    ];
    for (body, want) in cases {
        assert_eq!(misuse(body), *want, "{body}");
    }
}

#[test]
fn an_error_tells_where_memory_was_freed() {
    let text = "func.func @f() {
      %m = memref.alloc() : memref<f32>
      memref.dealloc %m : memref<f32>
      memref.dealloc %m : memref<f32>
      return
    }";
    let (ctx, module) = module(text);
    let e = Interpreter::new(&ctx, module)
        .call("f", vec![])
        .unwrap_err();
    assert_eq!(
        e.render(&ctx),
        "t.mlir:4:7: error: the memref was freed before\nt.mlir:2:12: note: allocated here\nt.mlir:3:7: note: freed here before"
    );
}

#[test]
fn stack_allocations_end_with_the_iteration_and_leaks_are_known() {
    let text = "func.func @f(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %a = memref.alloca() : memref<1000000xf64>
      }
      memref.alloca_scope {
        %b = memref.alloca() : memref<1000000xf64>
      }
      %leak = memref.alloc() : memref<10xf64>
      return
    }";
    let (ctx, module) = module(text);
    let mut interp = Interpreter::new(&ctx, module);
    interp.config.max_memory = 9_000_000;
    interp.call("f", vec![index(100)]).unwrap();
    assert_eq!(interp.memory().live_bytes(), 80);
    assert_eq!(interp.leaks().len(), 1);
    let too_much = "func.func @f(%n: index) {\n %a = memref.alloc(%n) : memref<?xf64>\n return\n}";
    assert!(fails(too_much, &[index(1 << 40)]).starts_with("2: cannot allocate"));
    assert!(
        fails(too_much, &[index(i64::MAX)]).starts_with("2: the number of elements does not fit")
    );
}

#[test]
fn transfers_by_dma() {
    let text = "func.func @f(%m: memref<16xf64>, %out: memref<16xf64, 1>) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 6 : index
      %tag = memref.alloc() : memref<1xi32>
      memref.dma_start %m[%c0], %out[%c2], %n, %tag[%c0], %c4, %c2 : memref<16xf64>, memref<16xf64, 1>, memref<1xi32>
      memref.dma_wait %tag[%c0], %n : memref<1xi32>
      return
    }";
    let data: Vec<f64> = (0..16).map(f64::from).collect();
    let out = &on_arrays(
        text,
        &[],
        &[
            ("memref<16xf64>", &[16], &data),
            ("memref<16xf64, 1>", &[16], &[-1.0; 16]),
        ],
    )[1];
    assert_eq!(
        out[..10],
        [-1.0, -1.0, 0.0, 1.0, 4.0, 5.0, 8.0, 9.0, -1.0, -1.0]
    );
}
