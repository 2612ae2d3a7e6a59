//! memref.

use super::{MemRef, NativeArg, array, call, compiled, compiled_with, float, int, results};

#[test]
fn allocation_and_elements_of_all_types() {
    for (ty, v) in [
        ("i1", int(1)),
        ("i8", int(-3)),
        ("i5", int(-3)),
        ("i24", int(-300)),
        ("i64", int(-3)),
        ("i128", int(-(1 << 90))),
        ("index", int(77)),
        ("f16", float(1.5)),
        ("bf16", float(-2.5)),
        ("f32", float(0.25)),
        ("f64", float(0.1)),
    ] {
        let (_, m) = compiled(&format!(
            "func.func @f(%n: index, %v: {ty}) -> {ty} {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %m = memref.alloc(%n) : memref<3x?x{ty}>
               %a = memref.alloca() : memref<4x{ty}>
               memref.store %v, %m[%c1, %c0] : memref<3x?x{ty}>
               %x = memref.load %m[%c1, %c0] : memref<3x?x{ty}>
               memref.store %x, %a[%c1] : memref<4x{ty}>
               memref.dealloc %m : memref<3x?x{ty}>
               %r = memref.load %a[%c1] : memref<4x{ty}>
               return %r : {ty}
             }}"
        ));
        assert_eq!(results(&m, "f", &[int(5), v.clone()]), [v], "{ty}");
    }
}

#[test]
fn halves_lie_in_memory_as_16_bits() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<2xf16>, %n: memref<2xbf16>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %x = memref.load %m[%c0] : memref<2xf16>
           %y = arith.addf %x, %x : f16
           memref.store %y, %m[%c1] : memref<2xf16>
           %z = memref.load %n[%c0] : memref<2xbf16>
           %w = arith.negf %z : bf16
           memref.store %w, %n[%c1] : memref<2xbf16>
           return
         }",
    );
    let (mut a, mut b) = ([0x3c00u16, 0], [0x3f80u16, 0]);
    results(&m, "f", &[array(&mut a, &[2]), array(&mut b, &[2])]);
    assert_eq!((a, b), ([0x3c00, 0x4000], [0x3f80, 0xbf80]));
    let mut s = [0x0001u16, 0];
    results(&m, "f", &[array(&mut s, &[2]), array(&mut b, &[2])]);
    assert_eq!(s[1], 0x0002);
}

