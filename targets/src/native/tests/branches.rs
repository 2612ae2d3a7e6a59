//! Conditions that only decide branches, and flags that say how a loop goes on.

use super::{array, compiled, int, results};

/// Looks for `%x`: `for (i = 0; i < n && m[i] != x; i++)`, the second asked where the first holds.
#[test]
fn the_second_condition_is_asked_where_the_first_holds() {
    let (_, m) = compiled(
        "func.func @find(%m: memref<?xi32>, %x: i32) -> index {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %false = arith.constant false
           %n = memref.dim %m, %c0 : memref<?xi32>
           %r = scf.while (%i = %c0) : (index) -> index {
             %a = arith.cmpi slt, %i, %n : index
             %go = scf.if %a -> i1 {
               %v = memref.load %m[%i] : memref<?xi32>
               %b = arith.cmpi ne, %v, %x : i32
               scf.yield %b : i1
             } else {
               scf.yield %false : i1
             }
             scf.condition(%go) %i : index
           } do {
           ^bb0(%i: index):
             %next = arith.addi %i, %c1 : index
             scf.yield %next : index
           }
           return %r : index
         }",
    );
    let mut data = [3i32, 1, 4, 1, 5];
    for (x, at) in [(3, 0), (5, 4), (4, 2), (7, 5)] {
        let a = array(&mut data, &[5]);
        assert_eq!(results(&m, "find", &[a, int(x)]), [int(at)]);
    }
}

/// Conditions in conditions, negated and joined; what stands between them is computed before.
#[test]
fn conditions_in_conditions() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<4xi32>, %a: i1, %b: i1, %i: index) -> (i32, i32) {
           %true = arith.constant true
           %c0 = arith.constant 0 : i32
           %c1 = arith.constant 1 : i32
           %c2 = arith.constant 2 : i32
           %p = scf.if %a -> i1 {
             %q = scf.if %b -> i1 {
               %v = memref.load %m[%i] : memref<4xi32>
               %z = arith.cmpi eq, %v, %c0 : i32
               scf.yield %z : i1
             } else {
               %w = arith.cmpi ult, %i, %i : index
               scf.yield %w : i1
             }
             scf.yield %q : i1
           } else {
             scf.yield %true : i1
           }
           %k = arith.addi %c1, %c1 : i32
           %not = arith.xori %p, %true : i1
           %both = arith.andi %not, %a : i1
           %r = scf.if %both -> i32 {
             scf.yield %k : i32
           } else {
             scf.yield %c1 : i32
           }
           %o = scf.if %b -> i1 {
             %v = memref.load %m[%i] : memref<4xi32>
             %z = arith.cmpi eq, %v, %c0 : i32
             scf.yield %z : i1
           } else {
             scf.yield %true : i1
           }
           %either = arith.ori %o, %a : i1
           %s = scf.if %either -> i32 {
             scf.yield %c2 : i32
           } else {
             scf.yield %c0 : i32
           }
           return %r, %s : i32, i32
         }",
    );
    let mut data = [0i32, 1, 0, 1];
    for (a, b, i) in [
        (0, 0, 0),
        (0, 1, 0),
        (0, 1, 1),
        (1, 0, 0),
        (1, 1, 2),
        (1, 1, 3),
    ] {
        let p = if a == 1 { b == 1 && i % 2 == 0 } else { true };
        let r = if !p && a == 1 { 2 } else { 1 };
        let o = if b == 1 { i % 2 == 0 } else { true };
        let s = if o || a == 1 { 2 } else { 0 };
        let m4 = array(&mut data, &[4]);
        assert_eq!(
            results(&m, "f", &[m4, int(a), int(b), int(i)]),
            [int(r), int(s)],
            "{a} {b} {i}"
        );
    }
}

/// A condition that stands before a store is not asked behind it.
#[test]
fn a_condition_stays_before_a_store() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<2xi32>, %a: i1) -> i32 {
           %i0 = arith.constant 0 : index
           %false = arith.constant false
           %c0 = arith.constant 0 : i32
           %c1 = arith.constant 1 : i32
           %p = scf.if %a -> i1 {
             %v = memref.load %m[%i0] : memref<2xi32>
             %z = arith.cmpi eq, %v, %c0 : i32
             scf.yield %z : i1
           } else {
             scf.yield %false : i1
           }
           memref.store %c1, %m[%i0] : memref<2xi32>
           %r = scf.if %p -> i32 {
             scf.yield %c1 : i32
           } else {
             scf.yield %c0 : i32
           }
           return %r : i32
         }",
    );
    let mut data = [0i32, 0];
    let a = array(&mut data, &[2]);
    assert_eq!(results(&m, "f", &[a, int(1)]), [int(1)]);
    let a = array(&mut data, &[2]);
    assert_eq!(results(&m, "f", &[a, int(1)]), [int(0)]);
}

