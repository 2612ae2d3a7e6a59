// RUN: terrace-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @constants_join
// CHECK-SAME:    %[[X:[a-z0-9]+]]: i32
func.func @constants_join(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32) {
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i32
  // CHECK-DAG: %[[C35:.*]] = arith.constant 35 : i32
  // CHECK-DAG: %[[A:.*]] = arith.addi %[[X]], %[[C12]] overflow<nsw> : i32
  // CHECK-DAG: %[[B:.*]] = arith.addi %[[X]], %[[C2]] : i32
  // CHECK-DAG: %[[C:.*]] = arith.subi %[[C12]], %[[X]] : i32
  // CHECK-DAG: %[[D:.*]] = arith.subi %[[X]], %[[C12]] : i32
  // CHECK-DAG: %[[E:.*]] = arith.subi %[[C2]], %[[X]] : i32
  // CHECK-DAG: %[[F:.*]] = arith.addi %[[X]], %[[C2]] : i32
  // CHECK-DAG: %[[G:.*]] = arith.muli %[[X]], %[[C35]] : i32
  // CHECK: return
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %p = arith.addi %x, %c5 overflow<nsw> : i32
  %m = arith.subi %x, %c5 : i32
  %n = arith.subi %c5, %x : i32
  %0 = arith.addi %p, %c7 overflow<nsw, nuw> : i32
  %1 = arith.addi %m, %c7 : i32
  %2 = arith.addi %n, %c7 : i32
  %3 = arith.subi %m, %c7 : i32
  %4 = arith.subi %c7, %p : i32
  %5 = arith.subi %c7, %n : i32
  %t = arith.muli %x, %c5 : i32
  %6 = arith.muli %t, %c7 : i32
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, i32, i32, i32, i32, i32
}

// -----

// CHECK-LABEL: func.func @negation
// CHECK-SAME:    %[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index
func.func @negation(%x: index, %y: index) -> (index, index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: arith.subi %[[X]], %[[Y]] : index
  // CHECK-DAG: arith.subi %[[C0]], %[[Y]] : index
  %c-1 = arith.constant -1 : index
  %n = arith.muli %y, %c-1 : index
  %0 = arith.addi %x, %n : index
  %d = arith.subi %x, %y : index
  %1 = arith.subi %d, %x : index
  return %0, %1 : index, index
}

// -----

// CHECK-LABEL: func.func @unused_halves
func.func @unused_halves(%x: i32, %y: i32) -> (i32, i32, i32) {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.muli
  // CHECK: arith.muli
  // CHECK-NOT: extended
  %0:2 = arith.addui_extended %x, %y : i32, i1
  %1:2 = arith.mulsi_extended %x, %y : i32
  %2:2 = arith.mului_extended %y, %x : i32
  return %0#0, %1#0, %2#0 : i32, i32, i32
}

// -----

// CHECK-LABEL: func.func @sign_half
// CHECK-SAME:    %[[X:[a-z0-9]+]]: i32
func.func @sign_half(%x: i32) -> (i32, i32) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK: %[[N:.*]] = arith.cmpi slt, %[[X]], %[[C0]] : i32
  // CHECK: %[[H:.*]] = arith.extsi %[[N]] : i1 to i32
  // CHECK: return %[[X]], %[[H]]
  %c1 = arith.constant 1 : i32
  %0:2 = arith.mulsi_extended %x, %c1 : i32
  return %0#0, %0#1 : i32, i32
}

// -----

// CHECK-LABEL: func.func @narrower
func.func @narrower(%x: i8, %y: i8) -> (i32, i32, i1, i16, i16) {
  // CHECK-DAG: %[[AND:.*]] = arith.andi %{{.*}}, %{{.*}} : i8
  // CHECK-DAG: arith.extui %[[AND]] : i8 to i32
  // CHECK-DAG: %[[XOR:.*]] = arith.xori %{{.*}}, %{{.*}} : i8
  // CHECK-DAG: arith.extsi %[[XOR]] : i8 to i32
  // CHECK-DAG: arith.cmpi eq, %{{.*}}, %{{.*}} : i8
  // CHECK-DAG: arith.extui %{{.*}} : i8 to i16
  // CHECK-DAG: %[[SHIFT:.*]] = arith.shrui %{{.*}} : i32
  // CHECK-DAG: arith.trunci %[[SHIFT]] : i32 to i16
  %c16 = arith.constant 16 : i32
  %xu = arith.extui %x : i8 to i32
  %yu = arith.extui %y : i8 to i32
  %xs = arith.extsi %x : i8 to i32
  %ys = arith.extsi %y : i8 to i32
  %0 = arith.andi %xu, %yu : i32
  %1 = arith.xori %xs, %ys : i32
  %2 = arith.cmpi eq, %xs, %ys : i32
  %3 = arith.trunci %xu : i32 to i16
  %s = arith.shrsi %xs, %c16 : i32
  %4 = arith.trunci %s : i32 to i16
  return %0, %1, %2, %3, %4 : i32, i32, i1, i16, i16
}