#[test]
fn views() {
    let (_, m) = compiled(
        "func.func @sub(%m: memref<4x6xi32>, %i: index, %n: index) -> (i32, index, memref<?x2xi32, strided<[12, 3], offset: ?>>) {
           %c1 = arith.constant 1 : index
           %s = memref.subview %m[%i, 1] [%n, 2] [2, 3] : memref<4x6xi32> to memref<?x2xi32, strided<[12, 3], offset: ?>>
           %v = memref.load %s[%c1, %c1] : memref<?x2xi32, strided<[12, 3], offset: ?>>
           %c0 = arith.constant 0 : index
           %d = memref.dim %s, %c0 : memref<?x2xi32, strided<[12, 3], offset: ?>>
           return %v, %d, %s : i32, index, memref<?x2xi32, strided<[12, 3], offset: ?>>
         }
         func.func @row(%m: memref<4x6xi32>, %i: index, %j: index) -> i32 {
           %s = memref.subview %m[%i, 0] [1, 6] [1, 1] : memref<4x6xi32> to memref<6xi32, strided<[1], offset: ?>>
           %v = memref.load %s[%j] : memref<6xi32, strided<[1], offset: ?>>
           return %v : i32
         }
         func.func @flat(%m: memref<4x6xi32>, %i: index) -> i32 {
           %s = memref.collapse_shape %m [[0, 1]] : memref<4x6xi32> into memref<24xi32>
           %v = memref.load %s[%i] : memref<24xi32>
           return %v : i32
         }
         func.func @split(%m: memref<4x6xi32>, %i: index, %j: index, %k: index) -> i32 {
           %s = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 3, 2] : memref<4x6xi32> into memref<4x3x2xi32>
           %v = memref.load %s[%i, %j, %k] : memref<4x3x2xi32>
           return %v : i32
         }
         func.func @turn(%m: memref<4x6xi32>, %i: index, %j: index) -> i32 {
           %s = memref.transpose %m (d0, d1) -> (d1, d0) : memref<4x6xi32> to memref<6x4xi32, strided<[1, 6]>>
           %v = memref.load %s[%i, %j] : memref<6x4xi32, strided<[1, 6]>>
           return %v : i32
         }
         func.func @again(%m: memref<4x6xi32>, %o: index, %s: index) -> i32 {
           %c2 = arith.constant 2 : index
           %r = memref.reinterpret_cast %m to offset: [%o], sizes: [3], strides: [%s] : memref<4x6xi32> to memref<3xi32, strided<[?], offset: ?>>
           %v = memref.load %r[%c2] : memref<3xi32, strided<[?], offset: ?>>
           return %v : i32
         }
         func.func @meta(%m: memref<?x6xi32, strided<[?, 1], offset: ?>>) -> (index, index, index, index, index) {
           %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<?x6xi32, strided<[?, 1], offset: ?>> -> memref<i32>, index, index, index, index, index
           return %o, %s#0, %s#1, %t#0, %t#1 : index, index, index, index, index
         }
         func.func @bytes(%m: memref<96xi8>, %at: index) -> i32 {
           %c1 = arith.constant 1 : index
           %n = arith.constant 4 : index
           %v = memref.view %m[%at][%n] : memref<96xi8> to memref<?xi32>
           %r = memref.load %v[%c1] : memref<?xi32>
           return %r : i32
         }",
    );
    let mut v: Vec<i32> = (0..24).collect();
    let a = array(&mut v, &[4, 6]);
    let r = results(&m, "sub", &[a.clone(), int(1), int(2)]);
    // Row 1 + 2, column 1 + 3.
    assert_eq!(r[..2], [int(22), int(2)]);
    let NativeArg::MemRef(s) = &r[2] else {
        panic!("not a memref")
    };
    assert_eq!(
        *s,
        MemRef {
            ptr: v.as_mut_ptr().cast(),
            offset: 7,
            sizes: vec![2, 2],
            strides: vec![12, 3]
        }
    );
    assert_eq!(results(&m, "row", &[a.clone(), int(2), int(5)]), [int(17)]);
    assert_eq!(results(&m, "flat", &[a.clone(), int(13)]), [int(13)]);
    assert_eq!(
        results(&m, "split", &[a.clone(), int(2), int(1), int(1)]),
        [int(15)]
    );
    assert_eq!(results(&m, "turn", &[a.clone(), int(4), int(3)]), [int(22)]);
    assert_eq!(
        results(&m, "again", &[a.clone(), int(3), int(5)]),
        [int(13)]
    );
    let strided = NativeArg::MemRef(MemRef {
        ptr: v.as_mut_ptr().cast(),
        offset: 2,
        sizes: vec![3, 6],
        strides: vec![7, 1],
    });
    assert_eq!(
        results(&m, "meta", &[strided]),
        [int(2), int(3), int(6), int(7), int(1)]
    );
    let bytes = NativeArg::MemRef(MemRef::row_major(v.as_mut_ptr().cast(), &[96]));
    assert_eq!(results(&m, "bytes", &[bytes, int(8)]), [int(3)]);
}

#[test]
fn address_constants_and_negative_parts() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<?x?xi32>, %i: index, %j: index) -> i32 {
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           %i1 = arith.subi %i, %c1 : index
           %j1 = arith.addi %j, %c2 : index
           %j2 = arith.addi %j1, %c1 : index
           %v = memref.load %m[%i1, %j2] : memref<?x?xi32>
           return %v : i32
         }",
    );
    let mut v: Vec<i32> = (0..24).collect();
    let a = array(&mut v, &[4, 6]);
    // Row 2 - 1, column 1 + 3.
    assert_eq!(results(&m, "f", &[a, int(2), int(1)]), [int(10)]);
}

