// RUN: terrace-opt %s | FileCheck %s

// Every op in its custom form.

// CHECK-LABEL: func.func @unary
func.func @unary(%x: f32, %v: vector<4xf64>) {
  // CHECK: math.absf %arg0 : f32
  %0 = math.absf %x : f32
  // CHECK: math.acos %arg1 fastmath<fast> : vector<4xf64>
  %1 = math.acos %v fastmath<fast> : vector<4xf64>
  // CHECK: math.acosh %arg0 : f32
  %2 = math.acosh %x : f32
  // CHECK: math.asin %arg1 fastmath<fast> : vector<4xf64>
  %3 = math.asin %v fastmath<fast> : vector<4xf64>
  // CHECK: math.asinh %arg0 : f32
  %4 = math.asinh %x : f32
  // CHECK: math.atan %arg1 fastmath<fast> : vector<4xf64>
  %5 = math.atan %v fastmath<fast> : vector<4xf64>
  // CHECK: math.atanh %arg0 : f32
  %6 = math.atanh %x : f32
  // CHECK: math.cbrt %arg1 fastmath<fast> : vector<4xf64>
  %7 = math.cbrt %v fastmath<fast> : vector<4xf64>
  // CHECK: math.ceil %arg0 : f32
  %8 = math.ceil %x : f32
  // CHECK: math.cos %arg1 fastmath<fast> : vector<4xf64>
  %9 = math.cos %v fastmath<fast> : vector<4xf64>
  // CHECK: math.cosh %arg0 : f32
  %10 = math.cosh %x : f32
  // CHECK: math.erf %arg1 fastmath<fast> : vector<4xf64>
  %11 = math.erf %v fastmath<fast> : vector<4xf64>
  // CHECK: math.erfc %arg0 : f32
  %12 = math.erfc %x : f32
  // CHECK: math.exp %arg1 fastmath<fast> : vector<4xf64>
  %13 = math.exp %v fastmath<fast> : vector<4xf64>
  // CHECK: math.exp2 %arg0 : f32
  %14 = math.exp2 %x : f32
  // CHECK: math.expm1 %arg1 fastmath<fast> : vector<4xf64>
  %15 = math.expm1 %v fastmath<fast> : vector<4xf64>
  // CHECK: math.floor %arg0 : f32
  %16 = math.floor %x : f32
  // CHECK: math.log %arg1 fastmath<fast> : vector<4xf64>
  %17 = math.log %v fastmath<fast> : vector<4xf64>
  // CHECK: math.log10 %arg0 : f32
  %18 = math.log10 %x : f32
  // CHECK: math.log1p %arg1 fastmath<fast> : vector<4xf64>
  %19 = math.log1p %v fastmath<fast> : vector<4xf64>
  // CHECK: math.log2 %arg0 : f32
  %20 = math.log2 %x : f32
  // CHECK: math.round %arg1 fastmath<fast> : vector<4xf64>
  %21 = math.round %v fastmath<fast> : vector<4xf64>
  // CHECK: math.roundeven %arg0 : f32
  %22 = math.roundeven %x : f32
  // CHECK: math.rsqrt %arg1 fastmath<fast> : vector<4xf64>
  %23 = math.rsqrt %v fastmath<fast> : vector<4xf64>
  // CHECK: math.sin %arg0 : f32
  %24 = math.sin %x : f32
  // CHECK: math.sinh %arg1 fastmath<fast> : vector<4xf64>
  %25 = math.sinh %v fastmath<fast> : vector<4xf64>
  // CHECK: math.sqrt %arg0 : f32
  %26 = math.sqrt %x : f32
  // CHECK: math.tan %arg1 fastmath<fast> : vector<4xf64>
  %27 = math.tan %v fastmath<fast> : vector<4xf64>
  // CHECK: math.tanh %arg0 : f32
  %28 = math.tanh %x : f32
  // CHECK: math.trunc %arg1 fastmath<fast> : vector<4xf64>
  %29 = math.trunc %v fastmath<fast> : vector<4xf64>
  return
}

// CHECK-LABEL: func.func @more
func.func @more(%x: f32, %i: i32, %v: vector<4xf32>, %w: vector<4xi32>) {
  // CHECK: math.atan2 %arg0, %arg0 : f32
  %0 = math.atan2 %x, %x : f32
  // CHECK: math.copysign %arg2, %arg2 fastmath<nnan> : vector<4xf32>
  %1 = math.copysign %v, %v fastmath<nnan> : vector<4xf32>
  // CHECK: math.powf %arg0, %arg0 : f32
  %2 = math.powf %x, %x : f32
  // CHECK: math.fma %arg0, %arg0, %arg0 fastmath<contract> : f32
  %3 = math.fma %x, %x, %x fastmath<contract> : f32
  // CHECK: math.clampf %arg0 to [%arg0, %arg0] : f32
  %4 = math.clampf %x to [%x, %x] : f32
  // CHECK: math.clampf %arg0 to [%arg0, %arg0] fastmath<fast> : f32
  %5 = math.clampf %x to [%x, %x] fastmath<fast> : f32
  // CHECK: math.fpowi %arg2, %arg3 : vector<4xf32>, vector<4xi32>
  %6 = math.fpowi %v, %w : vector<4xf32>, vector<4xi32>
  // CHECK: %{{.*}}, %{{.*}} = math.sincos %arg0 : f32
  %7:2 = math.sincos %x : f32
  // CHECK: math.isfinite %arg0 : f32
  %8 = math.isfinite %x : f32
  // CHECK: math.isinf %arg2 : vector<4xf32>
  %9 = math.isinf %v : vector<4xf32>
  // CHECK: math.isnan %arg0 : f32
  %10 = math.isnan %x : f32
  // CHECK: math.isnormal %arg0 : f32
  %11 = math.isnormal %x : f32
  // CHECK: math.absi %arg1 : i32
  %12 = math.absi %i : i32
  // CHECK: math.ctlz %arg1 : i32
  %13 = math.ctlz %i : i32
  // CHECK: math.cttz %arg3 : vector<4xi32>
  %14 = math.cttz %w : vector<4xi32>
  // CHECK: math.ctpop %arg1 : i32
  %15 = math.ctpop %i : i32
  // CHECK: math.ipowi %arg1, %arg1 : i32
  %16 = math.ipowi %i, %i : i32
  return
}