// -----

// CHECK-LABEL: func.func @signs
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32
func.func @signs(%x: f32, %y: f32) -> (f32, f32) {
  // CHECK: arith.mulf %[[X]], %[[Y]] fastmath<nnan> : f32
  // CHECK: arith.divf %[[X]], %[[Y]] : f32
  %nx = arith.negf %x : f32
  %ny = arith.negf %y : f32
  %0 = arith.mulf %nx, %ny fastmath<nnan> : f32
  %1 = arith.divf %nx, %ny : f32
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %[[X:[a-z0-9]+]]: i16
func.func @casts(%x: i16) -> (i64, i16, index, f32, f16) {
  // CHECK-DAG: arith.extui %[[X]] : i16 to i64
  // CHECK-DAG: arith.index_cast %[[X]] : i16 to index
  // CHECK-DAG: arith.bitcast %[[X]] : i16 to f16
  // CHECK-DAG: arith.sitofp %[[X]] : i16 to f32
  %u = arith.extui %x : i16 to i32
  %0 = arith.extsi %u : i32 to i64
  %i = arith.index_cast %x : i16 to index
  %1 = arith.index_cast %i : index to i16
  %s = arith.extsi %x : i16 to i32
  %2 = arith.index_cast %s : i32 to index
  %d = arith.sitofp %x : i16 to f64
  %3 = arith.truncf %d : f64 to f32
  %b = arith.bitcast %x : i16 to bf16
  %4 = arith.bitcast %b : bf16 to f16
  return %0, %1, %2, %3, %4 : i64, i16, index, f32, f16
}

// -----

// CHECK-LABEL: func.func @converted
// CHECK-SAME:    %[[X:[a-z0-9]+]]: i8
func.func @converted(%x: i8) -> (i1, i1, i1, i1) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i8
  // CHECK-DAG: %[[C:.*]] = arith.cmpi sle, %[[X]], %[[C4]] : i8
  // CHECK-DAG: %[[D:.*]] = arith.cmpi ugt, %[[X]], %[[C4]] : i8
  // CHECK: return %[[C]], %[[D]], %[[TRUE]], %[[FALSE]]
  %f = arith.sitofp %x : i8 to f32
  %u = arith.uitofp %x : i8 to f32
  %c = arith.constant 4.5 : f32
  %big = arith.constant 300.0 : f32
  %0 = arith.cmpf olt, %f, %c : f32
  %1 = arith.cmpf oge, %u, %c : f32
  %2 = arith.cmpf ult, %f, %big : f32
  %3 = arith.cmpf oeq, %u, %c : f32
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// -----

// CHECK-LABEL: func.func @choices
// CHECK-SAME:    %[[C:[a-z0-9]+]]: i1, %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
func.func @choices(%c: i1, %a: i32, %b: i32, %d: i32) -> (i32, i32, i32, i1) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
  // CHECK-DAG: arith.select %[[C]], %[[A]], %{{.*}} : i32
  // CHECK-DAG: arith.select %[[C]], %[[B]], %[[A]] : i32
  // CHECK-DAG: arith.extui %[[C]] : i1 to i32
  // CHECK-DAG: arith.xori %[[C]], %[[TRUE]] : i1
  %true = arith.constant true
  %false = arith.constant false
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %i = arith.select %c, %a, %b : i32
  %0 = arith.select %c, %i, %d : i32
  %n = arith.xori %c, %true : i1
  %1 = arith.select %n, %a, %b : i32
  %2 = arith.select %c, %c1, %c0 : i32
  %3 = arith.select %c, %false, %true : i1
  return %0, %1, %2, %3 : i32, i32, i32, i1
}

// -----

// What a constant is added to may come from an op without operands.
// CHECK-LABEL: func.func @sum_with_an_id
func.func @sum_with_an_id() -> index {
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: arith.addi %[[T]], %{{.*}} : index
  %c = arith.constant 3 : index
  %t = gpu.thread_id x
  %0 = arith.addi %t, %c : index
  return %0 : index
}