#[test]
fn copies_and_globals() {
    let (_, m) = compiled(
        "memref.global \"private\" constant @table : memref<2x2xi16> = dense<[[1, -2], [3, 4]]>
         memref.global @counter : memref<i64> = dense<5>
         memref.global \"private\" @room : memref<100xf64> = uninitialized
         func.func @entry(%i: index, %j: index) -> i16 {
           %t = memref.get_global @table : memref<2x2xi16>
           %v = memref.load %t[%i, %j] : memref<2x2xi16>
           return %v : i16
         }
         func.func @count() -> i64 {
           %c = memref.get_global @counter : memref<i64>
           %v = memref.load %c[] : memref<i64>
           %one = arith.constant 1 : i64
           %w = arith.addi %v, %one : i64
           memref.store %w, %c[] : memref<i64>
           return %w : i64
         }
         func.func @copy(%a: memref<3x4xi32>, %b: memref<4x3xi32>) {
           %t = memref.transpose %b (i, j) -> (j, i) : memref<4x3xi32> to memref<3x4xi32, strided<[1, 3]>>
           memref.copy %a, %t : memref<3x4xi32> to memref<3x4xi32, strided<[1, 3]>>
           return
         }
         func.func @same(%a: memref<?xi32>, %b: memref<?xi32>) {
           memref.copy %a, %b : memref<?xi32> to memref<?xi32>
           return
         }
         func.func @grow(%n: index) -> (i32, index) {
           %c0 = arith.constant 0 : index
           %v = arith.constant 9 : i32
           %a = memref.alloc() : memref<2xi32>
           memref.store %v, %a[%c0] : memref<2xi32>
           %b = memref.realloc %a(%n) : memref<2xi32> to memref<?xi32>
           %x = memref.load %b[%c0] : memref<?xi32>
           %d = memref.dim %b, %c0 : memref<?xi32>
           memref.dealloc %b : memref<?xi32>
           return %x, %d : i32, index
         }",
    );
    assert_eq!(results(&m, "entry", &[int(0), int(1)]), [int(-2)]);
    assert_eq!(results(&m, "entry", &[int(1), int(0)]), [int(3)]);
    assert_eq!(results(&m, "count", &[]), [int(6)]);
    assert_eq!(results(&m, "count", &[]), [int(7)]);
    assert_eq!(m.global("counter").map(|g| g.1), Some(Some(8)));
    let (mut a, mut b): (Vec<i32>, Vec<i32>) = ((0..12).collect(), vec![0; 12]);
    results(
        &m,
        "copy",
        &[array(&mut a, &[3, 4]), array(&mut b, &[4, 3])],
    );
    assert_eq!(b, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    results(&m, "same", &[array(&mut a, &[12]), array(&mut b, &[12])]);
    assert_eq!(a, b);
    assert_eq!(results(&m, "grow", &[int(1000)]), [int(9), int(1000)]);
}

#[test]
fn stack_memory_of_any_size_in_loops() {
    let (_, m) = compiled(
        "func.func @f(%n: index, %size: index) -> i64 {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %zero = arith.constant 0 : i64
           %last = arith.subi %size, %c1 : index
           %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (i64) {
             %a = memref.alloca(%size) : memref<?xi64>
             %b = memref.alloca() : memref<100000xi64>
             %v = arith.index_cast %i : index to i64
             memref.store %v, %a[%last] : memref<?xi64>
             memref.store %x, %b[%c0] : memref<100000xi64>
             %y = memref.load %a[%last] : memref<?xi64>
             %z = memref.load %b[%c0] : memref<100000xi64>
             %s = arith.addi %y, %z : i64
             scf.yield %s : i64
           }
           return %r : i64
         }
         func.func @scope(%size: index) -> i32 {
           %c0 = arith.constant 0 : index
           %r = memref.alloca_scope -> (i32) {
             %a = memref.alloca(%size) : memref<?xi32>
             %v = arith.constant 4 : i32
             memref.store %v, %a[%c0] : memref<?xi32>
             %x = memref.load %a[%c0] : memref<?xi32>
             memref.alloca_scope.return %x : i32
           }
           return %r : i32
         }",
    );
    // Far more than there is memory, were it not freed each time.
    assert_eq!(
        results(&m, "f", &[int(100_000), int(1_000)]),
        [int(4_999_950_000)]
    );
    assert_eq!(results(&m, "scope", &[int(10)]), [int(4)]);
}

