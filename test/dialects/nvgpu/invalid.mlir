// RUN: terrace-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: memref<8x8xf16, 2>, %i: index) {
  // expected-error @+1 {{expected nvgpu.ldmatrix srcMemref must have a memory space attribute of IntegerAttr(3) or gpu::AddressSpaceAttr(Workgroup)}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf16, 2> -> vector<4x2xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf16>, %i: index) {
  // expected-error @+1 {{expected nvgpu.ldmatrix srcMemref must have a memory space attribute of IntegerAttr(3) or gpu::AddressSpaceAttr(Workgroup)}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf16> -> vector<4x2xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf64, 3>, %i: index) {
  // expected-error @+1 {{nvgpu.ldmatrix works for 32b or lower}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf64, 3> -> vector<4x1xf64>
  return
}

// -----

func.func @f(%m: memref<8x8xf32, 3>, %i: index) {
  // expected-error @+1 {{nvgpu.ldmatrix transpose works only at 16b granularity}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = true, numTiles = 4 : i32} : memref<8x8xf32, 3> -> vector<4x1xf32>
  return
}

// -----

func.func @f(%m: memref<8x8xf32, 3>, %i: index) {
  // expected-error @+1 {{results must be 2 dimensional vector}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf32, 3> -> vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<8x8xf16, 3>, %i: index) {
  // expected-error @+1 {{expected vector register shape[1] = 2}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf16, 3> -> vector<4x1xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf16, 3>, %i: index) {
  // expected-error @+1 {{expected vector register shape[0] and numTiles to match}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf16, 3> -> vector<2x2xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf32, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.ldmatrix' op failed to verify that srcMemref and res have same element type}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i32} : memref<8x8xf32, 3> -> vector<4x2xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf16, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.ldmatrix' op requires attribute 'numTiles'}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false} : memref<8x8xf16, 3> -> vector<4x2xf16>
  return
}

// -----

func.func @f(%m: memref<8x8xf16, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.ldmatrix' op attribute 'numTiles' failed to satisfy constraint: 32-bit signless integer attribute}}
  %0 = nvgpu.ldmatrix %m[%i, %i] {transpose = false, numTiles = 4 : i64} : memref<8x8xf16, 3> -> vector<4x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x4xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected 256 warp-wide matrix A elements}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x4xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x4xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected 128 warp-wide matrix B elements}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x4xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x4xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected 128 warp-wide matrix C elements}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x4xf16>) -> vector<2x4xf16>
  return
}

// -----

func.func @f(%a: vector<2x4xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected matrix A to be shaped (4 x 2)}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<2x4xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<1x4xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected matrix B to be shaped (2 x 2)}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<1x4xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<4x1xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected matrix C to be shaped (2 x 2)}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<4x1xf16>) -> vector<4x1xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected tf32 tensor cores only for F32 operands}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16], tf32Enabled} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<8xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{matrixA must be 2 dimensional vector}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<4xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{matrixB must be 2 dimensional vector}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<4xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<4xf16>) {
  // expected-error @+1 {{matrixC must be 2 dimensional vector}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<4xf16>) -> vector<4xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xi16>, %b: vector<2x2xi16>, %c: vector<2x2xi16>) {
  // expected-error @+1 {{expected input data type (i4,i8,f16,bf16,tf32,f64) supported by nvgpu.mma.sync}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xi16>, vector<2x2xi16>, vector<2x2xi16>) -> vector<2x2xi16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xbf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op failed to verify that matrixA and matrixB have same element type}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xbf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op expected mmaShape to have three integers}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op attribute 'mmaShape' failed to satisfy constraint: 64-bit integer array attribute}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16 : i32, 8 : i32, 16 : i32]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op requires attribute 'mmaShape'}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%a: f16, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  // expected-error @+1 {{'nvgpu.mma.sync' op operand #0 must be vector of any type values, but got 'f16'}}
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (f16, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16xf32>, %i: index) {
  // expected-error @+1 {{destination memref must have a memory space attribute of IntegerAttr(3) or gpu::AddressSpaceAttr(Workgroup)}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16xf32> to memref<16xf32>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16xi32, 3>, %i: index) {
  // expected-error @+1 {{source and destination must have the same element type}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16xf32> to memref<16xi32, 3>
  return
}

// -----

func.func @f(%s: memref<16x16xf32>, %d: memref<16xf32, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.device_async_copy' op expected 2 source indices, got 1}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16x16xf32> to memref<16xf32, 3>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16x16xf32, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.device_async_copy' op expected 2 destination indices, got 1}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16xf32> to memref<16x16xf32, 3>
  return
}

// -----

func.func @f(%s: memref<16xf32, strided<[2]>>, %d: memref<16xf32, 3>, %i: index) {
  // expected-error @+1 {{source memref most minor dim must have unit stride}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16xf32, strided<[2]>> to memref<16xf32, 3>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16xf32, strided<[2]>, 3>, %i: index) {
  // expected-error @+1 {{destination memref most minor dim must have unit stride}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 4 : memref<16xf32> to memref<16xf32, strided<[2]>, 3>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16xf32, 3>, %i: index) {
  // expected-error @+1 {{Requested copy elements is 3 with width 32. But copy elements could be one of 1, 2, 4.}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 3 : memref<16xf32> to memref<16xf32, 3>
  return
}

// -----

func.func @f(%s: memref<16xf16>, %d: memref<16xf16, 3>, %i: index) {
  // expected-error @+1 {{Requested copy elements is 3 with width 16. But copy elements could be one of 2, 4, 8.}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 3 : memref<16xf16> to memref<16xf16, 3>
  return
}

// -----

func.func @f(%s: memref<16xf64>, %d: memref<16xf64, 3>, %i: index) {
  // expected-error @+1 {{Requested copy elements is 3 with width 64. But copy elements could be one of 1, 2.}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 3 : memref<16xf64> to memref<16xf64, 3>
  return
}

// -----

func.func @f(%s: memref<16xf32>, %d: memref<16xf32, 3>, %i: index) {
  // expected-error @+1 {{'nvgpu.device_async_copy' op bypassL1 does not satify alignment for 'memref<16xf32, 3>' with destination element 1. Unset bypassL1, or set destination element to 4}}
  %0 = nvgpu.device_async_copy %s[%i], %d[%i], 1 {bypassL1} : memref<16xf32> to memref<16xf32, 3>
  return
}

// -----

func.func @f(%t: index) {
  // expected-error @+1 {{'nvgpu.device_async_wait' op operand #0 must be device async token type, but got 'index'}}
  "nvgpu.device_async_wait"(%t) : (index) -> ()
  return
}