/// `for (;;) { if (i >= n) break; s += m[i]; if (m[i] == x) { last = i; break; } i++; }`, its flags
/// partly in selects, as canonicalisation leaves them.
#[test]
fn flags_leave_a_loop() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<?xi32>, %x: i32, %out: memref<1xi32>) -> (index, i32) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %z = arith.constant 0 : i32
           %true = arith.constant true
           %false = arith.constant false
           %n = memref.dim %m, %c0 : memref<?xi32>
           %r:3 = scf.while (%i = %c0, %s = %z, %broken = %false) : (index, i32, i1) -> (index, i32, i1) {
             %go = arith.xori %broken, %true : i1
             scf.condition(%go) %i, %s, %broken : index, i32, i1
           } do {
           ^bb0(%i: index, %s: i32, %broken: i1):
             %end = arith.cmpi sge, %i, %n : index
             %q:3 = scf.if %end -> (index, i32, i1) {
               scf.yield %i, %s, %true : index, i32, i1
             } else {
               %v = memref.load %m[%i] : memref<?xi32>
               %t = arith.addi %s, %v : i32
               %found = arith.cmpi eq, %v, %x : i32
               %next = arith.addi %i, %c1 : index
               %j = arith.select %found, %i, %next : index
               %b = arith.select %found, %true, %broken : i1
               scf.if %found {
                 %k = arith.index_cast %i : index to i32
                 memref.store %k, %out[%c0] : memref<1xi32>
               }
               scf.yield %j, %t, %b : index, i32, i1
             }
             scf.yield %q#0, %q#1, %q#2 : index, i32, i1
           }
           return %r#0, %r#1 : index, i32
         }",
    );
    let mut data = [3i32, 1, 4, 1, 5];
    for (x, at, sum, stored) in [(3, 0, 3, 0), (4, 2, 8, 2), (5, 4, 14, 4), (7, 5, 14, -1)] {
        let mut out = [-1i32];
        let (a, o) = (array(&mut data, &[5]), array(&mut out, &[1]));
        assert_eq!(results(&m, "f", &[a, int(x), o]), [int(at), int(sum)]);
        assert_eq!(out, [stored]);
    }
}

/// What the condition has loaded is not loaded again, unless it was written since.
#[test]
fn elements_of_the_condition() {
    let (_, m) = compiled(
        "func.func @f(%m: memref<?xi32>, %w: memref<?xi32>) -> i32 {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %z = arith.constant 0 : i32
           %one = arith.constant 1 : i32
           %r:2 = scf.while (%i = %c0, %s = %z) : (index, i32) -> (index, i32) {
             %v = memref.load %m[%i] : memref<?xi32>
             %go = arith.cmpi ne, %v, %z : i32
             scf.condition(%go) %i, %s : index, i32
           } do {
           ^bb0(%i: index, %s: i32):
             %v = memref.load %m[%i] : memref<?xi32>
             %t = arith.addi %s, %v : i32
             memref.store %one, %w[%i] : memref<?xi32>
             %u = memref.load %m[%i] : memref<?xi32>
             %t2 = arith.addi %t, %u : i32
             %next = arith.addi %i, %c1 : index
             scf.yield %next, %t2 : index, i32
           }
           return %r#1 : i32
         }",
    );
    let mut data = [3i32, 4, 5, 0];
    let mut other = data;
    let (a, b) = (array(&mut data, &[4]), array(&mut other, &[4]));
    assert_eq!(results(&m, "f", &[a, b]), [int(24)]);
    // The store is to the same memory: 3 + 1, 4 + 1, 5 + 1.
    let (a, b) = (array(&mut data, &[4]), array(&mut data, &[4]));
    assert_eq!(results(&m, "f", &[a, b]), [int(15)]);
    assert_eq!(data, [1, 1, 1, 0]);
}