#[test]
fn atomics() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<4xi32>, %f: memref<2xf64>, %s: memref<2xi5>) -> (i32, f64, i32) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           %c3 = arith.constant 3 : index
           %five = arith.constant 5 : i32
           %h = arith.constant 0.5 : f64
           %old = memref.atomic_rmw addi %five, %m[%c0] : (i32, memref<4xi32>) -> i32
           memref.atomic_rmw maxs %five, %m[%c1] : (i32, memref<4xi32>) -> i32
           memref.atomic_rmw muli %five, %m[%c2] : (i32, memref<4xi32>) -> i32
           %fold = memref.atomic_rmw addf %h, %f[%c1] : (f64, memref<2xf64>) -> f64
           %w = arith.constant 9 : i5
           memref.atomic_rmw addi %w, %s[%c1] : (i5, memref<2xi5>) -> i5
           %g = memref.generic_atomic_rmw %m[%c3] : memref<4xi32> {
           ^bb0(%x: i32):
             %y = arith.muli %x, %x : i32
             memref.atomic_yield %y : i32
           }
           return %old, %fold, %g : i32, f64, i32
         }",
    );
    let (mut v, mut f, mut s) = ([1i32, -1, 3, 7], [0.0f64, 2.0], [0u8, 9]);
    let args = [
        array(&mut v, &[4]),
        array(&mut f, &[2]),
        array(&mut s, &[2]),
    ];
    assert_eq!(results(&m, "f", &args), [int(1), float(2.0), int(7)]);
    assert_eq!((v, f, s), ([6, 5, 15, 49], [0.0, 2.5], [0, 18]));
}

#[test]
fn bounds_are_checked_on_request() {
    let text = "func.func @f(%m: memref<?x4xf32>, %i: index, %j: index) -> f32 {
           %v = memref.load %m[%i, %j] : memref<?x4xf32>
           return %v : f32
         }
         func.func @cast(%m: memref<?x4xf32>) -> memref<3x4xf32> {
           %c = memref.cast %m : memref<?x4xf32> to memref<3x4xf32>
           return %c : memref<3x4xf32>
         }";
    let options = super::NativeOptions {
        bounds_checks: true,
        ..Default::default()
    };
    let (ctx, m) = compiled_with(text, &options, &[]);
    let mut v: Vec<f32> = (0..12u8).map(f32::from).collect();
    let a = array(&mut v, &[3, 4]);
    assert_eq!(
        results(&m, "f", &[a.clone(), int(2), int(3)]),
        [float(11.0)]
    );
    for (i, j) in [(3, 0), (-1, 0), (0, 4), (0, -1)] {
        let e = call(&m, "f", &[a.clone(), int(i), int(j)]).unwrap_err();
        assert_eq!(super::line(&ctx, e.loc), 2);
        let (k, n) = if (0..3).contains(&i) { (1, 4) } else { (0, 3) };
        let at = if k == 0 { i } else { j };
        let message =
            format!("index {at} of its array is out of bounds for dimension {k} of size {n}");
        assert!(e.message.ends_with(&message), "{}", e.message);
    }
    assert!(call(&m, "cast", &[a]).is_ok());
    let e = call(&m, "cast", &[array(&mut v[..8], &[2, 4])]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 6);
}

#[test]
fn sizes_that_cannot_be_are_errors() {
    let (ctx, m) = compiled(
        "func.func @f(%n: index, %k: index) -> index {
           %c0 = arith.constant 0 : index
           %m = memref.alloc(%n, %k) : memref<?x?xf64>
           %d = memref.dim %m, %c0 : memref<?x?xf64>
           memref.dealloc %m : memref<?x?xf64>
           return %d : index
         }",
    );
    assert_eq!(results(&m, "f", &[int(0), int(10)]), [int(0)]);
    for (n, k) in [
        (-1, 1),
        (1, -1),
        (1 << 40, 1 << 40),
        (i64::MAX.into(), 1),
        (-2, -2),
    ] {
        let e = call(&m, "f", &[int(n), int(k)]).unwrap_err();
        assert_eq!(super::line(&ctx, e.loc), 3, "{n} {k}");
        assert!(
            e.message.contains("size is negative or too large"),
            "{}",
            e.message
        );
    }
}
