// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// CHECK-LABEL: func.func @ldmatrix
func.func @ldmatrix(%m: memref<128x128xf16, 3>, %g: memref<?x?xf32, #gpu.address_space<workgroup>>, %i: index) {
  // CHECK: nvgpu.ldmatrix %arg0[%arg2, %arg2] {numTiles = 4 : i32, transpose = false} : memref<128x128xf16, 3> -> vector<4x2xf16>
  %a = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<128x128xf16, 3> -> vector<4x2xf16>
  // CHECK: nvgpu.ldmatrix %arg0[%arg2, %arg2] {numTiles = 2 : i32, transpose = true} : memref<128x128xf16, 3> -> vector<2x2xf16>
  %b = nvgpu.ldmatrix %m[%i, %i] {transpose = true, numTiles = 2 : i32} : memref<128x128xf16, 3> -> vector<2x2xf16>
  // CHECK: nvgpu.ldmatrix %arg1[%arg2, %arg2] {numTiles = 1 : i32, transpose = false} : memref<?x?xf32, #gpu.address_space<workgroup>> -> vector<1x1xf32>
  %c = nvgpu.ldmatrix %g[%i, %i] {transpose = false, numTiles = 1 : i32} : memref<?x?xf32, #gpu.address_space<workgroup>> -> vector<1x1xf32>
  return
}

// CHECK-LABEL: func.func @mma
func.func @mma(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>,
               %a32: vector<4x1xf32>, %b32: vector<2x1xf32>,
               %a8: vector<4x4xi8>, %b8: vector<2x4xi8>, %c8: vector<2x2xi32>,
               %a64: vector<1x1xf64>, %c64: vector<1x2xf64>) {
  // CHECK: nvgpu.mma.sync(%arg0, %arg1, %arg2) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  // CHECK: nvgpu.mma.sync(%arg0, %arg1, %arg1) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  %1 = nvgpu.mma.sync(%a, %b, %b) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  // CHECK: nvgpu.mma.sync(%arg3, %arg4, %arg2) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  %2 = nvgpu.mma.sync (%a32, %b32, %c) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  // CHECK: nvgpu.mma.sync(%arg5, %arg6, %arg7) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  %3 = nvgpu.mma.sync (%a8, %b8, %c8) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  // CHECK: nvgpu.mma.sync(%arg8, %arg8, %arg9) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
  %4 = nvgpu.mma.sync (%a64, %a64, %c64) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%g: memref<4x5xf32>, %s: memref<2x7x5xf32, 3>, %i: index, %n: index) {
  // CHECK: %[[A:.*]] = nvgpu.device_async_copy %arg0[%arg2, %arg2], %arg1[%arg2, %arg2, %arg2], 4 : memref<4x5xf32> to memref<2x7x5xf32, 3>
  %0 = nvgpu.device_async_copy %g[%i, %i], %s[%i, %i, %i], 4 : memref<4x5xf32> to memref<2x7x5xf32, 3>
  // CHECK: %[[B:.*]] = nvgpu.device_async_copy %arg0[%arg2, %arg2], %arg1[%arg2, %arg2, %arg2], 4, %arg3 {bypassL1} : memref<4x5xf32> to memref<2x7x5xf32, 3>
  %1 = nvgpu.device_async_copy %g[%i, %i], %s[%i, %i, %i], 4, %n {bypassL1} : memref<4x5xf32> to memref<2x7x5xf32, 3>
  // CHECK: %[[T:.*]] = nvgpu.device_async_create_group %[[A]], %[[B]]{{$}}
  %t = nvgpu.device_async_create_group %0, %1
  // CHECK: nvgpu.device_async_create_group {{$}}
  %u = nvgpu.device_async_create_group
  // CHECK: %[[E:.*]] = nvgpu.device_async_create_group {{$}}
  %v = nvgpu.device_async_create_group
  // CHECK: %[[M:.*]]:2 = builtin.unrealized_conversion_cast %[[E]]
  %p:2 = builtin.unrealized_conversion_cast %v : !nvgpu.device.async.token to !nvgpu.device.async.token, !nvgpu.device.async.token
  // CHECK: nvgpu.device_async_create_group %[[M]]#0, %[[M]]#1
  %w = nvgpu.device_async_create_group %p#0, %p#1
  // CHECK: nvgpu.device_async_wait %[[T]] {numGroups = 1 : i32}
  nvgpu.device_async_wait %t {numGroups = 1 : i32}
  // CHECK: nvgpu.device_async_wait %[[T]]{{$}}
  nvgpu.device_async_wait %t
  return
}

// CHECK: func.func private @token(!nvgpu.device.async.token)
func.func private @token(!nvgpu.device.async.token)
