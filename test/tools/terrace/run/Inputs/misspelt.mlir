//--- op.mlir
func.func @f(%a: memref<4xf32>) {
  return
}
func.func private @g(%x: f32) {
  %0 = "arith.addd"(%x, %x) : (f32, f32) -> f32
  return
}
