// RUN: terrace-opt %s | FileCheck %s

// Every op in its custom form, with its flags.

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: %c4 = arith.constant 4 : index
  %0 = arith.constant 4 : index
  // CHECK: %c-1_i32 = arith.constant -1 : i32
  %1 = arith.constant -1 : i32
  // CHECK: %true = arith.constant true
  %2 = arith.constant true
  // CHECK: %false = arith.constant false
  %3 = arith.constant false
  // CHECK: %cst = arith.constant 1.500000e+00 : f64
  %4 = arith.constant 1.5 : f64
  // CHECK: %cst_0 = arith.constant dense<[1, 2]> : vector<2xi8>
  %5 = arith.constant dense<[1, 2]> : vector<2xi8>
  // CHECK: %cst_1 = arith.constant dense<0.000000e+00> : vector<[4]xf32>
  %6 = arith.constant dense<0.0> : vector<[4]xf32>
  // CHECK: %c7_i64 = arith.constant {tag} 7 : i64
  %7 = arith.constant {tag} 7
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%a: i32, %b: i32, %i: index, %v: vector<2xi8>) {
  // CHECK: arith.addi %arg0, %arg1 : i32
  %0 = arith.addi %a, %b : i32
  // CHECK: arith.addi %arg0, %arg1 overflow<nsw, nuw> : i32
  %1 = arith.addi %a, %b overflow<nuw, nsw> : i32
  // CHECK: arith.addi %arg0, %arg1 : i32
  %2 = arith.addi %a, %b overflow<none> : i32
  // CHECK: arith.subi %arg2, %arg2 overflow<nsw> : index
  %3 = arith.subi %i, %i overflow<nsw> : index
  // CHECK: arith.muli %arg3, %arg3 overflow<nuw> {tag} : vector<2xi8>
  %4 = arith.muli %v, %v overflow<nuw> {tag} : vector<2xi8>
  // CHECK: arith.addui_extended %arg0, %arg1 : i32, i1
  %5:2 = arith.addui_extended %a, %b : i32, i1
  // CHECK: arith.mulsi_extended %arg0, %arg1 : i32
  %6:2 = arith.mulsi_extended %a, %b : i32
  // CHECK: arith.mului_extended %arg3, %arg3 : vector<2xi8>
  %7:2 = arith.mului_extended %v, %v : vector<2xi8>
  // CHECK: arith.divui %arg0, %arg1 : i32
  %8 = arith.divui %a, %b : i32
  // CHECK: arith.divsi %arg0, %arg1 exact : i32
  %9 = arith.divsi %a, %b exact : i32
  // CHECK: arith.ceildivui %arg0, %arg1 : i32
  %10 = arith.ceildivui %a, %b : i32
  // CHECK: arith.ceildivsi %arg0, %arg1 : i32
  %11 = arith.ceildivsi %a, %b : i32
  // CHECK: arith.floordivsi %arg0, %arg1 : i32
  %12 = arith.floordivsi %a, %b : i32
  // CHECK: arith.remui %arg0, %arg1 : i32
  %13 = arith.remui %a, %b : i32
  // CHECK: arith.remsi %arg0, %arg1 : i32
  %14 = arith.remsi %a, %b : i32
  // CHECK: arith.andi %arg0, %arg1 : i32
  %15 = arith.andi %a, %b : i32
  // CHECK: arith.ori %arg0, %arg1 : i32
  %16 = arith.ori %a, %b : i32
  // CHECK: arith.xori %arg0, %arg1 : i32
  %17 = arith.xori %a, %b : i32
  // CHECK: arith.shli %arg0, %arg1 overflow<nsw> : i32
  %18 = arith.shli %a, %b overflow<nsw> : i32
  // CHECK: arith.shrui %arg0, %arg1 exact : i32
  %19 = arith.shrui %a, %b exact : i32
  // CHECK: arith.shrsi %arg0, %arg1 : i32
  %20 = arith.shrsi %a, %b : i32
  // CHECK: arith.maxsi %arg0, %arg1 : i32
  %21 = arith.maxsi %a, %b : i32
  // CHECK: arith.maxui %arg0, %arg1 : i32
  %22 = arith.maxui %a, %b : i32
  // CHECK: arith.minsi %arg0, %arg1 : i32
  %23 = arith.minsi %a, %b : i32
  // CHECK: arith.minui %arg0, %arg1 : i32
  %24 = arith.minui %a, %b : i32
  return
}

