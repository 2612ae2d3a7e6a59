// Every error of a file is reported once, with its line and a caret; values that a
// broken op would have defined are not reported again where they are used.
// RUN: not terrace-opt %s 2>&1 | FileCheck %s --match-full-lines --strict-whitespace --implicit-check-not="error:"

func.func @unknown() {
  %0 = foo.bar %x : i32
  %1 = arith.addi %0, %0 : i32
  %2 = arith.nothing %1 : i32
  "who.knows"(%1) : (i32) -> ()
  return
}
func.func @types(%a: i32, %b: f32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %a : 
  %2 = arith.addi %0, %1 : i32
  %3 = arith.addf %b %b : f32
  return %2 : i32
}
func.func @values() -> i32 {
  %0 = arith.constant 1 : i32
  %0 = arith.constant 2 : i32
  %1 = arith.addi %0, %undefined : i32
  cf.br ^nowhere
}
func.func @memory(%m: memref<4xf32, 1, 2>, %n: memref<4xf32) {
  return
}
func.func @after() -> i32 {
  %c = arith.constant 1.0 : i32
  %d = arith.constant 99999999999 : i32
  return %c : i32
}
#a = undefined_attribute
#b = affine_map<(d0) -> (d1)>
#b = affine_map<(d0) -> (d0)>
!t = nothing
func.func @strings() {
  "a.b"() {x = "unterminated} : () -> ()
  return
}

//      CHECK:{{.*}}errors.mlir:6:8: error: custom op 'foo.bar' is unknown
// CHECK-NEXT:  %0 = foo.bar %x : i32
// CHECK-NEXT:       ^
//      CHECK:{{.*}}errors.mlir:8:8: error: custom op 'arith.nothing' is unknown
// CHECK-NEXT:  %2 = arith.nothing %1 : i32
// CHECK-NEXT:       ^
//      CHECK:{{.*}}errors.mlir:9:3: error: operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used (found 'who.knows')
// CHECK-NEXT:  "who.knows"(%1) : (i32) -> ()
// CHECK-NEXT:  ^
//      CHECK:{{.*}}errors.mlir:13:23: error: use of value '%b' expects different type than prior uses: 'i32' vs 'f32'
// CHECK-NEXT:  %0 = arith.addi %a, %b : i32
// CHECK-NEXT:                      ^
//      CHECK:{{.*}}errors.mlir:12:27: note: prior use here
// CHECK-NEXT:func.func @types(%a: i32, %b: f32) -> i32 {
// CHECK-NEXT:                          ^
//      CHECK:{{.*}}errors.mlir:14:27: error: expected non-function type
// CHECK-NEXT:  %1 = arith.addi %a, %a : 
// CHECK-NEXT:                          ^
//      CHECK:{{.*}}errors.mlir:16:22: error: expected ','
// CHECK-NEXT:  %3 = arith.addf %b %b : f32
// CHECK-NEXT:                     ^
//      CHECK:{{.*}}errors.mlir:21:3: error: redefinition of SSA value '%0'
// CHECK-NEXT:  %0 = arith.constant 2 : i32
// CHECK-NEXT:  ^
//      CHECK:{{.*}}errors.mlir:20:3: note: previously defined here
// CHECK-NEXT:  %0 = arith.constant 1 : i32
// CHECK-NEXT:  ^
//      CHECK:{{.*}}errors.mlir:23:9: error: reference to an undefined block
// CHECK-NEXT:  cf.br ^nowhere
// CHECK-NEXT:        ^
//      CHECK:{{.*}}errors.mlir:25:40: error: multiple memory spaces specified in memref type
// CHECK-NEXT:func.func @memory(%m: memref<4xf32, 1, 2>, %n: memref<4xf32) {
// CHECK-NEXT:                                       ^
//      CHECK:{{.*}}errors.mlir:29:23: error: floating point value not valid for specified type
// CHECK-NEXT:  %c = arith.constant 1.0 : i32
// CHECK-NEXT:                      ^
//      CHECK:{{.*}}errors.mlir:30:23: error: integer constant out of range for attribute
// CHECK-NEXT:  %d = arith.constant 99999999999 : i32
// CHECK-NEXT:                      ^
//      CHECK:{{.*}}errors.mlir:33:6: error: expected attribute value
// CHECK-NEXT:#a = undefined_attribute
// CHECK-NEXT:     ^
//      CHECK:{{.*}}errors.mlir:34:26: error: use of undeclared identifier
// CHECK-NEXT:#b = affine_map<(d0) -> (d1)>
// CHECK-NEXT:                         ^
//      CHECK:{{.*}}errors.mlir:36:6: error: expected non-function type
// CHECK-NEXT:!t = nothing
// CHECK-NEXT:     ^
//      CHECK:{{.*}}errors.mlir:38:3: error: operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used (found 'a.b')
// CHECK-NEXT:  "a.b"() {x = "unterminated} : () -> ()
// CHECK-NEXT:  ^