// CHECK-LABEL: func.func @floats
func.func @floats(%a: f32, %b: f32) {
  // CHECK: arith.negf %arg0 : f32
  %0 = arith.negf %a : f32
  // CHECK: arith.negf %arg0 fastmath<fast> : f32
  %1 = arith.negf %a fastmath<fast> : f32
  // CHECK: arith.addf %arg0, %arg1 fastmath<nnan,contract> : f32
  %2 = arith.addf %a, %b fastmath<contract,nnan> : f32
  // CHECK: arith.addf %arg0, %arg1 : f32
  %3 = arith.addf %a, %b fastmath<none> : f32
  // CHECK: arith.subf %arg0, %arg1 : f32
  %4 = arith.subf %a, %b : f32
  // CHECK: arith.mulf %arg0, %arg1 : f32
  %5 = arith.mulf %a, %b : f32
  // CHECK: arith.divf %arg0, %arg1 : f32
  %6 = arith.divf %a, %b : f32
  // CHECK: arith.remf %arg0, %arg1 : f32
  %7 = arith.remf %a, %b : f32
  // CHECK: arith.maximumf %arg0, %arg1 : f32
  %8 = arith.maximumf %a, %b : f32
  // CHECK: arith.maxnumf %arg0, %arg1 : f32
  %9 = arith.maxnumf %a, %b : f32
  // CHECK: arith.minimumf %arg0, %arg1 : f32
  %10 = arith.minimumf %a, %b : f32
  // CHECK: arith.minnumf %arg0, %arg1 : f32
  %11 = arith.minnumf %a, %b : f32
  return
}

// CHECK-LABEL: func.func @casts
func.func @casts(%a: i32, %f: f32, %i: index, %m: memref<2xi32>, %q: f4E2M1FN, %s: f8E8M0FNU) {
  // CHECK: arith.extui %arg0 : i32 to i64
  %0 = arith.extui %a : i32 to i64
  // CHECK: arith.extsi %arg0 : i32 to i64
  %1 = arith.extsi %a : i32 to i64
  // CHECK: arith.extf %arg1 fastmath<contract> : f32 to f64
  %2 = arith.extf %f fastmath<contract> : f32 to f64
  // CHECK: arith.extf %arg1 : f32 to f64
  %3 = arith.extf %f : f32 to f64
  // CHECK: arith.scaling_extf %arg4, %arg5 : f4E2M1FN, f8E8M0FNU to f32
  %4 = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to f32
  // CHECK: arith.trunci %arg0 overflow<nsw> : i32 to i8
  %5 = arith.trunci %a overflow<nsw> : i32 to i8
  // CHECK: arith.truncf %arg1 upward fastmath<fast> : f32 to f16
  %6 = arith.truncf %f upward fastmath<fast> : f32 to f16
  // CHECK: arith.truncf %arg1 : f32 to bf16
  %7 = arith.truncf %f : f32 to bf16
  // CHECK: arith.scaling_truncf %arg1, %arg5 to_nearest_even : f32, f8E8M0FNU to f4E2M1FN
  %8 = arith.scaling_truncf %f, %s to_nearest_even : f32, f8E8M0FNU to f4E2M1FN
  // CHECK: arith.uitofp %arg0 : i32 to f32
  %9 = arith.uitofp %a : i32 to f32
  // CHECK: arith.sitofp %arg0 : i32 to f64
  %10 = arith.sitofp %a : i32 to f64
  // CHECK: arith.fptoui %arg1 : f32 to i8
  %11 = arith.fptoui %f : f32 to i8
  // CHECK: arith.fptosi %arg1 : f32 to i64
  %12 = arith.fptosi %f : f32 to i64
  // CHECK: arith.index_cast %arg2 : index to i32
  %13 = arith.index_cast %i : index to i32
  // CHECK: arith.index_castui %arg0 : i32 to index
  %14 = arith.index_castui %a : i32 to index
  // CHECK: arith.index_cast %arg3 : memref<2xi32> to memref<2xindex>
  %15 = arith.index_cast %m : memref<2xi32> to memref<2xindex>
  // CHECK: arith.bitcast %arg0 : i32 to f32
  %16 = arith.bitcast %a : i32 to f32
  return
}

// CHECK-LABEL: func.func @compare
func.func @compare(%a: i32, %f: f32, %c: i1, %v: vector<2xf32>, %m: vector<2xi1>, %t: tensor<?xi8>) {
  // CHECK: arith.cmpi slt, %arg0, %arg0 : i32
  %0 = arith.cmpi slt, %a, %a : i32
  // CHECK: arith.cmpi uge, %arg5, %arg5 : tensor<?xi8>
  %1 = arith.cmpi "uge", %t, %t : tensor<?xi8>
  // CHECK: arith.cmpf oeq, %arg1, %arg1 : f32
  %2 = arith.cmpf oeq, %f, %f : f32
  // CHECK: arith.cmpf true, %arg3, %arg3 fastmath<ninf> : vector<2xf32>
  %3 = arith.cmpf true, %v, %v fastmath<ninf> : vector<2xf32>
  // CHECK: arith.select %arg2, %arg0, %arg0 : i32
  %4 = arith.select %c, %a, %a : i32
  // CHECK: arith.select %arg2, %arg3, %arg3 : vector<2xf32>
  %5 = arith.select %c, %v, %v : vector<2xf32>
  // CHECK: arith.select %arg4, %arg3, %arg3 {tag} : vector<2xi1>, vector<2xf32>
  %6 = arith.select %m, %v, %v {tag} : vector<2xi1>, vector<2xf32>
  return
}
